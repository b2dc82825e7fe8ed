"""The check of games whose cards only leave: keys from blocks, hashes, look-ups, states.

A *state* of such a game is int64[fields], made of its key: how many cards each column has left, and
whatever else :mod:`dbmsolver.verify.pile_format` and :mod:`dbmsolver.verify.pair_format` say.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined_kernel, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ONE, U64, ZERO

CODE, STRATA, LAYERS = range(3)
"""The facts about a move: its parent-move code, and how many strata and layers it leads up."""
FACTS = 3


@kernel
def unpack_keys(signatures, counts, body, place, width, local_bits, layer, keys):
    """Write the public keys of a block to ``keys`` (uint64[states]).

    Return True if all of them can be keys. A signature has ``width`` bits, and above them the
    layer. A local key has ``local_bits`` bits. A key is a local key with the ``width`` bits of its
    signature inserted at bit ``place``.
    """
    number = 0
    good = True
    below = (ONE << U64(place)) - ONE
    for run in range(signatures.size):
        low = ZERO
        good &= signatures[run] >> U64(width) == U64(layer)
        inside = (signatures[run] & ((ONE << U64(width)) - ONE)) << U64(place)
        for _ in range(counts[run]):
            low += difference(body, 0, number)
            good &= low >> U64(local_bits) == ZERO
            keys[number] = (low & below) | inside | (low & ~below) << U64(width)
            number += 1
    return good


@kernel
def hash_sum(keys, second):
    """Return the sum modulo 2**64 of the hashes of public keys: each key, and a second word."""
    total = ZERO
    for key in keys:
        total += hash_key(key, second, ZERO, 2)
    return total


@kernel
def missing_from(wanted, known):
    """Return the index of the first key of ``wanted`` that is not in ``known``, -1 if all are.

    ``known`` is in ascending order.
    """
    for place in range(wanted.size):
        key = wanted[place]
        low, high = 0, known.size
        while low < high:
            middle = (low + high) >> 1
            if known[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low == known.size or known[low] != key:
            return place
    return -1


@inlined_kernel
def key_of(g, state):
    """Return the public key of a state; ``g`` has the lowest bit of each field in ``shifts``."""
    key = ZERO
    for field in range(state.size):
        key |= U64(state[field]) << U64(g.shifts[field])
    return key
