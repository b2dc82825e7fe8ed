"""Positions of the universal format's tree, every field checked."""

from __future__ import annotations

from typing import Any

from dbmsolver.errors import DbmError
from dbmsolver.game.bases import Base
from dbmsolver.game.cards import SUIT_NAMES
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import MAX_COLUMNS, MAX_RESERVE
from dbmsolver.game.wide import Wide
from dbmsolver.notation.formats.universal_values import ValueReader
from dbmsolver.notation.solution import Path


class PositionReader(ValueReader):
    """A reader of the positions of one tree, by the rules that the header says."""

    def position(self, value: Any, path: Path) -> Position:
        """Return the position that an object of the tree holds; InvalidError if it is none."""
        piled = ("pile", "stock")
        absent: tuple[str, ...] = () if self.rules.has_pile else piled
        if self.rules.has_pairs:
            absent = ("pile", "reserve")
        elif self.rules.is_wide:
            absent = ("pile", "turns", "reserve", *(() if self.rules.draw else ("waste",)))
        elif self.rules.is_patience:
            absent = ("pile", "reserve", *(() if self.rules.passes else ("turns",)))
        else:
            absent += ("waste", "turns", "reserve")
        absent += ("base", "lowest", *(() if self.rules.has_pairs else ("removed",)))
        self.object(value, path, "position", absent)
        ranks = self.foundations(value["foundations"], (*path, "foundations"))
        at = (*path, "freecells")
        cells = [
            self.card(item, (*at, index), empty=True)
            for index, item in enumerate(self.items(value["freecells"], at, MAX_RESERVE))
        ]
        columns = []
        at = (*path, "columns")
        for index, item in enumerate(self.items(value["columns"], at, MAX_COLUMNS)):
            self.object(item, (*at, index), "column")
            columns.append(self.cards(item["cards"], (*at, index, "cards"), hidden=True))
            if self.integer(item["len"], (*at, index, "len"), 0, 104) != len(columns[-1]):
                text = f"{item['len']}, there are {len(columns[-1])} cards"
                self.fail((*at, index, "len"), text)
        pile, stock, waste = (
            self.cards(value.get(name, []), (*path, name), hidden=name == "stock")
            for name in (*piled, "waste")
        )
        piles, base = tuple(columns), self.base(value, path)
        if self.rules.is_wide:
            return self.wide(value, path, piles, ranks)
        heights = {index: tops[0] for index, tops in enumerate(ranks)}
        hearts, spades, diamonds, clubs = (heights[index] for index in range(4))
        home = hearts, spades, diamonds, clubs
        if self.rules.base != "ace":
            home = self.counted(base, heights)
        position = Position(piles, tuple(cells), home, base)
        if self.rules.has_pile:
            position = OnePile(piles, tuple(cells), home, base, pile, stock)
        elif self.rules.has_pairs:
            often = max(0, self.rules.passes - 1)
            position = Pairing(
                piles,
                tuple(cells),
                home,
                stock=stock,
                waste=waste,
                hidden=(0,) * len(piles),
                turns=self.integer(value["turns"], (*path, "turns"), 0, often),
                removed=self.cards(value["removed"], (*path, "removed")),
                whole=self.rules.pairs == "all",
            )
        elif self.rules.is_patience:
            most = self.rules.passes - 1 if self.rules.passes else None
            turns = most
            if most is not None and "turns" in value:
                turns = self.integer(value["turns"], (*path, "turns"), 0, most)
            reserve = self.cards(value.get("reserve", []), (*path, "reserve"))
            hidden = self.hidden_in(value["columns"], path)
            position = Patience(
                piles,
                tuple(cells),
                home,
                stock=stock,
                waste=waste,
                hidden=hidden,
                turns=turns,
                base=base,
                reserve=reserve,
            )
        try:
            position.validate(self.rules)
        except DbmError as error:
            self.fail(path, error.message)
        return position

    def foundations(self, value: Any, path: Path) -> list[list[int]]:
        """Return the ranks on top of each suit's foundations; every foundation has to be there."""
        packs = self.rules.suit_packs
        found: dict[tuple[int, int], int] = {}
        for index, item in enumerate(self.items(value, path, sum(packs))):
            self.object(item, (*path, index), "foundation")
            own = self.foundation(item["foundation"], (*path, index, "foundation"))
            key = own, item["foundation"]["deck"]
            if key in found:
                self.fail((*path, index), f"the foundation of {SUIT_NAMES[own]} a second time")
            found[key] = self.integer(item["rank"], (*path, index, "rank"), 0, 13)
        if len(found) != sum(packs):
            self.fail(path, f"{len(found)} foundations, expected all {sum(packs)}")
        return [[top for (own, _), top in found.items() if own == index] for index in range(4)]

    def wide(
        self,
        value: Any,
        path: Path,
        piles: tuple[tuple[int, ...], ...],
        ranks: list[list[int]],
    ) -> Position:
        """Return the position of a wide game, all but piles and foundations still to be read."""
        if "base" in value:
            self.fail((*path, "base"), "expected none, as foundations begin with the lowest rank")
        below = self.integer(value.get("lowest", 1), (*path, "lowest"), 1, 13) - 1
        stock, waste = (
            self.cards(value.get(name, []), (*path, name), hidden=name == "stock")
            for name in ("stock", "waste")
        )
        hearts, spades, diamonds, clubs = (tuple(sorted(tops, reverse=True)) for tops in ranks)
        position = Wide(
            piles,
            (),
            (below, below, below, below),
            stock=stock,
            waste=waste,
            hidden=self.hidden_in(value["columns"], path),
            home=(hearts, spades, diamonds, clubs),
        )
        try:
            position.validate(self.rules)
        except DbmError as error:
            self.fail(path, error.message)
        return position

    def base(self, value: Any, path: Path) -> Base:
        """Return the rank with which foundations begin, and the lowest of the deck."""
        lowest = self.integer(value.get("lowest", 1), (*path, "lowest"), 1, 13)
        first = self.integer(value.get("base", lowest), (*path, "base"), lowest, 13)
        return Base(first, lowest)

    def counted(self, base: Base, tops: dict[int, int]) -> tuple[int, int, int, int]:
        """Return the heights of foundations with these ranks on top, 0 for none."""
        hearts, spades, diamonds, clubs = (base.height(index, tops[index]) for index in range(4))
        return hearts, spades, diamonds, clubs
