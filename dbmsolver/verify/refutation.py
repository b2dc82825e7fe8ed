"""Refutations of a store: the first counterexample, as a sentence and a board."""

from __future__ import annotations

from dbmsolver.game.position import Position
from dbmsolver.verify.kernels import errors as e
from dbmsolver.verify.kernels.record_layout import MOST_MACROS
from dbmsolver.verify.kernels.words import Words

_REASONS = {
    e.BAD_SIGNATURE: "a closed key has foundations or locked cards that cannot be",
    e.BAD_FIELDS: "a closed key has a card where no move can put it",
    e.TOO_MANY_CELLS: "a closed key has more cards in freecells than there are freecells",
    e.TOO_MANY_COLUMNS: "a closed key has more columns than there are",
    e.COLLISION: "a closed key has two cards on one, or a card on one that lies in no column",
    e.RING: "a closed key has cards that lie on each other in a ring",
    e.NO_POSITION: "a closed key is no position of the deal",
    e.OTHER_SIGNATURE: "the signature of a closed position is not that of its key",
    e.OTHER_LAYER: "a closed position is in another layer's block",
    e.BAD_CLASS: "a closed key is no class of the deal",
    e.BAD_WIDTH: "the local keys of a signature have the wrong width",
    e.BAD_KEY: "a local key has more bits than its loose cards need",
    e.TOO_WIDE: "a key has more bits than it can have",
    e.UNKNOWN_CLASS: "a closed position is of a class that no moves from the deal lead to",
    e.GOAL: "a closed {} is a goal: all cards are home",
    e.BAD_CODE: "the deal's parent-move code is not its own, or another position has it",
    e.BAD_FIX: "a closed record has cards said to lie in columns where that cannot be told",
    e.NOT_NORMAL: "a closed record is not in normal form",
    e.TOO_MANY_MACROS: f"a closed record has more than {MOST_MACROS:,} macros",
    e.BAD_LAYER: (
        "the layer of a closed position does not fit its lower bound: "
        "only the deal has been reached with no moves made"
    ),
}


StateWords = tuple[int, int, int, int]
"""A state: the words of its key, and zeros."""


class Refuted(Exception):
    """The store's claim does not hold, or not for the reasons that the store gives.

    ``shown`` is a state or position to show, and ``other`` a second one; ``relation`` names its
    relation to the first.
    """

    def __init__(
        self,
        reason: str,
        shown: StateWords | Position | None = None,
        other: StateWords | Position | None = None,
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


def words_of(row: Words) -> StateWords:
    """Return the words of a state in a row of an array."""
    first, second, third, fourth = (int(word) for word in row)
    return first, second, third, fourth
