"""Positions of the universal format's tree, every field checked."""

from __future__ import annotations

from typing import Any

from dbmsolver.errors import DbmError
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import SUIT_NAMES
from dbmsolver.game.layouts import Heights
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.positions import kind_of_position, make_position
from dbmsolver.game.rules import MAX_COLUMNS, MAX_RESERVE
from dbmsolver.notation.formats.universal_values import ValueReader
from dbmsolver.notation.solution import Path


class PositionReader(ValueReader):
    """A reader of the positions of one tree, by the rules that the header says."""

    def position(self, value: Any, path: Path) -> Position:
        """Return the position that an object of the tree holds; InvalidError if it is none."""
        self._check_places(value, path)
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
        base = self.base(value, path)
        pile, stock, waste, reserve, removed = (
            self.cards(value.get(name, []), (*path, name), hidden=name == "stock")
            for name in ("pile", "stock", "waste", "reserve", "removed")
        )
        turns = None
        if "turns" in value:
            turns = self.integer(value["turns"], (*path, "turns"), 0, self.rules.turns or 0)
        position = make_position(
            self.rules,
            columns,
            self._heights(ranks, base),
            freecells=cells,
            base=ACE if self.rules.features.has_whole_columns else base,
            pile=pile,
            stock=stock,
            waste=waste,
            hidden=self.hidden_in(value["columns"], path),
            turns=turns,
            reserve=reserve,
            removed=removed,
            home=tuple(tuple(sorted(tops, reverse=True)) for tops in ranks),
        )
        try:
            position.validate(self.rules)
        except DbmError as error:
            self.fail(path, error.message)
        return position

    def _check_places(self, value: Any, path: Path) -> None:
        """Check that a position has the fields that the game has, and no others."""
        rules, kind = self.rules, kind_of_position(self.rules)
        has = {
            "pile": rules.has_pile,
            "stock": kind is not Position,
            "waste": kind.has_waste and bool(rules.draw or not rules.features.has_whole_columns),
            "turns": rules.turns is not None,
            "reserve": kind is Patience,
            "removed": rules.has_pairs,
            "base": not rules.features.has_whole_columns and not rules.has_pairs,
            "lowest": not rules.has_pairs,
        }
        left_out = ("reserve", "base", "lowest")
        optional = [name for name in has if not has[name] or name in left_out]
        self.object(value, path, "position", optional)
        for name in has:
            if name in value and not has[name]:
                self.fail((*path, name), f"expected none in {rules.name}")

    def _heights(self, ranks: list[list[int]], base: Base) -> Heights:
        """Return the heights of the foundations, given the ranks on top of them.

        In wide games, return the ranks missing from the deck.
        """
        if self.rules.features.has_whole_columns:
            return (base.lowest - 1,) * 4
        heights = {index: tops[0] for index, tops in enumerate(ranks)}
        if self.rules.base != "ace":
            return self.counted(base, heights)
        hearts, spades, diamonds, clubs = (heights[index] for index in range(4))
        return hearts, spades, diamonds, clubs

    def foundations(self, value: Any, path: Path) -> list[list[int]]:
        """Return the ranks on top of each suit's foundations; every foundation has to be there."""
        packs = self.rules.suit_packs
        found: dict[tuple[int, int], int] = {}
        for index, item in enumerate(self.items(value, path, sum(packs))):
            self.object(item, (*path, index), "foundation")
            own = self.foundation(item["foundation"], (*path, index, "foundation"))
            key = own, item["foundation"]["deck"]
            if key in found:
                text = f"the foundation of {SUIT_NAMES[own]} a second time, expected it once"
                self.fail((*path, index), text)
            found[key] = self.integer(item["rank"], (*path, index, "rank"), 0, 13)
        if len(found) != sum(packs):
            self.fail(path, f"{len(found)} foundations, expected all {sum(packs)}")
        return [[top for (own, _), top in found.items() if own == index] for index in range(4)]

    def base(self, value: Any, path: Path) -> Base:
        """Return the rank with which foundations begin, and the lowest of the deck."""
        lowest = self.integer(value.get("lowest", 1), (*path, "lowest"), 1, 13)
        first = self.integer(value.get("base", lowest), (*path, "base"), lowest, 13)
        return Base(first, lowest)

    def counted(self, base: Base, tops: dict[int, int]) -> tuple[int, int, int, int]:
        """Return the heights of foundations with these ranks on top, 0 for none."""
        hearts, spades, diamonds, clubs = (base.height(index, tops[index]) for index in range(4))
        return hearts, spades, diamonds, clubs
