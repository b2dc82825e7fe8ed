"""Keys of games of one pile: from positions to the words that the kernels count with, and back.

What a key holds is said in :mod:`dbmsolver.core.pile`. It is relative to a deal: the pile of a
position that a key stands for holds what the columns and the stock have lost since.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.pile import NO_PARENT, NOTHING, TOP, key_of, make_tables, take_key
from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.results import Method

Words = NDArray[np.uint64]


class PileKeys:
    """The keys of one deal of a game of one pile.

    ``root`` is the deal's own key; ``tables`` is what kernels use.
    """

    method: Method = Method.EVERY_POSITION

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = Measure(deal.rules, "none", "cards")
        position = deal.position
        assert position.pile is not None
        self._pile = position.pile
        lowest = 1 + min(position.foundations)
        follows = [
            sum(1 << card for card in range(CARDS) if self.rules.follows(card, top, lowest))
            for top in range(CARDS)
        ]
        everything = (1 << CARDS) - 1
        self.tables = make_tables(position.columns, position.stock, [*follows, everything])
        self.dealt = len(position.pile)
        """Cards on the pile of the deal: the stratum of its state."""
        self.in_columns = sum(map(len, position.columns))
        self.root = self.encode(position)

    @property
    def last_stratum(self) -> int:
        """The stratum in which every card lies on the pile."""
        return self.dealt + self.in_columns + len(self.deal.position.stock)

    def encode(self, position: Position) -> int:
        """Return the key of a position; InputError if no game from this deal can reach it."""
        dealt = self.deal.position
        if position.pile is None or position.foundations != dealt.foundations:
            raise InputError("the position is not of this deal's deck")
        # Columns may stand in another order: those that have cards are known by these.
        ours = {column[0]: index for index, column in enumerate(dealt.columns) if column}
        lengths = [0] * len(dealt.columns)
        for number, column in enumerate(position.columns, start=1):
            if not column:
                continue
            index = ours.get(column[0], -1)
            if index < 0 or dealt.columns[index][: len(column)] != column:
                raise InputError(f"column {number}: its cards lie otherwise than they were dealt")
            lengths[index] = len(column)
        left = len(position.stock)
        if dealt.stock[len(dealt.stock) - left :] != position.stock:
            raise InputError("the stock lies otherwise than it was dealt")
        top = position.pile[-1] if position.pile else NOTHING
        if not self._may_be_on_top(lengths, left, top):
            raise InputError(f"no game from the deal comes to {card_name(top)} on top of the pile")
        return key_of(self.tables, lengths, left, top)

    def decode(self, key: int) -> Position:
        """Return a position of a key; InputError if it is not the key of one.

        Under the card on top, the pile's cards lie in the order of the deck.
        """
        lengths, left, top = take_key(self.tables, key) if key < 1 << 64 else ([], 0, 0)
        if key >= 1 << 64 or key_of(self.tables, lengths, left, top) != key:
            raise InputError(f"key {key} is not the key of a position")
        dealt = self.deal.position
        fits = left <= len(dealt.stock) and all(
            length <= len(column) for length, column in zip(lengths, dealt.columns, strict=True)
        )
        if not fits or not self._may_be_on_top(lengths, left, top):
            raise InputError(f"key {key} is not the key of a position")
        below = sorted(set(self._piled(lengths, left)) - {top})
        return Position(
            tuple(column[:length] for column, length in zip(dealt.columns, lengths, strict=True)),
            (),
            dealt.foundations,
            (*below, *([] if top == NOTHING else [top])),
            dealt.stock[len(dealt.stock) - left :],
        )

    def _piled(self, lengths: list[int], left: int) -> list[int]:
        """Return the cards on the pile."""
        dealt = self.deal.position
        cards = [*self._pile, *dealt.stock[: len(dealt.stock) - left]]
        for column, length in zip(dealt.columns, lengths, strict=True):
            cards += column[length:]
        return cards

    def _may_be_on_top(self, lengths: list[int], left: int, top: int) -> bool:
        """Return True if the card can be the last one that went to the pile.

        It is the last card of the deal's pile before the first move, and later one that a column or
        the stock has lost last.
        """
        dealt = self.deal.position
        turned = len(dealt.stock) - left
        last = [dealt.stock[turned - 1]] if turned else []
        for column, length in zip(dealt.columns, lengths, strict=True):
            last += column[length : length + 1]
        return top in (last or [self._pile[-1] if self._pile else NOTHING])

    # Many keys at once.

    def strata(self, keys: Words) -> NDArray[np.int64]:
        """Return the number of cards on the pile, for each key."""
        return self.last_stratum - self._left(keys, len(self.tables.shifts))

    def layers(self, keys: Words) -> NDArray[np.int64]:
        """Return the layer of each key: moves made plus cards in columns, each a move to come."""
        turned = len(self.deal.position.stock) - self._left_in(keys, self.tables.columns)
        return self.in_columns + turned

    def _left(self, keys: Words, places: int) -> NDArray[np.int64]:
        total = np.zeros(keys.size, np.int64)
        for place in range(places):
            total += self._left_in(keys, place)
        return total

    def _left_in(self, keys: Words, place: int) -> NDArray[np.int64]:
        shift, mask = self.tables.shifts[place], self.tables.masks[place]
        found: NDArray[np.int64] = ((keys >> shift) & mask).astype(np.int64)
        return found

    def problem(self, keys: Words, codes: NDArray[np.uint8]) -> str | None:
        """Return why these cannot be states with their parent-move codes; None if they can be.

        Only the numbers that kernels index by are looked at.
        """
        dealt = self.deal.position
        used = np.uint64(TOP)
        for shift, mask in zip(self.tables.shifts, self.tables.masks, strict=True):
            used |= mask << shift
        if (keys & ~used).any():
            return "keys that cannot be"
        lengths = [*map(len, dealt.columns), len(dealt.stock)]
        if any((self._left_in(keys, place) > most).any() for place, most in enumerate(lengths)):
            return "keys that cannot be"
        if ((keys & np.uint64(TOP)) > NOTHING).any():
            return "keys that cannot be"
        if codes.dtype != np.uint8 or (codes > NO_PARENT).any():
            return "parent-move codes that cannot be"
        return None

    def parent(self, key: int, code: int) -> int:
        """Return the key of a state's parent, by the parent-move code; the deal has none."""
        return (key & ~TOP) + int(self.tables.release[key & TOP]) + code
