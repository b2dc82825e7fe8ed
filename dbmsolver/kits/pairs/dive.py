"""Searches depth first in games of pairs: which removal, or turn, is tried next."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.states import OFF, ONE, SIGNATURE, U64, ZERO, word_sets
from dbmsolver.kits.pairs.moves import (
    CODE,
    OVER,
    TURNED,
    expand_pairs,
    is_won,
    left_in,
    public_key,
)


@inlined
def worth_of(t, signature, found, order):
    """Return how early a move is to be tried (int64): those first that take most of the pyramid.

    Turns come last; among the others ``order`` decides.
    """
    code = np.int64(found[CODE])
    if code in (TURNED, OVER):
        return np.int64(-1)
    gone = np.int64(0)
    for column in range(t.columns):
        gone += left_in(t, signature, column) - left_in(t, found[SIGNATURE], column)
    return (gone << 8) + order[code % order.size]


@inlined
def next_move(t, diving, depth):
    """Return the next removal, or turn, that is not tried yet: see the hook `next_move`.

    The numbers in the order of the dive decide between moves that take as many cards.
    """
    key, found = diving.keys[depth], diving.found
    of_key = (ONE << t.key_bits) - ONE
    signature = key >> t.key_bits
    count = expand_pairs(t, word_sets(t, signature), key & of_key, ZERO, ZERO, diving)
    best, most = np.int64(-1), np.int64(0)
    for number in range(count):
        if (diving.tried[depth] >> U64(number)) & ONE:
            continue
        worth = worth_of(t, signature, found[number], diving.order)
        if best < 0 or worth > most:
            best, most = np.int64(number), worth
    if best < 0:
        return best, key, ZERO, best
    public = public_key(t, found[best, SIGNATURE], found[best, OFF])
    return best, public, public + ONE, np.int64(found[best, CODE])


@inlined
def is_won_key(t, key):
    """Return True for the key of a won state."""
    of_key = (ONE << t.key_bits) - ONE
    return is_won(t, key >> t.key_bits, key & of_key)
