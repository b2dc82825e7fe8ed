"""Public keys of closed states, and the digest of a whole closed set.

The digest is the sum modulo 2**64 of XXH3-64 over the public keys of the states. A key is hashed as
its 64-bit words in little-endian order, word 0 first. A sum does not depend on the order of the
states, nor on how a search divides them.

The public key of a class has two words: its signature and its key. So has that of a state of one
pile: the public key, and 0; and of pairs: the public key, and the layer, 0 where it has none. That
of Klondike and its relatives has three words, those of the position.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating, inlined, inlined_kernel
from dbmsolver.kernels.bits import multiply_high
from dbmsolver.kernels.hooks import base_of, hash_of, make_layout, signature_sets, unpack_key
from dbmsolver.kernels.layout import NETS, WIDE_WORDS
from dbmsolver.kernels.states import LOW, OFF, SIGNATURE, U64

MAX_PUBLIC_WORDS = 3

# Constants of XXH3 (the XXH64 primes and words of its default secret), from its specification.
PRIME64_1 = np.uint64(0x9E3779B185EBCA87)
PRIME_MX1 = np.uint64(0x165667919E3779F9)
SECRET_0 = np.uint64(0xBE4BA423396CFEB8)
SECRET_8 = np.uint64(0x1CAD21F72C81017C)
SECRET_16 = np.uint64(0xDB979083E96DD4DE)
SECRET_24 = np.uint64(0x1F67B3B7A4A44072)
SECRET_32 = np.uint64(0x78E5C0CC4EE679CB)
SECRET_40 = np.uint64(0x2172FFCC7DD05A82)
SECRET_48 = np.uint64(0x8E2443F7744608B8)


@inlined
def _fold(left, right):
    return (left * right) ^ multiply_high(left, right)


@inlined
def _avalanche(word):
    word ^= word >> U64(37)
    word *= PRIME_MX1
    return word ^ (word >> U64(32))


@inlined
def _swap_bytes(word):
    word = ((word & U64(0x00FF00FF00FF00FF)) << U64(8)) | (
        (word >> U64(8)) & U64(0x00FF00FF00FF00FF)
    )
    word = ((word & U64(0x0000FFFF0000FFFF)) << U64(16)) | (
        (word >> U64(16)) & U64(0x0000FFFF0000FFFF)
    )
    return (word << U64(32)) | (word >> U64(32))


@inlined_kernel
def hash_words(word0, word1, word2, count):
    """Return XXH3-64 (uint64) of 2 or 3 words (``count``).

    The words are hashed as 8 * ``count`` little-endian bytes, with seed 0.
    """
    if count == 2:
        low = word0 ^ (SECRET_24 ^ SECRET_32)
        high = word1 ^ (SECRET_40 ^ SECRET_48)
        return _avalanche(U64(16) + _swap_bytes(low) + high + _fold(low, high))
    total = U64(24) * PRIME64_1
    total += _fold(word0 ^ SECRET_0, word1 ^ SECRET_8)
    total += _fold(word1 ^ SECRET_16, word2 ^ SECRET_24)
    return _avalanche(total)


@inlined
def base_of_signature(t, sets, words):
    """Write the signature to ``words``, for kits whose public keys begin with it."""
    words[0] = sets.signature


@allocating
def digest_runs(t, signatures, counts, keys, words):
    """Return the sum (uint64) of the hashes of the public keys of runs of closed states.

    ``signatures`` (uint64[runs]) and ``counts`` (int64[runs]) describe the runs; ``keys`` (uint64)
    are their local keys, of ``words`` words (1 or 3) each, one run after the other.
    """
    total = U64(0)
    nets = np.zeros(NETS, np.uint64)
    base = np.zeros(MAX_PUBLIC_WORDS, np.uint64)
    second = third = U64(0)
    place = 0
    for run in range(signatures.size):
        sets = signature_sets(t, signatures[run])
        layout = make_layout(t, sets.loose, nets)
        base_of(t, sets, base)
        base0, base1, base2 = base[0], base[1], base[2]
        for _ in range(counts[run]):
            if words == WIDE_WORDS:
                second, third = keys[place + 1], keys[place + 2]
            off, low, high = unpack_key(t, layout, nets, keys[place], second, third)
            total += hash_of(t, base0, base1, base2, off, low, high)
            place += words
    return total


@allocating
def digest_rows(t, rows):
    """Return the digest (uint64) of states whose plane *high* is 0, one for each row.

    Of ``rows`` (uint64[states, 3 or more]) the columns SIGNATURE, OFF and LOW are read.
    """
    total = U64(0)
    base = np.zeros(MAX_PUBLIC_WORDS, np.uint64)
    for number in range(rows.shape[0]):
        base_of(t, signature_sets(t, rows[number, SIGNATURE]), base)
        off, low = rows[number, OFF], rows[number, LOW]
        total += hash_of(t, base[0], base[1], base[2], off, low, U64(0))
    return total
