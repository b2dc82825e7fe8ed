"""The tables that turn a game and a deal into constants for the kernels.

**Place values.** Where a card lies is one of eight values (``PLACE_*``): on its first, second,
third or fourth legal parent (0 to 3), in a freecell (4), at the bottom of a column (5), locked
where it was dealt (6), home (7). A *loose* card, neither locked nor home, has a value of 0 to 5,
written into two or three *planes*: words with a bit for each card.

====== ======================== ======================= =======================
plane  on a parent              freecell                bottom
====== ======================== ======================= =======================
off    0                        1                       1
low    low bit of the kind      0                       1
high   high bit of the kind     0                       0
====== ======================== ======================= =======================

(``high`` only where cards are built by any suit; there are at most two parents otherwise.) The set
of cards that lie on their first parent is ``loose & ~off & ~low``, and the set of those parents is
the same word with bits exchanged within each rank and shifted by four. A whole position is taken
apart in some twenty instructions, without a loop over cards.

**Signature.** Bits 0 to 15: four foundation heights of four bits, suits in the order H S D C.
Above: for each column the number of its locked cards still in place, in as many bits as that number
needs. Locked cards leave a column from the top, so the number says which ones are left. At most 60
bits, with 18 columns.

**Keys.** Within a signature a state is packed plane bits (:mod:`dbmsolver.kernels.layout`): a move
replaces one field of the key, and a key is unpacked with masks. The *public key*, which people
exchange, is a mixed-radix number with a digit for each foundation and for each card that can move;
it is split into two or three words so that each digit lies in one of them
(:mod:`dbmsolver.kernels.digest`). Unpacking it takes a division for each card.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import CARDS, Words

KING = 12
ALL_CARDS = (1 << CARDS) - 1
FOUNDATION_BITS = 16

PLACE_FREECELL = 4
PLACE_BOTTOM = 5
PLACE_LOCKED = 6
PLACE_HOME = 7
PLACES = 8

BUILD_ALTERNATE, BUILD_SUIT, BUILD_ANY, BUILD_NONE, BUILD_SUIT_BOTH = 0, 1, 2, 3, 4
FILL_NONE, FILL_KINGS, FILL_ANY = 0, 1, 2
POLICY_NONE, POLICY_HORNE, POLICY_WKR = 0, 1, 2
POLICY_PLAYED_WKR, POLICY_MAX = 3, 4
"""The policies of programs that make moves by themselves: Horne's rule or a search's; all moves."""


class Game(NamedTuple):
    """A game's rules as the kernels need them: plain integers."""

    columns: int
    freecells: int  # that a card may be put into
    build: int
    kinds: tuple[int, ...]  # of parents: what XOR with a card's suit gives theirs
    rises: tuple[int, ...]  # the ranks that they are above the card
    parents: tuple[tuple[int | None, ...], ...]  # [52, kinds]: the cards; None where there is none
    fill: int
    policy: int
    runs: int = 0  # on how many kinds of parents, the first ones, a card moves with its parent
    whole_suits: bool = False
    room: bool = False  # whether the room there is says how many cards of a run move at once
    free: bool = False  # whether forced moves cost nothing
    removable: bool = False  # whether cards come back from the foundations
    kept_rank: int = 0  # then, the highest rank whose cards do not
    round_from: int = 0  # the rank that the highest one goes on, where columns go round

    @property
    def two_way(self) -> bool:
        """True if columns are built up, too, or cards come back from the foundations."""
        return self.removable or min(self.rises, default=1) < 0


@struct
class Tables(NamedTuple):
    """Constants of one game and deal, read by every kernel, written by none.

    Masks and sets have one bit for each card. ``counts`` is one more than the most locked cards
    that a column has; ``words`` are the words of the public key, 2 or 3.
    """

    columns: int
    freecells: int
    build: int
    policy: int
    planes: int  # 2 or 3
    kinds: Words  # [parents]: XOR masks of the parent kinds
    fillers: np.uint64  # cards that may go to an empty column
    varying: Words  # [3]: cards whose bit in that plane can be 0 or 1
    fixed: Words  # [3]: cards whose bit in that plane is always 1 while loose
    place_planes: Words  # [3, 8]: plane bit of each place value
    home: Words  # [4, 14]: cards of a suit that are home at that height
    column_shift: Words  # [columns]: where the column's count starts in the signature
    column_mask: Words  # [columns]: the count's mask after shifting
    locked: Words  # [columns, counts]: locked cards left at that count
    prefix: Words  # [columns, counts]: all cards up to the topmost locked one
    under_locked: Words  # [columns, counts]: cards that locked cards lie on
    locked_bottom: Words  # [columns, counts]: 1 where the column's bottom card is a locked one
    lock_top: NDArray[np.int64]  # [columns, counts]: topmost locked card, -1 for none
    release: Words  # [52]: what to subtract from the signature when this locked card leaves
    codes: NDArray[np.uint16]  # [52 * 8]: parent-move code of (card, place value before)
    code_card: NDArray[np.uint8]  # [codes]: card moved
    code_place: NDArray[np.uint8]  # [codes]: its place value before the move
    dealt_place: NDArray[np.uint8]  # [52]: place value in the deal
    dealt_below: NDArray[np.uint8]  # [52]: the card under it in the deal, 255 for none
    digit_words: Words  # [52 * 8, words]: contribution of (card, place value) to the public key
    rank_words: Words  # [13, 256 or 4096, words]: of a rank's four cards, by their plane bits
    height_words: Words  # [4, 14, words]: contribution of a foundation height


class DealTables(NamedTuple):
    """Everything about the keys of one deal.

    A digit of the public key is a foundation height (the first four) or says where a card lies.
    """

    game: Game
    tables: Tables  # the same for the kernels
    radices: tuple[int, ...]  # [digits]
    digit_cards: tuple[int, ...]  # [digits - 4]: the card of each digit after the first four
    digit_places: tuple[
        tuple[int, ...], ...
    ]  # [digits - 4]: place value of each value; 0: as dealt
    word_of: tuple[int, ...]  # [digits]: which 64-bit word of the key the digit belongs to
    weights: tuple[int, ...]  # [digits]: its weight in that word
    ranges: tuple[int, ...]  # [words]: how many values each word can have
    signature: int  # of the deal
    planes: tuple[int, int, int]  # of the deal
    code_bits: int  # 8 or 16: width of a parent-move code
