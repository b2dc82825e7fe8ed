"""States of games of columns one by one: their cards, and what their moves lead to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.verify.kernels.board import ALL_HOME, COST
from dbmsolver.verify.kernels.closed_set import Ints, Words
from dbmsolver.verify.kernels.errors import GOAL
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.planes import State
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.states import (
    after_move,
    code_of,
    hash_public,
    lay_out,
    take_signature,
)
from dbmsolver.verify.kernels.words import ZERO


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


@inner
def take_sets(f, signature, table):
    """Return (error, (home cards, locked cards)) of a signature."""
    error, home, locked = take_signature(f, signature)
    return error, (home, locked)


@inlined
def state_of(sets, row):
    """Return the state of four words."""
    return State(row[0], sets[0], sets[1], row[1], row[2], row[3])


@inlined
def expand_cards(f, sets, row, layer, table, after, end):
    """Lay a state out, and list the states that its moves lead to."""
    state, board = state_of(sets, row), table.board
    error, laid = lay_out(f, state, board)
    if error:
        return wrong(error, end)
    if laid.heights == ALL_HOME:
        return wrong(GOAL, end)
    forced = forced_card(f.rules, laid.heights, laid.tops | laid.cells)
    for number in range(list_moves(f.rules, board, laid, forced)):
        move = board.moves[number]
        words = after_move(f, state, board, laid, move)
        write(after, end, words, code_of(f, state, board, laid, move), move[COST])
        end += 1
    return Seen(0, forced >= 0, hash_public(f, state), end)


@inlined
def write(after, at, state, code, cost):
    """Write a state that a move leads to."""
    row = after.rows[at]
    row[0], row[1], row[2], row[3] = state.signature, state.off, state.low, state.high
    after.codes[at], after.made[at] = code, cost


@inlined
def lay_cards(f, sets, row, table):
    """Lay a state out for its lower bound: (error, the rest of the position)."""
    return lay_out(f, state_of(sets, row), table.board)


@inlined
def lay_nothing(f, run, row, table):
    """Lay nothing out, where there is no lower bound."""
    return 0, 0


@inlined
def no_bound(f, table, nothing):
    """Return 0, where no moves are counted, or where layers take the place of moves made."""
    return 0
