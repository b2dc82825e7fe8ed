"""The order of tasks: many small ones at a time, then large ones, the largest alone."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dbmsolver.game.classes import has_classes
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limit, Limits, Question, Verdict
from dbmsolver.survey.inquiries import Filling, Task
from dbmsolver.survey.jobs import LOST, Found, Order, Way
from dbmsolver.survey.kept import name_of
from dbmsolver.survey.pool import Job, Pool
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import Inquiry

BATCH = 256
"""Deals in one job of dives, at most: a worker waits for the next job seldom, and not long."""

JOBS_FOR_EACH = 4
"""Jobs of dives that there should be for each worker, where there are enough deals."""

MOST_LOST = 2
"""The number of workers that a deal may end before it is given up."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """Settings for the searches. `stores` is the folder that keeps searches, None for none."""

    question: Inquiry
    limits: Limits
    lengths: bool
    stores: Path | None


class Plan:
    """The rows to be filled, and the jobs that fill them.

    Tasks wait in three queues: for dives, which decide most deals; for a search in a worker's share
    of the memory; for one that has the machine alone.
    """

    def __init__(self, wishes: Wishes, fillings: Iterable[Filling], count: int) -> None:
        self.wishes = wishes
        self.known: list[Filling] = []
        """Rows that need no question at all."""
        self._coming = iter(fillings)
        self._left = count
        self._dives: dict[Rules, deque[Task]] = {}
        self._searches: deque[Task] = deque()
        self._alone: deque[Task] = deque()

    @property
    def later(self) -> int:
        """The number of tasks that were put back until there is more memory for them."""
        return len(self._alone)

    def add(self, tasks: Iterable[Task]) -> None:
        """Put tasks into the queues where they belong."""
        for task in tasks:
            rules = task.subject.rules
            can_dive = has_dominance(rules) or has_classes(rules)
            if task.dived or not can_dive:
                self._searches.append(task)
            else:
                self._dives.setdefault(rules, deque()).append(task)

    def next_job(self, pool: Pool, running: Collection[Job]) -> Job | None:
        """Return the next job, with others under way; None if there is none to be begun now."""
        if (job := self._next_dives(pool)) is not None:
            return job
        if not self._searches:
            self._pull(1)
        if self._searches:
            waiting = len(self._searches) + self._left
            others = max(pool.workers - len(running), 1)
            threads = 1 if running else min(max(others // waiting, 1), pool.whole[0])
            return self._search(pool, self._searches.popleft(), threads)
        if self._alone and len(running) < pool.machines and all(job.alone for job in running):
            return self._search(pool, self._alone.popleft(), None)
        return None

    def put_back(self, job: Job, task: Task) -> None:
        """Put a task back whose job could not be done with its memory, or ended its worker."""
        task.search()
        (self._searches if job.order.way == Way.DIVE else self._alone).append(task)

    def lost(self, job: Job, task: Task) -> Found | None:
        """Take back a task whose worker has died; or give it up, and return its answer."""
        task.lost += len(job.open_tasks) == 1
        if task.lost < MOST_LOST:
            self.put_back(job, task)
            return None
        return Found(Verdict.UNDECIDED, LOST)

    def _pull(self, wanted: int) -> None:
        """Let some more rows begin."""
        while wanted > 0 and (filling := next(self._coming, None)) is not None:
            self._left = max(self._left - 1, 0)
            first = filling.first()
            if first is None:
                self.known.append(filling)
            else:
                self.add([first])
                wanted -= 1

    def _next_dives(self, pool: Pool) -> Job | None:
        if self.wishes.question.is_shortest:
            return None
        waiting = sum(map(len, self._dives.values()))
        share = (waiting + self._left) / (JOBS_FOR_EACH * max(pool.workers, 1))
        size = min(BATCH, max(1, math.ceil(share)))
        fullest = self._fullest()
        if fullest is None or len(self._dives[fullest]) < size:
            self._pull(size)
            fullest = self._fullest()
        if fullest is None:
            return None
        queue = self._dives[fullest]
        tasks = [queue.popleft() for _ in range(min(size, len(queue)))]
        order = Order(
            Way.DIVE,
            Question.PROVE,
            tuple(task.subject for task in tasks),
            replace(self.wishes.limits, memory=pool.memory),
            1,
            self.wishes.lengths,
        )
        return Job(order, False, dict(enumerate(tasks)))

    def _fullest(self) -> Rules | None:
        rules = max(self._dives, key=lambda rules: len(self._dives[rules]), default=None)
        return rules if rules is not None and self._dives[rules] else None

    def _search(self, pool: Pool, task: Task, threads: int | None) -> Job:
        """Return a job for the whole search of a deal, by ``threads`` threads.

        Each thread has its share of the memory. With None the job is alone on a machine.
        """
        most, memory = pool.whole
        if threads is not None:
            memory = min(memory, threads * pool.memory)
        limits = replace(self.wishes.limits, memory=memory)
        if limits.max_time is not None:
            limits = replace(limits, max_time=max(limits.max_time - task.used, 0.001))
        solve = self.wishes.question.is_shortest
        order = Order(
            Way.SEARCH,
            Question.SOLVE if solve else Question.PROVE,
            (task.subject,),
            limits,
            threads or most,
            solve or self.wishes.lengths,
            self._store(task.subject),
            self.wishes.question.metric,
            self.wishes.question.policy,
        )
        return Job(order, threads is None or memory == pool.whole[1], {0: task})

    def _store(self, subject: Subject) -> Path | None:
        """Return the path of a deal's search until it is finished; None if it is not kept."""
        if self.wishes.stores is None:
            return None
        return self.wishes.stores / name_of(self.wishes.question, subject)


def take(plan: Plan, job: Job, task: Task, found: Found) -> Iterator[Filling]:
    """Take an answer; yields the row that it belongs to, unless the task goes on."""
    task.used += found.seconds
    if found.verdict is None:
        task.spent += found.seconds
        plan.add(task.owner.put_off(task))
        return
    if found.limit == Limit.MEMORY and not job.alone:
        if job.order.store is None:  # the next search knows nothing of this one
            task.spent += found.seconds
        plan.put_back(job, task)
        return
    plan.add(task.owner.take(task, found))
    yield task.owner
