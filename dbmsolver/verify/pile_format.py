"""Keys of games of one pile, for authors of other readers, and their meaning.

**Public key**, a word: bits 0 to 5 are the card on top of the pile, 52 where it is empty. From bit
6 on stands how many cards the stock has left, in as many bits as the number in the deal needs (none
for 0), and above it the same for each column. Cards leave a column from the top, the stock in its
order. So the key says what lies where, but for the order of the pile below its top.

**First columns**: as few as leave a product of at most 131,072, of the cards of each other column
plus 1; without a stock, of at most 2,097,152. **Signature**: the fields of the stock and of the
first columns, from bit 0 on. **Local key**, one word: the card on top in bits 0 to 5, above it the
fields of the other columns.

**Stratum**: the cards that have left the stock and the first columns. **Layer**, of a search for a
shortest solution: the cards in the columns of the deal, plus those that the stock has lost. Won
states, which are never closed, have bit 63 in their signature, and come after all others.

**Parent-move code**: the card that was on top before the last move, 52 where the pile was empty; 53
for the deal itself. The card that moved is on top now.

**Digest**: as of other games, of public keys that have two words: the key, and 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.verify.kernels.leaving import unpack_keys
from dbmsolver.verify.leaving_format import Body, Flags, Ints, Moved, Words

EMPTY = 52
FIRST = 53
"""The code of the deal, which has no parent."""
_TOP = np.uint64(63)
_MOST_LENGTHS = {True: 1 << 17, False: 1 << 21}
"""With a stock, and without."""


class PileFields(NamedTuple):
    """Keys taken apart: the cards left in each column and, last, in the stock; and the top."""

    left: list[Ints]
    top: Ints


class PileFormat:
    """The keys of one deal, and the rules, read from the deal alone."""

    first_code = FIRST
    far = 1

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        position = deal.position
        self.deal = deal
        self.layered = layered
        self.ranks = 13 - position.foundations[0]
        self.wraps = deal.rules.pile == "wrap"
        self.piles = [list(column) for column in position.columns]
        self.piles.append(list(reversed(position.stock)))
        self.on_pile = list(position.pile or ())
        widths = [len(pile).bit_length() for pile in self.piles]
        below = 6 + widths[-1]
        self.shifts = [below + sum(widths[:number]) for number in range(len(widths) - 1)] + [6]
        self.masks = [(1 << width) - 1 for width in widths]
        rest = [prod(len(pile) + 1 for pile in self.piles[n:-1]) for n in range(len(self.piles))]
        most = _MOST_LENGTHS[bool(position.stock)]
        self.first = next(n for n, lengths in enumerate(rest) if lengths <= most)
        self.cut = below + sum(widths[: self.first])
        self.local_bits = 6 + below + sum(widths[:-1]) - self.cut
        self.used = 63
        for shift, mask in zip(self.shifts, self.masks, strict=True):
            self.used |= mask << shift
        # Where each card leaves from, and how many are left there then; -1: it does not move.
        self.source = np.full(CARDS + 2, -1, np.int64)
        self.depth = np.zeros(CARDS + 2, np.int64)
        for number, pile in enumerate(self.piles):
            for depth, card in enumerate(pile):
                self.source[card], self.depth[card] = number, depth

    @property
    def columns(self) -> int:
        """The number of columns."""
        return len(self.piles) - 1

    @property
    def least(self) -> int:
        """Cards in the columns of the deal: no solution has fewer moves."""
        return sum(map(len, self.piles[:-1]))

    @property
    def root_layer(self) -> int:
        """The layer of the deal; 0 in a proof."""
        return self.least if self.layered else 0

    def second_word(self, layer: int) -> int:
        """Return the second word of the public keys of a layer."""
        return 0

    def read(self, signatures: Words, counts: Ints, body: Body, layer: int) -> Words | None:
        """Return the public keys of a block; None if some have bits that no key has."""
        keys = np.empty(body.states, np.uint64)
        inside = 6, self.cut - 6  # a signature stands above the card on top
        good = unpack_keys(signatures, counts, body, *inside, self.local_bits, 0, keys)
        return keys if good else None

    @property
    def root(self) -> int:
        """The key of the deal."""
        key = self.on_pile[-1] if self.on_pile else EMPTY
        for shift, pile in zip(self.shifts, self.piles, strict=True):
            key |= len(pile) << shift
        return key

    def take_apart(self, keys: Words) -> PileFields:
        """Take keys apart, whether they can be keys or not."""
        left = [
            (keys >> np.uint64(shift)).astype(np.int64) & mask
            for shift, mask in zip(self.shifts, self.masks, strict=True)
        ]
        return PileFields(left, (keys & _TOP).astype(np.int64))

    def are_positions(self, keys: Words, fields: PileFields) -> Flags:
        """Return a flag for each key that is a position.

        It has nothing beyond the deal, and a top that was moved last.
        """
        good: Flags = keys & ~np.uint64(self.used) == 0
        whole = np.ones(keys.size, np.bool_)
        for left, pile in zip(fields.left, self.piles, strict=True):
            good &= left <= len(pile)
            whole &= left == len(pile)
        top = np.minimum(fields.top, EMPTY)
        last = np.zeros(keys.size, np.bool_)
        for number, left in enumerate(fields.left):
            last |= (self.source[top] == number) & (self.depth[top] == left)
        first = fields.top == (self.on_pile[-1] if self.on_pile else EMPTY)
        return good & np.where(whole, first, last)

    def strata(self, fields: PileFields) -> Ints:
        """Return how many cards have left the stock and the first columns, for each key."""
        total = np.zeros(fields.top.size, np.int64)
        for number, (left, pile) in enumerate(zip(fields.left, self.piles, strict=True)):
            if self.is_counted(number):
                total += len(pile) - left
        return total

    def is_counted(self, number: int) -> bool:
        """Return True if the cards that leave this column, or the stock, lead to higher strata."""
        return number < self.first or number == self.columns

    def are_of_layer(self, fields: PileFields, layer: int) -> Flags:
        """Return a flag for each state of a layer.

        That is the cards in the deal's columns, plus those turned from the stock.
        """
        good: Flags = self.least + len(self.piles[-1]) - fields.left[-1] == layer
        return good

    def are_won(self, fields: PileFields) -> Flags:
        """Return a flag for each state with empty columns."""
        won = np.ones(fields.top.size, np.bool_)
        for left in fields.left[:-1]:
            won &= left == 0
        return won

    def may_go_on(self, cards: Ints, tops: Ints) -> Flags:
        """Return a flag for each card that may be put on the card on top, as it leaves a column."""
        apart = np.abs(cards // 4 - tops // 4)
        good: Flags = apart == 1
        if self.wraps:
            good |= apart == self.ranks - 1
        good |= tops == EMPTY
        return good

    def without(self, keys: Words, number: int, cards: Ints) -> Words:
        """Return the keys after ``cards`` have gone to the pile from a column or the stock."""
        unit = np.uint64(1 << self.shifts[number])
        after: Words = ((keys - unit) & ~_TOP) | cards.astype(np.uint64)
        return after

    def before(self, keys: Words, tops: Ints, codes: Ints) -> Words:
        """Return the keys before the cards on top were put there, with ``codes`` on top."""
        unit = np.array([1 << shift for shift in self.shifts], np.uint64)[self.source[tops]]
        parents: Words = ((keys + unit) & ~_TOP) | codes.astype(np.uint64)
        return parents

    def successors(self, keys: Words, fields: PileFields, layer: int) -> Iterator[Moved]:
        """Yield, for each column and the stock, the states that lose its card and what follows."""
        for number, (left, pile) in enumerate(zip(fields.left, self.piles, strict=True)):
            cards = np.array([-8, *pile], np.int64)[left]
            moves = left > 0
            turned = number == self.columns
            if not turned:
                moves &= self.may_go_on(cards, fields.top)
            after = self.without(keys[moves], number, cards[moves])
            layers = np.full(after.size, layer + (turned and self.layered))
            yield Moved(keys[moves], after, layers, int(self.is_counted(number)))

    def parents(
        self, keys: Words, fields: PileFields, codes: Ints, layer: int
    ) -> tuple[Flags, Iterator[Moved]]:
        """Return a flag for each code that stands for no legal move, and the states before."""
        turned = self.source[fields.top] == self.columns
        wrong = (codes >= FIRST) | ~(turned | self.may_go_on(fields.top, codes))
        return wrong, self._parents(keys, fields, codes, layer)

    def _parents(self, keys: Words, fields: PileFields, codes: Ints, layer: int) -> Iterator[Moved]:
        """Yield the states whose last card came from other columns, from the first, from the stock.

        Each with those before it.
        """
        tops = fields.top
        source = self.source[tops]
        turned, first = source == self.columns, source < self.first
        parents = self.before(keys, tops, codes)
        kinds = (~turned & ~first, 0, 0), (first, 0, 1), (turned, int(self.layered), 1)
        for some, layers, strata in kinds:
            below = np.full(int(some.sum()), layer - layers)
            yield Moved(keys[some], parents[some], below, strata)

    def position(self, key: int) -> OnePile | None:
        """Return the position of a key; None if it is none.

        The lower cards of the pile are in their order.
        """
        keys = np.array([key], np.uint64)
        fields = self.take_apart(keys)
        if not self.are_positions(keys, fields)[0]:
            return None
        left = [int(numbers[0]) for numbers in fields.left]
        columns = [tuple(pile[:number]) for pile, number in zip(self.piles, left, strict=True)]
        gone = [card for pile, n in zip(self.piles, left, strict=True) for card in pile[n:]]
        top = int(fields.top[0])
        below = sorted({*self.on_pile, *gone} - {top})
        return OnePile(
            tuple(columns[:-1]),
            (),
            self.deal.position.foundations,
            pile=(*below, *([] if top == EMPTY else [top])),
            stock=columns[-1][::-1],
        )
