"""Beam search in Klondike and its relatives: a short solution, without a proof, in little time.

Levels are the numbers of plays. Of each level the states are kept for which the way there and the
bound on the way on cost least, as many as the beam is wide; where the shape says so, the bound
counts double. With a goal in hand the beam goes on
for what costs less, until no state is left.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.kernels.shards import NO_CEILING
from dbmsolver.kits.klondike.beam import (
    CEILING,
    GOAL_CODE,
    GOAL_PARENT,
    LOOKED_AT,
    expand_kept,
    keep,
    make_beaming,
)
from dbmsolver.kits.klondike.bound import make_weights
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.tables import make_board, make_found
from dbmsolver.search.improve.beam import BeamShape
from dbmsolver.search.improve.patience_steps import steps_of_plays
from dbmsolver.search.trace import Step

_LEVELS = 200
"""States that are kept at most, for each of the width: more than the plays of most solutions."""
_FOLLOWING = 16
"""States of a level from which the best are chosen, for each of the width."""
_STOP = 1 << 11
"""States that are expanded between two looks at limits and signals."""


class PatienceBeam:
    """A beam search from the deal; it finds `steps`.

    A solution has to cost less than ``ceiling``. The arrays hold at most ``room`` states.
    """

    def __init__(
        self, keys: PatienceKeys, shape: BeamShape, room: int, ceiling: int = NO_CEILING
    ) -> None:
        self.keys = keys
        self.shape = shape
        self.steps: list[Step] | None = None
        following = max(1, min(_FOLLOWING * shape.width, room // 4))
        kept = max(1, min(_LEVELS * shape.width, room - following))
        self._beaming = make_beaming(keys.words(keys.root), kept, following, ceiling)
        self._random = np.random.default_rng(shape.width)
        self._scratch = make_board(), make_weights(), make_found()
        self._first, self._last = 0, 1  # the states of the level that are not expanded

    @property
    def gave_up(self) -> bool:
        """True if the beam ended for want of room."""
        return int(self._beaming.kept.counts[0]) >= self._beaming.parents.size

    @property
    def looked_at(self) -> int:
        """The states looked at, those that were dropped included."""
        return int(self._beaming.state[LOOKED_AT])

    def step(self) -> bool:
        """Expand some states of the level; return True once the beam is over."""
        keys, beaming = self.keys, self._beaming
        end = min(self._first + _STOP, self._last)
        expand_kept(keys.tables, keys.bounds, beaming, *self._scratch, self._first, end)
        self._first = end
        if end < self._last:
            return False
        self._keep_best()
        beaming.level.slots[:] = 0
        beaming.level.counts[:] = 0
        self._last = int(beaming.kept.counts[0])
        if self._first < self._last:
            return False
        if beaming.state[GOAL_PARENT] >= 0:
            self.steps = self._steps()
        return True

    def _keep_best(self) -> None:
        """Keep the best states of the level; equally good ones are chosen by chance."""
        beaming = self._beaming
        size = int(beaming.level.counts[0])
        least = beaming.level_costs[:size] + beaming.level_bounds[:size]
        useful = np.flatnonzero(least < beaming.state[CEILING])
        cost = least[useful] + self.shape.cells * beaming.level_bounds[useful]
        order = np.argsort(cost + self._random.random(useful.size))
        room = beaming.parents.size - int(beaming.kept.counts[0])
        best = useful[order[: min(self.shape.width, room)]]
        level = beaming.level
        parents, costs = beaming.level_parents[best], beaming.level_costs[best]
        keep(beaming, level.words[best], level.codes[best], parents, costs)

    def _steps(self) -> list[Step]:
        """Return the steps from the deal to the goal, with the turns of the stock."""
        beaming, keys = self._beaming, self.keys
        key, code = keys.goal, int(beaming.state[GOAL_CODE])
        place = int(beaming.state[GOAL_PARENT])
        plays = [(key, code)]
        while place:
            key = keys.key_of(beaming.kept.words[place])
            code, place = int(beaming.kept.codes[place]), int(beaming.parents[place])
            plays.append((key, code))
        return steps_of_plays(keys, plays[::-1])
