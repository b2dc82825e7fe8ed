"""Processes that compile the kernels of a search while the search compiles those it needs first.

numba compiles one kernel at a time in a process, however many threads it has. The processes share
kernels through the cache (:mod:`dbmsolver.jit.sharing`), and nothing else: if they die, or cannot
be started, the search takes longer and has the same result.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Any

from dbmsolver.api.searches import Events
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import measure_of
from dbmsolver.process import processors
from dbmsolver.programs import python_command
from dbmsolver.results import Options, Question, Result, method_ahead, method_for
from dbmsolver.signals import end_with_parent

MOST = 4
"""The most processes: more do not help, as one chain of kernels takes half of the time."""


class Compilers:
    """A context manager around a search: other processes compile the search's kernels.

    The processes start when a kernel is missing for the first time, and end when the search ends.
    ``arguments()`` returns the arguments for :func:`compile_share`.
    """

    def __init__(self, arguments: Callable[[], tuple[object, ...]]) -> None:
        self.arguments = arguments
        self._lock = threading.Lock()
        self._over = False
        self._running: list[tuple[subprocess.Popen[bytes], threading.Thread]] = []

    def __enter__(self) -> None:
        from dbmsolver.jit.compilation import on_first_compilation

        on_first_compilation(self._start)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over = True
            for process, waiter in self._running:
                process.kill()
                waiter.join()

    def _start(self) -> None:
        """Start the processes; the first thread that misses a kernel calls this."""
        from dbmsolver.jit.compilation import is_shared

        if not is_shared():
            return
        command = python_command(compile_share, *self.arguments())
        with self._lock:
            if self._over:
                return
            for _ in range(min(processors(), MOST)):
                with suppress(OSError):
                    process = subprocess.Popen(
                        command,
                        stdin=subprocess.PIPE,  # it ends with this process
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                        process_group=0,  # Ctrl-C is for the search, which ends them
                    )
                    waiter = threading.Thread(target=process.wait, daemon=True)
                    waiter.start()
                    self._running.append((process, waiter))


def compilers_for(
    question: Question, deal: Deal, options: Options, counting: bool = False
) -> AbstractContextManager[None]:
    """Return a context in which other processes compile the kernels of a search for a deal."""
    rules = deal.rules
    alone = rules.family in ("pile", "pairs", "patience", "canfield", "wide")

    def code_bits() -> int:
        if alone:  # as wide as any
            return 16
        from dbmsolver.kits.states import StateCodec

        return StateCodec(deal, options.policy, options.metric).deal_tables.code_bits

    method = str(method_for(question, deal, options.method))
    usual = measure_of(rules, options.policy, options.metric).metric == "cards"
    family = rules.family if usual or alone else "runs"
    ahead = str(method_ahead(question, deal, options.metric))
    hows = options.any_solution, counting, family, ahead
    return Compilers(lambda: (str(question), method, code_bits(), *hows))


def on_compiling(callback: Callable[[], None]) -> None:
    """Call back once, when the first kernel that is not in the cache begins to be compiled."""
    from dbmsolver.jit.compilation import on_first_compilation

    on_first_compilation(callback)


def not_cut_by_compiling(search: Callable[[], Events[Result]]) -> Events[Result]:
    """Run a search, and again as long as some of its time limit goes into compiling kernels."""
    from dbmsolver.search import limits

    return limits.not_cut_by_compiling(search)


def compile_share(*search: Any) -> None:
    """Compile the kernels of a search that no other process is compiling: the program of one.

    ``search`` are the arguments of :func:`dbmsolver.search.precompile.needed`.
    """
    end_with_parent()
    from dbmsolver.search.precompile import compile_needed

    compile_needed(*search)
