"""Shares of the memory for the parts of a search of Klondike and its relatives."""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.search.patience import sets

LEAST_STATES = 1 << 6
"""States that a piece may have in any case."""
_SET_BYTES = 24 + 2 + 11
"""Memory of a state in a set that has room for as many as it holds, at most."""


class Shares(NamedTuple):
    """The most that each part of a search larger than the memory may take.

    ``states`` is how many a piece may have, beside room for the moves of one, ``fresh`` the bytes
    of candidates that have no record, ``blocks`` the bytes of blocks that are not written, ``out``
    how many candidates are made at once.
    """

    states: int
    fresh: int
    blocks: int
    out: int

    @classmethod
    def of(cls, memory: int) -> Shares:
        """Return the shares of ``memory`` bytes.

        While a set is enlarged, there are two copies of it, one half as large as the other.
        """
        states = max(LEAST_STATES, memory // 2 // (_SET_BYTES + _SET_BYTES // 2))
        fresh = memory // 4
        out = min(sets.OUT, max(64, fresh // (4 * _SET_BYTES)))
        return cls(states, fresh, memory // 8, out)
