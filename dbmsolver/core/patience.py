"""Klondike and its relatives: their states as words, and the kernels that play them.

A state is what lies under each card, and how far the stock is turned. It is three words. Of each
card they hold a *digit* of three bits, cards 0 to 20 in word 0, 21 to 41 in word 1, the others in
word 2, the lowest bits first:

===== ===========================================================================================
digit where the card is
===== ===========================================================================================
0     where it was dealt: on the card dealt under it, or in stock or waste
1-4   on a legal parent: ``parents[card, digit - 1]``, of one rank more
5     at the bottom of a column that was empty
6     home
===== ===========================================================================================

A card that comes back to the card it was dealt on has digit 0 again, if that card was dealt face
up; if it was dealt face down, it has been turned up, and the digit is that of the parent. So a card
that was dealt face down lies so as long as the card dealt on it has digit 0. The order of columns
is in no digit. Bits 32 to 37 of word 2 say how many cards the waste has, bits 38 to 43 how often it
may still be turned over (0 where that is not limited).

*Turning the stock.* Cards that are turned and not played change nothing but the waste. So a move
from the waste is one move with all turning before it: :func:`reachable` lists the cards that some
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

*Ranks* are those of :mod:`dbmsolver.keys.patience`: where the deal gives the base of the
foundations, they are counted from it. Where columns go round, cards of the last rank have those of
the base as parents.

*A reserve* is one stack: its cards have the digit 0 until they leave it, the last one first. When a
move takes all cards of a column, the reserve's last card goes to the bottom of it (digit 5) as part
of the move.

A *parent-move code* has 16 bits: the card that moved last (6 bits), its digit before (3), the cards
in the waste before (6), and a last bit. Of a card that was in stock or waste, it says whether the
waste was turned over; of another, whether the reserve filled the column that it left. So a move is
undone: the card that filled the column is the one that left the reserve last, as cards leave it in
their order, and no move before it can be meant.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import inlined_by_type

U64 = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

DEALT, BOTTOM, HOME = 0, 5, 6
PER_WORD = 21
WASTE_SHIFT, TURNS_SHIFT = 32, 38
NO_CARD = 63
NO_PARENT = NO_CARD
"""The code of the deal itself."""
OVER = 1 << 15
"""Of a code: the waste was turned over, or the reserve filled the column that the card left."""
FILL_NONE, FILL_KINGS, FILL_ANY, FILL_WASTE = 0, 1, 2, 3
SINGLE, RUNS, SUIT_RUNS, GROUPS, CARD_OR_COLUMN, COLUMNS = 0, 1, 2, 3, 4, 5
NOT_IN_COLUMN, ON_NOTHING = -2, -1
MOST_MOVES = 512
"""More than a state has: each card has five places to go to."""
MOST_COLUMNS = 13


class PatienceTables(NamedTuple):
    """Constants of one deal."""

    columns: int
    draw: int
    limited: int  # whether turning the waste over is
    free: int  # whether turning costs nothing and is not limited
    counted: int  # whether turning counts as moves
    worrying: int  # 0, or 1 and the height of foundations up to which no card comes back
    takes: int  # SINGLE, RUNS, SUIT_RUNS, GROUPS, CARD_OR_COLUMN or COLUMNS
    fill: int
    twins: int  # whether runs go from one twin to another only to send it home
    under: Ints  # [52]: the card dealt under each, ON_NOTHING, NOT_IN_COLUMN
    over: Ints  # [52]: the card dealt on each, -1 for none
    hidden: Ints  # [52]: 1 for cards dealt face down
    parents: Ints  # [52, 4]: the cards that a card may be put on, -1 for none
    stock: Ints  # [*]: the cards of waste and stock, in the order in which they are turned
    safe: Ints  # [52, 4]: heights of foundations from which on a move home is safe
    bits: Ints  # [52]: the bit of a card's digit being 0 in signatures, -1 for none


CanfieldTables: Any = namedtuple(  # type: ignore[misc]
    "CanfieldTables", (*PatienceTables._fields, "reserve")
)
"""The same, and the cards of the reserve, deepest card first (Ints): for games with a reserve, with
whole columns that move, or with empty columns that take cards of the waste only. Kernels are
compiled by themselves for these: one array more in the tables makes those of others slower.
"""


@inlined
def _is_not(t):
    return False


@inlined
def _is(t):
    return True


of_canfield = inlined_by_type({PatienceTables: _is_not, CanfieldTables: _is})
"""Whether tables are those of Canfield's kin: known when a kernel is compiled."""


