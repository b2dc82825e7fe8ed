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

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.leaving import LeavingKeys
from dbmsolver.verify.kernels.pairs import KING, Pairs, fewest_removals
from dbmsolver.verify.leaving_format import LeavingFormat, cards_of_piles


class PairFormat(LeavingFormat):
    """The form of the keys of one deal, and its moves, made from the deal and nothing else.

    States are those of :mod:`dbmsolver.verify.kernels.pairs`.
    """

    first_code = 202
    game: Pairs

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        super().__init__(deal)
        position = deal.position
        self.columns = [list(column) for column in position.columns]
        self.held = [*position.waste, *position.stock]
        size, turns = len(self.held), position.turns or 0
        # In a key the columns come last.
        widths = [size.bit_length(), turns.bit_length(), size]
        widths += [len(column).bit_length() for column in self.columns]
        shifts = [sum(widths[:field]) for field in range(len(widths))]
        masks = [(1 << width) - 1 for width in widths]
        self.keys = LeavingKeys(
            shifts=np.array([*shifts[3:], *shifts[:3]], np.int64),
            masks=np.array([*masks[3:], *masks[:3]], np.int64),
            first=np.array(
                [*map(len, self.columns), len(position.waste), 0, (1 << size) - 1], np.int64
            ),
            cut=sum(widths[:3]),
            signature_bits=sum(widths[3:]),
            local_bits=sum(widths[:3]),
            tells_layer=True,
        )
        cards, number = cards_of_piles([*self.columns, self.held]), np.zeros(CARDS, np.int64)
        number[self.held] = range(size)
        pyramid = deal.rules.pairs == "pyramid"
        self.game = Pairs(
            keys=self.keys,
            columns=len(self.columns),
            cards=cards,
            number=number,
            held=size,
            lowest=min(position.foundations),
            turns=turns,
            free_stock=deal.rules.free_stock,
            stock_goes=deal.rules.pairs == "all",
            turns_count=layered,
            removals_count=layered and pyramid,
        )
        self.least = (int((cards >= 0).sum()) + int((cards >> 2 == KING).sum())) // 2
        if pyramid:
            self.least = int(fewest_removals(self.game, self.first, np.empty(13, np.int64)))

    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""
        fields = self.fields(key)
        if fields is None:
            return None
        dealt = self.deal.position
        *left, number, turns, held = fields
        columns = tuple(
            tuple(column[:length]) for column, length in zip(self.columns, left, strict=True)
        )
        numbered = [(n, card) for n, card in enumerate(self.held, 1) if held >> n - 1 & 1]
        waste = tuple(card for n, card in numbered if n <= number)
        stock = tuple(card for n, card in numbered if n > number)
        kept = {*waste, *stock}.union(*columns)
        gone = set(self.held).union(*self.columns) - kept
        position = dealt.rearranged(
            columns=columns,
            waste=waste,
            stock=stock,
            turns=self.game.turns - turns,
            removed=(*dealt.removed, *sorted(gone)),
        )
        try:
            position.validate(self.deal.rules)
        except InputError:
            return None
        return position
