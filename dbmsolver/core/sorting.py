"""Sorting local keys with their codes: radix sort, least significant byte first.

numpy sorts words fast but records slowly, and a code has to travel with its key. Bits in which all
keys agree are left out while the keys are sorted: those of one signature seldom differ in more than
a word has, though they have three. Equal keys keep their order.
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
from dbmsolver.jit.decorators import allocating, inlined

U64 = np.uint64
SMALL = 48
"""The number of states below which insertion sort is faster than counting bytes."""


@inlined
def _precedes(left, left_base, right, right_base, words):
    for word in range(words - 1, -1, -1):
        if left[left_base + word] != right[right_base + word]:
            return left[left_base + word] < right[right_base + word]
    return False


@allocating
def _insertion_sort(keys, codes, count, words):
    held = np.empty(3, np.uint64)
    for index in range(1, count):
        if not _precedes(keys, words * index, keys, words * (index - 1), words):
            continue
        for word in range(words):
            held[word] = keys[words * index + word]
        code = codes[index]
        place = index
        while place > 0 and _precedes(held, 0, keys, words * (place - 1), words):
            for word in range(words):
                keys[words * place + word] = keys[words * (place - 1) + word]
            codes[place] = codes[place - 1]
            place -= 1
        for word in range(words):
            keys[words * place + word] = held[word]
        codes[place] = code


@allocating
def _packing(keys, count, words):
    """Return a way to pack the first ``count`` keys into fewer words without changing their order.

    Bits in which all keys agree are left out. Returns (agreed, networks, targets, shifts):
    ``agreed`` (uint64[words]) has the bits that are set in all keys. For each word of a key,
    ``networks`` has the network (:mod:`dbmsolver.core.bits`) that gathers the bits in which keys
    differ; ``targets`` and ``shifts`` are the word of the packed key, and the bit of that word,
    where these bits begin.
    """
    agreed = keys[:words].copy()
    found = np.zeros(words, np.uint64)
    for index in range(count):
        for word in range(words):
            agreed[word] &= keys[words * index + word]
            found[word] |= keys[words * index + word]
    networks = np.zeros((words, NETWORK_WORDS), np.uint64)
    targets = np.zeros(words, np.int64)
    shifts = np.zeros(words, np.int64)
    target = used = 0
    for word in range(words):
        differing = found[word] ^ agreed[word]
        bits = popcount(differing)
        if used + bits > 64:
            target, used = target + 1, 0
        make_network(differing, networks[word])
        targets[word], shifts[word] = target, used & 63  # 64 only before a word without any
        used += bits
    return agreed, networks, targets, shifts


@inlined
def _count_bytes(key, counts, first):
    for byte in range(8):
        counts[first + byte, np.int64((key >> U64(8 * byte)) & U64(255))] += 1


@allocating
def _pack(keys, count, words, packing):
    """Pack the first ``count`` keys in place, and count the values of their bytes.

    ``packing`` is what :func:`_packing` returns. Packed keys stand one after the other at
    the beginning of ``keys``. Returns int64[8 * words of a packed key, 256]: how many keys have
    each value in each byte, least significant byte first.
    """
    _, networks, targets, shifts = packing
    packed_words = targets[words - 1] + 1
    counts = np.zeros((8 * packed_words, 256), np.int64)
    for index in range(count):
        key, target = U64(0), 0
        for word in range(words):
            if targets[word] != target:
                keys[packed_words * index + target] = key
                _count_bytes(key, counts, 8 * target)
                key, target = U64(0), target + 1
            if networks[word, NETWORK_STAGES]:
                key |= pack_bits(keys[words * index + word], networks[word]) << U64(shifts[word])
        keys[packed_words * index + target] = key
        _count_bytes(key, counts, 8 * target)
    return counts


@inlined
def _unpack(packed, index, packed_words, keys, words, packing, held):
    """Write the key number ``index`` to ``keys``, as it was before it was packed.

    ``packed`` has the packed keys; it may be the same array. ``held`` (uint64[packed_words]) is
    scratch.
    """
    agreed, networks, targets, shifts = packing
    for word in range(packed_words):
        held[word] = packed[packed_words * index + word]
    for word in range(words):
        key = agreed[word]
        if networks[word, NETWORK_STAGES]:
            key |= unpack_bits(held[targets[word]] >> U64(shifts[word]), networks[word])
        keys[words * index + word] = key


@allocating
def _scatter(keys, codes, to_keys, to_codes, count, words, word, shift, starts):
    """Copy states to ``to_keys`` and ``to_codes`` in the order of one byte of their keys.

    The byte is that at bit ``shift`` of the word number ``word``. ``starts`` (int64[256]) has the
    place of the first state with each value of the byte, and is scratch afterwards.
    """
    if words == 1:
        for index in range(count):
            key = keys[index]
            byte = np.int64((key >> shift) & U64(255))
            place = starts[byte]
            starts[byte] = place + 1
            to_keys[place] = key
            to_codes[place] = codes[index]
        return
    for index in range(count):
        byte = np.int64((keys[words * index + word] >> shift) & U64(255))
        place = starts[byte]
        starts[byte] = place + 1
        to_keys[words * place] = keys[words * index]
        to_keys[words * place + 1] = keys[words * index + 1]
        if words == 3:
            to_keys[words * place + 2] = keys[words * index + 2]
        to_codes[place] = codes[index]


@allocating
def sort_states(keys, codes, spare_keys, spare_codes, count, words):
    """Sort the first ``count`` states into ``spare_keys`` and ``spare_codes``.

    They are those of ``keys`` and ``codes``.

    Keys are uint64, ``words`` words each, least significant first. ``keys`` and ``codes`` are
    scratch afterwards. All four arrays are one-dimensional and contiguous.
    """
    if count < SMALL:
        _insertion_sort(keys, codes, count, words)
        spare_keys[: words * count] = keys[: words * count]
        spare_codes[:count] = codes[:count]
        return
    packing = _packing(keys, count, words)
    counts = _pack(keys, count, words, packing)
    packed_words = counts.shape[0] // 8
    here = True  # the current order is in keys, not yet in spare_keys
    for row in range(8 * packed_words):
        word, shift = row // 8, U64(8 * (row % 8))
        if counts[row, np.int64((keys[word] >> shift) & U64(255))] == count:
            continue  # all agree in this byte (any key will do to see it)
        total = 0
        for byte in range(256):
            total, counts[row, byte] = total + counts[row, byte], total
        if here:
            _scatter(
                keys, codes, spare_keys, spare_codes, count, packed_words, word, shift, counts[row]
            )
        else:
            _scatter(
                spare_keys, spare_codes, keys, codes, count, packed_words, word, shift, counts[row]
            )
        here = not here
    held = np.empty(packed_words, np.uint64)
    if here:
        for index in range(count):
            _unpack(keys, index, packed_words, spare_keys, words, packing, held)
            spare_codes[index] = codes[index]
        return
    # From the last one on: a key takes the place of packed ones that were read before.
    for index in range(count - 1, -1, -1):
        _unpack(spare_keys, index, packed_words, spare_keys, words, packing, held)
