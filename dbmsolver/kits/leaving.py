"""Keys of games whose cards only leave their places: what those of one pile and of pairs share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.samples import NUMBER, WORD, Call
from dbmsolver.kernels.states import WordSets
from dbmsolver.kits.signatures import Field
from dbmsolver.kits.states import State, StateCodec, Step

Words = NDArray[np.uint64]


class LeavingKeys(StateCodec, ABC):
    """The keys of one deal of such a game.

    ``least`` is a length that no solution falls short of; ``most_moves`` one that none exceeds
    without a move that is of no use; ``places`` are those that cards leave. Won states have the bit
    ``goal`` in their signature.
    """

    closed_as_records = True
    worth_a_batch = 1 << 12  # hardly any states follow from them in their signature
    layered_strata = True
    least: int
    most_moves: int
    places: int

    @property
    def sets(self) -> WordSets:
        """Sample data of a signature: kernels are compiled for the type that it has."""
        return WordSets(WORD, WORD)

    def dive_kernels(self) -> list[Call]:
        """Return the kernel of dives."""
        from dbmsolver.kits.leaving_dive import dive, make_diving

        return [(dive, (self.tables, make_diving(0, 1, 1, ()), NUMBER))]

    def goal_state(self, signature: int, key: Words) -> State:
        """Return the won state with this signature and local key."""
        return State(signature, int(key[0]), 0, 0)

    def before_goal(self, signatures: Words) -> Words:
        """Return signatures without what tells that they are of won states."""
        found: Words = signatures & ~np.uint64(self.goal)
        return found

    @property
    def won_from(self) -> int:
        """The first stratum that only solvable deals reach: that of a win."""
        return self.last_stratum

    @abstractmethod
    def encode(self, position: Any) -> int:
        """Return the public key of a position; InputError if no game from the deal reaches it."""

    @abstractmethod
    def steps_of_dive(self, path: Sequence[int]) -> list[Step]:
        """Return the steps of a dive that has found a solution."""

    @abstractmethod
    def counted_fields(self) -> Iterator[tuple[Field, int]]:
        """Yield each field of a signature that no move makes more, with its largest value."""

    def most_in_fields(self) -> list[tuple[int, int, int]]:
        """Return (shift, mask, largest value) of each field of a signature."""
        return [(*field, most) for field, most in self.counted_fields()]

    def falling(self) -> list[Field]:
        """Return the fields of a signature that no move makes more: cards left."""
        return [field for field, _ in self.counted_fields()]

    def rising(self) -> list[Field]:
        """Return the fields of a signature that no move makes less: none."""
        return []
