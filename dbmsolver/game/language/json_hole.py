"""JSON rules of games of one pile: a tableau, the hole, and perhaps a stock that is dealt to it."""

from __future__ import annotations

import json

from dbmsolver.errors import quoted
from dbmsolver.game.cards import is_card
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
)
from dbmsolver.game.language.json_reserve import BUILDS, TABLEAU
from dbmsolver.game.language.json_rules import JsonRules


class HoleRules(JsonRules):
    """The rules of a game with a hole."""

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
            self.refuse(group, name, "with a hole")
        build = self.choice("tableau piles", "build policy", {**BUILDS, "no-build": ""})
        if build != "no-build":
            text = f'"{build}" is not played with a hole, expected "no-build"'
            self.fail("tableau piles: build policy", text)
        kind = self.value("stock", "deal type")
        if self.value("stock", "size") and kind != "hole":
            self.fail(
                "stock: deal type", f'{json.dumps(kind)}, expected "hole" for a stock beside one'
            )

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
            Dealt("Wastepile", ((StackEntry(base if named else last),),)),
        ]
        if stock:
            lines.append(Dealt("Stock", ((StackEntry(first, first + stock - 1),),)))
        return lines
