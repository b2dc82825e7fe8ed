"""Moves made so far: from a file in any notation, or typed after the deal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbmsolver.cli.solutions import load
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import counted
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title

if TYPE_CHECKING:
    from dbmsolver.notation.formats.source import Source

_TYPED = "<moves>"
_NOTED = re.compile("[1-8a-d][1-8a-dh]")


@dataclass(frozen=True, slots=True)
class GameSoFar:
    """A game in progress: its deal, and the position after the moves so far."""

    start: Deal
    made: int
    """The number of moves so far, as the text has them: a run of cards may be one.

    Automoves that it leaves out are not among them.
    """
    deal: Deal
    """The position that is reached, as a new deal if there are moves."""
    added: tuple[Move, ...] = ()
    """The automoves that the text leaves out, and that are made all the same."""

    @property
    def title(self) -> str:
        """The title: `Deal 3, after 7 moves`."""
        name = title(self.start)
        return f"{name}, after {counted(self.made, 'move', 'moves')}" if self.made else name


def play_out(
    start: Deal,
    words: Sequence[str],
    from_format: str | None,
    policy: Automove | None,
    only_file: bool = False,
) -> GameSoFar:
    """Return the position after some moves: words of a text, or one file (`-` is standard input).

    With `only_file` it is a file, which UsageError is raised without.
    `policy` says which moves to the foundations a text in Standard FreeCell Notation leaves out.
    Every move is checked. Raises InputError for moves that cannot be read or played.
    """
    if not words:
        return GameSoFar(start, 0, start)
    from dbmsolver.notation.formats.given import Given
    from dbmsolver.notation.formats.klondike_moves import format_of_moves
    from dbmsolver.notation.formats.source import InvalidError, Source

    wanted, by_letters = from_format, False
    source: str | Source = words[0]
    if len(words) > 1 or (words[0] != "-" and not Path(words[0]).exists()):
        if only_file:
            raise UsageError("there is no such file, expected one with moves", words[0])
        if len(words) == 1 and _is_path(words[0]):
            raise UsageError("there is no such file, expected one with moves, or moves", words[0])
        source = Source(" ".join(words), _TYPED)
        if not all(map(_NOTED.fullmatch, words)):
            # Of words that Standard FreeCell Notation does not have, the error is to be clear.
            from_format = from_format or format_of_moves(source.text) or "short"
            by_letters = from_format == "short" and wanted is None
        elif start.rules.only_leave and wanted is None:
            text = f"moves in two characters, which have no letters for {start.rules.name}"
            raise InvalidError(f"{text}, expected a file with moves", _TYPED)
    try:
        solution, _ = load(source, from_format, Given(deal=start, policy=policy))
    except InvalidError as error:
        if by_letters and error.message.startswith("unknown move "):
            known = error.message.partition(", expected ")[0]
            raise InvalidError(f"{known}, expected {_letters(start.rules)}", error.where) from None
        raise
    position = solution.reached()
    added = tuple(
        move for step, moves in solution.moves_of_steps() if step.is_left_out for move in moves
    )
    made = len(solution.steps) - len(added)
    return GameSoFar(start, made, Deal(position, start.rules), added)


def _letters(rules: Rules) -> str:
    """Return the letters of moves in two characters that a game has, in words for a message."""
    from dbmsolver.notation.formats.short import COLUMNS, FREECELLS

    places = [f"{' '.join(COLUMNS[: rules.columns])} (columns)"]
    if rules.freecells:
        places.append(f"{' '.join(FREECELLS[: rules.freecells])} (freecells)")
    text = f"two of {', '.join(places)} and h (home)"
    if rules.is_patience and rules.draw:
        return f"{text}, as in 3h; or DR1 (turn the stock), NEW (the waste over), W4, WS (from it)"
    return f"{text}, as in 1h"


def _is_path(word: str) -> bool:
    """Return True if a word looks like the name of a file rather than moves."""
    return "/" in word or "." in word
