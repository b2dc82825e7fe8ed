"""The keys in a store, for authors of other readers; their tables.

**Cards** are ``4 * rank + suit``, ranks from 0 (ace), suits H S D C = 0 1 2 3.  **Place values**
say where a card lies: 0 to 3 on its first to fourth legal parent, 4 in a freecell, 5 at the bottom
of a column, 6 locked, 7 home.  The legal parents have one rank more; their suits are the card's
suit XOR 1 and XOR 3 (alternate colour), XOR 0 (by suit), XOR 0, 1, 2 and 3 (any suit).

**Values of a card.**  An ace has none unless the policy is ``none``: it goes home the moment it is
free.  Any other card has those of its legal parents (kings: none), 4 if there are freecells that it
may be put into, 5 if the rules let it into empty columns.  Where only whole suits go home, all is
as under the policy ``none``.

**Dealt place** of a card: home if it is home in the deal; 4 if it is in a freecell; in a column, on
a card that is its legal parent, the value of that parent, and at the bottom, 5 if it may go to
empty columns; otherwise, and for every ace in a column under a policy other than ``none``, it is
*locked*.

**Signature**, a word: bits 0 to 15 are four foundation heights of four bits, suits in the order H S
D C; from bit 16 upwards, column after column, the number of its locked cards that have not been
moved, in as many bits as the number in the deal needs (0 bits for 0).  Locked cards leave a column
from the top.  Cards that are neither home nor locked are *loose*. Progress is the cards home plus
the locked cards of the deal, minus those still locked.

**Local key**, one word or three: each loose card has a bit in the planes ``off``, ``low`` and
``high`` (the latter only when any suit may be built).  On parent number k: off 0, low = k & 1, high
= k >> 1.  In a freecell: 1, 0, 0.  At the bottom of a column: 1, 1, 0.  A bit is *varying* for a
card if both 0 and 1 occur among its values and its dealt place, unless that is locked or home.  The
varying bits of ``off`` in ascending order of cards, above them those of ``low``, above them those
of ``high`` are the key, if they are at most 64.  Otherwise the key is *wide*: three words, one for
each plane, bit number = card.

**Cards that come back from the foundations** (where columns are built by alternate colour or by any
suit): all is as under the policy ``none``. The heights of a signature are those of the cards that
never come back: those of the ranks that the deal puts home in all suits. All other cards are loose
when they are home, with the bits 1, 0, 1, and there are three planes. Their place 7 is not among
the values of the public key, whose first four digits are all cards home, and the last one in the
list of parent-move codes of each of them. A bit of ``high`` that is always 1 counts as varying. The
state with all cards home has the heights 13, and nothing is loose.

**A base that the deal gives**: all cards are written as they count from it, the base as the lowest
rank of the deck, the rank before it as the king.  Where columns go round, kings have parents, too:
the cards that count as the lowest rank, of the same suits as for any other card; and an ace has
values under every policy.

**Columns built up or down by suit**: the first parent has one rank more, the second one less.

**Records** of dominating positions (docs/dominance.md) are written in the same way, with place
values of their own for loose cards that lie on no parent. If empty columns take any card, the
bottom card of a stuck column and a slot card have the value 4, and a slot card of ``fix`` has 5;
without freecells all of these have 5. If they take kings only or nothing, a record is written as
the one position that it stands for. What is stored with a record instead of a parent-move code is
one byte, eight bits of a hash of the record that it was found from.

**Parent-move code**: the number of the pair (card moved, place value before) in the list that has,
for each card in ascending order, its dealt place and then its values in ascending order; a pair
listed twice has the lower number.  Codes are one byte wide if there are at most 256 pairs, else
two.  Where a run is one move, by the rules or as the metric counts, the card is the deepest
of it, and the list has one more pair at its end, which stands for no card: the code of the deal,
which has no parent.

**Public key**: digits, first the four foundation heights (radix 14), then for each card that has
values a digit that says where in the list of its dealt place and its values its place stands (first
occurrence; 0 if the card is home).  Its radix is the length of the list.  Digits are packed into
64-bit words, the first digit with the least weight; a digit that no longer fits begins a new word;
at least two words.  The digest of a set of states is the sum modulo 2**64 of XXH3-64 over the words
of their public keys, little-endian.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.verify.kernels.rules import Rules
from dbmsolver.verify.places import HOME, NO_CARD

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


class Format(NamedTuple):
    """Everything about the rules and the keys of one deal that the kernels need."""

    rules: Rules
    planes: int  # 2 or 3
    holds: np.uint64  # cards that can be in a freecell
    has_values: np.uint64  # cards with place values
    dealt_place: Ints  # [52]
    dealt_under: Ints  # [52]: the card beneath in the deal, -1 at a bottom, -2 in no column
    dealt_column: Ints  # [52]: -1 in no column
    column_shift: Ints  # [columns]: the count's place in the signature
    column_mask: Ints  # [columns]
    locked: Ints  # [columns, most]: locked cards of a column from the bottom up, -1 beyond
    varying: Words  # [3]
    fixed: Words  # [3]: bits that are 1 whatever the card's place
    off: Words  # [8]: bit of each place value in the planes
    low: Words
    high: Words
    code_card: Ints
    code_place: Ints
    code_of: Ints  # [52, 8]: the parent-move code of a card that was in a place, -1 for none
    digits: Words  # [8 * 52, 3]: what (card, place) adds to the words of the public key
    heights: Words  # [4, 14, 3]
    words: int  # of the public key
    locked_total: int

    @property
    def comes_back(self) -> bool:
        """True if cards come back from the foundations."""
        return self.rules.kept < 13

    @property
    def root_code(self) -> int:
        """The code of the deal: the one that stands for no card, -1 where there is none."""
        return self.code_card.size - 1 if self.code_card[-1] == NO_CARD else -1

    @property
    def code_bytes(self) -> int:
        """The bytes of a parent-move code."""
        return 1 if self.code_card.size <= 256 else 2

    def progress(self, signatures: Words) -> Ints:
        """Return the progress of each signature: cards home by it, and locked cards released."""
        words = signatures.astype(np.int64)
        total = np.full(words.size, self.locked_total, np.int64)
        for suit in range(4):
            total += (words >> (4 * suit)) & 15
        for shift, mask in zip(self.column_shift, self.column_mask, strict=True):
            total -= (words >> shift) & mask
        return total


class RecordFormat(NamedTuple):
    """The same for keys of records of dominating positions."""

    cards: Format


def root_words(form: Format, deal: Deal) -> tuple[int, int, int, int]:
    """Return the deal's own state: its signature and planes."""
    heights: Sequence[int] = deal.position.foundations
    kept = range(CARDS)
    if form.comes_back and min(heights) < 13:
        heights = [deal.rules.kept_rank] * 4
        kept = range(4 * deal.rules.kept_rank)
    signature = sum(height << (4 * suit) for suit, height in enumerate(heights))
    for column in range(form.rules.columns):
        count = int((form.locked[column] >= 0).sum())
        signature |= count << int(form.column_shift[column])
    planes = [0, 0, 0]
    for card, place in enumerate(form.dealt_place.tolist()):
        if place == HOME and card in kept:
            continue
        for index, bits in enumerate((form.off, form.low, form.high)):
            planes[index] |= int(bits[place]) << card
    return signature, planes[0], planes[1], planes[2]
