"""States grouped by signature: sorted, selected, and brought together for the kernels."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.runs import RunArrays, copy_runs, sort_runs
from dbmsolver.storage.blocks import Runs

SHARED_COPY = 1 << 14
"""Several threads copy states only where there are at least this many in all.

To hand work to a thread takes as much time as copying a few thousand states.
"""


def cut(runs: RunArrays, first: int, last: int) -> RunArrays:
    """Return the runs ``first:last`` of those that :func:`gather` brought together, as views."""
    ends = np.append(runs.offsets, runs.codes.size), np.append(runs.word_offsets, runs.keys.size)
    states, words = (slice(int(end[first]), int(end[last])) for end in ends)
    some = slice(first, last)
    return RunArrays(
        runs.signatures[some],
        runs.counts[some],
        runs.offsets[some] - states.start,
        runs.word_offsets[some] - words.start,
        runs.keys[words],
        runs.codes[states],
    )


def sorted_runs(runs: Runs) -> Runs:
    """Return the same states sorted and without duplicates within each run, as blocks need them."""
    ordered = _chosen(runs, np.argsort(runs.signatures, kind="stable"))
    counts, keys, codes = sort_runs(ordered.counts, runs.key_words, ordered.keys, ordered.codes)
    return Runs(ordered.signatures, counts, keys, codes, runs.key_words)


def are_among(signatures: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return True for each signature that is among `wanted`, which are sorted.

    It takes little where these are far more than the signatures.
    """
    if not wanted.size:
        return np.zeros(signatures.size, np.bool_)
    places = np.searchsorted(wanted, signatures)
    found: NDArray[np.bool_] = wanted[np.minimum(places, wanted.size - 1)] == signatures
    return found


def select_runs(runs: Runs, wanted: NDArray[np.uint64]) -> Runs:
    """Return the runs whose signature is among `wanted`."""
    return _chosen(runs, np.flatnonzero(np.isin(runs.signatures, wanted)))


def _chosen(runs: Runs, chosen: NDArray[np.int64]) -> Runs:
    """Return a copy of these runs, in this order."""
    counts = runs.counts[chosen]
    starts = (np.cumsum(runs.counts) - runs.counts)[chosen]
    places = np.cumsum(counts) - counts
    keys = np.empty(int(counts.sum()) * runs.key_words, np.uint64)
    codes = np.empty(int(counts.sum()), runs.codes.dtype)
    widths = np.full(chosen.size, runs.key_words, np.int64)
    copy_runs(
        counts,
        widths,
        starts,
        starts * runs.key_words,
        runs.keys,
        runs.codes,
        places,
        places * runs.key_words,
        keys,
        codes,
    )
    return Runs(runs.signatures[chosen], counts, keys, codes, runs.key_words)


def gather(parts: list[Runs], skip: NDArray[np.uint64], pool: Executor | None = None) -> RunArrays:
    """Bring the runs of each signature together, but for the signatures in `skip`.

    Signatures with narrow keys come first. If there are many states, the threads of `pool` share
    the copying.
    """
    parts = [part for part in parts if part.signatures.size] or parts[:1]
    sources = np.repeat(np.arange(len(parts)), [part.signatures.size for part in parts])
    signatures = np.concatenate([part.signatures for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    widths = np.repeat([part.key_words for part in parts], [part.signatures.size for part in parts])
    offsets = np.concatenate([np.cumsum(part.counts) - part.counts for part in parts])
    wanted = np.flatnonzero(~np.isin(signatures, skip))
    order = wanted[np.lexsort((signatures[wanted], widths[wanted]))]
    to_offsets = np.cumsum(counts[order]) - counts[order]
    to_words = np.cumsum(counts[order] * widths[order]) - counts[order] * widths[order]
    keys = np.empty(int((counts[order] * widths[order]).sum()), np.uint64)
    codes = np.empty(int(counts[order].sum()), parts[0].codes.dtype)

    owners = sources[order]
    ends = np.cumsum(np.bincount(owners, minlength=len(parts)))
    places = np.split(np.argsort(owners, kind="stable"), ends[:-1])

    def copy(number: int) -> None:
        mine = places[number]
        chosen = order[mine]
        copy_runs(
            counts[chosen],
            widths[chosen],
            offsets[chosen],
            offsets[chosen] * parts[number].key_words,
            parts[number].keys,
            parts[number].codes,
            to_offsets[mine],
            to_words[mine],
            keys,
            codes,
        )

    each = map if pool is None or codes.size < SHARED_COPY else pool.map
    for _ in each(copy, range(len(parts))):
        pass
    ordered = signatures[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if not ordered.size:
        first = np.empty(0, np.int64)
    total = np.append(to_offsets, codes.size)
    return RunArrays(
        signatures=ordered[first],
        counts=np.diff(np.append(total[first], codes.size)),
        offsets=to_offsets[first],
        word_offsets=to_words[first],
        keys=keys,
        codes=codes,
    )
