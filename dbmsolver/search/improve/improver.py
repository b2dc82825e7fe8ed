"""Which beams are made to find shorter solutions, and when.

They grow wider from one to the next. The first ones take tenths of a second and come before the
search by cost layers. The others come between its rounds, each once that search has looked at
several times the states that the beam is going to look at. So they take a bounded share of the
time, however long the search lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from dbmsolver.keys.states import StateCodec
from dbmsolver.search.improve.beam import Beam, Shape, room_for
from dbmsolver.search.improve.best import Best

FIRST = (Shape(300, 1), Shape(1000, 0), Shape(3000, 1))
"""Before the search by cost layers."""
LATER = (
    Shape(10_000, 0),
    Shape(10_000, 1),
    Shape(30_000, 0),
    Shape(30_000, 1),
    Shape(100_000, 0),
    Shape(300_000, 0),
    Shape(1_000_000, 0),
    Shape(3_000_000, 0),
)
"""Between its rounds."""
PACE = 3
"""So many times the states of a beam has that search to look at before the beam is made."""
_STATES = 200
"""The states that a beam looks at, for each of its width. It is often fewer."""
Event = TypeVar("Event")


class Improver:
    """Makes the beams, in ``memory`` bytes; none looks at more than about ``most`` states."""

    def __init__(self, best: Best[StateCodec], memory: int, most: int | None) -> None:
        self.best = best
        room = room_for(memory)
        self.room = room if most is None else min(room, most)
        self.beam: Beam | None = None
        self._next = 0

    def first(self) -> Iterator[bool]:
        """The beams that come first, one after the other; see :meth:`make`."""
        for shape in FIRST:
            yield from self.make(shape)

    def due(self, evaluated: int) -> Shape | None:
        """The next of the later beams, if it is time for it.

        It is when the search by cost layers has looked at enough states.
        """
        if self._next == len(LATER):
            return None
        shape = LATER[self._next]
        if _STATES * shape.width > self.room or evaluated < PACE * _STATES * shape.width:
            return None
        self._next += 1
        return shape

    def make(self, shape: Shape) -> Iterator[bool]:
        """Make a beam. Yields now and then, and says whether a shorter solution has been found."""
        self.beam = Beam(self.best.codec, shape, self.room, self.best.ceiling)
        for _ in self.beam.run():
            yield False
        steps, self.beam = self.beam.steps, None
        yield steps is not None and self.best.offer(steps)
