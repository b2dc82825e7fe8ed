"""One search of a wide game in memory, step by step: the part that all of them share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.moves import Move
from dbmsolver.kits.wide.keys import Row, WideKeys
from dbmsolver.kits.wide.search import (
    BYTES_BESIDE,
    EXPANDED,
    FULL,
    GIVEN_UP,
    LAYER,
    MET,
    OPEN,
    USED,
    Frontier,
    explore,
    make_frontier,
    with_slots,
)
from dbmsolver.kits.wide.tables import row_words

AT_ONCE = 1 << 13
"""States that are met before limits are looked at."""
_ALLOCATED = 8 << 20
"""Bytes that are needed beside the states."""


class Exploration:
    """One search, in the memory that is given.

    ``most`` is the number of states that it meets at most, ``memory`` the bytes that they may take.
    ``weights`` are those of its values, or None for layers of moves made plus a bound.
    """

    def __init__(
        self, keys: WideKeys, weights: NDArray[np.int64] | None, most: int, memory: int
    ) -> None:
        self.keys = keys
        self.most = most
        self.memory = memory
        layers = weights is None
        self.weights = np.ones(1, np.int64) if weights is None else weights
        self.frontier: Frontier = make_frontier(keys.tables, keys.root, most, layers)
        self.result = GIVEN_UP

    @property
    def met(self) -> int:
        """The number of states that were met."""
        return int(self.frontier.state[MET])

    @property
    def expanded(self) -> int:
        """The number of states that are expanded."""
        return int(self.frontier.state[EXPANDED])

    @property
    def open(self) -> int:
        """The number of states that are not expanded."""
        return int(self.frontier.state[OPEN])

    @property
    def layer(self) -> int:
        """The layer that is being closed."""
        return int(self.frontier.state[LAYER])

    @property
    def digest(self) -> int:
        """The sum of the hashes of the states that are expanded."""
        return int(self.frontier.digest[0])

    def _is_full(self) -> bool:
        """Return True if the states take all the memory that they may take."""
        return 8 * int(self.frontier.state[USED]) + BYTES_BESIDE * self.met > self.memory

    def step(self) -> bool:
        """Go on for a moment; return True once the result is known or there is no room."""
        limit = min(self.most, self.met + AT_ONCE)
        self.frontier = with_slots(self.frontier, limit)
        self.result = int(explore(self.keys.tables, self.frontier, self.weights, limit))
        if self.result == GIVEN_UP and self._is_full():
            self.result = FULL
        return self.result != GIVEN_UP or self.met >= self.most

    def moves(self) -> list[Move]:
        """Return the moves of the solution that was found."""
        rows: list[Row] = []
        number, f = self.result, self.frontier
        while number >= 0:
            rows.append(f.words[f.starts[number] : f.starts[number + 1]])
            number = int(f.parent[number])
        return self.keys.moves_along(rows[::-1])


def most_states(keys: WideKeys, memory: int) -> int:
    """Return the number of states of a search that has this memory, in bytes.

    Most rows have little more than half of the words that a row may have.
    """
    words = row_words(keys.tables) * 6 // 10
    return max(1 << 10, (memory - _ALLOCATED) // (8 * words + BYTES_BESIDE))
