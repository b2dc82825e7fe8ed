"""Refutations of a store: the first counterexample, as a sentence and a board."""

from __future__ import annotations

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.storage.records import describe
from dbmsolver.verify.catalog import StoredBlock
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels import arrange as a
from dbmsolver.verify.kernels import back as k
from dbmsolver.verify.kernels import blocks as b
from dbmsolver.verify.kernels import expand as e
from dbmsolver.verify.kernels import partition as s
from dbmsolver.verify.kernels import record_expand as r
from dbmsolver.verify.kernels import record_table as t

_REASONS = {
    a.BAD_SIGNATURE: "a closed key has foundations or locked cards that cannot be",
    a.BAD_FIELDS: "a closed key has a card where no move can put it",
    a.TOO_MANY_CELLS: "a closed key has more cards in freecells than there are freecells",
    a.TOO_MANY_COLUMNS: "a closed key has more columns than there are",
    a.COLLISION: "a closed key has two cards on one, or a card on one that lies in no column",
    a.RING: "a closed key has cards that lie on each other in a ring",
    b.BAD_WIDTH: "the local keys of a signature have the wrong width",
    b.BAD_KEY: "a local key has more bits than its loose cards need",
    s.TWICE: "a position is closed twice",
    e.GOAL: "a closed position is a goal: all cards are home",
    k.BAD_CODE: "the parent-move code of a closed position cannot be undone",
    k.NOT_FORCED: "the parent of a closed position has a forced move that leads elsewhere",
    t.BAD_FIX: "a closed record has cards said to lie in columns where that cannot be told",
    r.NOT_NORMAL: "a closed record is not in normal form",
    r.TOO_MANY_MACROS: f"a closed record has more than {t.MOST_MACROS:,} macros",
    e.COSTS_BELOW_ZERO: (
        "the layer of a closed position does not fit its lower bound: "
        "only the deal has been reached with no moves made"
    ),
}


class Refuted(Exception):
    """The store's claim does not hold, or not for the reasons that the store gives.

    ``words`` is a state to show, (signature, off, low, high), and ``other`` a second one;
    ``relation`` names its relation to the first.
    """

    def __init__(
        self,
        reason: str,
        words: tuple[int, int, int, int] | None = None,
        other: tuple[int, int, int, int] | None = None,
        relation: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.words = words
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


def words_of(
    signature: int, partition: s.PartitionStates, number: int
) -> tuple[int, int, int, int]:
    """Return a state of a partition: signature and planes."""
    width = partition.planes.size // max(partition.codes.size, 1)
    planes = [int(word) for word in partition.planes[width * number : width * (number + 1)]]
    return signature, planes[0], planes[1], planes[2] if width == 3 else 0


def position_of(form: Format, deal: Deal, words: tuple[int, int, int, int]) -> Position | None:
    """Return the position of a state, its columns where the deal has their bottom cards.

    None if there is no such position.
    """
    signature, off, low, high = map(np.uint64, words)
    error, home, locked = a.take_signature(form, signature)
    if error:
        return None
    board = a.make_board()
    # Numba returns plain integers, and would compile anew for them.
    error, used = a.arrange(form, np.uint64(home), np.uint64(locked), off, low, high, board)
    if error:
        return None
    piles = [tuple(board.columns[i, : board.lengths[i]].tolist()) for i in range(used)]
    columns: list[tuple[int, ...]] = [()] * form.columns
    dealt, base = deal.position.turned(), deal.position.base
    homes = {column[0]: index for index, column in enumerate(dealt.columns) if column}
    rest = []
    for pile in piles:
        index = homes.get(pile[0])
        if index is None:
            rest.append(pile)
        else:
            columns[index] = pile
    for index in range(form.columns):
        if not columns[index] and rest:
            columns[index] = rest.pop(0)
    in_cells = int(off) & ~int(low) & ~int(high)
    back = int(off) & int(high)
    cells = [card for card in range(52) if in_cells >> card & 1]
    empty = [None] * (form.freecells - len(cells))
    heights = [
        (words[0] >> (4 * suit) & 15) + sum(back >> card & 1 for card in range(suit, 52, 4))
        for suit in range(4)
    ]
    return Position(
        tuple(tuple(map(base.card, column)) for column in columns),
        (*map(base.card, cells), *empty),
        (heights[0], heights[1], heights[2], heights[3]),
        base=base,
    )
