"""Closed states one by one: their cards, their moves, and the move that led to them.

What moves where is found from the last cards of the columns and the cards in cells.  What cannot be
decided from the state alone becomes rows to be looked up (:mod:`dbmsolver.verify.kernels.rows`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.families import inlined_by_type
from dbmsolver.verify.format import LOCKED, Format, RunFormat, TwoWayFormat
from dbmsolver.verify.kernels import back, run_moves, two_way
from dbmsolver.verify.kernels.arrange import arrange, take_signature
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.kernels.rows import UNKNOWN, WANT, write_row
from dbmsolver.verify.kernels.rules import LaidState, has_room, place_in, safe_card
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, first_bit, height_of

MOST_TARGETS = 5 * (MAX_COLUMNS + 1)
"""Signatures a move can lead to: a column, or none, loses a locked card; a suit, or none, rises."""
MOST_ROWS = 240
"""The most rows of one state: 26 cards with 7 place values each, and their parents."""
GOAL = 10
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
    targets: NDArray[np.int64]  # [MOST_TARGETS]: runs that moves from a signature lead to
    place: NDArray[np.int64]  # [4]: segment, state in it, rows written, number of a wrong state
    tally: NDArray[np.int64]  # [layers, 2]: states that are not forced, and forced ones
    digest: NDArray[np.uint64]  # [1]


@inlined
def successors_of_cards(f, index, task, laid, forced, board, work, written, origin):
    """Write a row for each successor of a state by a single card; return the number of rows."""
    signature, locked, used, tops, cells = (
        laid.signature, laid.locked, laid.used, laid.tops, laid.cells,
    )  # fmt: skip
    off, low, high = laid.off, laid.low, laid.high
    rows = work.rows
    room = has_room(f, cells)
    rest = tops | cells
    if forced >= 0:
        rest = ONE << U64(forced)
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        bit = ONE << U64(card)
        released = signature
        source = 0
        if place_in(f, locked, off, low, high, card) == LOCKED:
            column = f.dealt_column[card]
            released -= ONE << U64(f.column_shift[column])
            source = 5 * (column + 1)
        bare_off, bare_low, bare_high = off & ~bit, low & ~bit, high & ~bit
        if height_of(signature, card & 3) == card >> 2:
            target = source + 1 + (card & 3)
            raised = released + (ONE << U64(4 * (card & 3)))
            if work.targets[target] == UNKNOWN:
                work.targets[target] = find_run(index, raised)
            write_row(
                index, task, rows, written, work.targets[target], bit, raised,
                bare_off, bare_low, bare_high, origin,
            )  # fmt: skip
            written += 1
        if forced >= 0:
            continue
        if work.targets[source] == UNKNOWN:
            work.targets[source] = find_run(index, released)
        target = work.targets[source]
        if card < 48:
            for kind in range(f.kinds.size):
                if (tops >> U64((card ^ f.kinds[kind]) + 4)) & ONE:
                    write_row(
                        index, task, rows, written, target, bit, released,
                        bare_off,
                        bare_low | (U64(kind & 1) << U64(card)),
                        bare_high | (U64(kind >> 1) << U64(card)),
                        origin,
                    )  # fmt: skip
                    written += 1
        in_cell = (cells >> U64(card)) & ONE
        if not in_cell and room:
            write_row(
                index, task, rows, written, target, bit, released,
                bare_off | bit, bare_low, bare_high, origin,
            )  # fmt: skip
            written += 1
        alone = not in_cell and board.lengths[board.column_of[card]] == 1
        if used < f.columns and not alone and f.fillers & bit:
            write_row(
                index, task, rows, written, target, bit, released,
                bare_off | bit, bare_low | bit, bare_high, origin,
            )  # fmt: skip
            written += 1
    return written


@inlined
def cost_of_card(f, forced):
    """Return 1, the moves that a move of a single card counts."""
    return 1


move_cost = inlined_by_type(
    {Format: cost_of_card, RunFormat: run_moves.move_cost, TwoWayFormat: cost_of_card}
)
successors = inlined_by_type(
    {
        Format: successors_of_cards,
        RunFormat: run_moves.successors,
        TwoWayFormat: two_way.successors,
    }
)
step_back = inlined_by_type(
    {Format: back.step_back, RunFormat: run_moves.step_back, TwoWayFormat: two_way.step_back}
)


@kernel
def expand(f, index, task, partition, segments, board, work):
    """Check states of a partition, from ``work.place`` on, until rows run out.

    Segments are int64[*, 4]: run, first state, count, layer.

    Returns an error, and the state's number in ``work.place[3]``.
    """
    rows, place = work.rows, work.place
    written = 0
    while place[0] < segments.shape[0]:
        run, first, count = segments[place[0], 0], segments[place[0], 1], segments[place[0], 2]
        signature = index.signatures[run]
        error, home, locked = take_signature(f, signature)
        if error:
            place[3] = first
            return error
        work.targets[:] = UNKNOWN
        while place[1] < count:
            if written + MOST_ROWS > rows.shape[0]:
                place[2] = written
                return 0
            place[3] = first + place[1]
            place[1] += 1
            error, written = expand_state(
                f, index, task, partition, run, signature, home, locked, segments[place[0], 3],
                place[3], board, work, written,
            )  # fmt: skip
            if error:
                return error
        place[0] += 1
        place[1] = 0
    place[2] = written
    return 0


@inlined
def expand_state(
    f, index, task, partition, run, signature, home, locked, layer, number, board, work, written
):
    """Check one state, and write the rows for its parent and successors: (error, rows written)."""
    off, low, high = (
        partition.planes[f.planes * number],
        partition.planes[f.planes * number + 1],
        ZERO,
    )
    if f.planes == 3:
        high = partition.planes[f.planes * number + 2]
    error, used = arrange(f, home, locked, off, low, high, board)
    if error:
        return error, written
    if signature & U64(0xFFFF) == U64(0xDDDD):
        return GOAL, written
    cells = off & ~low & ~high
    tops = ZERO
    for column in range(used):
        tops |= ONE << U64(board.columns[column, board.lengths[column] - 1])
    laid = LaidState(signature, home, locked, off, low, high, used, tops, cells)
    forced = safe_card(f, signature, tops | cells)
    work.tally[layer, 1 if forced >= 0 else 0] += 1
    work.digest[0] += hash_public(f, signature, home | locked, off, low, high)
    made = 0
    if task.costs:
        made = np.int64(partition.made[number])
    root = task.root
    is_root = signature == root[0] and off == root[1] and low == root[2] and high == root[3]
    # Only moves that cost nothing lead from the deal to states that no move has been made to.
    odd = is_root != (made == 0) and (is_root or move_cost(f, 0) != 0)
    if task.costs and (made < 0 or odd):
        return COSTS_BELOW_ZERO, written
    origin = U64(task.base + number)
    if not is_root:
        error = step_back(
            f, index, task, laid, run, made, np.int64(partition.codes[number]), board, work.rows,
            written, origin,
        )  # fmt: skip
        if error:
            return error, written
        written += 1
    if task.costs and layer >= task.limit:
        return 0, written
    origin |= U64(made + move_cost(f, forced)) << U64(WANT)
    return 0, successors(f, index, task, laid, forced, board, work, written, origin)


@inlined
def hash_public(f, signature, settled, off, low, high):
    """Hash the public key of a state; ``settled`` cards, home or locked, have the digit 0."""
    first = second = third = ZERO
    for suit in range(4):
        height = height_of(signature, suit)
        first += f.heights[suit, height, 0]
        second += f.heights[suit, height, 1]
        third += f.heights[suit, height, 2]
    rest = f.has_values & ~settled
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        entry = 8 * card + place_in(f, ZERO, off, low, high, card)
        first += f.digits[entry, 0]
        second += f.digits[entry, 1]
        if f.words == 3:
            third += f.digits[entry, 2]
    return hash_key(first, second, third, f.words)
