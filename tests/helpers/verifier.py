"""The kernels of the check, called for single positions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.position import Position
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.board import make_boards
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.expand import MOST_ROWS, CheckTask, expand, make_arrays
from dbmsolver.verify.kernels.partition import PartitionStates, RunIndex
from dbmsolver.verify.kernels.pieces import MOST_BITS
from dbmsolver.verify.kernels.rows import KIND, SUCCESSOR, WANT
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME, LOCKED

Words = tuple[int, int, int, int]
SEEDS = range(12)
NOWHERE = (0, 0, 0, 1)


def encode(form: Format, position: Position) -> Words:
    """Return a position as signature and planes, card by card."""
    position = position.turned()
    heights = list(position.foundations)
    back: list[int] = []
    if form.comes_back and min(heights) < 13:
        kept = form.rules.kept
        back = [4 * r + s for s, height in enumerate(heights) for r in range(kept, height)]
        heights = [kept] * 4
    signature = sum(height << (4 * suit) for suit, height in enumerate(heights))
    places = dict.fromkeys(back, HOME)
    places |= {card: FREECELL for card in position.freecells if card is not None}
    for column in position.columns:
        for card, under in zip(column, (-1, *column), strict=False):
            places[card] = place_on(form, card, under)
    planes = [0, 0, 0]
    for card, place in places.items():
        if place == LOCKED:
            signature += 1 << int(form.column_shift[form.dealt_column[card]])
        for plane, bits in enumerate((form.off, form.low, form.high)):
            planes[plane] |= int(bits[place]) << card
    return signature, planes[0], planes[1], planes[2]


def place_on(form: Format, card: int, under: int) -> int:
    if form.dealt_place[card] == LOCKED and form.dealt_under[card] == under:
        return LOCKED
    if under < 0:
        return BOTTOM
    return form.rules.takers[card].tolist().index(under)


def place_of(form: Format, position: Position, card: int) -> int:
    if card in position.freecells:
        return FREECELL
    column = next((column for column in position.columns if card in column), None)
    if column is None:
        return HOME
    depth = column.index(card)
    return place_on(form, card, column[depth - 1] if depth else -1)


class Expanded(NamedTuple):
    """The kernel's result on one state."""

    error: int
    successors: list[Words]
    parents: list[Words]
    forced: bool
    digest: int
    made: list[int]
    """The moves made to each successor, where costs count."""
    made_before: list[int]
    """The moves made to each parent."""


class Costs(NamedTuple):
    """The moves made to a state, its layer, and the length of the solution that is claimed."""

    made: int
    layer: int
    limit: int


def expand_one(
    form: Format | DigitFormat,
    words: Words,
    code: int = 0,
    root: Words = NOWHERE,
    costs: Costs | None = None,
) -> Expanded:
    """Return what the kernel finds out about a state; it is a proof's without ``costs``."""
    made, layer, limit = costs or Costs(0, 0, 0)
    work = make_arrays(2 * MOST_ROWS, layer + 1)
    zero, none = np.zeros(1, np.int64), np.empty(0, np.int64)
    index = RunIndex(
        np.array(words[:1], np.uint64), zero, zero, zero - 1, none, np.empty(0, np.uint64),
        np.empty((0, 1 + MOST_BITS), np.int64), np.empty((0, 1 << MOST_BITS), np.int16),
    )  # fmt: skip
    partition = PartitionStates(
        planes=np.array(words[1 : 1 + form.planes], np.uint64),
        codes=np.array([code], np.uint16),
        made=np.full(1, made, np.int16),
        firsts=np.array([0, 1]),
        slots=np.zeros(16, np.uint32),
    )
    segments = np.array([[0, 0, 1, layer]])
    task = CheckTask(costs is not None, limit, np.array(root, np.uint64), 0, 0)
    boards = make_boards()
    error = expand(form, index, task, partition, segments, boards, work)
    rows = [[int(word) for word in row] for row in work.rows[: work.place[2]]]
    split: tuple[list[Words], list[Words]] = ([], [])
    wanted: tuple[list[int], list[int]] = ([], [])
    for row in rows:
        is_parent = row[4] >> KIND != SUCCESSOR
        split[is_parent].append((row[0], row[1], row[2], row[3]))
        wanted[is_parent].append(row[4] >> WANT & 0xFFFF)
    forced, digest = bool(work.counts[layer, 1]), int(work.digest[0])
    return Expanded(int(error), *split, forced, digest, *wanted)
