"""The processes that search: cancelled for certain, and within the memory that they may take."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest
from helpers.playing import finished

from dbmsolver.cli.commands.play import LEAST_MEMORY
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_fields, rules_for
from dbmsolver.play.analyst import Analyst
from dbmsolver.play.worker_pool import ProcessLostError, WorkerPool, WorkerShare

Answer = TypeVar("Answer")
MEBI = 1 << 20
ALONE = WorkerShare(1, 512 * MEBI, 1)
HARDEST = Deal.from_number(384243, rules_for("freecell", 2))
"""More than sixteen thousand million positions: nobody finds it out here."""


def with_workers(
    work: Callable[[WorkerPool], Awaitable[Answer]], share: WorkerShare = ALONE
) -> Answer:
    async def run() -> Answer:
        workers = WorkerPool(share)
        try:
            return await work(workers)
        finally:
            await workers.close()

    return finished(run())


def endless(rules: Rules = HARDEST.rules) -> dict[str, Any]:
    board = format_board(HARDEST.position)
    return {
        "kind": "solve",
        "rules": rules_fields(rules),
        "boards": [board],
        "seconds": 1000,
    }


def quick(number: int = 3) -> dict[str, Any]:
    deal = Deal.from_number(number)
    board = format_board(deal.position)
    return {
        **endless(deal.rules),
        "kind": "decide",
        "boards": [board],
        "seconds": 1000,
    }


def alive(pid: int) -> bool:
    """Return True if a process runs; one that has ended and waits to be buried does not."""
    with suppress(OSError):
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    return False


async def until(happens: Callable[[], bool]) -> None:
    """Wait until something has happened."""
    async with asyncio.timeout(60):
        while not happens():
            await asyncio.sleep(0.01)


def test_tasks_are_done_one_after_the_other() -> None:
    async def work(workers: WorkerPool) -> list[list[Any]]:
        heard: list[list[Any]] = [[], []]
        await asyncio.gather(
            *(workers.run(quick(number), heard[number - 1].append) for number in (1, 2))
        )
        return heard

    for answers in with_workers(work):
        assert [answer["verdict"] for answer in answers if "verdict" in answer] == ["solved"]
        assert [answer for answer in answers if "moves" in answer]


def test_tasks_of_lower_rank_come_first() -> None:
    async def work(workers: WorkerPool) -> list[str]:
        ended: list[str] = []

        async def one(name: str, rank: float) -> None:
            await workers.run(quick(), lambda _: None, rank)
            ended.append(name)

        tasks = [asyncio.create_task(one("first", 5))]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(one(name, rank)) for name, rank in (("b", 3), ("a", 1))]
        await asyncio.gather(*tasks)
        return ended

    assert with_workers(work) == ["first", "a", "b"]


def test_a_cancelled_task_has_ended_for_certain() -> None:
    """Nothing runs on, and the next task is done at once, though there is one process only."""

    async def work(workers: WorkerPool) -> None:
        for _ in range(3):
            heard: list[Any] = []
            task = asyncio.create_task(workers.run(endless(), heard.append))
            await until(lambda: bool(workers.busy))
            pid = next(iter(workers.busy)).process.pid
            folder = next(iter(workers.busy)).folder
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await until(lambda: not workers.busy)
            if alive(pid):  # it has said that it has ended the task
                assert pid in [process.process.pid for process in workers.idle]
            else:
                assert not folder.exists()
        heard = []
        await workers.run(quick(), heard.append)
        assert heard

    with_workers(work)


def test_a_process_that_does_not_listen_is_killed() -> None:
    async def work(workers: WorkerPool) -> None:
        task = asyncio.create_task(workers.run(endless(), lambda _: None))
        await until(lambda: bool(workers.busy))
        process = next(iter(workers.busy))
        process.send = lambda _: None  # type: ignore[method-assign]
        pid = process.process.pid
        assert alive(pid)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: not workers.busy)
        assert not alive(pid)
        assert not process.folder.exists()
        await workers.run(quick(), lambda _: None)

    with_workers(work)


def test_a_process_that_takes_too_much_is_killed() -> None:
    async def work(workers: WorkerPool) -> None:
        with pytest.raises(ProcessLostError):
            await workers.run(quick(), lambda _: None)
        await until(lambda: not workers.busy)

    # Less than the interpreter takes with all that is loaded: the first look ends it.
    with_workers(work, WorkerShare(1, 8 * MEBI, 1))


def test_nothing_is_left_when_it_is_closed() -> None:
    async def work() -> tuple[list[int], Path]:
        workers = WorkerPool(WorkerShare(2, 512 * MEBI, 1))
        await workers.begin()
        tasks = [asyncio.create_task(workers.run(endless(), lambda _: None)) for _ in range(3)]
        await until(lambda: len(workers.busy) == 2)
        pids = [process.process.pid for process in workers.busy]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await workers.close()
        return pids, workers.base

    pids, base = finished(work())
    assert not any(map(alive, pids))
    assert not base.exists()


CLOSED_EARLY = """
import asyncio
from dbmsolver.play.worker_pool import WorkerPool, WorkerShare

