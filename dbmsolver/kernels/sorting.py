"""Sorting local keys with their codes: radix sort, least significant byte first.

numpy sorts words fast but records slowly, and a code has to travel with its key. Bits in which all
keys agree are left out while the keys are sorted: those of one signature seldom differ in more than
a word has, though they have three. Equal keys keep their order.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating, inlined
from dbmsolver.kernels.packing import packing_of, put_packed, put_unpacked, words_of_packed
from dbmsolver.kernels.states import U64

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


@inlined
def _count_bytes(key, counts, first):
    for byte in range(8):
        counts[first + byte, np.int64((key >> U64(8 * byte)) & U64(255))] += 1


@allocating
def _pack(keys, count, packing):
    """Pack the first ``count`` keys in place, and count the values of their bytes.

    Packed keys stand one after the other at the beginning of ``keys``. Returns int64[8 * words of a
    packed key, 256]: how many keys have each value in each byte, least significant byte first.
    """
    packed_words = words_of_packed(packing)
    counts = np.zeros((8 * packed_words, 256), np.int64)
    for index in range(count):
        put_packed(keys, index, packing, keys, packed_words)
        for word in range(packed_words):
            _count_bytes(keys[packed_words * index + word], counts, 8 * word)
    return counts


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
        for place in range(words * count):
            spare_keys[place] = keys[place]
        for index in range(count):
            spare_codes[index] = codes[index]
        return
    packing = packing_of(keys, count, words)
    counts = _pack(keys, count, packing)
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
            put_unpacked(keys, index, packed_words, packing, spare_keys, held)
            spare_codes[index] = codes[index]
        return
    # From the last one on: a key takes the place of packed ones that were read before.
    for index in range(count - 1, -1, -1):
        put_unpacked(spare_keys, index, packed_words, packing, spare_keys, held)
