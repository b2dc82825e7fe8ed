"""The moves of pairing games between public keys, and the layers of a shortest solution.

:mod:`dbmsolver.verify.pair_keys` says what the keys and codes mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.verify.leaving_format import Flags, Ints, Moved, Words
from dbmsolver.verify.pair_keys import FIRST, KING, KINGS, OVER, TURNED, PairFields, PairKeyFormat


class PairFormat(PairKeyFormat):
    """The keys of one deal, and the rules, read from the deal alone."""

    first_code = FIRST
    far = 2

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        super().__init__(deal)
        self.layered = layered
        self.whole, self.free_stock = deal.rules.pairs == "all", deal.rules.free_stock
        left = [np.array([len(column)]) for column in self.columns]
        self.root_layer = int(self._bound(left)[0]) if layered else 0
        if self.whole and layered:
            cards = [card // 4 for cards in (self.held, *self.columns) for card in cards]
            self.root_layer = (len(cards) + cards.count(KING)) // 2

    @property
    def least(self) -> int:
        """A length that no solution falls short of."""
        return PairFormat(self.deal, layered=True).root_layer

    def are_of_layer(self, fields: PairFields, layer: int) -> Flags:
        """Return a flag for each state that can be of a layer: keys do not tell."""
        return np.ones(fields.number.size, np.bool_)

    def are_won(self, fields: PairFields) -> Flags:
        """Return a flag for each state of which nothing has to go any more."""
        won: Flags = sum(fields.left, np.zeros_like(fields.number)) == 0
        return won & (fields.held == 0) if self.whole else won

    def _bound(self, left: list[Ints]) -> Ints:
        """Return the fewest removals that take what the columns have left."""
        counts = [np.zeros(left[0].size, np.int64) for _ in range(KING + 1)]
        for column, lengths in zip(self.columns, left, strict=True):
            for depth, card in enumerate(column):
                counts[card // 4] += lengths > depth
        total = counts[KING].copy()
        for rank in range(self.lowest, KING):
            other = 11 + self.lowest - rank
            if rank < other:
                total += np.maximum(counts[rank], counts[other])
            elif rank == other:
                total += (counts[rank] + 1) // 2
        return total

    def _after(self, layer: int, before: list[Ints], after: list[Ints]) -> Ints:
        """Return the layers after a removal from a state of that layer."""
        layers = np.full(before[0].size, layer)
        if self.layered and not self.whole:
            layers += 1 + self._bound(after) - self._bound(before)
        return layers

    def _free(self, fields: PairFields) -> list[Ints]:
        """Return the free card of each column, of the waste and of the stock; -1 for none."""
        free = []
        following = [*fields.left[1:], np.zeros_like(fields.number)]
        for column, left, other in zip(self.columns, fields.left, following, strict=True):
            free.append(np.where(left > other, np.array([-1, *column])[left], -1))
        numbered = np.array([-1, *self.held])
        free.append(numbered[fields.number])
        top = self.following(fields) if self.free_stock else np.zeros_like(fields.number)
        return [*free, numbered[top]]

    def successors(self, keys: Words, fields: PairFields, layer: int) -> Iterator[Moved]:
        """Yield, for each kind of move, the states that it is legal in and where it leads."""
        free = self._free(fields)
        for slot in range(len(free)):
            yield self._removed(keys, fields, layer, free, (slot,), free[slot] // 4 == KING)
        for first, second in combinations(range(len(free)), 2):
            both = (free[first] >= 0) & (free[second] >= 0)
            fits = both & (free[first] // 4 + free[second] // 4 == 11 + self.lowest)
            yield self._removed(keys, fields, layer, free, (first, second), fits)
        following = self.following(fields)
        turns = following > 0
        after = self.key_of(fields.left, following, fields.turns, fields.held)
        layers = np.full(keys.size, layer + self.layered)
        yield Moved(keys[turns], after[turns], layers[turns], 0)
        over = (following == 0) & (fields.number > 0) & (fields.turns < self.turns)
        after = self.key_of(fields.left, np.zeros_like(following), fields.turns + 1, fields.held)
        yield Moved(keys[over], after[over], np.full(int(over.sum()), layer), 0)

    def _removed(
        self,
        keys: Words,
        fields: PairFields,
        layer: int,
        free: list[Ints],
        slots: tuple[int, ...],
        fits: Flags,
    ) -> Moved:
        """Return where the removal of the free cards of some slots leads."""
        before = [lengths[fits] for lengths in fields.left]
        left, held, number = list(before), fields.held[fits], fields.number[fits]
        gone = 0
        for slot in slots:
            if slot < self.stock:
                left[slot] = left[slot] - 1
                gone += 1
            else:
                held = held & ~(1 << self.depth[free[slot][fits]])
        if self.stock in slots:
            number = self.top(held, number)
        after = self.key_of(left, number, fields.turns[fits], held)
        return Moved(keys[fits], after, self._after(layer, before, left), gone)

    def parents(
        self, keys: Words, fields: PairFields, codes: Ints, layer: int
    ) -> Iterator[Moved | None]:
        """Yield, for each kind of move, the states it led to by their codes and those before it.

        None for codes that stand for no legal move.
        """
        turned, over = codes == TURNED, codes == OVER
        yield self._before_turn(keys, fields, turned, layer)
        yield self._before_over(keys, fields, over, layer)
        removed = ~(turned | over)
        if (codes[removed] >= 2 * (KINGS + 4)).any():
            yield None
            return
        pairs = removed & (codes < 2 * KINGS)
        yield from self._put_back(keys, fields, codes, layer, pairs)
        yield from self._put_back(keys, fields, codes, layer, removed & ~pairs)

    def _before_turn(
        self, keys: Words, fields: PairFields, some: Flags, layer: int
    ) -> Moved | None:
        number, held = fields.number[some], fields.held[some]
        if (number == 0).any():
            return None
        before = self.top(held, number - 1)
        left = [lengths[some] for lengths in fields.left]
        parents = self.key_of(left, before, fields.turns[some], held)
        return Moved(keys[some], parents, np.full(number.size, layer - self.layered), 0)

    def _before_over(
        self, keys: Words, fields: PairFields, some: Flags, layer: int
    ) -> Moved | None:
        turns, held = fields.turns[some], fields.held[some]
        if (turns == 0).any() or (fields.number[some] != 0).any() or (held == 0).any():
            return None
        before = self.top(held, np.full(turns.size, self.size))
        left = [lengths[some] for lengths in fields.left]
        parents = self.key_of(left, before, turns - 1, held)
        return Moved(keys[some], parents, np.full(turns.size, layer), 0)

    def _put_back(
        self, keys: Words, fields: PairFields, codes: Ints, layer: int, some: Flags
    ) -> Iterator[Moved | None]:
        """Yield states of removals by their codes, all pairs or all kings, and their parents."""
        if not some.any():
            return
        half = codes[some] >> 1
        if half[0] >= KINGS:
            cards = [4 * KING + half - KINGS]
        else:
            card = (half >> 2) + 4 * self.lowest
            cards = [card, 4 * (11 + self.lowest - card // 4) + (half & 3)]
            if (cards[1] <= card).any():
                yield None
                return
        of_stock = [self.source[card] == self.stock for card in cards]
        both = of_stock[0] & of_stock[-1] & (len(cards) == 2)
        left = [lengths[some] for lengths in fields.left]
        held, number = fields.held[some], fields.number[some]
        gone = np.zeros(half.size, np.int64)
        good = np.ones(half.size, np.bool_)
        waste = np.zeros(half.size, np.int64)  # the numbers of cards that were on the waste, on the
        stock = np.zeros(half.size, np.int64)  # stock
        for card, of in zip(cards, of_stock, strict=True):
            good &= self.source[card] >= 0
            depth = self.depth[card]
            for column in range(self.stock):
                here = self.source[card] == column
                good &= ~here | (left[column] == depth)
                left[column] = left[column] + here
                gone += here
            good &= ~of | (held >> np.where(of, depth, 0) & 1 == 0)
            other = cards[-1] if card is cards[0] else cards[0]
            first = np.where(both, depth < self.depth[other], codes[some] & 1 == 0)
            waste = np.where(of & first, depth + 1, waste)
            stock = np.where(of & ~first, depth + 1, stock)
            held = np.where(of, held | np.left_shift(1, np.where(of, depth, 0)), held)
        good &= (waste == 0) | (self.top(held, waste - 1) == number)
        before = np.where(waste > 0, waste, number)
        parents = self.key_of(left, before, fields.turns[some], held)
        apart = PairFields(self, parents)
        good &= (stock == 0) | (self.free_stock & (self.following(apart) == stock))
        good &= (codes[some] & 1 == 0) | ((stock > 0) & ~both)
        following = [*left[1:], np.zeros_like(number)]
        for card in cards:
            for column in range(self.stock):
                free = left[column] > following[column]
                good &= (self.source[card] != column) | free
        if not good.all():
            yield None
            return
        layers = np.full(half.size, layer)
        if self.layered and not self.whole:
            mine = [lengths[some] for lengths in fields.left]
            layers -= 1 + self._bound(mine) - self._bound(left)
        for number_gone in range(3):
            now = gone == number_gone
            yield Moved(keys[some][now], parents[now], layers[now], number_gone)
