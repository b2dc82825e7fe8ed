"""The kernels of the check, called for single positions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dbmsolver.game.cards import CARDS
from dbmsolver.game.position import Position
from dbmsolver.verify.blocks import Block
from dbmsolver.verify.kernels.board import make_board
from dbmsolver.verify.kernels.closed_set import ClosedSet, States, enter, make_states
from dbmsolver.verify.kernels.closure import Task, check_states
from dbmsolver.verify.kernels.errors import BAD_KEY, BAD_SIGNATURE
from dbmsolver.verify.kernels.expand import make_successors, make_table
from dbmsolver.verify.kernels.leaving import Pairs, Pile
from dbmsolver.verify.kernels.opening import (
    PER_WORD,
    STOCK_IN_KEY,
    STOCK_IN_SIGNATURE,
    DigitKeys,
    PlaneKeys,
    open_states,
)
from dbmsolver.verify.kernels.positions import Tables, lay_out, state_in
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, FREECELL, HOME
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.patience_format import root_state

Words = tuple[int, int, int, int]
SEEDS = range(12)
NOWHERE = (0, 0, 0, 1)


def encode(form: Keys, position: Position) -> Words:
    """Return a position as a state, card by card."""
    position = position.turned()
    places = [HOME] * CARDS
    for cell_card in position.freecells:
        if cell_card is not None:
            places[cell_card] = FREECELL
    for column in position.columns:
        for card, under in zip(column, (-1, *column), strict=False):
            places[card] = place_on(form, card, under)
    return root_state(places)


def place_on(form: Keys, card: int, under: int) -> int:
    dealt_there = form.tables.dealt_on[card] == under
    if dealt_there and place_in(form.root, card) == AS_DEALT:
        return AS_DEALT
    if under < 0:
        return BOTTOM
    return form.tables.rules.takers[card].tolist().index(under)


def place_in(state: Words, card: int) -> int:
    """Return the place value of a card in a state."""
    return sum((word >> card & 1) << bit for bit, word in enumerate(state[:3]))


def place_of(form: Keys, position: Position, card: int) -> int:
    if card in position.freecells:
        return FREECELL
    column = next((column for column in position.columns if card in column), None)
    if column is None:
        return HOME
    depth = column.index(card)
    return place_on(form, card, column[depth - 1] if depth else -1)


def loose_cards(form: Keys, signature: int) -> set[int]:
    """Return the cards that a signature says to be neither home nor locked, if it can be."""
    k = form.form
    assert isinstance(k, PlaneKeys)
    heights = [signature >> 4 * suit & 15 for suit in range(4)]
    loose = {card for card in range(CARDS) if card >> 2 >= heights[card & 3]}
    for cards, shift, mask in zip(k.locked, k.column_shift, k.column_mask, strict=True):
        loose -= {*cards[: signature >> int(shift) & int(mask)].tolist()}
    return loose


def bits_of(form: Keys, signature: int) -> list[tuple[int, int]]:
    """Return the plane and the card that each bit of a signature's local keys stands for."""
    k, loose = form.form, loose_cards(form, signature)
    assert isinstance(k, PlaneKeys)
    return [
        (plane, card)
        for plane in range(3)
        for card in range(CARDS)
        if card in loose and int(k.varying[plane]) >> card & 1
    ]


def with_fixed(form: Keys, words: Words) -> list[int]:
    """Return planes, in which bits that never vary are 0 if they are as they have to be."""
    k, loose = form.form, sum(1 << card for card in loose_cards(form, words[0]))
    assert isinstance(k, PlaneKeys)
    fixed = [int(k.fixed[0]) & loose, int(k.fixed[1]) & loose, 0]
    return [plane ^ bits for plane, bits in zip(words[1:], fixed, strict=True)]


