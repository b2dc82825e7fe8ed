"""A process that searches: it takes one task after the other, and says what it finds out.

Each task is a line of JSON on standard input, and so is each thing that is found out, on standard
output. `cancel` ends the task that is being done; the end of standard input ends the process,
whatever it does.
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
from dbmsolver.results import Better, Event, Method, Question, Result, Verdict

Say = Callable[[dict[str, Any]], None]


def serve() -> None:
    """Do tasks until there are no more."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the server ends it
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer, separators=(",", ":")) + "\n")
        answers.flush()

    from dbmsolver.jit.cache import choose_cache

    choose_cache()
    import_module("dbmsolver.search.session")  # what takes long is loaded before the first task

    worker = Worker(say)
    threading.Thread(target=worker.listen, daemon=True).start()
    say({"ready": True})
    worker.work()


class Worker:
    """The tasks that wait, and whether the one that is being done is to end."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._tasks: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._cancelled = threading.Event()

    def listen(self) -> None:
        """Take what the server says, in a thread of its own; end with the server."""
        for line in sys.stdin:
            said = json.loads(line)
            if said == "cancel":
                self._cancelled.set()
            else:
                self._tasks.put(said)
        os.kill(os.getpid(), signal.SIGKILL)

    def work(self) -> None:
        """Do one task after the other."""
        while True:
            task = self._tasks.get()
            self._cancelled.clear()
            self.do(task)
            self._say({"done": True})

    def do(self, task: dict[str, Any]) -> None:
        """Do a task, and say what is found out, or why nothing can be."""
        try:
            self._do(task)
        except (DbmError, TypeError) as error:
            self._say({"error": str(error)})
        except MemoryError:
            self._say({"error": "out of memory"})

    def _do(self, task: dict[str, Any]) -> None:
        rules = rules_from(task["rules"])
        if task["kind"] == "compile":
            compile_for(*kernels_of(rules))
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
        for place, deal in enumerate(deals):
            if self._cancelled.is_set():
                return
            self._search(task["kind"], place, deal, settings)

    def _decide(self, deals: Sequence[Deal], settings: dict[str, Any]) -> None:
        """Say of each deal whether it can be won, first of all; then a solution of each."""
        from dbmsolver.api import prove_many

        places: dict[Deal, list[int]] = {}
        for place, deal in enumerate(deals):
            places.setdefault(deal, []).append(place)
        decisions = []
        for decision in prove_many(list(places), **settings):
            for place in places[decision.deal]:
                work = decision.evaluated
                self._say({"place": place, "verdict": decision.verdict, "work": work})
            decisions.append(decision)
            if self._cancelled.is_set():
                return
        decisions.sort(key=lambda decision: places[decision.deal][0])
        for decision in decisions:
            if self._cancelled.is_set():
                return
            if decision.verdict == Verdict.SOLVED:
                for place in places[decision.deal]:
                    self._solution(place, decision.moves(), False)

    def _search(self, kind: str, place: int, deal: Deal, settings: dict[str, Any]) -> None:
        from dbmsolver.api import prove, solve

        def progress(event: Event) -> None:
            if isinstance(event, Better):
                self._solution(place, event.moves, False)

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
        self._result(place, result)

    def _result(self, place: int, result: Result) -> None:
        self._say({"place": place, "verdict": result.verdict, "at_least": result.at_least or 0})
        if result.length is not None:
            self._solution(place, result.moves, result.shortest)

    def _solution(self, place: int, moves: Sequence[Move], shortest: bool) -> None:
        self._say({"place": place, "moves": codes_of(moves), "shortest": shortest})


def compile_for(family: Family, proof: Method) -> None:
    """Compile what searches of some games need, as far as it is not in the cache."""
    from dbmsolver.search.precompile import compile_needed

    compile_needed(Question.PROVE, proof, 8, True, False, family)
    compile_needed(Question.SOLVE, Method.EVERY_POSITION, 8, True, False, family)
