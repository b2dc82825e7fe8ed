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
times the lower card, ranks counted from the lowest of the deck, plus the suit of the other card; or
96 plus the suit of the king. Its last bit is 1 if a card was from the stock, and none from the
waste. 200: a card was turned. 201: the waste was turned over. 202: the deal itself.

**Digest**: as of other games, of public keys that have two words: the key, and the layer.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.leaving import unpack_keys
from dbmsolver.verify.kernels.pairs import KING, Pairs, fewest_removals, key_of
from dbmsolver.verify.leaving_format import Body, Flags, Ints, Words

FIRST = 202
"""The code of the deal, which has no parent."""


class PairKeyFormat:
    """The keys of one deal, read from the deal alone.

    Keys are taken apart to states of :mod:`dbmsolver.verify.kernels.pairs`, a row for each.
    """

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        position = deal.position
        assert isinstance(position, Pairing) and position.turns is not None
        self.deal = deal
        self.columns = [list(column) for column in position.columns]
        self.held = [*position.waste, *position.stock]
        size, turns = len(self.held), position.turns
        self.bits = size.bit_length() + turns.bit_length() + size
        lengths = [len(column) for column in self.columns]
        self.width = sum(length.bit_length() for length in lengths)
        # In a key the columns come last.
        most = [size, turns, (1 << size) - 1, *lengths]
        widths = [largest.bit_length() for largest in most]
        shifts = [sum(widths[:field]) for field in range(len(widths))]
        cards = np.full((len(self.columns) + 1, max(size, *lengths, 1)), -1, np.int64)
        source, depth = np.full(128, -1, np.int64), np.zeros(128, np.int64)
        for place, lying in enumerate([*self.columns, self.held]):
            cards[place, : len(lying)] = lying
            source[lying], depth[lying] = place, range(len(lying))
        self.first = np.array([*lengths, len(position.waste), 0, (1 << size) - 1], np.int64)
        """The deal's state."""
        pyramid = deal.rules.pairs == "pyramid"
        self.pairs = Pairs(
            columns=len(self.columns),
            cards=cards,
            source=source,
            depth=depth,
            held=size,
            shifts=np.array([*shifts[3:], *shifts[:3]], np.int64),
            masks=np.array([(1 << width) - 1 for width in [*widths[3:], *widths[:3]]], np.int64),
            lowest=min(position.foundations),
            turns=turns,
            free_stock=deal.rules.free_stock,
            turns_count=layered,
            removals_count=layered and pyramid,
        )
        self.layered = layered
        kings = int((cards >> 2 == KING).sum())
        self.least = (size + sum(lengths) + kings) // 2
        """A length that no solution falls short of."""
        if pyramid:
            self.least = int(fewest_removals(self.pairs, self.first, np.empty(13, np.int64)))

    @property
    def root(self) -> int:
        """The key of the deal."""
        return int(key_of(self.pairs, self.first))

    @property
    def root_layer(self) -> int:
        """The layer of the deal; 0 in a proof."""
        return self.least if self.layered else 0

    def second_word(self, layer: int) -> int:
        """Return the second word of the public keys of a layer."""
        return layer

    def read(self, signatures: Words, counts: Ints, body: Body, layer: int) -> Words | None:
        """Return the public keys of a block; None if some have bits that no key of a layer has."""
        keys = np.empty(body.states, np.uint64)
        bits = self.bits  # a signature stands above the local key
        good = unpack_keys(signatures, counts, body, bits, self.width, bits, layer, keys)
        return keys if good else None

    def take_apart(self, keys: Words) -> Ints:
        """Take keys apart, whether they can be keys or not: a state for each."""
        fields = (keys[:, None] >> self.pairs.shifts.astype(np.uint64)).astype(np.int64)
        states: Ints = fields & self.pairs.masks
        return states

    def are_positions(self, keys: Words, states: Ints) -> Flags:
        """Return a flag for each key that is a position of a pyramid."""
        left, (number, turns, held) = states[:, :-3], states[:, -3:].T
        good: Flags = keys >> np.uint64(self.bits + self.width) == 0
        good &= (turns <= self.pairs.turns) & (number <= self.pairs.held)
        good &= (number == 0) | ((held << 1 >> number) & 1 == 1)
        good &= (left <= self.first[:-3]).all(1) & (left[:, 1:] <= left[:, :-1]).all(1)
        return good

    def strata(self, states: Ints) -> Ints:
        """Return how many cards have left the pyramid, for each state."""
        total: Ints = (self.first - states)[:, :-3].sum(1)
        return total

    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""
        if key >> 64:
            return None
        keys = np.array([key], np.uint64)
        states = self.take_apart(keys)
        if not self.are_positions(keys, states)[0]:
            return None
        dealt = self.deal.position
        assert isinstance(dealt, Pairing)
        *left, number, turns, held = states[0].tolist()
        columns = tuple(
            tuple(column[:length]) for column, length in zip(self.columns, left, strict=True)
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
            turns=self.pairs.turns - turns,
            removed=(*dealt.removed, *sorted(gone)),
        )
        try:
            position.validate(self.deal.rules)
        except InputError:
            return None
        return position
