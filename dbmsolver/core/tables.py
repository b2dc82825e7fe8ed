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
needs. Locked cards leave a column from the top, so the number says which ones are left. At most 55
bits.

**Keys.** Within a signature a state is packed plane bits (:mod:`dbmsolver.core.layout`): a move
replaces one field of the key, and a key is unpacked with masks. The *public key*, which people
exchange, is a mixed-radix number with a digit for each foundation and for each card that can move;
it is split into two or three words so that each digit lies in one of them
(:mod:`dbmsolver.core.digest`). Unpacking it takes a division for each card.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

CARDS = 52
SUITS = 4
KING = 12
ALL_CARDS = (1 << CARDS) - 1
FOUNDATION_BITS = 16

PLACE_FREECELL = 4
PLACE_BOTTOM = 5
PLACE_LOCKED = 6
PLACE_HOME = 7
PLACES = 8

BUILD_ALTERNATE, BUILD_SUIT, BUILD_ANY = 0, 1, 2
FILL_NONE, FILL_KINGS, FILL_ANY = 0, 1, 2
POLICY_NONE, POLICY_HORNE, POLICY_WKR = 0, 1, 2

PARENT_KINDS = {BUILD_ALTERNATE: (1, 3), BUILD_SUIT: (0,), BUILD_ANY: (0, 1, 2, 3)}
"""XOR masks that turn a card's suit into those of its legal parents, in the order of the place
values 0 to 3."""

SIGNATURE, OFF, LOW, HIGH = range(4)
"""Columns of arrays that hold states as rows."""

Words = NDArray[np.uint64]


class Game(NamedTuple):
    """A game's rules as the kernels need them: plain integers."""

    columns: int
    freecells: int
    build: int
    fill: int
    policy: int


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


def make_deal_tables(
    game: Game,
    columns: Sequence[Sequence[int]],
    freecells: Sequence[int],
    foundations: Sequence[int],
) -> DealTables:
    """Build the tables for ``game`` and the position it starts from.

    ``columns`` hold cards, deepest first; ``freecells`` the cards in freecells; ``foundations``
    four heights in suit order. The position must be valid (52 different cards); nothing is checked
    here.
    """
    kinds = PARENT_KINDS[game.build]
    padded = [list(column) for column in columns] + [[] for _ in range(game.columns - len(columns))]
    dealt = _dealt_places(game, kinds, padded, freecells)
    public = _public_digits(game, kinds, dealt)
    tables = _kernel_tables(game, kinds, padded, dealt, public)
    signature, planes = _dealt_state(tables, padded, dealt, foundations)
    return DealTables(
        game=game,
        tables=tables,
        signature=signature,
        planes=planes,
        code_bits=8 if tables.code_card.size <= 256 else 16,
        **public,
    )


def _kernel_tables(
    game: Game,
    kinds: tuple[int, ...],
    columns: list[list[int]],
    dealt: list[int],
    public: dict[str, Any],
) -> Tables:
    planes = 3 if len(kinds) > 2 else 2
    values = [_place_values(game, kinds, card, dealt[card]) for card in range(CARDS)]
    plane_bits = _place_planes(len(kinds))
    codes, code_card, code_place = _parent_move_codes(public, dealt)
    digit_words, height_words = _public_contributions(public, dealt)
    varying, fixed = _plane_masks(values, plane_bits)
    return Tables(
        columns=game.columns,
        freecells=game.freecells,
        build=game.build,
        policy=game.policy,
        planes=planes,
        kinds=_words(kinds),
        fillers=np.uint64(sum(1 << card for card in range(CARDS) if _fills(game, card))),
        varying=varying,
        fixed=fixed,
        place_planes=plane_bits,
        home=_words(
            [[sum(1 << (4 * r + s) for r in range(h)) for h in range(14)] for s in range(SUITS)]
        ),
        codes=codes,
        code_card=code_card,
        code_place=code_place,
        dealt_place=np.array(dealt, np.uint8),
        dealt_below=_dealt_below(columns),
        digit_words=digit_words,
        rank_words=_rank_contributions(digit_words, plane_bits, planes),
        height_words=height_words,
        **_column_tables(columns, dealt),
    )