def opened(form: Keys, words: Words) -> tuple[int, Words | None]:
    """Return an error, 0 if there is none, and the state of a signature and planes.

    They are written as a local key. BAD_KEY if none says so.
    """
    planes, bits = with_fixed(form, words), bits_of(form, words[0])
    if len(bits) > 64:
        return opened_row(form, words[0], planes)
    key = 0
    for at, (plane, card) in enumerate(bits):
        key |= (planes[plane] >> card & 1) << at
        planes[plane] &= ~(1 << card)
    error, state = opened_row(form, words[0], [key])
    if any(planes) and error != BAD_SIGNATURE:
        return BAD_KEY, None
    return error, state


def opened_row(form: Keys, signature: int, key: list[int]) -> tuple[int, Words | None]:
    """Return an error, 0 if there is none, and the state of a signature and the words of a key."""
    error, rows = read_rows(form.form, block_of(signature, key, len(key)))
    return error, None if error else rows[0]


def error_of(form: Keys, found: tuple[int, Words | None]) -> int:
    """Return the error of a state that was made of a key, or the one of laying it out."""
    error, state = found
    if state is not None:
        error, _ = lay_out(form.tables, state_in(state), make_board())
    return int(error)


def signature_of(form: Keys, key: Any) -> int:
    """Return the signature of a key of digits."""
    words = [int(word) for word in key]
    signature = words[2] >> STOCK_IN_KEY << STOCK_IN_SIGNATURE
    assert isinstance(form.form, DigitKeys)
    for card, mark in enumerate(form.form.marks.tolist()):
        if words[card // PER_WORD] >> 3 * (card % PER_WORD) & 7:
            signature |= mark
    return signature & (1 << 64) - 1


def state_of_key(form: Keys, key: Any) -> Words:
    """Return the state of a key of digits."""
    error, state = opened_row(form, signature_of(form, key), [int(word) for word in key])
    assert state is not None, error
    return state


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
    closed = ClosedSet(slots, np.zeros(len(states), np.int32), 0, 1)
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
    tables = tables.tables if isinstance(tables, Keys) else tables
    table = make_table(tables) if table is None else table
    closed, after = _NOTHING_CLOSED, _AFTER
    after.codes[:] = -9
    states = States(np.array([words], np.uint64), np.array([code], np.uint16))
    made = np.array([costs.made if costs else 0], np.int16)
    free = isinstance(tables, Pile | Pairs)
    if isinstance(tables, Tables):
        free = tables.rules.forced_free
    task = task_of(root, costs, root_code, free)
    error, _, forced, digest = check_states(tables, closed, task, states, made, 1, 0, table, after)
    count = 0 if error else int((after.codes != -9).sum())
    rows = [(int(a), int(b), int(c), int(d)) for a, b, c, d in after.rows[:count].tolist()]
    codes, all_made = after.codes[:count].tolist(), after.made[:count].tolist()
    return Expanded(int(error), rows, codes, bool(forced), int(digest), all_made)


def block_of(signature: int, keys: ArrayLike, words: int = 1) -> Block:
    """Return a block of one signature, with these words of local keys, sorted."""
    rows = np.array([keys], np.uint64).reshape(-1, words)
    signatures, counts = np.array([signature], np.uint64), np.array([rows.shape[0]], np.int64)
    return Block(signatures, counts, words, rows, np.zeros(rows.shape[0], np.uint16))


def read_rows(form: Any, block: Block, layer: int = 0) -> tuple[int, list[Words]]:
    """Return an error, 0 if there is none, and the states of a block, by the form of its keys."""
    error, opened = open_rows(form, block, layer)
    rows = [] if error else opened.tolist()
    return error, [(int(a), int(b), int(c), int(d)) for a, b, c, d in rows]


def open_rows(form: Any, block: Block, layer: int = 0) -> tuple[int, NDArray[np.uint64]]:
    """Return the same with the states as an array, four words each."""
    states, count = make_states(block.codes.size), block.codes.size
    states.rows[:, 0], states.rows[:, 1 : 1 + block.words] = block.signatures[0], block.keys
    error, _ = open_states(form, block.words, layer, states, count)
    return int(error), states.rows
