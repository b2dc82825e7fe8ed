"""The counts of a search: states, their digest, time and memory."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from dbmsolver.process import anonymous_memory
from dbmsolver.search.history import Moment, extended
from dbmsolver.storage.manifest import Manifest

_MASK = (1 << 64) - 1


@dataclass(eq=False, slots=True)
class Statistics:
    """Counts of all runs on a store together.

    `states` are closed states without the forced ones, which `forced` counts. `evaluated` counts
    the states looked at. `digest` is the sum modulo 2**64 of the hashes of all closed states.
    `strata` maps (layer, stratum) to [states, forced]. `closed_bytes` is the size of all blocks of
    closed states, `memory` the memory in use when it was last measured, and `peak_memory` the most
    of it, in bytes. `history` is what was closed at commits before.
    """

    states: int = 0
    forced: int = 0
    evaluated: int = 0
    digest: int = 0
    strata: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    history: list[Moment] = field(default_factory=list)
    closed_bytes: int = 0
    memory: int = 0
    peak_memory: int = 0
    earlier_seconds: float = 0.0
    """Time of earlier runs."""
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, manifest: Manifest) -> Statistics:
        """Return the counts of a store, from which a run goes on."""
        statistics = cls(peak_memory=manifest.peak_memory, earlier_seconds=manifest.seconds)
        statistics.recall(manifest)
        return statistics

    def recall(self, manifest: Manifest) -> None:
        """Go back to the counts of the last commit."""
        self.states = manifest.states
        self.forced = manifest.forced
        self.evaluated = manifest.evaluated
        self.digest = int(manifest.digest, 16)
        self.closed_bytes = manifest.closed_bytes
        self.strata = {(row[0], row[1]): [row[2], row[3]] for row in manifest.strata}
        self.history = [Moment(*row) for row in manifest.history]

    def remember(self, layer: int, stratum: int) -> None:
        """Add this moment to the history; the search is at that layer or stratum."""
        # By stratum: a hasty search that found a solution has looked at states and closed none.
        states, forced = (sum(row[place] for row in self.strata.values()) for place in (0, 1))
        moment = Moment(round(1000 * self.elapsed), layer, stratum, states, forced)
        self.history = extended(self.history, moment)

    def fields(self) -> dict[str, Any]:
        """Return the same counts as fields of a manifest."""
        return {
            "states": self.states,
            "forced": self.forced,
            "evaluated": self.evaluated,
            "digest": f"{self.digest:016x}",
            "seconds": round(self.elapsed, 3),
            "peak_memory": self.peak_memory,
            "closed_bytes": self.closed_bytes,
            "strata": [[*key, *row] for key, row in sorted(self.strata.items())],
            "history": [list(moment) for moment in self.history],
        }

    @property
    def elapsed(self) -> float:
        """Seconds spent on the store so far, earlier runs included."""
        return self.earlier_seconds + time.monotonic() - self.started

    @property
    def closed(self) -> int:
        """Closed states, the forced ones included."""
        return self.states + self.forced

    def count(self, layer: int, stratum: int, states: int, forced: int, digest: int) -> None:
        """Count closed states. `states` includes the forced ones.

        Nothing is noted of a layer and stratum without any: its first piece may have none, and an
        unfinished store tells how far it is by its last layer with closed states.
        """
        if not states:
            return
        self.states += states - forced
        self.forced += forced
        self.evaluated += states
        self.add_digest(digest)
        row = self.strata.setdefault((layer, stratum), [0, 0])
        row[0] += states - forced
        row[1] += forced

    def add_digest(self, digest: int) -> None:
        """Add the digest of some closed states."""
        self.digest = (self.digest + digest) & _MASK

    def measure_memory(self) -> int:
        """Return the bytes of memory in use now; remember the most of them."""
        self.memory = anonymous_memory()
        self.peak_memory = max(self.peak_memory, self.memory)
        return self.memory
