"""Closed states one by one: their cards, their moves, and the move that led to them.

Each state is laid out, and its moves are listed by :mod:`dbmsolver.verify.kernels.moves`. The
states that they lead to become rows to be looked up (:mod:`dbmsolver.verify.kernels.rows`). The
parent-move code of a state is only a hint: the card that it names is put back, the position before
is laid out, and its moves are listed, too. One of them has to lead to the state; then the parent
becomes a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.board import ALL_HOME, CARD, COST, MOST_MOVES
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.partition import RecentRuns, known_run
from dbmsolver.verify.kernels.planes import State, same_state
from dbmsolver.verify.kernels.rows import CHAIN, KIND, PARENT, ROW, WANT, write_row
from dbmsolver.verify.kernels.rules import forced_card, one
from dbmsolver.verify.kernels.states import (
    after_move,
    code_fits,
    hash_public,
    lay_before,
    lay_out,
    put_back,
    take_signature,
    touched,
)
from dbmsolver.verify.kernels.words import ALL, U64, ZERO

MOST_ROWS = MOST_MOVES + 1
"""The most rows of one state: those of its moves, and its parent."""
GOAL = 10
BAD_CODE = 11  # a parent-move code that stands for nothing, or for an impossible move
NOT_FORCED = 12  # the parent has a forced move, and this is another one
COSTS_BELOW_ZERO = 13


class CheckTask(NamedTuple):
    """The claim, and the states to be checked against it.

    ``costs``: the claim is a shortest solution, of ``limit`` moves. ``root`` is the deal's state,
    which has no parent. The states are on partition number ``partition``, whose first one has the
    number ``base`` in the store.
    """

    costs: bool
    limit: int
    root: NDArray[np.uint64]
    partition: int
    base: int


class CheckArrays(NamedTuple):
    """The arrays that a thread writes to."""

    rows: NDArray[np.uint64]  # [*, ROW]
    place: NDArray[np.int64]  # [4]: segment, state in it, rows written, number of a wrong state
    counts: NDArray[np.int64]  # [layers, 2]: states that are not forced, and forced ones
    digest: NDArray[np.uint64]  # [1]
    recent: RecentRuns


def make_arrays(rows: int, layers: int) -> CheckArrays:
    """Return arrays with room for so many rows."""
    return CheckArrays(
        rows=np.empty((rows, ROW), np.uint64),
        place=np.zeros(4, np.int64),
        counts=np.zeros((layers, 2), np.int64),
        digest=np.zeros(1, np.uint64),
        recent=RecentRuns(np.zeros(1024, np.int64), np.zeros(1024, np.uint64)),
    )


class Here(NamedTuple):
    """One closed state, the run it is in, its number, the moves made to it, and its code."""

    state: State
    run: int
    number: int
    made: int
    code: int


@kernel
def expand(f, index, task, partition, segments, boards, work):
    """Check states of a partition, from ``work.place`` on, until rows run out.

    Segments are int64[*, 5]: run, first state, count, layer, block.

    Returns an error, and the state's number in ``work.place[3]``.
    """
    place = work.place
    high = ZERO
    written = 0
    while place[0] < segments.shape[0]:
        run, first, count = segments[place[0], 0], segments[place[0], 1], segments[place[0], 2]
        layer = segments[place[0], 3]
        signature = index.signatures[run]
        error, home, locked = take_signature(f, signature)
        if error:
            place[3] = first
            return error
        while place[1] < count:
            if written + MOST_ROWS > work.rows.shape[0]:
                place[2] = written
                return 0
            number = first + place[1]
            place[3] = number
            place[1] += 1
            at = f.planes * number
            if f.planes == 3:
                high = partition.planes[at + 2]
            off, low = partition.planes[at], partition.planes[at + 1]
            made = np.int64(partition.made[number]) if task.costs else 0
            state = State(signature, home, locked, off, low, high)
            here = Here(state, run, number, made, np.int64(partition.codes[number]))
            error, written = check_state(f, index, task, here, layer, boards, work, written)
            if error:
                return error
        place[0] += 1
        place[1] = 0
    place[2] = written
    return 0


@inlined
def check_state(f, index, task, here, layer, boards, work, written):
    """Check one state, and write the rows for its parent and successors: (error, rows written)."""
    state, r, board = here.state, f.rules, boards.own
    error, laid = lay_out(f, state, board)
    if error:
        return error, written
    if laid.heights == ALL_HOME:
        return GOAL, written
    forced = forced_card(r, laid.heights, laid.tops | laid.cells)
    work.counts[layer, 1 if forced >= 0 else 0] += 1
    work.digest[0] += hash_public(f, state)
    is_root = is_deal(task, state)
    # Only moves that cost nothing lead from the deal to states that no move has been made to.
    odd = is_root != (here.made == 0) and (is_root or not r.forced_free)
    if task.costs and (here.made < 0 or odd):
        return COSTS_BELOW_ZERO, written
    if not code_fits(f, here.code, is_root):
        return BAD_CODE, written
    if not is_root:
        error = check_parent(f, index, task, here, boards.other, work, written)
        if error:
            return error, written
        written += 1
    if task.costs and layer >= task.limit:
        return 0, written
    origin = U64(task.base + here.number)
    for number in range(list_moves(r, board, laid, forced, ALL)):
        move = board.moves[number]
        after = after_move(f, state, board, laid, move)
        target = here.run
        if after.signature != state.signature:
            target = known_run(index, after.signature, work.recent)
        meta, bits = origin | (U64(here.made + move[COST]) << U64(WANT)), touched(f, move[CARD])
        write_row(index, task, work.rows, written, target, bits, words_of(after), meta)
        written += 1
    return 0, written


@inlined
def check_parent(f, index, task, here, board, work, at):
    """Undo a parent-move code: the parent as a row. Returns an error, 0 if there is none."""
    possible, card, before = put_back(f, here.state, here.code)
    if not possible:
        return BAD_CODE
    error, laid = lay_before(f, before, board)
    if error:
        return BAD_CODE
    forced = forced_card(f.rules, laid.heights, laid.tops | laid.cells)
    for number in range(list_moves(f.rules, board, laid, forced, one(card))):
        move = board.moves[number]
        made = here.made - move[COST]
        after = after_move(f, before, board, laid, move)
        if move[CARD] != card or not same_state(after, here.state) or (task.costs and made < 0):
            continue
        same = before.signature == here.state.signature
        target = here.run
        if not same:
            target = known_run(index, before.signature, work.recent)
        origin = U64(task.base + here.number) | (U64(CHAIN if same else PARENT) << U64(KIND))
        origin |= U64(max(made, 0)) << U64(WANT)
        write_row(index, task, work.rows, at, target, touched(f, card), words_of(before), origin)
        return 0
    return NOT_FORCED if forced >= 0 else BAD_CODE


@inlined
def is_deal(task, state):
    """Return True if a state is the deal's."""
    root = task.root
    same = state.signature == root[0] and state.off == root[1] and state.low == root[2]
    return same and state.high == root[3]


@inlined
def words_of(state):
    """Return the words of a state by which it is looked up."""
    return state.signature, state.off, state.low, state.high
