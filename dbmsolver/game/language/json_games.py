"""Games in JSON rules, as rules-driven solvers read them, as descriptions of the language.

What the rules say becomes a description, with the same checks as any. Features that the language
has no words for are refused by name.
"""

from __future__ import annotations

import json
from dataclasses import replace

from dbmsolver.errors import quoted
from dbmsolver.game.cards import is_card
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    Entry,
    Header,
    MoveLine,
    Phase,
    SetupLine,
)
from dbmsolver.game.language.json_reserve import (
    BUILDS,
    GROUP_POLICIES,
    SPACES,
    TABLEAU,
    ReserveRules,
)
from dbmsolver.game.language.json_rules import DEFAULTS

_PARTIAL = "partial-if-card-above-buildable"
_GROUPS_PLAYED = ("no", "yes", _PARTIAL)
_SPACES = ("any", "kings", "no-build")
_AUTO_WASTE = "auto-waste-then-stock"
_GROUPS = (*_GROUPS_PLAYED, "whole-pile", "maximal-group")


def parse_json(text: str, where: str = "<game>") -> Description:
    """Read rules; InputError, naming the place, for what they cannot say or is not supported."""
    game = _Game(text, where)
    return replace(game.description(), header=Header(game.name) if game.name else None)


class _Game(ReserveRules):
    """The description of the game that the rules say."""

    def description(self) -> Description:
        for group in ("accordion", "sequences"):
            for name in ("size", "count"):
                if name in DEFAULTS[group]:
                    self.refuse(group, name)
        if self.value("hole", "present"):
            return self.with_hole()
        self.refuse("foundations", "present")
        if self.value("stock", "size"):
            return self.with_stock()
        self.refuse("foundations", "base card")
        self.refuse("tableau piles", "face up cards")
        self.refuse("reserve", "stacked")
        self.refuse("two decks")
        group = self.group()
        if self.value("foundations", "only complete pile moves") and group == "no":
            text = 'expected "yes" for complete piles to be moved'
            self.fail("tableau piles: move built group", text)
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
        """Return whether built groups move: "yes" or "no".

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

    def with_hole(self) -> Description:
        """Return a game of one pile: only a tableau, the hole, and a stock that is dealt to it."""
        self.check_hole()
        ranks, stock = self.ranks(), self.value("stock", "size")
        lines = [
            MoveLine("Wastepile", "SingleCard", 1, ("AnySuit",), modifiers=(way,), sources=TABLEAU)
            for way in ("Ascending", "Descending")
        ]
        setup = [
            SetupLine("Tableau", "DropStack", self.count("tableau piles", 1)),
            SetupLine("Wastepile", "TopStack", 1),
        ]
        if stock:
            setup.append(SetupLine("Stock", "BackStack", 1))
            lines.append(MoveLine("Wastepile", "SingleCard", 1, ("Any",), sources=("Stock",)))
        high = "Cyclic" if self.value("hole", "build loops") else "KingHigh"
        return Description(
            setup=tuple(setup),
            deck=Deck(1, (), high, None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt_to_hole(4 * ranks, stock))),),
            moves=tuple(lines),
            finish=("TableauEmpty",),
        )

    def with_stock(self) -> Description:
        """Return a game of Klondike's kind, with stock and waste.

        Cards come back from the foundations where these are `removable`.
        """
        for group, name in (
            ("stock", "deal type"),
            ("foundations", "only complete pile moves"),
            ("cells", "count"),
            ("two decks", None),
        ):
            self.refuse(group, name)
        based, held, whole = self.has_base(), self.held(), self.moves_whole_piles()
        if not whole:
            self.group()
        ranks, draw = self.ranks(), self.value("stock", "deal count")
        if not 1 <= draw <= 52:
            self.fail("stock: deal count", f"{draw}, expected a number from 1 to 52")
        over = MoveLine(
            "Stock", "FullStack", destinations=("OnBlank",), sources=("Wastepile",),
            times=0 if self.value("stock", "redeal") else 1,
        )  # fmt: skip
        removable = self.value("foundations", "removable")
        return Description(
            setup=(
                SetupLine("Tableau", "MixDropStack", self.count("tableau piles", 1)),
                SetupLine("Foundation", "TopStack", 4, not removable, "Deal" if based else None),
                *([SetupLine("Reserve", "DropStack", 1)] if held else []),
                SetupLine("Stock", "BackStack", 1),
                SetupLine("Wastepile", "TopStack", 1),
            ),
            deck=Deck(1, (), None if based else "KingHigh", None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt_beside_stock(4 * ranks, based, held))),),
            moves=(
                *(self.moves_by_columns(based) if whole else self.moves(based, held)),
                MoveLine("Wastepile", "Any", draw, ("Any",), sources=("Stock",)),
                over,
            ),
            finish=("AllInFoundation",),
        )

    def dealt_beside_stock(self, cards: int, based: bool, held: int) -> list[Dealt]:
        """Return the cards that elements beside the stock get of ``cards`` cards.

        The stock has the last ones, the base is the first card, and the reserve has the next ones.
        """
        home = [] if based else self.dealt_home()
        apart = based + held
        cards -= apart + sum(len(line.stacks) for line in home)
        if based:
            home.append(Dealt("Foundation", ((Entry(1),),)))
        if held:
            home.append(Dealt("Reserve", ((Entry(1 + based, apart),),)))
        stock, columns = self.value("stock", "size"), self.count("tableau piles", 1)
        if stock >= cards:
            self.fail("stock: size", f"{stock}, expected fewer than the {cards} cards")
        shown = self.choice("tableau piles", "face up cards", ("all", "top"))
        piles: list[list[int]] = [[] for _ in range(columns)]
        places = range(cards - stock)
        if self.value("tableau piles", "diagonal deal"):
            rows = (range(min(row, columns - 1), columns) for row in range(cards))
            order = (index for row in rows for index in row)
        else:
            order = (number % columns for number in places)
        for number, index in zip(places, order, strict=False):
            piles[index].append(number + 1)
        stacks = (
            tuple(
                Entry(apart + number, face_down=shown == "top" and number != pile[-1])
                for number in pile
            )
            for pile in piles
        )
        return [Dealt("Tableau", tuple(stacks)), *home]

    def dealt_home(self) -> list[Dealt]:
        """Return the aces, where they are home at the start."""
        initial = self.choice("foundations", "initial cards", ("none", "one", "all"))
        if initial == "one":
            self.fail("foundations: initial cards", '"one" is not played, expected "none" or "all"')
        stacks = tuple((Entry(name),) for name in ("AH", "AS", "AD", "AC"))
        return [Dealt("Foundation", stacks)] if initial == "all" else []

    def check_hole(self) -> None:
        """Refuse rules that do not go with a hole."""
        if self.value("foundations", "present"):
            self.fail("foundations: present", "true is not played with a hole, expected false")
        for group, name in (
            ("tableau piles", "move built group"),
            ("tableau piles", "face up cards"),
            ("cells", "count"),
            ("reserve", "size"),
            ("stock", "deal count"),
            ("stock", "redeal"),
            ("two decks", None),
        ):
            self.refuse(group, name)
        build = self.choice("tableau piles", "build policy", {**BUILDS, "no-build": ""})
        if build != "no-build":
            text = f'"{build}" is not played with a hole, expected "no-build"'
            self.fail("tableau piles: build policy", text)
        if self.value("stock", "size") and self.value("stock", "deal type") != "hole":
            self.fail("stock: deal type", 'expected "hole" for a stock beside a hole')

    def dealt_to_hole(self, cards: int, stock: int) -> list[Dealt]:
        """Return the cards that each element gets of ``cards`` cards.

        `stock` of them stay in the stock.
        """
        base = self.value("hole", "base card")
        if base != "random" and not is_card(base):
            text = f'{quoted(base)}, expected a card, as in "AS", or "random"'
            self.fail("hole: base card", text)
        if stock >= cards:
            self.fail("stock: size", f"{stock}, expected fewer than the {cards} cards")
        named = base != "random"
        last = cards - stock  # before the stock; a named card has no number
        first = last if named else last + 1
        diagonal = self.value("tableau piles", "diagonal deal")
        lines = [
            Dealt("Tableau", rows=None if diagonal else 0, diagonal=diagonal),
            Dealt("Wastepile", ((Entry(base if named else last),),)),
        ]
        if stock:
            lines.append(Dealt("Stock", ((Entry(first, first + stock - 1),),)))
        return lines

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
        diagonal = self.value("tableau piles", "diagonal deal")
        lines = [Dealt("Tableau", rows=None if diagonal else 0, diagonal=diagonal)]
        cards = 4 * ranks
        home = self.dealt_home()
        cards -= sum(len(line.stacks) for line in home)
        lines += home
        if filled:
            numbers = range(cards - filled + 1, cards + 1)
            lines.append(Dealt("Reserve", tuple((Entry(number),) for number in numbers)))
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
