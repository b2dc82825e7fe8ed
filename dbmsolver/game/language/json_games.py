"""Games in JSON rules, as rules-driven solvers read them, as descriptions of the language.

What the rules say becomes a description, with the same checks as any. Features that the language
has no words for are refused by name.
"""

from __future__ import annotations

import json
from dataclasses import replace

from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    Header,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
)
from dbmsolver.game.language.json_hole import HoleRules
from dbmsolver.game.language.json_reserve import BUILDS, GROUP_POLICIES, SPACES
from dbmsolver.game.language.json_rules import DEFAULTS
from dbmsolver.game.language.json_stock import StockRules

_PARTIAL = "partial-if-card-above-buildable"
_GROUPS_PLAYED = ("no", "yes", _PARTIAL)
_SPACES = ("any", "kings", "no-build")
_AUTO_WASTE = "auto-waste-then-stock"
_GROUPS = (*_GROUPS_PLAYED, "whole-pile", "maximal-group")


def parse_json(text: str, where: str = "<game>") -> Description:
    """Read rules; InputError, naming the place, for what they cannot say or is not supported."""
    game = _JsonGame(text, where)
    return replace(game.description(), header=Header(game.name) if game.name else None)


class _JsonGame(HoleRules, StockRules):
    """The description of the game that the rules say."""

    def description(self) -> Description:
        for group in ("accordion", "sequences"):
            for name in ("size", "count"):
                if name in DEFAULTS[group]:
                    self.refuse(group, name)
        if self.value("hole", "present"):
            return self.with_hole()
        if self.is_wide():
            self.check_wide()
            return self.described_wide(self.moves())
        self.refuse("foundations", "present")
        if self.value("stock", "size"):
            return self.with_stock()
        self.refuse("foundations", "base card")
        self.refuse("tableau piles", "face up cards", "without a stock")
        self.refuse("reserve", "stacked", "without a stock")
        if self.value("reserve", "size") and self.value("cells", "count"):
            self.fail("reserve: size", "a reserve beside cells is not played, expected 0")
        ranks = self.ranks()
        return Description(
            setup=tuple(self.setup()),
            deck=Deck(1, (), "KingHigh", None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt(ranks))),),
            moves=tuple(self.moves()),
            finish=("AllInFoundation",),
        )

    def group(self) -> str:
        """Return "yes" if built groups move, "no" if they do not.

        A part of a group that moves only if the card above it can go home then is played as a group
        of which any part moves: that takes no solution away, and makes none shorter. See the twins
        of :mod:`dbmsolver.game.patience`; for them groups have to be built as piles are.
        """
        group = self.choice("tableau piles", "move built group", _GROUPS)
        if group not in _GROUPS_PLAYED:
            known = ", ".join(map(json.dumps, _GROUPS_PLAYED))
            text = f"{json.dumps(group)} is not played, expected one of {known}"
            self.fail("tableau piles: move built group", text)
        if group != _PARTIAL:
            return group
        build = self.value("tableau piles", "build policy")
        policy = self.value("tableau piles", "move built group policy")
        if policy not in ("same-as-build", build):
            text = f'{json.dumps(policy)} is not played with "{_PARTIAL}"'
            self.fail("tableau piles: move built group policy", f'{text}, expected "same-as-build"')
        return "yes"

    def with_stock(self) -> Description:
        """Return a game of Klondike's kind, with stock and waste.

        Cards come back from the foundations where these are `removable`.
        """
        for group, name in (
            ("stock", "deal type"),
            ("foundations", "only complete pile moves"),
            ("cells", "count"),
        ):
            self.refuse(group, name, "with a stock that is turned to a waste")
        based, held, whole = self.has_base(), self.held(), self.moves_whole_piles()
        ranks, draw = self.ranks(), self.drawn()
        over = MoveLine(
            "Stock", "FullStack", destinations=("OnBlank",), sources=("Wastepile",),
            times=0 if self.value("stock", "redeal") else 1,
        )  # fmt: skip
        removable = self.value("foundations", "removable")
        return Description(
            setup=(
                self.tableau(),
                SetupLine("Foundation", "TopStack", 4, not removable, "Deal" if based else None),
                *([SetupLine("Reserve", "DropStack", 1)] if held else []),
                SetupLine("Stock", "BackStack", 1),
                SetupLine("Wastepile", "TopStack", 1),
            ),
            deck=Deck(1, (), None if based else "KingHigh", None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt_beside_stock(4 * ranks, based, held))),),
            moves=(
                *(self.moves_by_columns(based) if whole else self.moves(based, held)),
                self.turned(draw),
                over,
            ),
            finish=("AllInFoundation",),
        )

    def setup(self) -> list[SetupLine]:
        build = self.choice("tableau piles", "build policy", {**BUILDS, "no-build": ""})
        removable = self.value("foundations", "removable")
        if removable and self.group() != "no" and build in ("any-suit", "red-black"):
            text = "cards that come back from the foundations are played only where single cards"
            self.fail("foundations: removable", f"{text} move, expected false")
        lines = [
            SetupLine("Tableau", "DropStack", self.count("tableau piles", 1)),
            SetupLine("Foundation", "TopStack", 4, keep=not removable),
        ]
        if cells := self.count("cells", 0) or self.value("reserve", "size"):
            lines.append(SetupLine("Reserve", "Face", cells))
        return lines

    def dealt(self, ranks: int) -> list[Dealt]:
        filled, cells = self.value("cells", "pre-filled"), self.value("cells", "count")
        if filled > cells:
            self.fail("cells: pre-filled", f"{filled}, expected at most the {cells} cells")
        filled = filled or self.value("reserve", "size")
        cards = 4 * ranks
        home = self.dealt_home()
        cards -= sum(len(line.stacks) for line in home)
        given, columns = cards - filled, self.count("tableau piles", 1)
        diagonal = self.value("tableau piles", "diagonal deal")
        tableau = Dealt("Tableau", rows=None if diagonal else 0, diagonal=diagonal)
        if diagonal and given > columns * (columns + 1) // 2:
            piles = (tuple(map(StackEntry, pile)) for pile in self.dealt_to_piles(given))
            tableau = Dealt("Tableau", tuple(piles))
        lines = [tableau, *home]
        if filled:
            numbers = range(cards - filled + 1, cards + 1)
            lines.append(Dealt("Reserve", tuple((StackEntry(number),) for number in numbers)))
        return lines

    def moves(self, based: bool = False, held: int = 0) -> list[MoveLine]:
        item, lines = self.building()
        blank = MoveLine("Tableau", item, destinations=("Any", "OnBlank"))
        policy = self.choice("tableau piles", "spaces policy", (*_SPACES, *SPACES, _AUTO_WASTE))
        if policy == "any":
            lines.append(blank)
        elif policy == "kings":
            lines.append(replace(blank, destinations=("Rank", "OnBlank"), rank="K"))
        elif held:
            lines += self.filled(item)
        elif policy != "no-build":
            known = ", ".join(map(json.dumps, _SPACES))
            text = f"{json.dumps(policy)} is not played here, expected one of {known}"
            self.fail("tableau piles: spaces policy", text)
        if self.value("cells", "count"):
            lines.append(MoveLine("Reserve", "SingleCard", destinations=("Any", "OnBlank")))
        if self.value("foundations", "only complete pile moves"):
            if self.group() == "no":
                text = '"no", expected "yes" for complete piles to be moved'
                self.fail("tableau piles: move built group", text)
            return [*lines, MoveLine("Foundation", "FullSuit", destinations=("OnBlank",))]
        return lines + self.moves_home(based)

    def building(self) -> tuple[str, list[MoveLine]]:
        """Return the item that one move takes, and the lines that say which cards go on cards."""
        build = self.choice("tableau piles", "build policy", {**BUILDS, "no-build": ""})
        runs = self.group() == "yes"
        policy = self.choice("tableau piles", "move built group policy", GROUP_POLICIES)
        item = "ValidStack" if runs else "SingleCard"
        if build == "no-build":
            return "SingleCard", []
        line = MoveLine("Tableau", item, destinations=(BUILDS[build],), modifiers=("Descending",))
        if not runs or policy in ("same-as-build", build):
            return item, [line]
        if (build, policy) != ("any-suit", "same-suit"):
            text = f'"{policy}" is not played with "{build}", expected "same-as-build"'
            self.fail("tableau piles: move built group policy", text)
        held = MoveLine("Tableau", item, destinations=("SameSuit",), modifiers=("Descending",))
        return item, [held, replace(line, modifiers=("Descending", "NotValid"))]
