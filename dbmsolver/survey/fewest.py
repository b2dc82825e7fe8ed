"""The fewest freecells a deal can be won with, asked with few questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbmsolver.game.shipped import changed
from dbmsolver.results import Verdict
from dbmsolver.survey.inquiries import Asked, Filling, OneQuestion, Task
from dbmsolver.survey.jobs import Found
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import UNFINISHED, Inquiry, Row


class Fewest(Filling):
    """The fewest freecells a deal can be won with.

    What is won with some freecells is won with more; what is unsolvable is so with fewer. So two
    verdicts are enough for most deals. The one in the middle is asked first, then those beside it.
    """

    def __init__(self, asked: Asked, subject: Subject, earlier: Row | None = None) -> None:
        super().__init__(asked, subject)
        self.most = subject.rules.freecells
        self.least = least_freecells(subject)
        self.found: dict[int, Found] = {}
        self.waiting: dict[int, Task] = {}
        self.limit: str | None = None
        if earlier is not None:
            self._recall(earlier)

    def _recall(self, row: Row) -> None:
        """Take the verdicts of an earlier row, without those that it leaves open."""
        for cells, verdict in parse_asked(row.asked or ""):
            if verdict != Verdict.UNDECIDED and self.least <= cells <= self.most:
                is_proof = cells + 1 == row.at_least
                self.found[cells] = Found(verdict, digest=row.digest if is_proof else None)

    @property
    def at_most(self) -> int | None:
        """The fewest freecells that the deal is known to be won with."""
        won = [cells for cells, found in self.found.items() if found.verdict == Verdict.SOLVED]
        return min(won, default=None)

    @property
    def at_least(self) -> int:
        """The number of freecells below which the deal is known to be unsolvable."""
        lost = [one for one, found in self.found.items() if found.verdict == Verdict.UNSOLVABLE]
        return max(lost) + 1 if lost else self.least

    def _unknown(self) -> list[int]:
        """Return the numbers of freecells not asked about yet, the nearest to the middle first."""
        top = self.most + 1 if self.at_most is None else self.at_most
        middle = (self.least + self.most) // 2
        unknown = [cells for cells in range(self.at_least, top) if cells not in self.found]
        return sorted(unknown, key=lambda cells: abs(cells - middle))

    def _next(self) -> Iterator[Task]:
        """Yield the next task: dives before searches.

        Of searches it is the one with the fewest freecells, which is the smallest.
        """
        unknown = self._unknown()
        new = next((cells for cells in unknown if cells not in self.waiting), None)
        if new is not None:
            rules = changed(self.subject.rules, new)
            yield Task(replace(self.subject, rules=rules), self)
        elif unknown:
            yield self.waiting[min(unknown)].search()

    def first(self) -> Task | None:
        """Return the task for the number of freecells in the middle."""
        return next(self._next(), None)

    def put_off(self, task: Task) -> Iterator[Task]:
        """Keep a task that dives leave open; yield the next task.

        Dives with other numbers of freecells may make it needless.
        """
        self.waiting[task.subject.rules.freecells] = task
        yield from self._next()

    def take(self, task: Task, found: Found) -> Iterator[Task]:
        """Take a verdict, which may make other tasks needless; yield the next task."""
        cells = task.subject.rules.freecells
        self.found[cells] = found
        self._count(task.spent + found.seconds)
        if found.verdict == Verdict.UNDECIDED:
            self.limit = None if found.limit is None else str(found.limit)
        yield from self._next()

    @property
    def is_over(self) -> bool:
        """True if every number of freecells that matters has been asked about."""
        return not self._unknown()

    def row(self) -> Row | None:
        """Return the row as far as it is known: `solved` once the fewest freecells are proven."""
        if not self.found:
            return None
        at_least, at_most = self.at_least, self.at_most
        if at_most == at_least:
            verdict, fewest = Verdict.SOLVED, at_most
        elif at_least > self.most:
            verdict, fewest = Verdict.UNSOLVABLE, None
        else:
            verdict, fewest = Verdict.UNDECIDED, None
        founds = list(self.found.values())
        decisive = self.found.get(at_least - 1)
        limit = self.limit if self.is_over else UNFINISHED
        return self.asked.row(
            self.subject,
            verdict=str(verdict),
            limit=limit if verdict == Verdict.UNDECIDED else None,
            length=None,
            shortest=None,
            fewest=fewest,
            at_least=at_least,
            at_most=at_most,
            asked=write_asked(self.found),
            states=sum(found.states for found in founds),
            evaluated=sum(found.evaluated for found in founds),
            seconds=round(self.seconds, 6),
            peak_memory=max(found.peak_memory for found in founds),
            digest=None if decisive is None else decisive.digest,
            method=next((str(found.method) for found in founds if found.method), None),
        )


def least_freecells(subject: Subject) -> int:
    """Return how many freecells the deal itself fills: with fewer it is another deal."""
    if subject.number is not None:
        return subject.rules.dealt_to_freecells
    return sum(card is not None for card in subject.deal().position.freecells)


def write_asked(found: dict[int, Found]) -> str:
    """Return in few letters what was asked: `1 unsolvable; 2 solved`."""
    return "; ".join(f"{cells} {one.verdict}" for cells, one in sorted(found.items()))


def parse_asked(text: str) -> Iterator[tuple[int, Verdict]]:
    """Yield (freecells, verdict) from a text of `write_asked`; nothing from other texts."""
    for part in text.split("; "):
        cells, _, verdict = part.partition(" ")
        if cells.isdecimal() and verdict in set(Verdict):
            yield int(cells), Verdict(verdict)


def filling_for(asked: Asked, subject: Subject, earlier: Row | None) -> Filling:
    """Return the row about a deal, to be filled; `earlier` is the row that is there already."""
    if asked.question == Inquiry.FEWEST_FREECELLS:
        return Fewest(asked, subject, earlier)
    return OneQuestion(asked, subject)
