"""The program of a search process: it runs one task after the other, and writes answers.

Each task is a line of JSON on standard input, each answer a line of JSON on standard output.
`cancel` ends the running task; the end of standard input ends the process at once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from queue import SimpleQueue
from typing import Any

from dbmsolver.errors import DbmError
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family
from dbmsolver.game.moves import Move
from dbmsolver.game.shipped import rules_from
from dbmsolver.play.codes import codes_of
from dbmsolver.play.plan import kernels_of
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Better, Event, Method, Question, Result, Verdict

_COMPILING_PART = 2 / 3
"""The part of a search's memory from which on a process compiles no other kernel.

One more kernel takes up to 130 MiB. The process may have a third more memory than a search in it.
"""

Say = Callable[[dict[str, Any]], None]


def serve() -> None:
    """Run tasks until the process is ended."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the server ends it
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library may print: that must not be taken for an answer

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer, separators=(",", ":")) + "\n")
        answers.flush()

    import_module("dbmsolver.search.session")  # it takes long to load: now, before the first task

    worker = Worker(say)
    threading.Thread(target=worker.listen, daemon=True).start()
    say({"ready": True})
    worker.work()


class Worker:
    """The tasks that wait, and a flag that cancels the running one."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._tasks: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._cancelled = threading.Event()

    def listen(self) -> None:
        """Read the lines of the server, in a thread for this; end the process with the server."""
        for line in sys.stdin:
            said = json.loads(line)
            if said == "cancel":
                self._cancelled.set()
            else:
                self._tasks.put(said)
        os.kill(os.getpid(), signal.SIGKILL)

    def work(self) -> None:
        """Run one task after the other."""
        while True:
            task = self._tasks.get()
            self._cancelled.clear()
            self.do(task)
            self._say({"done": True})

    def do(self, task: dict[str, Any]) -> None:
        """Run a task, and write its answers or its error."""
        try:
            self._do(task)
        except (DbmError, TypeError) as error:
            self._say({"error": str(error)})
        except MemoryError:
            self._say({"error": "out of memory"})

    def _do(self, task: dict[str, Any]) -> None:
        rules = rules_from(task["rules"])
        if task["kind"] == "compile":
            memory = int(task["memory"] * _COMPILING_PART)
            left = compile_some(*kernels_of(rules), task["left"], memory)
            self._say({"left": left})
            return
        deals = [Deal(parse_board(board, rules), rules) for board in task["boards"]]
        settings = {
            "max_time": task["seconds"],
            "threads": task["threads"],
            "memory": task["memory"],
            "max_disk": task["disk"],
        }
        if task["kind"] == "decide":
            self._decide(deals, settings)
            return
        for index, deal in enumerate(deals):
            if self._cancelled.is_set():
                return
            self._search(task["kind"], index, deal, settings)

    def _decide(self, deals: Sequence[Deal], settings: dict[str, Any]) -> None:
        """Write for each deal whether it can be won; then a solution of each that can."""
        from dbmsolver.api import prove_many

        indexes: dict[Deal, list[int]] = {}
        for index, deal in enumerate(deals):
            indexes.setdefault(deal, []).append(index)
        decisions = []
        for decision in prove_many(list(indexes), **settings):
            for index in indexes[decision.deal]:
                work = decision.evaluated
                self._say({"index": index, "verdict": decision.verdict, "work": work})
            decisions.append(decision)
            if self._cancelled.is_set():
                return
        decisions.sort(key=lambda decision: indexes[decision.deal][0])
        for decision in decisions:
            if self._cancelled.is_set():
                return
            if decision.verdict == Verdict.SOLVED:
                for index in indexes[decision.deal]:
                    self._solution(index, decision.moves(), False)

    def _search(self, kind: str, index: int, deal: Deal, settings: dict[str, Any]) -> None:
        from dbmsolver.api import prove, solve

        def progress(event: Event) -> None:
            if isinstance(event, Better):
                self._solution(index, event.moves, False)

        if kind == "prove":
            result = prove(deal, cancel=self._cancelled.is_set, **settings)
        else:
            result = solve(
                deal,
                any_solution=True,
                progress=progress,
                cancel=self._cancelled.is_set,
                **settings,
            )
        self._result(index, result)

    def _result(self, index: int, result: Result) -> None:
        self._say({"index": index, "verdict": result.verdict, "at_least": result.at_least or 0})
        if result.length is not None:
            self._solution(index, result.moves, result.shortest)

    def _solution(self, index: int, moves: Sequence[Move], shortest: bool) -> None:
        self._say({"index": index, "moves": codes_of(moves), "shortest": shortest})


def compile_some(family: Family, proof: Method, left: list[int], memory: int) -> list[int]:
    """Compile the kernels for a family until this process uses ``memory`` bytes.

    The kernels are those of proofs by the method ``proof``, and of searches for a solution.
    ``left`` lists the indices of those to compile; an empty list stands for all. Return the indices
    of those that are not compiled yet, so that another process can go on with them.
    """
    from dbmsolver.jit.compilation import compile_ahead
    from dbmsolver.search.precompile import needed

    kernels = [
        *needed(Question.PROVE, proof, 8, family=family),
        *needed(Question.SOLVE, Method.EVERY_POSITION, 8, any_solution=True, family=family),
    ]
    left = left or list(range(len(kernels)))
    first = left[0]
    for wait in (False, True):  # what other processes compile at the same time comes last
        others: list[int] = []
        for at, number in enumerate(left):
            if number != first and anonymous_memory() > memory:
                return left[at:] + others
            if not compile_ahead(*kernels[number], wait=wait):
                others.append(number)
        left = others
    return []
