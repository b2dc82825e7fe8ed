"""The driver of a survey: jobs to the workers, answers to the table."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dbmsolver.disk import place_of
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limits, SurveyReport, Verdict
from dbmsolver.survey.fewest import row_in_progress
from dbmsolver.survey.kept_searches import make_folder, remove_searches
from dbmsolver.survey.plan import SearchSettings, SurveyPlan, handle_finding
from dbmsolver.survey.pool import Answer, Job, JobEnd, JobPool
from dbmsolver.survey.ranges import (
    Ranges,
    Subject,
    boards_under,
    count_subjects,
    subjects_of,
    unreadable_under,
)
from dbmsolver.survey.row_progress import RowFactory, RowInProgress, unreadable_row, with_more
from dbmsolver.survey.rows import Inquiry, Row, key_of
from dbmsolver.survey.table import SurveyTable

TICK = 0.2
"""Seconds between two reports, at most."""

LONG = 1.0
"""Seconds of work after which a row is written before all its tasks are done."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The question, the deals, and the limits for each of them.

    `ranges` is None for the deals of the table, whatever their games are. `limits.memory` is for
    all workers together.
    """

    question: Inquiry
    ranges: Ranges | None
    games: tuple[Rules, ...]
    limits: Limits
    undecided_only: bool = False
    lengths: bool = False

    def __post_init__(self) -> None:
        if self.ranges is not None:
            self.question.check(self.games)
            self.ranges.check(self.games)


def stores_of(path: Path) -> Path:
    """Return the path of the folder beside a table that keeps unfinished searches."""
    target = place_of(path)
    return target.with_name(target.name + ".searches")


class Run:
    """One run of a survey on its table."""

    def __init__(
        self, survey: Survey, table: SurveyTable, pool: JobPool, keep_searches: bool
    ) -> None:
        self.survey = survey
        self.table = table
        self.pool = pool
        self.stores = stores_of(table.path) if keep_searches else None
        self._boards = {
            rules: set(boards_under(survey.ranges or Ranges(), rules)) for rules in survey.games
        }
        self.factory = RowFactory(survey.question, survey.limits)
        self._resumed = [row.subject for row in table.rows.values() if self._is_resumed(row)]
        self.open = sum(row.is_open and self._concerns(row) for row in table.rows.values())
        """Rows about the survey's deals that were undecided when it began."""
        count = 0 if survey.undecided_only else count_subjects(survey.ranges, survey.games)
        finished = sum(1 for row in table.rows.values() if row.is_finished and self._concerns(row))
        todo = len(self._resumed) if survey.undecided_only else count - finished
        self.total = max(count, todo)
        self.done = self.total - todo
        self.new = 0
        """Rows that this run has filled."""
        self.verdicts: Counter[str] = Counter()
        """Their verdicts."""
        self._begun = time.monotonic()
        settings = SearchSettings(survey.question, survey.limits, survey.lengths, self.stores)
        self.plan = SurveyPlan(settings, self._rows_to_fill(), todo)
        self._running: set[Job] = set()

    def events(self) -> Generator[SurveyReport, None, None]:
        """Fill the table; yield reports some times a second."""
        try:
            if self.stores is not None:
                make_folder(self.stores)
            known = self.table.rows
            if unreadable := [row for row in self._unreadable() if row.key not in known]:
                self.table.put(unreadable)
            yield from self._fill()
        finally:
            self.pool.close()
            if self.stores is not None:
                with suppress(OSError):  # if not empty, the next run continues the searches in it
                    self.stores.rmdir()
        if self.stores is not None:  # the survey is complete: no search is needed any more
            remove_searches(self.stores)

    def _fill(self) -> Generator[SurveyReport, None, None]:
        yield self._report()
        while True:
            self._begin_jobs()
            if not self._running and not self.plan.known:
                return
            events = self.pool.wait(TICK)
            changed = [entry for event in events for entry in self._rows_changed_by(event)]
            self._begin_jobs()  # the workers go on while rows are written
            self._write_down((*self.plan.known, *changed))
            self.plan.known.clear()
            self.table.flush()
            yield self._report()

    def _begin_jobs(self) -> None:
        """Give each idle worker a job, as long as there are jobs."""
        while len(self._running) < self.pool.workers:
            job = self.plan.next_job(self.pool, self._running)
            if job is None:
                return
            self._running.add(job)
            self.pool.submit(job)

    def _rows_changed_by(self, event: Answer | JobEnd) -> Iterator[RowInProgress]:
        """Yield the rows that an event of the pool changes."""
        job = event.job
        if isinstance(event, Answer):
            task = job.open_tasks.pop(event.number)
            yield from handle_finding(self.plan, job, task, event.finding)
            return
        self._running.discard(job)
        for task in job.open_tasks.values():
            given_up = self.plan.retry_or_give_up(job, task)
            if given_up is not None:
                yield from handle_finding(self.plan, job, task, given_up)

    def _write_down(self, entries: Iterable[RowInProgress]) -> None:
        """Write the rows to the table that are complete, or whose findings have taken long."""
        rows = ((entry, entry.row()) for entry in entries)
        ready = [
            (entry, row)
            for entry, row in rows
            if row is not None and (entry.is_complete or entry.unwritten > LONG)
        ]
        kept = self.table.put(row for _, row in ready)
        for (entry, _), row in zip(ready, kept, strict=True):
            entry.unwritten = 0.0
            if entry.is_complete:
                self.done += 1
                self.new += 1
                self.verdicts["open" if row.is_open else row.verdict] += 1

    def _report(self) -> SurveyReport:
        elapsed = time.monotonic() - self._begun
        return SurveyReport(
            question=f"survey {self.survey.question}",
            elapsed=elapsed,
            new=self.new,
            done=self.done / max(self.total, 1),
            deals=self.done,
            total=self.total,
            solved=self.verdicts[Verdict.SOLVED],
            unsolvable=self.verdicts[Verdict.UNSOLVABLE],
            undecided=self.verdicts["open"],
            later=self.plan.later,
        )

    def _concerns(self, row: Row) -> bool:
        """Return True if the row is about one of the survey's deals."""
        survey = self.survey
        if survey.ranges is None:
            return True
        if row.rules not in survey.games:
            return False
        if row.number is not None:
            return row.whose == survey.ranges.whose and row.number in survey.ranges
        return row.board in self._boards[row.rules]

    def _unreadable(self) -> Iterator[Row]:
        """Yield a row for each file that is no board."""
        for rules in self.survey.games:
            for error in unreadable_under(self.survey.ranges or Ranges(), rules):
                yield unreadable_row(self.factory, error, rules)

    def _is_resumed(self, row: Row) -> bool:
        """Return True if the row is unfinished, or if larger limits than its own may decide it."""
        if not self._concerns(row):
            return False
        return not row.is_finished or (row.is_open and with_more(row, self.survey.limits))

    def _rows_to_fill(self) -> Iterator[RowInProgress]:
        """Yield the rows that are missing, unfinished, or resumed with larger limits."""
        rows, survey = self.table.rows, self.survey
        subjects: Iterable[Subject] = self._resumed
        if survey.ranges is not None and not survey.undecided_only:
            subjects = subjects_of(survey.ranges, survey.games)
        for subject in subjects:
            row = rows.get(key_of(subject))
            if row is None or not row.is_finished or survey.undecided_only:
                yield row_in_progress(self.factory, subject, row)
