"""Surveys that are killed at any moment: the same command continues, nothing is done twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.selection import few_fast
from helpers.surveys import facts, rows_of, survey

from dbmsolver.game.shipped import rules_for
from dbmsolver.search import session
from dbmsolver.survey.formats import first_line, read_rows
from dbmsolver.survey.in_process_pool import InProcessPool
from dbmsolver.survey.job_runner import Findings, JobRunner
from dbmsolver.survey.jobs import Order
from dbmsolver.survey.loading import journal_of
from dbmsolver.survey.pool import Answer, JobEnd
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import stores_of

ONE = rules_for("freecell", 1)
DEALS = "1-24"


class Killed(InProcessPool):
    """A worker that kills the process when it has given so many answers."""

    def __init__(self, answers: int) -> None:
        super().__init__(1, 512 << 20, lambda: None)
        self.left = answers

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        assert self._job is not None
        job, steps = self._job
        found: list[Answer | JobEnd] = []
        for step in steps:
            assert step is not None
            found.append(Answer(job, *step))
            self.left -= 1
            if not self.left:
                os.kill(os.getpid(), signal.SIGKILL)
            if len(found) == 3:  # the table gets them before the next ones are worked out
                return found
        self._job = None
        return [*found, JobEnd(job)]


def forked(path: Path, question: Inquiry, answers: int) -> bool:
    """Run a survey in a fork, killed after so many answers; return True if it came to its end."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            survey(path, DEALS, ONE, question, pool=Killed(answers))
            os._exit(0)
        os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status == 0


CASES = [
    (".csv", Inquiry.VERDICT),
    (".jsonl", Inquiry.VERDICT),
    (".parquet", Inquiry.VERDICT),
    (".parquet", Inquiry.FEWEST_FREECELLS),
    (".csv", Inquiry.FEWEST_FREECELLS),
    (".jsonl", Inquiry.FEWEST_FREECELLS),
]


@pytest.mark.parametrize(("ending", "question"), few_fast(CASES, 1))
def test_killed_again_and_again(tmp_path: Path, ending: str, question: Inquiry) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path, whole = tmp_path / f"table{ending}", tmp_path / "whole.csv"
    survey(whole, DEALS, ONE, question)
    random = Random(ending)
    kills = 0
    while not forked(path, question, random.randint(4, 10)):
        kills += 1
        assert kills < 40
    assert kills >= 2
    assert facts(path) == facts(whole)
    rows = list(read_rows(path, ending))
    assert len({row.key for row in rows}) == len(rows) == 24
    assert not journal_of(path).exists()
    assert not stores_of(path).exists()


@pytest.mark.parametrize("damaged", [False, True])
def test_a_search_goes_on_where_it_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    """It is kept beside the table until its row is written; what cannot be read is done anew."""
    path = tmp_path / "table.csv"
    child = os.fork()
    if not child:
        monkeypatch.setattr("dbmsolver.search.recorder.COMMIT_SECONDS", 0.01)
        events = session.run

        def dying(*asked: Any) -> Iterator[object]:
            for number, event in enumerate(events(*asked)):
                if number == 20:
                    os.kill(os.getpid(), signal.SIGKILL)
                yield event

        monkeypatch.setattr(session, "run", dying)
        survey(path, "3", question=Inquiry.SHORTEST)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (store,) = stores_of(path).iterdir()
    assert (store / "data.mdb").exists()
    if damaged:
        (store / "data.mdb").write_bytes(b"nothing" * 5000)
    orders = []
    run = JobRunner.run

    def watched(self: JobRunner, order: Order) -> Findings:
        orders.append(order)
        assert order.store == store
        return run(self, order)

    monkeypatch.setattr(JobRunner, "run", watched)
    survey(path, "3", question=Inquiry.SHORTEST)
    assert len(orders) == 1
    (row,) = rows_of(path)
    assert (row.length, row.shortest) == (73, True)
    assert not stores_of(path).exists()


def started(path: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "dbmsolver", "survey", "-o", str(path), "--quiet", *more]
    return subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        # The tests themselves may run in the background, where a shell has Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_rows(driver: subprocess.Popen[bytes], path: Path) -> None:
    """Wait until the table has grown, or the driver has ended."""
    before = max(path.stat().st_size if path.exists() else 0, len(first_line(".csv")))
    while driver.poll() is None and (not path.exists() or path.stat().st_size <= before):
        time.sleep(0.01)


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


MANY = ("1-800", "--freecells", "0", "--threads", "2")
NONE = rules_for("freecell", 0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the table of an undisturbed survey."""
    path = tmp_path_factory.mktemp("whole") / "whole.csv"
    survey(path, "1-800", NONE)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_the_driver_is_killed_and_its_workers_end(
    tmp_path: Path, whole: Path, number: signal.Signals
) -> None:
    path = tmp_path / "table.csv"
    workers: list[int] = []
    killed = 0
    while killed < 3:
        driver = started(path, *MANY)
        wait_for_rows(driver, path)
        workers += children_of(driver.pid) if driver.poll() is None else []
        driver.send_signal(number)
        _, errors = driver.communicate()
        while any(map(is_running, workers)):
            time.sleep(0.01)
        if not driver.returncode:
            path.unlink()  # it had come to its end before the signal
            killed = 0
            continue
        killed += 1
        if number != signal.SIGKILL:
            assert driver.returncode == 130
            assert errors == b"dbmsolver: interrupted; the same command continues the table\n"
    assert workers
    assert started(path, *MANY).wait() == 0
    assert facts(path) == facts(whole)
    assert [one.name for one in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.slow
def test_workers_are_killed(tmp_path: Path, whole: Path) -> None:
    """Their deals are given to others."""
    path = tmp_path / "table.csv"
    killed = 0
    while not killed:
        path.unlink(missing_ok=True)
        driver = started(path, *MANY)
        for _ in range(4):
            wait_for_rows(driver, path)
            for worker in children_of(driver.pid)[:1] if driver.poll() is None else []:
                os.kill(worker, signal.SIGKILL)
                killed += 1
        assert driver.wait() == 0
    assert facts(path) == facts(whole)
