"""Games of one pile: their states as words, and the kernels that play them.

A state is what the columns have left, what the stock has left, and the card on top of the pile.
Which cards the pile holds besides follows from it, and their order makes no difference. So a state
is one word, the *key*:

=========== ====================================================================================
bits        content
=========== ====================================================================================
0 to 5      the card on top, 52 for an empty pile
from 6      how many cards the stock has left, in as many bits as that number needs in the deal
above       the same for each column
=========== ====================================================================================

Keys have at most 58 bits: 52 cards in 17 columns need 41 bits at most. Every move puts one card on
the pile, so no state is reached twice by ways of different lengths, and there are no cycles.

A *candidate* is a state with its parent-move code: ``64 * key + code``. The code is the card that
lay on top before the last move, or 52 where the pile was empty. Whether that move took a card from
a column or from the stock is known from the card that is on top now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.digest import hash_words
from dbmsolver.core.tables import CARDS, Words
from dbmsolver.jit.decorators import allocating, inlined, kernel

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)

NOTHING = CARDS
"""The card on top of an empty pile."""
NO_PARENT = CARDS + 1
"""The code of the deal itself."""
TOP_BITS = 6
TOP = (1 << TOP_BITS) - 1

EXHAUSTED, GIVEN_UP = -1, -2
"""The values that :func:`dive` returns where it has found no solution."""
MOST_MOVES = CARDS


class PileTables(NamedTuple):
    """Constants of one deal.

    ``left`` is one more than the most cards that a column or the stock has.
    """

    columns: int
    shifts: Words  # [columns + 1]: where a column's number starts in the key; last, the stock's
    masks: Words  # [columns + 1]: that number's mask after shifting
    cards: NDArray[np.int64]  # [columns + 1, left]: the card that may leave, by cards left
    follows: Words  # [53]: the cards of columns that may be put on a card
    release: Words  # [52]: what a card takes from the key when it leaves; 0 in the pile of the deal


def make_tables(
    columns: Sequence[Sequence[int]], stock: Sequence[int], follows: Sequence[int]
) -> PileTables:
    """Return the tables of a deal.

    ``columns`` hold cards, deepest first, ``stock`` the card first that is turned next; ``follows``
    are, for each of the 52 cards and for an empty pile, the set of cards that may be put on it.
    """
    places = [*map(list, columns), list(stock)[::-1]]
    cards = np.full((len(places), 1 + max(map(len, places))), -1, np.int64)
    shifts = np.zeros(len(places), np.uint64)
    masks = np.zeros(len(places), np.uint64)
    release = np.zeros(CARDS, np.uint64)
    shift = TOP_BITS
    for place in (len(places) - 1, *range(len(columns))):  # the stock has the lowest bits
        held = places[place]
        shifts[place] = shift
        masks[place] = (1 << len(held).bit_length()) - 1
        for number, card in enumerate(held, start=1):
            cards[place, number] = card
            release[card] = 1 << shift
        shift += len(held).bit_length()
    return PileTables(
        columns=len(columns),
        shifts=shifts,
        masks=masks,
        cards=cards,
        follows=np.array(follows, np.uint64),
        release=release,
    )


def key_of(t: PileTables, lengths: Sequence[int], stock: int, top: int) -> int:
    """Return the key of a state: the lengths of the columns and of the stock, and the top card."""
    numbers = zip(t.shifts.tolist(), (*lengths, stock), strict=True)
    return sum(number << shift for shift, number in numbers) + top


def take_key(t: PileTables, key: int) -> tuple[list[int], int, int]:
    """Return (lengths, stock, top) of a key: the inverse of :func:`key_of`."""
    numbers = [
        key >> shift & mask for shift, mask in zip(t.shifts.tolist(), t.masks.tolist(), strict=True)
    ]
    return numbers[:-1], numbers[-1], key & TOP


@inlined
def left_in(t, key, place):
    """Count the cards (int64) left in a column or, as the last place, in the stock."""
    return np.int64((key >> t.shifts[place]) & t.masks[place])


@inlined
def after(t, key, card):
    """Return the key of the state after a card was put on the pile."""
    return (key & ~U64(TOP)) - t.release[card] + U64(card)


@kernel
def expand(t, keys, first, played, turned):
    """Write the candidates that follow from ``keys`` (uint64[*]) from number ``first`` on.

    ``played`` (uint64[*]) gets those whose last card is of a column, ``turned`` (uint64[*]) those
    whose last card is of the stock. None of the keys may be a goal.

    Returns (the first key for which there was no room, how many were played, how many turned).
    """
    some = more = np.int64(0)
    for index in range(first, keys.size):
        if some + t.columns > played.size or more == turned.size:
            return index, some, more
        key = keys[index]
        top = key & U64(TOP)
        fits = t.follows[top]
        for column in range(t.columns):
            left = left_in(t, key, column)
            if left and (fits >> U64(t.cards[column, left])) & ONE:
                moved = after(t, key, t.cards[column, left])
                played[some] = (moved << U64(TOP_BITS)) | top
                some += 1
        left = left_in(t, key, t.columns)
        if left:
            moved = after(t, key, t.cards[t.columns, left])
            turned[more] = (moved << U64(TOP_BITS)) | top
            more += 1
    return keys.size, some, more


class Diving(NamedTuple):
    """The state of a search depth first; :func:`make_diving` begins one."""

    slots: Words  # [2**n]: a hash table of the states met, plus one, 0 where it is free
    keys: Words  # [54]: the states on the way, the deal first
    tried: Words  # [54]: for each of them a set of the places that have been tried
    path: NDArray[np.int64]  # [53]: the cards put on the pile on the way
    state: NDArray[np.int64]  # [2]: depth, and how many states were met


def make_diving(root: int, most: int) -> Diving:
    """Return the beginning of a search that meets at most ``most`` states."""
    diving = Diving(
        slots=np.zeros(1 << (2 * most - 1).bit_length(), np.uint64),
        keys=np.zeros(MOST_MOVES + 2, np.uint64),
        tried=np.zeros(MOST_MOVES + 2, np.uint64),
        path=np.zeros(MOST_MOVES + 1, np.int64),
        state=np.array([0, 1], np.int64),
    )
    diving.keys[0] = root
    return diving


@kernel
def dive(t, diving, order, limit):
    """Search depth first for any solution, until ``limit`` states are met in all.

    Of the cards that may be played next, those of the columns that come first in ``order``
    (int64[columns]) are tried first, the stock last. States whose cards on top differ in their
    suit only have the same solutions, and count once.

    Returns the length of the solution, which is in ``diving.path``; EXHAUSTED where no state is
    left; GIVEN_UP where the limit came first. Then another call with a higher limit goes on, if
    the hash table has twice as many slots.
    """
    columns_from = t.shifts[0]
    slots, keys, tried = diving.slots, diving.keys, diving.tried
    mask = U64(slots.size - 1)
    depth, met = diving.state[0], diving.state[1]
    if not keys[0] >> columns_from:
        return np.int64(0)
    while depth >= 0 and met < limit:
        key = keys[depth]
        fits = t.follows[key & U64(TOP)]
        place = np.int64(-1)
        for column in order:
            left = left_in(t, key, column)
            if (
                left
                and not (tried[depth] >> U64(column)) & ONE
                and (fits >> U64(t.cards[column, left])) & ONE
            ):
                place = np.int64(column)
                break
        if place < 0 and left_in(t, key, t.columns) and not (tried[depth] >> U64(t.columns)) & ONE:
            place = np.int64(t.columns)
        if place < 0:
            depth -= 1
            continue
        tried[depth] |= ONE << U64(place)
        card = t.cards[place, left_in(t, key, place)]
        moved = after(t, key, card)
        diving.path[depth] = card
        if not moved >> columns_from:
            diving.state[1] = met
            return depth + 1
        alike = ((moved & ~U64(TOP)) | U64(card >> 2)) + ONE
        slot = (alike * U64(0x9E3779B97F4A7C15)) >> U64(20)
        while slots[slot & mask] and slots[slot & mask] != alike:
            slot += ONE
        if slots[slot & mask]:
            continue
        slots[slot & mask] = alike
        met += 1
        depth += 1
        keys[depth] = moved
        tried[depth] = ZERO
    diving.state[0], diving.state[1] = depth, met
    return np.int64(EXHAUSTED if depth < 0 else GIVEN_UP)


@allocating
def digest_keys(keys):
    """Return the digest (uint64) of states: the sum of XXH3-64 over their 16-byte keys."""
    total = ZERO
    for key in keys:
        total += hash_words(key, ZERO, ZERO, 2)
    return total
