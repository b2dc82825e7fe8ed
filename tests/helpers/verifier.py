"""The kernels of the check, called for single positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dbmsolver.game.position import Position
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.closed_set import ClosedSet, States, enter, make_states
from dbmsolver.verify.kernels.closure import Task, check_states, make_found
from dbmsolver.verify.kernels.expand import make_successors
from dbmsolver.verify.kernels.opening import make_opening
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile
from dbmsolver.verify.kernels.states import make_table
from dbmsolver.verify.kernels.unpacking import Block, make_cursor, read_states
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
    codes: list[int]
    """The parent-move code of each move."""
    forced: bool
    digest: int
    made: list[int]
    """The moves made to each successor, where costs count."""

    def codes_to(self, words: Words) -> list[int]:
        """Return the codes of the moves that lead to a state."""
        ways = zip(self.successors, self.codes, strict=True)
        return [code for after, code in ways if after == words]


class Costs(NamedTuple):
    """The moves made to a state, its layer, and the length of the solution that is claimed."""

    made: int
    layer: int
    limit: int


def closed_set(*states: Words, words: int = 4, made: int = 0, code: int = 0) -> ClosedSet:
    """Return a set of states; the same moves are made to all of them, and all have one code."""
    slots = np.zeros((2 * len(states) + 2, words + 1), np.uint64)
    closed = ClosedSet(slots, np.zeros(len(states), np.int32), 0, 1, 0)
    rows = np.array(states, np.uint64).reshape(-1, 4)
    count = rows.shape[0]
    _, entered, _ = enter(
        closed, States(rows, np.full(count, code, np.uint16)), np.full(count, made, np.int16),
        count, 0, 0, np.zeros(count, np.uint64),
    )  # fmt: skip
    assert entered == count
    return closed


def task_of(
    root: Words = NOWHERE, costs: Costs | None = None, root_code: int = -1, free: bool = False
) -> Task:
    """Return what a state is checked for; it is a proof's without ``costs``."""
    layer, limit = (costs.layer, costs.limit) if costs else (0, 0)
    words = np.array(root, np.uint64)
    return Task(costs is not None, limit, words, 0, root_code, free, True, layer, 0, 1)


_NOTHING_CLOSED = closed_set()._replace(part=4, parts=3)
"""A set of which no state is: none is of its part."""
_AFTER = make_successors(1 << 14)


def expand_one(
    tables: Any,
    words: Words,
    code: int = 0,
    root: Words = NOWHERE,
    costs: Costs | None = None,
    root_code: int = -1,
    table: Any = None,
) -> Expanded:
    """Return what the kernel finds out about a state; it is a proof's without ``costs``.

    ``table`` is scratch memory; that of games of columns is made if there is none. What moves lead
    to is not looked up: no state is of the part that is in memory.
    """
    table = make_table(tables) if table is None else table
    closed, after, found = _NOTHING_CLOSED, _AFTER, make_found()
    after.codes[:] = -9
    states = States(np.array([words], np.uint64), np.array([code], np.uint16))
    made = np.array([costs.made if costs else 0], np.int16)
    free = isinstance(tables, Pile | Pairs)
    if isinstance(tables, Format):
        free = tables.rules.forced_free
    task = task_of(root, costs, root_code, free)
    error = check_states(tables, closed, task, states, made, 1, 0, table, after, found)
    count = 0 if error else int((after.codes != -9).sum())
    rows = [(int(a), int(b), int(c), int(d)) for a, b, c, d in after.rows[:count].tolist()]
    forced, digest = bool(found.forced[0]), int(found.digest[0])
    codes, all_made = after.codes[:count].tolist(), after.made[:count].tolist()
    return Expanded(int(error), rows, codes, forced, digest, all_made)


def block_of(signature: int, keys: list[int], words: int = 1) -> Block:
    """Return a block of one signature, with these words of local keys, sorted."""
    planes = np.array([keys], np.uint64).reshape(-1, words)
    planes[1:] -= planes[:-1].copy()
    flat = planes.view(np.uint8).reshape(-1, 8 * words).T.ravel().copy()
    count = len(keys) // words
    signatures, counts = np.array([signature], np.uint64), np.array([count], np.int64)
    return Block(signatures, counts, words, flat, np.zeros(count, np.uint16))


def read_rows(tables: Any, block: Block, layer: int = 0) -> tuple[int, list[Words]]:
    """Return an error, 0 if there is none, and the states of a block."""
    states = make_states(block.codes.size + 1)
    error, count = read_states(tables, block, layer, make_cursor(), states, make_opening())
    rows = [] if error else states.rows[:count].tolist()
    return int(error), [(int(a), int(b), int(c), int(d)) for a, b, c, d in rows]
