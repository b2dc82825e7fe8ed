"""The pending candidates of a proof, and the results of each piece of work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Commit, Limit, Question, Report
from dbmsolver.search.candidates import Candidates, by_stratum_and_width, merged, without
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.ledger import Ledger, total
from dbmsolver.search.outcome import GoalMet, Known, NoneShorter, Outcome, Search, Stopped, Win
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.large import LargeSignature
from dbmsolver.search.proof.worker import WorkResult
from dbmsolver.search.proof.workers import Workers
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.records import layer_and_stratum, place_number


class ProofState(Search):
    """The pending candidates of all strata, and the stratum that is being closed.

    `strata` maps each stratum to its pending candidates. `done` are the signatures of the current
    `stratum` that are closed, `large` is the large one that is being closed. The `workers` close
    them; `threads` of this process do the rest. `best` is the best solution that is known.
    `is_begun` is true once all that is pending has been read from the store.

    Where states have layers, a stratum is a number with the layer in its upper bits
    (:func:`~dbmsolver.storage.records.layer_and_stratum`). So strata are closed layer by layer.
    """

    def __init__(
        self,
        codec: StateCodec,
        recorder: Recorder,
        workers: Workers,
        threads: int,
        memory: int,
        best: Known | None = None,
    ) -> None:
        self.codec = codec
        self.recorder = recorder
        self.workers = workers
        self.threads = threads
        self.memory = memory
        self.best = best
        self.strata: dict[int, list[Candidates]] = {}
        self.stratum = 0
        self.done: list[int] = []
        self.large: LargeSignature | None = None
        self.last_stratum = codec.last_stratum
        self.ledger = Ledger()
        self.is_begun = False
        self.win: Win | None = None
        self.limit: Limit | None = None
        self._most_bytes = 0  # that the candidates take, or more

    @property
    def ended(self) -> Outcome | None:
        """The reason why the search ends although something is pending; None if it goes on."""
        if self.win is not None:
            return GoalMet()
        if self.limit is not None:
            return Stopped(self.limit)
        known = None if self.best is None else self.best.length
        if known is not None and self.strata and min(self.strata) >= place_number(known, 0):
            return NoneShorter()
        return None

    # Commits.

    def commit(self) -> Commit | None:
        """Commit what is finished and, in resumable runs, what is pending.

        None, without a commit, while only a part of what is pending has been read.
        First the ledger is compared with all that is pending: InternalError if a candidate got
        lost.
        """
        if not self.is_begun:
            return None
        self.ledger.check(total(one.entry for one in self._pending()))
        if self.recorder.resumable:
            self.merge(self._higher())
        pending = self._pending()
        batch = self.recorder.batch
        batch.cleared.append(b"D")
        if self.recorder.resumable:
            batch.waiting = total(one.entry for one in pending if one.record is not None)
            if self.large is not None:
                batch.waiting = batch.waiting.plus(self.large.set.stored)
            batch.done = np.array(self.done, np.uint64).tobytes()
            batch.pending = self._records(pending)
        waiting = sum(one.states for one in pending)
        if self.recorder.question == Question.SOLVE:
            batch.fields["known"] = self.recorder.statistics.closed + waiting
        with self.ledger.packing(pending):
            return self.recorder.commit(*layer_and_stratum(self.stratum), waiting)

    def _records(self, pending: list[Candidates]) -> Iterator[NewRecord]:
        """Yield new records for candidates that have none, the large signature's last."""
        yield from self.recorder.packed(pending)
        if self.large is not None:
            yield from self.large.set.packed()

    def spill(self, candidates: list[Candidates]) -> None:
        """Leave candidates to the store; the records are scratch until the next commit."""
        with self.ledger.packing(candidates):
            self.recorder.spill(candidates)

    def merge(self, strata: Iterable[int]) -> None:
        """Merge the new lists of each of these strata, which drops duplicates among them.

        Every task of a worker leaves lists of its own, and many of its candidates are in the lists
        of other tasks, too.
        """
        most = self.memory // (16 * self.threads)  # a thread makes two copies of what it merges
        groups = []
        for stratum in strata:
            new = [one for one in self.strata[stratum] if one.is_new]
            for some in by_stratum_and_width(new):
                groups += list(in_groups(some, lambda one: one.loaded_bytes, most))
        for some, found in zip(groups, self.recorder.in_parallel(merged, groups), strict=True):
            self.ledger.replace(total(one.entry for one in some), total(one.entry for one in found))
            self.strata[some[0].stratum] += found
            for one in some:
                one.leave_memory()
        gone = [one for some in groups for one in some]
        for stratum in {one.stratum for one in gone}:
            self.strata[stratum] = without(self.strata[stratum], gone)

    # What comes of a piece of work.

    def take_result(self, result: WorkResult) -> None:
        """Count closed states; keep them, and the candidates they lead to, for the commit."""
        place = layer_and_stratum(self.stratum)
        self.recorder.statistics.count(*place, result.states, result.forced, result.digest)
        self.recorder.add_closed(result.closed)
        for one in result.candidates:
            self.add(one)
        # After all of them have become pending: the commit that follows holds all.
        for one in result.candidates:
            if one.stratum == self.last_stratum and self.win is None:
                self.meet_goal(one)

    def meet_goal(self, won: Candidates) -> None:
        """End the search with the first of some won states."""
        runs = won.load(self.recorder.store)
        state = self.codec.goal_state(int(runs.signatures[0]), runs.keys[: runs.key_words])
        self.win = Win((state,), int(runs.codes[0]))

    def add(self, candidates: Candidates) -> None:
        """Make candidates pending."""
        self.ledger.add(candidates.entry)
        self._most_bytes += candidates.nbytes
        self.strata.setdefault(candidates.stratum, []).append(candidates)

    def report_stratum(self, share: float | None) -> Report:
        """Return a snapshot: the stratum, of which a share is closed, and what is pending."""
        pending = self.ledger.pending.states
        if self.large is not None:
            pending += self.large.set.pending
        layer, stratum = layer_and_stratum(self.stratum)
        return self.recorder.report(
            layer=layer or None,
            stratum=stratum,
            last_stratum=layer_and_stratum(self.last_stratum)[1],
            pending=pending,
            share=share,
        )

    @property
    def candidate_bytes(self) -> int:
        """Memory that the candidates of all strata take."""
        return sum(one.nbytes for candidates in self.strata.values() for one in candidates)

    def relieve(self) -> None:
        """Free memory once the candidates of all strata take a quarter of the budget.

        First those of the strata above the current one are merged. If all still take more than an
        eighth, these go to the store. To count their memory is slow, as there may be tens of
        thousands of lists. So it is counted only when the lists that have come since the last count
        could have passed the limit.
        """
        if self._most_bytes > self.memory // 4:
            self._most_bytes = self.candidate_bytes
        if self._most_bytes <= self.memory // 4:
            return
        self.merge(self._higher())
        if self.candidate_bytes > self.memory // 8:
            self.spill(
                [one for stratum in self._higher() for one in self.strata[stratum] if one.in_memory]
            )
        self._most_bytes = self.candidate_bytes

    def _higher(self) -> list[int]:
        """Return the strata above the one that is being closed."""
        return [stratum for stratum in self.strata if stratum > self.stratum]

    def _pending(self) -> list[Candidates]:
        """Return the candidates of all strata."""
        return [one for candidates in self.strata.values() for one in candidates]
