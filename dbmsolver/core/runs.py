"""Runs of candidates on their way from parcel to stratum."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.expand import progress, signature_sets
from dbmsolver.core.layout import NETS, WIDE_WORDS, make_layout, pack_key, unpack_key
from dbmsolver.core.sorting import sort_states
from dbmsolver.jit.decorators import allocating

U64 = np.uint64


@allocating
def progress_of(t, signatures, locked_in_deal):
    """Progress of each signature (int64)."""
    result = np.empty(signatures.size, np.int64)
    for index in range(signatures.size):
        result[index] = progress(t, signatures[index], locked_in_deal)
    return result


@allocating
def widths_of(t, signatures):
    """Key words (1 or 3) of each signature's states (int64)."""
    result = np.empty(signatures.size, np.int64)
    nets = np.zeros(NETS, np.uint64)
    for index in range(signatures.size):
        layout = make_layout(t, signature_sets(t, signatures[index]).loose, nets)
        result[index] = WIDE_WORDS if layout.wide else 1
    return result


@allocating
def keys_fit(t, signatures, counts, words, keys):
    """Whether the local keys of these runs, of ``words`` words each, have no bits that their signatures do not use."""
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
    """How many bits tell the states of a signature apart."""
    nets = np.zeros(NETS, np.uint64)
    return make_layout(t, signature_sets(t, signature).loose, nets).bits


@allocating
def local_key(t, signature, off, low, high):
    """The local key of one state (uint64[1 or 3])."""
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    words = pack_key(t, layout, nets, off, low, high)
    result = np.empty(WIDE_WORDS if layout.wide else 1, np.uint64)
    for word in range(result.size):
        result[word] = words[word]
    return result


@allocating
def copy_runs(counts, widths, offsets, words, keys, codes, to_offsets, to_words, to_keys, to_codes):
    """Copy runs, each from its offset (in states; ``words`` in key words) to its place in the target arrays."""
    for run in range(counts.size):
        for index in range(counts[run]):
            to_codes[to_offsets[run] + index] = codes[offsets[run] + index]
        for index in range(counts[run] * widths[run]):
            to_keys[to_words[run] + index] = keys[words[run] + index]


@allocating
def sort_runs(counts, words, keys, codes):
    """Sort each of the adjoining runs by key, drop duplicates, close up; new counts.

    Returns (counts, keys, codes); the inputs are scratch afterwards.  Of duplicates the first in order of code stays.
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
def pack_rows(t, rows):
    """Sort rows of :mod:`dbmsolver.core.shards` into runs by signature, each sorted by local key.

    Returns (signatures, counts, offsets in states, offsets in words, keys, metas); metas are uint32: code + 2**16 * g.
    """
    total = rows.shape[0]
    first_keys = rows[:, 0].copy()
    index = np.arange(total).astype(np.uint32)
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
            row = rows[order[place + count]]
            first, second, third = pack_key(t, layout, nets, row[1], row[2], row[3])
            spare_keys[words * count] = first
            if words > 1:
                spare_keys[words * count + 1] = second
                spare_keys[words * count + 2] = third
            spare_metas[count] = np.uint32(row[4])
            count += 1
        sort_states(spare_keys, spare_metas, keys[word:], metas[place:], count, words)
        counts[run] = count
        place += count
        word += words * count
    return signatures, counts, offsets, starts, keys, metas


@allocating
def unpack_rows(t, signatures, counts, keys, codes, costs, words):
    """Rows (uint64[states, 5]) of a block's runs; ``costs`` are their g (uint16)."""
    rows = np.empty((codes.size, 5), np.uint64)
    nets = np.zeros(NETS, np.uint64)
    second = third = U64(0)
    place = 0
    for run in range(signatures.size):
        layout = make_layout(t, signature_sets(t, signatures[run]).loose, nets)
        for _ in range(counts[run]):
            if words == WIDE_WORDS:
                second, third = keys[words * place + 1], keys[words * place + 2]
            off, low, high = unpack_key(t, layout, nets, keys[words * place], second, third)
            row = rows[place]
            row[0], row[1], row[2], row[3] = signatures[run], off, low, high
            row[4] = U64(codes[place]) | (U64(costs[place]) << U64(16))
            place += 1
    return rows
