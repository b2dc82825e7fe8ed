"""The verifier's moves where a run of cards is one move, found from the columns as they lie.

A run is known by its deepest card. The cards on that one keep what they lie on, so a row tells the
move by the place of the deepest card alone, as for single cards.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.format import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.kernels.arrange import parent_of
from dbmsolver.verify.kernels.back import (
    BAD_CODE,
    NOT_FORCED,
    had_room,
    with_card,
    write_parent,
)
from dbmsolver.verify.kernels.partition import find_run
from dbmsolver.verify.kernels.rows import UNKNOWN, write_row
from dbmsolver.verify.kernels.rules import LaidState, has_room, holds_together, place_in, safe_card
from dbmsolver.verify.kernels.words import ONE, U64, count_bits, height_of


@inlined
def move_cost(f, forced):
    """Return the moves that a move counts, 0 or 1.

    ``forced`` is the card that has to go home, -1 for none.
    """
    return 0 if f.free and forced >= 0 else 1


@inlined
def cards_at_once(f, cells, used, to_column):
    """Return the number of cards that there is room to move at once.

    ``cells`` are the cards in freecells. ``used`` columns are not empty; ``to_column``: to an empty
    one.
    """
    if not f.limited:
        return 52
    most = max(f.room - count_bits(cells), 0) + 1
    if f.doubling:
        spare = f.columns - used - (1 if to_column else 0)
        if spare > 0:
            most <<= spare
    return most


@inlined
def start_of_run(f, board, column):
    """Return the depth from which on the cards of a column are a run."""
    depth = board.lengths[column] - 1
    while depth > 0 and holds_together(
        f, board.columns[column, depth], board.columns[column, depth - 1]
    ):
        depth -= 1
    return depth


@inlined
def is_rest_of_suit(f, signature, board, column, depth):
    """Return True if the cards from a depth on are the whole rest of a suit, king to lowest."""
    card = board.columns[column, depth]
    count = 13 - height_of(signature, card & 3)
    if card < 48 or count < 1 or board.lengths[column] - depth != count:
        return False
    whole = True
    for above in range(count):
        whole &= board.columns[column, depth + above] == card - 4 * above
    return whole


@inlined
def successors(f, index, task, laid, forced, board, work, written, origin):
    """Write a row for every successor of a state; return how many rows there are then."""
    if forced >= 0:
        place = laid.cells >> U64(forced) & ONE
        return write_moves(
            f, index, task, laid, forced, -1 if place else board.column_of[forced],
            True, False, False, board, work, written, origin,
        )  # fmt: skip
    most = cards_at_once(f, laid.cells, laid.used, False)
    most_bottom = cards_at_once(f, laid.cells, laid.used, True)
    for column in range(laid.used):
        last = board.lengths[column] - 1
        for depth in range(start_of_run(f, board, column), last + 1):
            card = board.columns[column, depth]
            if f.whole_suits:
                goes_home = is_rest_of_suit(f, laid.signature, board, column, depth)
            else:
                goes_home = depth == last and height_of(laid.signature, card & 3) == card >> 2
            count = last - depth + 1
            written = write_moves(
                f, index, task, laid, card, column, goes_home, count <= most,
                count <= most_bottom, board, work, written, origin,
            )  # fmt: skip
    rest = laid.cells
    for card in range(52):
        if (rest >> U64(card)) & ONE:
            goes_home = height_of(laid.signature, card & 3) == card >> 2
            if f.whole_suits:
                goes_home &= card >= 48
            written = write_moves(
                f, index, task, laid, card, -1, goes_home, True, True, board, work, written, origin
            )
    return written


@inlined
def write_moves(
    f, index, task, laid, card, column, goes_home, elsewhere, to_bottom, board, work, written,
    origin,
):  # fmt: skip
    """Write the rows of the moves of one run; return how many rows there are then.

    ``card`` is its deepest card, in ``column``, or -1 for a freecell. ``goes_home`` says whether
    the foundation takes it, ``elsewhere`` whether it may go anywhere else, ``to_bottom`` whether to
    an empty column.
    """
    off, low, high = laid.off, laid.low, laid.high
    rows = work.rows
    bit = ONE << U64(card)
    released = laid.signature
    source = 0
    if place_in(f, laid.locked, off, low, high, card) == LOCKED:
        dealt = f.dealt_column[card]  # `column` is its place on the board
        released -= ONE << U64(f.column_shift[dealt])
        source = 5 * (dealt + 1)
    off, low, high = off & ~bit, low & ~bit, high & ~bit
    if goes_home:
        suit = card & 3
        height = 13 if f.whole_suits else (card >> 2) + 1
        target = source + 1 + suit
        raised = (released & ~(U64(15) << U64(4 * suit))) | (U64(height) << U64(4 * suit))
        if work.targets[target] == UNKNOWN:
            work.targets[target] = find_run(index, raised)
        write_row(
            index, task, rows, written, work.targets[target], bit, raised, off, low, high, origin
        )
        written += 1
    if not elsewhere:
        return written
    if work.targets[source] == UNKNOWN:
        work.targets[source] = find_run(index, released)
    target = work.targets[source]
    if card < 48 or f.bases:
        for kind in range(f.kinds.size):
            under = parent_of(f, card, kind)
            # Where columns go round, a whole suit fits on its own end.
            own = column >= 0 and board.columns[column, board.lengths[column] - 1] == under
            if (laid.tops >> U64(under)) & ONE and not own:
                write_row(
                    index, task, rows, written, target, bit, released,
                    off, low | (U64(kind & 1) << U64(card)), high | (U64(kind >> 1) << U64(card)),
                    origin,
                )  # fmt: skip
                written += 1
    is_last = column >= 0 and board.columns[column, board.lengths[column] - 1] == card
    if is_last and has_room(f, laid.cells):
        write_row(index, task, rows, written, target, bit, released, off | bit, low, high, origin)
        written += 1
    at_bottom = column >= 0 and board.columns[column, 0] == card
    if to_bottom and laid.used < f.columns and not at_bottom and f.fillers & bit:
        write_row(
            index, task, rows, written, target, bit, released, off | bit, low | bit, high, origin
        )
        written += 1
    return written


@inlined
def step_back(f, index, task, laid, run, made, code, board, rows, at, meta):
    """Undo a parent-move code: the parent as a row.  Returns an error, 0 if there is none.

    The position before is the state without the run moved, and with it in its place before, which
    must be one where it can be. The run must be one, so that it can be moved from there.
    """
    if code >= f.code_card.size or f.code_card[code] >= 52:
        return BAD_CODE
    card, old = f.code_card[code], f.code_place[code]
    new, bare, top, count = without_run(f, laid, card, board)
    if new < 0 or new == old or old == HOME or (old == FREECELL and top != card):
        return BAD_CODE
    fits, before = with_card(f, bare, bare.signature, card, old)
    if not fits:
        return BAD_CODE
    if not had_room(f, card, old, new, before):
        return BAD_CODE
    if count > 1 and count > cards_at_once(f, before.cells, before.used, new == BOTTOM):
        return BAD_CODE
    # What lies on top there is the last card of the run.
    tops = before.tops
    if old != FREECELL:
        tops = (tops & ~(ONE << U64(card))) | (ONE << U64(top))
    forced = safe_card(f, before.signature, tops | before.cells)
    if forced >= 0 and (forced != card or new != HOME):
        return NOT_FORCED
    cost = move_cost(f, forced)
    if task.costs and made < cost:
        return BAD_CODE
    write_parent(index, task, laid, run, max(made - cost, 0), card, before, rows, at, meta)
    return 0


@inlined
def without_run(f, laid, card, board):
    """Return a state without a run that could have been moved last, by its deepest card.

    Returns (the place value it had, -1 if it cannot have been moved; the rest; the run's last card;
    the number of its cards, 1 for those that went home). Of a suit that went home as a whole the
    other cards are not in the rest either, and come back with the king: their bits are all zero.
    """
    shift = U64(card)
    bit = ONE << shift
    suit = card & 3
    signature, used, tops, top = laid.signature, laid.used, laid.tops, card
    new, count = HOME, 1
    if (laid.home >> shift) & ONE:
        height = height_of(signature, suit)
        if height != (card >> 2) + 1:
            new = -1
        before = card >> 2
        if f.whole_suits:
            before = f.heights_dealt[suit]
            top = 4 * before + suit
            if height == before:
                new = -1
        signature -= U64(height - before) << U64(4 * suit)
    elif (laid.cells >> shift) & ONE:
        new = FREECELL
    else:
        column = board.column_of[card]
        last = board.lengths[column] - 1
        depth = last
        while depth > 0 and board.columns[column, depth] != card:
            depth -= 1
        if (laid.locked >> shift) & ONE or depth < start_of_run(f, board, column):
            new = -1
        else:
            new = place_in(f, laid.locked, laid.off, laid.low, laid.high, card)
            top = board.columns[column, last]
        tops &= ~(ONE << U64(board.columns[column, last]))
        count = last - depth + 1
        if depth == 0:
            used -= 1
        else:
            tops |= ONE << U64(board.columns[column, depth - 1])
    rest = LaidState(
        signature, laid.home, laid.locked, laid.off & ~bit, laid.low & ~bit, laid.high & ~bit,
        used, tops, laid.cells & ~bit,
    )  # fmt: skip
    return new, rest, top, count
