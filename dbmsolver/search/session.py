"""The search as a whole: a store is opened, the question put, the answer traced, checked and kept.

:func:`run` and :func:`resume` are generators of reports that return a Result.  They print nothing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dbmsolver.errors import DiskFullError, InternalError, StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.keys.choice import AnyKeys
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.keys.piles import PileKeys
from dbmsolver.keys.records import RecordKeys
from dbmsolver.keys.states import StateCodec
from dbmsolver.process import default_memory, return_freed_memory
from dbmsolver.results import (
    Event,
    Limit,
    Limits,
    Options,
    Question,
    Result,
    Verdict,
)
from dbmsolver.search.answers import keys_of_manifest, result_of
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.evidence import check_answer, check_unfinished
from dbmsolver.search.interrupts import interruptible
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, NoneShorter, Outcome, Search, Stopped
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import replay
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.manifest import check_same, deal_of, new_manifest
from dbmsolver.storage.patience_blocks import PatienceIntake
from dbmsolver.storage.pile_blocks import PileIntake
from dbmsolver.storage.store import Store, look

if TYPE_CHECKING:
    from dbmsolver.clusters import Connection
    from dbmsolver.search.improve.best import Best
    from dbmsolver.search.proof.crew import Crew

Events = Generator[Event, Cancelled | None, Result]

SCRATCH = 96 << 20
"""Memory of a thread's scratch arrays, outside the budget's shares."""


def run(
    question: Question, deal: Deal, options: Options = Options(), limits: Limits = Limits()
) -> Events:
    """Search a deal for a shortest solution, or for a proof that there is none.

    ``solve`` asks for the former; ``prove`` for the latter, or any solution.

    A store in ``options.store`` that holds an unfinished run of the same search is continued, a
    finished one answers at once; one of another search raises StoreError. Without a store a
    temporary one is used and removed.

    UsageError where a cluster is given for a game that is not searched by one.
    """
    if options.cluster is not None and deal.rules.is_patience:
        text = f"{deal.rules.name} is not spread over a cluster"
        raise UsageError(f"{text}, expected a game with every card in sight and no stock")
    if options.cluster is not None and deal.rules.has_pile:
        text = f"all cards go to one pile in {deal.rules.name}: that is not spread over a cluster"
        raise UsageError(f"{text}, expected a game with foundations")
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
    """The answer in a store, checked against its records; StoreError if there is none.

    A search for a shortest solution has one as soon as it has a solution.
    """

    def tell(store: Store) -> Result:
        deal = deal_of(store.manifest, str(path))
        if not store.manifest.has_answer:
            raise StoreError(f"not finished; continue with: dbmsolver resume {path}", str(path))
        _check_evidence(store, deal)
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
        any_solution=manifest.any_solution,
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
        self.keys = keys_of_manifest(store.manifest, deal)
        store.check_states = _intake(self.keys)
        self.threads = options.threads or default_threads()
        self.best: Best[Any] | None = None
        self.begun = self.answered or store.manifest.phase == "search"
        if not self.begun:
            # What was counted before the search began is no part of it.
            store.manifest = store.manifest.without_counts()
        self.recorder = Recorder(
            store,
            self.question,
            limits,
            resumable=options.store is not None,
            # A search by cost needs its closed states to the end: for the way back and to go on.
            keep_closed=options.keep == "all" or self.question == Question.SOLVE,
            threads=self.threads,
        )
        return_freed_memory()
        memory = limits.memory or default_memory()
        # The rest is for what comes and goes: blocks being packed, tables being rebuilt.
        crew = 1 if isinstance(self.keys, PileKeys | PatienceKeys) else self.threads
        self.memory = max(memory * 3 // 4 - crew * SCRATCH, memory // 3)

    @property
    def answered(self) -> bool:
        """Whether the store holds the answer already."""
        return self.store.manifest.is_final

    def events(self) -> Generator[Event, None, None]:
        """Search until there is a verdict, and put it into the manifest."""
        if self.answered:
            return
        try:
            yield from self._decide()
        except DiskFullError:
            self.recorder.statistics.recall(self.store.manifest)
            self.store.manifest = replace(
                self.store.manifest,
                verdict=Verdict.UNDECIDED,
                limit=Limit.DISK_FULL,
                **self._kept(),
            )

    def _decide(self) -> Generator[Event, None, None]:
        """One search after the other until one of them has an outcome."""
        batch = self.recorder.batch
        batch.cleared.append(b"A")
        batch.deletions += self.recorder.abandoned()
        batch.fields |= {
            "verdict": None,
            "limit": None,
            "any_solution": self.options.any_solution,
        }
        self.recorder.commit(0, 0)
        with closing(self._searches()) as searches:
            for search in searches:
                outcome = yield from search.run()
                if outcome != Stopped():
                    self._end(search, outcome)
                    return
        raise InternalError("the search ended without an outcome")

    def _searches(self) -> Generator[Search, None, None]:
        """The searches that may decide the deal, the last of them for certain.

        Each is imported when its turn comes: loading the kernels of all of them takes longer than
        an easy deal.
        """
        if isinstance(self.keys, PileKeys):
            return self._piling(self.keys)
        if isinstance(self.keys, PatienceKeys):
            return self._turning(self.keys)
        if self.question == Question.SOLVE:
            return self._solving(self.keys)
        return self._proving(self.keys)

    def _piling(self, keys: PileKeys) -> Generator[Search, None, None]:
        """The searches of a game of one pile.

        Dives come first where the solution that they find ends the search, or is asked for.
        """
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.pile.dives import PileDives
        from dbmsolver.search.pile.search import PileSearch

        best = Best(keys, self.recorder) if self.question == Question.SOLVE else None
        self.best = best
        all_alike = best is None or not self.deal.position.stock
        if not self.begun and (all_alike or self.options.any_solution):
            yield PileDives(keys, self.recorder, self.limits, self.memory, best)
        if not self.begun:
            self._begin()
        yield PileSearch(keys, self.recorder, self.memory, best)

    def _turning(self, keys: PatienceKeys) -> Generator[Search, None, None]:
        """The searches of Klondike and its relatives."""
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.patience.dives import PatienceDives
        from dbmsolver.search.patience.search import PatienceSearch

        best = Best(keys, self.recorder) if self.question == Question.SOLVE else None
        self.best = best
        if not self.begun and (best is None or self.options.any_solution):
            yield PatienceDives(keys, self.recorder, self.limits, self.memory, best)
        if not self.begun:
            self._begin()
        yield PatienceSearch(keys, self.recorder, self.memory, best)

    def _proving(self, keys: StateCodec) -> Generator[Search, None, None]:
        """The searches for whether there is a solution."""
        recorder, threads = self.recorder, self.threads
        with ExitStack() as stack:
            connection = None
            if self.options.cluster is not None:
                from dbmsolver.clusters import Connection

                # First of all: whether there is a cluster is known before anything takes long.
                connection = Connection(self.options.cluster, self.options.threads)
                stack.callback(connection.close)
            if not self.begun:
                if isinstance(keys, RecordKeys):
                    from dbmsolver.search.proof.dive_ahead import DiveAhead

                    yield DiveAhead(keys, recorder, self.limits, threads, self.memory // 4)
                elif keys.rules.has_runs:
                    from dbmsolver.search.improve.beam_ahead import BeamAhead

                    yield BeamAhead(keys, recorder, self.limits, self.memory // 4)
                else:
                    from dbmsolver.search.astar.look_ahead import LookAhead

                    yield LookAhead(keys, recorder, self.limits, threads, self.memory)
                self._begin()
            from dbmsolver.search.proof.strata import ProofSearch

            crew = self._crew(keys, connection)
            stack.callback(crew.close)
            yield ProofSearch(keys, recorder, crew, threads, self.memory)

    def _crew(self, keys: StateCodec, connection: Connection | None) -> Crew:
        """Those who close signatures."""
        if connection is None:
            from dbmsolver.search.proof.crew import Threads

            return Threads(keys, self.threads)
        from dbmsolver.search.proof.cluster_crew import ClusterCrew
        from dbmsolver.search.proof.orders import Proof

        proof = Proof(self.deal, self.options.policy, keys.method)
        return ClusterCrew(proof, connection, self.limits.memory or default_memory())

    def _solving(self, keys: StateCodec) -> Generator[Search, None, None]:
        """The searches for a shortest solution."""
        from dbmsolver.search.astar.layers import AStarSearch
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.improve.shortest import ShortestBelow

        memory, improver = self.memory, None
        self.best = best = Best(keys, self.recorder)
        if self.options.any_solution:
            from dbmsolver.search.improve.ahead import AnyAhead
            from dbmsolver.search.improve.improver import Improver

            # Beams are made in a quarter of the memory, between the rounds of the other search.
            improver = Improver(best, memory // 4, self.limits.max_states)
            memory -= memory // 4
            yield AnyAhead(best, self.recorder, self.limits, self.threads, self.memory // 4)
        if not self.begun:
            self._begin()
        search = AStarSearch(keys, self.recorder, self.threads, memory)
        yield ShortestBelow(search, best, improver)

    def _begin(self) -> None:
        """Make the deal itself pending, and say that the search has begun, in one transaction.

        No store says "search" before the deal is pending in it, so none is ever incomplete.
        """
        if isinstance(self.keys, PileKeys):
            from dbmsolver.search.pile.search import root_record

            record, tally = root_record(self.keys)
        elif isinstance(self.keys, PatienceKeys):
            from dbmsolver.search.patience.search import root_record as root_of_patience

            record, tally = root_of_patience(self.keys)
        else:
            root = initial_candidates(self.keys)
            record, tally = NewRecord(0, root.stratum, root.pack()), root.tally
        batch = self.recorder.batch
        batch.cleared.append(b"A")
        batch.pending = [record]
        batch.fields |= {"phase": "search", "waiting": tally.to_json(), "known": 1}
        self.recorder.commit(0, 0)
        self.begun = True

    def _end(self, search: Search, outcome: Outcome) -> None:
        """Turn an outcome into a verdict."""
        match outcome:
            case GoalMet():
                self._solved(search, outcome)
            case Exhausted():
                self._check_counts()
                if self._kept():
                    raise InternalError("a deal with a solution was found to have none")
                self._conclude(Verdict.UNSOLVABLE)
            case NoneShorter():
                self._check_counts()
                self._conclude(Verdict.SOLVED, shortest=True, **self._kept())
            case Stopped(limit):
                self._conclude(Verdict.UNDECIDED, limit=limit, **self._kept())

    def _kept(self) -> dict[str, Any]:
        """The best solution so far as fields of the manifest, nothing if there is none."""
        return {} if self.best is None or self.best.path is None else self.best.fields()

    def _solved(self, search: Search, goal: GoalMet) -> None:
        """Trace the way to the goal, play it, and commit it."""
        steps = search.path(goal)
        if steps is None:
            self._conclude(Verdict.SOLVED)
            return
        moves = replay(self.keys, steps)
        length = self.keys.measure.length(moves)
        path = [list(step) for step in steps]
        self._conclude(Verdict.SOLVED, path=path, length=length, shortest=search.shortest)

    def _check_counts(self) -> None:
        """InternalError unless every state that was counted is there."""
        recorder, store = self.recorder, self.store
        counted = recorder.statistics.closed
        rows = sum(states + forced for states, forced in recorder.statistics.strata.values())
        stored = counted
        if recorder.keep_closed:
            cleared = b"C" in recorder.batch.cleared
            stored = 0 if cleared else sum(store.states_in(key) for key in store.keys(b"C"))
            stored += sum(ref.block.states for ref in recorder.batch.blocks)
        if not counted == rows == stored:
            for key in store.keys(b"C"):
                store.check_record(key)
            raise InternalError(
                f"the books do not balance: {counted} states counted, {rows} by stratum, "
                f"{stored} stored"
            )

    def _conclude(self, verdict: Verdict, **fields: Any) -> None:
        """Commit the verdict. After a final one nothing is pending any more."""
        batch = self.recorder.batch
        if verdict != Verdict.UNDECIDED:
            batch.cleared += [b"P", b"B", b"D"]
            if self.options.keep == "none":
                batch.blocks = []
                batch.cleared.append(b"C")
        batch.fields |= {"verdict": verdict, "limit": None, "length": None, **fields}
        self.recorder.commit(0, 0)

    def result(self) -> Result:
        """What the manifest says, as a Result."""
        return result_of(self.store, self.keys, self.recorder.statistics, self.options)


def _intake(keys: AnyKeys) -> Callable[[bytes, Runs, str], None]:
    """What checks the blocks of a store before they are worked with."""
    if isinstance(keys, PileKeys):
        return PileIntake(keys)
    return PatienceIntake(keys) if isinstance(keys, PatienceKeys) else Intake(keys)


def _check_evidence(store: Store, deal: Deal) -> None:
    """StoreError if the records do not bear out the answer, or the best solution so far."""
    if store.manifest.is_final:
        check_answer(store, deal)
    else:
        check_unfinished(store, deal)


def _search(store: Store, deal: Deal, options: Options, limits: Limits) -> Events:
    _check_evidence(store, deal)
    run = _Run(store, deal, options, limits)
    yield from interruptible(run.events())
    if store.manifest.verdict is None:
        raise StoreError("the search ended without a verdict", str(store.path))
    return run.result()
