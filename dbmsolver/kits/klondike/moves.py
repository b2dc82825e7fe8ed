"""Klondike and its relatives: the moves of a state.

What the words of a state hold is said in :mod:`dbmsolver.kits.klondike.tables`.

*Turning the stock.* Cards that are turned and not played change nothing but the waste. So a move
from the waste is one move with all turning before it: `list_plays` lists the cards that some
number of turns brings to the top of the waste, each with the fewest. Any play that turns more
before the same card leads to the same state, or, where turning the waste over is limited, to one
that has fewer such turns left and can do nothing more.

*Twins.* Where runs move as one, and the same cards may be put on two cards of a rank, a run is
moved from one of them to the other only if the one that it leaves can go home at once. The argument
is in :mod:`dbmsolver.game.patience`.

*Free turns.* Where turning costs nothing and is not limited, two numbers of cards in the waste with
the same reachable cards make no difference. After j cards have been left in the waste, those that
can be reached are j, j + draw, ... and the last one, and, once the waste is turned over, draw,
2 * draw, ... and the last one. If j is a multiple of draw, or all cards, the first are among the
others. Then the state says 0.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import lowest_bit
from dbmsolver.kernels.states import CARDS, U64
from dbmsolver.kits.klondike.tables import (
    ALL_COUNT,
    AT_BOTTOM,
    BOTTOM,
    CARD_OR_COLUMN,
    COLUMNS,
    DEALT,
    FILL_KINGS,
    FILL_NONE,
    FILL_WASTE,
    GROUPS,
    HOME,
    IN_WASTE,
    LEFT,
    ON_NOTHING,
    OVER,
    PER_WORD,
    RESERVE,
    SINGLE,
    SUIT_RUNS,
    TURNS,
    TURNS_SHIFT,
    USED,
    WASTE_SHIFT,
    last_of_reserve,
    left_in_reserve,
)


@inlined
def take_cards(t, word, first, last, used, board):
    """Write where the cards from ``first`` to before ``last`` are, whose digits a word holds.

    ``used`` is the number of columns whose deepest cards were found so far; returns that number.
    There is no branch that depends on the cards: it would be guessed wrongly too often.
    """
    for card in range(first, last):
        digit = np.int64(word & U64(7))
        word >>= U64(3)
        board.digits[card] = digit
        board.heights[card & 3] += digit == HOME
        under = t.lies_on[card, digit]
        board.above[under] = card
        board.stacks[used, 0] = card
        used += under == AT_BOTTOM
    return used


@inlined
def take(t, first, second, third, board):
    """Write what a state's three words (uint64) hold to ``board``."""
    digits, above, stacks = board.digits, board.above, board.stacks
    for suit in range(4):
        board.heights[suit] = 0
    for card in range(CARDS):
        above[card] = -1
        board.column[card] = -1
    used = take_cards(t, first, 0, PER_WORD, np.int64(0), board)
    used = take_cards(t, second, PER_WORD, 2 * PER_WORD, used, board)
    used = take_cards(t, third, 2 * PER_WORD, CARDS, used, board)
    tops = U64(0)
    for column in range(used):
        depth, up = np.int64(0), np.int64(0)
        card = following = stacks[column, 0]
        while following >= 0:
            card = following
            stacks[column, depth] = card
            board.column[card], board.depth[card] = column, depth
            up = depth if t.covers[card] and digits[card] == DEALT else up
            following = above[card]
            depth += 1
        board.lengths[column] = depth
        board.up[column] = up
        tops |= U64(1) << U64(card)
    board.tops[0] = tops
    cards, unplayed = np.int64(0), U64(0)
    for index in range(t.stock.size):
        card = t.stock[index]
        stays = digits[card] == DEALT
        board.left[cards] = card
        cards += stays
        unplayed |= U64(stays) << U64(card)
    board.unplayed[0] = unplayed
    board.numbers[USED] = used
    board.numbers[LEFT] = cards
    board.numbers[IN_WASTE] = np.int64((third >> U64(WASTE_SHIFT)) & U64(63))
    board.numbers[TURNS] = np.int64((third >> U64(TURNS_SHIFT)) & U64(63))
    board.numbers[RESERVE] = left_in_reserve(t, digits)


