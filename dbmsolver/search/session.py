"""The search as a whole: a store is opened, the question put, the answer traced, checked and kept.

:func:`run` and :func:`resume` are generators of reports that return a Result.  They print nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbmsolver.errors import DiskFullError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.process import default_memory, return_freed_memory
from dbmsolver.record_state import RecordKeys, keys_of
from dbmsolver.results import (
    Commit,
    Limit,
    Limits,
    Options,
    Question,
    Report,
    Result,
    Verdict,
)
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.evidence import check_answer
from dbmsolver.search.interrupts import interruptible
from dbmsolver.search.journal import Journal, LimitReached
from dbmsolver.search.proof.dives import SCHEDULE, Dived, Dives, blocks_of
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.proof.record_trace import RecordFinder, moves_along
from dbmsolver.search.proof.strata import GoalReached, ProofSearch
from dbmsolver.search.proof.worker import WorkResult
from dbmsolver.search.tallies import NOTHING
from dbmsolver.search.trace import Finder, Step, replay, steps_of, steps_to
from dbmsolver.state import State
from dbmsolver.storage.blocks import encode_block
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.manifest import check_same, deal_of, new_manifest
from dbmsolver.storage.store import Store, look
from dbmsolver.storage.transaction import Transaction


class Cancelled(LimitReached):
    """Sent to a search between two of its steps, it ends the search as a limit does."""

    def __init__(self) -> None:
        super().__init__(Limit.INTERRUPT)


Events = Generator[Report | Commit, Cancelled | None, Result]

LOOK_AHEAD_STATES = 400_000
"""States that a proof looks at on its way towards the goal before it exhausts from below."""
LOOK_AHEAD_WEIGHT = 5
_SCRATCH = 96 << 20
"""Memory of a thread's scratch arrays, outside the budget's shares."""


def run(
    question: Question, deal: Deal, options: Options = Options(), limits: Limits = Limits()
) -> Events:
    """Search a deal: ``solve`` for a shortest solution, ``prove`` for a proof that there is none, or a solution.

    A store in ``options.store`` that holds an unfinished run of the same search is continued, a finished one answers
    at once; one of another search raises StoreError.  Without a store a temporary one is used and removed.
    """
    if options.store is None:
        with tempfile.TemporaryDirectory(prefix="dbmsolver-") as base:
            manifest = new_manifest(question, deal, options)
            with Store.create(Path(base), manifest, durable=False) as store:
                return (yield from _search(store, deal, options, limits))
    if Store.begun(options.store):
        store = Store.open(options.store)
    else:
        store = Store.create(options.store, new_manifest(question, deal, options))
    with store:
        check_same(store.manifest, question, deal, options, str(options.store))
        return (yield from _search(store, deal, options, limits))


def resume(path: Path, threads: int | None = None, limits: Limits = Limits()) -> Events:
    """Continue the search in a store, with its own deal, rules, policy and metric."""
    with Store.open(path) as store:
        deal = deal_of(store.manifest, str(path))
        return (yield from _search(store, deal, _options(store, threads), limits))


def answer(path: Path) -> Result:
    """The answer of the finished search in a store, checked against its records; StoreError if there is none."""

    def tell(store: Store) -> Result:
        deal = deal_of(store.manifest, str(path))
        if not store.manifest.is_final:
            raise StoreError(f"not finished; continue with: dbmsolver resume {path}", str(path))
        check_answer(store, deal)
        return _Run(store, deal, _options(store, None), Limits()).result()

    return look(path, tell)


def _options(store: Store, threads: int | None) -> Options:
    """How the search in a store was begun."""
    manifest = store.manifest
    return Options(
        policy=manifest.policy,
        metric=manifest.metric,
        threads=threads,
        keep=manifest.keep,
        store=store.path,
    )


def default_threads() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0))


class _Run:
    """One run on one open store."""

    def __init__(self, store: Store, deal: Deal, options: Options, limits: Limits) -> None:
        self.store = store
        self.deal = deal
        self.options = options
        self.limits = limits
        self.question = store.manifest.question
        self.keys = keys_of(deal, options.policy, store.manifest.method)
        store.check_states = Intake(self.keys)
        self.threads = options.threads or default_threads()
        self.begun = self.answered or store.manifest.phase == "search"
        if (
            not self.begun
        ):  # what a look ahead counted before it was cut short is no part of the search
            store.manifest = store.manifest.without_counts()
        # Layers need their closed states to the end, for the way back and to be continued.
        keep_closed = options.keep == "all" or self.question == Question.SOLVE
        self.journal = Journal(
            store,
            self.question,
            limits,
            resumable=options.store is not None,
            keep_closed=keep_closed,
            threads=self.threads,
        )
        return_freed_memory()
        memory = limits.memory or default_memory()
        # The rest is for what comes and goes: blocks being packed, tables being rebuilt.
        self.memory = max(memory * 3 // 4 - self.threads * _SCRATCH, memory // 3)

    @property
    def answered(self) -> bool:
        """Whether the store holds the answer already."""
        return self.store.manifest.is_final

    def events(self) -> Generator[Report | Commit, None, None]:
        """Search until there is a verdict, and put it into the manifest."""
        store = self.store
        if self.answered:
            return
        try:
            abandoned = self.journal.abandoned()

            def clear(txn: Transaction) -> None:
                txn.delete_all(b"A")
                for key in abandoned:
                    txn.delete(key)

            self.journal.commit(0, 0, extra=clear, verdict=None, limit=None)
            if self.question == Question.SOLVE:
                yield from self._solve()
            else:
                yield from self._prove()
        except LimitReached as reached:
            self._conclude(Verdict.UNDECIDED, limit=reached.limit)
        except DiskFullError:
            self.journal.recall()
            store.manifest = replace(
                store.manifest, verdict=Verdict.UNDECIDED, limit=Limit.DISK_FULL
            )

    def _begin(self) -> None:
        """Make the deal itself pending, and say that the search has begun, in one transaction."""
        root = initial_candidates(self.keys)

        def put(txn: Transaction) -> None:
            txn.delete_all(b"A")
            txn.put_pending(0, root.stratum, encode_block(root.sort()))

        self.journal.commit(0, 0, extra=put, phase="search", waiting=root.tally.to_json(), known=1)
        self.begun = True

    def _solve(self) -> Generator[Report | Commit, None, None]:
        if not self.begun:
            self._begin()
        search = AStarSearch(self.keys, self.journal, self.threads, self.memory)
        yield from search.run()
        if search.goal is None:
            self._unsolvable()
        else:
            finder = Finder(self.store, self.keys)
            self._solved(finder, search.goal[1], shortest=True)

    def _prove(self) -> Generator[Report | Commit, None, None]:
        if not self.begun:
            look = self._dive() if isinstance(self.keys, RecordKeys) else self._look_ahead()
            decided = yield from look
            if decided:
                return
            self._begin()
        search = ProofSearch(self.keys, self.journal, self.threads, self.memory)
        try:
            yield from search.run()
        except GoalReached as reached:
            if self.options.keep == "none":
                self._conclude(Verdict.SOLVED)
            else:
                self._met_goal(reached.code)
            return
        self._unsolvable()

    def _met_goal(self, code: int) -> None:
        """Trace the way to the goal, met by a proof with this parent code."""
        if isinstance(self.keys, RecordKeys):
            goal = State(self.keys.goal, 0, 0, 0)
            path = RecordFinder(self.store, self.keys).path(goal, code)
            self._conclude_with(moves_along(self.keys, path))
        else:
            self._solved(Finder(self.store, self.keys), code, shortest=False)

    def _dive(self) -> Generator[Report | Commit, None, bool]:
        """Dives in memory before the search on disk; whether they decide the deal."""
        keys, journal = self.keys, self.journal
        assert isinstance(keys, RecordKeys)
        dives = Dives(keys, min(self.threads, 2), self.memory // 4, self.limits.max_states)
        running = dives.run(keys.root)
        while True:
            try:
                next(running)
            except StopIteration as end:
                dived: Dived = end.value
                break
            journal.check_limits()
            report = journal.report(layer=None, stratum=0, last_stratum=0, pending=0)
            number, found = dives.progress()
            yield replace(report, phase="dive", dive=(number, len(SCHEDULE)), states=found)
        if dived.outcome == "won":
            journal.states = journal.evaluated = dives.expanded
            self._conclude_with(moves_along(keys, dived.path))
        elif dived.outcome == "exhausted":
            for stratum, runs in blocks_of(keys, dived):
                result = WorkResult()
                result.add_closed(keys.tables, runs, stratum, 0)
                journal.count(0, stratum, result.states, 0, result.digest)
                journal.add_closed(result.closed)
            self._conclude(
                Verdict.UNSOLVABLE, phase="search", waiting=NOTHING.to_json(), known=journal.states
            )
        return dived.outcome != "open"

    def _unsolvable(self) -> None:
        """Commit that verdict, if every state that was counted is there."""
        journal, store = self.journal, self.store
        counted = journal.states + journal.forced
        rows = sum(states + forced for states, forced in journal.strata.values())
        stored = counted
        if journal.keep_closed:
            stored = sum(store.states_in(key) for key in store.keys(b"C"))
        if not counted == rows == stored:
            raise InternalError(
                f"the books do not balance: {counted} states counted, {rows} by stratum, {stored} stored"
            )
        self._conclude(Verdict.UNSOLVABLE)

    def _look_ahead(self) -> Generator[Report | Commit, None, bool]:
        """A hasty, bounded search towards the goal; whether it got there."""
        journal = Journal(
            self.store,
            self.question,
            replace(self.limits, max_states=None),  # of the proof, see ``effort``
            resumable=False,
            keep_closed=True,
        )
        most = self.limits.max_states
        hasty = AStarSearch(
            self.keys,
            journal,
            self.threads,
            self.memory,
            weight=LOOK_AHEAD_WEIGHT,
            kind=b"A",
            effort=LOOK_AHEAD_STATES if most is None else min(LOOK_AHEAD_STATES, most),
        )
        try:
            yield from hasty.run()
        except LimitReached as reached:
            if reached.limit != Limit.MEMORY:
                raise
        finally:
            self.journal.peak_memory = max(self.journal.peak_memory, journal.peak_memory)
        if hasty.goal is None:
            return False
        self.journal.states, self.journal.forced = journal.states, journal.forced
        self.journal.evaluated = journal.evaluated
        self._solved(Finder(self.store, self.keys, b"A"), hasty.goal[1], shortest=False)
        return True

    def _conclude_with(self, moves: Sequence[Move]) -> None:
        """Commit a solution that is not known to be shortest."""
        steps = steps_of(self.keys, moves)
        replay(self.keys, steps, self._forced)
        self._conclude(Verdict.SOLVED, path=[list(step) for step in steps], shortest=False)

    def _solved(self, finder: Finder, code: int, *, shortest: bool) -> None:
        steps = steps_to(finder, State(self.keys.goal, 0, 0, 0), code)
        assert steps is not None
        replay(self.keys, steps, self._forced)
        self._conclude(Verdict.SOLVED, path=[list(step) for step in steps], shortest=shortest)

    def _conclude(self, verdict: Verdict, limit: Limit | None = None, **more: Any) -> None:
        """Commit the verdict; where it is final, nothing is pending any more."""
        needless = [b"P", b"B", b"D"] if verdict != Verdict.UNDECIDED else []
        if needless and self.options.keep == "none":
            needless.append(b"C")

        def clear(txn: Transaction) -> None:
            for kind in needless:
                txn.delete_all(kind)

        path = more.get("path")
        length = len(path) if path is not None else None
        self.journal.commit(0, 0, extra=clear, verdict=verdict, limit=limit, length=length, **more)

    def _forced(self, position: Any) -> Any:
        return position.forced(self.deal.rules, self.options.policy)

    def result(self) -> Result:
        """What the manifest says, as a Result."""
        manifest = self.store.manifest
        steps: list[Step] = [(card, place) for card, place in manifest.path or []]
        verdict = manifest.verdict
        assert verdict is not None
        # How much of the layer that holds the goal is closed depends on threads and memory; the
        # layers below are whole, and the same for every run.
        whole = manifest.length if manifest.shortest else None
        strata = tuple(
            (layer, stratum, states, forced)
            for (layer, stratum), (states, forced) in sorted(self.journal.strata.items())
            if whole is None or layer < whole
        )
        return Result(
            question=self.question,
            deal=self.deal,
            policy=self.options.policy,
            metric=self.options.metric,
            verdict=verdict,
            limit=manifest.limit,
            shortest=manifest.shortest,
            moves=replay(self.keys, steps, self._forced) if steps else (),
            states=sum(row[2] for row in strata),
            forced=sum(row[3] for row in strata),
            evaluated=self.journal.evaluated,
            seconds=self.journal.elapsed if verdict == Verdict.UNDECIDED else manifest.seconds,
            peak_memory=self.journal.peak_memory,
            disk=self.store.size(),
            digest=None if verdict == Verdict.SOLVED else f"{self.journal.digest:016x}",
            store=self.options.store,
            method=self.keys.method,
            strata=strata,
        )


def _search(store: Store, deal: Deal, options: Options, limits: Limits) -> Events:
    if store.manifest.is_final:
        check_answer(store, deal)
    run = _Run(store, deal, options, limits)
    yield from interruptible(run.events())
    if store.manifest.verdict is None:
        raise StoreError("the search ended without a verdict", str(store.path))
    return run.result()
