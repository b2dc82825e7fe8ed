"""Beams over the states of a wide game: of each level only the most promising states are kept.

A *stage* is what lies between two moves of the stock, or all of the game without these. A *level*
of a stage is what one more move leads to. Its states are chosen by their costs
(:func:`.values.costs_of`), the lowest first; those of one *group*, with the same cards
face down and home, take a part of the places at most. From all states of a stage the stock is
dealt or turned, and the most promising results are the first level of the next stage.

States are told apart by hashes only, in a table that forgets: a beam proves nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import U64
from dbmsolver.kits.wide.marks import Marks, after_move, make_marks, mark
from dbmsolver.kits.wide.moves import MOST_FOUND, STOCK, kind_of_move, list_moves, make_move
from dbmsolver.kits.wide.rows import is_won, read_row, write_row
from dbmsolver.kits.wide.tables import WideBoard, WideTables, make_board, row_words

COSTS = 1 << 14
"""The number of different costs, from -COSTS / 2; higher ones count as the highest."""
CROWDS = 1 << 14
"""The number of groups that are told apart."""
WAYS = 8
"""The places of the table that a hash may have."""

WIDTH, SIDE, LEVEL, KEPT, LISTED, WAITING, BEST, IDLE, LEVELS = range(9)
CEILING, CEILING_AFTER = 9, 10
"""The places of `WideBeam.state`: the states of a level at most; the side of `WideBeam.rows` that
has the level, and its states; the states kept so far; the candidates for the next level; those for
the next stage; the lowest costs of the stage, levels since something better came, and levels of the
stage; the costs from which candidates for a level, or a stage, are left out."""
GOING_ON, ENDED, GIVEN_UP = -1, -2, -3
"""The values that :func:`next_level` returns where it has found no solution."""


class WideBeamShape(NamedTuple):
    """The numbers that make one beam differ from another. All are int64."""

    crowd: int  # states of one group that a level has at most
    patience: int  # levels without improvement that end a stage
    last: int  # the same in the last stage
    longest: int  # levels of any other stage at most


@struct
class LevelPool(NamedTuple):
    """Candidates, some of which are chosen."""

    costs: NDArray[np.int32]  # [room]
    groups: NDArray[np.int32]  # [room]
    parents: NDArray[np.int32]  # [room]
    moves: NDArray[np.int32]  # [room]
    chosen: NDArray[np.bool_]  # [room]


@struct
class WideBeam(NamedTuple):
    """A beam in progress."""

    parents: NDArray[np.int32]  # [most]: the number of the state before each that was kept
    moves: NDArray[np.int32]  # [most]: the move from there
    rows: NDArray[np.uint64]  # [2, width, words]: the states of a level
    sizes: NDArray[np.int32]  # [2, width]
    numbers: NDArray[np.int32]  # [2, width]: their numbers
    here: LevelPool  # candidates for the next level
    after: LevelPool  # candidates for the next stage
    after_rows: NDArray[np.uint64]  # [room, words]
    after_sizes: NDArray[np.int32]  # [room]
    seen: NDArray[np.uint64]  # [2**n]: hashes of candidates
    order: NDArray[np.int32]  # [room]: scratch
    ends: NDArray[np.int32]  # [COSTS + 1]: scratch
    crowds: NDArray[np.int32]  # [CROWDS]: scratch
    found: NDArray[np.int64]  # [MOST_FOUND]: the moves of a state
    state: NDArray[np.int64]  # see WIDTH and so on
    board: WideBoard
    marks: Marks


PER_STATE = 14
"""The candidates for a level, for each of its states at most."""


def _make_pool(room: int) -> LevelPool:
    numbers = [np.zeros(room, np.int32) for _ in range(4)]
    return LevelPool(*numbers, np.zeros(room, np.bool_))


def bytes_of(t: WideTables, width: int, most: int) -> int:
    """Return the memory that a beam takes."""
    words = row_words(t)
    rows = (2 + 2) * (8 * words + 8) * width
    pools = (PER_STATE + 2) * width * 21 + MOST_FOUND * 42
    return rows + pools + 8 * _table_size(width) + 8 * most + (1 << 18)


def _table_size(width: int) -> int:
    return 1 << (32 * width - 1).bit_length()


def make_beam(t: WideTables, root: NDArray[np.uint64], width: int, most: int) -> WideBeam:
    """Return a beam of this width that keeps at most ``most`` states; ``root`` is the deal."""
    words, room, after = row_words(t) + 1, PER_STATE * width + MOST_FOUND, 2 * width + 1
    beam = WideBeam(
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.zeros((2, width, words), np.uint64),
        np.zeros((2, width), np.int32),
        np.zeros((2, width), np.int32),
        _make_pool(room),
        _make_pool(after),
        np.zeros((after, words), np.uint64),
        np.zeros(after, np.int32),
        np.zeros(_table_size(width), np.uint64),
        np.zeros(room, np.int32),
        np.zeros(COSTS + 1, np.int32),
        np.zeros(CROWDS, np.int32),
        np.zeros(MOST_FOUND, np.int64),
        np.zeros(11, np.int64),
        make_board(t),
        make_marks(t),
    )
    beam.parents[0], beam.moves[0] = -1, 0
    beam.rows[0, 0, : root.size] = root
    beam.sizes[0, 0] = root.size
    beam.state[[WIDTH, LEVEL, KEPT]] = width, 1, 1
    beam.state[[BEST, CEILING, CEILING_AFTER]] = COSTS
    return beam


@inlined
def _is_new(f, number):
    """Return True if a hash is not in the table; it is put there."""
    place = np.int64(number >> U64(20)) & (f.seen.size - 1) & ~(WAYS - 1)
    for way in range(WAYS):
        other = f.seen[place + way]
        if other == number:
            return False
        if not other:
            f.seen[place + way] = number
            return True
    f.seen[place + (np.int64(number) & (WAYS - 1))] = number
    return True


@inlined
def _from_zero(costs):
    """Return costs as a number from 0, below COSTS."""
    return max(0, min(costs + (COSTS >> 1), COSTS - 1))


@inner
def _choose(f, shape, pool, count):
    """Mark the candidates of a pool that are kept; return the highest costs among them (int64).

    Returns COSTS if there was space for more candidates than were kept.
    """
    f.ends[:] = 0
    f.crowds[:] = 0
    for index in range(count):
        f.ends[pool.costs[index] + 1] += 1
        pool.chosen[index] = False
    for costs in range(COSTS):
        f.ends[costs + 1] += f.ends[costs]
    for index in range(count):
        costs = pool.costs[index]
        f.order[f.ends[costs]] = index
        f.ends[costs] += 1
    kept = np.int64(0)
    for place in range(count):
        index = f.order[place]
        group = pool.groups[index]
        if f.crowds[group] < shape.crowd:
            f.crowds[group] += 1
            pool.chosen[index] = True
            kept += 1
            if kept == f.state[WIDTH]:
                return np.int64(pool.costs[index])
    return np.int64(COSTS)


@inlined
def _copy(words, target, size):
    """Copy the words of a row."""
    for place in range(size):
        target[place] = words[place]


@inlined
def _put(pool, place, costs, group, parent, move):
    """Write a candidate into a pool."""
    pool.costs[place], pool.groups[place] = costs, np.int64(group >> U64(44)) & (CROWDS - 1)
    pool.parents[place], pool.moves[place] = parent, move


@inlined
def _move_up(pool, place, index):
    """Write the candidate ``index`` of a pool to ``place``."""
    pool.costs[place], pool.groups[place] = pool.costs[index], pool.groups[index]
    pool.parents[place], pool.moves[place] = pool.parents[index], pool.moves[index]


@inner
def _thin_here(f, shape):
    """Leave only those candidates for the level that are kept."""
    state, kept = f.state, np.int64(0)
    state[CEILING] = _choose(f, shape, f.here, state[LISTED])
    for index in range(state[LISTED]):
        if f.here.chosen[index]:
            _move_up(f.here, kept, index)
            kept += 1
    state[LISTED] = kept


@inner
def _thin_after(f, shape):
    """Remove the candidates for the next stage that are not marked as kept."""
    state, kept = f.state, np.int64(0)
    state[CEILING_AFTER] = _choose(f, shape, f.after, state[WAITING])
    for index in range(state[WAITING]):
        if f.after.chosen[index]:
            _move_up(f.after, kept, index)
            _copy(f.after_rows[index], f.after_rows[kept], f.after_sizes[index])
            f.after_sizes[kept] = f.after_sizes[index]
            kept += 1
    state[WAITING] = kept


@inner
def _offer_after(t, f, shape, weights, number, move):
    """Make the move of the stock from the state on the board; return 1 if it is a candidate."""
    b, m, state = f.board, f.marks, f.state
    make_move(t, b, move)
    mark(t, b, m, weights)
    costs = _from_zero(m.total[0])
    if costs >= state[CEILING_AFTER] or not _is_new(f, m.hash[0]):
        return np.int64(0)
    place = state[WAITING]
    _put(f.after, place, costs, m.hash[1], number, move)
    size = write_row(t, b)
    _copy(b.words, f.after_rows[place], size)
    f.after_sizes[place] = size
    state[WAITING] += 1
    if state[WAITING] == f.after.costs.size:
        _thin_after(f, shape)
    return np.int64(1)


@inner
def _expand(t, f, shape, weights, index):
    """List what the state ``index`` of the level leads to; return 1 if the next stage got some."""
    b, m, state = f.board, f.marks, f.state
    side = state[SIDE]
    read_row(t, b, f.rows[side, index], 0, f.sizes[side, index])
    mark(t, b, m, weights)
    if state[LISTED] + MOST_FOUND > f.here.costs.size:
        _thin_here(f, shape)
    count = list_moves(t, b, f.found)
    for place in range(count):
        move = f.found[place]
        if kind_of_move(move) == STOCK:
            return _offer_after(t, f, shape, weights, f.numbers[side, index], move)
        total, whole, group = after_move(t, b, m, weights, move)
        costs = _from_zero(total)
        if costs < state[CEILING] and _is_new(f, whole):
            _put(f.here, state[LISTED], costs, group, index, move)
            state[LISTED] += 1
            if costs < state[BEST]:
                state[BEST] = costs
                state[IDLE] = 0
    return np.int64(0)


@inner
def _write_level(t, f, shape):
    """Write the chosen candidates as the next level; return the number of a won state, or GOING_ON.

    Returns GIVEN_UP if the candidates do not fit into the memory of the beam.
    """
    state, b = f.state, f.board
    _choose(f, shape, f.here, state[LISTED])
    side, count = state[SIDE], np.int64(0)
    for index in range(state[LISTED]):
        if not f.here.chosen[index]:
            continue
        number = state[KEPT]
        if number == f.parents.size:
            return np.int64(GIVEN_UP)
        parent, move = f.here.parents[index], np.int64(f.here.moves[index])
        read_row(t, b, f.rows[side, parent], 0, f.sizes[side, parent])
        make_move(t, b, move)
        size = write_row(t, b)
        _copy(b.words, f.rows[1 - side, count], size)
        f.sizes[1 - side, count], f.numbers[1 - side, count] = size, number
        f.parents[number], f.moves[number] = f.numbers[side, parent], move
        state[KEPT] += 1
        count += 1
        if is_won(b):
            return number
    state[SIDE], state[LEVEL], state[LISTED] = 1 - side, count, 0
    return np.int64(GOING_ON)


@inner
def _write_stage(f, shape):
    """Write the chosen candidates for the next stage as its first level."""
    state, count = f.state, np.int64(0)
    _choose(f, shape, f.after, state[WAITING])
    side = state[SIDE]
    for index in range(state[WAITING]):
        if not f.after.chosen[index]:
            continue
        number = state[KEPT]
        if number == f.parents.size:
            return np.int64(GIVEN_UP)
        _copy(f.after_rows[index], f.rows[side, count], f.after_sizes[index])
        f.sizes[side, count], f.numbers[side, count] = f.after_sizes[index], number
        f.parents[number], f.moves[number] = f.after.parents[index], f.after.moves[index]
        state[KEPT] += 1
        count += 1
    state[LEVEL], state[LISTED], state[WAITING] = count, 0, 0
    state[IDLE] = state[LEVELS] = 0
    state[BEST] = state[CEILING_AFTER] = COSTS
    return np.int64(GOING_ON if count else ENDED)


@kernel
def next_level(t, f, shape, weights):
    """Expand a level; return the number of a won state, or GOING_ON, ENDED or GIVEN_UP.

    GOING_ON: there is a next level. ENDED: the stage has no next level. GIVEN_UP: the states of the
    beam are as many as it has memory for.
    """
    state, came = f.state, np.int64(0)
    state[CEILING] = COSTS
    state[IDLE] += 1
    state[LEVELS] += 1
    for index in range(state[LEVEL]):
        came += _expand(t, f, shape, weights, index)
    if 64 * came > state[LEVEL]:
        state[IDLE] = 0
    result = _write_level(t, f, shape)
    if result != GOING_ON:
        return result
    if not state[WAITING]:
        return np.int64(GOING_ON if state[LEVEL] and state[IDLE] < shape.last else ENDED)
    if state[LEVEL] and state[IDLE] < shape.patience and state[LEVELS] < shape.longest:
        return np.int64(GOING_ON)
    return _write_stage(f, shape)


@kernel
def replay(t, b, moves, root, rows, sizes):
    """Write the rows along a way to ``rows`` and ``sizes``, from that of the deal on."""
    size = np.int64(root.size)
    _copy(root, rows[0], size)
    sizes[0] = size
    for index in range(moves.size):
        read_row(t, b, rows[index], 0, sizes[index])
        make_move(t, b, np.int64(moves[index]))
        size = write_row(t, b)
        _copy(b.words, rows[index + 1], size)
        sizes[index + 1] = size
