"""Search by cost layers: the shortest solution, or that there is none.

Layers f = g + h are closed in ascending order.  The signatures are dealt out to as many shards as there are threads; a
layer is closed in rounds, in each of which every shard takes in what the others have sent and expands what follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bound import make_bound_tables
from dbmsolver.core.digest import digest_runs
from dbmsolver.core.layers import (
    COUNT,
    DONE,
    GOAL_ROW,
    IS_CLOSED,
    IS_STORED,
    expand_layer,
    outgoing,
    shards_of,
    take_in,
    wake,
)
from dbmsolver.core.runs import pack_rows, progress_of, unpack_rows
from dbmsolver.journal import Journal, LimitReached
from dbmsolver.keys import Keys
from dbmsolver.parcels import RunArrays, make_parcels
from dbmsolver.results import Report, Unit
from dbmsolver.store import Closed, Runs, encode_block, parse_closed_key, parse_pending_key
from dbmsolver.zones import NO_CEILING, Part, Rows, Zone

_STOP = 1 << 14
_PARALLEL = 2_000
"""Below this much work in a round, starting threads costs more than it saves."""


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
        self.shards = 1
        while self.shards < threads:
            self.shards *= 2
        self.zones = [Zone(0, NO_CEILING)]
        self.evaluated_before = journal.evaluated

    def run(self) -> Iterator[Report | Unit]:
        """Close layers until the goal is met or nothing is pending; then ``goal`` says which.

        Raises LimitReached.  Whatever ends it, everything finished until then is committed.
        """
        self._restore()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while self.goal is None and not self._exhausted():
                    layers = [layer for zone in self.zones for layer in zone.layers]
                    if not layers:
                        return
                    self.layer = min(layers)
                    yield from self._close_layer(pool)
            finally:
                self.commit()

    # A layer.

    def _close_layer(self, pool: Executor) -> Iterator[Report | Unit]:
        zone: Zone | None = self.zones[0]
        while zone is not None and self.goal is None and not self._exhausted():
            if self.layer in zone.layers:
                yield from self._close_zone(pool, zone)
            # Zones may have been split meanwhile.
            above = [other for other in self.zones if other.low >= zone.high]
            zone = min(above, key=lambda other: other.low, default=None)
        self._flush()

    def _close_zone(self, pool: Executor, zone: Zone) -> Iterator[Report | Unit]:
        """Close this layer's states in one zone."""
        if zone.parts is None:
            self._thaw(zone)
        for chunk in zone.candidates.pop(self.layer, []):
            zone.distribute(self._rows(chunk) if isinstance(chunk, bytes) else chunk)
        while self.goal is None:
            assert zone.parts is not None
            busy = [part for part in zone.parts if part.work or self.layer in part.waiting]
            if not busy:
                zone.closed = self.layer
                return
            work = sum(part.work for part in busy)
            ceiling = zone.high - 1
            if len(busy) > 1 and (work > _PARALLEL or any(self.layer in p.waiting for p in busy)):
                list(pool.map(self._round, busy, repeat(ceiling)))
            else:
                for part in busy:
                    self._round(part, ceiling)
            for part in zone.parts:
                self._hand_out(zone, part)
            evaluated = sum(other.evaluated for other in self.zones)
            self.journal.evaluated = self.evaluated_before + evaluated
            self.journal.check_limits()
            if self._exhausted():
                return
            self._relieve(zone)
            if self.journal.due():
                yield self.commit()
            yield self.report()

    def _exhausted(self) -> bool:
        looked_at = self.journal.evaluated - self.evaluated_before
        return self.effort is not None and looked_at > self.effort

    def _round(self, part: Part, ceiling: int) -> None:
        """Wake, take in and expand what a shard has to do; runs in a thread of its own.

        Ends early where room for outgoing candidates ran out: what is left is done in the next round.
        """
        constants = (self.layer, self.weight, self.keys.locked)
        waiting = part.waiting.pop(self.layer, [])
        while waiting:
            part.enlarge_table()
            rows = waiting.pop()
            first = int(wake(self.tables, self.bound, part.shard, *constants, rows, 0))
            if first < rows.size:
                part.waiting[self.layer] = [*waiting, rows[first:]]
                return
        while part.inbox:
            part.enlarge_table()
            candidates = part.inbox.pop()
            first = int(take_in(self.tables, self.bound, part.shard, *constants, candidates, 0))
            if first < candidates.shape[0]:
                part.inbox.append(candidates[first:])
                if not part.table_is_full():
                    return
        stopped = True
        while stopped:
            part.enlarge_table()
            stopped = expand_layer(
                self.tables,
                self.bound,
                part.shard,
                *constants,
                part.number,
                self.shards,
                ceiling,
                _STOP,
            )
            if not part.table_is_full():
                return

    def _hand_out(self, zone: Zone, part: Part) -> None:
        """Give the candidates that left a shard to whom they belong."""
        later, layers, elsewhere = outgoing(part.shard)
        if layers.size:
            order = np.argsort(layers, kind="stable")
            values, starts = np.unique(layers[order], return_index=True)
            for layer, rows in zip(values.tolist(), np.split(later[order], starts[1:]), strict=True):
                part.waiting.setdefault(layer, []).append(rows)
        if elsewhere.shape[0] and len(self.zones) == 1:
            zone.distribute(elsewhere)
        elif elsewhere.shape[0]:
            strata = self._strata(elsewhere)
            for other in self.zones:
                rows = elsewhere[(strata >= other.low) & (strata < other.high)]
                if rows.shape[0] and other is zone:
                    zone.distribute(rows)
                elif rows.shape[0]:
                    other.candidates.setdefault(self.layer, []).append(rows)
        goal = int(part.shard.state[GOAL_ROW])
        if goal >= 0 and self.goal is None:
            meta = int(part.shard.rows[goal, 4])
            self.goal = (meta >> 16) & 0x7FFF, meta & 0xFFFF

    def _strata(self, rows: Rows) -> NDArray[np.int64]:
        """The progress of each row."""
        signatures = np.ascontiguousarray(rows[:, 0])
        strata: NDArray[np.int64] = progress_of(self.tables, signatures, self.keys.locked)
        return strata

    # Memory.

    def _relieve(self, zone: Zone) -> None:
        """Make room when the budget is used up: candidates, then zones, then half of this one go to the store."""
        assert zone.parts is not None
        crowded = any(
            int(part.shard.state[COUNT]) + len(part.shard.burst) > 0.9 * part.shard.rows.shape[0]
            for part in zone.parts
        )
        if not crowded and sum(other.nbytes for other in self.zones) <= self.memory:
            return
        if self.kind != b"C":
            raise LimitReached("memory")
        for other in self.zones:
            if other is not zone and other.parts is not None:
                self._freeze(other)
        if sum(other.candidate_bytes for other in self.zones) > self.memory // 8:
            for other in self.zones:
                if other.candidate_bytes:
                    self._leave(other)
        if crowded or zone.nbytes - zone.candidate_bytes > 0.6 * self.memory:
            self._split(zone)

    def _freeze(self, zone: Zone) -> None:
        """Leave all of a zone to the store."""
        self._leave(zone)
        self.evaluated_before += zone.evaluated
        zone.parts = None
        self._find_candidates(zone)

    def _leave(self, zone: Zone) -> None:
        """See to it that all that is closed and all that waits in a zone is in the store."""
        self.commit()
        with self.journal.store.write() as txn:
            self._put_waiting(txn, zone)
            chunks = [(self.layer, rows) for part in zone.parts or () for rows in part.inbox]
            for layer, waiting in zone.candidates.items():
                chunks += [(layer, rows) for rows in waiting if not isinstance(rows, bytes)]
                zone.candidates[layer] = [key for key in waiting if isinstance(key, bytes)]
            for layer, rows in chunks:
                for stratum, data in self._encoded(rows):
                    key = txn.put_pending(max(layer, self.layer), stratum, data)
                    if zone.parts is None or layer > self.layer:
                        zone.candidates.setdefault(max(layer, self.layer), []).append(key)

    def _put_waiting(self, txn: Any, zone: Zone) -> None:
        """Write rows looked at, or reached with fewer moves, since the last time, each under its layer."""
        for part in zone.parts or ():
            rows = part.rows
            fresh = np.flatnonzero((rows[:, 4] & (IS_CLOSED | IS_STORED)) == 0)
            new = rows[fresh]
            rows[fresh, 4] |= IS_STORED
            layers = self.layers_of(new)
            for layer in np.unique(layers).tolist():
                for block in self._encoded(new[layers == layer]):
                    txn.put_pending(layer, *block)

    def _find_candidates(self, zone: Zone) -> None:
        """Make a zone's candidates those that the store has for its strata, for layers not yet closed.

        There may be more than need be: states that have been closed since, which will be found to be duplicates.
        """
        zone.candidates = {}
        for key in self.journal.store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            if layer > zone.closed and zone.low <= stratum < zone.high:
                zone.candidates.setdefault(layer, []).append(key)

    def _thaw(self, zone: Zone) -> None:
        """Bring a zone's closed states back into memory, after making room for it."""
        others = [other for other in self.zones if other.parts is not None]
        if others and sum(other.nbytes for other in others) > self.memory // 4:
            for other in others:
                self._freeze(other)
        elif others:
            self.commit()
        store = self.journal.store
        records = []
        total = 0
        for key in store.keys(self.kind):
            if zone.low <= parse_closed_key(key).stratum < zone.high:
                records.append(key)
                total += store.states_in(key)
        if total * 64 > self.memory:
            middle = self._middle_of(records)
            if zone.low < middle < zone.high:
                self._leave(zone)
                self._cut(zone, middle)
                self._find_candidates(zone)
                self._thaw(zone)
                return
        parts = zone.open(self.shards, self.memory)
        for key in records:
            rows = self._rows(key)
            owners = shards_of(rows, self.shards)
            for part in parts:
                if not part.add_closed(rows[owners == part.number]):
                    raise LimitReached("memory")
        for part in parts:
            part.rebuild_table()

    def _middle_of(self, records: list[bytes]) -> int:
        """The progress that cuts closed blocks in two halves."""
        sizes: dict[int, int] = {}
        for key in records:
            stratum = parse_closed_key(key).stratum
            sizes[stratum] = sizes.get(stratum, 0) + self.journal.store.states_in(key)
        return _median(sizes)

    def _split(self, zone: Zone) -> None:
        """Leave the upper half of a zone to the store as a zone of its own."""
        self._leave(zone)
        assert zone.parts is not None
        strata = [self._strata(part.rows) for part in zone.parts]
        values, counts = np.unique(np.concatenate(strata), return_counts=True)
        middle = _median(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        if not zone.low < middle < zone.high:
            raise LimitReached("memory")
        self._cut(zone, middle)
        old = zone.parts
        self.evaluated_before += zone.evaluated
        for before, part, levels in zip(old, zone.open(self.shards, self.memory), strata, strict=True):
            part.add_closed(before.rows[((before.rows[:, 4] & IS_CLOSED) != 0) & (levels < middle)])
            part.rebuild_table()
        self._find_candidates(zone)
        for chunk in zone.candidates.pop(self.layer, []):
            assert isinstance(chunk, bytes)
            zone.distribute(self._rows(chunk))

    def _cut(self, zone: Zone, middle: int) -> None:
        """Make two zones of one that has been left to the store, the upper one beginning at ``middle``."""
        upper = Zone(middle, zone.high, closed=zone.closed)
        zone.high = middle
        self.zones.insert(self.zones.index(zone) + 1, upper)
        self._find_candidates(upper)

    def _rows(self, key: bytes) -> Rows:
        """The rows of a block in the store."""
        runs = self.journal.store.block(key)
        costs = np.zeros(runs.codes.size, np.uint16)
        if runs.extra is not None:
            costs = runs.extra & np.uint16(0x7FFF)
        rows: Rows = unpack_rows(
            self.tables, runs.signatures, runs.counts, runs.keys, runs.codes, costs, runs.words
        )
        return rows

    # What is kept.

    def _flush(self) -> None:
        """Hand the states expanded since the last time to the journal."""
        fresh = [part.fresh_closed() for zone in self.zones for part in zone.parts or ()]
        rows = [closed for closed in fresh if closed.shape[0]]
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
            for zone in self.zones:
                self._put_waiting(txn, zone)
                # What has not been looked at is written anew each time.
                chunks = [(self.layer, rows) for part in zone.parts or () for rows in part.inbox]
                for layer, many in zone.candidates.items():
                    chunks += [(layer, rows) for rows in many if not isinstance(rows, bytes)]
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
        return sum(zone.pending for zone in self.zones)

    def report(self) -> Report:
        """A snapshot for progress displays."""
        counts = sum(
            int(part.shard.state[DONE]) - part.flushed
            for zone in self.zones
            for part in zone.parts or ()
        )
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
        everything = self.zones[0]
        if self.kind == b"C":
            for key in store.keys(b"P"):
                everything.candidates.setdefault(parse_pending_key(key)[0], []).append(key)
            # These records go with the next commit.
            for key in store.keys(b"B"):
                layer = parse_pending_key(key)[0]
                everything.candidates.setdefault(layer, []).append(self._rows(key))
        if not everything.candidates and not self.journal.states:
            root = np.array([[*self.keys.root, self.keys.root_code]], np.uint64)
            everything.candidates[0] = [root]


def _median(sizes: dict[int, int]) -> int:
    """The key at which half of the values lie below."""
    total = sum(sizes.values())
    below = 0
    for key in sorted(sizes):
        if below and 2 * (below + sizes[key]) > total:
            return key
        below += sizes[key]
    return max(sizes, default=0)
