"""Runs: states or candidates side by side, those of one signature in each.

``signatures`` (uint64[runs]), ``counts`` (int64[runs]: states in each), ``keys`` (uint64) and
``codes`` describe them. Keys have 1 or 3 words; offsets in ``codes`` are in states, those in
``keys`` in words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import allocating
from dbmsolver.kernels.bits import prefetch
from dbmsolver.kernels.hooks import make_layout, pack_key, progress, signature_sets, unpack_key
from dbmsolver.kernels.layout import NETS, WIDE_WORDS, key_at
from dbmsolver.kernels.meta import META, make_meta
from dbmsolver.kernels.shards import ROW, put_state
from dbmsolver.kernels.sorting import sort_states
from dbmsolver.kernels.states import HIGH, LOW, OFF, SIGNATURE

_AHEAD = 16
"""Rows that are on their way from memory while one is packed."""


class RunArrays(NamedTuple):
    """Runs of states whose keys may have different widths, as kernels read them.

    Run i has `counts[i]` states, all with the signature `signatures[i]`. Its keys begin at
    `keys[word_offsets[i]]`, its parent-move codes at `codes[offsets[i]]` (uint8 or uint16).
    """

    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    word_offsets: NDArray[np.int64]
    keys: NDArray[np.uint64]
    codes: NDArray[Any]

    def run(self, index: int, words: int) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        """Return copies of the keys and codes of one run, whose keys have ``words`` words."""
        place, first = int(self.word_offsets[index]), int(self.offsets[index])
        count = int(self.counts[index])
        keys = self.keys[place : place + words * count].copy()
        return keys, self.codes[first : first + count].copy()


@allocating
def progress_of(t, signatures, locked_in_deal):
    """Return the progress (int64[*]) of each signature, in cards.

    ``locked_in_deal`` as for :func:`progress`.
    """
    result = np.empty(signatures.size, np.int64)
    for index in range(signatures.size):
        result[index] = progress(t, signatures[index], locked_in_deal)
    return result


@allocating
def widths_of(t, signatures):
    """Return the number of words (int64[*]), 1 or 3, of the keys of each signature's states."""
    result = np.empty(signatures.size, np.int64)
    nets = np.zeros(NETS, np.uint64)
    for index in range(signatures.size):
        layout = make_layout(t, signature_sets(t, signatures[index]).loose, nets)
        result[index] = WIDE_WORDS if layout.wide else 1
    return result


@allocating
def keys_fit(t, signatures, counts, words, keys):
    """Return True if the keys of these runs use no bits but those of their signatures.

    Keys have ``words`` words each.
    """
    nets = np.zeros(NETS, np.uint64)
    place = 0
    for run in range(signatures.size):
        layout = make_layout(t, signature_sets(t, signatures[run]).loose, nets)
        if words != (WIDE_WORDS if layout.wide else 1):
            return False
        for _ in range(counts[run]):
            if words == 1:
                if layout.bits < 64 and keys[place] >> np.uint64(layout.bits):
                    return False
            else:
                for plane in range(WIDE_WORDS):
                    if keys[place + plane] & ~(layout.loose & t.varying[plane]):
                        return False
            place += words
    return True


@allocating
def key_bits(t, signature):
    """Return the number of bits (int64) that tell the states of a signature apart."""
    nets = np.zeros(NETS, np.uint64)
    return make_layout(t, signature_sets(t, signature).loose, nets).bits


@allocating
def local_key(t, signature, off, low, high):
    """Return the local key of one state (uint64[1 or 3])."""
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    words = pack_key(t, layout, nets, off, low, high)
    result = np.empty(WIDE_WORDS if layout.wide else 1, np.uint64)
    for word in range(result.size):
        result[word] = words[word]
    return result


@allocating
def copy_runs(counts, widths, offsets, words, keys, codes, to_offsets, to_words, to_keys, to_codes):
    """Copy the codes and keys of runs, each from its place to another.

    Codes and keys go from ``codes`` and ``keys`` to ``to_codes`` and ``to_keys``.

    Places are ``offsets`` and ``to_offsets`` in states, ``words`` and ``to_words`` in words
    (int64[runs]).
    """
    for run in range(counts.size):
        for index in range(counts[run]):
            to_codes[to_offsets[run] + index] = codes[offsets[run] + index]
        for index in range(counts[run] * widths[run]):
            to_keys[to_words[run] + index] = keys[words[run] + index]


