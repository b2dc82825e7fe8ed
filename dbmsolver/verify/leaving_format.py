"""The keys of games whose cards only leave, as their check works with them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.kinds import is_position
from dbmsolver.verify.kernels.leaving import LeavingKeys, key_of
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile
from dbmsolver.verify.kernels.words import Ints, Words


class LeavingFormat(ABC):
    """The form of the keys of one deal, and its moves, made from the deal and nothing else.

    A state is a row of fields, which stand in its key; ``keys`` says where. ``game`` has the moves.
    No solution is shorter than ``least`` moves.
    """

    first_code: ClassVar[int]
    """The code of the deal, which has no parent."""
    game: Pile | Pairs
    keys: LeavingKeys
    least: int

    def __init__(self, deal: Deal) -> None:
        self.deal = deal

    @property
    def first(self) -> Ints:
        """The state that is dealt."""
        return self.keys.first

    @property
    def root(self) -> int:
        """The key of the deal."""
        return int(key_of(self.keys, self.first))

    def progress(self, signatures: Words) -> Ints:
        """Return the stratum of each signature: the cards that its fields have lost."""
        k = self.keys
        inside = (k.shifts >= k.cut) & (k.shifts < k.cut + k.signature_bits)
        own = signatures & np.uint64((1 << k.signature_bits) - 1)
        fields = own[:, None] >> (k.shifts[inside] - k.cut).astype(np.uint64)
        left = fields.astype(np.int64) & k.masks[inside]
        gone: Ints = (k.first[inside] - left).sum(1)
        return gone

    def fields(self, key: int) -> list[int] | None:
        """Return the state of a key; None if it is no position of the deal."""
        state = np.zeros(self.first.size, np.int64)
        if key >> 64 or not is_position(self.game, np.uint64(key), state):
            return None
        return state.tolist()

    @abstractmethod
    def position(self, key: int) -> Position | None:
        """Return the position of a key; None if it is none."""


def cards_of_piles(piles: list[list[int]]) -> Ints:
    """Return the cards of each pile, int64[piles, *], filled up with -1."""
    cards = np.full((len(piles), max(1, *map(len, piles))), -1, np.int64)
    for number, pile in enumerate(piles):
        cards[number, : len(pile)] = pile
    return cards
