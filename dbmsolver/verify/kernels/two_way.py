"""The verifier's moves of games whose cards go both ways, made and undone.

Columns may be built on lower cards, too; or the top cards of foundations come back. In the latter
case a card that is home has bits of its own in the planes (:mod:`dbmsolver.verify.format`), and a
move home leaves the signature as it is, but for the last one of all.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.format import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.kernels.back import BAD_CODE, problem_of_move, write_parent
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.kernels.rows import UNKNOWN, write_row
from dbmsolver.verify.kernels.rules import LaidState, has_room, place_in
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit, height_of

GOAL = U64(0xDDDD)
OF_SUIT = U64(0x1111111111111111)


@inlined
def height_in(f, laid, suit):
    """Return the number of cards of a suit that are home, for good or not."""
    back = laid.off & laid.high & (OF_SUIT << U64(suit))
    return height_of(laid.signature, suit) + count_bits(back)


@inlined
def top_cards(f, laid):
    """Return the cards that may come back from the foundations."""
    cards = ZERO
    if f.removable:
        for suit in range(4):
            card = 4 * height_in(f, laid, suit) + suit - 4
            if card >= 0 and not (f.kept >> U64(card)) & ONE:
                cards |= ONE << U64(card)
    return cards


@inlined
def successors(f, index, task, laid, forced, board, work, written, origin):
    """Write a row for every successor of a state; return how many rows there are then."""
    away = laid.tops | laid.cells
    rest = away | top_cards(f, laid)
    if forced >= 0:
        rest = ONE << U64(forced)
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        written = write_moves(
            f, index, task, laid, card, (away >> U64(card)) & ONE, forced < 0, board, work,
            written, origin,
        )  # fmt: skip
    return written


@inlined
def write_moves(f, index, task, laid, card, away, elsewhere, board, work, written, origin):
    """Write the rows of the moves of one card; return how many rows there are then.

    ``away`` says whether it is not home, ``elsewhere`` whether it may go anywhere but home.
    """
    rows = work.rows
    bit = ONE << U64(card)
    released = laid.signature
    source = 0
    if place_in(f, laid.locked, laid.off, laid.low, laid.high, card) == LOCKED:
        column = f.dealt_column[card]
        released -= ONE << U64(f.column_shift[column])
        source = 5 * (column + 1)
    off, low, high = laid.off & ~bit, laid.low & ~bit, laid.high & ~bit
    if work.targets[source] == UNKNOWN:
        work.targets[source] = find_run(index, released)
    target = work.targets[source]
    if away and height_in(f, laid, card & 3) == card >> 2:
        home = source + 1 + (card & 3)
        if not f.removable:
            raised = released + (ONE << U64(4 * (card & 3)))
            if work.targets[home] == UNKNOWN:
                work.targets[home] = find_run(index, raised)
            write_row(
                index, task, rows, written, work.targets[home], bit, raised, off, low, high, origin
            )
        elif (laid.off & laid.high) | f.kept | bit == ALL:
            if work.targets[home] == UNKNOWN:
                work.targets[home] = find_run(index, GOAL)
            write_row(
                index, task, rows, written, work.targets[home], ALL, GOAL, ZERO, ZERO, ZERO, origin
            )
        else:
            write_row(
                index, task, rows, written, target, bit, released, off | bit, low, high | bit,
                origin,
            )  # fmt: skip
        written += 1
    if not elsewhere:
        return written
    for number in range(f.kinds.size):
        under = (card ^ f.kinds[number]) + f.rises[number]
        if 0 <= under < 52 and (laid.tops >> U64(under)) & ONE:
            write_row(
                index, task, rows, written, target, bit, released,
                off,
                low | (U64(number & 1) << U64(card)),
                high | (U64(number >> 1) << U64(card)),
                origin,
            )  # fmt: skip
            written += 1
    in_cell = (laid.cells >> U64(card)) & ONE
    if not in_cell and has_room(f, laid.cells):
        write_row(index, task, rows, written, target, bit, released, off | bit, low, high, origin)
        written += 1
    alone = (laid.tops >> U64(card)) & ONE and board.lengths[board.column_of[card]] == 1
    if laid.used < f.columns and not alone and f.fillers & bit:
        write_row(
            index, task, rows, written, target, bit, released, off | bit, low | bit, high, origin
        )
        written += 1
    return written


@inlined
def step_back(f, index, task, laid, run, made, code, board, rows, at, meta):
    """Undo a parent-move code: the parent as a row.  Returns an error, 0 if there is none.

    The position before is the state without the card moved, and with it in its place before. That
    must be a place where it can be, so that it can be moved from there to where it is in the state,
    unless another move was forced.
    """
    if code >= f.code_card.size:
        return BAD_CODE
    card, old = f.code_card[code], f.code_place[code]
    new, signature, bare = without_card(f, laid, card, board)
    if new < 0 or new == old or (old == HOME and not f.removable):
        return BAD_CODE
    fits, before = with_card(f, bare, signature, card, old)
    if not fits:
        return BAD_CODE
    error = problem_of_move(f, card, old, new, before)
    if error == 0:
        write_parent(index, task, laid, run, max(made - 1, 0), card, before, rows, at, meta)
    return error


@inlined
def without_card(f, laid, card, board):
    """Return a state without a card that could have been moved last.

    Returns (the place value it had, -1 if it cannot have been moved, the signature, the rest).
    """
    bit = ONE << U64(card)
    signature, used, tops = laid.signature, laid.used, laid.tops & ~bit
    new = HOME
    if bit & (laid.home | (laid.off & laid.high)):
        if height_in(f, laid, card & 3) != (card >> 2) + 1 or bit & f.kept:
            new = -1
        if bit & laid.home:
            signature -= ONE << U64(4 * (card & 3))
    elif bit & laid.locked or not bit & (laid.tops | laid.cells):
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
        signature, laid.home & ~bit, laid.locked, laid.off & ~bit, laid.low & ~bit,
        laid.high & ~bit, used, tops, laid.cells & ~bit,
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
        count = U64(bare.signature >> U64(f.column_shift[column])) & U64(f.column_mask[column])
        fits = count < f.locked.shape[1] and f.locked[column, count] == card
        signature += ONE << U64(f.column_shift[column])
        under = f.dealt_under[card]
    elif old < FREECELL:
        under = (card ^ f.kinds[old]) + f.rises[old]
        fits = 0 <= under < 52
        low |= U64(old & 1) << U64(card)
        high |= U64(old >> 1) << U64(card)
    else:
        off |= bit
        low |= bit if old == BOTTOM else ZERO
        high |= bit if old == HOME else ZERO
    if old == HOME:
        fits = height_in(f, bare, card & 3) == card >> 2
    elif old == FREECELL:
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
