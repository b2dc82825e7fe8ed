"""The move that led to a state, undone."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.format import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.kernels.arrange import parent_of
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.kernels.rows import CHAIN, KIND, PARENT, WANT, write_row
from dbmsolver.verify.kernels.rules import LaidState, has_room, place_in, safe_card
from dbmsolver.verify.kernels.words import ONE, U64, height_of

BAD_CODE = 11  # a parent-move code that stands for nothing, or for an impossible move
NOT_FORCED = 12  # the parent has a forced move, and this is another one


@inlined
def step_back(f, index, task, laid, run, made, code, board, rows, at, meta):
    """Undo a parent-move code: the parent as a row.  Returns an error, 0 if there is none.

    The position before is the state without the card moved, and with it in its place before.  That
    must be a place where it can be: in a freecell that is empty, or the bottom of an empty column,
    or on a last card of a column.  Then it can be moved from there to where it is in the state,
    unless another move was forced.
    """
    if code >= f.code_card.size:
        return BAD_CODE
    card, old = f.code_card[code], f.code_place[code]
    new, signature, bare = without_card(f, laid, card, board)
    if new < 0 or new == old or old == HOME:
        return BAD_CODE
    fits, before = with_card(f, bare, signature, card, old)
    if not fits:
        return BAD_CODE
    error = problem_of_move(f, card, old, new, before)
    if error == 0:
        write_parent(index, task, laid, run, max(made - 1, 0), card, before, rows, at, meta)
    return error


@inlined
def problem_of_move(f, card, old, new, before):
    """Return the error of a move of a card from one place to another; 0 if it can be.

    ``before`` is the state with the card in its place before.
    """
    if not had_room(f, card, old, new, before):
        return BAD_CODE
    forced = safe_card(f, before.signature, before.tops | before.cells)
    if forced >= 0 and (forced != card or new != HOME):
        return NOT_FORCED
    return 0


@inlined
def had_room(f, card, old, new, before):
    """Return True if there was room for the move itself: a freecell or a column empty before it.

    A card does not move from one empty column to another.
    """
    at_bottom = old == LOCKED and f.dealt_under[card] < 0
    if new == BOTTOM:
        return before.used != f.columns and not at_bottom
    return new != FREECELL or has_room(f, before.cells)


@inlined
def write_parent(index, task, laid, run, made, card, before, rows, at, meta):
    """Write the row of a parent that a card was moved in, with the moves ``made`` to it."""
    same = before.signature == laid.signature
    kind = CHAIN if same else PARENT
    origin = meta | (U64(made) << U64(WANT)) | (U64(kind) << U64(KIND))
    found = run if same else find_run(index, before.signature)
    write_row(
        index, task, rows, at, found, ONE << U64(card), before.signature,
        before.off, before.low, before.high, origin,
    )  # fmt: skip


@inlined
def without_card(f, laid, card, board):
    """Return a state without a card that could have been moved last.

    Returns (the place value it had, -1 if it cannot have been moved, the signature, the rest).
    """
    shift = U64(card)
    bit = ONE << shift
    signature, used, tops = laid.signature, laid.used, laid.tops & ~bit
    new = HOME
    if (laid.home >> shift) & ONE:
        if height_of(signature, card & 3) != (card >> 2) + 1:
            new = -1
        signature -= ONE << U64(4 * (card & 3))
    elif (laid.locked >> shift) & ONE or not ((laid.tops | laid.cells) >> shift) & ONE:
        new = -1
    else:
        new = place_in(f, laid.locked, laid.off, laid.low, laid.high, card)
        if new != FREECELL:
            column = board.column_of[card]
            length = board.lengths[column]
            if length == 1:
                used -= 1
            else:
                tops |= ONE << U64(board.columns[column, length - 2])
    rest = LaidState(
        signature, laid.home, laid.locked, laid.off & ~bit, laid.low & ~bit, laid.high & ~bit,
        used, tops, laid.cells & ~bit,
    )  # fmt: skip
    return new, signature, rest


@inlined
def with_card(f, bare, signature, card, old):
    """Return (True if that can be, the state with the card in the place ``old``)."""
    bit = ONE << U64(card)
    off, low, high = bare.off, bare.low, bare.high
    used, tops, cells = bare.used, bare.tops, bare.cells
    fits = True
    under = -1
    if old == LOCKED:
        column = f.dealt_column[card]
        count = np.int64(bare.signature >> U64(f.column_shift[column])) & f.column_mask[column]
        fits = count < f.locked.shape[1] and f.locked[column, count] == card
        signature += ONE << U64(f.column_shift[column])
        under = f.dealt_under[card]
    elif old < FREECELL:
        under = parent_of(f, card, old)
        fits = under >= 0
        low |= U64(old & 1) << U64(card)
        high |= U64(old >> 1) << U64(card)
    else:
        off |= bit
        if old == BOTTOM:
            low |= bit
    if old == FREECELL:
        # A card that cannot be put there was dealt there.
        fits = has_room(f, cells) or (f.room == 0 and f.dealt_place[card] == FREECELL)
        cells |= bit
    elif under >= 0:
        fits = fits and (tops >> U64(under)) & ONE != 0
        tops = (tops & ~(ONE << U64(under))) | bit
    else:
        fits = fits and used != f.columns
        used += 1
        tops |= bit
    after = LaidState(signature, bare.home, bare.locked, off, low, high, used, tops, cells)
    return fits, after
