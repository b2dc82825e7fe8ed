"""The moves of a position: one generator for all games of columns, whatever their rules.

A move takes a card, with all that lies on it, to a column, a freecell or home. It is told by its
deepest card and a place value: the others stay as they lie. Cards come from columns, freecells, the
reserve, the foundations, and the waste. What the rules allow is in the tables of
:class:`dbmsolver.verify.kernels.rules.Rules`.

Where a card has to go home, that is the only move. Where shortest solutions are looked for, and
where cards of the same rank and colour take the same cards, some moves are left out that no
solution needs (:mod:`dbmsolver.verify.kernels.left_out`).
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels import left_out
from dbmsolver.verify.kernels.board import CARD, COST, NOTHING, PLACE, TURNS, WASTE, carries
from dbmsolver.verify.kernels.rules import (
    ALL_OR_NOTHING,
    BOTTOM,
    CARD_OR_ALL,
    FREECELL,
    HOME,
    MOST_TAKERS,
    is_as_none,
)
from dbmsolver.verify.kernels.words import ALL, ZERO, count_bits, first_of, height_of, holds, one


class After(NamedTuple):
    """The stock after a move, and what the move costs."""

    waste: int
    turns: int
    cost: int


@inlined
def list_moves(r, board, laid, forced):
    """Write the moves of a position to ``board.moves``; return how many there are.

    ``forced`` is the card that has to go home, -1 for none.
    """
    if forced >= 0:
        after = After(laid.waste, laid.turns, 0 if r.forced_free else 1)
        return note(board, 0, forced, HOME, after)
    after = After(laid.waste, laid.turns, 1)
    if laid.hand and left_out.play_is_certain(r, board, laid):
        card = board.hand[laid.waste - 1]
        left = cards_left(r, laid.hand, laid.waste)
        return note(board, 0, card, HOME, After(left, laid.turns, 1))
    count, to_columns = moves_of_columns(r, board, laid, after)
    rest = laid.cells
    while rest:
        card, rest = first_of(rest)
        count = moves_of_card(r, board, laid, count, card, r.fillers, after)
    if laid.reserve:
        card = r.reserve[laid.reserve - 1]
        count = moves_of_card(r, board, laid, count, card, r.fillers, after)
    if r.kept < 13:
        count = moves_of_foundations(r, board, laid, count, to_columns, after)
    return turn_stock(r, board, laid, count) if laid.hand else count


@inlined
def note(board, count, card, place, after):
    """Note a move; return how many there are then."""
    move = board.moves[count]
    move[CARD], move[PLACE] = card, place
    move[WASTE], move[TURNS], move[COST] = after.waste, after.turns, after.cost
    return count + 1


@inlined
def moves_of_columns(r, board, laid, after):
    """Note the moves from ends of columns: (number of moves, cards that may go to columns)."""
    count, to_columns = 0, ZERO
    room, empty = has_room(r, laid), laid.used < r.columns
    most, most_to_empty = cards_at_once(r, laid, False), cards_at_once(r, laid, True)
    stay = left_out.bottoms_stay(r, board, laid)
    tops = laid.tops
    while tops:
        top, tops = first_of(tops)
        card, cards = top, 1
        while True:
            under = board.on[card]
            leaves = may_leave(r, under, cards)
            twin = left_out.need_not_change_twins(r, laid, card, under)
            if leaves and not twin:
                to_columns |= one(card)
            if goes_home(r, board, laid, card, top, cards):
                count = note(board, count, card, HOME, after)
            if room and cards == 1:
                count = note(board, count, card, FREECELL, after)
            if leaves and not twin and cards <= most and not (stay and under == NOTHING):
                count = onto_cards(r, board, laid, count, card, top, after)
            fits = leaves and empty and under != NOTHING and cards <= most_to_empty
            if fits and holds(r.fillers, card):
                count = note(board, count, card, BOTTOM, after)
            if not carries(r, laid, card, under):
                break
            card, cards = under, cards + 1
    return count, to_columns


@inlined
def moves_of_card(r, board, laid, count, card, fillers, after):
    """Note the moves of a card that lies in no column; return how many moves there are then.

    ``fillers`` are the cards that would go to an empty column from where it is.
    """
    if goes_home(r, board, laid, card, card, 1):
        count = note(board, count, card, HOME, after)
    count = onto_cards(r, board, laid, count, card, card, after)
    if laid.used < r.columns and holds(fillers, card):
        count = note(board, count, card, BOTTOM, after)
    return count


@inlined
def onto_cards(r, board, laid, count, card, top, after):
    """Note the moves of a card, with those on it up to ``top``, onto last cards of columns."""
    if not r.takes[card] & laid.tops & ~one(top):
        return count
    for place in range(MOST_TAKERS):
        taker = r.takers[card, place]
        if taker >= 0 and taker != top and holds(laid.tops, taker):
            count = note(board, count, card, place, after)
    return count


@inlined
def moves_of_foundations(r, board, laid, count, to_columns, after):
    """Note the moves of cards that come back from the foundations."""
    for suit in range(4):
        height = height_of(laid.heights, suit)
        card = 4 * (height - 1) + suit
        if height <= r.kept or not left_out.is_of_use(r, board, laid, card, to_columns):
            continue
        count = moves_of_card(r, board, laid, count, card, r.fillers, after)
        if has_room(r, laid):
            count = note(board, count, card, FREECELL, after)
    return count


@inlined
def turn_stock(r, board, laid, count):
    """Note the plays of cards of waste and stock, each after the fewest turns that reach it."""
    hand, waste, turns = laid.hand, laid.waste, laid.turns
    seen = ZERO  # places of the hand
    turned = steps = 0
    while steps <= 2 * hand + 1:  # the rest of this pass, and a whole one, reach every card
        if waste and not holds(seen, waste - 1):
            seen |= one(waste - 1)
            card = board.hand[waste - 1]
            cost = 1 + turned if r.counted else 1
            after = After(cards_left(r, hand, waste), turns, cost)
            if r.only_shortest and left_out.stays_home(r, laid.heights, card):
                count = note(board, count, card, HOME, after)
                if r.draw == 1:
                    return count
            else:
                count = moves_of_card(r, board, laid, count, card, r.waste_fillers, after)
        steps += 1
        if waste < hand:
            waste = min(hand, waste + r.draw)
            turned += 1
            continue
        if r.turns >= 0:
            if not turns:
                break
            turns -= 1
        waste = 0
        turned += r.counted == 2
    return count


@inlined
def cards_left(r, hand, waste):
    """Return the cards of the waste once its last one is played, as a position has them.

    0 stands for each number that is reached from an empty waste, too, where only that matters.
    """
    if r.all_reached and is_as_none(waste - 1, hand - 1, r.draw):
        return 0
    return waste - 1


@inlined
def has_room(r, laid):
    """Return True if a freecell is empty that a card may be put into."""
    return count_bits(laid.cells) < r.room


@inlined
def cards_at_once(r, laid, to_empty):
    """Return the number of cards that there is room to move at once, one by one.

    ``to_empty``: to an empty column. Each other empty column doubles the number.
    """
    if not r.limited:
        return 52
    most = max(r.room - count_bits(laid.cells), 0) + 1
    spare = r.columns - laid.used - (1 if to_empty else 0)
    if r.fillers == ALL and spare > 0:
        most <<= spare
    return most


@inlined
def may_leave(r, under, cards):
    """Return True if the last ``cards`` cards of a column may go to other columns."""
    if r.part == CARD_OR_ALL:
        return under == NOTHING or cards == 1
    return under == NOTHING or r.part != ALL_OR_NOTHING


@inlined
def goes_home(r, board, laid, card, top, cards):
    """Return True if a foundation takes the cards from ``card`` to ``top``."""
    height = height_of(laid.heights, card & 3)
    if not r.whole_suits:
        return cards == 1 and height == card >> 2
    if card < 48 or cards != 13 - height:
        return False
    while top != card:
        if board.on[top] != top + 4:
            return False
        top += 4
    return True
