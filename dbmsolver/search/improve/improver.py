"""The beams that find shorter solutions, and the times at which they are made.

They grow wider from one to the next. The first ones take tenths of a second. Where any solution is
wanted at once, or memory is small, they come before the search by cost layers. The others come
beside it, each once that search has looked at several times the states that the beam is going to
look at. So they take a bounded share of the time, however long the search lasts.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.game.rules import Rules
from dbmsolver.search.improve.beam import Beam, BeamShape, room_for
from dbmsolver.search.improve.best import Best

_NARROW = BeamShape(300, 1)
FIRST = (_NARROW, BeamShape(1000, 0), BeamShape(3000, 1))
"""The beams before the search by cost layers, where any solution is wanted at once."""
FIRST_OF_PATIENCE = (BeamShape(20, 1), _NARROW, BeamShape(1000, 1), BeamShape(3000, 1))
"""The same in Klondike and its relatives, and before a proof there.

The first wins most deals in some thousand states.
"""
_BESIDE = ((800_000, 0, BeamShape(1000)), (1_200_000, 150_000, BeamShape(3000, 1)))
"""The beams that run beside the search for a shortest solution.

Each begins once the search has evaluated the first number of states by one thread, or the second by
several. By one thread they would slow down searches of half a second if they began sooner; with
several, one of the threads has little else to do at first. They usually find a solution that is
hardly longer than a shortest one. Where no solution is known the search keeps twice as many states.
"""
_BESIDE_OF_PATIENCE = (
    (800_000, 0, BeamShape(700, 1)),
    (1_200_000, 150_000, BeamShape(2000, 1)),
)
"""The same in Klondike and its relatives, where such beams find solutions that are as short."""
LATER = (
    BeamShape(10_000, 0),
    BeamShape(10_000, 1),
    BeamShape(30_000, 0),
    BeamShape(30_000, 1),
    BeamShape(100_000, 0),
    BeamShape(300_000, 0),
    BeamShape(1_000_000, 0),
    BeamShape(3_000_000, 0),
)
"""The beams beside the search by cost layers, in their order."""
PACE = 3
"""The pace of later beams: one starts once the search has evaluated PACE times its states."""
STATES = 200
"""The states that a beam looks at, for each of its width. It is often fewer."""
MOST_STATES = 1500
"""The most states that a beam looks at in a proof, for each of its width."""


def memory_for_beams(memory: int, any_solution: bool) -> int:
    """Return the bytes of a search's memory that are for its beams: 0 if too few for any."""
    if any_solution:
        return memory // 4
    part = memory // 8
    return part if room_for(part) >= STATES * _BESIDE[0][-1].width else 0


def first_shapes(rules: Rules, memory: int, any_solution: bool) -> list[BeamShape]:
    """Return the beams that run before a search by cost layers, which has ``memory`` bytes.

    There are none unless any solution is wanted at once, or memory is too small for beams at the
    same time as the search. If it is too small, a narrow beam runs first, and after it those beams
    that would have run at the same time. Each can use all the memory.
    """
    if any_solution:
        return list(FIRST_OF_PATIENCE if rules.is_patience else FIRST)
    if memory_for_beams(memory, any_solution):
        return []
    most = room_for(memory)
    shapes = [_NARROW, *[shape for _, _, shape in _beside(rules)]]
    return [shape for shape in shapes if STATES * shape.width <= most]


def _beside(rules: Rules) -> tuple[tuple[int, int, BeamShape], ...]:
    return _BESIDE_OF_PATIENCE if rules.is_patience else _BESIDE


class Improver:
    """The maker of beams, in ``memory`` bytes; none looks at more than about ``most`` states.

    ``any_solution``: any solution is wanted at once, and the first beams come first.
    """

    def __init__(
        self, best: Best[Any], memory: int, most: int | None, any_solution: bool = True
    ) -> None:
        self.best = best
        self.room = room_for(memory, most)
        self.any_solution = any_solution
        later = [(PACE * STATES * shape.width, shape) for shape in LATER]
        self._due: list[tuple[int, BeamShape]] = later
        if not any_solution:
            several = best.recorder.threads > 1
            beside = _beside(best.codec.rules)
            self._due = [(two if several else one, shape) for one, two, shape in beside] + later

    def due(self, evaluated: int) -> BeamShape | None:
        """Return the next of the later beams, if it is time for it.

        It is when the search by cost layers has looked at enough states.
        """
        if not self._due:
            return None
        least, shape = self._due[0]
        if STATES * shape.width > self.room or evaluated < least:
            return None
        self._due.pop(0)
        return shape

    def beam(self, shape: BeamShape) -> Beam:
        """Return a beam for solutions that are shorter than the best one."""
        return Beam(self.best.codec, shape, self.room, self.best.ceiling)
