"""Options of `survey`: several games, several numbers of freecells."""

from __future__ import annotations

from collections.abc import Sequence

import click

from dbmsolver.cli.options import CHANGED, changed_by_options, gathered, moves_option, shape_options
from dbmsolver.cli.values import GameSource
from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.kinds import Build, Fill, Moves
from dbmsolver.game.library import load_rules
from dbmsolver.game.rules import MAX_RESERVE, Rules

Cells = tuple[int, int]


def parse_cells(text: str) -> Cells:
    """Return the least and the most freecells of a text like `2` or `0..4`."""
    least, dots, most = text.partition("..")
    try:
        cells = int(least), int(most if dots else least)
    except ValueError:
        cells = -1, -1
    if not 0 <= cells[0] <= cells[1] <= MAX_RESERVE:
        raise UsageError(
            f"--freecells {quoted(text)}: expected a number from 0 to {MAX_RESERVE}, or two of "
            "them like 0..4"
        )
    return cells


class GameChoice:
    """The games of a survey, and the options that change their rules."""

    def __init__(
        self,
        games: Sequence[str],
        freecells: str | None,
        columns: int | None,
        build: Build | None,
        fill: Fill | None,
        moves: Moves | None,
    ) -> None:
        self.cells = None if freecells is None else parse_cells(freecells)
        changes = {"columns": columns, "build": build, "fill": fill, "moves": moves}
        self.games = [
            changed_by_options(load_rules(game), changes) for game in dict.fromkeys(games)
        ]

    def rules(self, question: str) -> tuple[Rules, ...]:
        """Return the rules to ask about; for the fewest freecells those with the most."""
        found: dict[Rules, None] = {}
        for rules in self.games:
            if question == "fewest-freecells":
                found[self._widest(rules)] = None
                continue
            least, most = self.cells or (rules.freecells, rules.freecells)
            for cells in range(least, most + 1):
                found[changed_by_options(rules, {"freecells": cells})] = None
        return tuple(found)

    def _widest(self, rules: Rules) -> Rules:
        dealt = rules.dealt_to_freecells
        if self.cells is None:
            return rules
        least, most = self.cells
        if least > dealt or most < dealt:
            raise UsageError(
                f"--freecells {least}..{most}: the fewest are looked for from {dealt} on in "
                f"{rules.name}, expected {dealt}..N"
            )
        return changed_by_options(rules, {"freecells": most})


games_options = gathered(
    "chosen",
    GameChoice,
    click.option(
        "--game",
        "games",
        metavar="GAME",
        type=GameSource(),
        multiple=True,
        default=["freecell"],
        show_default=True,
        help="A game that `games` lists, or a file with its rules; may be given several times.",
    ),
    click.option(
        "--freecells",
        metavar="N[..M]",
        help="Number of freecells, or the least and the most of several: 0..4.  [default: the "
        "game's]",
    ),
    *shape_options(CHANGED),
    moves_option,
)
