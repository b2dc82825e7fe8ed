"""What is where in a store: its closed blocks, the signatures in them, and how they are dealt out
to shelves.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import StoreError
from dbmsolver.store import Store, describe, parse_closed_key
from dbmsolver.verify.format import Format, code_bytes, progress
from dbmsolver.verify.kernels.shelf import Index

Ints = NDArray[np.int64]


class BlockPlace(NamedTuple):
    """A closed block: its key in the store, its layer and stratum, and its states."""

    key: bytes
    layer: int
    stratum: int
    states: int


@dataclass(frozen=True, slots=True)
class ShelfPlan:
    """States that will be in memory together: whole runs of a stratum, or one piece of a run.

    ``records`` are int64[*, 5]: run, first state in the block, count, number in the shelf, states
    written; ``blocks`` says which block each is in.
    """

    stratum: int
    runs: Ints
    pieces: int
    piece: int
    states: int  # about, for a piece
    records: Ints
    blocks: Ints


@dataclass(frozen=True, slots=True)
class Catalog:
    """A store's closed states as the verifier sees them."""

    blocks: list[BlockPlace]
    index: Index
    shelves: list[ShelfPlan]
    strata: Ints  # of each shelf

    @property
    def states(self) -> int:
        """All states in closed blocks."""
        return sum(block.states for block in self.blocks)


def read_catalog(
    store: Store,
    form: Format,
    shelf_states: int,
    pool: Executor,
) -> Catalog:
    """Read every closed block once; StoreError for one that is not what its key and header say."""
    keys = store.keys(b"C")
    blocks: list[BlockPlace] = []
    tables = []
    for key, (signatures, counts, states) in zip(
        keys, pool.map(lambda key: _summary(store, form, key), keys), strict=True
    ):
        parsed = parse_closed_key(key)
        number = len(blocks)
        blocks.append(BlockPlace(key, parsed.layer, parsed.stratum, states))
        starts = np.cumsum(counts) - counts
        tables.append((signatures, np.full(counts.size, number), starts, counts))
    if not blocks:
        empty = np.empty(0, np.int64)
        index = Index(np.empty(0, np.uint64), empty, empty, empty, empty)
        return Catalog([], index, [], empty)
    signature = np.concatenate([table[0] for table in tables])
    order = np.argsort(signature, kind="stable")
    block, start, count = (
        np.concatenate([table[column] for table in tables])[order] for column in (1, 2, 3)
    )
    signatures, run = np.unique(signature[order], return_inverse=True)
    records = np.stack([run, start, count, np.zeros_like(run), count], axis=1).astype(np.int64)
    return _deal_out(form, blocks, signatures, records, block, shelf_states)


def _summary(store: Store, form: Format, key: bytes) -> tuple[NDArray[np.uint64], Ints, int]:
    where = f"{store.path}: {describe(key)}"
    runs = store.block(key)
    parsed = parse_closed_key(key)
    counts = runs.counts.astype(np.int64)
    if (
        not counts.size
        or counts.min() < 1
        or counts.sum() != runs.codes.size
        or runs.codes.itemsize != code_bytes(form)
        or int(runs.signatures.min()) != parsed.first
        or int(runs.signatures.max()) != parsed.last
    ):
        raise StoreError("the block's runs do not fit its header and key", where)
    if (progress(form, runs.signatures) != parsed.stratum).any():
        raise StoreError("the block's signatures do not belong to its stratum", where)
    return runs.signatures.copy(), counts, int(runs.codes.size)


def _deal_out(
    form: Format,
    blocks: list[BlockPlace],
    signatures: NDArray[np.uint64],
    records: Ints,
    record_block: Ints,
    shelf_states: int,
) -> Catalog:
    counts = np.bincount(records[:, 0], weights=records[:, 2], minlength=signatures.size)
    counts = counts.astype(np.int64)
    strata = progress(form, signatures)
    order = np.lexsort((signatures, strata))
    groups = _groups(strata[order], counts[order], shelf_states)
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(groups)) + 1, [order.size]))
    shelf = np.zeros(order.size, np.int64)
    pieces = np.ones(order.size, np.int64)
    first = np.zeros(order.size, np.int64)
    by_run = np.searchsorted(records[:, 0], np.arange(signatures.size + 1))
    plans: list[ShelfPlan] = []
    for begin, end in pairwise(firsts.tolist()):
        runs = order[begin:end]
        states = int(counts[runs].sum())
        first[runs] = np.cumsum(counts[runs]) - counts[runs]
        shelf[runs] = len(plans)
        mine = _ranges(by_run[runs], by_run[runs + 1])
        table = records[mine]
        table[:, 3] = np.cumsum(table[:, 2]) - table[:, 2]
        parts = -(-states // shelf_states) if runs.size == 1 else 1
        pieces[runs] = parts
        for piece in range(parts):
            plans.append(
                ShelfPlan(
                    stratum=int(strata[runs[0]]),
                    runs=runs,
                    pieces=parts,
                    piece=piece,
                    states=-(-states // parts),
                    records=table,
                    blocks=record_block[mine],
                )
            )
    index = Index(signatures, shelf, pieces, first, counts)
    return Catalog(blocks, index, plans, np.array([plan.stratum for plan in plans], np.int64))


def _groups(strata: Ints, counts: Ints, shelf_states: int) -> Ints:
    """A number for each run, in order: the same for those that share a shelf."""
    before = np.cumsum(counts) - counts
    big = counts > shelf_states
    after_big = np.concatenate(([False], big[:-1]))
    new_stratum = np.concatenate(([True], strata[1:] != strata[:-1]))
    share = before // shelf_states
    new_share = np.concatenate(([True], share[1:] != share[:-1]))
    return np.cumsum(big | after_big | new_stratum | new_share)


def _ranges(starts: Ints, ends: Ints) -> Ints:
    """All numbers of the ranges, one range after the other."""
    lengths = ends - starts
    offsets = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return offsets + np.arange(lengths.sum())