@inlined
def _none_left(t, digits):
    return np.int64(0)


@inlined
def _left_in_reserve(t, digits):
    left = np.int64(t.reserve.size)
    while left and digits[t.reserve[left - 1]] != DEALT:
        left -= 1
    return left


left_in_reserve = inlined_by_type({PatienceTables: _none_left, CanfieldTables: _left_in_reserve})
"""How many cards the reserve has (int64)."""


@inlined
def _no_card(t, left):
    return np.int64(-1)


@inlined
def _last_of_reserve(t, left):
    return t.reserve[left - 1]


last_of_reserve = inlined_by_type({PatienceTables: _no_card, CanfieldTables: _last_of_reserve})
"""The last card (int64) of a reserve that has so many cards."""


class Board(NamedTuple):
    """A state taken apart, to be used again for the next."""

    digits: Ints  # [52]
    above: Ints  # [52]: the card on each, -1 for none
    heights: Ints  # [4]
    stacks: Ints  # [13, 52]: columns that have cards, deepest card first
    lengths: Ints  # [13]
    up: Ints  # [13]: how many cards of a column lie face down
    left: Ints  # [52]: the cards of waste and stock
    seen: Ints  # [53]: which of them were reached
    numbers: Ints  # [8]: see below


USED, LEFT, IN_WASTE, TURNS, RESERVE = 0, 1, 2, 3, 4
"""Of a board's numbers: columns with cards, cards of waste and stock, those of the waste, turns
left, and cards of the reserve."""


def make_board() -> Board:
    """An empty board."""
    return Board(
        digits=np.zeros(CARDS, np.int64),
        above=np.zeros(CARDS, np.int64),
        heights=np.zeros(4, np.int64),
        stacks=np.zeros((MOST_COLUMNS + 1, CARDS), np.int64),
        lengths=np.zeros(MOST_COLUMNS + 1, np.int64),
        up=np.zeros(MOST_COLUMNS + 1, np.int64),
        left=np.zeros(CARDS, np.int64),
        seen=np.zeros(CARDS + 1, np.int64),
        numbers=np.zeros(8, np.int64),
    )


class Found(NamedTuple):
    """The moves of a state: states, codes, and what each costs."""

    words: Words  # [512, 3]
    codes: NDArray[np.uint16]  # [512]
    costs: Ints  # [512]


def make_found() -> Found:
    """Room for the moves of a state."""
    return Found(
        words=np.zeros((MOST_MOVES, 3), np.uint64),
        codes=np.zeros(MOST_MOVES, np.uint16),
        costs=np.zeros(MOST_MOVES, np.int64),
    )