@allocating
def sort_runs(counts, words, keys, codes):
    """Sort each of the adjoining runs by key, drop duplicates and close up.

    Returns new (counts, keys, codes); ``keys`` and ``codes`` are scratch afterwards. Of duplicates
    the one that came first stays.
    """
    new_counts = np.empty_like(counts)
    new_keys = np.empty_like(keys)
    new_codes = np.empty_like(codes)
    source = place = 0
    for run in range(counts.size):
        count = counts[run]
        spare_keys = new_keys[words * source :]
        spare_codes = new_codes[source:]
        sort_states(
            keys[words * source : words * (source + count)],
            codes[source : source + count],
            spare_keys,
            spare_codes,
            count,
            words,
        )
        first = place
        for index in range(count):
            same = place > first
            for word in range(words):
                key = spare_keys[words * index + word]
                same = same and new_keys[words * (place - 1) + word] == key
            if same:
                continue
            for word in range(words):
                new_keys[words * place + word] = spare_keys[words * index + word]
            new_codes[place] = spare_codes[index]
            place += 1
        new_counts[run] = place - first
        source += count
    return new_counts, new_keys[: words * place], new_codes[:place]


@allocating
def pack_rows(t, rows, chosen):
    """Sort rows of shards into runs by signature, each sorted by local key.

    ``chosen`` (uint32[*]) are the numbers of the rows, in any order. Returns (signatures, counts,
    offsets in states, offsets in words, keys, metas); metas (uint32) are the lower halves of the
    rows' own: code and g.
    """
    total = chosen.size
    flat = rows.reshape(rows.size)
    first_keys = np.empty(total, np.uint64)
    index = np.empty(total, np.uint32)
    for place in range(total):
        if place + _AHEAD < total:
            prefetch(flat, ROW * np.int64(chosen[place + _AHEAD]))
        index[place] = chosen[place]
        first_keys[place] = rows[chosen[place], SIGNATURE]
    by_signature = np.empty(total, np.uint64)
    order = np.empty(total, np.uint32)
    sort_states(first_keys, index, by_signature, order, total, np.int64(1))
    runs = 0
    for place in range(total):
        runs += place == 0 or by_signature[place] != by_signature[place - 1]
    signatures = np.empty(runs, np.uint64)
    counts = np.zeros(runs, np.int64)
    offsets = np.empty(runs, np.int64)
    starts = np.empty(runs, np.int64)
    keys = np.empty(total * WIDE_WORDS, np.uint64)
    metas = np.empty(total, np.uint32)
    spare_keys = np.empty(total * WIDE_WORDS, np.uint64)
    spare_metas = np.empty(total, np.uint32)
    nets = np.zeros(NETS, np.uint64)
    run = -1
    place = word = 0
    while place < total:
        run += 1
        signature = by_signature[place]
        layout = make_layout(t, signature_sets(t, signature).loose, nets)
        words = WIDE_WORDS if layout.wide else 1
        signatures[run], offsets[run], starts[run] = signature, place, word
        count = 0
        while place + count < total and by_signature[place + count] == signature:
            if place + count + _AHEAD < total:
                prefetch(flat, ROW * np.int64(order[place + count + _AHEAD]))
            row = rows[order[place + count]]
            first, second, third = pack_key(t, layout, nets, row[OFF], row[LOW], row[HIGH])
            spare_keys[words * count] = first
            if words > 1:
                spare_keys[words * count + 1] = second
                spare_keys[words * count + 2] = third
            spare_metas[count] = np.uint32(row[META])
            count += 1
        sort_states(spare_keys, spare_metas, keys[word:], metas[place:], count, words)
        counts[run] = count
        place += count
        word += words * count
    return signatures, counts, offsets, starts, keys, metas


@allocating
def unpack_rows(t, signatures, counts, keys, codes, costs, words):
    """Return rows (uint64[states, ROW]) of runs whose keys have ``words`` words.

    ``costs`` (uint16) are the moves made, g.
    """
    rows = np.empty((codes.size, ROW), np.uint64)
    nets = np.zeros(NETS, np.uint64)
    wide = words == WIDE_WORDS
    place = 0
    for run in range(signatures.size):
        layout = make_layout(t, signature_sets(t, signatures[run]).loose, nets)
        for _ in range(counts[run]):
            first, second, third = key_at(keys, place, wide)
            off, low, high = unpack_key(t, layout, nets, first, second, third)
            put_state(rows, place, (signatures[run], off, low, high))
            rows[place, META] = make_meta(codes[place], costs[place])
            place += 1
    return rows
