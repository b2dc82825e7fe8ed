"""The keys of games whose cards only leave, as their check works with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Body = Any
"""The body of a block, as it is read."""
CODE_BYTES = 1


class Moved(NamedTuple):
    """States, and those that one kind of move leads to from them, or that it led to them from."""

    keys: Words
    others: Words
    layers: Ints  # of the others
    strata: int  # how many strata lie between


class LeavingFormat(Protocol):
    """The keys of one deal, and the rules, read from the deal alone."""

    layered: bool
    """True if the states are those of a search for a shortest solution."""

    @property
    def first_code(self) -> int:
        """The code of the deal, which has no parent."""

    @property
    def far(self) -> int:
        """The most strata that a move leads up."""

    @property
    def root(self) -> int:
        """The key of the deal."""

    @property
    def root_layer(self) -> int:
        """The layer of the deal; 0 in a proof."""

    @property
    def least(self) -> int:
        """A length that no solution falls short of."""

    def read(self, signatures: Words, counts: Ints, body: Body, layer: int) -> Words | None:
        """Return the public keys of a block; None if some have bits that no key of a layer has."""

    def second_word(self, layer: int) -> int:
        """Return the second word of the public keys of a layer."""

    def take_apart(self, keys: Words) -> Any:
        """Take keys apart, whether they can be keys or not."""

    def are_positions(self, keys: Words, fields: Any) -> Flags:
        """Return a flag for each key that is a position."""

    def are_of_layer(self, fields: Any, layer: int) -> Flags:
        """Return a flag for each state that can be of a layer."""

    def strata(self, fields: Any) -> Ints:
        """Return the stratum of each state."""

    def are_won(self, fields: Any) -> Flags:
        """Return a flag for each won state."""

    def successors(self, keys: Words, fields: Any, layer: int) -> Iterator[Moved]:
        """Yield, for each kind of move, the states that it is legal in and where it leads."""

    def parents(
        self, keys: Words, fields: Any, codes: Ints, layer: int
    ) -> tuple[Flags, Iterator[Moved]]:
        """Return a flag for each code that stands for no legal move, and the states before.

        The states before, for each kind of move, are only asked for where no flag is set.
        """