@inlined
def take(t, first, second, third, board):
    """Take a state apart."""
    digits, above, heights = board.digits, board.above, board.heights
    for suit in range(4):
        heights[suit] = 0
    for card in range(CARDS):
        above[card] = -1
    word = first
    for card in range(CARDS):
        if card == PER_WORD:
            word = second
        elif card == 2 * PER_WORD:
            word = third
        digit = np.int64(word & U64(7))
        word >>= U64(3)
        digits[card] = digit
        if digit == HOME:
            heights[card & 3] += 1
    used = np.int64(0)
    for card in range(CARDS):
        digit = digits[card]
        if digit == DEALT:
            under = t.under[card]
        elif digit == HOME:
            continue
        elif digit == BOTTOM:
            under = ON_NOTHING
        else:
            under = t.parents[card, digit - 1]
        if under >= 0:
            above[under] = card
        elif under == ON_NOTHING:
            board.stacks[used, 0] = card
            used += 1
    for column in range(used):
        depth, up = np.int64(1), np.int64(0)
        card = board.stacks[column, 0]
        while above[card] >= 0:
            if t.hidden[card] and t.over[card] == above[card] and digits[above[card]] == DEALT:
                up = depth
            card = above[card]
            board.stacks[column, depth] = card
            depth += 1
        board.lengths[column] = depth
        board.up[column] = up
    cards = np.int64(0)
    for index in range(t.stock.size):
        if digits[t.stock[index]] == DEALT:
            board.left[cards] = t.stock[index]
            cards += 1
    board.numbers[USED] = used
    board.numbers[LEFT] = cards
    board.numbers[IN_WASTE] = np.int64((third >> U64(WASTE_SHIFT)) & U64(63))
    board.numbers[TURNS] = np.int64((third >> U64(TURNS_SHIFT)) & U64(63))
    board.numbers[RESERVE] = left_in_reserve(t, digits)


@inlined
def digit_on(t, card, parent):
    """The digit (int64) of a card that is put on another, its legal parent."""
    if t.under[card] == parent and not t.hidden[parent]:
        return np.int64(DEALT)
    for number in range(4):
        if t.parents[card, number] == parent:
            return np.int64(number + 1)
    return np.int64(-1)


@inlined
def digit_at_bottom(t, card):
    """The digit (int64) of a card that is put into an empty column."""
    return np.int64(DEALT if t.under[card] == ON_NOTHING else BOTTOM)


