"""The search that precedes a proof of a deal with a limited number of passes through the stock.

It asks whether the same deal can be won with any number of passes. A class need not say then how
many are left, so there are fewer of them. If none of them is won, nor is the deal.
"""

from __future__ import annotations

from dbmsolver.game.deals import Deal
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.results import Limit, Limits, Method
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead, UncountedDives
from dbmsolver.search.proof.dives import CLASS_ORDERS, CLASS_SCHEDULE, Schedule
from dbmsolver.search.recorder import Recorder

SCHEDULE: Schedule = (*CLASS_SCHEDULE[:-3], (CLASS_ORDERS[0], 1 << 20), (CLASS_ORDERS[4], 1 << 24))
"""Most deals that can be won with any number of passes are won by a small dive. The last one is
large enough for most proofs; it takes some seconds."""


class AnyPassesAhead(UncountedDives):
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
        self.needed = needed
        keys = ClassKeys(deal, recorder.policy, method=Method.CLASSES_ANY_PASSES)
        super().__init__(DiveAhead(keys, recorder, limits, threads, memory, SCHEDULE))

    def step(self) -> Outcome | None:
        """Dive for a moment. If all classes are exhausted, they are the whole proof."""
        outcome = self.dives.step()
        if isinstance(outcome, Exhausted):
            self.recorder.batch.fields["method"] = Method.CLASSES_ANY_PASSES
        if isinstance(outcome, GoalMet):
            return LeftOpen()  # the win may need more passes than there are
        if isinstance(outcome, LeftOpen) and self.needed:
            return Stopped(Limit.MEMORY)
        return outcome
