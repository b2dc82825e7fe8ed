"""Packed keys: those bits of keys in which the keys of a list differ.

All keys of a signature have the same width, one word or three. Those of one list seldom differ in
more than 64 bits, so that a word is enough for each. A *packing* (uint64[words, PACKING]) says how
to remove the bits that are the same in all keys, and how to put them back. It has a row for each
word of a key: the network that gathers the other bits (:mod:`dbmsolver.kernels.bits`); the bits
that are 1 in all keys; and where the gathered bits are, which is a word of the packed key (TARGET),
from a bit on (SHIFT). The gathered bits of a word stay in one word. Packed keys compare as the keys
do; in both, the last word is the most significant.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating, inlined, kernel
from dbmsolver.kernels.bits import (
    NETWORK_STAGES,
    NETWORK_WORDS,
    make_network,
    pack_bits,
    popcount,
    unpack_bits,
)
from dbmsolver.kernels.states import U64

DIFFERING = NETWORK_STAGES
AGREED, TARGET, SHIFT = range(NETWORK_WORDS, NETWORK_WORDS + 3)
"""Columns of a packing, behind the stages of the network."""
PACKING = NETWORK_WORDS + 3


@allocating
def packing_of(keys, count, words):
    """Return the packing of the first ``count`` keys, which is at least 1.

    Each key has ``words`` words.
    """
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
    """Pack the key number ``index`` of ``keys``, and store it as number ``index`` of ``packed``.

    Each packed key has ``packed_words`` words. ``packed`` may be the array ``keys`` itself, if keys
    are packed from the first one on.
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
    """Unpack the key number ``index`` of ``packed``, and store it as number ``index`` of ``keys``.

    ``keys`` may be the array ``packed`` itself, if keys are unpacked from the last one on. ``held``
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
