"""The first beams where any solution is wanted at once, or memory is small.

They make the solution of the dives before them shorter. Where there were none, as the game has no
dominance or moves are counted in another way than card by card, or none of them came to a win, the
beams find the first one. Then the search for a shortest solution begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbmsolver.results import Limits, Report
from dbmsolver.search.improve.beam import Beam, BeamShape
from dbmsolver.search.improve.best import Best
from dbmsolver.search.improve.improver import Improver
from dbmsolver.search.outcome import LeftOpen, Outcome, Search

_LEAST_WIDTH = 20
"""The width of the narrowest beam that is followed by one of half its width."""


class FirstBeams(Search):
    """The beams before a search by cost layers, one after the other.

    Each may use all of the ``memory`` bytes.
    """

    def __init__(
        self, best: Best[Any], limits: Limits, memory: int, shapes: Sequence[BeamShape]
    ) -> None:
        self.best = best
        self.recorder = best.recorder
        self._improver = Improver(best, memory, limits.max_states)
        self._shapes = list(shapes)
        self._beam: Beam | None = None

    def step(self) -> Outcome | None:
        """Go on with a beam, or begin with the next."""
        if self._beam is None:
            if not self._shapes:
                return LeftOpen()
            self._beam = self._improver.beam(self._shapes.pop(0))
        if self._beam.step():
            beam, self._beam = self._beam, None
            if self.best.end_beam(beam):
                self.best.keep()
            if beam.gave_up:
                self._shapes = self._narrower(beam.shape)
        return None

    def _narrower(self, shape: BeamShape) -> list[BeamShape]:
        """Return the beams to run after a beam of this shape that ran out of memory.

        If no solution is known, that is a beam of half the width; else there are none. Wider beams
        would run out of memory, too.
        """
        if self.best.length is not None or shape.width < _LEAST_WIDTH:
            return []
        return [shape._replace(width=shape.width // 2)]

    def report(self) -> Report:
        """Return a snapshot of the beam."""
        looked_at = 0 if self._beam is None else self._beam.looked_at
        return self.recorder.report(phase="improve", states=looked_at)
