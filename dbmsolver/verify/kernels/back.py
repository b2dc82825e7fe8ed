"""The move that led to a state, undone."""

from __future__ import annotations

import numpy as np
from numba import njit

from dbmsolver.verify.format import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.kernels.rows import CHAIN, KIND, PARENT, WANT, write_row
from dbmsolver.verify.kernels.rules import has_room, place_in, safe_card
from dbmsolver.verify.kernels.words import ONE, U64, height_of

BAD_CODE = 11  # a parent-move code that stands for nothing, or for what cannot have been
NOT_FORCED = 12  # the parent has a forced move, and this is another one


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def step_back(
    f,
    index,
    task,
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
    """Undo a parent-move code: the parent as a row.  Returns an error, 0 if there is none.

    The position before is the state without the card moved, and with it in its place before.  That
    must be a place where it can be: in a freecell that is empty, or the bottom of an empty column,
    or on a last card of a column.  Then it can be moved from there to where it is in the state,
    unless another move was forced.
    """
    if code >= f.code_card.size:
        return BAD_CODE
    card, old = f.code_card[code], f.code_place[code]
    shift = U64(card)
    bit = ONE << shift
    before = signature
    is_home = (home >> shift) & ONE
    new = HOME
    if is_home:
        if height_of(signature, card & 3) != (card >> 2) + 1:
            return BAD_CODE
        before -= ONE << U64(4 * (card & 3))
    else:
        if (locked >> shift) & ONE or not ((tops | cells) >> shift) & ONE:
            return BAD_CODE
        new = place_in(f, locked, off, low, high, card)
    if new == old or old == HOME:
        return BAD_CODE
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
            return BAD_CODE
        before += ONE << U64(f.column_shift[column])
        under = f.dealt_under[card]
    elif old < FREECELL:
        under = (card ^ f.kinds[old]) + 4
    else:
        off |= bit
    if old == FREECELL:
        if not has_room(f, cells):
            return BAD_CODE
        cells |= bit
    elif under >= 0:
        if not (tops >> U64(under)) & ONE:
            return BAD_CODE
        tops = (tops & ~(ONE << U64(under))) | bit
    elif used == f.columns:
        return BAD_CODE
    else:
        used += 1
        tops |= bit
    # Room for the move itself: a freecell or a column empty before it. A card does not move from
    # one empty column to another.
    if new == FREECELL and not has_room(f, cells):
        return BAD_CODE
    if new == BOTTOM and (used == f.columns or (old == LOCKED and under < 0)):
        return BAD_CODE
    forced = safe_card(f, before, tops | cells)
    if forced >= 0 and (forced != card or not is_home):
        return NOT_FORCED
    if old == BOTTOM:
        low |= bit
    elif old < FREECELL:
        low |= U64(old & 1) << shift
        high |= U64(old >> 1) << shift
    kind = CHAIN if before == signature else PARENT
    origin = meta | (U64(max(made - 1, 0)) << U64(WANT)) | (U64(kind) << U64(KIND))
    found = run if before == signature else find_run(index, before)
    write_row(index, task, rows, at, found, bit, before, off, low, high, origin)
    return 0
