"""Lists of positions without repetition, as far as memory goes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.errors import DbmError
from dbmsolver.verify.kernels.position_set import PositionSet, enter_all

_FIRST_ROOM = 1 << 12
_POSITION_BYTES = 24 + 8
"""The bytes of a position, with its share of the hash table."""


class TooManyPositions(DbmError):
    """There is no memory for all positions."""


class PositionList:
    """Positions of three words in ``memory`` bytes; TooManyPositions if they need more.

    Kernels append to ``found`` as long as there is room, and ``count`` says how many there are.
    """

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.count = 0
        self.found = PositionSet(np.empty((0, 3), np.uint64), np.zeros(0, np.uint32))
        self.grow()

    @property
    def states(self) -> NDArray[np.uint64]:
        """The positions, and room for more: uint64[*, 3]."""
        return self.found.states

    def grow(self) -> None:
        """Make room for twice as many."""
        old = self.found.states
        room = max(2 * old.shape[0], _FIRST_ROOM)
        # Old and new positions, but not both tables, are there while the old ones are copied.
        if old.nbytes + room * _POSITION_BYTES > self.memory:
            raise TooManyPositions(
                f"more than {self.count:,} positions, for which {self.memory:,} bytes of memory "
                "are too few"
            )
        self.found = PositionSet(old, np.zeros(0, np.uint32))
        states = np.empty((room, 3), np.uint64)
        states[: self.count] = old[: self.count]
        self.found = PositionSet(states, zeros(2 * room, np.uint32))
        enter_all(self.found, self.count)