def _dealt_state(
    tables: Tables, columns: list[list[int]], dealt: list[int], foundations: Sequence[int]
) -> tuple[int, tuple[int, int, int]]:
    """Signature and planes of the deal's own state."""
    signature = sum(height << (4 * suit) for suit, height in enumerate(foundations))
    for shift, column in zip(tables.column_shift.tolist(), columns, strict=True):
        signature |= sum(dealt[card] == PLACE_LOCKED for card in column) << shift
    planes = [0, 0, 0]
    for card in range(CARDS):
        if dealt[card] < PLACE_LOCKED:
            for plane in range(3):
                planes[plane] |= int(tables.place_planes[plane, dealt[card]]) << card
    return signature, (planes[0], planes[1], planes[2])


def _words(values: Any) -> Words:
    return np.array(values, dtype=np.uint64)


def _fills(game: Game, card: int) -> bool:
    return game.fill == FILL_ANY or (game.fill == FILL_KINGS and card // 4 == KING)


def _ace_is_forced(game: Game, card: int) -> bool:
    """Whether the card is an ace that goes home the moment it is free, by the policy."""
    return card // 4 == 0 and game.policy != POLICY_NONE


def _dealt_places(
    game: Game, kinds: tuple[int, ...], columns: list[list[int]], freecells: Sequence[int]
) -> list[int]:
    """Place value of each card in the deal; PLACE_LOCKED where no move could put it back."""
    dealt = [PLACE_HOME] * CARDS
    for card in freecells:
        dealt[card] = PLACE_FREECELL
    for column in columns:
        for depth, card in enumerate(column):
            dealt[card] = PLACE_LOCKED
            if _ace_is_forced(game, card):
                continue
            if depth == 0:
                if _fills(game, card):
                    dealt[card] = PLACE_BOTTOM
            elif column[depth - 1] // 4 == card // 4 + 1:
                kind = (column[depth - 1] ^ card) & 3
                if kind in kinds:
                    dealt[card] = kinds.index(kind)
    return dealt


def _dealt_below(columns: list[list[int]]) -> NDArray[np.uint8]:
    below = np.full(CARDS, 255, np.uint8)
    for column in columns:
        for under, card in itertools.pairwise(column):
            below[card] = under
    return below


def _place_values(game: Game, kinds: tuple[int, ...], card: int, dealt: int) -> set[int]:
    """Place values that a loose card can have in this game."""
    if _ace_is_forced(game, card):
        return {dealt} if dealt < PLACE_LOCKED else set()
    values = set(range(len(kinds))) if card // 4 < KING else set()
    if game.freecells:
        values.add(PLACE_FREECELL)
    if _fills(game, card):
        values.add(PLACE_BOTTOM)
    return values


def _place_planes(kinds: int) -> Words:
    bits = [[0] * PLACES for _ in range(3)]
    for kind in range(kinds):
        bits[1][kind], bits[2][kind] = kind & 1, kind >> 1
    bits[0][PLACE_FREECELL] = bits[0][PLACE_BOTTOM] = bits[1][PLACE_BOTTOM] = 1
    return _words(bits)


def _plane_masks(values: list[set[int]], plane_bits: Words) -> tuple[Words, Words]:
    varying, fixed = [0, 0, 0], [0, 0, 0]
    for card, places in enumerate(values):
        for plane in range(3):
            seen = {int(plane_bits[plane, place]) for place in places}
            varying[plane] |= (len(seen) == 2) << card
            fixed[plane] |= (seen == {1}) << card
    return _words(varying), _words(fixed)


def _public_digits(game: Game, kinds: tuple[int, ...], dealt: list[int]) -> dict[str, Any]:
    """Radices and weights of the public key; a radix follows from the rules and the rank alone."""
    digit_cards, digit_places, radices = [], [], [14] * SUITS
    for card in range(CARDS):
        if _ace_is_forced(game, card):
            places: list[int] = []
        else:
            places = sorted(_place_values(game, kinds, card, PLACE_HOME))
        if places:
            digit_cards.append(card)
            digit_places.append((dealt[card], *places))
            radices.append(1 + len(places))
    # At least two words, at most three: 7**48 * 6**4 * 14**4 < 2**192.
    word_of, weights, ranges = [], [], [1]
    for radix in radices:
        if ranges[-1] * radix > 1 << 64:
            ranges.append(1)
        word_of.append(len(ranges) - 1)
        weights.append(ranges[-1])
        ranges[-1] *= radix
    if len(ranges) == 1:
        ranges.append(1)
    return {
        "radices": tuple(radices),
        "digit_cards": tuple(digit_cards),
        "digit_places": tuple(digit_places),
        "word_of": tuple(word_of),
        "weights": tuple(weights),
        "ranges": tuple(ranges),
    }


def digit_of(places: Sequence[int], place: int) -> int:
    """Digit of a place value: 0 (as dealt) wins where the dealt place is a legal one."""
    return places.index(place)


def _public_contributions(public: dict[str, Any], dealt: list[int]) -> tuple[Words, Words]:
    words = len(public["ranges"])
    digits = np.zeros((CARDS * PLACES, words), np.uint64)
    heights = np.zeros((SUITS, 14, words), np.uint64)
    for index, radix in enumerate(public["radices"]):
        word, weight = public["word_of"][index], public["weights"][index]
        if index < SUITS:
            heights[index, :, word] = [height * weight for height in range(radix)]
            continue
        card, places = public["digit_cards"][index - SUITS], public["digit_places"][index - SUITS]
        for place in places:
            digits[card * PLACES + place, word] = digit_of(places, place) * weight
    return digits, heights


def _rank_contributions(digit_words: Words, plane_bits: Words, planes: int) -> Words:
    """Public key words of all four cards of a rank at once, indexed by four bits of each plane."""
    index = np.arange(1 << (4 * planes))
    result = np.zeros((13, index.size, digit_words.shape[1]), np.uint64)
    place_of_bits = np.zeros(8, np.int64)
    for place in range(PLACE_LOCKED):
        bits = [int(plane_bits[plane, place]) for plane in range(3)]
        if any(bits) or place == 0:
            place_of_bits[bits[0] + 2 * bits[1] + 4 * bits[2]] = place
    for suit in range(SUITS):
        bits = sum(((index >> (4 * plane + suit)) & 1) << plane for plane in range(planes))
        places = place_of_bits[bits]
        for rank in range(13):
            result[rank] += digit_words[8 * (4 * rank + suit) + places]
    return result


def _parent_move_codes(
    public: dict[str, Any], dealt: list[int]
) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
    """Number the pairs (card moved, digit before): 236 in FreeCell."""
    places_of = dict(zip(public["digit_cards"], public["digit_places"], strict=True))
    codes = np.full(CARDS * PLACES, 0xFFFF, np.uint16)
    code_card, code_place = [], []
    for card in range(CARDS):
        for place in places_of.get(card, (dealt[card],)):
            if codes[card * PLACES + place] == 0xFFFF:
                codes[card * PLACES + place] = len(code_card)
            code_card.append(card)
            code_place.append(place)
    return codes, np.array(code_card, np.uint8), np.array(code_place, np.uint8)


def _column_tables(columns: list[list[int]], dealt: list[int]) -> dict[str, Any]:
    """Per column and number of locked cards left: what is locked, what lies below it."""
    counts = [sum(dealt[card] == PLACE_LOCKED for card in column) for column in columns]
    shape = (len(columns), max(counts, default=0) + 1)
    masks = {
        name: np.zeros(shape, np.uint64)
        for name in ("locked", "prefix", "under_locked", "locked_bottom")
    }
    lock_top = np.full(shape, -1, np.int64)
    release = np.zeros(CARDS, np.uint64)
    shifts, widths = [], []
    shift = FOUNDATION_BITS
    for index, column in enumerate(columns):
        shifts.append(shift)
        widths.append((1 << counts[index].bit_length()) - 1)
        locked = prefix = under = bottom = count = 0
        for depth, card in enumerate(column):
            prefix |= 1 << card
            if dealt[card] != PLACE_LOCKED:
                continue
            locked |= 1 << card
            under |= 1 << column[depth - 1] if depth else 0
            bottom |= depth == 0
            count += 1
            release[card] = 1 << shift
            masks["locked"][index, count] = locked
            masks["prefix"][index, count] = prefix
            masks["under_locked"][index, count] = under
            masks["locked_bottom"][index, count] = bottom
            lock_top[index, count] = card
        shift += counts[index].bit_length()
    return {
        "column_shift": _words(shifts),
        "column_mask": _words(widths),
        "lock_top": lock_top,
        "release": release,
        **masks,
    }
