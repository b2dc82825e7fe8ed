"""Closed states one by one: laid out in columns and cells, their moves, and the move that led to
them.

What moves where is found from the last cards of the columns and the cards in cells.  What cannot be
decided from the state alone becomes rows to be looked up (:mod:`dbmsolver.verify.kernels.shelf`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dbmsolver.verify.format import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.kernels.arrange import arrange, take_signature
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.shelf import NO_DEST, PARENT, find_run, piece_of
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, first_bit, hash_state, height_of

MOST_ROWS = 240
"""Rows that one state can need: 26 cards with 7 places each, and their parents."""
GOAL = 10
BAD_CODE = 11  # a parent-move code that stands for nothing, or for what cannot have been
NOT_FORCED = 12  # the parent has a forced move, and this is another one
COSTS_BELOW_ZERO = 13

UNKNOWN = -2


class Work(NamedTuple):
    """What a thread writes to."""

    rows: NDArray[np.uint64]  # [*, ROW]
    targets: NDArray[np.int64]  # [14 * 5]: runs that moves from a signature lead to
    place: NDArray[np.int64]  # [4]: segment, state in it, rows written, number of a wrong state
    tally: NDArray[np.int64]  # [layers, 2]: states that are not forced, and forced ones
    digest: NDArray[np.uint64]  # [1]


@njit(nogil=True, cache=True, _nrt=False)
def safe_card(f, signature, movable):  # type: ignore[no-untyped-def]
    """The card of the lowest suit that can be moved home and is safe there by the policy, -1 if
    there is none.

    The rule, and why it holds, is at :meth:`dbmsolver.rules.Rules.safe_home`.
    """
    if f.policy == 0:
        return -1
    for suit in range(4):
        height = height_of(signature, suit)
        card = 4 * height + suit
        if height == 13 or not (movable >> U64(card)) & ONE:
            continue
        if f.build == 1:
            return card
        rank = height + 1
        across = min(height_of(signature, suit ^ 1), height_of(signature, suit ^ 3))
        beside = height_of(signature, suit ^ 2)
        if f.policy == 1:
            if rank <= 2:
                return card
            least = across if f.build == 0 else min(across, beside)
            if least >= rank - 1:
                return card
        elif f.build == 0:
            if across >= rank - 2 and beside >= rank - 3:
                return card
        elif min(across, beside) >= rank - 2:
            return card
    return -1


@njit(nogil=True, cache=True, inline="always", _nrt=False)
def place_in(f, locked, off, low, high, card):  # type: ignore[no-untyped-def]
    """Place value of a card that is not home."""
    shift = U64(card)
    if (locked >> shift) & ONE:
        return LOCKED
    if (off >> shift) & ONE:
        return BOTTOM if (low >> shift) & ONE else FREECELL
    return np.int64((low >> shift) & ONE) + 2 * np.int64((high >> shift) & ONE)


@njit(nogil=True, cache=True, _nrt=False)
def write_row(index, rows, at, run, signature, off, low, high, meta):  # type: ignore[no-untyped-def]
    """Write a row; ``run`` is where it is to be looked up, -1 for nowhere."""
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3] = signature, off, low, high
    rows[at, 4] = meta
    if run < 0:
        rows[at, 5] = NO_DEST
        return
    shelf = index.shelf[run]
    if index.pieces[run] > 1:
        shelf += piece_of(hash_state(signature, off, low, high), index.pieces[run])
    rows[at, 5] = (U64(shelf) << U64(32)) | U64(run)


@njit(nogil=True, cache=True, _nrt=False)
def expand(f, index, shelf, segments, costs, limit, root, board, work, source_first, parents):  # type: ignore[no-untyped-def]
    """Check states of a shelf's segments (int64[*, 3]: run, first state, count) from ``work.place``
    on, until rows run out.

    ``costs``: the claim is a shortest solution, of ``limit`` moves.  ``root`` is the deal's state,
    which has no parent. Returns an error, and the state's number in ``work.place[3]``.
    """
    rows, place = work.rows, work.place
    written = 0
    width = f.planes
    high = ZERO
    while place[0] < segments.shape[0]:
        run, first, count = segments[place[0], 0], segments[place[0], 1], segments[place[0], 2]
        signature = index.signatures[run]
        error, home, locked = take_signature(f, signature)
        if error:
            place[3] = first
            return error
        heights = signature & U64(0xFFFF)
        work.targets[:] = UNKNOWN
        while place[1] < count:
            if written + MOST_ROWS > rows.shape[0]:
                place[2] = written
                return 0
            number = first + place[1]
            place[1] += 1
            place[3] = number
            off, low = shelf.planes[width * number], shelf.planes[width * number + 1]
            if width == 3:
                high = shelf.planes[width * number + 2]
            error, used = arrange(f, home, locked, off, low, high, board)
            if error:
                return error
            if heights == U64(0xDDDD):
                return GOAL
            cells = off & ~low
            tops = ZERO
            for column in range(used):
                tops |= ONE << U64(board.columns[column, board.lengths[column] - 1])
            movable = tops | cells
            forced = safe_card(f, signature, movable)
            layer = np.int64(shelf.layers[number])
            work.tally[layer, 1 if forced >= 0 else 0] += 1
            work.digest[0] += hash_public(f, signature, home | locked, off, low, high)
            meta = U64(number)
            made = 0
            if costs:
                made = np.int64(shelf.made[number])
                if made < 0:
                    return COSTS_BELOW_ZERO
            is_root = signature == root[0] and off == root[1] and low == root[2] and high == root[3]
            if not is_root:
                if costs and made == 0:
                    return COSTS_BELOW_ZERO
                error, same = step_back(
                    f, index, run, signature, home, locked, off, low, high, used, tops, cells, made,
                    np.int64(shelf.codes[number]), board, rows, written, meta,
                )  # fmt: skip
                if error:
                    return error
                written += 1
                if parents.size:
                    parents[source_first + number] = -2 if same else -1
            elif costs and made != 0:
                return COSTS_BELOW_ZERO
            elif parents.size:
                parents[source_first + number] = -1
            if costs and layer >= limit:
                continue
            meta |= U64(made + 1) << U64(32)
            rest = movable
            if forced >= 0:
                rest = ONE << U64(forced)
            while rest:
                card = first_bit(rest)
                rest &= rest - ONE
                bit = ONE << U64(card)
                old = place_in(f, locked, off, low, high, card)
                was_locked = old == LOCKED
                released = signature
                source = 0
                if was_locked:
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
                        index, rows, written, work.targets[target], raised,
                        bare_off, bare_low, bare_high, meta,
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
                                index, rows, written, target, released,
                                bare_off,
                                bare_low | (U64(kind & 1) << U64(card)),
                                bare_high | (U64(kind >> 1) << U64(card)),
                                meta,
                            )  # fmt: skip
                            written += 1
                in_cell = (cells >> U64(card)) & ONE
                if not in_cell and has_room(f, cells):
                    write_row(
                        index, rows, written, target, released,
                        bare_off | bit, bare_low, bare_high, meta,
                    )  # fmt: skip
                    written += 1
                alone = not in_cell and board.lengths[board.column_of[card]] == 1
                if used < f.columns and not alone and f.fillers & bit:
                    write_row(
                        index, rows, written, target, released,
                        bare_off | bit, bare_low | bit, bare_high, meta,
                    )  # fmt: skip
                    written += 1
        place[0] += 1
        place[1] = 0
    place[2] = written
    return 0


@njit(nogil=True, cache=True, inline="always", _nrt=False)
def has_room(f, cells):  # type: ignore[no-untyped-def]
    """Whether a freecell is empty."""
    count = 0
    while cells:
        cells &= cells - ONE
        count += 1
    return count < f.freecells


@njit(nogil=True, cache=True, _nrt=False)
def hash_public(f, signature, settled, off, low, high):  # type: ignore[no-untyped-def]
    """Hash of the public key of a state; ``settled`` cards, home or locked, have the digit 0."""
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


@njit(nogil=True, cache=True, _nrt=False)
def step_back(
    f,
    index,
    run,
    signature,
    home,
    locked,
    off,
    low,
    high,
    used,
    tops,
    cells,
    made,
    code,
    board,
    rows,
    at,
    meta,
):  # type: ignore[no-untyped-def]
    """Undo a parent-move code: the parent as a row.  Returns (error, whether the parent has the
    same signature).

    The position before is the state without the card moved, and with it in its place before.  That
    must be a place where it can be: in a freecell that is empty, or the bottom of an empty column,
    or on a last card of a column.  Then it can be moved from there to where it is in the state,
    unless another move was forced.
    """
    if code >= f.code_card.size:
        return BAD_CODE, False
    card, old = f.code_card[code], f.code_place[code]
    shift = U64(card)
    bit = ONE << shift
    before = signature
    is_home = (home >> shift) & ONE
    new = HOME
    if is_home:
        if height_of(signature, card & 3) != (card >> 2) + 1:
            return BAD_CODE, False
        before -= ONE << U64(4 * (card & 3))
    else:
        if (locked >> shift) & ONE or not ((tops | cells) >> shift) & ONE:
            return BAD_CODE, False
        new = place_in(f, locked, off, low, high, card)
    if new == old or old == HOME:
        return BAD_CODE, False
    # Without the card.
    tops &= ~bit
    cells &= ~bit
    if not is_home and new != FREECELL:
        column = board.column_of[card]
        length = board.lengths[column]
        if length == 1:
            used -= 1
        else:
            tops |= ONE << U64(board.columns[column, length - 2])
    off, low, high = off & ~bit, low & ~bit, high & ~bit
    # With the card in its place before.
    under = -1
    if old == LOCKED:
        column = f.dealt_column[card]
        count = np.int64(signature >> U64(f.column_shift[column])) & f.column_mask[column]
        if count >= f.locked.shape[1] or f.locked[column, count] != card:
            return BAD_CODE, False
        before += ONE << U64(f.column_shift[column])
        under = f.dealt_under[card]
    elif old < FREECELL:
        under = (card ^ f.kinds[old]) + 4
    else:
        off |= bit
    if old == FREECELL:
        if not has_room(f, cells):
            return BAD_CODE, False
        cells |= bit
    elif under >= 0:
        if not (tops >> U64(under)) & ONE:
            return BAD_CODE, False
        tops = (tops & ~(ONE << U64(under))) | bit
    elif used == f.columns:
        return BAD_CODE, False
    else:
        used += 1
        tops |= bit
    # Room for the move itself: a freecell or a column empty before it. A card does not move from
    # one empty column to another.
    if new == FREECELL and not has_room(f, cells):
        return BAD_CODE, False
    if new == BOTTOM and (used == f.columns or (old == LOCKED and under < 0)):
        return BAD_CODE, False
    forced = safe_card(f, before, tops | cells)
    if forced >= 0 and (forced != card or not is_home):
        return NOT_FORCED, False
    if old == BOTTOM:
        low |= bit
    elif old < FREECELL:
        low |= U64(old & 1) << shift
        high |= U64(old >> 1) << shift
    origin = meta | (U64(max(made - 1, 0)) << U64(32)) | (U64(PARENT) << U64(48))
    found = run if before == signature else find_run(index, before)
    write_row(index, rows, at, found, before, off, low, high, origin)
    return 0, before == signature
