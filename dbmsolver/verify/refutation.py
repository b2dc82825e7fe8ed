"""Refutations of a store: the first counterexample, as a sentence and a board."""

from __future__ import annotations

from dbmsolver.game.position import Position
from dbmsolver.storage.records import describe
from dbmsolver.verify.catalog import StoredBlock
from dbmsolver.verify.kernels import blocks as b
from dbmsolver.verify.kernels import digits as d
from dbmsolver.verify.kernels import expand as e
from dbmsolver.verify.kernels import partition as s
from dbmsolver.verify.kernels import planes as a
from dbmsolver.verify.kernels import record_expand as r
from dbmsolver.verify.kernels import record_table as t

_REASONS = {
    a.BAD_SIGNATURE: "a closed key has foundations or locked cards that cannot be",
    a.BAD_FIELDS: "a closed key has a card where no move can put it",
    a.TOO_MANY_CELLS: "a closed key has more cards in freecells than there are freecells",
    a.TOO_MANY_COLUMNS: "a closed key has more columns than there are",
    a.COLLISION: "a closed key has two cards on one, or a card on one that lies in no column",
    a.RING: "a closed key has cards that lie on each other in a ring",
    d.NO_POSITION: "a closed key is no position of the deal",
    d.OTHER_SIGNATURE: "the signature of a closed position is not that of its key",
    b.BAD_WIDTH: "the local keys of a signature have the wrong width",
    b.BAD_KEY: "a local key has more bits than its loose cards need",
    s.TWICE: "a position is closed twice",
    s.UNKNOWN_CLASS: "a closed position is of a class that no moves from the deal lead to",
    e.GOAL: "a closed position is a goal: all cards are home",
    e.BAD_CODE: "the parent-move code of a closed position cannot be undone",
    e.NOT_FORCED: "the parent of a closed position has a forced move that leads elsewhere",
    t.BAD_FIX: "a closed record has cards said to lie in columns where that cannot be told",
    r.NOT_NORMAL: "a closed record is not in normal form",
    r.TOO_MANY_MACROS: f"a closed record has more than {t.MOST_MACROS:,} macros",
    e.COSTS_BELOW_ZERO: (
        "the layer of a closed position does not fit its lower bound: "
        "only the deal has been reached with no moves made"
    ),
}


Words = tuple[int, int, int, int]
"""A state: signature and planes, or the words of another kind of key and zeros."""


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

    @classmethod
    def state(
        cls, error: int, signature: int, partition: s.PartitionStates, number: int
    ) -> Refuted:
        """Return the refutation by a wrong closed state of a partition."""
        return cls(_REASONS[error], words_of(signature, partition, number))


def key_refuted(error: int, place: StoredBlock, signature: int) -> Refuted:
    """Return the refutation by a key in a block that cannot be taken apart."""
    return Refuted(f"{_REASONS[error]} ({describe(place.key)}, signature {signature:#x})")


def words_of(signature: int, partition: s.PartitionStates, number: int) -> Words:
    """Return a state of a partition: signature and planes."""
    width = partition.planes.size // max(partition.codes.size, 1)
    planes = [int(word) for word in partition.planes[width * number : width * (number + 1)]]
    return signature, planes[0], planes[1], planes[2] if width == 3 else 0
