"""Search by cost layers: the shortest solution, or that there is none.

Layers f = g + h are closed in ascending order.  The signatures are dealt out to as many shards as there are threads; a
layer is closed in rounds, in each of which every shard takes in what the others have sent and expands what follows.

Before a search without a goal ends, its books must balance: every candidate that was handed to a shard has been looked at,
every state that was looked at is closed, and there are no fewer of them than any commit knew of.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat

import numpy as np

from dbmsolver.core.bound import make_bound_tables
from dbmsolver.core.layers import expand_layer, take_in, wake
from dbmsolver.core.shards import DONE, GOAL_ROW, outgoing
from dbmsolver.errors import InternalError
from dbmsolver.results import Report, Unit
from dbmsolver.search.astar.cache import Residency
from dbmsolver.search.astar.checkpoint import ZoneStore
from dbmsolver.search.astar.partitions import Part, Rows, Zone
from dbmsolver.search.astar.rows import strata_of
from dbmsolver.search.journal import Journal, LimitReached
from dbmsolver.state import Keys

_STOP = 1 << 14
_PARALLEL = 2_000
"""Below this much work in a round, starting threads costs more than it saves."""


class LayeredSearch:
    """A search by cost layers in progress; :meth:`run` carries it to its end.

    ``weight`` other than 1 makes it a hasty search: the first solution found is any solution.  ``kind`` is the kind of
    record closed states are stored as.  ``effort`` bounds the states looked at; a search that has used it up ends without
    a goal.
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
        self.weight = weight
        self.effort = effort
        self.goal: tuple[int, int] | None = None  # (g, parent-move code)
        self.shards = 1
        while self.shards < threads:
            self.shards *= 2
        self.kept = ZoneStore(keys, journal, weight, kind)
        self.residency = Residency(self.kept, self.shards, memory)
        self.zones = self.kept.zones
        self.evaluated_before = journal.evaluated

    @property
    def layer(self) -> int:
        """The layer being closed."""
        return self.kept.layer

    def run(self) -> Iterator[Report | Unit]:
        """Close layers until the goal is met or nothing is pending; then ``goal`` says which.

        Raises LimitReached.  Whether it comes to its end or is stopped, everything finished until then is committed;
        after an error nothing is.
        """
        self.kept.restore()
        finished = False
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while self.goal is None and not self._exhausted() and not finished:
                    layers = [layer for zone in self.zones for layer in zone.layers]
                    if layers:
                        self.kept.layer = min(layers)
                        yield from self._close_layer(pool)
                    finished = not layers
            except (LimitReached, KeyboardInterrupt, GeneratorExit):
                self.kept.commit()
                raise
        self.kept.commit()
        if finished:
            self.kept.check_books()

    def _close_layer(self, pool: Executor) -> Iterator[Report | Unit]:
        zone: Zone | None = self.zones[0]
        while zone is not None and self.goal is None and not self._exhausted():
            if self.layer in zone.layers:
                yield from self._close_zone(pool, zone)
            # Zones may have been split meanwhile.
            above = [other for other in self.zones if other.low >= zone.high]
            zone = min(above, key=lambda other: other.low, default=None)
        self.kept.flush()

    def _close_zone(self, pool: Executor, zone: Zone) -> Iterator[Report | Unit]:
        """Close this layer's states in one zone."""
        if zone.parts is None:
            self.residency.thaw(zone)
        for chunk in zone.candidates.pop(self.layer, []):
            zone.distribute(self.kept.rows(chunk) if isinstance(chunk, bytes) else chunk)
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
            self.residency.relieve(zone)
            if self.journal.due():
                yield self.kept.commit()
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
            part.taken += first
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
            for layer, rows in zip(
                values.tolist(), np.split(later[order], starts[1:]), strict=True
            ):
                part.waiting.setdefault(layer, []).append(rows)
        if elsewhere.shape[0]:
            self._send(zone, elsewhere)
        goal = int(part.shard.state[GOAL_ROW])
        if goal >= 0 and self.goal is None:
            meta = int(part.shard.rows[goal, 4])
            self.goal = (meta >> 16) & 0x7FFF, meta & 0xFFFF

    def _send(self, zone: Zone, candidates: Rows) -> None:
        """Give candidates of this layer that come from one zone to their zones."""
        if len(self.zones) == 1:
            zone.distribute(candidates)
            return
        strata = strata_of(self.keys, candidates)
        sent = 0
        for other in self.zones:
            rows = candidates[(strata >= other.low) & (strata < other.high)]
            sent += rows.shape[0]
            if rows.shape[0] and other is zone:
                zone.distribute(rows)
            elif rows.shape[0]:
                other.candidates.setdefault(self.layer, []).append(rows)
        if sent != candidates.shape[0]:
            raise InternalError("the books do not balance: candidates that belong to no zone")

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
            look_ahead=self.kept.kind != b"C",
        )
        return replace(report, states=report.states + counts)
