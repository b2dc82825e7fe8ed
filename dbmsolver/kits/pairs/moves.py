"""Pairing games: their states as words, and the successors of a state.

A state is what each column of the pyramid has left, which cards stock and waste have left, where
the waste ends among them, and how often it was turned over. A card of the pyramid is free where the
next column is shorter (:mod:`dbmsolver.game.pairing`). Cards of stock and waste are counted as they
came from the deal, the waste's first; this order never changes. *S* is their number.

*Key*, the plane *off* of a state, from bit 0 on:

=========== ====================================================================================
bits        content
=========== ====================================================================================
as S needs  the number of the waste's top card, from 1; 0 for an empty waste
as needed   how often the waste was turned over since the deal
S           the cards left in stock and waste: bit n - 1 for number n
=========== ====================================================================================

*Signature*: how many cards each column has left, the first one in the lowest bits, each in as many
bits as it needs; where a shortest solution is wanted, above them the *layer*. The highest bit is
set if the state is won. The planes *low* and *high* are 0. The *public key* is the key, with the
columns above it.

*Stratum*: the cards that have left the pyramid. A move that takes one of them leads to a higher
one, all others keep the columns.

*Layer*: moves made, plus a lower bound of those that follow, which turning the waste over is none
of. Where all cards have to go, the bound is the number of removals that takes, and each removal
lowers it. So only turns raise the layer. Otherwise it is the fewest removals that take the cards of
the pyramid: for ranks that pair with each other the larger number of the two, for a rank that pairs
with itself half of its number, and all kings. A removal lowers that by one at most. So layers never
fall; and the last removal of a game always lowers the bound. Removals that do not, and turns, lead
to the next layer.

The *code* of a state (uint8) says which move led to it:

=========== ====================================================================================
code        move
=========== ====================================================================================
0 to 191    twice the number of a pair: four times the lower card, ranks from 0, plus the other
            card's suit. One more if of the two just one is of the stock, and none of the waste
192 to 199  twice the suit of a king, plus 192; one more if it is of the stock
200, 201    a card of the stock was turned; the waste was turned over
202         none: the deal itself
=========== ====================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import highest_bit, lowest_bit
from dbmsolver.kernels.states import CARDS, LOW, OFF, ONE, SIGNATURE, U64, ZERO, Words

CODE = 4
"""Column of a list of successors for the code of each."""
KINGS, TURNED, OVER, FIRST = 96, 200, 201, 202
"""The number of the first king among pairs; codes."""
LAYER_SHIFT = 16
"""Where the layer starts in the progress of a state: above the bits that a store has for strata."""
WON = np.uint64(1 << 63)
"""The bit of signatures of won states."""
NONE = 63
"""No card."""
SLOT_BITS = U64(6)
KING = 13


@struct
class PairTables(NamedTuple):
    """Constants of one deal."""

    columns: int
    varying: Words  # [3]: bits that each plane may have: those of the key, none, none
    shifts: Words  # [columns]: where a column's number starts in a signature
    masks: Words  # [columns]: that number's mask after shifting
    dealt: NDArray[np.int64]  # [columns]: that number in the deal
    cards: NDArray[np.int64]  # [columns, columns + 1]: the last card, by cards left
    stock: NDArray[np.int64]  # [S]: the cards of stock and waste
    source: NDArray[np.int64]  # [52]: a card's column, `columns` for stock and waste, or -1
    place: NDArray[np.int64]  # [52]: its depth in the column, or its number less 1
    lowest: int  # rank of the deck
    at_mask: np.uint64  # the mask of the number of the waste's top card
    turns_shift: np.uint64  # where the number of times that the waste was turned over starts
    turns_mask: np.uint64  # its mask after shifting
    turns: int  # the highest such number
    left_shift: np.uint64  # where the cards left in stock and waste start
    key_bits: np.uint64  # bits of a key
    columns_mask: np.uint64  # the bits of the columns in a signature
    layer_shift: np.uint64  # where the layer starts in a signature
    least: NDArray[np.uint8]  # [columns_mask + 1]: the bound of removals, by the columns' bits
    free_stock: bool
    whole: bool  # whether all cards have to go
    layered: bool  # whether states have layers
    in_columns: int  # cards in the columns of the deal
    last: int  # the progress of won states


def make_tables(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    lowest: int,
    turns: int,
    free_stock: bool,
    whole: bool,
    layered: bool = False,
) -> PairTables:
    """Return the tables of a deal.

    ``columns`` are those of the pyramid, ``stock`` the cards of the waste and then of the stock,
    ``turns`` is how often the waste may still be turned over.
    """
    number = len(columns)
    cards = np.full((number, number + 1), NONE, np.int64)
    source, place = np.full(CARDS, -1, np.int64), np.zeros(CARDS, np.int64)
    shifts, masks = np.zeros(number, np.uint64), np.zeros(number, np.uint64)
    shift = 0
    for index, column in enumerate(columns):
        shifts[index], masks[index] = shift, (1 << len(column).bit_length()) - 1
        shift += len(column).bit_length()
        for depth, card in enumerate(column):
            cards[index, depth + 1] = card
            source[card], place[card] = index, depth
    for index, card in enumerate(stock):
        source[card], place[card] = number, index
    at_bits, turns_bits = len(stock).bit_length(), turns.bit_length()
    bits = at_bits + turns_bits + len(stock)
    in_columns = sum(map(len, columns))
    strata = in_columns + 1
    last = in_columns + len(stock) + (turns + 1) * len(stock) << LAYER_SHIFT
    return PairTables(
        columns=number,
        varying=np.array([(1 << bits) - 1, 0, 0], np.uint64),
        shifts=shifts,
        masks=masks,
        dealt=np.array([*map(len, columns)], np.int64),
        cards=cards,
        stock=np.array(stock, np.int64),
        source=source,
        place=place,
        lowest=lowest,
        at_mask=np.uint64((1 << at_bits) - 1),
        turns_shift=np.uint64(at_bits),
        turns_mask=np.uint64((1 << turns_bits) - 1),
        turns=turns,
        left_shift=np.uint64(at_bits + turns_bits),
        key_bits=np.uint64(bits),
        columns_mask=np.uint64((1 << shift) - 1),
        layer_shift=np.uint64(shift),
        least=_least(columns, stock, lowest, whole, shifts, shift),
        free_stock=free_stock,
        whole=whole,
        layered=layered,
        in_columns=in_columns,
        last=last + strata if layered else strata,
    )


def _least(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    lowest: int,
    whole: bool,
    shifts: Words,
    bits: int,
) -> NDArray[np.uint8]:
    """Return a lower bound for the removals that empty the columns, indexed by their bits.

    These are ``bits`` in all: from its shift on, the cards that a column still has. If stock and
    waste have to be emptied, too (``whole``), the columns alone give no bound: then only the deal
    has its own, all others have 0.
    """
    most = [*map(len, columns)]
    if whole:
        lengths = np.array(most)[:, None]
    else:
        lengths = np.indices([one + 1 for one in most]).reshape(len(most), -1)
    counts = np.zeros((KING + 1, lengths.shape[1]), np.int64)
    for column, left in zip(columns, lengths, strict=True):
        for depth, card in enumerate(column):
            counts[card // 4 + 2 - lowest] += left > depth
    for card in stock if whole else ():
        counts[card // 4 + 2 - lowest] += 1
    king = KING + 1 - lowest
    total = counts[king].copy()
    for one in range(1, (king + 1) // 2):
        total += np.maximum(counts[one], counts[king - one])
    if king % 2 == 0:
        total += (counts[king // 2] + 1) // 2
    least = np.zeros(1 << bits, np.uint8)
    least[(lengths << shifts.astype(np.int64)[:, None]).sum(axis=0)] = total
    return least


@inlined
def left_in(t, signature, column):
    """Count the cards (int64) left in a column."""
    return np.int64((signature >> t.shifts[column]) & t.masks[column])


@inlined
def public_key(t, signature, key):
    """Return the public key (uint64) of a state."""
    return key | ((signature & t.columns_mask) << t.key_bits)


@inlined
def pair_progress(t, signature, locked_in_deal):
    """Return the progress (int64) of a signature, the layer in the upper bits if it has one."""
    if signature & WON:
        return np.int64(t.last)
    total = np.int64(t.in_columns)
    for column in range(t.columns):
        total -= left_in(t, signature, column)
    if t.layered:
        total += np.int64(signature >> t.layer_shift) << LAYER_SHIFT
    return np.int64(total)


@inlined
def is_won(t, signature, key):
    """Return True if nothing is left that has to go."""
    return (signature & t.columns_mask) == ZERO and not (t.whole and key >> t.left_shift)


@inlined
def top_below(left, number):
    """Return the number of the last card left (uint64) up to ``number`` (uint64); 0 for none."""
    return U64(highest_bit(left & ((ONE << number) - ONE)) + 1)


@inlined
def free_cards(t, signature, key):
    """Return the free cards (uint64), six bits for each column, for the waste, for the stock."""
    free = ZERO
    following = np.int64(0)
    for column in range(t.columns - 1, -1, -1):
        left = left_in(t, signature, column)
        card = t.cards[column, left] if left > following else np.int64(NONE)
        free |= U64(card) << (SLOT_BITS * U64(column))
        following = left
    number = key & t.at_mask
    left = key >> t.left_shift
    waste = stock = np.int64(NONE)
    if number:
        waste = t.stock[np.int64(number) - 1]
    if t.free_stock and left >> number:
        stock = t.stock[np.int64(number) + lowest_bit(left >> number)]
    free |= U64(waste) << (SLOT_BITS * U64(t.columns))
    return free | (U64(stock) << (SLOT_BITS * U64(t.columns + 1)))


@inlined
def card_at(free, slot):
    """Return a free card (int64), NONE for none."""
    return np.int64((free >> (SLOT_BITS * U64(slot))) & U64(NONE))


@inlined
def without(t, signature, key, card, slot):
    """Return (signature, key) without a free card of that place; the layer stays as it is."""
    if slot < t.columns:
        return signature - (ONE << t.shifts[slot]), key
    key &= ~(ONE << (t.left_shift + U64(t.place[card])))
    if slot == t.columns:
        number = key & t.at_mask
        key = (key & ~t.at_mask) | top_below(key >> t.left_shift, number)
    return signature, key


@inlined
def with_layer(t, before, after):
    """Return the signature ``after`` a removal from ``before``, with its layer."""
    if t.layered and not t.whole:
        least = np.int64(t.least[before & t.columns_mask])
        least -= np.int64(t.least[after & t.columns_mask])
        after += U64(1 - least) << t.layer_shift
    return after


@inlined
def number_of(t, card, other):
    """Return the number (int64) of a pair, or of a king where ``other`` is NONE."""
    if other == NONE:
        return np.int64(KINGS) + (card & 3)
    low, high = min(card, other), max(card, other)
    return 4 * (low - 4 * (t.lowest - 1)) + (high & 3)


@inlined
def put_removal(t, signature, key, free, slot, other, found, count):
    """Write the state after a king, or a pair, was removed to a row of ``found``."""
    card, second = card_at(free, slot), np.int64(NONE)
    new, off = without(t, signature, key, card, slot)
    from_stock = slot == t.columns + 1
    if other >= 0:
        second = card_at(free, other)
        new, off = without(t, new, off, second, other)
        from_stock = other == t.columns + 1 and slot != t.columns
    new = with_layer(t, signature, new)
    if is_won(t, new, off):
        new |= WON
    found[count, SIGNATURE] = new
    found[count, OFF] = off
    found[count, LOW] = ZERO
    found[count, CODE] = U64(2 * number_of(t, card, second) + from_stock)


@inlined
def put_turn(t, signature, key, found, count):
    """Write the state after a turn of the stock, or of the waste; return the new count."""
    number = key & t.at_mask
    left = key >> t.left_shift
    turns = (key >> t.turns_shift) & t.turns_mask
    if left >> number:
        key += U64(lowest_bit(left >> number) + 1)
        if t.layered:
            signature += ONE << t.layer_shift
        found[count, CODE] = U64(TURNED)
    elif number and np.int64(turns) < t.turns:
        key = (key & ~t.at_mask) + (ONE << t.turns_shift)
        found[count, CODE] = U64(OVER)
    else:
        return count
    found[count, SIGNATURE] = signature
    found[count, OFF] = key
    found[count, LOW] = ZERO
    return count + 1


@inlined
def expand_pairs(t, sets, key, low, high, scratch):
    """List the successors of a state into ``scratch.found``; return how many (int64).

    ``sets`` are those of its signature; ``key`` (uint64) is its plane *off*, others are 0.
    """
    signature, found = sets.signature, scratch.found
    free = free_cards(t, signature, key)
    count = np.int64(0)
    for slot in range(t.columns + 2):
        card = card_at(free, slot)
        if card == NONE:
            continue
        if (card >> 2) + 1 == KING:
            put_removal(t, signature, key, free, slot, -1, found, count)
            count += 1
            continue
        for other in range(slot + 1, t.columns + 2):
            second = card_at(free, other)
            if second != NONE and (card >> 2) + (second >> 2) == 10 + t.lowest:
                put_removal(t, signature, key, free, slot, other, found, count)
                count += 1
    return put_turn(t, signature, key, found, count)


@inlined
def _put_back(t, signature, key, card, to_waste):
    """Return (True if that can be, signature, key) with a removed card where it was free."""
    source = t.source[card]
    if source < 0:
        return False, signature, key
    if source < t.columns:
        fits = left_in(t, signature, source) == t.place[card]
        return fits, signature + (ONE << t.shifts[source]), key
    bit = ONE << (t.left_shift + U64(t.place[card]))
    fits = not key & bit and np.int64(key & t.at_mask) <= t.place[card]
    key |= bit
    if to_waste:
        key = (key & ~t.at_mask) | U64(t.place[card] + 1)
    return fits, signature, key


@inlined
def _undo_turn(t, signature, key, code):
    """Return (True if that can be, signature, key) before a turn."""
    number = key & t.at_mask
    if code == TURNED:
        if t.layered:
            signature -= ONE << t.layer_shift
        before = top_below(key >> t.left_shift, number - ONE) if number else ZERO
        return number != ZERO, signature, (key & ~t.at_mask) | before
    fits = number == ZERO and ((key >> t.turns_shift) & t.turns_mask) != ZERO
    before = U64(highest_bit(key >> t.left_shift) + 1)
    return fits, signature, (key | before) - (ONE << t.turns_shift)


@kernel
def undo_code(t, signature, off, low, high, code):
    """Return the state before the last move (signature and three planes), by its code.

    That is no state of any game where the code cannot be that of such a state.
    """
    new, key = signature & ~WON, off
    if code >= FIRST:
        return WON, ZERO, ZERO, ZERO
    if code >= TURNED:
        fits, new, key = _undo_turn(t, new, key, code)
        if not fits:
            return WON, ZERO, ZERO, ZERO
        return new, key, ZERO, ZERO
    number, from_stock = np.int64(code) >> 1, np.int64(code) & 1
    if number >= KINGS:
        fits, new, key = _put_back(t, new, key, 4 * (KING - 1) + number - KINGS, from_stock == 0)
    else:
        card = (number >> 2) + 4 * (t.lowest - 1)
        other = 4 * (10 + t.lowest - (card >> 2)) + (number & 3)
        fits = card < other < CARDS
        if fits:
            both = t.source[card] == t.columns and t.source[other] == t.columns
            if both and t.place[card] < t.place[other]:
                card, other = other, card
            # Of two cards of stock and waste, the one of the stock comes first: it is later.
            fits, new, key = _put_back(t, new, key, card, not both and from_stock == 0)
            if fits:
                fits, new, key = _put_back(t, new, key, other, both or from_stock == 0)
    if not fits:
        return WON, ZERO, ZERO, ZERO
    if t.layered and not t.whole:
        least = np.int64(t.least[new & t.columns_mask])
        least -= np.int64(t.least[signature & t.columns_mask])
        new -= U64(1 - least) << t.layer_shift
    return new, key, ZERO, ZERO
