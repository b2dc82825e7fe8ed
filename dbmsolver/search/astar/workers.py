"""Worker threads that close a layer together, without waiting for each other.

Each takes a shard that has something to do and that no other thread has, does a round of work on
it, and distributes the rows that leave it, which may give other shards something to do. A thread
that finds no such shard waits. While one waits, the others end their rounds early, and a shard
whose round has ended lends rows to one that has little to do. The work is over when no shard has
anything to do and no thread is busy, or when enough rounds are made: then the caller looks at
limits and memory, and goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

from dbmsolver.search.astar.partitions import ShardQueue

_MANY = 1 << 14
"""Candidates that have come to a shard, from which on a thread leaves another one for it."""


class ShardWorkers:
    """The threads that work on some shards, round by round.

    ``is_wanted`` says whether a shard has something to do. ``work_on`` does a round, by the one
    thread that has the shard. Then ``distribute``, called by the same thread, gives the rows that
    leave the shard to other shards; it holds ``changed`` while it does, and says whether to go on.
    """

    def __init__(
        self,
        queues: Sequence[ShardQueue],
        is_wanted: Callable[[ShardQueue], bool],
        work_on: Callable[[ShardQueue], None],
        distribute: Callable[[ShardQueue], bool],
        rounds: int,
        changed: threading.Condition,
    ) -> None:
        self._queues = queues
        self._is_wanted = is_wanted
        self._work_on = work_on
        self._distribute = distribute
        self._rounds = rounds * len(queues)
        self._changed = changed
        self._taken: set[int] = set()
        self._waiting = 0  # threads
        self._over = False

    def work(self, pool: Executor, threads: int) -> None:
        """Work with ``threads`` of a pool until it is over; raise what one of them raises.

        However it ends, by an interrupt, too, no thread is at work any more and no rows are lent.
        """
        most = min(threads, len(self._queues))
        try:
            for helper in [pool.submit(self._help) for _ in range(most)]:
                helper.result()
        finally:
            self._see_off()
            for queue in self._queues:
                queue.hurry(False)
                queue.settle()

    def _see_off(self) -> None:
        """End the work, and wait for the rounds that have begun; they take milliseconds."""
        while True:
            try:
                with self._changed:
                    self._end()
                    while self._taken:
                        self._changed.wait()
                return
            except KeyboardInterrupt:  # another one, while the first is being obeyed
                continue

    def _help(self) -> None:
        last = None
        while (queue := self._take(last)) is not None:
            goes_on = False
            try:
                self._work_on(queue)
                goes_on = self._distribute(queue)
            finally:
                self._give_back(queue, goes_on)
            last = queue

    def _take(self, last: ShardQueue | None) -> ShardQueue | None:
        """Return a shard for this thread, the last one if possible; None when it is over."""
        with self._changed:
            while not self._over:
                free = [
                    queue
                    for queue in self._queues
                    if queue.number not in self._taken and self._is_wanted(queue)
                ]
                if free:
                    queue = _choice(free, last)
                    self._taken.add(queue.number)
                    queue.hurry(self._waiting > 0)
                    return queue
                if not self._taken:
                    self._end()
                else:
                    self._wait()
        return None

    def _wait(self) -> None:
        """Wait for a change, and let the threads that are at work end their rounds soon."""
        self._waiting += 1
        self._hurry()
        self._changed.wait()
        self._waiting -= 1
        self._hurry()

    def _hurry(self) -> None:
        """Let the rounds that have begun be short while threads wait, and only then."""
        for queue in self._queues:
            if queue.number in self._taken:
                queue.hurry(self._waiting > 0)

    def _give_back(self, queue: ShardQueue, goes_on: bool) -> None:
        with self._changed:
            self._taken.discard(queue.number)
            self._rounds -= 1
            if not goes_on or self._rounds <= 0:
                self._over = True
            elif self._waiting:
                self._lend(queue)
            self._changed.notify_all()

    def _lend(self, queue: ShardQueue) -> None:
        """Let a shard lend rows to one that has little to do, for a thread that waits."""
        for other in self._queues:
            is_free = other is not queue and other.number not in self._taken
            if is_free and queue.lend_to(other):
                return

    def _end(self) -> None:
        self._over = True
        self._changed.notify_all()


def _choice(free: Sequence[ShardQueue], last: ShardQueue | None) -> ShardQueue:
    """Return the shard for a thread to take: the last one, unless many candidates wait elsewhere.

    Candidates take memory until they are looked at. Where fewer threads than shards are at work,
    one shard would send more and more of them to another, which nobody takes.
    """
    fullest = max(free, key=lambda queue: queue.arrived)
    return fullest if last is None or last not in free or fullest.arrived > _MANY else last
