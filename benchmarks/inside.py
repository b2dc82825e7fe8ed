"""The work inside the kernels of a proof, measured on signatures of a finished store.

Expanding alone: the kernel is told that all states belong elsewhere, and looks nothing up.
Expanding and looking up: its table holds all states of the signature already. The difference is
what finding duplicates costs. Sorting is done on its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.exhaust import close_piece
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.pieces import insert_into_piece
from dbmsolver.kernels.sorting import sort_states
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.proof.worker import ProofWorker
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.store import Store

SAMPLE = 2_000_000
"""States to measure on."""
LARGEST = 1 << 17
SMALLEST = 16
NO_PIECE = np.uint64(1)  # no masked key is this
ANYWHERE = np.uint64(0)
EXPANDING, FINDING, SORTING = "expanding", "finding duplicates", "sorting closed states"


def kernel_shares(path: Path, deal: Deal) -> dict[str, float]:
    """Return the parts of a kernel's time, as shares of one."""
    codec = StateCodec(deal, "wkr")
    worker = ProofWorker(codec)
    spent = dict.fromkeys((EXPANDING, FINDING, SORTING), 0.0)
    sampled = warm = 0
    with Store.open(path) as store:
        records = store.keys(b"C")
        Random(1).shuffle(records)
        for record in records:
            for signature, words, local, codes in signatures(read_block(store, record)):
                times = measured(worker, signature, words, local, codes)
                warm += 1
                if warm > 1:  # the first call may load kernels
                    sampled += codes.size
                    for name, seconds in times.items():
                        spent[name] += seconds
                if sampled > SAMPLE:
                    break
            if sampled > SAMPLE:
                break
    total = sum(spent.values()) or 1.0
    return {name: seconds / total for name, seconds in spent.items()}


def signatures(runs: Runs) -> Iterator[tuple[int, int, Any, Any]]:
    """Yield the signatures of a block: words of a key, keys and codes; large ones are cut."""
    start = 0
    for signature, count in zip(runs.signatures.tolist(), runs.counts.tolist(), strict=True):
        size = min(count, LARGEST)
        if size >= SMALLEST:
            local = runs.keys[runs.key_words * start : runs.key_words * (start + size)]
            yield signature, runs.key_words, local, runs.codes[start : start + size]
        start += count


def measured(
    worker: ProofWorker, signature: int, words: int, local: Any, codes: Any
) -> dict[str, float]:
    """Seconds of each part for these states of a signature."""
    workspace, out, tables = worker.workspace._replace(grows=False), worker.output, worker.tables
    size = codes.size
    bits = 9
    while 1 << bits < 4 * size + 4 * BUFFER:
        bits += 1
    workspace.table[: words << bits] = EMPTY
    name = np.uint64(signature)
    # In no order: sorted is not how states arrive.
    order = np.random.default_rng(1).permutation(size)
    local, codes = local.reshape(size, words)[order].reshape(-1), codes[order]
    begun = time.perf_counter()
    insert_into_piece(tables, workspace, name, bits, 0, local, codes, size)
    inserted = time.perf_counter() - begun
    alone = expanded(worker, name, bits, size, words, NO_PIECE)
    both = expanded(worker, name, bits, size, words, ANYWHERE)
    workspace.order[: words * size] = local
    workspace.order_codes[:size] = codes
    begun = time.perf_counter()
    sort_states(workspace.order, workspace.order_codes, out.keys, out.codes, size, words)
    sorting = time.perf_counter() - begun
    return {EXPANDING: alone, FINDING: max(both - alone, 0.0) + inserted, SORTING: sorting}


def expanded(worker: ProofWorker, name: Any, bits: int, size: int, words: int, piece: Any) -> float:
    """Seconds for expanding ``size`` states at the front of the workspace."""
    workspace = worker.workspace._replace(grows=False)
    room = min(workspace.order.size // words, (3 << bits) // 4)
    head, count = 0, size
    begun = time.perf_counter()
    while head < count and count + BUFFER <= room:
        reach = bits, head, count, room
        head, count, *_ = close_piece(
            worker.tables, workspace, worker.kernels.space, name, *reach, ANYWHERE, piece
        )
    # States that the sample lacks are found, and expanded too.
    return (time.perf_counter() - begun) * size / max(head, 1)