async def work(steps):
    workers = WorkerPool(WorkerShare(1, 512 << 20, 1))
    task = asyncio.create_task(workers.run({"kind": "decide"}, print))
    for _ in range(steps):
        await asyncio.sleep(0)
    await workers.close()
    return task

for steps in range(7):
    asyncio.run(work(steps)).exception()
    print(steps)
"""


def test_a_pool_can_be_closed_while_its_first_process_starts() -> None:
    """At the end asyncio cancels what still runs: it must not wait for ever for a process."""
    made = subprocess.run(
        [sys.executable, "-c", CLOSED_EARLY], capture_output=True, text=True, timeout=60
    )
    assert (made.stdout.split(), made.stderr) == ([*"0123456"], "")


def test_a_process_outlives_the_task_that_it_was_started_for() -> None:
    async def work(workers: WorkerPool) -> None:
        for steps in range(1, 9):
            task = asyncio.create_task(workers.run(quick(), lambda _: None))
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await workers.run(quick(), lambda _: None)
        await until(lambda: len(list(workers.base.iterdir())) == 1)
        await workers.run(quick(), lambda _: None)

    with_workers(work)


def test_who_waits_can_leave() -> None:
    async def work(workers: WorkerPool) -> None:
        first = asyncio.create_task(workers.run(endless(), lambda _: None))
        await until(lambda: bool(workers.busy))
        others = [asyncio.create_task(workers.run(endless(), lambda _: None)) for _ in range(9)]
        await until(lambda: len(workers.waiting) == 9)
        for task in (*others, first):
            task.cancel()
        await asyncio.gather(first, *others, return_exceptions=True)
        await workers.run(quick(), lambda _: None)

    with_workers(work)


def test_memory_is_divided() -> None:
    for memory in (512 * MEBI, 1 << 30, 7 << 30):
        for processors in (1, 2, 8):
            share = WorkerShare.of(memory, processors)
            assert 1 <= share.workers <= processors
            assert share.workers * share.memory <= memory - 128 * MEBI
            assert share.search_memory + share.disk_space <= share.memory
            assert share.search_memory >= 256 * MEBI
    assert WorkerShare.of(512 * MEBI, 8) == WorkerShare(1, 384 * MEBI, 8)
    assert WorkerShare.of(1152 * MEBI, 5) == WorkerShare(2, 512 * MEBI, 2)


def check_a_hundred(seconds: float) -> None:
    """Let a hundred clients look at hard deals: never more processes, or more memory."""

    async def work() -> tuple[int, int, int]:
        share = WorkerShare(2, 384 * MEBI, 1)
        analyst = Analyst(WorkerPool(share), 1000)
        most_memory = most_processes = heard = 0

        async def client(number: int) -> None:
            nonlocal heard
            deal = Deal.from_number(384243 + number, HARDEST.rules)
            async for _ in analyst.reports(deal.rules, [deal.position]):
                heard += 1

        clients = [asyncio.create_task(client(number)) for number in range(100)]
        started = time.monotonic()
        while time.monotonic() - started < seconds or heard < 100 or most_processes < 2:
            most_memory = max(most_memory, analyst.workers.memory())
            most_processes = max(most_processes, len(analyst.workers.busy))
            await asyncio.sleep(0.02)
        for one in clients:
            one.cancel()
        await asyncio.gather(*clients, return_exceptions=True)
        await analyst.close()
        await analyst.workers.close()
        return most_processes, most_memory, heard

    processes, memory, heard = finished(work())
    assert processes == 2
    assert memory <= 2 * 384 * MEBI
    assert heard >= 100


def test_a_hundred_clients() -> None:
    check_a_hundred(1)


@pytest.mark.slow
def test_a_hundred_clients_for_long() -> None:
    check_a_hundred(5)


def test_compiling_is_not_ended_by_who_leaves() -> None:
    async def work(workers: WorkerPool) -> None:
        analyst = Analyst(workers)
        compiling = asyncio.create_task(analyst._compile(GAMES["freecell"]))
        await until(lambda: bool(workers.busy))
        compiling.cancel()
        await asyncio.gather(compiling, return_exceptions=True)
        assert workers.busy
        await analyst._compile(GAMES["freecell"])
        assert analyst._is_compiled(GAMES["freecell"])
        await analyst.close()

    with_workers(work)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "verdict"), [("canfield", "unsolvable"), ("klondike", "solved")])
def test_kernels_are_compiled_in_the_least_memory(
    game: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a fresh machine, whose cache of kernels is empty."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    rules = GAMES[game]

    async def work(workers: WorkerPool) -> None:
        analyst = Analyst(workers)
        found = await analyst.decide(rules, [Deal.from_number(3, rules)], 10)
        assert [answer["verdict"] for answer in found] == [verdict]
        await analyst.close()

    with_workers(work, WorkerShare.of(LEAST_MEMORY, 2))
