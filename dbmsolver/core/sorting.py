"""Sorting local keys with their codes: radix sort, least significant byte first.

numpy sorts words fast but records slowly, and a code has to travel with its key. Bytes in which all
keys agree cost nothing but the count. Equal keys keep their order.
"""

from __future__ import annotations

import numpy as np

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
def _scatter(keys, codes, to_keys, to_codes, count, words, word, shift, starts):
    for index in range(count):
        byte = np.int64((keys[words * index + word] >> shift) & U64(255))
        place = starts[byte]
        starts[byte] = place + 1
        for other in range(words):
            to_keys[words * place + other] = keys[words * index + other]
        to_codes[place] = codes[index]


@allocating
def sort_states(keys, codes, spare_keys, spare_codes, count, words):
    """Sort the first ``count`` states into ``spare_keys`` and ``spare_codes``.

    They are those of ``keys`` and ``codes``.

    Keys are uint64, ``words`` words each, least significant first. ``keys`` and ``codes`` are
    scratch afterwards. All four arrays are one-dimensional and contiguous.
    """
    here = True  # the current order is in keys, not yet in spare_keys
    if count < SMALL:
        _insertion_sort(keys, codes, count, words)
    else:
        counts = np.zeros((words * 8, 256), np.int64)
        for index in range(count):
            for word in range(words):
                key = keys[words * index + word]
                for byte in range(8):
                    counts[8 * word + byte, np.int64((key >> U64(8 * byte)) & U64(255))] += 1
        for row in range(words * 8):
            word, shift = row // 8, U64(8 * (row % 8))
            if counts[row, np.int64((keys[word] >> shift) & U64(255))] == count:
                continue  # all agree in this byte (any key will do to see it)
            total = 0
            for byte in range(256):
                total, counts[row, byte] = total + counts[row, byte], total
            if here:
                _scatter(
                    keys, codes, spare_keys, spare_codes, count, words, word, shift, counts[row]
                )
            else:
                _scatter(
                    spare_keys, spare_codes, keys, codes, count, words, word, shift, counts[row]
                )
            here = not here
    if here:
        for index in range(words * count):
            spare_keys[index] = keys[index]
        for index in range(count):
            spare_codes[index] = codes[index]
