"""Which zones of a search by cost layers memory holds: the others are left to the store, and come back when needed."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.shards import COUNT, IS_CLOSED, shards_of
from dbmsolver.search.astar.checkpoint import ZoneStore
from dbmsolver.search.astar.partitions import Zone
from dbmsolver.search.astar.rows import strata_of
from dbmsolver.search.journal import LimitReached
from dbmsolver.storage.store import parse_closed_key


class Residency:
    """Zones in ``memory`` bytes, each in ``shards`` shards.

    A zone that is too big for them is cut in two by progress; LimitReached where that is not possible.
    """

    def __init__(self, kept: ZoneStore, shards: int, memory: int) -> None:
        self.kept = kept
        self.zones = kept.zones
        self.shards = shards
        self.memory = memory

    def relieve(self, zone: Zone) -> None:
        """Make room when the budget is used up: other zones, then candidates, then half of this one go to the store."""
        assert zone.parts is not None
        crowded = any(
            int(part.shard.state[COUNT]) + len(part.shard.burst) > 0.9 * part.shard.rows.shape[0]
            for part in zone.parts
        )
        if not crowded and sum(other.nbytes for other in self.zones) <= self.memory:
            return
        if self.kept.kind != b"C":
            raise LimitReached("memory")
        for other in self.zones:
            if other is not zone and other.parts is not None:
                self._freeze(other)
        if sum(other.candidate_bytes for other in self.zones) > self.memory // 8:
            for other in self.zones:
                if other.candidate_bytes:
                    self.kept.leave(other)
        if crowded or zone.nbytes - zone.candidate_bytes > 0.6 * self.memory:
            self._split(zone)

    def thaw(self, zone: Zone) -> None:
        """Bring a frozen zone's closed states back into memory, after making room for it."""
        others = [other for other in self.zones if other.parts is not None]
        if others and sum(other.nbytes for other in others) > self.memory // 4:
            for other in others:
                self._freeze(other)
        elif others:
            self.kept.commit()
        records = self.kept.closed_records(zone)
        if sum(records.values()) * 64 > self.memory:
            middle = _middle_of(records)
            if zone.low < middle < zone.high:
                self.kept.leave(zone)
                self._cut(zone, middle)
                self.kept.find_candidates(zone)
                self.thaw(zone)
                return
        parts = zone.open(self.shards, self.memory)
        for key in records:
            rows = self.kept.rows(key)
            owners = shards_of(rows, self.shards)
            for part in parts:
                if not part.add_closed(rows[owners == part.number]):
                    raise LimitReached("memory")
        for part in parts:
            part.rebuild_table()

    def _freeze(self, zone: Zone) -> None:
        """Leave all of a zone to the store."""
        self.kept.leave(zone)
        zone.drop()
        self.kept.find_candidates(zone)

    def _split(self, zone: Zone) -> None:
        """Leave the upper half of a zone to the store as a zone of its own."""
        self.kept.leave(zone)
        assert zone.parts is not None
        strata = [strata_of(self.kept.keys, part.rows) for part in zone.parts]
        values, counts = np.unique(np.concatenate(strata), return_counts=True)
        middle = _median(dict(zip(values.tolist(), counts.tolist(), strict=True)))
        if not zone.low < middle < zone.high:
            raise LimitReached("memory")
        self._cut(zone, middle)
        old = zone.parts
        for before, part, levels in zip(
            old, zone.open(self.shards, self.memory), strata, strict=True
        ):
            part.add_closed(before.rows[((before.rows[:, 4] & IS_CLOSED) != 0) & (levels < middle)])
            part.rebuild_table()
        self.kept.find_candidates(zone)
        for chunk in zone.candidates.pop(self.kept.layer, []):
            assert isinstance(chunk, bytes)
            zone.distribute(self.kept.rows(chunk))

    def _cut(self, zone: Zone, middle: int) -> None:
        """Make two zones of one that has been left to the store, the upper one beginning at ``middle``."""
        upper = Zone(middle, zone.high, closed=zone.closed)
        zone.high = middle
        self.zones.insert(self.zones.index(zone) + 1, upper)
        self.kept.find_candidates(upper)


def _middle_of(records: dict[bytes, int]) -> int:
    """The progress that cuts blocks of closed states, of these sizes, in two halves."""
    sizes: dict[int, int] = {}
    for key, states in records.items():
        stratum = parse_closed_key(key).stratum
        sizes[stratum] = sizes.get(stratum, 0) + states
    return _median(sizes)


def _median(sizes: dict[int, int]) -> int:
    """The key at which half of the values lie below."""
    total = sum(sizes.values())
    below = 0
    for key in sorted(sizes):
        if below and 2 * (below + sizes[key]) > total:
            return key
        below += sizes[key]
    return max(sizes, default=0)
