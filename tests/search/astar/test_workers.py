"""Threads that close a layer together: the same states as one of them, and an end in any case."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

import pytest

from dbmsolver.api import solve
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.search.astar import layers, workers
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.astar.workers import ShardWorkers

TWO_CELLS = rules_for("freecell", freecells=2)


@pytest.mark.parametrize(
    "deal", [Deal.from_number(10), Deal.from_number(1, TWO_CELLS)], ids=["solved", "unsolvable"]
)
def test_threads_change_nothing(deal: Deal, monkeypatch: pytest.MonkeyPatch) -> None:
    divided: list[int] = []
    divide = Partition.divide

    def watched(self: Partition, shards: int, *how: Any) -> None:
        assert len(self.queues or ()) == 1
        before = self.pending, self.layers
        divide(self, shards, *how)
        assert (self.pending, self.layers) == before
        divided.append(shards)

    monkeypatch.setattr(Partition, "divide", watched)
    monkeypatch.setattr(layers, "ENOUGH", 3_000)
    one, two, three = (solve(deal, threads=threads) for threads in (1, 2, 3))
    for other in (two, three):
        assert (other.verdict, other.length, other.digest) == (one.verdict, one.length, one.digest)
        assert other.strata == one.strata
    assert divided == [2, 4]


def test_easy_deals_are_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Partition, "divide", None)
    assert solve(Deal.from_number(3), threads=2).length == 73


@dataclass
class Worker:
    """Stands for a shard: numbers that wait, each to be sent on until it is 0.

    It lends half of its numbers where it has as many as ``lends`` or more.
    """

    number: int
    queue: list[int] = field(default_factory=list)
    outbox: list[int] = field(default_factory=list)
    lends: int = 1 << 30
    lent: int = 0
    arrived: int = 0
    is_settled: bool = False
    in_hurry: bool = False
    hurried: threading.Event = field(default_factory=threading.Event)

    def hurry(self, others_wait: bool) -> None:
        self.in_hurry = others_wait
        if others_wait:
            self.hurried.set()

    def lend_to(self, other: Worker) -> bool:
        assert other is not self
        if len(self.queue) < self.lends:
            return False
        self.lent += 1
        half = len(self.queue) // 2
        other.queue += self.queue[:half]
        del self.queue[:half]
        return True

    def settle(self) -> None:
        self.is_settled = True


class Work:
    """Numbers that are sent from one worker to the next; `fails` is one that ends in an error."""

    def __init__(self, workers: int, numbers: list[int], fails: int | None = None) -> None:
        self.workers = [Worker(number) for number in range(workers)]
        self.workers[0].queue = numbers
        self.fails = fails
        self.changed = Condition()
        self.rounds: Counter[int] = Counter()
        self.busy: set[int] = set()

    def work_on(self, worker: Worker) -> None:
        assert worker.number not in self.busy
        self.busy.add(worker.number)
        while worker.queue:
            number = worker.queue.pop()
            if number == self.fails:
                raise ValueError(number)
            worker.outbox += [number - 1] if number else []
        self.rounds[worker.number] += 1
        self.busy.remove(worker.number)

    def distribute(self, worker: Worker) -> bool:
        with self.changed:
            self.workers[(worker.number + 1) % len(self.workers)].queue += worker.outbox
        worker.outbox = []
        return True

    def threads(self, rounds: int) -> ShardWorkers:
        shards: Any = self.workers
        return ShardWorkers(
            shards,
            lambda worker: bool(worker.queue),  # type: ignore[attr-defined]
            self.work_on,  # type: ignore[arg-type]
            self.distribute,  # type: ignore[arg-type]
            rounds,
            self.changed,
        )

    def run(self, threads: int, rounds: int) -> None:
        with ThreadPoolExecutor(threads) as pool:
            self.threads(rounds).work(pool, threads)
        assert all(worker.is_settled and not worker.in_hurry for worker in self.workers)

    @property
    def waiting(self) -> int:
        return sum(len(worker.queue) + len(worker.outbox) for worker in self.workers)


@pytest.mark.parametrize(("workers", "threads"), [(1, 1), (2, 1), (2, 2), (4, 3), (2, 4), (8, 2)])
def test_it_is_over_when_nothing_is_left(workers: int, threads: int) -> None:
    work = Work(workers, list(range(300)))
    work.run(threads, 10_000)
    assert work.waiting == 0 and not work.busy
    assert all(work.rounds[number] for number in range(workers))


@pytest.mark.parametrize("threads", [1, 2])
def test_it_is_over_after_enough_rounds(threads: int) -> None:
    """Rounds that other threads have begun are finished."""
    work = Work(2, [1_000_000])
    work.run(threads, 50)
    assert work.waiting == 1
    assert 100 <= work.rounds.total() < 100 + threads


def test_one_thread_looks_at_what_one_shard_sends_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first has work for hundreds of rounds; what it sends does not wait for their end."""
    monkeypatch.setattr(workers, "_MANY", 10)
    work = Work(2, [0] * 300)
    first, second = work.workers
    most, order = 0, list[int]()

    def work_on(worker: Worker) -> None:
        nonlocal most
        most = max(most, second.arrived)
        order.append(worker.number)
        if worker is first:
            first.queue.pop()
            second.queue += [0] * 4
        else:
            second.queue.clear()
        second.arrived = len(second.queue)

    work.work_on = work_on  # type: ignore[method-assign]
    work.run(1, 10_000)
    assert work.waiting == 0
    assert most == 12  # three rounds, each of which sends four
    assert order == [0, 0, 0, 1] * 100


