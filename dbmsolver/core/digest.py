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

from dbmsolver.core import pairs
from dbmsolver.core.bits import multiply_high
from dbmsolver.core.class_tables import ClassTables
from dbmsolver.core.expand import height
from dbmsolver.core.layout import NETS, WIDE_WORDS, make_layout, unpack_key
from dbmsolver.core.pairs import PairTables
from dbmsolver.core.patience_states import StrataTables
from dbmsolver.core.pile import PileTables, public_key
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.signatures import signature_sets
from dbmsolver.core.tables import CARDS, Tables
from dbmsolver.core.two_way_tables import TwoWayTables
from dbmsolver.jit.decorators import allocating, inlined, inlined_kernel
from dbmsolver.jit.families import ByType

U64 = np.uint64
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
def base_words(t, sets, words):
    """Write to ``words`` (uint64[3]) what all states of a signature share of their public key.

    ``sets`` is its :class:`~dbmsolver.core.expand.Sets`. ``t.rank_words`` counts cards that are not
    loose as lying on their first parent, for their plane bits are 0; that is taken back here.
    """
    for word in range(t.digit_words.shape[1]):
        total = U64(0)
        for suit in range(4):
            total += t.height_words[suit, height(sets.signature, suit), word]
        for card in range(CARDS):
            if not (sets.loose >> U64(card)) & U64(1):
                total -= t.digit_words[8 * card, word]
        words[word] = total


@inlined
def plane_index(t, rank, off, low, high):
    """Return the row (int64) of ``t.rank_words`` for a rank's four cards with these planes."""
    shift = U64(4 * rank)
    nibble = U64(15)
    index = ((off >> shift) & nibble) | (((low >> shift) & nibble) << U64(4))
    if t.planes == 3:
        index |= ((high >> shift) & nibble) << U64(8)
    return np.int64(index)


@inlined
def hash_state(t, word0, word1, word2, off, low, high):
    """Hash a state's public key (uint64); the words are those of :func:`base_words`."""
    length = t.rank_words.shape[2]
    for rank in range(13):
        index = plane_index(t, rank, off, low, high)
        word0 += t.rank_words[rank, index, 0]
        word1 += t.rank_words[rank, index, 1]
        if length > 2:
            word2 += t.rank_words[rank, index, 2]
    return hash_words(word0, word1, word2, length)


@inlined
def _base_of_cards(t, sets, words):
    base_words(t, sets, words)


@inlined
def _base_of_signature(t, sets, words):
    words[0] = sets.signature


@inlined
def _hash_of_class(t, word0, word1, word2, off, low, high):
    return hash_words(word0, off, U64(0), 2)


@inlined
def _hash_of_pile(t, word0, word1, word2, off, low, high):
    return hash_words(public_key(t, word0, off), U64(0), U64(0), 2)


@inlined
def _hash_of_pairs(t, word0, word1, word2, off, low, high):
    return hash_words(pairs.public_key(t, word0, off), word0 >> t.layer_shift, U64(0), 2)


@inlined
def _hash_of_words(t, word0, word1, word2, off, low, high):
    return hash_words(off, low, high, 3)


_OF_CARDS = (Tables, RunTables, TwoWayTables)
_base_of = ByType(
    {
        **dict.fromkeys(_OF_CARDS, _base_of_cards),
        **dict.fromkeys((ClassTables, PileTables, PairTables, StrataTables), _base_of_signature),
    }
)
_hash_of = ByType(
    {
        **dict.fromkeys(_OF_CARDS, hash_state),
        ClassTables: _hash_of_class,
        PileTables: _hash_of_pile,
        PairTables: _hash_of_pairs,
        StrataTables: _hash_of_words,
    }
)


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
        _base_of(t, sets, base)
        base0, base1, base2 = base[0], base[1], base[2]
        for _ in range(counts[run]):
            if words == WIDE_WORDS:
                second, third = keys[place + 1], keys[place + 2]
            off, low, high = unpack_key(t, layout, nets, keys[place], second, third)
            total += _hash_of(t, base0, base1, base2, off, low, high)
            place += words
    return total


__all__ = ["base_words", "digest_runs", "hash_state", "hash_words"]
