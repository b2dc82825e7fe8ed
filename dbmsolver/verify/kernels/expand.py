"""States of games of columns one by one: their cards, and what their moves lead to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.board import ALL_HOME, COST, Board, make_board
from dbmsolver.verify.kernels.bound import lower_bound
from dbmsolver.verify.kernels.class_distances import NO_CLASS, Distances, moves_by_class
from dbmsolver.verify.kernels.classes import ClassBoard
from dbmsolver.verify.kernels.classes import make_board as make_class_board
from dbmsolver.verify.kernels.errors import GOAL
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.positions import (
    Tables,
    after_move,
    code_of,
    hash_public,
    lay_out,
    state_of,
)
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.words import ZERO, Ints, Words


@struct
class Successors(NamedTuple):
    """States that moves lead to, until they are looked up."""

    rows: Words  # [*, 4]
    codes: Ints  # the parent-move code of the move
    made: Ints  # what the move costs; then the moves made to the state
    sources: Ints  # the index of the state that the move begins in
    hashes: Words


def make_successors(most: int) -> Successors:
    """Return room for this many of them."""
    codes, made, sources = (np.zeros(most, np.int64) for _ in range(3))
    rows, hashes = np.zeros((most, 4), np.uint64), np.zeros(most, np.uint64)
    return Successors(rows, codes, made, sources, hashes)


class Seen(NamedTuple):
    """Findings about a state."""

    error: int
    forced: bool  # a move is forced
    hashed: np.uint64  # the hash of its public key
    end: int  # the end of the list of successors, with those of the state


@inlined
def wrong(error, end):
    """Return the findings about a state that must not be closed."""
    return Seen(error, False, ZERO, end)


@struct
class Table(NamedTuple):
    """Scratch memory of one thread: the board, and that for distances of classes."""

    board: Board
    classes: ClassBoard | None  # None where no distances are wanted


def make_table(tables: Tables) -> Table:
    """Return scratch memory."""
    distances = tables.distances
    classes = make_class_board(distances.game) if isinstance(distances, Distances) else None
    return Table(make_board(), classes)


@inlined
def expand_cards(f, row, layer, table, after, end):
    """Lay a state out, and list the states that its moves lead to."""
    state, board = state_of(row), table.board
    error, laid = lay_out(f, state, board)
    if error:
        return wrong(error, end)
    if laid.heights == ALL_HOME:
        return wrong(GOAL, end)
    forced = forced_card(f.rules, laid.heights, laid.tops | laid.cells)
    for number in range(list_moves(f.rules, board, laid, forced)):
        move = board.moves[number]
        code = code_of(f, state, laid, move)
        write(after, end, after_move(f, state, laid, move), code, move[COST])
        end += 1
    return Seen(0, forced >= 0, hash_public(f, state), end)


@inlined
def write(after, at, state, code, cost):
    """Write a state that a move leads to."""
    row = after.rows[at]
    row[0], row[1], row[2], row[3] = state.ones, state.twos, state.fours, ZERO
    after.codes[at], after.made[at] = code, cost


@kernel
def bound_of_cards(f, row, table):
    """Return (error, a lower bound of the moves to come from a state).

    Where distances of classes are known, it is the larger one of two.
    """
    error, laid = lay_out(f, state_of(row), table.board)
    if error:
        return error, np.int64(0)
    by_class = moves_by_class(f.distances, f, laid, table.classes)
    if by_class == NO_CLASS:
        return error, by_class
    return error, max(by_class, np.int64(lower_bound(f.rules, table.board, laid)))
