"""The states of pairing games that are looked up: what moves lead to, and what led here.

:mod:`dbmsolver.verify.pair_keys` says what the keys and codes mean, and
:mod:`dbmsolver.verify.kernels.pairs` makes the moves.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dbmsolver.verify.kernels.pairs import (
    FACTS,
    LAYERS,
    STRATA,
    find_parents,
    list_successors,
)
from dbmsolver.verify.leaving_format import Flags, Ints, Moved, Words
from dbmsolver.verify.pair_keys import FIRST, PairKeyFormat

_TOGETHER = 1 << 12
"""States whose moves are in memory at once."""


class PairFormat(PairKeyFormat):
    """The keys of one deal, and the rules, read from the deal alone."""

    first_code = FIRST
    far = 2

    def are_of_layer(self, states: Ints, layer: int) -> Flags:
        """Return a flag for each state that can be of a layer: keys do not tell."""
        return np.ones(states.shape[0], np.bool_)

    def are_won(self, states: Ints) -> Flags:
        """Return a flag for each state of which nothing has to go any more."""
        won: Flags = (states[:, :-3] == 0).all(1)
        if self.deal.rules.pairs == "all":
            won &= states[:, -1] == 0
        return won

    def successors(self, keys: Words, states: Ints, layer: int) -> Iterator[Moved]:
        """Yield, by how many cards leave the pyramid, the states and what their moves lead to."""
        free = self.pairs.columns + 2
        room = min(keys.size, _TOGETHER) * (free * (free + 1) // 2 + 1)
        after, sources = np.empty(room, np.uint64), np.empty(room, np.int64)
        facts = np.empty((room, FACTS), np.int64)
        for start in range(0, keys.size, _TOGETHER):
            some = slice(start, start + _TOGETHER)
            count = list_successors(self.pairs, states[some], after, facts, sources)
            before = keys[some][sources[:count]]
            yield from _by_strata(before, after[:count], layer + facts[:count, LAYERS], facts)

    def parents(
        self, keys: Words, states: Ints, codes: Ints, layer: int
    ) -> tuple[Flags, Iterator[Moved]]:
        """Return a flag for each code that stands for no legal move, and the states before.

        There are states before only where no flag is set.
        """
        parents, wrong = np.zeros(keys.size, np.uint64), np.zeros(keys.size, np.bool_)
        facts = np.zeros((keys.size, FACTS), np.int64)
        find_parents(self.pairs, keys, states, codes, parents, facts, wrong)
        return wrong, _by_strata(keys, parents, layer - facts[:, LAYERS], facts)


def _by_strata(keys: Words, others: Words, layers: Ints, facts: Ints) -> Iterator[Moved]:
    """Yield states with those of their moves, by the strata that lie between."""
    strata = facts[: keys.size, STRATA]
    for number in range(PairFormat.far + 1):
        some = strata == number
        yield Moved(keys[some], others[some], layers[some], number)
