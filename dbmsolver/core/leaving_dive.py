"""Searches depth first for any solution of a game of one pile, or of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core import pairs
from dbmsolver.core.pairs import CODE, OVER, TURNED, PairTables, expand_pairs, pair_sets
from dbmsolver.core.pile import ONE, TOP, U64, ZERO, PileTables, after, left_in
from dbmsolver.core.tables import OFF, SIGNATURE, Words
from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.families import ByType

EXHAUSTED, GIVEN_UP = -1, -2
"""The values that :func:`dive` returns where it has found no solution."""
MOST_FOUND = 64
"""More successors than a state of pairs has: nine free cards make fewer pairs."""


class LeavingDiving(NamedTuple):
    """The state of a search depth first; :func:`make_diving` begins one."""

    slots: Words  # [2**n]: a hash table of the states met, plus one, 0 where it is free
    keys: Words  # [moves + 2]: the public keys of the states on the way, the deal first
    tried: Words  # [moves + 2]: for each of them what has been tried
    path: NDArray[np.int64]  # [moves + 1]: the cards put on the pile on the way, or codes of moves
    state: NDArray[np.int64]  # [2]: depth, and how many states were met
    order: NDArray[np.int64]  # [places]: decides which moves are tried first
    found: Words  # [64, 4]: the successors of a state of pairs


def make_diving(root: int, most: int, moves: int, order: Sequence[int]) -> LeavingDiving:
    """Return the beginning of a search that meets at most ``most`` states.

    No way to a state has more than ``moves`` moves. ``order`` has a number for each place that
    cards leave; by these it is decided which moves are tried first.
    """
    diving = LeavingDiving(
        slots=np.zeros(1 << (2 * most - 1).bit_length(), np.uint64),
        keys=np.zeros(moves + 2, np.uint64),
        tried=np.zeros(moves + 2, np.uint64),
        path=np.zeros(moves + 1, np.int64),
        state=np.array([0, 1], np.int64),
        order=np.array(order, np.int64),
        found=np.zeros((MOST_FOUND, 4), np.uint64),
    )
    diving.keys[0] = root
    return diving


@inlined
def _is_new(slots, mask, alike):
    """Return True if a word is not in the hash table yet; write it there."""
    slot = (alike * U64(0x9E3779B97F4A7C15)) >> U64(20)
    while slots[slot & mask] and slots[slot & mask] != alike:
        slot += ONE
    if slots[slot & mask]:
        return False
    slots[slot & mask] = alike
    return True


@inlined
def _worth(t, signature, found, order):
    """Return how early a move is to be tried (int64): those first that take most of the pyramid.

    Turns come last; among the others ``order`` decides.
    """
    code = np.int64(found[CODE])
    if code in (TURNED, OVER):
        return np.int64(-1)
    gone = np.int64(0)
    for column in range(t.columns):
        gone += pairs.left_in(t, signature, column) - pairs.left_in(t, found[SIGNATURE], column)
    return (gone << 8) + order[code % order.size]


@inlined
def _next_to_pile(t, diving, depth):
    """Return the next move onto the pile that is not tried yet: see :data:`next_move`.

    Of the cards that may be played, those of the columns that come first in the order of the dive
    are tried first, the stock last. States whose cards on top differ in their suit only have the
    same solutions, and count once.
    """
    key, tried = diving.keys[depth], diving.tried[depth]
    fits = t.follows[key & U64(TOP)]
    place = np.int64(-1)
    for column in diving.order:
        left = left_in(t, key, column)
        if left and not (tried >> U64(column)) & ONE and (fits >> U64(t.cards[column, left])) & ONE:
            place = np.int64(column)
            break
    if place < 0 and left_in(t, key, t.columns) and not (tried >> U64(t.columns)) & ONE:
        place = np.int64(t.columns)
    if place < 0:
        return place, key, ZERO, place
    card = np.int64(t.cards[place, left_in(t, key, place)])
    moved = after(t, key, card)
    return place, moved, ((moved & ~U64(TOP)) | U64(card >> 2)) + ONE, card


@inlined
def _next_pair(t, diving, depth):
    """Return the next removal, or turn, that is not tried yet: see :data:`next_move`.

    The numbers in the order of the dive decide between moves that take as many cards.
    """
    key, found = diving.keys[depth], diving.found
    of_key = (ONE << t.key_bits) - ONE
    signature = key >> t.key_bits
    count = expand_pairs(t, pair_sets(t, signature), key & of_key, found)
    best, most = np.int64(-1), np.int64(0)
    for number in range(count):
        if (diving.tried[depth] >> U64(number)) & ONE:
            continue
        worth = _worth(t, signature, found[number], diving.order)
        if best < 0 or worth > most:
            best, most = np.int64(number), worth
    if best < 0:
        return best, key, ZERO, best
    public = pairs.public_key(t, found[best, SIGNATURE], found[best, OFF])
    return best, public, public + ONE, np.int64(found[best, CODE])


@inlined
def _pile_is_won(t, key):
    return not key >> t.shifts[0]


@inlined
def _pairs_are_won(t, key):
    of_key = (ONE << t.key_bits) - ONE
    return pairs.is_won(t, key >> t.key_bits, key & of_key)


next_move = ByType({PileTables: _next_to_pile, PairTables: _next_pair})
"""Return the next untried move of the state at a depth.

Called with (tables, diving, depth). Returns four values: the number of the move (-1 if none is
left); the key of the state that it leads to; a number, not 0, that is the same for all states with
the same solutions as that one; the number of the move in a path.
"""
is_won = ByType({PileTables: _pile_is_won, PairTables: _pairs_are_won})
"""Return True for the key of a won state. Called with (tables, key)."""


@kernel
def dive(t, diving, limit):
    """Search depth first for any solution, until ``limit`` states are met in all.

    Returns the length of the solution, which is in ``diving.path``; EXHAUSTED where no state is
    left; GIVEN_UP where the limit came first. Then another call with a higher limit goes on, if
    the hash table has twice as many slots.
    """
    slots, keys, tried = diving.slots, diving.keys, diving.tried
    mask = U64(slots.size - 1)
    depth, met = diving.state[0], diving.state[1]
    if is_won(t, keys[0]):
        return np.int64(0)
    while depth >= 0 and met < limit:
        number, moved, alike, code = next_move(t, diving, depth)
        if number < 0:
            depth -= 1
            continue
        tried[depth] |= ONE << U64(number)
        diving.path[depth] = code
        if is_won(t, moved):
            diving.state[1] = met
            return depth + 1
        if not _is_new(slots, mask, alike):
            continue
        met += 1
        depth += 1
        keys[depth] = moved
        tried[depth] = ZERO
    diving.state[0], diving.state[1] = depth, met
    return np.int64(EXHAUSTED if depth < 0 else GIVEN_UP)
