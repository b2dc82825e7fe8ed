"""The check of a state of a game whose cards only leave: keys from blocks, hashes, ranks."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ZERO

U64 = np.uint64
TOP_BITS = U64(6)
TOP = U64(63)


@kernel
def unpack_keys(signatures, counts, body, cut, local_bits, keys):
    """Write the public keys of a block to ``keys`` (uint64[states]).

    Return True if all of them can be keys. The bits of a signature are those of a key from bit 6
    to ``cut``. The local key, of ``local_bits`` bits, has the card on top and what is above.
    """
    number = 0
    good = True
    for run in range(signatures.size):
        low = ZERO
        good &= signatures[run] >> U64(cut - 6) == ZERO
        for _ in range(counts[run]):
            low += difference(body, 0, number)
            good &= low >> U64(local_bits) == ZERO
            key = (low & TOP) | (signatures[run] << TOP_BITS) | ((low >> TOP_BITS) << U64(cut))
            keys[number] = key
            number += 1
    return good


@kernel
def unpack_pairs(signatures, counts, body, width, local_bits, layer, keys):
    """Write the public keys of a block of a pairing game to ``keys`` (uint64[states]).

    Return True if all of them can be keys. A signature has ``width`` bits, which stand above the
    ``local_bits`` of a local key, and above them the layer.
    """
    number = 0
    good = True
    for run in range(signatures.size):
        low = ZERO
        good &= signatures[run] >> U64(width) == U64(layer)
        columns = signatures[run] & ((U64(1) << U64(width)) - U64(1))
        for _ in range(counts[run]):
            low += difference(body, 0, number)
            good &= low >> U64(local_bits) == ZERO
            keys[number] = low | (columns << U64(local_bits))
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
