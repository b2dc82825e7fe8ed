"""Scratch memory and output arrays of the closure kernels, and how much room they need."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.expand import MAX_MOVES
from dbmsolver.core.layout import NETS, WIDE_WORDS
from dbmsolver.core.tables import CARDS

GROUP = 16
"""States expanded before their successors are looked up, so that the table's cache lines arrive meanwhile."""
BURST = GROUP * MAX_MOVES
"""Candidates that one group can produce: room that must be free before it is expanded."""
TARGETS = CARDS + 4
"""Ways out of a signature: a locked card released, or a suit's next card home."""
SIBLINGS = TARGETS
"""Target number of candidates for other pieces of the same signature."""


class Workspace(NamedTuple):
    """Scratch memory of one thread."""

    table: NDArray[np.uint64]
    steps: NDArray[np.uint16]  # of a compact table: how far a slot's key is from its home
    order: NDArray[
        np.uint64
    ]  # closed and open states of the signature in order of arrival, local keys
    order_codes: NDArray[Any]
    burst: NDArray[np.uint64]  # [BURST, 5]: key words, table slot, compact key
    burst_codes: NDArray[Any]
    outgoing: NDArray[np.uint64]  # keys of candidates that leave the signature
    outgoing_codes: NDArray[Any]
    outgoing_targets: NDArray[np.uint8]
    nets: NDArray[np.uint64]  # networks of the signature
    target_nets: NDArray[np.uint64]  # [TARGETS, 3, 7]
    target_layouts: NDArray[np.uint64]  # [TARGETS, 4]: loose cards, two shifts, wide
    fields: NDArray[np.uint64]  # [52 * 8]: key bits of (loose card, place value)
    keeps: NDArray[np.uint64]  # [52]: mask of the key without that card's bits
    moves: NDArray[np.uint16]
    grows: bool  # whether the table is the workspace's own and may be made anew with more slots


class Output(NamedTuple):
    """Where a batch of signatures leaves its results; ``used`` says how much is filled."""

    used: NDArray[
        np.int64
    ]  # [7]: closed states, their words, signatures, candidates, their words, runs, key words
    partial: NDArray[
        np.int64
    ]  # [6]: table bits, head, count, candidates left, their words, forced states
    keys: NDArray[np.uint64]  # closed local keys, sorted within each signature
    codes: NDArray[Any]
    signatures: NDArray[np.uint64]
    closed: NDArray[np.int64]  # [signatures, 2]: states, forced states among them
    run_keys: NDArray[np.uint64]
    run_codes: NDArray[Any]
    run_signatures: NDArray[np.uint64]
    run_counts: NDArray[np.int64]
    run_offsets: NDArray[np.int64]
    run_words: NDArray[np.int64]


def make_workspace(states: int, slots: int, candidates: int, code_type: Any) -> Workspace:
    """Scratch memory for ``states`` states (a third of that if wide), a table of ``slots`` words, and candidates."""
    return Workspace(
        table=np.empty(slots, np.uint64),
        steps=np.empty(0, np.uint16),
        order=np.empty(states, np.uint64),
        order_codes=np.empty(states, code_type),
        burst=np.empty((BURST, 5), np.uint64),
        burst_codes=np.empty(BURST, code_type),
        outgoing=np.empty(WIDE_WORDS * candidates, np.uint64),
        outgoing_codes=np.empty(candidates, code_type),
        outgoing_targets=np.empty(candidates, np.uint8),
        nets=np.zeros(NETS, np.uint64),
        target_nets=np.zeros((TARGETS, *NETS), np.uint64),
        target_layouts=np.zeros((TARGETS, 4), np.uint64),
        fields=np.zeros(CARDS * 8, np.uint64),
        keeps=np.zeros(CARDS, np.uint64),
        moves=np.zeros(MAX_MOVES, np.uint16),
        grows=True,
    )


def make_output(states: int, candidates: int, signatures: int, code_type: Any) -> Output:
    """Room for the results of a batch."""
    return Output(
        used=np.zeros(7, np.int64),
        partial=np.zeros(6, np.int64),
        keys=np.empty(states, np.uint64),
        codes=np.empty(states, code_type),
        signatures=np.empty(signatures, np.uint64),
        closed=np.empty((signatures, 2), np.int64),
        run_keys=np.empty(WIDE_WORDS * candidates, np.uint64),
        run_codes=np.empty(candidates, code_type),
        run_signatures=np.empty(TARGETS * signatures, np.uint64),
        run_counts=np.empty(TARGETS * signatures, np.int64),
        run_offsets=np.empty(TARGETS * signatures, np.int64),
        run_words=np.empty(TARGETS * signatures, np.int64),
    )
