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

from dbmsolver.api.compiling import CODE_BITS, compile_part, tasks_for
from dbmsolver.errors import DbmError, InputError, UsageError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family, Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.rules import Rules
from dbmsolver.process import processors
from dbmsolver.programs import python_command
from dbmsolver.results import Options, Question, method_ahead, method_for
from dbmsolver.signals import end_with_parent

if TYPE_CHECKING:
    from dbmsolver.search.precompile import SearchPart
    from dbmsolver.survey.run import Survey

MOST = 4
"""The most processes: more do not help, as one chain of kernels takes half of the time."""
VARIABLE = "DBMSOLVER_COMPILERS"
"""The environment variable that says how many processes there are at most; 0 for none."""


class Compilers:
    """A context manager: helper processes compile kernels for a search, and for later searches.

    ``command()`` returns the command that each helper runs; at most ``most`` helpers run at once.
    They start when this process first needs a kernel that is not in the cache. If ``elsewhere`` is
    true, the search runs in other processes, and the helpers start when :meth:`start` is called.

    The end of the context waits for helpers that still run, after a call of ``on_waiting``; without
    such helpers there is no call. Ctrl-C during this wait kills the helpers, and is not raised. If
    an exception leaves the context, the helpers are killed without waiting.
    """

    def __init__(
        self,
        command: Callable[[], list[str]],
        on_waiting: Callable[[], None] = lambda: None,
        most: int = MOST,
        elsewhere: bool = False,
    ) -> None:
        """Make the context; UsageError if the environment says no number of processes."""
        self.command = command
        self.on_waiting = on_waiting
        self.elsewhere = elsewhere
        self.processes = min(most, processors(), _most_wanted())
        self._lock = threading.Lock()
        self._over = False
        self._running: list[tuple[subprocess.Popen[bytes], threading.Thread]] = []

    def start(self) -> None:
        """Start the processes, unless they are started: a kernel is missing."""
        from dbmsolver.jit.compilation import is_shared

        if not is_shared():
            return
        command = self.command()
        with self._lock:
            if self._over or self._running:
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

    def __enter__(self) -> None:
        if not self.elsewhere:
            from dbmsolver.jit.compilation import on_first_compilation

            on_first_compilation(self.start)

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
    method = str(method_for(question, deal, options.method))
    family = _family_of(deal.rules, options.policy, options.metric)
    ahead = str(method_ahead(question, deal, options.metric))
    hows = options.any_solution, counting, family, ahead

    def command() -> list[str]:
        bits = _code_bits(deal, options.policy, options.metric)
        later = _searches_of(deal.rules, family, bits)
        return python_command(compile_share, later, str(question), method, bits, *hows)

    return Compilers(command, on_waiting)


def _family_of(rules: Rules, policy: Policy, metric: Metric | None) -> Family:
    """Return the family whose kernels search a game in a metric; UsageError for none of it."""
    usual = measure_of(rules, policy, metric).metric == "cards"
    return rules.family if usual or rules.family not in CODE_BITS else "runs"


def _code_bits(deal: Deal, policy: Policy, metric: Metric | None) -> int:
    """Return the width of a deal's parent-move codes; 16 in families that have one width."""
    if deal.rules.family not in CODE_BITS:
        return 16
    from dbmsolver.kits.states import StateCodec

    return StateCodec(deal, policy, metric).deal_tables.code_bits


def _searches_of(rules: Rules, family: Family, bits: int) -> list[tuple[Family, SearchPart, int]]:
    """Return what :func:`compile_share` needs to know of all searches of such games."""
    return [
        (family, task.part, bits)
        for task in tasks_for([rules])
        if task.family == family and task.part != "play"
    ]


def compilers_to_resume(
    path: Path, on_waiting: Callable[[], None] = lambda: None
) -> AbstractContextManager[None]:
    """Return the context for resuming the search in the store ``path``, as :func:`compilers_for`.

    If the store cannot be read, return a context that does nothing.
    """
    from dbmsolver.storage.manifest import deal_of
    from dbmsolver.storage.store import manifest_of

    try:
        kept = manifest_of(path)
        deal = deal_of(kept, str(path))
    except DbmError:
        return nullcontext()
    options = Options(kept.policy, kept.metric, method=kept.method, any_solution=kept.any_solution)
    return compilers_for(kept.question, deal, options, on_waiting=on_waiting)


def compilers_for_survey(survey: Survey, on_waiting: Callable[[], None]) -> Compilers:
    """Return a context for a survey, as :class:`Compilers` describes it.

    Its helpers compile every kernel that a search of the survey's games may need, but of games
    whose rules deal no numbers. Call the context's ``start`` when a worker of the survey begins to
    compile.
    """

    def command() -> list[str]:
        policy, metric = survey.question.policy, survey.question.metric
        later: dict[tuple[Family, SearchPart, int], None] = {}
        for rules in survey.games:
            with suppress(InputError):  # some rules say nothing of how a number is dealt
                bits = _code_bits(Deal.from_number(1, rules), policy, metric)
                family = _family_of(rules, policy, metric)
                later |= dict.fromkeys(_searches_of(rules, family, bits))
        return python_command(compile_share, [*later])

    return Compilers(command, on_waiting, elsewhere=True)


def compilers_for_check(
    path: Path, on_waiting: Callable[[], None] = lambda: None
) -> AbstractContextManager[None]:
    """Return a context for a check of the store ``path``, as :class:`Compilers` describes it.

    One process compiles the kernels of all checks, and of surveys, of games like that of the store.
    If the store cannot be read, return a context that does nothing.
    """
    from dbmsolver.game.shipped import rules_from
    from dbmsolver.storage.store import manifest_of

    try:  # now, as a process opens a store once at a time
        family = rules_from(manifest_of(path).rules).family
    except DbmError:
        return nullcontext()

    def command() -> list[str]:
        return python_command(compile_part, family, "play")

    return Compilers(command, on_waiting, most=1)


def on_compiling(callback: Callable[[], None]) -> None:
    """Call back once, when the first kernel that is not in the cache begins to be compiled."""
    from dbmsolver.jit.compilation import on_first_compilation

    on_first_compilation(callback)


def compile_share(later: Iterable[tuple[Family, SearchPart, int]], *search: Any) -> None:
    """Compile the kernels of a search, if there is one, then those of later ones.

    The main function of a process; several share the work, and leave to each other what one has
    begun. ``search`` are the arguments of :func:`dbmsolver.search.precompile.needed`, ``later``
    those of calls of :func:`dbmsolver.search.precompile.compile_searches`.
    """
    end_with_parent()
    from dbmsolver.search.precompile import compile_needed, compile_searches

    if search:
        compile_needed(*search)
    for searches in later:
        compile_searches(*searches)
