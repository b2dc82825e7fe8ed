"""The search as a whole: a store is opened, the question put, the answer traced, checked and kept.

:func:`run` and :func:`resume` are generators of events that return a Result. They print nothing.
Both of them are one loop, :func:`_events`: a step of the search, then its events. Limits, signals
and commits are looked at between two steps, and nowhere else (:meth:`_Run.step`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dbmsolver.errors import DiskFullError, InternalError, StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Rules
from dbmsolver.kits.choice import are_wide
from dbmsolver.process import default_memory, processors, reuse_freed_memory
from dbmsolver.results import (
    Event,
    Limit,
    Limits,
    Method,
    Options,
    Question,
    Result,
    Verdict,
)
from dbmsolver.search.answers import keys_of_manifest, result_of
from dbmsolver.search.evidence import check_answer, check_unfinished
from dbmsolver.search.interrupts import held_back
from dbmsolver.search.limits import Cancelled, OutOfBudget
from dbmsolver.search.outcome import (
    Exhausted,
    GoalMet,
    LeftOpen,
    NoneShorter,
    Outcome,
    Search,
    Stopped,
)
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.stages import Stages
from dbmsolver.search.trace import replay
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.manifest import check_same, deal_of, new_manifest
from dbmsolver.storage.store import Store, look
from dbmsolver.temporary import temporary_folder

Events = Generator[Event, Cancelled | None, Result]


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
    return _events(_asked(question, deal, options), limits)


def resume(
    path: Path,
    threads: int | None = None,
    limits: Limits = Limits(),
    cluster: str | None = None,
) -> Events:
    """Continue the search in a store, with its own deal, rules, policy and metric.

    UsageError where a cluster is given for one that cannot be spread.
    """
    return _events(_begun(path, threads, cluster), limits)


Opened = tuple[Store, Deal, Options]
"""The store of a run, its deal, and the options of its search."""


@contextmanager
def _asked(question: Question, deal: Deal, options: Options) -> Iterator[Opened]:
    """Open the store of a question, or create one; without a path it is a temporary one."""
    if options.cluster is not None:
        check_spread(question, deal.rules)
    _check_stored(deal, options)
    if options.store is None:
        with temporary_folder() as base:
            manifest = new_manifest(question, deal, options)
            with Store.create(base, manifest, durable=False) as store:
                yield store, deal, options
        return
    if Store.begun(options.store):
        store = Store.open(options.store)
    else:
        store = Store.create(options.store, new_manifest(question, deal, options))
    with store:
        check_same(store.manifest, question, deal, options, str(options.store))
        yield store, deal, options


@contextmanager
def _begun(path: Path, threads: int | None, cluster: str | None) -> Iterator[Opened]:
    """Open the store of a search that was begun."""
    with Store.open(path) as store:
        deal = deal_of(store.manifest, str(path))
        options = replace(_options(store, threads), cluster=cluster)
        if cluster is not None:
            check_spread(store.manifest.question, deal.rules)
        yield store, deal, options


def _events(opening: AbstractContextManager[Opened], limits: Limits) -> Events:
    """Open a store and search, step by step, until there is a verdict.

    A KeyboardInterrupt takes effect at the end of the current step, and is ignored if that is the
    last one. It commits all finished work and ends the search, and so does closing the generator.
    After any other error nothing more is committed.
    """
    with opening as (store, deal, options):
        _check_evidence(store, deal)
        run = _Run(store, deal, options, limits)
        try:
            while not run.is_over:
                with held_back() as signals:
                    run.step()
                if signals and not run.is_over:
                    raise KeyboardInterrupt
                for event in run.take_events():
                    if (yield event) is not None:
                        run.cancelled = True
        except (KeyboardInterrupt, GeneratorExit):
            with held_back():
                run.leave()
            raise
        finally:
            with held_back():
                run.close()
        return run.result()


def answer(path: Path) -> Result:
    """Return the answer in a store, checked against its records; StoreError if there is none.

    A search for a shortest solution has one as soon as it has a solution.
    """

    def tell(store: Store) -> Result:
        deal = deal_of(store.manifest, str(path))
        if not store.manifest.is_final and store.manifest.path is None:
            raise StoreError(f"not finished; continue with: dbmsolver resume {path}", str(path))
        _check_evidence(store, deal)
        return _Run(store, deal, _options(store, None), Limits()).result()

    return look(path, tell)


def _options(store: Store, threads: int | None) -> Options:
    """Return the options with which the search in a store was begun."""
    manifest = store.manifest
    method = manifest.method
    if method == Method.CLASSES:
        method = Method.DOMINATING  # a proof for any number of passes may still come first
    return Options(
        policy=manifest.policy,
        metric=manifest.metric,
        threads=threads,
        keep=manifest.keep,
        store=store.path,
        method=method,
        any_solution=manifest.any_solution,
    )


def check_spread(question: Question, rules: Rules) -> None:
    """Raise UsageError if a search is of a kind that cannot be spread over a cluster."""
    if question != Question.PROVE:
        raise UsageError(f"{question} is not spread over a cluster, expected prove")
    if not rules.features.has_stores:
        raise UsageError(f"{rules.name} is searched in memory: expected no cluster")


def _check_stored(deal: Deal, options: Options) -> None:
    """Raise UsageError if a store, or what it keeps, is given for a game that has none."""
    if deal.rules.features.has_stores:
        return
    said = f"{deal.rules.name} is searched in memory, and has no store"
    if options.store is not None:
        raise UsageError(f"{said}: leave it out")
    if options.keep != "all":
        raise UsageError(f"{said}: keep {options.keep} says nothing, expected all")


class _Run:
    """One run on one open store."""

    def __init__(self, store: Store, deal: Deal, options: Options, limits: Limits) -> None:
        if not deal.rules.features.has_stores:
            limits = replace(limits, max_disk=None)  # its states are in memory only
        self.store = store
        self.deal = deal
        self.options = options
        self.limits = limits
        self.question = store.manifest.question
        self.keys = keys_of_manifest(store.manifest, deal)
        if not are_wide(self.keys):  # a search in memory has no blocks
            store.check_states = Intake(self.keys)
        threads = options.threads or processors()
        self.is_over = store.manifest.is_final  # it holds the answer already
        begun = self.is_over or store.manifest.phase == "search"
        if not begun:
            # States counted before the search began are no part of it.
            store.manifest = store.manifest.without_counts()
        self.recorder = Recorder(
            store,
            self.question,
            limits,
            resumable=options.store is not None,
            # A search by cost needs its closed states to the end: for the way back and to go on.
            keep_closed=deal.rules.features.has_stores
            and (options.keep == "all" or self.question == Question.SOLVE),
            threads=threads,
        )
        self.moves: tuple[Move, ...] | None = None  # of the solution, once it has been played
        reuse_freed_memory(limits.memory or default_memory())
        self.stages = Stages(deal, self.keys, self.recorder, options, limits, begun)
        self.cancelled = False
        self._searches: Generator[Search, None, None] | None = None
        self._search: Search | None = None  # the one whose turn it is

    def step(self) -> None:
        """Do one step of the search whose turn it is; with its outcome the run may be over.

        This is where limits are looked at, and where it is decided to commit.
        """
        try:
            if self.cancelled:
                self._end(Stopped(Limit.INTERRUPT))
                return
            search = self._search = self._search or self._next_search()
            outcome = self._outcome_of_step(search)
            if outcome is not None:
                self._end(outcome)
                return
            if search.recorder.due():
                self._settle()
                if (commit := search.commit()) is not None:
                    self.recorder.events.append(commit)
            self._report(search)
        except DiskFullError:
            self._give_up()

    def _next_search(self) -> Search:
        """Return the search whose turn it is next."""
        if self._searches is None:
            self._begin()
            self._searches = self.stages.searches()
        search = next(self._searches, None)
        if search is None:
            raise InternalError("the search ended without an outcome")
        return search

    def _outcome_of_step(self, search: Search) -> Outcome | None:
        """Do a step; return the outcome, or the limit that is reached, or None to go on."""
        try:
            outcome = search.step()
        except OutOfBudget:
            return Stopped(Limit.MEMORY)
        if outcome is None and (limit := self.recorder.limits.reached(search.counted)) is not None:
            outcome = Stopped(limit)
        return outcome

    def _end(self, outcome: Outcome) -> None:
        """End the search whose turn it is; the run is over unless that leaves the deal open."""
        if self._search is not None:
            outcome = self._search.end(outcome)
        if isinstance(outcome, LeftOpen):
            assert self._search is not None
            self._search.close()
            self._search = None
        else:
            self._conclude(outcome)
            self.is_over = True

    def _report(self, search: Search) -> None:
        """Report how far the search is, and how long the best solution is."""
        report = search.report()
        best = self.stages.best
        if best is not None and best.length is not None:
            report = replace(report, best=best.length)
        self.recorder.events.append(report)

    def take_events(self) -> list[Event]:
        """Return the events of the last step."""
        events, self.recorder.events = self.recorder.events, []
        return events

    def leave(self) -> None:
        """Commit all finished work: the search is left before it has an outcome."""
        if self._search is None or self.is_over:
            return
        try:
            self._settle()
            self._search.end(Stopped(Limit.INTERRUPT))
        except DiskFullError:
            return  # the store is as it was at the last commit

    def close(self) -> None:
        """End the threads of all searches."""
        if self._search is not None:
            self._search.close()
        if self._searches is not None:
            self._searches.close()
        self.recorder.close()

    def _begin(self) -> None:
        """Put into the store that the search goes on."""
        batch = self.recorder.batch
        batch.cleared.append(b"A")
        batch.deletions += self.recorder.abandoned()
        batch.fields |= {
            "verdict": None,
            "limit": None,
            "any_solution": self.options.any_solution,
        }
        self.recorder.commit(0, 0)

    def _give_up(self) -> None:
        """End without a commit: the disk is full. The manifest in memory says so."""
        self.is_over = True
        self.recorder.statistics.recall(self.store.manifest)
        self.store.manifest = replace(
            self.store.manifest,
            verdict=Verdict.UNDECIDED,
            limit=Limit.DISK_FULL,
            **self._kept(),
        )

    def _conclude(self, outcome: Outcome) -> None:
        """Turn an outcome into a verdict."""
        match outcome:
            case GoalMet():
                assert self._search is not None
                self._solved(self._search)
            case Exhausted():
                self._check_counts()
                if self._kept():
                    raise InternalError("a deal with a solution was found to have none")
                self._commit(Verdict.UNSOLVABLE)
            case NoneShorter():
                self._check_counts()
                self._commit(Verdict.SOLVED, shortest=True, **self._kept())
            case Stopped(limit):
                self._commit(Verdict.UNDECIDED, limit=limit, **self._kept())

    def _kept(self) -> dict[str, Any]:
        """Return the best solution so far as fields of the manifest, nothing if there is none."""
        self._settle()
        best = self.stages.best
        return {} if best is None or best.path is None else best.fields()

    def _settle(self) -> None:
        """Take a solution that was found and not yet taken: the commit that follows stores it."""
        if self.stages.best is not None:
            self.stages.best.settle()

    def _solved(self, search: Search) -> None:
        """Trace the way to the goal, play it, and commit it."""
        steps = search.path()
        if steps is None:
            self._commit(Verdict.SOLVED)
            return
        moves = replay(self.keys, steps)
        length = self.keys.measure.length(moves)
        path = [list(step) for step in steps]
        self._commit(Verdict.SOLVED, path=path, length=length, shortest=search.shortest)
        self.moves = moves

    def _check_counts(self) -> None:
        """Raise InternalError unless every state that was counted is there."""
        recorder, store = self.recorder, self.store
        counted = recorder.statistics.closed
        rows = sum(states + forced for states, forced in recorder.statistics.strata.values())
        stored = counted
        if recorder.keep_closed:
            cleared = b"C" in recorder.batch.cleared
            stored = 0 if cleared else sum(store.states_in(key) for key in store.keys(b"C"))
            stored += sum(ref.block.states for ref in recorder.batch.blocks) + recorder.unwritten
        if not counted == rows == stored:
            for key in store.keys(b"C"):
                store.check_record(key)
            raise InternalError(
                f"internal check failed: {counted} states counted, {rows} by stratum, {stored} kept"
            )

    def _commit(self, verdict: Verdict, **fields: Any) -> None:
        """Commit the verdict. After a final one nothing is pending any more."""
        batch = self.recorder.batch
        if verdict != Verdict.UNDECIDED:
            batch.cleared += [b"P", b"B", b"D"]
            if self.options.keep == "none":
                batch.blocks = []
                self.recorder.clear_closed()
        batch.fields |= {"verdict": verdict, "limit": None, "length": None, **fields}
        try:
            self.recorder.commit(0, 0)
        except DiskFullError:
            if verdict != Verdict.UNSOLVABLE or self.options.store is not None:
                raise
            # The proof is whole in memory, and nobody has asked for a store.
            known = self.recorder.statistics.fields() | batch.fields
            self.store.manifest = replace(self.store.manifest, **known)

    def result(self) -> Result:
        """Return the answer in the manifest as a Result."""
        statistics = self.recorder.statistics
        return result_of(self.store, self.keys, statistics, self.options, self.moves)


def _check_evidence(store: Store, deal: Deal) -> None:
    """Raise StoreError if the records do not bear out the answer, or the best solution so far."""
    if store.manifest.is_final:
        check_answer(store, deal)
    else:
        check_unfinished(store, deal)
