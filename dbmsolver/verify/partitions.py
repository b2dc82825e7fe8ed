"""Partitions are loaded from the store, and kept as long as memory allows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Readers, read_body
from dbmsolver.verify.catalog import Catalog, PartitionPlan
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.blocks import make_scratch, unpack_block
from dbmsolver.verify.kernels.board import make_board
from dbmsolver.verify.kernels.partition import PartitionStates, build_table, moves_made
from dbmsolver.verify.kernels.states import bound_scratch
from dbmsolver.verify.pieces import Pieces, sort_out
from dbmsolver.verify.refutation import Refuted, key_refuted

Ints = NDArray[np.int64]


def state_bytes(form: Form) -> int:
    """Return the bytes that a state on a partition takes, with its slots and parent's number."""
    return 8 * form.planes + 2 + 2 + 6 + 4


class LoadedPartition:
    """A partition in memory.

    ``segments`` are int64[*, 5]: run, first state, count, layer, block.
    """

    def __init__(self, number: int, partition: PartitionStates, segments: Ints) -> None:
        self.number = number
        self.partition = partition
        self.segments = segments
        self.nbytes = sum(part.nbytes for part in partition)


class PartitionLoader:
    """A cache of partitions, which keeps those that were loaded last, up to ``memory`` bytes.

    ``costs``: the moves made to each state are computed, too. :meth:`load` may be called by any
    thread, the others by one.
    """

    def __init__(
        self, store: Store, form: Form, catalog: Catalog, memory: int, costs: bool
    ) -> None:
        self.store = store
        self.form = form
        self.catalog = catalog
        self.memory = memory
        self.costs = costs
        self.resident: dict[int, LoadedPartition] = {}
        self._pieces: dict[int, Pieces] = {}

    def prepare(self, number: int, readers: Readers) -> None:
        """Sort out the pieces of a divided run before the first of its partitions is loaded."""
        plan = self.catalog.partitions[number]
        if plan.split < 0 or plan.split in self._pieces:
            return
        pieces = sort_out(self.store, self.form, self.catalog, plan, readers)
        self._pieces[plan.split] = pieces
        first = number - plan.piece
        states = pieces.states
        bases = self.catalog.bases
        bases[first : first + states.size] = bases[first] + np.cumsum(states) - states

    def states(self, number: int) -> int:
        """Return the number of states of a partition that has been prepared."""
        plan = self.catalog.partitions[number]
        return plan.states if plan.split < 0 else int(self._pieces[plan.split].states[plan.piece])

    def make_room(self, number: int, wanted: set[int]) -> None:
        """Drop partitions, those loaded first, until there is room for another.

        Those in ``wanted`` stay.
        """
        used = sum(loaded.nbytes for loaded in self.resident.values())
        used += state_bytes(self.form) * self.states(number)
        for other in list(self.resident):
            if used <= self.memory:
                return
            if other not in wanted:
                used -= self.resident.pop(other).nbytes

    def close(self, lowest: int = 0) -> None:
        """Remove the sorted pieces of all strata from this one on."""
        for split in list(self._pieces):
            if self.catalog.stratum_of(split) >= lowest:
                self._pieces.pop(split).close()

    def load(
        self, number: int, blocks: NDArray[np.bool_] | None = None, runs: Ints | None = None
    ) -> LoadedPartition:
        """Load a partition: only states of ``blocks`` or ``runs``, where these are given."""
        plan = self.catalog.partitions[number]
        width = self.form.planes
        records = plan.records
        numbers = np.arange(records.shape[0])
        if blocks is not None:
            numbers = numbers[blocks[records[:, 1]]]
        if runs is not None:
            numbers = numbers[np.isin(records[numbers, 0], runs)]
        records = records[numbers]
        counts = records[:, 3]
        pieces = self._pieces[plan.split] if plan.split >= 0 else None
        if pieces is not None:
            counts = np.diff(pieces.starts[numbers][:, plan.piece : plan.piece + 2]).ravel()
        states = int(counts.sum())
        firsts = np.cumsum(counts) - counts
        planes, codes = np.empty(width * states, np.uint64), np.empty(states, np.uint16)
        if pieces is None:
            self._unpack(records, firsts, planes, codes)
        else:
            for index, first in zip(numbers.tolist(), firsts.tolist(), strict=True):
                pieces.read(plan.piece, index, first, planes, codes)
        layers = np.array([block.layer for block in self.catalog.blocks], np.int64)
        columns = (records[:, 0], firsts, counts, layers[records[:, 1]], records[:, 1])
        segments = np.stack(columns, axis=1)
        return self._finish(number, plan, planes, codes, segments[counts > 0])

    def _unpack(
        self, records: Ints, firsts: Ints, planes: NDArray[np.uint64], codes: NDArray[np.uint16]
    ) -> None:
        signatures = self.catalog.index.signatures
        scratch = make_scratch()
        order = np.argsort(records[:, 1], kind="stable")
        cuts = np.flatnonzero(np.diff(records[order, 1])) + 1
        for chosen in np.split(order, cuts) if order.size else []:
            place = self.catalog.blocks[int(records[chosen[0], 1])]
            body = read_body(self.store, self.form, place.key)
            mine = records[chosen]
            columns = (mine[:, 0], mine[:, 2], mine[:, 3], firsts[chosen])
            error, wrong = unpack_block(
                self.form, signatures, body, np.stack(columns, axis=1), planes, codes, scratch
            )
            if error:
                raise key_refuted(error, place, int(signatures[mine[wrong, 0]]))

    def _finish(
        self,
        number: int,
        plan: PartitionPlan,
        planes: NDArray[np.uint64],
        codes: NDArray[np.uint16],
        segments: Ints,
    ) -> LoadedPartition:
        index = self.catalog.index
        counts = np.bincount(
            index.place[segments[:, 0]], weights=segments[:, 2], minlength=plan.runs.size
        )
        partition = PartitionStates(
            planes=planes,
            codes=codes,
            made=np.zeros(codes.size if self.costs else 0, np.int16),
            firsts=np.concatenate(([0], np.cumsum(counts.astype(np.int64)))),
            slots=zeros(codes.size + codes.size // 2 + 16, np.uint32),
        )
        signatures = index.signatures[plan.runs]
        error, wrong = build_table(self.form.planes, signatures, partition, np.empty(64, np.uint64))
        if error:
            run = int(np.searchsorted(partition.firsts, wrong, side="right")) - 1
            raise Refuted.state(error, int(signatures[run]), partition, int(wrong))
        if self.costs:
            error, segment, wrong = moves_made(
                self.form, index.signatures, segments, partition, make_board(),
                bound_scratch(self.form),
            )  # fmt: skip
            if error:
                signature = int(index.signatures[segments[segment, 0]])
                raise Refuted.state(error, signature, partition, int(wrong))
        return LoadedPartition(number, partition, segments)


def cut(segments: Ints, size: int) -> Iterator[Ints]:
    """Cut a list of segments into lists of at most ``size`` states.

    Segments are int64[*, 3 or more]: run, first state, count.
    """
    ends = np.cumsum(segments[:, 2])
    total = int(ends[-1]) if ends.size else 0
    for begin in range(0, total, size):
        end = min(begin + size, total)
        low = int(np.searchsorted(ends, begin, side="right"))
        high = int(np.searchsorted(ends, end, side="left")) + 1
        part = segments[low:high].copy()
        skipped = begin - (int(ends[low]) - int(segments[low, 2]))
        part[-1, 2] -= int(ends[high - 1]) - end
        part[0, 1] += skipped
        part[0, 2] -= skipped
        yield part