@inlined
def digit_on(t, card, parent):
    """Return the digit (int64) of a card that is put on ``parent``; -1 if it is no legal parent."""
    if t.under[card] == parent and not t.hidden[parent]:
        return np.int64(DEALT)
    for number in range(4):
        if t.parents[card, number] == parent:
            return np.int64(number + 1)
    return np.int64(-1)


@inlined
def digit_at_bottom(t, card):
    """Return the digit (int64) of a card that is put into an empty column."""
    return np.int64(DEALT if t.under[card] == ON_NOTHING else BOTTOM)


@inlined
def add(words, board, card, digit, waste, turns, cost, found, number):
    """Write the state in which a card has another digit, as move ``number``.

    ``waste`` and ``turns`` are those of the state that follows. ``cost`` is that of the move.
    Returns the next free number.
    """
    change = U64(board.digits[card] ^ digit) << U64(3 * (card % PER_WORD))
    for word in range(3):
        found.words[number, word] = words[word]
    found.words[number, card // PER_WORD] ^= change
    third = found.words[number, 2] & U64((1 << WASTE_SHIFT) - 1)
    third |= (U64(waste) << U64(WASTE_SHIFT)) | (U64(turns) << U64(TURNS_SHIFT))
    found.words[number, 2] = third
    code = card | (board.digits[card] << 6) | (board.numbers[IN_WASTE] << 9)
    if turns != board.numbers[TURNS]:
        code |= OVER
    found.codes[number] = np.uint16(code)
    found.costs[number] = cost
    return number + 1


@inlined
def fill_column(card, found, first, number):
    """Let a card of the reserve fill the column that moves from ``first`` on leave empty.

    Its digit was 0 before.
    """
    for move in range(first, number):
        found.words[move, card // PER_WORD] |= U64(BOTTOM) << U64(3 * (card % PER_WORD))
        found.codes[move] |= np.uint16(OVER)


@inlined
def is_free_waste(t, waste, cards):
    """Return True if the number of cards in the waste makes no difference, so that 0 stands for it.

    ``cards`` is how many cards waste and stock have together.
    """
    return t.free and (waste % t.draw == 0 or waste == cards)


@inlined
def first_column_of(board, tops):
    """Return that of a set of top cards (uint64, not empty) which lies in the first column."""
    best = lowest_bit(tops)
    rest = tops & (tops - U64(1))
    while rest:
        card = lowest_bit(rest)
        rest &= rest - U64(1)
        if board.column[card] < board.column[best]:
            best = card
    return best


@inlined
def go_to_columns(t, words, board, card, source, waste, turns, cost, found, number):
    """Write the moves of a card, with the cards on it, to columns.

    They are numbered from ``number`` on; returns the next free number. ``source`` is the card's
    column, or -1 where it lies in none. A ``source`` below -1 is -2 less the column of a card that
    may go to an empty column only.
    """
    used = board.numbers[USED]
    targets = t.legal[card] & board.tops[0]
    if source < -1:
        source, targets = -2 - source, U64(0)
    elif source >= 0:
        targets &= ~(U64(1) << U64(board.stacks[source, board.lengths[source] - 1]))
    while targets:
        target = first_column_of(board, targets)
        targets ^= U64(1) << U64(target)
        digit = digit_on(t, card, target)
        number = add(words, board, card, digit, waste, turns, cost, found, number)
    if used == t.columns or t.fill == FILL_NONE or (t.fill == FILL_KINGS and card < CARDS - 4):
        return number
    if source >= 0 and board.stacks[source, 0] == card:
        return number
    if t.fill == FILL_WASTE and (source >= 0 or board.digits[card] == HOME):
        return number
    digit = digit_at_bottom(t, card)
    return add(words, board, card, digit, waste, turns, cost, found, number)


@inlined
def goes_on(t, lower, upper):
    """Return True if a card on another makes a run with it."""
    if t.takes == GROUPS:
        return True
    if t.takes == SINGLE or (t.takes == SUIT_RUNS and (lower ^ upper) & 3):
        return False
    return (t.legal[upper] >> U64(lower)) & U64(1) != U64(0)


@inlined
def stays(t, depth, last):
    """Return True if cards from a depth of a column on are a part that may not move."""
    part = t.takes == COLUMNS or (t.takes == CARD_OR_COLUMN and depth < last)
    return part and depth > 0


@inlined
def is_safe(t, heights, card):
    """Return True if a card that is next in its suit goes home without taking anything away."""
    safe = heights[card & 3] == card >> 2
    for other in range(4):
        if other != card & 3 and heights[other] < t.safe[card, other]:
            safe = False
    return safe


@inlined
def forced_column(t, board):
    """Return the column whose top card has to go home, of the lowest suit; -1 if there is none."""
    for suit in range(4):
        card = 4 * board.heights[suit] + suit
        if (board.tops[0] >> U64(card)) & U64(1) and is_safe(t, board.heights, card):
            return board.column[card]
    return np.int64(-1)


@inlined
def is_room_wanted(t, board):
    """Return True if no column is empty, and a king may go to an empty one at once."""
    if board.numbers[USED] < t.columns:
        return False
    for king in range(CARDS - 4, CARDS):
        column, depth = board.column[king], board.depth[king]
        if column >= 0 and depth > 0 and depth >= board.up[column]:
            last = board.lengths[column] - 1
            while depth < last and goes_on(
                t, board.stacks[column, depth], board.stacks[column, depth + 1]
            ):
                depth += 1
            if depth == last:
                return True
    if board.unplayed[0] >> U64(CARDS - 4):
        return True
    if t.worrying:
        for suit in range(4):
            if board.heights[suit] == CARDS // 4:
                return True
    return False


@inlined
def is_place_wanted(t, movable, card):
    """Return True if one of the cards that may move (a bit for each) may be put on a card."""
    for other in range(4):
        child = (card & ~3) - 4 + other
        if (
            child >= 0
            and (movable & (U64(1) << U64(child)))
            and (t.legal[child] >> U64(card)) & U64(1)
        ):
            return True
    return False


@inlined
def is_return_wanted(t, board, movable, card):
    """Return True if a card that comes back stays, and a card may be put on it.

    It is the same if a card may be put on one beneath it on its foundation, which comes back after
    it.
    """
    safe = True
    for other in range(4):
        if other != card & 3 and board.heights[other] < t.safe[card, other]:
            safe = False
    if safe:
        return False
    movable |= board.unplayed[0]
    for suit in range(4):
        if board.heights[suit] >= t.worrying:
            movable |= U64(1) << U64(4 * (board.heights[suit] - 1) + suit)
    for place in range(card, 4 * (t.worrying - 1) - 1, -4):
        if is_place_wanted(t, movable, place):
            return True
    return False


@inlined
def list_moves(t, words, board, found):
    """Write the states that follow from a state (uint64[3]) to ``found``; return their number.

    ``board`` is the state as :func:`take` writes it. Where a move home is forced, it is the only
    one.

    Where the tables say so, moves are left out that a shortest solution does without;
    :mod:`dbmsolver.game.brevity` says why.
    """
    number = np.int64(0)
    used, waste, turns = board.numbers[USED], board.numbers[IN_WASTE], board.numbers[TURNS]
    reserve = board.numbers[RESERVE]
    forced = forced_column(t, board)
    if forced >= 0:
        card = board.stacks[forced, board.lengths[forced] - 1]
        number = add(words, board, card, HOME, waste, turns, 1, found, number)
        if reserve and board.lengths[forced] == 1:
            fill_column(last_of_reserve(t, reserve), found, 0, number)
        return number
    if t.brief and t.draw == 1 and waste:
        card = board.left[waste - 1]
        if is_safe(t, board.heights, card):
            left = (
                np.int64(0) if is_free_waste(t, waste - 1, board.numbers[LEFT] - 1) else waste - 1
            )
            return add(words, board, card, HOME, left, turns, 1, found, number)
    stuck = t.brief and t.fill == FILL_KINGS and not is_room_wanted(t, board)
    movable = U64(0)
    for column in range(used):
        last = board.lengths[column] - 1
        top = board.stacks[column, last]
        first = number
        if board.heights[top & 3] == top >> 2:
            number = add(words, board, top, HOME, waste, turns, 1, found, number)
        for depth in range(last, board.up[column] - 1, -1):
            card = board.stacks[column, depth]
            if depth < last and not goes_on(t, card, board.stacks[column, depth + 1]):
                break
            if stays(t, depth, last):
                continue
            if depth < last:
                first = number
            source = column
            if t.twins and depth > board.up[column]:
                under = board.stacks[column, depth - 1]
                if board.heights[under & 3] != under >> 2 and goes_on(t, under, card):
                    source = -2 - column
            if depth == 0 and stuck:
                movable |= U64(1) << U64(card)
                continue
            if source >= 0:
                movable |= U64(1) << U64(card)
            number = go_to_columns(t, words, board, card, source, waste, turns, 1, found, number)
            if reserve and depth == 0:
                fill_column(last_of_reserve(t, reserve), found, first, number)
    if reserve:
        card = last_of_reserve(t, reserve)
        if board.heights[card & 3] == card >> 2:
            number = add(words, board, card, HOME, waste, turns, 1, found, number)
        number = go_to_columns(t, words, board, card, -1, waste, turns, 1, found, number)
    if t.worrying:
        for suit in range(4):
            if board.heights[suit] >= t.worrying:
                card = 4 * (board.heights[suit] - 1) + suit
                if t.brief and not is_return_wanted(t, board, movable, card):
                    continue
                number = go_to_columns(t, words, board, card, -1, waste, turns, 1, found, number)
    return list_plays(t, words, board, found, number)


@inlined
def list_plays(t, words, board, found, number):
    """Write the moves of cards that turning the stock brings to the top of the waste.

    They are numbered from ``number`` on; returns the next free number.
    """
    cards, waste, turns = board.numbers[LEFT], board.numbers[IN_WASTE], board.numbers[TURNS]
    if not cards:
        return number
    seen = U64(0)  # a bit for each number of cards in the waste
    at, turned, over = waste, np.int64(0), False
    while True:
        bit = U64(1) << U64(at)
        if at > 0 and not seen & bit:
            seen |= bit
            card = board.left[at - 1]
            left = at - 1
            if is_free_waste(t, left, cards - 1):
                left = np.int64(0)
            cost = np.int64(1)
            if t.counted:
                cost += turned
            following = turns - 1 if over and t.limited else turns
            if board.heights[card & 3] == card >> 2:
                number = add(words, board, card, HOME, left, following, cost, found, number)
            if t.brief and is_safe(t, board.heights, card):
                if t.draw == 1:
                    return number
            else:
                number = go_to_columns(
                    t, words, board, card, -1, left, following, cost, found, number
                )
        if at < cards:
            at = min(at + t.draw, cards)
            turned += 1
        elif over or (t.limited and not turns):
            return number
        else:
            at, over = np.int64(0), True
            turned += t.counted == ALL_COUNT


@kernel
def moves_of(t, words, board, found):
    """Call `list_moves` for a state (uint64[3]) from Python, and return its result."""
    take(t, words[0], words[1], words[2], board)
    return list_moves(t, words, board, found)
