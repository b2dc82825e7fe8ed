"""XXH3-64 of the words of a public key, from the specification of that hash.

Inputs have 16 or 24 bytes, the seed is 0.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.words import HALF, U64

_PRIME = np.uint64(0x9E3779B185EBCA87)
_MIX = np.uint64(0x165667919E3779F9)
_SECRET = np.array(
    [
        0xBE4BA423396CFEB8,
        0x1CAD21F72C81017C,
        0xDB979083E96DD4DE,
        0x1F67B3B7A4A44072,
        0x78E5C0CC4EE679CB,
        0x2172FFCC7DD05A82,
        0x8E2443F7744608B8,
    ],
    np.uint64,
)


@inlined
def folded_product(left, right):
    """Return both halves of the 128-bit product, one XORed onto the other."""
    shift = U64(32)
    low_low = (left & HALF) * (right & HALF)
    high_low = (left >> shift) * (right & HALF)
    low_high = (left & HALF) * (right >> shift)
    cross = (low_low >> shift) + (high_low & HALF) + low_high
    upper = (left >> shift) * (right >> shift) + (high_low >> shift) + (cross >> shift)
    return (left * right) ^ upper


@inlined
def reversed_bytes(word):
    """Return the word with its bytes in the opposite order."""
    pairs = U64(0x00FF00FF00FF00FF)
    word = ((word >> U64(8)) & pairs) | ((word & pairs) << U64(8))
    quads = U64(0x0000FFFF0000FFFF)
    word = ((word >> U64(16)) & quads) | ((word & quads) << U64(16))
    return (word >> U64(32)) | (word << U64(32))


@inlined_kernel
def hash_key(first, second, third, words):
    """Return the hash of a key of two or three words."""
    if words == 2:
        first ^= _SECRET[3] ^ _SECRET[4]
        second ^= _SECRET[5] ^ _SECRET[6]
        total = U64(16) + reversed_bytes(first) + second + folded_product(first, second)
    else:
        total = U64(24) * _PRIME
        total += folded_product(first ^ _SECRET[0], second ^ _SECRET[1])
        total += folded_product(second ^ _SECRET[2], third ^ _SECRET[3])
    total ^= total >> U64(37)
    total *= _MIX
    return total ^ (total >> U64(32))
