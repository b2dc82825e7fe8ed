"""Proof by exhaustion: every reachable state is closed, in the order of strata.

Candidates lead to higher strata only, or stay in their signature. So when a stratum's turn comes
all its candidates are there, and its signatures are independent of each other.

The rules by which the store can be continued from every commit are in
:mod:`dbmsolver.search.commits`. That everything that became pending was closed is checked by
:mod:`dbmsolver.search.ledger`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dbmsolver.kits.choice import are_covering
from dbmsolver.results import Limit, Question, Report
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.ledger import NOTHING, total
from dbmsolver.search.outcome import Exhausted, Outcome
from dbmsolver.search.proof.initial import done_signatures, stored_candidates
from dbmsolver.search.proof.proof_state import ProofState
from dbmsolver.search.proof.stratum import StratumClosing
from dbmsolver.search.trace import Finder, Step, steps_of, steps_to

if TYPE_CHECKING:
    from dbmsolver.search.proof.late_dives import LateDives

READ_AT_ONCE = 1 << 18
"""Candidates that are read from the store before limits are looked at: a quarter of a second."""


class ProofSearch(ProofState):
    """A proof in progress."""

    _waiting: Iterator[Candidates] | None = None  # in the store, to be read
    _closing: StratumClosing | None = None
    _dives: LateDives | None = None  # where dives are possible

    @property
    def is_diving(self) -> bool:
        """True while a dive has its share of the memory."""
        return self._dives is not None and self._dives.under_way

    @property
    def shortest(self) -> bool:
        """True if the solution is a shortest one: layers are closed in ascending order."""
        return self.recorder.question == Question.SOLVE

    def step(self) -> Outcome | None:
        """Read some of what is pending, close some signatures, or go on with a dive."""
        if not self.is_begun:
            if not self._read_some():
                return None
            self._begin()
        if self.ended is None and self.strata:
            self._go_on()
        if self.ended is None and not self.strata:
            self.ledger.check(NOTHING)
            return Exhausted()
        return self.ended

    def _read_some(self) -> bool:
        """Read some of the candidates in the store; return True once all are read."""
        if self._waiting is None:
            self._waiting = stored_candidates(self.recorder)
        states = 0
        for candidates in self._waiting:
            self.add(candidates)
            states += candidates.states
            if states >= READ_AT_ONCE:
                return False
        return True

    def _begin(self) -> None:
        """Begin with what is pending; it may end the search at once."""
        self.is_begun = True
        self.done = done_signatures(self.recorder.store)
        if self.last_stratum in self.strata:
            # Won states only. An earlier run may have been killed after it met one and before it
            # said so; where there are layers, those of higher ones must not be met first.
            self.meet_goal(self.strata[self.last_stratum][0])
        if self.strata and self.recorder.limits.states_reached(self.counted):
            self.limit = Limit.MAX_STATES  # earlier runs have closed as many as are allowed
        if are_covering(self.codec):
            from dbmsolver.search.proof.late_dives import LateDives

            self._dives = LateDives(self.codec, self.recorder, self.threads, self.memory // 8)

    def _go_on(self) -> None:
        """Go on with the dives or the stratum that are under way, or begin with one of them."""
        dives = self._dives
        if dives is not None and dives.under_way:
            if dives.step():
                self.win = dives.win
            return
        while self.strata and self.ended is None:
            if self._closing is None:
                self.stratum = min(self.strata)
                self._closing = StratumClosing(self)
            if not self._closing.step():
                break
            self._closing = None
            self._leave_stratum()
            if dives is not None and self.strata and self.ended is None and dives.due():
                dives.begin(self.strata)
                break
            if self.recorder.due():
                break  # a commit between two strata is the smallest
        self.relieve()

    def _leave_stratum(self) -> None:
        """Take a stratum that is closed out of what is pending."""
        candidates = self.strata[self.stratum]
        self.ledger.close_stratum(total(one.entry for one in candidates))
        for one in candidates:
            self.recorder.batch.delete(one.record)
        del self.strata[self.stratum]
        self.done = []

    def report(self) -> Report:
        """Return a snapshot for progress displays."""
        dives = self._dives
        if dives is not None and dives.under_way:
            return self.recorder.report(dive=(1, dives.threads))
        share = None if self._closing is None else self._closing.share
        return self.report_stratum(share)

    def end(self, outcome: Outcome) -> Outcome:
        """Take the results of the work under way, and commit all that is finished."""
        if self._closing is not None:
            self._closing.end()
        self.commit()
        return outcome

    def close(self) -> None:
        """End the dives; the workers are ended by those who have made them."""
        if self._dives is not None:
            self._dives.close()

    def path(self) -> list[Step] | None:
        """Return the steps from the deal to the goal; None where closed states are not kept."""
        assert self.win is not None
        store, code, records = self.recorder.store, self.win.code, list(self.win.path)
        if not self.recorder.keep_closed and code is not None:
            return None
        if are_covering(self.codec):
            from dbmsolver.search.proof.record_trace import RecordFinder, moves_along

            if code is not None:
                finder = RecordFinder(store, self.codec, self.memory // 8)
                records = finder.path(records[0], code) + records[1:]
            return steps_of(self.codec, moves_along(self.codec, records))
        steps = steps_to(Finder(store, self.codec), records[0], code)
        assert steps is not None
        return steps
