"""JSON rules of games with a stock or with two decks: what is dealt, and how the stock is dealt on.

A stock is turned to the waste, or a row of it is dealt onto the piles when the player asks for it,
whether piles are empty or not. With two decks it is turned once through only.
"""

from __future__ import annotations

import json

from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
)
from dbmsolver.game.language.json_reserve import ReserveRules

_IN_ROWS = "tableau piles"


class StockRules(ReserveRules):
    """The parts of the rules about two decks, the stock, and what is dealt beside it."""

    def decks(self) -> int:
        """Return the number of decks."""
        return 2 if self.value("two decks") else 1

    def dealt_in_rows(self) -> bool:
        """Return True if the stock is dealt onto the piles."""
        if not self.value("stock", "size"):
            return False
        kind = self.choice("stock", "deal type", ("waste", _IN_ROWS, "hole"))
        return kind == _IN_ROWS

    def is_wide(self) -> bool:
        """Return True if it has two decks, or a stock that is dealt onto the piles."""
        return self.decks() > 1 or self.dealt_in_rows()

    def drawn(self) -> int:
        """Return how many cards of the stock are turned to the waste at once."""
        draw: int = self.value("stock", "deal count")
        if not 1 <= draw <= 52:
            self.fail("stock: deal count", f"{draw}, expected a number from 1 to 52")
        return draw

    def turned(self, draw: int) -> MoveLine:
        """Return the move that turns cards of the stock to the waste."""
        return MoveLine("Wastepile", "Any", draw, ("Any",), sources=("Stock",))

    def check_wide(self) -> None:
        """Refuse rules that do not go with two decks, or with a stock dealt onto the piles."""
        kind = "two decks" if self.decks() > 1 else f'a stock of the deal type "{_IN_ROWS}"'
        rows = self.dealt_in_rows()
        odd = [("foundations", "present"), ("foundations", "base card"), ("cells", "count"),
               ("reserve", "size"), ("stock", "redeal")]  # fmt: skip
        for group, name in [*odd, *[("stock", "deal count")] * rows]:
            self.refuse(group, name, f"with {kind}")
        if self.value("stock", "size") and not rows:
            self.refuse("stock", "deal type", f"with {kind}")
        group = self.value("tableau piles", "move built group")
        if group not in ("no", "yes"):
            text = f'{json.dumps(group)} is not played with {kind}, expected "no" or "yes"'
            self.fail("tableau piles: move built group", text)
        whole = self.value("foundations", "only complete pile moves")
        if whole and self.value("foundations", "initial cards") != "none":
            self.refuse("foundations", "initial cards", "with complete piles that move")

    def described_wide(self, moves: list[MoveLine]) -> Description:
        """Return a game of two decks, or with a stock dealt onto the piles; its moves are given."""
        ranks, decks, rows = self.ranks(), self.decks(), self.dealt_in_rows()
        size = self.value("stock", "size")
        setup = [
            self.tableau(),
            SetupLine(
                "Foundation", "TopStack", 4 * decks, not self.value("foundations", "removable")
            ),
        ]
        deal = [Phase(False, 1, tuple(self.dealt_beside_stock(4 * ranks * decks)))]
        if size:
            setup.append(SetupLine("Stock", "BackStack", 1))
        if rows:
            deal.append(Phase(True, -(-size // setup[0].count), (Dealt("Tableau", rows=1),)))
        elif size:
            setup.append(SetupLine("Wastepile", "TopStack", 1))
            moves = [*moves, self.turned(self.drawn())]
        return Description(
            setup=tuple(setup),
            deck=Deck(decks, (), "KingHigh", None if ranks == 13 else ranks),
            deal=tuple(deal),
            moves=tuple(moves),
            finish=("AllInFoundation",),
        )

    def dealt_beside_stock(self, cards: int, based: bool = False, held: int = 0) -> list[Dealt]:
        """Return the cards that elements beside the stock get of ``cards`` cards.

        The stock has the last ones, the base is the first card, and the reserve has the next ones.
        """
        home = [] if based else self.dealt_home()
        apart = based + held
        cards -= apart + sum(len(line.stacks) for line in home)
        if based:
            home.append(Dealt("Foundation", ((StackEntry(1),),)))
        if held:
            home.append(Dealt("Reserve", ((StackEntry(1 + based, apart),),)))
        stock = self.value("stock", "size")
        if stock >= cards:
            self.fail("stock: size", f"{stock}, expected fewer than the {cards} cards")
        shown = self.choice("tableau piles", "face up cards", ("all", "top"))
        stacks = (
            tuple(
                StackEntry(apart + number, face_down=shown == "top" and number != pile[-1])
                for number in pile
            )
            for pile in self.dealt_to_piles(cards - stock)
        )
        return [Dealt("Tableau", tuple(stacks)), *home]

    def tableau(self) -> SetupLine:
        """Return the line of the Setup for the piles."""
        shown = self.choice("tableau piles", "face up cards", ("all", "top"))
        display = "DropStack" if shown == "all" else "MixDropStack"
        return SetupLine("Tableau", display, self.count("tableau piles", 1))

    def dealt_to_piles(self, cards: int) -> list[list[int]]:
        """Return the numbers of the cards that each pile gets of the first ``cards`` cards.

        Of a diagonal deal each row is a card shorter than the one before, and what is left after
        the last one is dealt in whole rows.
        """
        columns = self.count("tableau piles", 1)
        diagonal = self.value("tableau piles", "diagonal deal")
        rows = (range(row if diagonal and row < columns else 0, columns) for row in range(cards))
        piles: list[list[int]] = [[] for _ in range(columns)]
        order = (index for row in rows for index in row)
        for number, index in zip(range(cards), order, strict=False):
            piles[index].append(number + 1)
        return piles

    def dealt_home(self) -> list[Dealt]:
        """Return the aces, where they are home at the start."""
        initial = self.choice("foundations", "initial cards", ("none", "one", "all"))
        if initial == "one":
            self.fail("foundations: initial cards", '"one" is not played, expected "none" or "all"')
        aces = ("AH", "AS", "AD", "AC")
        stacks = tuple((StackEntry(name),) for name in aces for _ in range(self.decks()))
        return [Dealt("Foundation", stacks)] if initial == "all" else []
