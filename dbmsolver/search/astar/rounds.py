"""The work on one shard while a layer is closed: the calls of the kernels, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dbmsolver.kernels.layers import expand_layer, insert_candidates, requeue
from dbmsolver.kernels.shards import CEILING
from dbmsolver.search.astar.partitions import ShardQueue

_STOP = 1 << 14
"""States that a shard expands in a round, at most."""
_PART = 8
_LEAST_STOP = 1 << 7
"""Where there are others it is this part of what it has closed in the layer, but no fewer.

The last layer is searched depth first. A way to the goal goes through all shards, and waits at each
change for the end of a round. So rounds begin short: mostly the goal is met soon, or not at all.
"""


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a layer; it may run for several shards at the same time.

    ``tables`` and ``bound`` are the deal's, ``locked`` the number of cards locked in it. ``layer``
    is f = g + ``weight`` * h. States that cannot be part of a solution shorter than ``ceiling`` are
    dropped. Candidates of a slice above ``highest`` leave the partition.
    """

    tables: Any
    bound: Any
    locked: int
    weight: int
    layer: int
    ceiling: int
    highest: int
    shards: int

    def is_wanted(self, queue: ShardQueue) -> bool:
        """Return True if a shard has something to do in this layer."""
        return bool(queue.work) or self.layer in queue.waiting

    def work_on(self, queue: ShardQueue) -> None:
        """Bring waiting rows into the layer, look at candidates, expand what follows.

        Ends early when there is no room for outgoing candidates: the rest is done in the next
        round.
        """
        queue.shard.state[CEILING] = self.ceiling
        if self._requeue(queue) and self._insert_candidates(queue):
            if not queue.uncounted:
                queue.order_todo()
            self._expand(queue)

    @property
    def _constants(self) -> tuple[int, int, int]:
        return self.layer, self.weight, self.locked

    def _requeue(self, queue: ShardQueue) -> bool:
        """Bring the rows that waited for this layer into it; return True if there was room."""
        waiting = queue.waiting.pop(self.layer, [])
        while waiting:
            queue.enlarge_table()
            rows = waiting.pop()
            first = int(requeue(self.tables, self.bound, queue.shard, *self._constants, rows, 0))
            if first < rows.size:
                queue.waiting[self.layer] = [*waiting, rows[first:]]
                return False
        return True

    def _insert_candidates(self, queue: ShardQueue) -> bool:
        """Look at the incoming candidates; return True if there was room."""
        while queue.incoming:
            queue.enlarge_table()
            candidates = queue.incoming.pop()
            first = int(
                insert_candidates(
                    self.tables, self.bound, queue.shard, *self._constants, candidates, 0
                )
            )
            queue.looked_at += first
            if first < candidates.shape[0]:
                queue.incoming.append(candidates[first:])
                if not queue.table_is_full():
                    return False
        return True

    def _expand(self, queue: ShardQueue) -> None:
        """Expand rows, enlarging the table as often as it fills."""
        shard = (queue.number, self.shards)
        most = self._stop(queue)
        stopped = True
        while stopped:
            queue.enlarge_table()
            stopped = expand_layer(
                self.tables, self.bound, queue.shard, *self._constants, *shard, self.highest, most
            )
            if not queue.table_is_full():
                return

    def _stop(self, queue: ShardQueue) -> int:
        """Return the number of states that a shard expands in this round, at most."""
        if self.shards == 1:
            return _STOP
        return min(max(queue.uncounted // _PART, _LEAST_STOP), _STOP)
