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

from math import prod

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.verify.kernels.leaving import LeavingKeys
from dbmsolver.verify.kernels.piles import EMPTY, Pile
from dbmsolver.verify.leaving_format import LeavingFormat, cards_of_piles

_MOST_LENGTHS = {True: 1 << 17, False: 1 << 21}
"""With a stock, and without."""
_TOP_BITS = 6


class PileFormat(LeavingFormat):
    """The form of the keys of one deal, and its moves, made from the deal and nothing else.

    States are those of :mod:`dbmsolver.verify.kernels.piles`.
    """

    first_code = 53
    game: Pile

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        super().__init__(deal)
        position = deal.position
        self.on_pile = list(position.pile or ())
        self.piles = [list(column) for column in position.columns]
        self.piles.append(list(reversed(position.stock)))
        lengths = [len(pile) for pile in self.piles]
        widths = [length.bit_length() for length in lengths]
        below = _TOP_BITS + widths[-1]
        shifts = [below + sum(widths[:number]) for number in range(len(widths) - 1)]
        rest = [prod(length + 1 for length in lengths[n:-1]) for n in range(len(lengths))]
        most = _MOST_LENGTHS[bool(position.stock)]
        first = next(n for n, product in enumerate(rest) if product <= most)
        self.keys = LeavingKeys(
            shifts=np.array([*shifts, _TOP_BITS, 0], np.int64),
            masks=np.array([(1 << width) - 1 for width in [*widths, _TOP_BITS]], np.int64),
            first=np.array([*lengths, self.on_pile[-1] if self.on_pile else EMPTY], np.int64),
            cut=_TOP_BITS,
            signature_bits=below + sum(widths[:first]) - _TOP_BITS,
            local_bits=_TOP_BITS + sum(widths[first:-1]),
            tells_layer=False,
        )
        source, depth = np.full(EMPTY + 1, -1, np.int64), np.zeros(EMPTY + 1, np.int64)
        for number, pile in enumerate(self.piles):
            source[pile], depth[pile] = number, range(len(pile))
        self.game = Pile(
            keys=self.keys,
            columns=len(position.columns),
            cards=cards_of_piles(self.piles),
            source=source,
            depth=depth,
            ranks=13 - position.foundations[0],
            wraps=deal.rules.pile == "wrap",
            turns_count=layered,
        )
        self.least = sum(lengths[:-1])

    def position(self, key: int) -> OnePile | None:
        """Return the position of a key; None if it is none.

        The lower cards of the pile are in their order.
        """
        fields = self.fields(key)
        if fields is None:
            return None
        *left, top = fields
        columns = [tuple(pile[:number]) for pile, number in zip(self.piles, left, strict=True)]
        gone = [card for pile, n in zip(self.piles, left, strict=True) for card in pile[n:]]
        below = sorted({*self.on_pile, *gone} - {top})
        return OnePile(
            tuple(columns[:-1]),
            (),
            self.deal.position.foundations,
            pile=(*below, *([] if top == EMPTY else [top])),
            stock=columns[-1][::-1],
        )
