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

from dataclasses import dataclass

from dbmsolver.verify.kernels.opening import DigitKeys, PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.refutation import State


@dataclass(frozen=True)
class Format:
    """Everything about the rules and the keys of one deal."""

    tables: Tables  # the rules and the deal, for kernels
    keys: PlaneKeys | DigitKeys  # the form of local keys and signatures
    root: State  # the deal's state
    stratum: int  # the stratum of the deal
    root_code: int  # the parent-move code of the deal, -1 if it has none of its own
    code_bytes: int  # the bytes of a parent-move code
