"""Keys of pairing games, for authors of other readers, and their meaning.

Cards of stock and waste are numbered as they came from the deal, from 1: the waste's first. *S* is
their number. Column *n* of the pyramid has the *n*-th card of each row, the highest row first.

**Local key**, one word: from bit 0 on the number of the waste's top card, 0 for none, in as many
bits as S needs; then how often the waste has been turned over, in as many bits as the number of
times needs that it may be; then S bits, for the cards that are left in stock and waste. **Public
key**, a word: the same, and above it how many cards each column has left, the first in the lowest
bits, each in as many bits as its number in the deal needs. **Signature**: the columns' bits, from
bit 0 on, and above them the layer, 0 in a proof.

**Stratum**: the cards that have left the pyramid. **Layer**, of a search for a shortest solution:
the moves made, of which turning the waste over is none, plus the fewest removals that take what has
to go. Where that is the pyramid, these are the kings in it, of ranks that make pairs with each
other the larger of their two numbers, and half of a rank that makes pairs with itself.

**Parent-move code**: below 192 the pair that was removed, above it a king. Half of the code is four
times the lower card, ranks counted from 0, plus the suit of the other card; or 96 plus the suit of
the king. Its last bit is 1 if a card was from the stock, and none from the waste. 200: a card was
turned. 201: the waste was turned over. 202: the deal itself.

**Digest**: as of other games, of public keys that have two words: the key, and the layer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.leaving import unpack_pairs
from dbmsolver.verify.leaving_format import Body, Flags, Ints, Moved, Words

TURNED, OVER, FIRST = 200, 201, 202
_KINGS = 96
_KING = 12
"""The rank of the king, from 0."""


class Taken:
    """Keys taken apart: cards left in columns, the waste's top, its turns, cards left in stock."""

    def __init__(self, form: PairFormat, keys: Words) -> None:
        self.left: list[Ints] = [
            (keys >> np.uint64(form.bits + shift)).astype(np.int64) & mask
            for shift, mask in zip(form.shifts, form.masks, strict=True)
        ]
        self.number: Ints = keys.astype(np.int64) & form.number_mask
        self.turns: Ints = (keys >> np.uint64(form.turns_shift)).astype(np.int64) & form.turns_mask
        held = (1 << form.size) - 1
        self.held: Ints = (keys >> np.uint64(form.held_shift)).astype(np.int64) & held


