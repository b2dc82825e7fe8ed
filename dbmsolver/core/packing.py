"""Packed keys: of all bits of some keys, those in which they differ.

The keys of a signature have one word or three, but those that are together somewhere seldom differ
in more bits than a word has. A *packing* (uint64[words, PACKING]) says how to leave the others out
and how to put them back. It has a row for each word of a key: the network that gathers the bits in
which keys differ (:mod:`dbmsolver.core.bits`), the bits that are set in all keys, and the word of
the packed key (TARGET) and its bit (SHIFT) at which the gathered bits begin. Packed keys are in the
same order as the keys that they stand for, the last word being the most significant.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.core.bits import (
    NETWORK_STAGES,
    NETWORK_WORDS,
    make_network,
    pack_bits,
    popcount,
    unpack_bits,
)
from dbmsolver.jit.decorators import allocating, inlined, kernel

U64 = np.uint64
DIFFERING = NETWORK_STAGES
AGREED, TARGET, SHIFT = range(NETWORK_WORDS, NETWORK_WORDS + 3)
"""Columns of a packing, behind the stages of the network."""
PACKING = NETWORK_WORDS + 3


@allocating
def packing_of(keys, count, words):
    """Return the packing of the first ``count`` of ``keys``, at least one, of ``words`` words."""
    packing = np.zeros((words, PACKING), np.uint64)
    agreed = keys[:words].copy()
    found = keys[:words].copy()
    for index in range(count):
        for word in range(words):
            agreed[word] &= keys[words * index + word]
            found[word] |= keys[words * index + word]
    target = used = 0
    for word in range(words):
        differing = found[word] ^ agreed[word]
        bits = popcount(differing)
        if used + bits > 64:
            target, used = target + 1, 0
        make_network(differing, packing[word, :NETWORK_WORDS])
        packing[word, AGREED] = agreed[word]
        packing[word, TARGET] = target
        packing[word, SHIFT] = used & 63  # 64 only before a word without any
        used += bits
    return packing


@inlined
def words_of_packed(packing):
    """Return the number of words (int64) of a packed key."""
    return np.int64(packing[packing.shape[0] - 1, TARGET]) + 1


@inlined
def put_packed(keys, index, packing, packed, packed_words):
    """Write the key number ``index`` of ``keys`` to ``packed``, as its number ``index``.

    ``packed`` may be the same array, if all keys before have been packed.
    """
    words = packing.shape[0]
    key, target = U64(0), 0
    for word in range(words):
        if np.int64(packing[word, TARGET]) != target:
            packed[packed_words * index + target] = key
            key, target = U64(0), target + 1
        if packing[word, DIFFERING]:
            key |= pack_bits(keys[words * index + word], packing[word]) << packing[word, SHIFT]
    packed[packed_words * index + target] = key


@inlined
def put_unpacked(packed, index, packed_words, packing, keys, held):
    """Write the packed key number ``index`` to ``keys``, as it was before it was packed.

    ``keys`` may be the same array as ``packed``, if all keys behind have been unpacked. ``held``
    (uint64[packed_words]) is scratch.
    """
    words = packing.shape[0]
    for word in range(packed_words):
        held[word] = packed[packed_words * index + word]
    for word in range(words):
        key = packing[word, AGREED]
        if packing[word, DIFFERING]:
            part = held[np.int64(packing[word, TARGET])] >> packing[word, SHIFT]
            key |= unpack_bits(part, packing[word])
        keys[words * index + word] = key


@kernel
def pack_keys(keys, packing, packed):
    """Pack ``keys`` (uint64[words * states]); writes ``packed`` (uint64[packed words * states])."""
    packed_words = words_of_packed(packing)
    for index in range(packed.size // packed_words):
        put_packed(keys, index, packing, packed, packed_words)


@allocating
def unpack_keys(packed, packing, keys):
    """Write to ``keys`` what :func:`pack_keys` has packed."""
    packed_words = words_of_packed(packing)
    held = np.empty(packed_words, np.uint64)
    for index in range(packed.size // packed_words):
        put_unpacked(packed, index, packed_words, packing, keys, held)
