"""The fewest freecells a deal can be won with, asked with few questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dbmsolver.game.shipped import changed
from dbmsolver.results import Verdict
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.row_progress import DealTask, RowFactory, RowInProgress, SingleQuestionRow
from dbmsolver.survey.rows import UNFINISHED, Inquiry, Row


class FewestFreecellsRow(RowInProgress):
    """The fewest freecells a deal can be won with.

    A deal that can be won with some number of freecells can be won with more; one that is
    unsolvable is unsolvable with fewer. So two verdicts are enough for most deals. The number in
    the middle is asked about first, then the numbers beside it.
    """

    def __init__(self, factory: RowFactory, subject: Subject, earlier: Row | None = None) -> None:
        super().__init__(factory, subject)
        self.most = subject.rules.freecells
        self.least = least_freecells(subject)
        self.found: dict[int, Finding] = {}
        self.waiting: dict[int, DealTask] = {}
        self.limit: str | None = None
        if earlier is not None:
            self._take_verdicts(earlier)

    def _take_verdicts(self, row: Row) -> None:
        """Take the verdicts of an earlier row, without those that it leaves open."""
        for cells, verdict in parse_asked(row.asked or ""):
            if verdict != Verdict.UNDECIDED and self.least <= cells <= self.most:
                is_proof = cells + 1 == row.at_least
                self.found[cells] = Finding(verdict, digest=row.digest if is_proof else None)

    @property
    def at_most(self) -> int | None:
        """The fewest freecells that the deal is known to be won with."""
        won = [cells for cells, found in self.found.items() if found.verdict == Verdict.SOLVED]
        return min(won, default=None)

    @property
    def at_least(self) -> int:
        """The number of freecells below which the deal is known to be unsolvable."""
        lost = [n for n, found in self.found.items() if found.verdict == Verdict.UNSOLVABLE]
        return max(lost) + 1 if lost else self.least

    def _unknown(self) -> list[int]:
        """Return the numbers of freecells not asked about yet, the nearest to the middle first."""
        top = self.most + 1 if self.at_most is None else self.at_most
        middle = (self.least + self.most) // 2
        unknown = [cells for cells in range(self.at_least, top) if cells not in self.found]
        return sorted(unknown, key=lambda cells: abs(cells - middle))

    def _next(self) -> Iterator[DealTask]:
        """Yield the next task: dives before searches.

        If only searches are left, take the one with the fewest freecells, which is the smallest.
        """
        unknown = self._unknown()
        new = next((cells for cells in unknown if cells not in self.waiting), None)
        if new is not None:
            rules = changed(self.subject.rules, new)
            yield DealTask(replace(self.subject, rules=rules), self)
        elif unknown:
            yield self.waiting[min(unknown)].search()

    def first_task(self) -> DealTask | None:
        """Return the task for the number of freecells in the middle."""
        return next(self._next(), None)

    def postpone(self, task: DealTask) -> Iterator[DealTask]:
        """Keep a task that dives left open for later; yield the next task.

        Dives with other numbers of freecells may make it needless.
        """
        self.waiting[task.subject.rules.freecells] = task
        yield from self._next()

    def accept(self, task: DealTask, found: Finding) -> Iterator[DealTask]:
        """Note a verdict, which may make other tasks needless; yield the next task."""
        cells = task.subject.rules.freecells
        self.found[cells] = found
        self._count(task.spent + found.seconds)
        if found.verdict == Verdict.UNDECIDED:
            self.limit = None if found.limit is None else str(found.limit)
        yield from self._next()

    @property
    def is_complete(self) -> bool:
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
        findings = list(self.found.values())
        decisive = self.found.get(at_least - 1)
        limit = self.limit if self.is_complete else UNFINISHED
        return self.factory.row(
            self.subject,
            verdict=str(verdict),
            limit=limit if verdict == Verdict.UNDECIDED else None,
            length=None,
            shortest=None,
            fewest=fewest,
            at_least=at_least,
            at_most=at_most,
            asked=write_asked(self.found),
            states=sum(found.states for found in findings),
            evaluated=sum(found.evaluated for found in findings),
            seconds=round(self.seconds, 6),
            peak_memory=max(found.peak_memory for found in findings),
            digest=None if decisive is None else decisive.digest,
            method=next((str(found.method) for found in findings if found.method), None),
        )


def least_freecells(subject: Subject) -> int:
    """Return how many freecells hold a card in the deal: it cannot be played with fewer."""
    if subject.number is not None:
        return subject.rules.dealt_to_freecells
    return sum(card is not None for card in subject.deal().position.freecells)


def write_asked(found: dict[int, Finding]) -> str:
    """Return the verdict for each number of freecells as text: `1 unsolvable; 2 solved`."""
    return "; ".join(f"{cells} {finding.verdict}" for cells, finding in sorted(found.items()))


def parse_asked(text: str) -> Iterator[tuple[int, Verdict]]:
    """Yield (freecells, verdict) from a text of `write_asked`; ignore what is not of this form."""
    for part in text.split("; "):
        cells, _, verdict = part.partition(" ")
        if cells.isdecimal() and verdict in set(Verdict):
            yield int(cells), Verdict(verdict)


def row_in_progress(factory: RowFactory, subject: Subject, earlier: Row | None) -> RowInProgress:
    """Return the row about a deal, to be filled; `earlier` is its row in the table, if any."""
    if factory.question == Inquiry.FEWEST_FREECELLS:
        return FewestFreecellsRow(factory, subject, earlier)
    return SingleQuestionRow(factory, subject)
