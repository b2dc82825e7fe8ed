"""The searches that may decide a deal, one after the other, and the beginning of the last of them.

Each is imported when its turn comes: loading the kernels of all of them takes longer than an easy
deal.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dbmsolver.game.classes import is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.kits.choice import (
    AnyKeys,
    CoveringKeys,
    are_covering,
    are_leaving,
    are_of_patience,
    are_wide,
    keys_of,
)
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.process import default_memory
from dbmsolver.results import Bound, Limits, Method, Options, Question, method_ahead
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.ledger import NOTHING
from dbmsolver.search.limits import memory_for_arrays
from dbmsolver.search.outcome import Search
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.records import layer_and_stratum

if TYPE_CHECKING:
    from dbmsolver.clusters import Connection
    from dbmsolver.kits.klondike.keys import PatienceKeys
    from dbmsolver.kits.leaving import LeavingKeys
    from dbmsolver.kits.wide.keys import WideKeys
    from dbmsolver.search.improve.best import Best
    from dbmsolver.search.improve.shortest import ShortestBelow
    from dbmsolver.search.proof.dives import Schedule
    from dbmsolver.search.proof.workers import Workers


class Stages:
    """The searches of one run.

    ``begun`` is true if the last of them was begun in an earlier run. The others are over then.
    """

    def __init__(
        self,
        deal: Deal,
        keys: AnyKeys,
        recorder: Recorder,
        options: Options,
        limits: Limits,
        begun: bool,
    ) -> None:
        self.deal = deal
        self.keys = keys
        self.recorder = recorder
        self.options = options
        self.limits = limits
        self.begun = begun
        self.question = recorder.question
        self.threads = recorder.threads
        self.best: Best[Any] | None = None
        self.memory = memory_for_arrays(limits, 1 if are_wide(keys) else self.threads)

    def searches(self) -> Generator[Search, None, None]:
        """Return the searches that may decide the deal, the last of them for certain."""
        if are_leaving(self.keys):
            return self._leaving(self.keys)
        if are_wide(self.keys):
            return self._wide(self.keys)
        if self.question == Question.PROVE:
            return self._proving(self.keys)
        return self._solving(self.keys)

    def _leaving(self, keys: LeavingKeys) -> Generator[Search, None, None]:
        """Yield the searches of a game whose cards only leave.

        Dives come first where the solution that they find ends the search, or is asked for.
        """
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.improve.leaving_dives import LeavingDives

        best = Best(keys, self.recorder) if self.question == Question.SOLVE else None
        self.best = best
        all_alike = best is None or not self.deal.position.stock
        with ExitStack() as stack:
            connection = self._connection(stack)
            if not self.begun and (all_alike or self.options.any_solution):
                yield LeavingDives(keys, self.recorder, self.limits, self.memory, best)
            if not self.begun:
                self._begin()
            from dbmsolver.search.proof.strata import ProofSearch

            workers = self._workers(keys, connection, stack)
            yield ProofSearch(keys, self.recorder, workers, self.threads, self.memory, best)

    def _wide(self, keys: WideKeys) -> Generator[Search, None, None]:
        """Yield the searches of Spider and its kin, which are all in memory.

        The last of the dives has all the memory, and is a proof where it meets every state.
        """
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.wide.dives import WideDives
        from dbmsolver.search.wide.layers import WideLayers

        best = Best(keys, self.recorder) if self.question == Question.SOLVE else None
        self.best = best
        if best is None or self.options.any_solution:
            yield WideDives(keys, self.recorder, self.limits, self.memory, best)
        if best is not None:
            yield WideLayers(keys, self.recorder, self.limits, self.memory, best)

    def _proving(self, keys: StateCodec) -> Generator[Search, None, None]:
        """Yield the searches that tell whether there is a solution."""
        recorder, threads = self.recorder, self.threads
        with ExitStack() as stack:
            connection = self._connection(stack)
            if not self.begun:
                if are_covering(keys):
                    from dbmsolver.search.proof.dive_ahead import DiveAhead

                    wanted = self.options.method
                    if wanted != Method.CLASSES_ANY_PASSES:
                        yield DiveAhead(keys, recorder, self.limits, threads, self.memory // 4)
                    if keys.method == Method.CLASSES != wanted and keys.rules.passes:
                        yield self._any_passes_ahead(wanted == Method.CLASSES_ANY_PASSES)
                else:
                    yield self._ahead_of_positions(keys)
                self._begin()
            from dbmsolver.search.improve.beside_proof import BesideProof

            workers = self._workers(keys, connection, stack)
            yield BesideProof(keys, recorder, workers, threads, self.memory)

    def _ahead_of_positions(self, keys: StateCodec) -> Search:
        """Return the search that precedes a proof over positions: beams, or a look ahead."""
        from dbmsolver.search.improve.beams_ahead import BeamsAhead, shapes_ahead

        if shapes_ahead(keys.rules) is not None:
            return BeamsAhead(keys, self.recorder, self.limits, self.memory)
        from dbmsolver.search.astar.look_ahead import LookAhead

        return LookAhead(keys, self.recorder, self.limits, self.threads, self.memory)

    def _any_passes_ahead(self, needed: bool) -> Search:
        """Return the dives that test whether the deal can be won with any number of passes.

        Their classes do not say how many passes are left, so there are fewer classes. If the dives
        close all of them and none is won, the deal cannot be won. A win proves nothing: it may need
        more passes than the rules allow. ``needed``: see `UncountedDives`.
        """
        from dbmsolver.search.proof.dive_ahead import UncountedDives

        keys = keys_of(self.deal, self.recorder.policy, Method.CLASSES_ANY_PASSES)
        assert are_covering(keys)
        return UncountedDives(
            keys, self.recorder, self.limits, self.threads, self.memory // 2, needed=needed
        )

    def _connection(self, stack: ExitStack) -> Connection | None:
        """Return the connection to a cluster, which the stack closes; None without one.

        It comes first of all: whether there is a cluster is known before anything takes long.
        """
        if self.options.cluster is None:
            return None
        from dbmsolver.clusters import Connection

        connection = Connection(self.options.cluster, self.options.threads)
        stack.callback(connection.close)
        return connection

    def _workers(
        self, keys: StateCodec, connection: Connection | None, stack: ExitStack
    ) -> Workers:
        """Return the workers that close signatures; the stack ends them."""
        workers: Workers
        if connection is None:
            from dbmsolver.search.proof.workers import Threads

            workers = Threads(keys, self.threads)
        else:
            from dbmsolver.search.proof.cluster_workers import ClusterWorkers
            from dbmsolver.search.proof.orders import Proof

            proof = Proof(self.deal, self.options.policy, keys.method)
            memory = self.limits.memory or default_memory()
            workers = ClusterWorkers(proof, connection, memory)
        stack.callback(workers.close)
        return workers

    def _solving(self, keys: StateCodec) -> Generator[Search, None, None]:
        """Yield the searches for a shortest solution.

        Dives over records or classes find a first solution, or that there is none. Beams follow
        where any solution is wanted at once, or memory is too small for beams beside the search.
        """
        from dbmsolver.search.improve.ahead import FirstBeams
        from dbmsolver.search.improve.best import Best
        from dbmsolver.search.improve.improver import first_shapes
        from dbmsolver.search.improve.lost_ahead import LAST

        self.best = best = Best(keys, self.recorder)
        ahead, won = self._keys_ahead(best), False
        if ahead is not None:
            won = yield from self._lost_ahead(best, ahead)
        any_solution = self.options.any_solution
        shapes = first_shapes(keys.rules, self.memory, any_solution)
        if shapes and (any_solution or not self.begun):
            yield FirstBeams(best, self.limits, self.memory, shapes)
        if ahead is not None and ahead.method.of_classes and not won and best.length is None:
            yield from self._lost_ahead(best, ahead, LAST)  # takes some seconds
        may_list = self.options.bound != Bound.POSITIONS
        if may_list and are_of_patience(keys) and is_in_a_class(keys.deal.position, keys.rules):
            yield from self._by_classes(best, keys)
        else:
            yield from self._below(best, keys)

    def _keys_ahead(self, best: Best[StateCodec]) -> CoveringKeys | None:
        """Return the keys for the dives that run first: of classes or of records.

        None if no dives run first. Dives over classes prove most unsolvable deals at once. Dives
        over records run only where any solution is wanted and none is known.
        """
        rules, measure = self.deal.rules, best.codec.measure
        if rules.is_patience:
            method = method_ahead(self.question, self.deal, measure.metric)
            if self.begun or not self.options.lost_ahead or not method.of_classes:
                return None
            keys = keys_of(self.deal, self.recorder.policy, method)
            assert are_covering(keys)
            return keys
        wanted = self.options.any_solution and best.length is None
        if wanted and not measure.by_room and has_dominance(rules):
            return RecordKeys(self.deal, self.recorder.policy)
        return None

    def _lost_ahead(
        self, best: Best[Any], keys: CoveringKeys, schedule: Schedule = ()
    ) -> Generator[Search, None, bool]:
        """Yield the dives that come first, as a search; return True if one of them wins.

        If they exhaust the classes, the deal is lost, and nothing follows. A win becomes the best
        solution so far.
        """
        from dbmsolver.search.improve.lost_ahead import LostAhead

        threads, memory = (1, self.memory // 2) if schedule else (self.threads, self.memory // 4)
        any_solution = self.options.any_solution
        dives = LostAhead(best, keys, self.limits, threads, memory, schedule, any_solution)
        yield dives
        return dives.won

    def _by_classes(self, best: Best[Any], keys: PatienceKeys) -> Generator[Search, None, None]:
        """Yield the search for solutions that are shorter, which may get distances of classes.

        If the classes show that the deal is lost, a dive over them is the proof.
        """
        from dbmsolver.search.improve.by_classes import ByClasses
        from dbmsolver.search.improve.lost_ahead import LostAhead
        from dbmsolver.search.proof.dives import CLASS_ORDERS

        if not self.begun:
            self._begin()
        search = ByClasses(
            keys,
            self.recorder,
            self.memory,
            partial(self._search_below, best),
            partial(self._begin, Bound.CLASSES),
            has_begun=self.recorder.store.manifest.bound == Bound.CLASSES,
            wanted=self.options.bound == Bound.CLASSES,
            ends_if_lost=method_ahead(self.question, self.deal, keys.measure.metric).of_classes,
        )
        yield search
        if search.lost is not None:
            classes = keys_of(self.deal, self.recorder.policy, Method.CLASSES)
            assert are_covering(classes)
            schedule = ((CLASS_ORDERS[2], search.lost + 1),)
            # As many classes are listed already: a limit of states would only cut the proof short.
            limits = replace(self.limits, max_states=None)
            yield LostAhead(best, classes, limits, 1, self.memory, schedule, needed=True)

    def _below(self, best: Best[Any], states: StateCodec) -> Generator[Search, None, None]:
        """Yield the search for solutions that are shorter than the best one."""
        if not self.begun:
            self._begin()
        yield self._search_below(best, states, self.memory)

    def _search_below(self, best: Best[Any], states: StateCodec, memory: int) -> ShortestBelow:
        """Return the search for solutions that are shorter than the best one."""
        from dbmsolver.search.astar.layers import AStarSearch
        from dbmsolver.search.improve.improver import Improver, memory_for_beams
        from dbmsolver.search.improve.shortest import ShortestBelow

        any_solution = self.options.any_solution
        # Beams are made in a part of the memory, beside the other search.
        for_beams = memory_for_beams(memory, any_solution)
        improver = Improver(best, for_beams, self.limits.max_states, any_solution)
        search = AStarSearch(states, self.recorder, self.threads, memory - for_beams)
        return ShortestBelow(search, best, improver)

    def _begin(self, bound: Bound = Bound.POSITIONS) -> None:
        """Make the deal itself pending, and say that the search has begun, in one transaction.

        No store says "search" before the deal is pending in it, so none is ever incomplete. What an
        earlier search with another bound has left is removed.
        """
        record: NewRecord | None
        assert not are_wide(self.keys)  # its searches begin in memory
        by_cost = self.question == Question.SOLVE and not are_leaving(self.keys)
        if by_cost and not self.recorder.resumable:
            record, entry = None, NOTHING  # nobody goes on from the store
        else:
            root = initial_candidates(self.keys)
            place = layer_and_stratum(root.stratum)
            record, entry = NewRecord(*place, root.pack()), root.entry
        batch = self.recorder.batch
        batch.cleared += [b"A", b"B", b"C", b"P"]
        batch.pending = [] if record is None else [record]
        batch.fields |= {"phase": "search", "waiting": entry.to_json(), "known": 1, "bound": bound}
        self.recorder.commit(0, 0)
        self.begun = True
