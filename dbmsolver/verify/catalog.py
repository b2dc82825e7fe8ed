"""The catalogue of a store: closed blocks, their signatures, and the partitions.

It is in memory: some 120 bytes for each signature of the store.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Directory, Readers, read_directory
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.division import Division, divide
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.partition import RunIndex
from dbmsolver.verify.kernels.pieces import MOST_BITS

Ints = NDArray[np.int64]


class StoredBlock(NamedTuple):
    """A closed block: its key in the store, its layer and stratum, and its states."""

    key: bytes
    layer: int
    stratum: int
    states: int


@dataclass(frozen=True, slots=True)
class PartitionPlan:
    """States that will be in memory together: whole runs of a stratum, or one piece of a run.

    ``records`` are int64[*, 4]: run, block, first state in the block, count; of all pieces of a
    divided run.  ``split`` is the number of its division, -1 if there is none.
    """

    stratum: int
    runs: Ints
    split: int
    piece: int
    states: int  # in all pieces
    records: Ints


@dataclass(frozen=True, slots=True)
class Catalog:
    """A store's closed states as the verifier sees them.

    ``bases`` says which number, of all states in the store, a partition's first state has; among
    the pieces of a run that is known when they have been sorted out.
    """

    blocks: list[StoredBlock]
    index: RunIndex
    partitions: list[PartitionPlan]
    strata: Ints  # of each partition
    bases: Ints

    @property
    def states(self) -> int:
        """All states in closed blocks."""
        return sum(block.states for block in self.blocks)

    def stratum_of(self, split: int) -> int:
        """Return the stratum of a divided signature."""
        run = int(np.flatnonzero(self.index.split == split)[0])
        return int(self.strata[self.index.partition[run]])


def read_catalog(
    store: Store, form: Form, partition_states: int, whole: bool, readers: Readers
) -> Generator[Progress, None, Catalog]:
    """Read the directory of every closed block, and plan the partitions.

    StoreError for one that is not what its key and header say.

    ``partition_states`` is the most that a partition should have; ``whole``: see
    :func:`read_directory`.
    """
    keys = store.keys(b"C")
    places = [parse_closed_key(key) for key in keys]
    last = max((place.stratum for place in places), default=0)
    blocks: list[StoredBlock] = []
    tables: list[Directory] = []
    pace = Pace()
    for key, place, table in zip(
        keys, places, readers.map(lambda key: read_directory(store, form, key, whole), keys),
        strict=True,
    ):  # fmt: skip
        blocks.append(StoredBlock(key, place.layer, place.stratum, int(table.counts.sum())))
        tables.append(table)
        if pace.due():
            share = len(blocks) / len(keys)
            yield Progress("reading the store", place.stratum, last, 0, 0, share)
    signatures, records = _records(tables)
    counts = np.bincount(records[:, 0], weights=records[:, 3], minlength=signatures.size)
    counts = counts.astype(np.int64)
    ends = np.searchsorted(records[:, 0], np.arange(signatures.size + 1))
    divisions = {}
    for run in np.flatnonzero(counts > partition_states).tolist():
        mine = records[ends[run] : ends[run + 1]]
        keys = [blocks[block].key for block in mine[:, 1].tolist()]
        divisions[run] = yield from divide(
            store, form, signatures[run], keys, mine, partition_states, last, readers
        )
    return _make_catalog(
        form, blocks, signatures, records, counts, ends, divisions, partition_states
    )


def _records(tables: list[Directory]) -> tuple[NDArray[np.uint64], Ints]:
    """Return all signatures, ascending, and records of all runs in all blocks, by run and block."""
    if not tables:
        return np.empty(0, np.uint64), np.empty((0, 4), np.int64)
    signature = np.concatenate([table.signatures for table in tables])
    block = np.repeat(np.arange(len(tables)), [table.counts.size for table in tables])
    start = np.concatenate([np.cumsum(table.counts) - table.counts for table in tables])
    count = np.concatenate([table.counts for table in tables])
    order = np.argsort(signature, kind="stable")
    signatures, run = np.unique(signature[order], return_inverse=True)
    records = np.stack([run, block[order], start[order], count[order]], axis=1)
    return signatures, records.astype(np.int64)


def _make_catalog(
    form: Form,
    blocks: list[StoredBlock],
    signatures: NDArray[np.uint64],
    records: Ints,
    counts: Ints,
    ends: Ints,
    divisions: dict[int, Division],
    partition_states: int,
) -> Catalog:
    """Return the catalogue: the runs put into partitions, in ascending order of strata."""
    strata = form.progress(signatures)
    order = np.lexsort((signatures, strata))
    groups = _groups(strata[order], counts[order], partition_states)
    firsts = np.concatenate(([0], np.flatnonzero(np.diff(groups)) + 1, [order.size]))
    partition = np.zeros(order.size, np.int64)
    place = np.zeros(order.size, np.int64)
    split = np.full(order.size, -1, np.int64)
    plans: list[PartitionPlan] = []
    bases: list[int] = []
    chosen: list[Division] = []
    total = 0
    for begin, end in pairwise(firsts.tolist()):
        runs = order[begin:end]
        if not runs.size:
            break
        partition[runs] = len(plans)
        place[runs] = np.arange(runs.size)
        states = int(counts[runs].sum())
        division = divisions.get(int(runs[0]))
        if division is not None:
            split[runs] = len(chosen)
            chosen.append(division)
        mine = records[_ranges(ends[runs], ends[runs + 1])]
        for piece in range(1 if division is None else division.pieces):
            number = -1 if division is None else len(chosen) - 1
            plans.append(PartitionPlan(int(strata[runs[0]]), runs, number, piece, states, mine))
            bases.append(total)
        total += states
    index = RunIndex(
        signatures, partition, place, split,
        pieces=np.array([division.pieces for division in chosen], np.int64),
        cards=np.array([division.cards for division in chosen], np.uint64),
        bits=_stacked([division.bits for division in chosen], 1 + MOST_BITS, np.int64),
        cells=_stacked([division.cells for division in chosen], 1 << MOST_BITS, np.int16),
    )  # fmt: skip
    numbers = np.array([plan.stratum for plan in plans], np.int64)
    return Catalog(blocks, index, plans, numbers, np.array(bases, np.int64))


def _stacked(rows: list[NDArray], width: int, kind: type) -> NDArray:  # type: ignore[type-arg]
    return np.array(rows, kind).reshape(len(rows), width)


def _groups(strata: Ints, counts: Ints, partition_states: int) -> Ints:
    """Return a number for each run, in order: the same for those that share a partition."""
    before = np.cumsum(counts) - counts
    big = counts > partition_states
    after_big = np.concatenate(([False], big[:-1]))
    new_stratum = np.concatenate(([True], strata[1:] != strata[:-1]))
    share = before // partition_states
    new_share = np.concatenate(([True], share[1:] != share[:-1]))
    return np.cumsum(big | after_big | new_stratum[: big.size] | new_share[: big.size])


def _ranges(starts: Ints, ends: Ints) -> Ints:
    """Return all numbers of the ranges, one range after the other."""
    lengths = ends - starts
    offsets = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return offsets + np.arange(lengths.sum())
