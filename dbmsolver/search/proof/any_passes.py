"""The search that precedes a proof of a deal with a limited number of passes through the stock.

It asks whether the same deal can be won with any number of passes. A class need not say then how
many are left, so there are fewer of them. If none of them is won, nor is the deal.
"""

from __future__ import annotations

from dbmsolver.game.deals import Deal
from dbmsolver.keys.classes import ClassKeys
from dbmsolver.results import Limit, Limits, Method, Report
from dbmsolver.search.outcome import Exhausted, GoalMet, Outcome, Search, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.proof.dives import CLASS_ORDERS, CLASS_SCHEDULE, Schedule
from dbmsolver.search.recorder import Recorder

SCHEDULE: Schedule = (*CLASS_SCHEDULE[:-3], (CLASS_ORDERS[0], 1 << 20), (CLASS_ORDERS[4], 1 << 24))
"""Most deals that can be won with any number of passes are won by a small dive. The last one is
large enough for most proofs; it takes some seconds."""


class AnyPassesAhead(Search):
    """The dives over classes of any number of passes, in `memory` bytes.

    They end with a proof, or leave the deal open. With ``needed`` nothing else may decide a deal
    that is not won so: the search ends for want of memory then.
    """

    def __init__(
        self,
        deal: Deal,
        recorder: Recorder,
        limits: Limits,
        threads: int,
        memory: int,
        needed: bool = False,
    ) -> None:
        self.recorder = recorder
        self.needed = needed
        keys = ClassKeys(deal, recorder.policy, method=Method.CLASSES_ANY_PASSES)
        self._dives = DiveAhead(keys, recorder, limits, threads, memory, SCHEDULE)
        recorder.statistics.recall(recorder.store.manifest.without_counts())

    def step(self) -> Outcome | None:
        """Dive for a moment. If all classes are exhausted, they are the whole proof."""
        outcome = self._dives.step()
        if isinstance(outcome, Exhausted):
            self.recorder.batch.fields["method"] = Method.CLASSES_ANY_PASSES
        if isinstance(outcome, GoalMet):
            return Stopped()  # the win may need more passes than there are
        if outcome == Stopped() and self.needed:
            return Stopped(Limit.MEMORY)
        return outcome

    def report(self) -> Report:
        """Return a snapshot of the dives."""
        return self._dives.report()

    def end(self, outcome: Outcome) -> Outcome:
        """Forget the counts of dives that do not decide the deal."""
        if not isinstance(outcome, Exhausted):
            self.recorder.statistics.recall(self.recorder.store.manifest)
        return outcome

    def close(self) -> None:
        """End the dives."""
        self._dives.close()

    def path(self, goal: GoalMet) -> None:
        """Return None: the search never ends with a goal."""
