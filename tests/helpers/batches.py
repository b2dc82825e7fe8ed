"""Candidates and closed states by signature, as kernels take and leave them, and as states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dbmsolver.kernels.runs import RunArrays, local_key, progress_of, unpack_rows, widths_of
from dbmsolver.kernels.workspace import (
    CLOSED_STATES,
    USED_RUNS,
    USED_WIDTH,
    Output,
)
from dbmsolver.kits.states import State, StateCodec


class Candidate(NamedTuple):
    """A state met, and how."""

    state: State
    code: int


Batch = dict[int, list[Candidate]]
"""Candidates by signature."""


def pack(keys: StateCodec, batch: Batch) -> RunArrays:
    """Candidates as runs, those with short keys first."""
    tables = keys.tables
    unordered = np.array(sorted(batch), np.uint64)
    signatures = unordered[np.argsort(widths_of(tables, unordered), kind="stable")]
    runs = [batch[int(signature)] for signature in signatures]
    states = [candidate.state for run in runs for candidate in run]
    words = [local_key(tables, *np.array(state, np.uint64)) for state in states]
    counts = np.array([len(run) for run in runs], np.int64)
    sizes = counts * widths_of(tables, signatures)
    codes = [candidate.code for run in runs for candidate in run]
    return RunArrays(
        signatures,
        counts,
        np.cumsum(counts) - counts,
        np.cumsum(sizes) - sizes,
        np.concatenate(words),
        np.array(codes, keys.code_type),
    )


def unpack(keys: StateCodec, runs: RunArrays) -> Iterator[Candidate]:
    """Yield the candidates in runs."""
    tables = keys.tables
    widths = widths_of(tables, runs.signatures)
    for index, width in enumerate(widths.tolist()):
        offset, word = int(runs.offsets[index]), int(runs.word_offsets[index])
        count = int(runs.counts[index])
        rows = unpack_rows(
            tables,
            runs.signatures[index : index + 1],
            runs.counts[index : index + 1],
            runs.keys[word : word + width * count],
            runs.codes[offset : offset + count],
            np.zeros(count, np.uint16),
            width,
        )
        for row in rows.tolist():
            yield Candidate(State(*row[:4]), row[4])


def collect(keys: StateCodec, out: Output, batch: Batch) -> None:
    """Put the candidates in an output to those of their signatures."""
    used = int(out.used[USED_RUNS])
    runs = RunArrays(
        out.run_signatures[:used],
        out.run_counts[:used],
        out.run_offsets[:used],
        out.run_words[:used],
        out.run_keys,
        out.run_codes,
    )
    for candidate in unpack(keys, runs):
        batch.setdefault(candidate.state.signature, []).append(candidate)


def closed_in(keys: StateCodec, out: Output) -> list[Candidate]:
    """Return the closed states in an output."""
    states, words, signatures, *_ = out.used.tolist()
    counts = out.closed[:signatures, CLOSED_STATES]
    offsets = np.cumsum(counts) - counts
    width = int(out.used[USED_WIDTH])
    assert (words, states) == (width * int(counts.sum()), int(counts.sum()))
    runs = RunArrays(
        out.signatures[:signatures].copy(),
        counts.copy(),
        offsets,
        width * offsets,
        out.keys[:words].copy(),
        out.codes[:states].copy(),
    )
    return list(unpack(keys, runs))


def lowest(keys: StateCodec, pending: Batch) -> Batch:
    """Take the candidates of the lowest progress."""
    signatures = list(pending)
    strata = progress_of(keys.tables, np.array(signatures, np.uint64), keys.locked)
    least = strata.min()
    return {s: pending.pop(s) for s, p in zip(signatures, strata, strict=True) if p == least}
