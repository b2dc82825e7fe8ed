"""Refutations of a store: the first counterexample, as a sentence and a board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.position import Position
from dbmsolver.verify.kernels import classes as c
from dbmsolver.verify.kernels import closure as k
from dbmsolver.verify.kernels import digits as d
from dbmsolver.verify.kernels import expand as e
from dbmsolver.verify.kernels import expand_leaving as v
from dbmsolver.verify.kernels import opening as o
from dbmsolver.verify.kernels import planes as p
from dbmsolver.verify.kernels import record_expand as r
from dbmsolver.verify.kernels import record_table as t

_REASONS = {
    p.BAD_SIGNATURE: "a closed key has foundations or locked cards that cannot be",
    p.BAD_FIELDS: "a closed key has a card where no move can put it",
    p.TOO_MANY_CELLS: "a closed key has more cards in freecells than there are freecells",
    p.TOO_MANY_COLUMNS: "a closed key has more columns than there are",
    p.COLLISION: "a closed key has two cards on one, or a card on one that lies in no column",
    p.RING: "a closed key has cards that lie on each other in a ring",
    d.NO_POSITION: "a closed key is no position of the deal",
    d.OTHER_SIGNATURE: "the signature of a closed position is not that of its key",
    v.NO_STATE: "a closed key is no position of the deal",
    v.OTHER_LAYER: "a closed position is in another layer's block",
    c.BAD_CLASS: "a closed key is no class of the deal",
    o.BAD_WIDTH: "the local keys of a signature have the wrong width",
    o.BAD_KEY: "a local key has more bits than its loose cards need",
    o.TOO_WIDE: "a key has more bits than it can have",
    k.UNKNOWN_CLASS: "a closed position is of a class that no moves from the deal lead to",
    e.GOAL: "a closed {} is a goal: all cards are home",
    k.BAD_CODE: "the deal's parent-move code is not its own, or another position has it",
    t.BAD_FIX: "a closed record has cards said to lie in columns where that cannot be told",
    r.NOT_NORMAL: "a closed record is not in normal form",
    r.TOO_MANY_MACROS: f"a closed record has more than {t.MOST_MACROS:,} macros",
    k.COSTS_BELOW_ZERO: (
        "the layer of a closed position does not fit its lower bound: "
        "only the deal has been reached with no moves made"
    ),
}


Words = tuple[int, int, int, int]
"""A state: the words of its key, and zeros."""


class Refuted(Exception):
    """The store's claim does not hold, or not for the reasons that the store gives.

    ``shown`` is a state or position to show, and ``other`` a second one; ``relation`` names its
    relation to the first.
    """

    def __init__(
        self,
        reason: str,
        shown: Words | Position | None = None,
        other: Words | Position | None = None,
        relation: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.shown = shown
        self.other = other
        self.relation = relation


def reason_of(error: int, noun: str) -> str:
    """Return the words of an error of a closed state; ``noun`` says what states are called."""
    return _REASONS[error].format(noun)


def words_of(row: NDArray[np.uint64]) -> Words:
    """Return the words of a state in a row of an array."""
    first, second, third, fourth = (int(word) for word in row)
    return first, second, third, fourth