@inner
def add(t, words, board, card, digit, waste, turns, cost, found, number):
    """Write the state in which a card has another digit, as move ``number``; the next number.

    ``waste`` and ``turns`` are those of the state that follows.
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


@inner
def fill_column(card, found, first, number):
    """Let a card of the reserve fill the column that moves from ``first`` on leave empty.

    Its digit was 0 before.
    """
    for move in range(first, number):
        found.words[move, card // PER_WORD] |= U64(BOTTOM) << U64(3 * (card % PER_WORD))
        found.codes[move] |= np.uint16(OVER)


@inlined
def is_free_waste(t, waste, cards):
    """Whether so many cards in the waste, of so many left, make no difference to none."""
    return t.free and (waste % t.draw == 0 or waste == cards)


@inner
def go_to_columns(t, words, board, card, source, waste, turns, cost, found, number):
    """Write the moves of a card, with what lies on it, to columns; the next number.

    ``source`` is its column, -1 where it lies in none, -2 less the column where it may go to an
    empty column only.
    """
    used = board.numbers[USED]
    only_empty = source < -1
    if only_empty:
        source = -2 - source
    for column in range(0 if only_empty else used):
        if column == source:
            continue
        target = board.stacks[column, board.lengths[column] - 1]
        digit = np.int64(-1)
        for kind in range(4):
            if t.parents[card, kind] == target:
                digit = digit_on(t, card, target)
        if digit >= 0:
            number = add(t, words, board, card, digit, waste, turns, cost, found, number)
    if used == t.columns or t.fill == FILL_NONE or (t.fill == FILL_KINGS and card < CARDS - 4):
        return number
    if source >= 0 and board.stacks[source, 0] == card:
        return number
    if of_canfield(t) and t.fill == FILL_WASTE and (source >= 0 or board.digits[card] == HOME):
        return number
    digit = digit_at_bottom(t, card)
    return add(t, words, board, card, digit, waste, turns, cost, found, number)


@inlined
def goes_on(t, lower, upper):
    """Whether a card on another makes a run with it."""
    if t.takes == GROUPS:
        return True
    if t.takes == SINGLE or (t.takes == SUIT_RUNS and (lower ^ upper) & 3):
        return False
    fits = False
    for kind in range(4):
        fits |= t.parents[upper, kind] == lower
    return fits


@inlined
def stays(t, depth, last):
    """Whether cards from a depth of a column on go to no other one: a part that may not move."""
    part = t.takes == COLUMNS or (t.takes == CARD_OR_COLUMN and depth < last)
    return part and depth > 0


@inner
def forced_column(t, board):
    """The column whose top card has to go home, of the lowest suit; -1 if there is none."""
    best = np.int64(-1)
    for column in range(board.numbers[USED]):
        card = board.stacks[column, board.lengths[column] - 1]
        suit = card & 3
        if board.heights[suit] != card >> 2:
            continue
        safe = best < 0 or suit < board.stacks[best, board.lengths[best] - 1] & 3
        for other in range(4):
            if other != suit and board.heights[other] < t.safe[card, other]:
                safe = False
        if safe:
            best = np.int64(column)
    return best


@inner
def list_moves(t, words, board, found):
    """Write what follows from a state (uint64[3]); how many moves.

    ``board`` is the state taken apart (:func:`take`). Where a move home is forced, it is the only
    one.
    """
    number = np.int64(0)
    used, waste, turns = board.numbers[USED], board.numbers[IN_WASTE], board.numbers[TURNS]
    reserve = board.numbers[RESERVE] if of_canfield(t) else np.int64(0)
    forced = forced_column(t, board)
    if forced >= 0:
        card = board.stacks[forced, board.lengths[forced] - 1]
        number = add(t, words, board, card, HOME, waste, turns, 1, found, number)
        if reserve and board.lengths[forced] == 1:
            fill_column(last_of_reserve(t, reserve), found, 0, number)
        return number
    for column in range(used):
        last = board.lengths[column] - 1
        top = board.stacks[column, last]
        first = number
        if board.heights[top & 3] == top >> 2:
            number = add(t, words, board, top, HOME, waste, turns, 1, found, number)
        for depth in range(last, board.up[column] - 1, -1):
            card = board.stacks[column, depth]
            if depth < last and not goes_on(t, card, board.stacks[column, depth + 1]):
                break
            if of_canfield(t) and stays(t, depth, last):
                continue
            if depth < last:
                first = number
            source = column
            if t.twins and depth > board.up[column]:
                under = board.stacks[column, depth - 1]
                if board.heights[under & 3] != under >> 2 and goes_on(t, under, card):
                    source = -2 - column
            number = go_to_columns(t, words, board, card, source, waste, turns, 1, found, number)
            if reserve and depth == 0:
                fill_column(last_of_reserve(t, reserve), found, first, number)
    if reserve:
        card = last_of_reserve(t, reserve)
        if board.heights[card & 3] == card >> 2:
            number = add(t, words, board, card, HOME, waste, turns, 1, found, number)
        number = go_to_columns(t, words, board, card, -1, waste, turns, 1, found, number)
    if t.worrying:
        for suit in range(4):
            if board.heights[suit] >= t.worrying:
                card = 4 * (board.heights[suit] - 1) + suit
                number = go_to_columns(t, words, board, card, -1, waste, turns, 1, found, number)
    return list_plays(t, words, board, found, number)


@inner
def list_plays(t, words, board, found, number):
    """Write the moves of cards that turning the stock brings to the top of the waste."""
    cards, waste, turns = board.numbers[LEFT], board.numbers[IN_WASTE], board.numbers[TURNS]
    if not cards:
        return number
    for place in range(cards + 1):
        board.seen[place] = 0
    at, turned, over = waste, np.int64(0), False
    while True:
        if at > 0 and not board.seen[at]:
            board.seen[at] = 1
            card = board.left[at - 1]
            left = at - 1
            if is_free_waste(t, left, cards - 1):
                left = np.int64(0)
            cost = np.int64(1)
            if t.counted:
                cost += turned
            following = turns - 1 if over and t.limited else turns
            if board.heights[card & 3] == card >> 2:
                number = add(t, words, board, card, HOME, left, following, cost, found, number)
            number = go_to_columns(t, words, board, card, -1, left, following, cost, found, number)
        if at < cards:
            at = min(at + t.draw, cards)
        elif over or (t.limited and not turns):
            return number
        else:
            at, over = np.int64(0), True
        turned += 1


@inlined
def is_won(words):
    """Whether all cards are home."""
    full = U64(0x6DB6DB6DB6DB6DB6)  # 21 times the digit 6
    return (
        words[0] == full
        and words[1] == full
        and (words[2] & U64((1 << 30) - 1)) == (full & U64((1 << 30) - 1))
    )


@inner
def lower_bound(t, board):
    """Moves (int64) that a solution has at least: admissible and consistent.

    A move home for each card that is not home. For each column in which a card lies on a lower one
    of its suit, a move that is none home: all such cards have to leave the lower one before it can
    go home. A move that is none home takes cards from one column only, and changes no other but the
    one it goes to, which it cannot free; a move home takes a card whose lower ones are all home, so
    it frees no column. Where turning counts, a turn for every ``draw`` cards of the stock that are
    not in the waste: each has to come to the waste, and no turn brings more. A card that comes back
    adds one to the first of the three. So the bound falls by one move's cost at most.

    A whole column that moves to another one takes what blocks it along: then the other one is
    blocked after the move, and at most one column less is. A card of the reserve that fills a
    column is alone there, which blocks nothing; it was not home before, and is not after. So fills,
    which cost nothing, leave the bound as it is. The reserve itself is not looked at: its cards
    may leave it without a move.
    """
    total = np.int64(CARDS)
    for suit in range(4):
        total -= board.heights[suit]
    for column in range(board.numbers[USED]):
        lowest = board.above  # free for use once the columns are known
        for suit in range(4):
            lowest[suit] = CARDS
        for depth in range(board.lengths[column]):
            card = board.stacks[column, depth]
            if lowest[card & 3] < card:
                total += 1
                break
            lowest[card & 3] = card
    if t.counted:
        total += (board.numbers[LEFT] - board.numbers[IN_WASTE] + t.draw - 1) // t.draw
    return total


@inlined
def rises(t, code):
    """Whether a parent-move code leads to the next stratum.

    Its card was in stock, waste or reserve, or lay on one face down; or the reserve filled the
    column that it left, in which it lay at the bottom, where no such card was dealt.
    """
    card, old = np.int64(code & np.uint16(63)), (code >> np.uint16(6)) & np.uint16(7)
    first = old == DEALT and t.bits[card] >= 0
    if of_canfield(t):
        first |= code & np.uint16(OVER) != 0
    return first


@kernel
def signatures(t, words, found):
    """Write the signatures (uint64[states]) of states (uint64[states, 3]).

    A bit for each card of stock, waste and reserve that has left it, and for each that was dealt
    face down and has been turned up; from bit 52 on, the upper bits of word 2.
    """
    for state in range(words.shape[0]):
        signature = (words[state, 2] >> U64(WASTE_SHIFT)) << U64(52)
        for card in range(CARDS):
            if t.bits[card] >= 0:
                digit = (words[state, card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7)
                if digit:
                    signature |= U64(1) << U64(t.bits[card])
        found[state] = signature


@kernel
def moves_of(t, words, board, found):
    """`list_moves` of a state, taken apart first; to be called from Python."""
    take(t, words[0], words[1], words[2], board)
    return list_moves(t, words, board, found)


@kernel
def bound_of(t, words, board):
    """`lower_bound` of a state; to be called from Python."""
    take(t, words[0], words[1], words[2], board)
    return lower_bound(t, board)
