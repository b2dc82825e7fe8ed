"""All shortest solutions of a deal: the search for the length, the sweep, the listing."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import asdict

from dbmsolver.closable import Closable
from dbmsolver.errors import DiskFullError, InternalError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import BUILD_WORDS, MOVES_WORDS, REMOVABLE_WORDS
from dbmsolver.game.measures import measure_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.process import default_memory, processors, reuse_freed_memory
from dbmsolver.results import (
    Event,
    Limit,
    Limits,
    Options,
    Question,
    Report,
    Result,
    SolutionCount,
    Verdict,
)
from dbmsolver.search import session
from dbmsolver.search.interrupts import held_back
from dbmsolver.search.limits import Cancelled, LimitCheck, OutOfBudget, memory_for_arrays
from dbmsolver.search.sequences.listing import Listing, Moves
from dbmsolver.search.sequences.sweep import Sweep
from dbmsolver.search.statistics import Statistics
from dbmsolver.storage.levels import Levels
from dbmsolver.temporary import temporary_folder

FOLDER = "sequences"
"""The directory in that of a store that holds the levels of its sweep."""


class Sequences(Closable):
    """The shortest solutions of a deal, to be used as a context.

    First :meth:`count`, then :meth:`choose`, then :meth:`solutions`. With a store the levels of the
    sweep are kept beside it, and the same calls go on from them. Without ``keep`` they can be
    counted and not told, which takes less disk.
    """

    def __init__(
        self, deal: Deal, options: Options = Options(), limits: Limits = Limits(), keep: bool = True
    ) -> None:
        uncounted = deal.rules.features.uncounted
        if uncounted:
            what = f"{deal.rules.name} has {uncounted}"
            raise UsageError(f"{what}: shortest solutions are counted in games without")
        if deal.rules.has_runs:
            what = f"{MOVES_WORDS[deal.rules.moves]} in {deal.rules.name}"
            raise UsageError(f"{what}: shortest solutions are counted where cards move one by one")
        if deal.rules.two_way:
            takes_back = deal.rules.takes_back
            what = REMOVABLE_WORDS[True] if takes_back else BUILD_WORDS[deal.rules.build]
            text = f"{what} in {deal.rules.name}: shortest solutions are counted where"
            raise UsageError(f"{text} columns are built down, and cards stay home")
        if deal.rules.only_leave:
            how = "all cards go to one pile" if deal.rules.has_pile else "pairs are removed"
            what = f"{how} in {deal.rules.name}"
            raise UsageError(f"{what}: shortest solutions are counted in games with foundations")
        metric = measure_of(deal.rules, options.policy, options.metric).metric
        if metric != "cards":
            raise UsageError(
                f"metric {metric}: shortest solutions are counted in moves of single cards, "
                "expected cards"
            )
        self.deal = deal
        self.options = options
        self.limits = limits
        self.keep = keep or options.store is not None
        self.codec = StateCodec(deal, "none")
        self.limit: Limit | None = None
        self._statistics = Statistics()  # of the search and the sweep together
        self._limit_check = LimitCheck(limits, self._statistics, self._disk)
        self._stack = ExitStack()
        self._levels: Levels | None = None
        self._sweep: Sweep | None = None
        self._listing: Listing | None = None
        self._store_bytes = 0

    def close(self) -> None:
        """Close the store and its levels."""
        self._stack.close()

    def count(self) -> Generator[Event, Cancelled | None, SolutionCount]:
        """Search for the length, and count the solutions of that length.

        A generator of events; Cancelled can be sent to it, and ends it like a limit.
        """
        result = yield from session.run(Question.SOLVE, self.deal, self.options, self.limits)
        self._statistics.peak_memory, self._store_bytes = result.peak_memory, result.disk
        if result.verdict == Verdict.UNSOLVABLE:
            return self._answer(result, 0, None)
        if not result.shortest or result.length is None:
            return self._answer(result, None, result.limit)
        self._sweep = self._begin(result.length)
        yield from self._events(self._sweep)
        count = self._sweep.ways() if self.limit is None else None
        return self._answer(result, count, self.limit)

    def choose(self, most: int | None) -> Generator[Event, Cancelled | None, Limit | None]:
        """Find the states that lead to the goal, for ``most`` solutions at most; all for None.

        The solutions have been counted. Returns the limit that ended it, if one did.
        """
        assert self._sweep is not None
        assert self._levels is not None
        length = self._sweep.length
        memory = memory_for_arrays(self.limits, 1)
        self._listing = Listing(self.codec, length, self._levels, memory, most)
        yield from self._events(self._listing)
        return self.limit

    def solutions(self) -> Iterator[Moves]:
        """Yield the solutions, each as legal moves; :meth:`choose` has ended without a limit."""
        assert self._listing is not None
        return self._listing.solutions()

    def _answer(self, result: Result, count: int | None, limit: Limit | None) -> SolutionCount:
        if count == 0 and result.verdict == Verdict.SOLVED:
            raise InternalError("a deal with a solution was found to have none")
        return SolutionCount(
            result=result,
            count=count,
            limit=limit,
            states=0 if self._sweep is None else self._sweep.states,
            seconds=self._statistics.elapsed,
            peak_memory=self._statistics.peak_memory,
            disk=self._disk(),
        )

    def _begin(self, length: int) -> Sweep:
        """Open the levels of a sweep for solutions of this length."""
        if self.options.store is None:
            path = self._stack.enter_context(temporary_folder())
        else:
            path = self.options.store / FOLDER
        board = format_board(self.deal.position)
        question = json.dumps([board, asdict(self.deal.rules), length], sort_keys=True)
        self._levels = Levels(path, question, durable=self.options.store is not None)
        self._stack.callback(self._levels.close)
        reuse_freed_memory(self.limits.memory or default_memory())
        threads = self.options.threads or processors()
        memory = memory_for_arrays(self.limits, 1)
        return Sweep(self.codec, length, self._levels, threads, memory, self.keep)

    def _events(self, work: Sweep | Listing) -> Generator[Event, Cancelled | None, None]:
        """Do some work step by step until it ends or a limit is reached, and report on it.

        KeyboardInterrupt waits for the end of the step that it falls into.
        """
        try:
            while True:
                with held_back() as signals:
                    if self._step(work):
                        return
                if signals:
                    raise KeyboardInterrupt
                if (yield self._report()) is not None:
                    self.limit = Limit.INTERRUPT
                    return
        finally:
            with held_back():
                work.close()

    def _step(self, work: Sweep | Listing) -> bool:
        """Do a step; return True if it is the last, or a limit is reached."""
        try:
            is_over = work.step()
            if not is_over:
                assert self._sweep is not None
                self.limit = self._limit_check.reached(self._sweep.states)
        except OutOfBudget:
            self.limit = Limit.MEMORY
        except DiskFullError:
            self.limit = Limit.DISK_FULL
        return self.limit is not None or is_over

    def _disk(self) -> int:
        levels = 0 if self._levels is None else self._levels.nbytes
        return levels + (0 if self.options.store is None else self._store_bytes)

    def _report(self) -> Report:
        assert self._sweep is not None
        return Report(
            question=Question.SOLVE,
            phase="count",
            layer=self._sweep.depth,
            states=self._sweep.states,
            evaluated=self._sweep.states,
            memory=self._statistics.memory,
            disk=self._disk(),
            elapsed=self._statistics.elapsed,
            last_layer=self._sweep.length,
        )
