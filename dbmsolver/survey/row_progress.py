"""The tasks that fill one row of a table, and the row that their findings make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dbmsolver.errors import InputError
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limits, Verdict
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import COLUMNS, UNREADABLE, Inquiry, Row, name_of, rules_columns
from dbmsolver.version import PROGRAM


@dataclass(eq=False, slots=True)
class DealTask:
    """A question about a deal, and the progress of its answer."""

    subject: Subject
    owner: RowInProgress
    """The row that gets the finding."""
    dived: bool = False
    """True if the task needs a search: dives have left it open, or are of no use."""
    spent: float = 0.0
    """Seconds of jobs that the result of the next job does not include."""
    used: float = 0.0
    """Seconds of all jobs."""
    lost: int = 0
    """The number of workers that have died of the task."""

    def search(self) -> DealTask:
        """Return this task, marked for a search."""
        self.dived = True
        return self


@dataclass(frozen=True, slots=True)
class RowFactory:
    """A maker of rows, which all have the question and the limits of one run."""

    question: Inquiry
    limits: Limits

    def row(self, subject: Subject, **known: Any) -> Row:
        """Return a row about a deal; ``known`` are the values of all other columns."""
        limits = self.limits
        return Row(
            deal=name_of(subject),
            number=subject.number,
            board=subject.board,
            **rules_columns(subject.rules),
            question=str(self.question),
            program=PROGRAM,
            max_states=limits.max_states,
            max_time=limits.max_time,
            memory=limits.memory,
            max_disk=limits.max_disk,
            **known,
        )


def unreadable_row(factory: RowFactory, error: InputError, rules: Rules) -> Row:
    """Return the row of a file that is no board; its limit says why."""
    where = error.where or "<board>"
    file = where.partition(", line ")[0]
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    values |= {"states": 0, "evaluated": 0, "seconds": 0.0, "peak_memory": 0}
    values |= {"deal": file, "board": file, "question": str(factory.question), "program": PROGRAM}
    limit = f"{where}: {error.message}"
    return Row(**values | rules_columns(rules) | {"verdict": UNREADABLE, "limit": limit})


class RowInProgress(ABC):
    """One row that is being filled: it yields tasks, and is given their findings."""

    def __init__(self, factory: RowFactory, subject: Subject) -> None:
        self.factory = factory
        self.subject = subject
        self.seconds = 0.0
        """Seconds of all jobs whose findings the row has."""
        self.unwritten = 0.0
        """The part of these seconds that the table does not hold yet."""

    def _count(self, seconds: float) -> None:
        self.seconds += seconds
        self.unwritten += seconds

    @abstractmethod
    def first_task(self) -> DealTask | None:
        """Return the first task; None if everything is known already."""

    @abstractmethod
    def accept(self, task: DealTask, found: Finding) -> Iterator[DealTask]:
        """Note the finding about a task; yield the next tasks."""

    def postpone(self, task: DealTask) -> Iterator[DealTask]:
        """Note that dives left a task open; yield the next tasks.

        That is the search of the same task, or other tasks that may make it needless.
        """
        yield task.search()

    @abstractmethod
    def row(self) -> Row | None:
        """Return the row as far as it is known; None if nothing has been found out yet."""

    @property
    @abstractmethod
    def is_complete(self) -> bool:
        """True if the row needs no more tasks."""


class SingleQuestionRow(RowInProgress):
    """A row about a verdict or the length of a shortest solution: one finding completes it."""

    found: Finding | None = None

    def first_task(self) -> DealTask:
        """Return the task about the deal itself."""
        return DealTask(self.subject, self, dived=self.factory.question.is_shortest)

    def accept(self, task: DealTask, found: Finding) -> Iterator[DealTask]:
        """Note the only finding; there is no other task."""
        self.found = found
        self._count(task.spent + found.seconds)
        yield from ()

    @property
    def is_complete(self) -> bool:
        """True if the finding is there."""
        return self.found is not None

    def row(self) -> Row | None:
        """Return the row; None before there is a finding, or if that has no verdict."""
        found = self.found
        if found is None or found.verdict is None:
            return None
        shortest, least, most = None, None, None
        if self.factory.question.is_shortest:
            least, most = found.at_least, found.length
            if found.verdict == Verdict.SOLVED:
                shortest = found.shortest
        return self.factory.row(
            self.subject,
            verdict=str(found.verdict),
            limit=None if found.limit is None else str(found.limit),
            length=found.length,
            shortest=shortest,
            fewest=None,
            at_least=least,
            at_most=most,
            asked=None,
            states=found.states,
            evaluated=found.evaluated,
            seconds=round(self.seconds, 6),
            peak_memory=found.peak_memory,
            digest=found.digest,
            method=None if found.method is None else str(found.method),
        )


def with_more(row: Row, limits: Limits) -> bool:
    """Return True if at least one of these limits is larger than when the row was made."""
    pairs = (
        (row.max_states, limits.max_states),
        (row.max_time, limits.max_time),
        (row.memory, limits.memory),
        (row.max_disk, limits.max_disk),
    )
    return any(old is not None and (new is None or new > old) for old, new in pairs)
