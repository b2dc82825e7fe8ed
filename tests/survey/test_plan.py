"""The order of questions, with workers that do nothing: they answer, have no room, or die."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from helpers.surveys import rows_of, survey
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limit, Limits, Verdict
from dbmsolver.survey import worker
from dbmsolver.survey.jobs import LOST, Finding, JobKind, Order
from dbmsolver.survey.plan import BATCH
from dbmsolver.survey.pool import Answer, Job, JobEnd
from dbmsolver.survey.rows import Inquiry, Row
from dbmsolver.survey.run import LONG
from dbmsolver.survey.table import SurveyTable

SHARE, WHOLE = 1 << 30, 4 << 30
FREECELL = rules_for("freecell")


class Workers:
    """Four workers that do nothing.

    `wins` says with how many freecells a deal can be won, `kinds` what becomes of a deal: dives
    decide it, a search does, a search with all the memory does, nothing does, or it kills its
    worker.
    """

    workers = 4
    machines = 1
    memory = SHARE
    whole = (4, WHOLE)

    def __init__(self, wins: dict[int, int], kinds: dict[int, str]) -> None:
        self.wins = wins
        self.kinds = kinds
        self.running: list[Job] = []
        self.answered: Counter[tuple[int | None, int]] = Counter()
        self.orders: list[Order] = []
        self.closed = False

    def submit(self, job: Job) -> None:
        assert len(self.running) < self.workers
        if job.alone:
            assert not self.running
        assert not any(other.alone for other in self.running)
        self.running.append(job)
        self.orders.append(job.order)

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        job = self.running.pop(0)
        events: list[Answer | JobEnd] = []
        for number, subject in enumerate(job.order.subjects):
            assert subject.number is not None
            kind = self.kinds.get(subject.number, "dive")
            if kind == "deadly":
                return [*events, JobEnd(job, lost=True)]
            cells = subject.rules.freecells
            won = cells >= self.wins.get(subject.number, 2)
            verdict = Verdict.SOLVED if won else Verdict.UNSOLVABLE
            found = Finding(verdict, states=7, evaluated=7, seconds=1.0)
            if job.order.kind == JobKind.DIVE and kind != "dive":
                found = Finding(None, seconds=0.5)
            elif kind == "huge" and job.order.limits.memory != WHOLE:
                found = Finding(Verdict.UNDECIDED, Limit.MEMORY, seconds=1.0)
            elif kind == "endless" and cells == 2:
                found = Finding(Verdict.UNDECIDED, Limit.MAX_TIME, seconds=1.0)
            if found.verdict is not None and found.limit != Limit.MEMORY:
                self.answered[subject.number, cells] += 1
            events.append(Answer(job, number, found))
        return [*events, JobEnd(job)]

    def close(self) -> None:
        self.closed = True


kinds = st.sampled_from(["dive", "search", "huge", "endless", "deadly"])


@settings(max_examples=25, deadline=None)
@given(
    st.dictionaries(st.integers(1, 50), kinds, max_size=12),
    st.sampled_from([Inquiry.VERDICT, Inquiry.FEWEST_FREECELLS]),
    st.dictionaries(st.integers(1, 50), st.integers(0, 5), max_size=50),
)
def test_each_question_is_answered_once(
    kinds: dict[int, str], question: Inquiry, wins: dict[int, int]
) -> None:
    pool = Workers(wins, kinds)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        rules = FREECELL if question == Inquiry.FEWEST_FREECELLS else rules_for("freecell", 2)
        reports = survey(path, "1-50", rules, question, Limits(memory=WHOLE), pool)
        rows = rows_of(path)
        assert sorted(p.name for p in Path(folder).iterdir()) == ["table.csv"]
    assert pool.closed
    assert not pool.running
    assert [row.number for row in rows] == list(range(1, 51))
    assert set(pool.answered.values()) <= {1}
    assert (reports[-1].deals, reports[-1].later) == (50, 0)
    assert (reports[-1].new, reports[-1].total, reports[-1].done) == (50, 50, 1.0)
    told = {name: getattr(reports[-1], name) for name in ("solved", "unsolvable", "undecided")}
    assert told == {name: sum(row.verdict == name for row in rows) for name in told}
    for row in rows:
        assert row.number is not None
        kind, win = kinds.get(row.number, "dive"), wins.get(row.number, 2)
        if kind == "deadly":
            assert (row.verdict, row.limit) == ("undecided", LOST)
        elif question == Inquiry.FEWEST_FREECELLS:
            if kind == "endless" and win in (2, 3):
                assert (row.verdict, row.at_least, row.at_most) == ("undecided", 2, 3)
            else:
                assert row.fewest == (win if win <= 4 else None)
                assert row.verdict == ("solved" if win <= 4 else "unsolvable")
        elif kind == "endless":
            assert (row.verdict, row.limit) == ("undecided", "max-time")
        else:
            assert row.verdict == ("solved" if win <= 2 else "unsolvable")


def test_shortest_solutions_need_no_dives(tmp_path: Path) -> None:
    """Each deal is searched for at once, as many of them as there are workers."""
    pool = Workers({3: 5}, {})
    survey(tmp_path / "table.csv", "1-9", FREECELL, Inquiry.SHORTEST, pool=pool)
    assert {order.kind for order in pool.orders} == {JobKind.SEARCH}
    assert sorted(order.subjects[0].number or 0 for order in pool.orders) == [*range(1, 10)]
    verdicts = {row.number: row.verdict for row in rows_of(tmp_path / "table.csv")}
    assert verdicts == {**dict.fromkeys(range(1, 10), "solved"), 3: "unsolvable"}


def test_memory_is_divided_then_given_whole(tmp_path: Path) -> None:
    pool = Workers({}, {5: "huge", 9: "huge", 20: "search"})
    limits = Limits(memory=WHOLE)
    reports = survey(tmp_path / "table.csv", "1-40", FREECELL, limits=limits, pool=pool)
    assert max(report.later for report in reports) == 2
    searches = [order for order in pool.orders if order.kind == JobKind.SEARCH]
    assert all(order.limits.memory == SHARE for order in pool.orders if order.kind == JobKind.DIVE)
    assert [order.limits.memory for order in searches] == [SHARE, SHARE, SHARE, WHOLE, WHOLE]
    assert [order.subjects[0].number for order in searches[-2:]] == [5, 9]
    assert [order.threads for order in searches[-2:]] == [4, 4]
    # The second search of a deal goes on where the first one ended.
    stores = {order.subjects[0].number: {order.store} for order in searches[:3]}
    assert {searches[-1].store} == stores[9]
    # It took the time of the dives and, as its store counts all of it, of the second search.
    assert [row.seconds for row in rows_of(tmp_path / "table.csv") if row.number == 5] == [1.5]


def test_no_job_is_larger_than_a_machine(tmp_path: Path) -> None:
    """Four processors may be those of two machines."""
    pool = Workers({}, {5: "search"})
    pool.whole = (2, WHOLE // 2)
    survey(tmp_path / "table.csv", "5", FREECELL, limits=Limits(memory=WHOLE // 2), pool=pool)
    assert [order.threads for order in pool.orders] == [1, 2]
    assert pool.orders[-1].limits.memory == WHOLE // 2


def test_a_machine_is_given_whole_when_no_other_job_runs(tmp_path: Path) -> None:
    """Begin jobs that need a whole machine when all others are done, on any machine."""

    class Machines(Workers):
        machines = 2

        def submit(self, job: Job) -> None:
            assert all(other.alone == job.alone for other in self.running)
            self.running.append(job)
            self.orders.append(job.order)

    pool = Machines({}, {5: "huge", 6: "search", 7: "search", 8: "huge"})
    survey(tmp_path / "table.csv", "5-8", FREECELL, limits=Limits(memory=WHOLE), pool=pool)
    searches = [order for order in pool.orders if order.limits.memory == WHOLE]
    assert [order.subjects[0].number for order in searches] == [5, 8]
    assert all(row.verdict == "solved" for row in rows_of(tmp_path / "table.csv"))


def test_time_is_for_all_jobs_of_a_deal(tmp_path: Path) -> None:
    pool = Workers({}, {5: "huge"})
    limits = Limits(memory=WHOLE, max_time=10.0)
    survey(tmp_path / "table.csv", "5", FREECELL, limits=limits, pool=pool)
    assert [order.limits.max_time for order in pool.orders] == [10.0, 9.5]


def test_a_batch_whose_worker_dies_is_done_one_by_one(tmp_path: Path) -> None:
    pool = Workers({}, {17: "deadly"})
    survey(tmp_path / "table.csv", "1-60", FREECELL, pool=pool)
    limits = {row.number: row.limit for row in rows_of(tmp_path / "table.csv")}
    assert {number for number, limit in limits.items() if limit} == {17}
    whole = [order.subjects for order in pool.orders if order.limits.memory == WHOLE]
    assert {subject.number for subjects in whole for subject in subjects} == {17}


def test_most_jobs_are_of_many_deals(tmp_path: Path) -> None:
    pool = Workers({}, {})
    survey(tmp_path / "table.csv", "1-5000", FREECELL, pool=pool)
    sizes = [len(order.subjects) for order in pool.orders]
    assert sum(sizes) == 5000
    assert max(sizes) == BATCH
    assert sizes[-1] == 1  # the last ones are small, so that no worker waits long for another
    assert len(sizes) < 100


def test_workers_get_their_next_job_before_rows_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise they wait for the driver, and a processor for them."""
    pool = Workers({}, {})
    idle = []
    put = SurveyTable.put

    def watched(self: SurveyTable, row: Row) -> Row:
        if sum(len(order.subjects) for order in pool.orders) < 100:
            idle.append(pool.workers - len(pool.running))
        return put(self, row)

    monkeypatch.setattr(SurveyTable, "put", watched)
    survey(tmp_path / "table.csv", "1-100", FREECELL, pool=pool)
    assert idle
    assert set(idle) == {0}


