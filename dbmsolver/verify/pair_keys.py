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

from dataclasses import replace

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.leaving import unpack_keys
from dbmsolver.verify.leaving_format import Body, Flags, Ints, Words

TURNED, OVER, FIRST = 200, 201, 202
KINGS = 96
"""The number from which on half of a code stands for a king."""
KING = 12
"""The rank of the king, from 0."""


class PairFields:
    """Keys taken apart: cards left in columns, the waste's top, its turns, cards left in stock."""

    def __init__(self, form: PairKeyFormat, keys: Words) -> None:
        self.left: list[Ints] = [
            (keys >> np.uint64(form.bits + shift)).astype(np.int64) & mask
            for shift, mask in zip(form.shifts, form.masks, strict=True)
        ]
        self.number: Ints = keys.astype(np.int64) & form.number_mask
        self.turns: Ints = (keys >> np.uint64(form.turns_shift)).astype(np.int64) & form.turns_mask
        held = (1 << form.size) - 1
        self.held: Ints = (keys >> np.uint64(form.held_shift)).astype(np.int64) & held


class PairKeyFormat:
    """The keys of one deal, read from the deal alone."""

    def __init__(self, deal: Deal) -> None:
        position = deal.position
        assert isinstance(position, Pairing) and position.turns is not None
        self.deal = deal
        self.lowest = min(position.foundations)  # from 0
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
        bits = self.bits  # a signature stands above the local key
        good = unpack_keys(signatures, counts, body, bits, self.width, bits, layer, keys)
        return keys if good else None

    def take_apart(self, keys: Words) -> PairFields:
        """Take keys apart, whether they can be keys or not."""
        return PairFields(self, keys)

    def are_positions(self, keys: Words, fields: PairFields) -> Flags:
        """Return a flag for each key that is a position of a pyramid."""
        good: Flags = keys >> np.uint64(self.bits + self.width) == 0
        good &= (fields.turns <= self.turns) & (fields.number <= self.size)
        good &= (fields.number == 0) | ((fields.held << 1 >> fields.number) & 1 == 1)
        following = np.zeros(keys.size, np.int64)
        for left, column in zip(fields.left[::-1], self.columns[::-1], strict=True):
            good &= (left <= len(column)) & (left >= following)
            following = left
        return good

    def strata(self, fields: PairFields) -> Ints:
        """Return how many cards have left the pyramid, for each key."""
        total: Ints = sum(map(len, self.columns)) - sum(fields.left, np.zeros_like(fields.number))
        return total

    def top(self, held: Ints, number: Ints) -> Ints:
        """Return the number of the last card left up to a number."""
        top = np.zeros_like(number)
        for card in range(1, self.size + 1):
            top = np.where((held >> card - 1 & 1 == 1) & (card <= number), card, top)
        return top

    def following(self, fields: PairFields) -> Ints:
        """Return the number of the card of the stock that is turned next, 0 for none."""
        following = np.zeros_like(fields.number)
        for card in range(self.size, 0, -1):
            is_later = (fields.held >> card - 1 & 1 == 1) & (card > fields.number)
            following = np.where(is_later, card, following)
        return following

    def key_of(self, left: list[Ints], number: Ints, turns: Ints, held: Ints) -> Words:
        """Return the public keys of states that are taken apart."""
        key = number | turns << self.turns_shift | held << self.held_shift
        words: Words = key.astype(np.uint64)
        for lengths, shift in zip(left, self.shifts, strict=True):
            words |= lengths.astype(np.uint64) << np.uint64(self.bits + shift)
        return words

    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""
        if key >> 64:
            return None
        keys = np.array([key], np.uint64)
        fields = self.take_apart(keys)
        if not self.are_positions(keys, fields)[0]:
            return None
        dealt = self.deal.position
        assert isinstance(dealt, Pairing)
        number, held = int(fields.number[0]), int(fields.held[0])
        columns = tuple(
            tuple(column[: int(lengths[0])])
            for column, lengths in zip(self.columns, fields.left, strict=True)
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
            turns=self.turns - int(fields.turns[0]),
            removed=(*dealt.removed, *sorted(gone)),
        )
        try:
            position.validate(self.deal.rules)
        except InputError:
            return None
        return position
