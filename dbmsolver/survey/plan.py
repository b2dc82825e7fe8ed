"""The order of tasks: dives for many deals first, then searches, the largest of them alone."""

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
from dbmsolver.survey.jobs import LOST, Finding, JobKind, Order
from dbmsolver.survey.kept_searches import store_name
from dbmsolver.survey.pool import Job, JobPool
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import DealTask, RowInProgress
from dbmsolver.survey.rows import Inquiry

BATCH = 256
"""The most deals in one job of dives: a larger job would keep other workers waiting at the end."""

JOBS_PER_WORKER = 4
"""Jobs of dives for each worker, if there are enough deals."""

MOST_LOST = 2
"""The number of workers that may die of a deal before it is given up."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of all jobs of a survey.

    `stores` is the folder for the stores of searches; None if they are not kept.
    """

    question: Inquiry
    limits: Limits
    lengths: bool
    stores: Path | None


class SurveyPlan:
    """The rows to be filled, and the jobs that fill them.

    Tasks wait in three queues: for dives, which decide most deals; for a search within a worker's
    part of the memory; for a search that has a machine alone.
    """

    def __init__(
        self, settings: SearchSettings, entries: Iterable[RowInProgress], count: int
    ) -> None:
        self.settings = settings
        self.known: list[RowInProgress] = []
        """Rows that are known without any task."""
        self._unstarted = iter(entries)
        self._unstarted_count = count
        self._dives: dict[Rules, deque[DealTask]] = {}
        self._searches: deque[DealTask] = deque()
        self._alone: deque[DealTask] = deque()

    @property
    def later(self) -> int:
        """The number of tasks that wait for the memory of a whole machine."""
        return len(self._alone)

    def add(self, tasks: Iterable[DealTask]) -> None:
        """Add tasks to the queue of dives or of searches."""
        for task in tasks:
            rules = task.subject.rules
            waiting = None if task.dived else self._dives.get(rules)
            if waiting is not None:
                waiting.append(task)
            elif not task.dived and (has_dominance(rules) or has_classes(rules)):
                self._dives[rules] = deque([task])
            else:
                self._searches.append(task)

    def next_job(self, pool: JobPool, running: Collection[Job]) -> Job | None:
        """Return the next job, while other jobs are `running`; None if none can begin now."""
        if (job := self._next_dives(pool)) is not None:
            return job
        if not self._searches:
            self._start_rows(1)
        if self._searches:
            waiting = len(self._searches) + self._unstarted_count
            others = max(pool.workers - len(running), 1)
            threads = 1 if running else min(max(others // waiting, 1), pool.whole[0])
            return self._search(pool, self._searches.popleft(), threads)
        if self._alone and len(running) < pool.machines and all(job.alone for job in running):
            return self._search(pool, self._alone.popleft(), None)
        return None

    def try_later(self, job: Job, task: DealTask) -> None:
        """Give a task a larger job later: its job lacked memory, or its worker has died."""
        (self._searches if job.order.kind == JobKind.DIVE else self._alone).append(task)

    def retry_or_give_up(self, job: Job, task: DealTask) -> Finding | None:
        """Give a task whose worker has died a job later, or give it up and return its finding."""
        task.lost += len(job.open_tasks) == 1
        if task.lost < MOST_LOST:
            self.try_later(job, task)
            return None
        return Finding(Verdict.UNDECIDED, LOST)

    def _start_rows(self, wanted: int) -> None:
        """Add the first tasks of more rows: `wanted` tasks, if there are as many."""
        while wanted > 0 and (entry := next(self._unstarted, None)) is not None:
            self._unstarted_count = max(self._unstarted_count - 1, 0)
            first_task = entry.first_task()
            if first_task is None:
                self.known.append(entry)
            else:
                self.add([first_task])
                wanted -= 1

    def _next_dives(self, pool: JobPool) -> Job | None:
        if self.settings.question.is_shortest:
            return None
        waiting = sum(map(len, self._dives.values()))
        share = (waiting + self._unstarted_count) / (JOBS_PER_WORKER * max(pool.workers, 1))
        size = min(BATCH, max(1, math.ceil(share)))
        largest = self._largest_queue()
        if largest is None or len(self._dives[largest]) < size:
            self._start_rows(size)
            largest = self._largest_queue()
        if largest is None:
            return None
        queue = self._dives[largest]
        tasks = [queue.popleft() for _ in range(min(size, len(queue)))]
        order = Order(
            JobKind.DIVE,
            Question.PROVE,
            tuple(task.subject for task in tasks),
            replace(self.settings.limits, memory=pool.memory),
            1,
            self.settings.lengths,
        )
        return Job(order, False, dict(enumerate(tasks)))

    def _largest_queue(self) -> Rules | None:
        rules = max(self._dives, key=lambda rules: len(self._dives[rules]), default=None)
        return rules if rules is not None and self._dives[rules] else None

    def _search(self, pool: JobPool, task: DealTask, threads: int | None) -> Job:
        """Return a job for the search of a deal.

        It has ``threads`` threads, each with a worker's memory; None gives it a machine alone.
        """
        most, memory = pool.whole
        if threads is not None:
            memory = min(memory, threads * pool.memory)
        limits = replace(self.settings.limits, memory=memory)
        if limits.max_time is not None:
            limits = replace(limits, max_time=max(limits.max_time - task.used, 0.001))
        solve = self.settings.question.is_shortest
        order = Order(
            JobKind.SEARCH,
            Question.SOLVE if solve else Question.PROVE,
            (task.subject,),
            limits,
            threads or most,
            solve or self.settings.lengths,
            self._store(task.subject),
            self.settings.question.metric,
            self.settings.question.policy,
        )
        return Job(order, threads is None or memory == pool.whole[1], {0: task})

    def _store(self, subject: Subject) -> Path | None:
        """Return the path of the store of a deal's search; None if searches are not kept."""
        if self.settings.stores is None:
            return None
        return self.settings.stores / store_name(self.settings.question, subject)


def handle_finding(
    plan: SurveyPlan, job: Job, task: DealTask, finding: Finding
) -> Iterator[RowInProgress]:
    """Note the finding about a task; yield its row, unless the task needs another job."""
    task.used += finding.seconds
    if finding.verdict is None:
        task.spent += finding.seconds
        plan.add(task.owner.postpone(task))
        return
    if finding.limit == Limit.MEMORY and not job.alone:
        if job.order.store is None:  # the next search knows nothing of this one
            task.spent += finding.seconds
        plan.try_later(job, task)
        return
    plan.add(task.owner.accept(task, finding))
    yield task.owner
