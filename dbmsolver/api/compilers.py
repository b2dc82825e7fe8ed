"""Processes that compile the kernels of a search while the search compiles those it needs first.

They go on with the kernels of all searches of such games, so that no later one has to compile. A
check of a store has a process for all checks of such games.

numba compiles one kernel at a time in a process, however many threads it has. The processes share
kernels through the cache (:mod:`dbmsolver.jit.sharing`), and nothing else: if they die, or cannot
be started, the search takes longer and has the same result.
"""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from dbmsolver.api.searches import Events
from dbmsolver.errors import DbmError, UsageError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family
from dbmsolver.game.measures import measure_of
from dbmsolver.process import processors
from dbmsolver.programs import python_command
from dbmsolver.results import Options, Question, Result, method_ahead, method_for
from dbmsolver.signals import end_with_parent

if TYPE_CHECKING:
    from dbmsolver.search.precompile import SearchPart

MOST = 4
"""The most processes: more do not help, as one chain of kernels takes half of the time."""
VARIABLE = "DBMSOLVER_COMPILERS"
"""The environment variable that says how many processes there are at most; 0 for none."""


class Compilers:
    """A context in which other processes compile kernels, for a search and for later ones.

    ``command()`` returns the command that each process runs; there are ``most`` processes at most.
    They start when the search first asks for a kernel that the cache has not. When the context
    ends, processes that still run are waited for; ``on_waiting`` is called before, if there is one.
    Ctrl-C ends this wait and the processes, and is no error. An exception in the context ends them
    at once.
    """

    def __init__(
        self,
        command: Callable[[], list[str]],
        on_waiting: Callable[[], None] = lambda: None,
        most: int = MOST,
    ) -> None:
        """Make the context; UsageError if the environment says no number of processes."""
        self.command = command
        self.on_waiting = on_waiting
        self.processes = min(most, processors(), _most_wanted())
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
        try:
            if error is None:
                self._wait()
        except KeyboardInterrupt:
            pass  # the answer is there
        finally:
            for process, waiter in self._running:
                process.kill()
                waiter.join()

    def _wait(self) -> None:
        """Wait for the processes to compile everything."""
        waiters = [waiter for _, waiter in self._running if waiter.is_alive()]
        if waiters:
            self.on_waiting()
        for waiter in waiters:
            waiter.join()

    def _start(self) -> None:
        """Start the processes; the first thread that misses a kernel calls this."""
        from dbmsolver.jit.compilation import is_shared

        if not is_shared():
            return
        command = self.command()
        with self._lock:
            if self._over:
                return
            for _ in range(self.processes):
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


def _most_wanted() -> int:
    """Return the number of processes that the environment asks for at most, or MOST."""
    text = os.environ.get(VARIABLE, str(MOST))
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"{VARIABLE} is {quoted(text)}, expected a whole number")
    return int(text)


def compilers_for(
    question: Question,
    deal: Deal,
    options: Options,
    counting: bool = False,
    on_waiting: Callable[[], None] = lambda: None,
) -> AbstractContextManager[None]:
    """Return a context for a search, as :class:`Compilers` describes it.

    The processes compile the kernels of this search, then those of all searches of such games.
    """
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

    def command() -> list[str]:
        from dbmsolver.api.compiling import tasks_for

        bits = code_bits()
        tasks = [task for task in tasks_for([rules]) if task.family == family]
        later = [(family, task.part, bits) for task in tasks if task.part != "play"]
        return python_command(compile_share, later, str(question), method, bits, *hows)

    return Compilers(command, on_waiting)


def compilers_for_check(
    path: Path, on_waiting: Callable[[], None] = lambda: None
) -> AbstractContextManager[None]:
    """Return a context for a check of the store ``path``, as :class:`Compilers` describes it.

    One process compiles the kernels of all checks, and of surveys, of games like that of the store.
    There is none for a store that cannot be read.
    """
    try:
        family = _family_of(path)  # now, as a process opens a store once at a time
    except DbmError:
        return nullcontext()

    def command() -> list[str]:
        from dbmsolver.api.compiling import compile_part

        return python_command(compile_part, family, "play")

    return Compilers(command, on_waiting, most=1)


def _family_of(path: Path) -> Family:
    """Return the family of the game of a store."""
    from dbmsolver.game.shipped import rules_from
    from dbmsolver.storage.store import Store

    with Store.open(path, readonly=True) as store:
        return rules_from(store.manifest.rules).family


def on_compiling(callback: Callable[[], None]) -> None:
    """Call back once, when the first kernel that is not in the cache begins to be compiled."""
    from dbmsolver.jit.compilation import on_first_compilation

    on_first_compilation(callback)


def not_cut_by_compiling(search: Callable[[], Events[Result]]) -> Events[Result]:
    """Run a search, and again as long as some of its time limit goes into compiling kernels."""
    from dbmsolver.search import limits

    return limits.not_cut_by_compiling(search)


def compile_share(later: Iterable[tuple[Family, SearchPart, int]], *search: Any) -> None:
    """Compile the kernels of a search, then those of later ones.

    The main function of a process; several share the work, and leave to each other what one has
    begun. ``search`` are the arguments of :func:`dbmsolver.search.precompile.needed`, ``later``
    those of calls of :func:`dbmsolver.search.precompile.compile_searches`.
    """
    end_with_parent()
    from dbmsolver.search.precompile import compile_needed, compile_searches

    compile_needed(*search)
    for searches in later:
        compile_searches(*searches)
