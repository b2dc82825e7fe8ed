"""The keys of games whose cards only leave, as their check works with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.leaving import FACTS, LAYERS, STRATA, key_of, unpack_keys
from dbmsolver.verify.kernels.leaving_moves import find_parents, list_successors
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Body = Any
"""The body of a block, as it is read."""
CODE_BYTES = 1
_TOGETHER = 1 << 12
"""States whose moves are in memory at once."""


class Moved(NamedTuple):
    """States, and those that their moves lead to, or that led to them."""

    keys: Words
    others: Words
    layers: Ints  # of the others
    strata: int  # how many strata lie between


class LeavingFormat(ABC):
    """The form of the keys of one deal, and its moves, made from the deal and nothing else.

    A key is taken apart into a state, which is a row of an array. ``first`` is the state that is
    dealt. A key consists of a local key, which has ``local_bits`` bits, and of its signature, which
    has ``signature_bits``: these stand between the bits of the local key below bit ``cut`` and its
    other bits. No state has more than ``most_moves`` moves. ``layered`` is True if the states are
    those of a search for a shortest solution. No solution is shorter than ``least`` moves.
    """

    first_code: ClassVar[int]
    """The code of the deal, which has no parent."""
    far: ClassVar[int]
    """The most strata that a move leads up."""
    game: Pile | Pairs
    first: Ints
    cut: int
    signature_bits: int
    local_bits: int
    most_moves: int
    least: int

    def __init__(self, deal: Deal, layered: bool = False) -> None:
        self.deal = deal
        self.layered = layered

    @property
    def root(self) -> int:
        """The key of the deal."""
        return int(key_of(self.game, self.first))

    @property
    def root_layer(self) -> int:
        """The layer of the deal; 0 in a proof."""
        return self.least if self.layered else 0

    @abstractmethod
    def second_word(self, layer: int) -> int:
        """Return the second word of the public keys of a layer."""

    def read(self, signatures: Words, counts: Ints, body: Body, layer: int) -> Words | None:
        """Return the public keys of a block; None if some have bits that no key of a layer has."""
        keys = np.empty(body.states, np.uint64)
        inside = self.cut, self.signature_bits, self.local_bits, self.second_word(layer)
        return keys if unpack_keys(signatures, counts, body, *inside, keys) else None

    def take_apart(self, keys: Words) -> Ints:
        """Take keys apart, whether they can be keys or not: a state for each."""
        fields = (keys[:, None] >> self.game.shifts.astype(np.uint64)).astype(np.int64)
        states: Ints = fields & self.game.masks
        return states

    def fit(self, keys: Words) -> Flags:
        """Return a flag for each word: True if no bit is set above those of a key."""
        fits: Flags = keys >> np.uint64(self.local_bits + self.signature_bits) == 0
        return fits

    @abstractmethod
    def are_positions(self, keys: Words, states: Ints) -> Flags:
        """Return a flag for each key that is a position."""

    @abstractmethod
    def are_of_layer(self, states: Ints, layer: int) -> Flags:
        """Return a flag for each state that can be of a layer."""

    @abstractmethod
    def strata(self, states: Ints) -> Ints:
        """Return the stratum of each state."""

    @abstractmethod
    def are_won(self, states: Ints) -> Flags:
        """Return a flag for each won state."""

    @abstractmethod
    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""

    def successors(self, keys: Words, states: Ints, layer: int) -> Iterator[Moved]:
        """Yield, by the strata that lie between, the states and what their moves lead to."""
        room = min(keys.size, _TOGETHER) * self.most_moves
        after, sources = np.empty(room, np.uint64), np.empty(room, np.int64)
        facts = np.empty((room, FACTS), np.int64)
        for start in range(0, keys.size, _TOGETHER):
            some = slice(start, start + _TOGETHER)
            count = list_successors(self.game, states[some], after, facts, sources)
            before = keys[some][sources[:count]]
            layers = layer + facts[:count, LAYERS]
            yield from self._by_strata(before, after[:count], layers, facts[:count, STRATA])

    def parents(
        self, keys: Words, states: Ints, codes: Ints, layer: int
    ) -> tuple[Flags, Iterator[Moved]]:
        """Return a flag for each code, True if it stands for no legal move; and the parents.

        Parents are to be taken only if no flag is set.
        """
        parents, wrong = np.zeros(keys.size, np.uint64), np.zeros(keys.size, np.bool_)
        facts = np.zeros((keys.size, FACTS), np.int64)
        find_parents(self.game, self.most_moves, keys, states, codes, parents, facts, wrong)
        return wrong, self._by_strata(keys, parents, layer - facts[:, LAYERS], facts[:, STRATA])

    def _by_strata(self, keys: Words, others: Words, layers: Ints, strata: Ints) -> Iterator[Moved]:
        for number in range(self.far + 1):
            some = strata == number
            yield Moved(keys[some], others[some], layers[some], number)


def places_of(piles: list[list[int]], cards: int) -> tuple[Ints, Ints, Ints]:
    """Return three arrays: the cards of each pile; for each card its pile; its depth in the pile.

    The first is int64[piles, *], filled up with -1. The others are int64[``cards``]; the pile of
    numbers that are no card of the deal is -1.
    """
    lying = np.full((len(piles), max(1, *map(len, piles))), -1, np.int64)
    source, depth = np.full(cards, -1, np.int64), np.zeros(cards, np.int64)
    for number, pile in enumerate(piles):
        lying[number, : len(pile)] = pile
        source[pile], depth[pile] = number, range(len(pile))
    return lying, source, depth
