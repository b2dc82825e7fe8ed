"""Analysis of the position that a page shows: reports of what is known, as that grows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Literal

from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_fields
from dbmsolver.notation.steps import moving_card
from dbmsolver.play.codes import code_of, codes_of, read_line
from dbmsolver.play.plan import Analysis, SearchTask, kernels_of, tasks
from dbmsolver.play.table import Option
from dbmsolver.play.values import Knowledge, Value
from dbmsolver.play.worker_pool import Answer, ProcessLostError, WorkerPool
from dbmsolver.results import Method, Verdict

State = Literal["waiting", "compiling", "searching", "done", "stopped"]

USUAL_SECONDS = 60.0
"""Seconds for the analysis of a position, unless the user asks for more."""
LONGER = 4
"""The factor of that time, each time that the user asks for more."""
MOST_LONGER = 3

_PAUSE = 0.1
"""The fewest seconds between two reports."""


def moves_of(position: Position, codes: str) -> list[Move]:
    """Return moves from their codes, as a worker sends them."""
    found = []
    for step in read_line(codes):
        card = moving_card(position, step)
        move = Move(card, step.source, step.destination, count=step.count)
        position = position.apply(move)
        found.append(move)
    return found


class Analyst:
    """The analyst of a session: its knowledge, and the processes that find out more."""

    def __init__(self, workers: WorkerPool, seconds: float = USUAL_SECONDS) -> None:
        self.workers = workers
        self.knowledge = Knowledge()
        self._seconds = seconds
        self._compiled: dict[tuple[Family, Method], asyncio.Task[None]] = {}

    async def reports(
        self, rules: Rules, line: Sequence[Position], longer: int = 0
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield reports about the last position of a game, one whenever more is known.

        They end when nothing is left to find out, or when the time has passed. To close this
        generator ends the search.
        """
        report = _PageReport(Analysis(rules, line, self.knowledge))
        search = asyncio.create_task(self._search(report, self._seconds * LONGER**longer))
        try:
            last: dict[str, Any] = {}
            while True:
                report.changed.clear()
                ended = search.done()
                contents = report.contents()
                if contents != last:
                    yield contents
                    last = contents
                if ended:
                    search.result()
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(report.changed.wait(), 1)
                await asyncio.sleep(_PAUSE)
        finally:
            search.cancel()
            with suppress(asyncio.CancelledError, ProcessLostError):
                await search

    async def _search(self, report: _PageReport, seconds: float) -> None:
        """Run the tasks; then report how they ended."""
        try:
            state = await self._run_tasks(report, seconds)
        finally:
            report.changed.set()
        report.set_state(state)

    async def _run_tasks(self, report: _PageReport, seconds: float) -> State:
        used = 0.0
        analysis = report.analysis
        for task in tasks(analysis):
            if used >= seconds:
                return "stopped"
            if not self._is_compiled(analysis.rules):
                report.set_state("compiling")
                await self._compile(analysis.rules)
            report.set_state("waiting")
            started = time.monotonic()

            def on_answer(answer: Answer, task: SearchTask = task) -> None:
                report.set_state("searching")
                self.learn(analysis.rules, task, answer, analysis.position)
                analysis.settle()

            order = order_of(analysis.rules, task, min(task.seconds, seconds - used))
            with suppress(ProcessLostError):  # it took too much memory: go on with the next task
                await self.workers.run(order, on_answer, 0 if task.kind == "decide" else 1 + used)
            used += time.monotonic() - started
        return "done"

    def _is_compiled(self, rules: Rules) -> bool:
        task = self._compiled.get(kernels_of(rules))
        return task is not None and task.done() and not task.cancelled() and not task.exception()

    async def _compile(self, rules: Rules) -> None:
        """Compile the kernels of a family of games; that goes on when the page is closed."""
        task = self._compiled.get(kernels_of(rules))
        if task is None or (task.done() and not self._is_compiled(rules)):
            task = asyncio.create_task(self._compile_all(rules))
            self._compiled[kernels_of(rules)] = task
        await asyncio.shield(task)

    async def _compile_all(self, rules: Rules) -> None:
        """Compile all kernels for some rules in a series of processes.

        Each stops at its limit of memory, and the next one goes on.
        """
        left: list[int] = []
        while True:
            answers: list[Answer] = []
            order = {"kind": "compile", "rules": rules_fields(rules), "left": left}
            await self.workers.run(order, answers.append)
            left = [number for answer in answers for number in answer.get("left", [])]
            if not left:
                return

    def learn(
        self, rules: Rules, task: SearchTask, answer: Answer, shown: Position | None = None
    ) -> None:
        """Add the answer of a worker to the knowledge.

        Of a solution of the position that is shown, every position on its way is learnt.
        """
        if "index" not in answer:
            return
        position = task.positions[answer["index"]]
        if "verdict" in answer:
            value = Value(Verdict(answer["verdict"]), answer.get("at_least", 0))
            self.knowledge.learn(rules, position, value)
        if "moves" in answer:
            moves = moves_of(position, answer["moves"])
            shortest, whole = answer["shortest"], position == shown
            self.knowledge.learn_solution(rules, position, moves, shortest, whole)

    async def decide(self, rules: Rules, deals: Sequence[Deal], seconds: float) -> list[Answer]:
        """Return for each deal the answer of a worker that says whether it can be won."""
        await self._compile(rules)
        task = SearchTask("decide", tuple(deal.position for deal in deals), seconds)
        found: list[Answer] = []

        def on_answer(answer: Answer) -> None:
            self.learn(rules, task, answer)
            if "verdict" in answer:
                found.append(answer)

        await self.workers.run(order_of(rules, task, seconds), on_answer)
        return found

    async def close(self) -> None:
        """Cancel compiling."""
        for task in self._compiled.values():
            task.cancel()
        await asyncio.gather(*self._compiled.values(), return_exceptions=True)