class PairFormat:
    """The keys of one deal, and the rules, read from the deal alone."""

    first_code = FIRST
    far = 2

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        position = deal.position
        assert isinstance(position, Pairing) and position.turns is not None
        self.deal = deal
        self.layered = layered
        self.lowest = min(position.foundations)  # from 0
        self.whole, self.free_stock = deal.rules.pairs == "all", deal.rules.free_stock
        self.columns = [list(column) for column in position.columns]
        self.held = [*position.waste, *position.stock]
        self.size = len(self.held)
        self.turns = position.turns
        self.turns_shift = self.size.bit_length()
        self.number_mask = (1 << self.turns_shift) - 1
        self.held_shift = self.turns_shift + self.turns.bit_length()
        self.turns_mask = (1 << self.turns.bit_length()) - 1
        self.bits = self.held_shift + self.size
        widths = [len(column).bit_length() for column in self.columns]
        self.shifts = [sum(widths[:n]) for n in range(len(widths))]
        self.masks = [(1 << width) - 1 for width in widths]
        self.width = sum(widths)
        # Where each card lies, a column or `stock`, and how deep; -1: nowhere.
        self.stock = len(self.columns)
        self.source, self.depth = np.full(64, -1, np.int64), np.zeros(64, np.int64)
        for number, cards in enumerate([*self.columns, self.held]):
            for depth, card in enumerate(cards):
                self.source[card], self.depth[card] = number, depth
        left = [np.array([len(column)]) for column in self.columns]
        self.root_layer = int(self._bound(left)[0]) if layered else 0
        if self.whole and layered:
            cards = [card // 4 for cards in (self.held, *self.columns) for card in cards]
            self.root_layer = (len(cards) + cards.count(_KING)) // 2

    @property
    def least(self) -> int:
        """A length that no solution falls short of."""
        return PairFormat(self.deal, layered=True).root_layer

    @property
    def root(self) -> int:
        """The key of the deal."""
        position = self.deal.position
        key = len(position.waste) | ((1 << self.size) - 1) << self.held_shift
        for shift, column in zip(self.shifts, self.columns, strict=True):
            key |= len(column) << self.bits + shift
        return key

    def second_word(self, layer: int) -> int:
        """Return the second word of the public keys of a layer."""
        return layer

    def read(self, signatures: Words, counts: Ints, body: Body, layer: int) -> Words | None:
        """Return the public keys of a block; None if some have bits that no key of a layer has."""
        keys = np.empty(body.states, np.uint64)
        good = unpack_pairs(signatures, counts, body, self.width, self.bits, layer, keys)
        return keys if good else None

    def take(self, keys: Words) -> Taken:
        """Take keys apart, whether they can be keys or not."""
        return Taken(self, keys)

    def are_positions(self, keys: Words, taken: Taken) -> Flags:
        """Return a flag for each key that is a position of a pyramid."""
        good: Flags = keys >> np.uint64(self.bits + self.width) == 0
        good &= (taken.turns <= self.turns) & (taken.number <= self.size)
        good &= (taken.number == 0) | ((taken.held << 1 >> taken.number) & 1 == 1)
        following = np.zeros(keys.size, np.int64)
        for left, column in zip(taken.left[::-1], self.columns[::-1], strict=True):
            good &= (left <= len(column)) & (left >= following)
            following = left
        return good

    def are_of_layer(self, taken: Taken, layer: int) -> Flags:
        """Return a flag for each state that can be of a layer: keys do not tell."""
        return np.ones(taken.number.size, np.bool_)

    def strata(self, taken: Taken) -> Ints:
        """Return how many cards have left the pyramid, for each key."""
        total: Ints = sum(map(len, self.columns)) - sum(taken.left, np.zeros_like(taken.number))
        return total

    def are_won(self, taken: Taken) -> Flags:
        """Return a flag for each state of which nothing has to go any more."""
        won: Flags = sum(taken.left, np.zeros_like(taken.number)) == 0
        return won & (taken.held == 0) if self.whole else won

    def _bound(self, left: list[Ints]) -> Ints:
        """Return the fewest removals that take what the columns have left."""
        counts = [np.zeros(left[0].size, np.int64) for _ in range(_KING + 1)]
        for column, lengths in zip(self.columns, left, strict=True):
            for depth, card in enumerate(column):
                counts[card // 4] += lengths > depth
        total = counts[_KING].copy()
        for one in range(self.lowest, _KING):
            other = 11 + self.lowest - one
            if one < other:
                total += np.maximum(counts[one], counts[other])
            elif one == other:
                total += (counts[one] + 1) // 2
        return total

    def _after(self, layer: int, before: list[Ints], after: list[Ints]) -> Ints:
        """Return the layers after a removal from a state of that layer."""
        layers = np.full(before[0].size, layer)
        if self.layered and not self.whole:
            layers += 1 + self._bound(after) - self._bound(before)
        return layers

    def _top(self, held: Ints, number: Ints) -> Ints:
        """Return the number of the last card left up to a number."""
        top = np.zeros_like(number)
        for one in range(1, self.size + 1):
            top = np.where((held >> one - 1 & 1 == 1) & (one <= number), one, top)
        return top

    def _next(self, taken: Taken) -> Ints:
        """Return the number of the card of the stock that is turned next, 0 for none."""
        found = np.zeros_like(taken.number)
        for one in range(self.size, 0, -1):
            found = np.where((taken.held >> one - 1 & 1 == 1) & (one > taken.number), one, found)
        return found

    def _key(self, left: list[Ints], number: Ints, turns: Ints, held: Ints) -> Words:
        """Return the public keys of states that are taken apart."""
        key = number | turns << self.turns_shift | held << self.held_shift
        words: Words = key.astype(np.uint64)
        for lengths, shift in zip(left, self.shifts, strict=True):
            words |= lengths.astype(np.uint64) << np.uint64(self.bits + shift)
        return words

    def _free(self, taken: Taken) -> list[Ints]:
        """Return the free card of each column, of the waste and of the stock; -1 for none."""
        free = []
        following = [*taken.left[1:], np.zeros_like(taken.number)]
        for column, left, other in zip(self.columns, taken.left, following, strict=True):
            free.append(np.where(left > other, np.array([-1, *column])[left], -1))
        numbered = np.array([-1, *self.held])
        free.append(numbered[taken.number])
        top = self._next(taken) if self.free_stock else np.zeros_like(taken.number)
        return [*free, numbered[top]]

    def successors(self, keys: Words, taken: Taken, layer: int) -> Iterator[Moved]:
        """Yield, for each kind of move, the states that it is legal in and where it leads."""
        free = self._free(taken)
        for slot in range(len(free)):
            yield self._removed(keys, taken, layer, free, (slot,), free[slot] // 4 == _KING)
        for one, other in combinations(range(len(free)), 2):
            both = (free[one] >= 0) & (free[other] >= 0)
            fits = both & (free[one] // 4 + free[other] // 4 == 11 + self.lowest)
            yield self._removed(keys, taken, layer, free, (one, other), fits)
        following = self._next(taken)
        turns = following > 0
        after = self._key(taken.left, following, taken.turns, taken.held)
        layers = np.full(keys.size, layer + self.layered)
        yield Moved(keys[turns], after[turns], layers[turns], 0)
        over = (following == 0) & (taken.number > 0) & (taken.turns < self.turns)
        after = self._key(taken.left, np.zeros_like(following), taken.turns + 1, taken.held)
        yield Moved(keys[over], after[over], np.full(int(over.sum()), layer), 0)

    def _removed(
        self,
        keys: Words,
        taken: Taken,
        layer: int,
        free: list[Ints],
        slots: tuple[int, ...],
        fits: Flags,
    ) -> Moved:
        """Return where the removal of the free cards of some slots leads."""
        before = [lengths[fits] for lengths in taken.left]
        left, held, number = list(before), taken.held[fits], taken.number[fits]
        gone = 0
        for slot in slots:
            if slot < self.stock:
                left[slot] = left[slot] - 1
                gone += 1
            else:
                held = held & ~(1 << self.depth[free[slot][fits]])
        if self.stock in slots:
            number = self._top(held, number)
        after = self._key(left, number, taken.turns[fits], held)
        return Moved(keys[fits], after, self._after(layer, before, left), gone)

    def parents(self, keys: Words, taken: Taken, codes: Ints, layer: int) -> Iterator[Moved | None]:
        """Yield, for each kind of move, the states it led to by their codes and those before it.

        None for codes that stand for no legal move.
        """
        turned, over = codes == TURNED, codes == OVER
        yield self._before_turn(keys, taken, turned, layer)
        yield self._before_over(keys, taken, over, layer)
        removed = ~(turned | over)
        if (codes[removed] >= 2 * (_KINGS + 4)).any():
            yield None
            return
        pairs = removed & (codes < 2 * _KINGS)
        yield from self._put_back(keys, taken, codes, layer, pairs)
        yield from self._put_back(keys, taken, codes, layer, removed & ~pairs)

    def _before_turn(self, keys: Words, taken: Taken, some: Flags, layer: int) -> Moved | None:
        number, held = taken.number[some], taken.held[some]
        if (number == 0).any():
            return None
        before = self._top(held, number - 1)
        left = [lengths[some] for lengths in taken.left]
        parents = self._key(left, before, taken.turns[some], held)
        return Moved(keys[some], parents, np.full(number.size, layer - self.layered), 0)

    def _before_over(self, keys: Words, taken: Taken, some: Flags, layer: int) -> Moved | None:
        turns, held = taken.turns[some], taken.held[some]
        if (turns == 0).any() or (taken.number[some] != 0).any() or (held == 0).any():
            return None
        before = self._top(held, np.full(turns.size, self.size))
        left = [lengths[some] for lengths in taken.left]
        parents = self._key(left, before, turns - 1, held)
        return Moved(keys[some], parents, np.full(turns.size, layer), 0)

    def _put_back(
        self, keys: Words, taken: Taken, codes: Ints, layer: int, some: Flags
    ) -> Iterator[Moved | None]:
        """Yield states of removals by their codes, all pairs or all kings, and their parents."""
        if not some.any():
            return
        half = codes[some] >> 1
        if half[0] >= _KINGS:
            cards = [4 * _KING + half - _KINGS]
        else:
            card = (half >> 2) + 4 * self.lowest
            cards = [card, 4 * (11 + self.lowest - card // 4) + (half & 3)]
            if ((cards[1] <= card) | (cards[1] >= 4 * _KING)).any():
                yield None
                return
        of_stock = [self.source[one] == self.stock for one in cards]
        both = of_stock[0] & of_stock[-1] & (len(cards) == 2)
        left = [lengths[some] for lengths in taken.left]
        held, number = taken.held[some], taken.number[some]
        gone = np.zeros(half.size, np.int64)
        good = np.ones(half.size, np.bool_)
        waste = np.zeros(half.size, np.int64)  # the numbers of cards that were on the waste, on the
        stock = np.zeros(half.size, np.int64)  # stock
        for one, of in zip(cards, of_stock, strict=True):
            good &= self.source[one] >= 0
            depth = self.depth[one]
            for column in range(self.stock):
                here = self.source[one] == column
                good &= ~here | (left[column] == depth)
                left[column] = left[column] + here
                gone += here
            good &= ~of | (held >> np.where(of, depth, 0) & 1 == 0)
            other = cards[-1] if one is cards[0] else cards[0]
            first = np.where(both, depth < self.depth[other], codes[some] & 1 == 0)
            waste = np.where(of & first, depth + 1, waste)
            stock = np.where(of & ~first, depth + 1, stock)
            held = np.where(of, held | np.left_shift(1, np.where(of, depth, 0)), held)
        good &= (waste == 0) | (self._top(held, waste - 1) == number)
        before = np.where(waste > 0, waste, number)
        parents = self._key(left, before, taken.turns[some], held)
        apart = Taken(self, parents)
        good &= (stock == 0) | (self.free_stock & (self._next(apart) == stock))
        good &= (stock > 0) | (both | (codes[some] & 1 == 0))
        following = [*left[1:], np.zeros_like(number)]
        for one in cards:
            for column in range(self.stock):
                free = left[column] > following[column]
                good &= (self.source[one] != column) | free
        if not good.all():
            yield None
            return
        layers = np.full(half.size, layer)
        if self.layered and not self.whole:
            mine = [lengths[some] for lengths in taken.left]
            layers -= 1 + self._bound(mine) - self._bound(left)
        for number_gone in range(3):
            now = gone == number_gone
            yield Moved(keys[some][now], parents[now], layers[now], number_gone)

    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""
        if key >> 64:
            return None
        keys = np.array([key], np.uint64)
        taken = self.take(keys)
        if not self.are_positions(keys, taken)[0]:
            return None
        dealt = self.deal.position
        assert isinstance(dealt, Pairing)
        number, held = int(taken.number[0]), int(taken.held[0])
        columns = tuple(
            tuple(column[: int(lengths[0])])
            for column, lengths in zip(self.columns, taken.left, strict=True)
        )
        numbered = [(n, card) for n, card in enumerate(self.held, 1) if held >> n - 1 & 1]
        waste = tuple(card for n, card in numbered if n <= number)
        stock = tuple(card for n, card in numbered if n > number)
        kept = {*waste, *stock}.union(*columns)
        gone = set(self.held).union(*self.columns) - kept
        position = replace(
            dealt,
            columns=columns,
            waste=waste,
            stock=stock,
            turns=self.turns - int(taken.turns[0]),
            removed=(*dealt.removed, *sorted(gone)),
        )
        try:
            position.validate(self.deal.rules)
        except InputError:
            return None
        return position
