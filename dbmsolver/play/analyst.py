"""Analysis of a position for somebody who looks at it: what is known, and then what is more."""

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
from dbmsolver.play.plan import Look, Task, kernels_of, tasks
from dbmsolver.play.table import Option
from dbmsolver.play.values import Knowledge, Value
from dbmsolver.play.workers import Answer, WorkerLostError, Workers
from dbmsolver.results import Method, Verdict

State = Literal["waiting", "compiling", "searching", "done", "stopped"]

USUAL_SECONDS = 60.0
"""Seconds for a position, unless somebody asks for more."""
LONGER = 4
"""The factor of that time, each time that somebody asks for more."""
MOST_LONGER = 3

_PAUSE = 0.1
"""Seconds between two accounts of what is known."""


def moves_of(position: Position, codes: str) -> list[Move]:
    """Return the moves that a worker has found."""
    found = []
    for step in read_line(codes):
        card = moving_card(position, step)
        move = Move(card, step.source, step.destination, count=step.count)
        position = position.apply(move)
        found.append(move)
    return found


class Analyst:
    """The knowledge of a session, and the processes that find out more."""

    def __init__(self, workers: Workers, seconds: float = USUAL_SECONDS) -> None:
        self.workers = workers
        self.knowledge = Knowledge()
        self._seconds = seconds
        self._compiled: dict[tuple[Family, Method], asyncio.Task[None]] = {}

    async def accounts(
        self, rules: Rules, line: Sequence[Position], longer: int = 0
    ) -> AsyncIterator[dict[str, Any]]:
        """Yield what is known of the last position of a game, whenever that is more than before.

        It ends when nothing is left to find out, or the time is over. When this is closed, so is
        the search.
        """
        view = _View(Look(rules, line, self.knowledge))
        search = asyncio.create_task(self._search(view, self._seconds * LONGER**longer))
        try:
            last: dict[str, Any] = {}
            while True:
                view.changed.clear()
                ended = search.done()
                account = view.account()
                if account != last:
                    yield account
                    last = account
                if ended:
                    search.result()
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(view.changed.wait(), 1)
                await asyncio.sleep(_PAUSE)
        finally:
            search.cancel()
            with suppress(asyncio.CancelledError, WorkerLostError):
                await search

    async def _search(self, view: _View, seconds: float) -> None:
        """Do one task after the other."""
        try:
            state = await self._tasks(view, seconds)
        finally:
            view.changed.set()
        view.say(state)

    async def _tasks(self, view: _View, seconds: float) -> State:
        used = 0.0
        look = view.look
        for task in tasks(look):
            if used >= seconds:
                return "stopped"
            if not self._is_compiled(look.rules):
                view.say("compiling")
                await self._compile(look.rules)
            view.say("waiting")
            started = time.monotonic()

            def heard(answer: Answer, task: Task = task) -> None:
                view.say("searching")
                self.learn(look.rules, task, answer, look.position)
                look.settle()

            order = order_of(look.rules, task, min(task.seconds, seconds - used))
            with suppress(WorkerLostError):  # it took too much: the next task is another one
                await self.workers.run(order, heard, 0 if task.kind == "decide" else 1 + used)
            used += time.monotonic() - started
        return "done"

    def _is_compiled(self, rules: Rules) -> bool:
        task = self._compiled.get(kernels_of(rules))
        return task is not None and task.done() and not task.cancelled() and not task.exception()

    async def _compile(self, rules: Rules) -> None:
        """Compile what the searches of a family of games need; nobody's leaving ends that."""
        task = self._compiled.get(kernels_of(rules))
        if task is None or (task.done() and not self._is_compiled(rules)):
            order = {"kind": "compile", "rules": rules_fields(rules)}
            task = asyncio.create_task(self.workers.run(order, lambda _: None))
            self._compiled[kernels_of(rules)] = task
        await asyncio.shield(task)

    def learn(
        self, rules: Rules, task: Task, answer: Answer, shown: Position | None = None
    ) -> None:
        """Add what a worker says; of the position that is shown, as much as there is to it."""
        if "place" not in answer:
            return
        position = task.positions[answer["place"]]
        if "verdict" in answer:
            value = Value(Verdict(answer["verdict"]), answer.get("at_least", 0))
            self.knowledge.learn(rules, position, value)
        if "moves" in answer:
            moves = moves_of(position, answer["moves"])
            shortest, whole = answer["shortest"], position == shown
            self.knowledge.learn_solution(rules, position, moves, shortest, whole)

    async def decided(self, rules: Rules, deals: Sequence[Deal], seconds: float) -> list[Answer]:
        """Find out which deals can be won: what a worker says of each."""
        await self._compile(rules)
        task = Task("decide", tuple(deal.position for deal in deals), seconds)
        found: list[Answer] = []

        def heard(answer: Answer) -> None:
            self.learn(rules, task, answer)
            if "verdict" in answer:
                found.append(answer)

        await self.workers.run(order_of(rules, task, seconds), heard)
        return found

    async def close(self) -> None:
        """End what is being compiled."""
        for task in self._compiled.values():
            task.cancel()
        await asyncio.gather(*self._compiled.values(), return_exceptions=True)


def order_of(rules: Rules, task: Task, seconds: float) -> dict[str, Any]:
    """Return a task as a worker is told it."""
    return {
        "kind": task.kind,
        "rules": rules_fields(rules),
        "boards": [format_board(position) for position in task.positions],
        "seconds": seconds,
    }


class _View:
    """The account of a position for one page."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.changed = asyncio.Event()
        self._state: State = "waiting"

    def say(self, state: State) -> None:
        """Note what is being done."""
        self._state = state
        self.changed.set()

    def account(self) -> dict[str, Any]:
        """Return all that is known now, as the page reads it."""
        look = self.look
        value = look.value()
        won, lost = look.first_lost()
        solution = look.knowledge.solution(look.rules, look.position)
        ordered = sorted(look.options, key=self._rank)
        return {
            "state": self._state,
            "value": _told(value, 0),
            "solution": None if solution is None else codes_of(solution),
            "moves": {
                code_of(option.move): _told(look.value(option.after), option.cost)
                for option in ordered
            },
            "won": won,
            "lost": lost,
        }

    def _rank(self, option: Option) -> tuple[int, int]:
        """Return a sort key: moves that win soonest first, then unknown ones, then losing ones."""
        value = self.look.value(option.after)
        if value.verdict == Verdict.SOLVED:
            # What is known to be a win without its solution comes after those that have one.
            return (0, option.cost + value.at_most) if value.at_most is not None else (1, 0)
        return (2, value.at_least) if value.verdict == Verdict.UNDECIDED else (3, 0)


def _told(value: Value, cost: int) -> list[Any]:
    """Tell a value in short: the verdict, and the fewest moves at least and at most."""
    most = None if value.at_most is None else value.at_most + cost
    return [str(value.verdict), value.at_least + cost, most]
