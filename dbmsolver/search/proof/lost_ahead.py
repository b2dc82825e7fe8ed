"""Dives over dominating positions or classes, made before a search for a shortest solution.

A search by cost layers tells that a deal cannot be won only when it has closed every position.
Dives over states that stand for many positions tell it with a hundredth of them, or less. Where
they end in another way, the search for a shortest solution begins as if they had not been made.
"""

from __future__ import annotations

from collections.abc import Generator

from dbmsolver.keys.choice import CoveringKeys
from dbmsolver.results import Event, Limits
from dbmsolver.search.limits import Cancelled
from dbmsolver.search.outcome import Exhausted, GoalMet, Outcome, Steps, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step


class LostAhead:
    """The dives that precede a search for a shortest solution. ``memory`` is in bytes."""

    shortest = False

    def __init__(
        self, keys: CoveringKeys, recorder: Recorder, limits: Limits, threads: int, memory: int
    ) -> None:
        self.keys = keys
        self.recorder = recorder
        self._dives = DiveAhead(keys, recorder, limits, threads, memory)

    def run(self) -> Steps:
        """Dive. A deal that is exhausted is lost; nothing else ends the search."""
        outcome = yield from self.outcome()
        return Stopped() if isinstance(outcome, GoalMet) else outcome

    def outcome(self) -> Generator[Event, Cancelled | None, Outcome]:
        """Dive, and return how the dives ended: a win is told as well."""
        recorder = self.recorder
        # If the dives exhaust the deal, they are the whole proof. If not, they do not count.
        recorder.statistics.recall(recorder.store.manifest.without_counts())
        outcome = yield from self._dives.run()
        if isinstance(outcome, Exhausted):
            recorder.batch.cleared.append(b"C")
            recorder.batch.fields["method"] = self.keys.method
        else:
            recorder.statistics.recall(recorder.store.manifest)
        return outcome

    def path(self, goal: GoalMet) -> list[Step]:
        """Return the steps from the deal to the win that was found."""
        return self._dives.path(goal)
