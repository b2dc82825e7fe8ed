"""Keys of games whose cards only leave their places: what those of one pile and of pairs share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from dbmsolver.kernels.samples import NUMBER, WORD, Call
from dbmsolver.kernels.states import Words, WordSets
from dbmsolver.kits.states import Field, StateCodec, Step


class LeavingKeys(StateCodec, ABC):
    """The keys of one deal of such a game.

    ``least`` is a length that no solution falls short of; ``most_moves`` one that none exceeds
    without a move that is of no use; ``places`` are those that cards leave. Won states have the bit
    ``goal`` in their signature.
    """

    closed_as_records = True
    sets = WordSets(WORD, WORD)
    worth_a_batch = 1 << 12  # hardly any states follow from them in their signature
    layered_strata = True
    least: int
    most_moves: int
    places: int

    def dive_kernels(self) -> list[Call]:
        """Return the kernel of dives."""
        from dbmsolver.kits.leaving_dive import dive, make_diving

        return [(dive, (self.tables, make_diving(0, 1, 1, ()), NUMBER))]

    def before_goal(self, signatures: Words) -> Words:
        """Return signatures without what tells that they are of won states."""
        found: Words = signatures & ~np.uint64(self.goal)
        return found

    @abstractmethod
    def steps_of_dive(self, path: Sequence[int]) -> list[Step]:
        """Return the steps of a dive that has found a solution."""

    def rising(self) -> list[Field]:
        """Return the fields of a signature that no move makes less: none."""
        return []
