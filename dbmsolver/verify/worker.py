"""The workers of the check: states become rows, and rows are looked up, or sent to their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.verify.catalog import Catalog
from dbmsolver.verify.chains import NO_CHAINS, Chains
from dbmsolver.verify.claim import Claim
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.board import make_boards
from dbmsolver.verify.kernels.expand import MOST_ROWS, CheckTask, expand, make_arrays
from dbmsolver.verify.kernels.partition import look_up, too_short
from dbmsolver.verify.kernels.record_expand import expand_records
from dbmsolver.verify.kernels.record_table import MOST_MACROS, make_table
from dbmsolver.verify.kernels.rows import (
    KIND,
    PARENT,
    ROOT,
    SOURCE,
    SUCCESSOR,
    by_partition,
    pack_outgoing,
    unpack_outgoing,
    write_row,
)
from dbmsolver.verify.kernels.states import bound_of_words, bound_scratch
from dbmsolver.verify.partitions import LoadedPartition
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.row_queues import RowBatch, RowQueues

Ints = NDArray[np.int64]
_ROWS = 1 << 16


class Missing(Exception):
    """A row was looked up and is not closed, or has more moves made than it may.

    ``of_no_class``: it is a successor of a class that no moves from the deal lead to.
    """

    def __init__(self, row: list[int], of_no_class: bool = False) -> None:
        super().__init__()
        self.row = row
        self.of_no_class = of_no_class


class CheckWorker:
    """A worker of the check: scratch memory with room for ``room`` rows, used by one thread."""

    def __init__(
        self, form: Form, catalog: Catalog, claim: Claim, row_queues: RowQueues, layers: int
    ) -> None:
        self.form = form
        self.catalog = catalog
        self.claim = claim
        self.row_queues = row_queues
        self.room = rows = max(_ROWS, MOST_MACROS + 1 if claim.records else 2 * MOST_ROWS)
        self.work = make_arrays(rows, layers)
        self.root = np.array(claim.root, np.uint64)
        self.boards = make_boards()
        self.bound_scratch = bound_scratch(form)
        self._expand: Any = expand
        self._scratch: Any = self.boards
        if claim.records:
            self._expand, self._scratch = expand_records, make_table()
        self.order = np.empty(rows, np.int64)
        self.starts = np.empty(len(catalog.partitions) + 2, np.int64)
        self.hashes = np.empty(rows, np.uint64)
        self.missing = np.empty(rows, np.int64)

    def send(self, row: list[int], run: int) -> None:
        """Send a row that comes from no partition."""
        task = CheckTask(self.claim.costs, 0, self.root, -1, 0)
        words = [np.uint64(word) for word in row]
        write_row(
            self.catalog.index, task, self.work.rows, np.int64(0), np.int64(run), np.uint64(0),
            (words[0], words[1], words[2], words[3]), words[4],
        )  # fmt: skip
        self.work.place[2] = 1
        self._send_out({}, NO_CHAINS)

    def check(
        self,
        source: LoadedPartition,
        segments: Ints,
        resident: Mapping[int, LoadedPartition],
        chains: Chains,
    ) -> None:
        """Check states of a partition.  Rows for partitions that are not ``resident`` are sent."""
        work = self.work
        base = int(self.catalog.bases[source.number])
        task = CheckTask(self.claim.costs, self.claim.length or 0, self.root, source.number, base)
        work.place[:] = 0
        while work.place[0] < segments.shape[0]:
            error = self._expand(
                self.form, self.catalog.index, task, source.partition, segments, self._scratch, work
            )
            if error:
                signature = int(self.catalog.index.signatures[segments[work.place[0], 0]])
                raise Refuted.state(error, signature, source.partition, int(work.place[3]))
            self._send_out(resident, chains)

    def _send_out(self, resident: Mapping[int, LoadedPartition], chains: Chains) -> None:
        count = int(self.work.place[2])
        order, starts = self.order, self.starts
        by_partition(self.work.rows, count, order, starts)
        self._judge(order[starts[-2] : count])
        for partition in np.flatnonzero(np.diff(starts[:-1])).tolist():
            rows = order[starts[partition] : starts[partition + 1]]
            there = resident.get(partition)
            if there is not None:
                self._look_up(there, rows, chains)
            else:
                packed = np.empty((rows.size, self.row_queues.width), np.uint64)
                pack_outgoing(self.work.rows, rows, packed)
                self.row_queues.send(partition, packed)

    def deliver(self, there: LoadedPartition, batch: RowBatch, chains: Chains) -> None:
        """Look up rows that have been sent to a partition."""
        rows = batch.open()
        unpack_outgoing(self.catalog.index, rows, self.work.rows)
        order = self.order[: rows.shape[0]]
        order[:] = np.arange(rows.shape[0])
        self._look_up(there, order, chains)

    def _look_up(self, there: LoadedPartition, rows: Ints, chains: Chains) -> None:
        gone = look_up(
            self.catalog.index, self.form.planes, there.partition,
            int(self.catalog.bases[there.number]), self.work.rows, rows, self.claim.costs,
            chains, self.hashes, self.missing,
        )  # fmt: skip
        self._judge(self.missing[:gone])

    def _judge(self, missing: Ints) -> None:
        """Refute the claim by rows that were not found, unless they may be missing.

        They may only where costs count, if their states can wait.
        """
        if not missing.size:
            return
        worst = int(missing[0])
        if self.claim.length is not None:
            worst = int(
                too_short(
                    self.form, self.work.rows, missing, self.boards.own, self.bound_scratch,
                    self.claim.length,
                )
            )  # fmt: skip
            if worst < 0:
                return
        row = [int(word) for word in self.work.rows[worst]]
        of_no_class = row[4] >> KIND == SUCCESSOR and self._is_of_no_class(row[:4])
        raise Missing(row, of_no_class)

    def _is_of_no_class(self, words: list[int]) -> bool:
        """Return True if no moves between classes lead from the deal's to that of a position."""
        state = np.array(words, np.uint64)
        return bool(bound_of_words(self.form, state, self.boards.own, self.bound_scratch)[1] < 0)


def root_row(claim: Claim) -> list[int]:
    """Return the row that looks for the deal."""
    return [*claim.root, ROOT << KIND, 0]


def refuted(claim: Claim, missing: Missing, source: tuple[int, int, int, int] | None) -> Refuted:
    """Return the refutation by a missing row; ``source`` is the state it came from."""
    row = missing.row
    other = (row[0], row[1], row[2], row[3])
    kind = row[4] >> KIND
    if claim.records:
        if kind == ROOT:
            return Refuted("the deal's record is not among the closed ones", other)
        reason = "a record that follows from a closed one is not closed"
        return Refuted(reason, source, other, "a position of the record that follows")
    if kind == ROOT:
        reason = "the deal is not among the closed positions"
        if claim.costs:
            reason += ", or not in the layer of its lower bound"
        return Refuted(reason, other)
    if kind >= PARENT:
        relation = "its parent by the parent-move code"
        reason = "the parent of a closed position, by its parent-move code, is not closed"
        if claim.costs:
            reason += " with one move less"
    else:
        relation = "the successor"
        reason = "a successor of a closed position is not closed"
        if missing.of_no_class:
            reason = (
                "a successor of a closed position is of a class that no moves from the deal lead to"
            )
        elif claim.costs:
            reason += ", though a solution through it could be shorter than the one claimed"
    return Refuted(reason, source, other, relation)


def source_of(row: list[int]) -> int | None:
    """Return the number in the store of the state that a row came from; None without one."""
    return None if row[4] >> KIND == ROOT else row[4] & int(SOURCE)