def test_a_row_that_takes_long_is_written_before_it_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write it after each second of work, and at its end; what is written goes to the disk."""

    class Slow(Workers):
        def wait(self, seconds: float) -> list[Answer | JobEnd]:
            return [
                replace(one, finding=replace(one.finding, seconds=0.6 * LONG))
                if isinstance(one, Answer)
                else one
                for one in super().wait(seconds)
            ]

    done: list[str | None] = []
    put = SurveyTable.put

    def watched(self: SurveyTable, rows: Iterable[Row]) -> list[Row]:
        rows = list(rows)
        done.extend(row.asked for row in rows)
        return put(self, rows)

    monkeypatch.setattr(SurveyTable, "put", watched)
    monkeypatch.setattr(SurveyTable, "flush", lambda _: done.append("flushed"))
    path, question = tmp_path / "table.csv", Inquiry.FEWEST_FREECELLS
    survey(path, "1", rules_for("freecell", 8), question, pool=Slow({1: 9}, {}))
    after = ["; ".join(f"{cells} unsolvable" for cells in range(4, end)) for end in range(5, 10)]
    assert done == [
        *("flushed", after[1], "flushed"),
        *("flushed", after[3], "flushed"),
        *(after[4], "flushed"),
    ]


def test_a_worker_tells_several_answers_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps none to itself: the last ones come with the end, the others after some time."""
    answers = [(number, Finding(Verdict.SOLVED)) for number in range(6)]
    times = iter((0.0, 0.01, 0.02, 0.03, 5.0, 5.0, 5.01, 5.02, 5.03))
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr("dbmsolver.survey.worker.time", clock)
    sent = list(worker._batches(iter([*answers[:3], None, *answers[3:]])))
    assert sent == [answers[:3], answers[3:]]


@pytest.mark.parametrize(("given", "left"), [(2.0, 1.5), (0.4, 0.0)])
def test_time_of_dives_counts(tmp_path: Path, given: float, left: float) -> None:
    """A search has what dives have left of a deal's time, or almost nothing."""
    pool = Workers({}, {5: "search"})
    limits = Limits(memory=WHOLE, max_time=given)
    survey(tmp_path / "table.csv", "5", FREECELL, limits=limits, pool=pool)
    times = [order.limits.max_time for order in pool.orders]
    assert times == [given, pytest.approx(left, abs=0.01)] and min(times) > 0
