"""Scratch memory and output arrays of the kernels that close signatures.

Arrays of keys hold 1 word for each state, or 3 where the signature is wide
(:mod:`dbmsolver.kernels.layout`). Sizes are in states, candidates or words, as each field says.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.structs import struct
from dbmsolver.kernels.layout import NETS, WIDE_WORDS
from dbmsolver.kernels.states import CARDS, MAX_MOVES

GROUP = 16
"""States expanded before their successors are looked up. The table's cache lines arrive
meanwhile."""
BUFFER = GROUP * MAX_MOVES
"""The candidates that one group can produce. It is expanded only with room for all of them."""
TARGETS = CARDS + 4
"""Signatures that a move can lead to: a locked card is released, or a suit's next card goes
home."""

BUFFER_KEY, BUFFER_SLOT, BUFFER_PACKED, BUFFER_COLUMNS = 0, 3, 4, 5
"""Columns of ``Workspace.buffer``: three words of the key, the table slot, the compact key."""

(
    USED_STATES,
    USED_STATE_WORDS,
    USED_SIGNATURES,
    USED_CANDIDATES,
    USED_CANDIDATE_WORDS,
    USED_RUNS,
    USED_WIDTH,
) = range(7)
"""Columns of ``Output.used``: how much of the output is filled, and words of each closed key."""

(
    PARTIAL_BITS,
    PARTIAL_HEAD,
    PARTIAL_COUNT,
    PARTIAL_OUTGOING,
    PARTIAL_OUTGOING_WORDS,
    PARTIAL_FORCED,
) = range(6)
"""Columns of ``Output.partial``: the progress of the closure in the workspace.

The table has ``2**bits`` slots; ``head`` of ``count`` states are expanded. The others are the
number of these with a forced move, and the candidates that have left the signature, with the words
of their keys.
"""

CLOSED_STATES, CLOSED_FORCED = range(2)
"""Columns of ``Output.closed``."""


@struct
class Workspace(NamedTuple):
    """Scratch memory of one thread. Codes are uint8 or uint16, the same in all arrays."""

    table: NDArray[np.uint64]  # [words]: hash table of keys (:mod:`dbmsolver.kernels.hashing`)
    steps: NDArray[np.uint16]  # [slots] of a compact table: how far from home; [0] of a plain one
    order: NDArray[np.uint64]  # [words]: keys of the signature's states, in order of arrival
    order_codes: NDArray[Any]  # [states]: their codes
    buffer: NDArray[np.uint64]  # [BUFFER, 5]: candidates of the signature, not looked up yet
    buffer_codes: NDArray[Any]  # [BUFFER]: their codes
    outgoing: NDArray[np.uint64]  # [3 * candidates]: keys of candidates that leave the signature
    outgoing_codes: NDArray[Any]  # [candidates]
    nets: NDArray[np.uint64]  # [3, 7]: packing networks of the signature
    grows: bool  # whether the table is the workspace's own and may be made anew with more slots


@struct
class Output(NamedTuple):
    """The results of a batch of signatures. ``used`` says how much of each array is filled."""

    used: NDArray[np.int64]  # [7]: columns USED_*
    partial: NDArray[np.int64]  # [6]: columns PARTIAL_*
    keys: NDArray[np.uint64]  # [words]: closed local keys, sorted within each signature
    codes: NDArray[Any]  # [states]
    signatures: NDArray[np.uint64]  # [signatures]: those closed
    closed: NDArray[np.int64]  # [signatures, 2]: columns CLOSED_*
    run_keys: NDArray[np.uint64]  # [words]: candidates that left, by run
    run_codes: NDArray[Any]  # [candidates]
    run_signatures: NDArray[np.uint64]  # [runs]: the signature that a run's candidates belong to
    run_counts: NDArray[np.int64]  # [runs]: candidates in it
    run_offsets: NDArray[np.int64]  # [runs]: where it starts in run_codes
    run_words: NDArray[np.int64]  # [runs]: where it starts in run_keys


def make_workspace(states: int, slots: int, candidates: int, code_type: Any) -> Workspace:
    """Return scratch memory for ``states`` states (a third if wide) and ``candidates`` leaving.

    The table has room for ``slots`` words.
    """
    return Workspace(
        table=np.empty(slots, np.uint64),
        steps=np.empty(0, np.uint16),
        order=np.empty(states, np.uint64),
        order_codes=np.empty(states, code_type),
        buffer=np.empty((BUFFER, BUFFER_COLUMNS), np.uint64),
        buffer_codes=np.empty(BUFFER, code_type),
        outgoing=np.empty(WIDE_WORDS * candidates, np.uint64),
        outgoing_codes=np.empty(candidates, code_type),
        nets=np.zeros(NETS, np.uint64),
        grows=True,
    )


def make_output(states: int, candidates: int, signatures: int, code_type: Any) -> Output:
    """Return an empty output for the results of a batch.

    It has room for ``states`` closed states, and for the candidates that leave ``signatures``
    signatures, ``candidates`` in all.
    """
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