def order_of(rules: Rules, task: SearchTask, seconds: float) -> dict[str, Any]:
    """Return a task as it is sent to a worker."""
    return {
        "kind": task.kind,
        "rules": rules_fields(rules),
        "boards": [format_board(position) for position in task.positions],
        "seconds": seconds,
    }


class _PageReport:
    """The report on a position for one page."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.changed = asyncio.Event()
        self._state: State = "waiting"

    def set_state(self, state: State) -> None:
        """Note the state of the analysis."""
        self._state = state
        self.changed.set()

    def contents(self) -> dict[str, Any]:
        """Return everything that is known now, as the page reads it."""
        analysis = self.analysis
        value = analysis.value()
        won, lost = analysis.first_lost()
        solution = analysis.knowledge.solution(analysis.rules, analysis.position)
        ordered = sorted(analysis.options, key=self._rank)
        return {
            "state": self._state,
            "value": _summary(value, 0),
            "solution": None if solution is None else codes_of(solution),
            "moves": {
                code_of(option.move): _summary(analysis.value(option.after), option.cost)
                for option in ordered
            },
            "won": won,
            "lost": lost,
        }

    def _rank(self, option: Option) -> tuple[int, int]:
        """Return a sort key: moves that win soonest first, then unknown ones, then losing ones."""
        value = self.analysis.value(option.after)
        if value.verdict == Verdict.SOLVED:
            # Moves known to win without a solution at hand come after those with one.
            return (0, option.cost + value.at_most) if value.at_most is not None else (1, 0)
        return (2, value.at_least) if value.verdict == Verdict.UNDECIDED else (3, 0)


def _summary(value: Value, cost: int) -> list[Any]:
    """Return the verdict, and bounds of the fewest moves with ``cost`` added, for the page."""
    most = None if value.at_most is None else value.at_most + cost
    return [str(value.verdict), value.at_least + cost, most]
