"""Search by cost layers: the shortest solution, or that there is none.

Layers f = g + h are closed in ascending order.  The signatures are dealt out to as many shards as there are threads; a
layer is closed in rounds, in each of which every shard takes in what the others have sent and expands what follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bound import make_bound_tables
from dbmsolver.core.layers import (
    BURST,
    COUNT,
    DONE,
    EVALUATED,
    GOAL_ROW,
    IS_CLOSED,
    IS_STORED,
    ROW,
    TODO,
    Shard,
    expand_layer,
    make_shard,
    outgoing,
    rehash,
    shards_of,
    take_in,
    wake,
)
from dbmsolver.core.digest import digest_runs
from dbmsolver.core.runs import pack_rows, unpack_rows
from dbmsolver.journal import Journal, LimitReached
from dbmsolver.keys import Keys
from dbmsolver.parcels import RunArrays, make_parcels
from dbmsolver.results import Report, Unit
from dbmsolver.store import Closed, Runs, encode_block, parse_pending_key

Rows = NDArray[np.uint64]

_OUTGOING = 1 << 18
_FIRST_SLOTS = 1 << 16
_STOP = 1 << 14
_PARALLEL = 2_000
"""Below this much work in a round, starting threads costs more than it saves."""
NO_CEILING = 1 << 30


@dataclass(eq=False, slots=True)
class Part:
    """A shard with what waits for it."""

    number: int
    shard: Shard
    inbox: list[Rows] = field(default_factory=list)
    waiting: dict[int, list[NDArray[np.uint32]]] = field(default_factory=dict)
    candidates: dict[int, list[Rows]] = field(default_factory=dict)
    flushed: int = 0

    @property
    def work(self) -> int:
        """Rows to expand and candidates to look at in this layer."""
        return int(self.shard.state[TODO]) + sum(rows.shape[0] for rows in self.inbox)


class LayeredSearch:
    """A search by cost layers in progress; :meth:`run` carries it to its end.

    ``weight`` other than 1 makes it a hasty search: the first solution found is any solution.  ``kind`` is the kind of
    record closed states are stored as.  ``effort`` bounds the states looked at; a search that
    has used it up ends without a goal.
    """

    def __init__(
        self,
        keys: Keys,
        journal: Journal,
        threads: int,
        memory: int,
        *,
        weight: int = 1,
        kind: bytes = b"C",
        effort: int | None = None,
    ) -> None:
        self.keys = keys
        self.tables = keys.tables
        self.bound = make_bound_tables(keys.tables, keys.deal.position.columns)
        self.journal = journal
        self.threads = threads
        self.memory = memory
        self.weight = weight
        self.kind = kind
        self.effort = effort
        self.layer = 0
        self.goal: tuple[int, int] | None = None  # (g, parent-move code)
        shards = 1
        while shards < threads:
            shards *= 2
        room = max(memory // (shards * 8 * (ROW + 2)), 4 * BURST)
        outgoing_room = min(_OUTGOING, max(room // 4, 2 * BURST))
        self.parts = [
            Part(number, make_shard(room, _FIRST_SLOTS, outgoing_room)) for number in range(shards)
        ]
        for part in self.parts:
            part.shard.state[GOAL_ROW] = -1
        self.evaluated_before = journal.evaluated

    def run(self) -> Iterator[Report | Unit]:
        """Close layers until the goal is met or nothing is pending; then ``goal`` says which.

        Raises LimitReached.  Whatever ends it, everything finished until then is committed.
        """
        self._restore()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while self.goal is None:
                    layers = [
                        layer for part in self.parts for layer in (*part.waiting, *part.candidates)
                    ]
                    if not layers:
                        return
                    if self._exhausted():
                        return
                    self.layer = min(layers)
                    yield from self._close_layer(pool)
            finally:
                self.commit()

    # A layer.

    def _close_layer(self, pool: Executor) -> Iterator[Report | Unit]:
        for part in self.parts:
            part.inbox += part.candidates.pop(self.layer, [])
        while self.goal is None and (busy := [part for part in self.parts if self._has_work(part)]):
            work = sum(part.work for part in busy)
            if len(busy) > 1 and (work > _PARALLEL or any(self.layer in p.waiting for p in busy)):
                list(pool.map(self._round, busy))
            else:
                for part in busy:
                    self._round(part)
            for part in self.parts:
                self._hand_out(part)
            self._count()
            self.journal.check_limits()
            self._check_memory()
            if self._exhausted():
                break
            if self.journal.due():
                yield self.commit()
            yield self.report()
        self._flush()

    def _exhausted(self) -> bool:
        looked_at = self.journal.evaluated - self.evaluated_before
        return self.effort is not None and looked_at > self.effort

    def _has_work(self, part: Part) -> bool:
        return bool(part.work or self.layer in part.waiting)

    def _round(self, part: Part) -> None:
        """Wake, take in and expand what a shard has to do; runs in a thread of its own.

        Ends early where room for outgoing candidates ran out: what is left is done in the next round.
        """
        constants = (self.layer, self.weight, self.keys.locked)
        waiting = part.waiting.pop(self.layer, [])
        while waiting:
            self._enlarge_table(part)
            rows = waiting.pop()
            first = int(wake(self.tables, self.bound, part.shard, *constants, rows, 0))
            if first < rows.size:
                part.waiting[self.layer] = [*waiting, rows[first:]]
                return
        while part.inbox:
            self._enlarge_table(part)
            candidates = part.inbox.pop()
            first = int(take_in(self.tables, self.bound, part.shard, *constants, candidates, 0))
            if first < candidates.shape[0]:
                part.inbox.append(candidates[first:])
                if not self._table_is_full(part):
                    return
        stopped = True
        while stopped:
            self._enlarge_table(part)
            stopped = expand_layer(
                self.tables,
                self.bound,
                part.shard,
                *constants,
                part.number,
                len(self.parts),
                NO_CEILING,
                _STOP,
            )
            if not self._table_is_full(part):
                return

    def _table_is_full(self, part: Part) -> bool:
        return 4 * (int(part.shard.state[COUNT]) + BURST) > 3 * part.shard.table.size

    def _enlarge_table(self, part: Part) -> None:
        """Keep the table at most half full."""
        count = int(part.shard.state[COUNT])
        slots = part.shard.table.size
        if 2 * (count + BURST) <= slots:
            return
        while 2 * (count + BURST) > slots:
            slots *= 4
        part.shard = part.shard._replace(table=np.zeros(slots, np.uint64))
        rehash(part.shard.rows, count, part.shard.table)

    def _hand_out(self, part: Part) -> None:
        """Give the candidates that left a shard to whom they belong."""
        later, layers, elsewhere = outgoing(part.shard)
        if layers.size:
            order = np.argsort(layers, kind="stable")
            values, starts = np.unique(layers[order], return_index=True)
            for layer, rows in zip(values.tolist(), np.split(later[order], starts[1:]), strict=True):
                part.waiting.setdefault(layer, []).append(rows)
        if elsewhere.shape[0]:
            owners = shards_of(elsewhere, len(self.parts))
            for other in self.parts:
                rows = elsewhere[owners == other.number]
                if rows.shape[0]:
                    other.inbox.append(rows)
        goal = int(part.shard.state[GOAL_ROW])
        if goal >= 0 and self.goal is None:
            meta = int(part.shard.rows[goal, 4])
            self.goal = (meta >> 16) & 0x7FFF, meta & 0xFFFF

    def _count(self) -> None:
        self.journal.evaluated = self.evaluated_before + sum(
            int(part.shard.state[EVALUATED]) for part in self.parts
        )

    def _check_memory(self) -> None:
        used = sum(
            int(part.shard.state[COUNT]) * 8 * (ROW + 1)
            + part.shard.table.nbytes
            + sum(rows.nbytes for chunks in part.waiting.values() for rows in chunks)
            + sum(rows.nbytes for chunks in part.candidates.values() for rows in chunks)
            for part in self.parts
        )
        full = any(
            int(part.shard.state[COUNT]) + 2 * BURST > part.shard.rows.shape[0]
            for part in self.parts
        )
        if full or used > self.memory:
            raise LimitReached("memory")

    # What is kept.

    def _flush(self) -> None:
        """Hand the states expanded since the last time to the journal."""
        rows = [
            part.shard.rows[part.shard.done[part.flushed : int(part.shard.state[DONE])]]
            for part in self.parts
            if part.flushed < int(part.shard.state[DONE])
        ]
        for part in self.parts:
            part.flushed = int(part.shard.state[DONE])
        if not rows:
            return
        for stratum, runs in self._packed(np.concatenate(rows)):
            digest = int(
                digest_runs(
                    self.tables, runs.signatures, runs.counts, runs.keys, runs.words
                )
            )
            assert runs.extra is not None
            forced = int((runs.extra >> 15).sum())
            self.journal.count(self.layer, stratum, runs.codes.size, forced, digest)
            closed = Runs(runs.signatures, runs.counts, runs.keys, runs.codes, runs.words)
            self.journal.add_closed(
                [
                    Closed(
                        self.layer,
                        stratum,
                        int(runs.signatures[0]),
                        int(runs.signatures[-1]),
                        runs.codes.size,
                        encode_block(closed),
                    )
                ],
                kind=self.kind,
            )

    def _packed(self, rows: Rows) -> Iterator[tuple[int, Runs]]:
        """Rows as runs, by stratum and key width; ``extra`` is g, in its highest bit whether the state is forced."""
        packed = RunArrays(*pack_rows(self.tables, rows))
        for parcel in make_parcels(self.keys, packed):
            runs = parcel.runs
            assert runs is not None
            yield (
                parcel.stratum,
                Runs(
                    runs.signatures,
                    runs.counts,
                    runs.keys,
                    (runs.codes & 0xFFFF).astype(self.keys.code_type),
                    runs.words,
                    (runs.codes >> 16).astype(np.uint16),
                ),
            )

    # Commits and reports.

    def commit(self) -> Unit:
        """Commit what is finished and, in resumable runs, what is pending."""
        self._flush()
        journal = self.journal

        def more(txn: Any) -> None:
            txn.delete_all(b"B")
            if not journal.resumable:
                return
            for part in self.parts:
                # Rows looked at, or reached with fewer moves, since the last commit.
                rows = part.shard.rows[: int(part.shard.state[COUNT])]
                fresh = np.flatnonzero((rows[:, 4] & (IS_CLOSED | IS_STORED)) == 0)
                new = rows[fresh]
                rows[fresh, 4] |= IS_STORED
                layers = self.layers_of(new)
                for layer in np.unique(layers).tolist():
                    for block in self._encoded(new[layers == layer]):
                        txn.put_pending(layer, *block)
                # What has not been looked at is written anew each time.
                chunks = [(self.layer, rows) for rows in part.inbox]
                chunks += [(f, rows) for f, many in part.candidates.items() for rows in many]
                for layer, rows in chunks:
                    for block in self._encoded(rows):
                        txn.put_pending(layer, *block, kind=b"B")

        return journal.commit(self.layer, 0, (), more)

    def layers_of(self, rows: Rows) -> NDArray[np.int64]:
        """The layer f of rows that have been looked at."""
        meta = rows[:, 4]
        g = ((meta >> np.uint64(16)) & np.uint64(0x7FFF)).astype(np.int64)
        return g + self.weight * ((meta >> np.uint64(32)) & np.uint64(0xFFFF)).astype(np.int64)

    def _encoded(self, rows: Rows) -> list[tuple[int, bytes]]:
        """Pending rows as (stratum, block)."""
        if not rows.shape[0]:
            return []
        return [(stratum, encode_block(runs)) for stratum, runs in self._packed(rows)]

    @property
    def pending(self) -> int:
        """Candidates that wait, for this layer or a higher one."""
        return sum(
            part.work
            + sum(rows.size for chunks in part.waiting.values() for rows in chunks)
            + sum(rows.shape[0] for chunks in part.candidates.values() for rows in chunks)
            for part in self.parts
        )

    def report(self) -> Report:
        """A snapshot for progress displays."""
        counts = sum(int(part.shard.state[DONE]) - part.flushed for part in self.parts)
        report = self.journal.report(
            layer=self.layer,
            stratum=0,
            last_stratum=0,
            pending=self.pending,
            look_ahead=self.kind != b"C",
        )
        return replace(report, states=report.states + counts)

    # Beginning and resuming.

    def _restore(self) -> None:
        """Closed states and pending candidates from the store, or the deal itself."""
        store = self.journal.store
        for key in [*store.keys(b"P"), *store.keys(b"B")]:
            if self.kind != b"C":
                break
            layer, _, _ = parse_pending_key(key)
            runs = store.block(key)
            costs = runs.extra & 0x7FFF if runs.extra is not None else runs.codes
            rows = unpack_rows(
                self.tables, runs.signatures, runs.counts, runs.keys, runs.codes, costs, runs.words
            )
            owners = shards_of(rows, len(self.parts))
            for part in self.parts:
                mine = rows[owners == part.number]
                if mine.shape[0]:
                    part.candidates.setdefault(layer, []).append(mine)
        if self.kind == b"C":
            self._restore_closed()
        if not any(part.candidates for part in self.parts) and not self.journal.states:
            root = np.array([[*self.keys.root, self.keys.root_code]], np.uint64)
            owner = int(shards_of(root, len(self.parts))[0])
            self.parts[owner].candidates[0] = [root]

    def _restore_closed(self) -> None:
        store = self.journal.store
        for key in store.keys(self.kind):
            runs = store.block(key)
            costs = np.zeros(runs.codes.size, np.uint16)
            rows = unpack_rows(
                self.tables, runs.signatures, runs.counts, runs.keys, runs.codes, costs, runs.words
            )
            owners = shards_of(rows, len(self.parts))
            for part in self.parts:
                mine = rows[owners == part.number]
                count = int(part.shard.state[COUNT])
                if count + mine.shape[0] + BURST > part.shard.rows.shape[0]:
                    raise LimitReached("memory")
                mine[:, 4] |= IS_CLOSED
                part.shard.rows[count : count + mine.shape[0]] = mine
                part.shard.state[COUNT] = count + mine.shape[0]
        for part in self.parts:
            count = int(part.shard.state[COUNT])
            slots = part.shard.table.size
            while 2 * (count + BURST) > slots:
                slots *= 4
            part.shard = part.shard._replace(table=np.zeros(slots, np.uint64))
            rehash(part.shard.rows, count, part.shard.table)
