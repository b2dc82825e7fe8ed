"""The tasks that fill one row of a table, and the row that their answers make."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dbmsolver.errors import InputError
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limits, Verdict
from dbmsolver.survey.jobs import Found
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import COLUMNS, UNREADABLE, Inquiry, Row, name_of, rules_columns
from dbmsolver.version import PROGRAM


@dataclass(eq=False, slots=True)
class Task:
    """A question about a deal, and the progress of its answer."""

    subject: Subject
    owner: Filling
    """The row that takes the answer."""
    dived: bool = False
    """True if dives have left it open, or are of no use: it takes the whole search."""
    spent: float = 0.0
    """Seconds of jobs that the next one does not know of."""
    used: float = 0.0
    """Seconds of all jobs."""
    lost: int = 0
    """The number of workers that have died of it."""

    def search(self) -> Task:
        """Return this task, marked for the whole search."""
        self.dived = True
        return self


@dataclass(frozen=True, slots=True)
class Asked:
    """The question and the limits of all rows of a run."""

    question: Inquiry
    limits: Limits

    def row(self, subject: Subject, **known: Any) -> Row:
        """Return a row about a deal; ``known`` are values of its other columns."""
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


def unreadable_row(asked: Asked, error: InputError, rules: Rules) -> Row:
    """Return the row of a file that is no board; its limit says why."""
    where = error.where or "<board>"
    file = where.partition(", line ")[0]
    values: dict[str, Any] = dict.fromkeys(COLUMNS)
    values |= {"states": 0, "evaluated": 0, "seconds": 0.0, "peak_memory": 0}
    values |= {"deal": file, "board": file, "question": str(asked.question), "program": PROGRAM}
    limit = f"{where}: {error.message}"
    return Row(**values | rules_columns(rules) | {"verdict": UNREADABLE, "limit": limit})


class Filling(ABC):
    """One row that is being filled: it gives the next task, and takes the answers."""

    def __init__(self, asked: Asked, subject: Subject) -> None:
        self.asked = asked
        self.subject = subject
        self.seconds = 0.0
        """The time that the answers took."""
        self.unwritten = 0.0
        """The part of that time that is in no row of the table yet."""

    def _count(self, seconds: float) -> None:
        self.seconds += seconds
        self.unwritten += seconds

    @abstractmethod
    def first(self) -> Task | None:
        """Return the first task; None if everything is known."""

    @abstractmethod
    def take(self, task: Task, found: Found) -> Iterator[Task]:
        """Take an answer; yield the next tasks."""

    def put_off(self, task: Task) -> Iterator[Task]:
        """Take a task that dives leave open; yield the next tasks.

        They are its whole search, or others that may make it needless.
        """
        yield task.search()

    @abstractmethod
    def row(self) -> Row | None:
        """Return the row as far as it is known; None if nothing has been found out yet."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True if nothing more is to be asked."""


class OneQuestion(Filling):
    """A verdict, or the length of a shortest solution: one answer makes the row."""

    found: Found | None = None

    def first(self) -> Task:
        """Return the task about the deal itself."""
        return Task(self.subject, self, dived=self.asked.question.is_shortest)

    def take(self, task: Task, found: Found) -> Iterator[Task]:
        """Take the one answer; there is no other task."""
        self.found = found
        self._count(task.spent + found.seconds)
        yield from ()

    @property
    def is_over(self) -> bool:
        """True if the answer has come."""
        return self.found is not None

    def row(self) -> Row | None:
        """Return the row of the answer; None before it has come, or if it has no verdict."""
        found = self.found
        if found is None or found.verdict is None:
            return None
        shortest, least, most = None, None, None
        if self.asked.question.is_shortest:
            least, most = found.at_least, found.length
            if found.verdict == Verdict.SOLVED:
                shortest = found.shortest
        return self.asked.row(
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
    """Return whether a row was made with limits of which at least one is smaller than now."""
    pairs = (
        (row.max_states, limits.max_states),
        (row.max_time, limits.max_time),
        (row.memory, limits.memory),
        (row.max_disk, limits.max_disk),
    )
    return any(old is not None and (new is None or new > old) for old, new in pairs)
