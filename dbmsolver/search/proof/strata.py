"""Proof by exhaustion: every reachable state is closed, in the order of strata.

Candidates lead to higher strata only, or stay in their signature. So when a stratum's turn comes
all its candidates are there, and its signatures are independent of each other.

The rules by which the store can be continued from every commit are in
:mod:`dbmsolver.search.commits`. That everything that became pending was closed is checked by
:mod:`dbmsolver.search.tallies`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from dbmsolver.keys.choice import are_covering
from dbmsolver.results import Commit, Limit, Question, Report
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, Steps
from dbmsolver.search.proof.initial import stored_candidates
from dbmsolver.search.proof.late_dives import LateDives
from dbmsolver.search.proof.proof_state import ProofState
from dbmsolver.search.proof.record_trace import RecordFinder, moves_along
from dbmsolver.search.proof.stratum import StratumClosing
from dbmsolver.search.tallies import NOTHING, total
from dbmsolver.search.trace import Finder, Step, steps_of, steps_to


class ProofSearch(ProofState):
    """A proof in progress."""

    @property
    def shortest(self) -> bool:
        """True if the solution is a shortest one: layers are closed in ascending order."""
        return self.recorder.question == Question.SOLVE

    def run(self) -> Steps:
        """Close strata until nothing is pending, the goal is met, or a limit is reached.

        All that is finished is committed when it ends, but after an error nothing is.
        """
        self.strata, self.done = stored_candidates(self.recorder.store)
        for candidates in self.strata.values():
            self.books.make(total(one.tally for one in candidates))
        if self.last_stratum in self.strata:
            # Won states only. An earlier run may have been killed after it met one and before it
            # said so; where there are layers, those of higher ones must not be met first.
            self.meet_goal(self.strata[self.last_stratum][0])
        if self.strata and self.recorder.limits.states_reached():
            self.limit = Limit.MAX_STATES  # earlier runs have closed as many as are allowed
        dives = self._late_dives()
        try:
            while self.strata and self.ended is None:
                self.stratum = min(self.strata)
                yield from self._close_stratum()
                if dives is not None and dives.due():
                    yield from self._dive(dives)
        except Cancelled:
            self.limit = Limit.INTERRUPT
        except (KeyboardInterrupt, GeneratorExit):
            self.commit()
            raise
        if self.ended is None:
            self.books.compare(NOTHING)
        self.commit()
        return self.ended or Exhausted()

    def _late_dives(self) -> LateDives | None:
        """Return dives between strata; None where they are not possible."""
        if not are_covering(self.codec):
            return None
        return LateDives(self.codec, self.recorder, self.threads, self.memory // 8)

    def _dive(self, dives: LateDives) -> Iterator[Report | Commit]:
        """Dive for a win; a limit that is reached meanwhile ends the search, too."""
        if not self.strata or self.ended is not None:
            return
        with closing(dives.run(self.strata)) as reports:
            for report in reports:
                if self.stops():
                    return
                yield report
        self.win = dives.win

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal; None where closed states are not kept."""
        if not self.recorder.keep_closed and (self.win is None or self.win.code is not None):
            return None
        store = self.recorder.store
        if are_covering(self.codec):
            records = list(self.win.path) if self.win is not None else [self.won]
            code = self.win.code if self.win is not None else goal.code
            if code is not None:
                records = (
                    RecordFinder(store, self.codec, self.memory // 8).path(records[0], code)
                    + records[1:]
                )
            return steps_of(self.codec, moves_along(self.codec, records))
        assert goal.code is not None
        steps = steps_to(Finder(store, self.codec), self.won, goal.code)
        assert steps is not None
        return steps

    def _close_stratum(self) -> Iterator[Report | Commit]:
        """Close the current stratum; its candidates are pending no more."""
        yield from StratumClosing(self).run()
        if self.ended is not None:
            return
        candidates = self.strata[self.stratum]
        self.books.close_stratum(total(one.tally for one in candidates))
        for one in candidates:
            self.recorder.batch.delete(one.record)
        del self.strata[self.stratum]
        self.done = []
        if self.recorder.due():
            yield self.commit()