def test_threads_work_at_the_same_time() -> None:
    """Each waits in its first round until the other has begun one."""
    work = Work(2, [0])
    work.workers[1].queue = [0]
    both, work_on = threading.Barrier(2, timeout=30), work.work_on

    def meets(worker: Worker) -> None:
        both.wait()
        work_on(worker)

    work.work_on = meets  # type: ignore[method-assign]
    work.run(2, 10)
    assert work.rounds == {0: 1, 1: 1}


class Unshared(Work):
    """Numbers that are looked at one in a round, and sent to nobody.

    The first worker's rounds last until another thread waits, as long as the second has had none.
    """

    def __init__(self, workers: int, numbers: int, lends: int) -> None:
        super().__init__(workers, [0] * numbers)
        self.workers[0].lends = lends
        self.hurried = 0

    def work_on(self, worker: Worker) -> None:
        if worker.number == 0 and not self.rounds[1]:
            assert worker.hurried.wait(30) and worker.in_hurry
            self.hurried += 1
        worker.queue.pop()
        self.rounds[worker.number] += 1


def test_a_thread_that_waits_is_lent_rows() -> None:
    """While it waits, the round of the other is to be short; then nobody is in a hurry."""
    work = Unshared(2, 100, lends=50)
    work.run(2, 10_000)
    assert work.workers[0].lent >= 1 <= work.hurried
    assert work.rounds.total() == 100 and work.rounds[1] >= 1
    assert work.waiting == 0


def test_nothing_is_lent_by_one_that_has_little() -> None:
    work = Work(2, list(range(50)))
    work.run(2, 10_000)
    assert [worker.lent for worker in work.workers] == [0, 0]


def test_nothing_is_lent_once_it_is_over() -> None:
    """Nobody goes on with work that the caller has ended."""
    work = Unshared(2, 100, lends=50)
    distribute = work.distribute
    work.distribute = lambda worker: distribute(worker) and False  # type: ignore[method-assign]
    work.run(2, 10_000)
    assert work.workers[0].lent == 0 and work.rounds == {0: 1}


@pytest.mark.parametrize(("threads", "used"), [(1, 1), (2, 2), (3, 2)])
def test_no_more_threads_work_than_it_may_have(threads: int, used: int) -> None:
    """One of the pool may be lent, and no shard has two of them."""
    work, begun = Work(2, [300]), []

    class Pool(ThreadPoolExecutor):
        def submit(self, *call: Any) -> Any:  # type: ignore[override]
            begun.append(call)
            return super().submit(*call)

    with Pool(3) as pool:
        work.threads(10_000).work(pool, threads)
    assert len(begun) == used and work.waiting == 0


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_an_error_ends_it(threads: int) -> None:
    work = Work(4, [100, 200], fails=50)
    with pytest.raises(ValueError, match="50"):
        work.run(threads, 10_000)


def test_an_interrupt_waits_for_the_threads() -> None:
    """Work that they have begun is finished, so that the caller can commit it."""
    work = Work(2, [1_000_000])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    work_on, waiting = work.work_on, threading.get_ident()

    def interrupted(worker: Worker) -> None:
        if work.rounds.total() == 20:
            # A signal of this thread would not wake the one that waits for it.
            signal.pthread_kill(waiting, signal.SIGINT)
        work_on(worker)

    work.work_on = interrupted  # type: ignore[method-assign]
    with ThreadPoolExecutor(2) as pool:
        threads = work.threads(10_000_000)
        try:
            with pytest.raises(KeyboardInterrupt):
                threads.work(pool, 2)
        finally:
            signal.signal(signal.SIGINT, before)
        made = work.rounds.total()
        assert made >= 20 and not work.busy
        assert work.waiting == 1
    assert work.rounds.total() == made


class Interrupted(Condition):
    """A condition whose first wait in one thread is interrupted; its second one is noted."""

    def __init__(self, thread: int) -> None:
        super().__init__()
        self.thread = thread
        self.waits = 0
        self.goes_on = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        if threading.get_ident() == self.thread:
            self.waits += 1
            if self.waits == 1:
                raise KeyboardInterrupt
            self.goes_on.set()
        return super().wait(timeout)


def test_another_interrupt_while_the_first_is_obeyed() -> None:
    """The round that has begun is waited for all the same, and no other one begins."""
    work = Work(1, [10_000])
    work.changed = changed = Interrupted(threading.get_ident())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    work_on = work.work_on

    def interrupted(worker: Worker) -> None:
        work.busy.add(-1)
        if work.rounds.total() == 20:
            signal.pthread_kill(changed.thread, signal.SIGINT)
            changed.goes_on.wait()
        work_on(worker)
        work.busy.remove(-1)

    work.work_on = interrupted  # type: ignore[method-assign]
    with ThreadPoolExecutor(1) as pool:
        try:
            with pytest.raises(KeyboardInterrupt):
                work.threads(10_000_000).work(pool, 1)
            assert not work.busy
        finally:
            signal.signal(signal.SIGINT, before)
            changed.goes_on.set()
    assert work.rounds == {0: 21}
    assert work.waiting == 1


def test_the_caller_may_end_it() -> None:
    work = Work(2, [1_000_000])
    distribute = work.distribute

    def ends(worker: Worker) -> bool:
        distribute(worker)
        return work.rounds.total() < 10

    work.distribute = ends  # type: ignore[method-assign]
    work.run(2, 10_000)
    assert 10 <= work.rounds.total() <= 12
