"""The check of a state of Klondike and its relatives: the rules once more.

A state is three words, in which each card has a digit of three bits: where it was dealt (0), on the
first to fourth of the cards that it may be put on (1 to 4), at the bottom of a column (5), home
(6). Words 0 and 1 have 21 cards each. In word 2 six bits from bit 32 on are the cards of the waste,
six more are the turns of the waste that are left. A heap, if there is one, is a reserve of which
only the last card moves; it fills each column that a move leaves empty.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ONE, ZERO, first_bit

U64 = np.uint64
CARDS = 52
AWAY, NOTHING = -2, -1
ROOM = 600

GOOD, BAD_KEY, WRONG_STRATUM, WON, NO_SUCCESSOR, NO_PARENT, WRONG_LAYER = range(7)
"""The results of :func:`check`."""

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


class PatienceRules(NamedTuple):
    """The rules and the deal."""

    columns: int
    draw: int
    most_turns: int  # -1 for any number
    free: int  # turning the stock is free: only the cards that it reaches matter
    counted: int  # 0: no turn is a move, 1: turns of the stock are, 2: of the waste, too
    back: int  # whether cards come back
    kept: int  # cards of each suit that stay home
    item: int  # 0 single cards, 1 runs, 2 of a suit, 3 any group, 4 a card or a column, 5 columns
    blank: int  # what goes to empty columns: 0 nothing, 1 kings, 2 anything, 3 cards of the waste
    short: int  # whether what no shortest solution needs is left out
    paired: int  # whether runs go between cards of a rank only to send one home
    dealt_on: Ints  # [52]: the card below, NOTHING or AWAY
    face_down: Ints  # [52]
    takers: Ints  # [52, 4]: what a card may be put on, -1 for none
    pack: Ints  # [*]: waste and stock in order
    heap: Ints  # [*]: the reserve, the last card on top
    at_home: Ints  # [52, 4]: the ranks to be home of each suit for a move home to be made at once


class CardTable(NamedTuple):
    """A state, and what follows from it."""

    digit: Ints  # [52]
    on: Ints  # [52]: the card below, NOTHING or AWAY
    load: Ints  # [52]: the card above, -1 for none
    down: Ints  # [52]: 1 where it lies face down
    home: Ints  # [4]
    hand: Ints  # [52]: waste and stock
    first: Ints  # [5]: cards of the hand, waste, turns, columns in use, cards of the heap
    after: Words  # [600, 3]
    moved: Ints  # [600]: the card that moved
    cost: Ints  # [600]
    count: Ints  # [1]
    deep: Ints  # [52, 4]: of a card and those under it, the lowest of a suit, or 52
    near: Words  # [52]: the cards that a card is in pairs with
    stack: Words  # [256]
    may: Words  # [1]: the cards that may go to a column


class KnownStates(NamedTuple):
    """States in ascending order, and the layer of each."""

    words: Words  # [*, 3]
    layers: Ints  # [*]


def make_table() -> CardTable:
    """Return an empty table."""
    ints = [np.zeros(size, np.int64) for size in (52, 52, 52, 52, 4, 52, 5)]
    return CardTable(
        *ints, np.zeros((ROOM, 3), np.uint64), np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64),
        np.zeros(1, np.int64), np.zeros((52, 4), np.int64), np.zeros(52, np.uint64),
        np.zeros(256, np.uint64), np.zeros(1, np.uint64),
    )  # fmt: skip


@inner
def read(game, words, table):
    """Lay out a state; return whether it is one."""
    table.home[:] = 0
    table.load[:] = -1
    table.down[:] = 0
    if (words[0] | words[1]) >> U64(63) or (words[2] >> U64(30)) & U64(3) or words[2] >> U64(44):
        return False
    for card in range(CARDS):
        digit = np.int64((words[card // 21] >> U64(3 * (card % 21))) & U64(7))
        table.digit[card] = digit
        table.on[card] = AWAY
        if digit == 7 or (0 < digit < 5 and game.takers[card, digit - 1] < 0):
            return False
        if digit == 0:
            table.on[card] = game.dealt_on[card]
        elif digit == 5:
            table.on[card] = NOTHING
        elif digit < 5:
            table.on[card] = game.takers[card, digit - 1]
        else:
            if table.home[card & 3] != card >> 2:
                return False
            table.home[card & 3] += 1
    hand = np.int64(0)
    for place in range(game.pack.size):
        if table.digit[game.pack[place]] == 0:
            table.hand[hand] = game.pack[place]
            hand += 1
    heap = np.int64(0)
    for place in range(game.heap.size):
        if table.digit[game.heap[place]] == 0:
            if heap < place:
                return False
            heap += 1
    bottoms, lying, seen = np.int64(0), np.int64(0), np.int64(0)
    for card in range(CARDS):
        below = table.on[card]
        if below >= 0:
            if table.load[below] >= 0 or table.on[below] == AWAY:
                return False
            table.load[below] = card
        bottoms += below == NOTHING
        lying += below != AWAY
    for card in range(CARDS):
        if table.on[card] == NOTHING:
            at = card
            while at >= 0:
                seen += 1
                over = table.load[at]
                table.down[at] = game.face_down[at] and over >= 0 and table.digit[over] == 0
                at = over
    out = CARDS - lying - hand - heap  # home, if no card is lost
    total = np.int64(0)
    for suit in range(4):
        total += table.home[suit]
    if seen != lying or out != total or bottoms > game.columns:
        return False
    waste = np.int64((words[2] >> U64(32)) & U64(63))
    turns = np.int64((words[2] >> U64(38)) & U64(63))
    if waste > hand or turns > max(game.most_turns, 0) or (heap and bottoms < game.columns):
        return False
    if game.free and waste and (waste == hand or waste % game.draw == 0):
        return False
    table.first[0], table.first[1], table.first[2], table.first[3] = hand, waste, turns, bottoms
    table.first[4] = heap
    return True


@inner
def put(game, table, words, card, digit, waste, turns, cost):
    """Note what follows when a card, with all that lies on it, gets another digit.

    If it leaves its column empty, the heap's last card comes there.
    """
    number = table.count[0]
    for word in range(3):
        table.after[number, word] = words[word]
    shift = U64(3 * (card % 21))
    table.after[number, card // 21] &= ~(U64(7) << shift)
    table.after[number, card // 21] |= U64(digit) << shift
    low = table.after[number, 2] & U64(0x3FFFFFFF)
    table.after[number, 2] = low | (U64(waste) << U64(32)) | (U64(turns) << U64(38))
    if table.on[card] == NOTHING and table.first[4]:
        top = game.heap[table.first[4] - 1]
        table.after[number, top // 21] |= U64(5) << U64(3 * (top % 21))
    table.moved[number] = card
    table.cost[number] = cost
    table.count[0] = number + 1


@inner
def end_of(table, card):
    """Return the top card of the column that a card lies in."""
    while table.load[card] >= 0:
        card = table.load[card]
    return card


@inner
def moves_together(game, table, card):
    """Return True if a card and all on it may move as one."""
    while table.load[card] >= 0:
        over = table.load[card]
        if game.item == 0 or (game.item == 2 and (over ^ card) & 3):
            return False
        if game.item != 3:
            fits = False
            for kind in range(4):
                fits |= game.takers[over, kind] == card
            if not fits:
                return False
        card = over
    return True


@inner
def tied(game, table, card):
    """Return whether a card of a column goes to twins of the card that it lies on for nothing."""
    below = table.on[card]
    if not game.paired or below < 0 or table.down[below] or table.home[below & 3] == below >> 2:
        return False
    fits = False
    for kind in range(4):
        fits |= game.takers[card, kind] == below
    return fits


@inner
def stays_home(game, table, card):
    """Return whether a card that is next in its suit, or the last one, is home for good."""
    height = table.home[card & 3]
    sure = height == card >> 2 or height == (card >> 2) + 1
    for other in range(4):
        sure &= other == card & 3 or table.home[other] >= game.at_home[card, other]
    return sure


@inner
def king_may_move(game, table):
    """Return whether no column is empty, and a king may leave another place than a bottom."""
    if table.first[3] < game.columns:
        return False
    found = False
    for king in range(48, CARDS):
        if table.on[king] == AWAY:
            suit = king & 3
            found |= table.home[suit] < 13 or game.back
        elif table.on[king] != NOTHING and not table.down[king]:
            found |= moves_together(game, table, king)
    return found


@inner
def takes_a_card(game, table, card):
    """Return whether a card that comes back does not go home at once, and may be put a card on."""
    if stays_home(game, table, card):
        return False
    may = table.may[0]
    for place in range(table.first[0]):
        may |= ONE << U64(table.hand[place])
    for suit in range(4):
        if table.home[suit] > game.kept:
            may |= ONE << U64(4 * table.home[suit] - 4 + suit)
    for other in range(CARDS):
        if (may >> U64(other)) & ONE:
            for kind in range(4):
                if game.takers[other, kind] == card:
                    return True
    return False


@inner
def lay(game, table, words, card, in_column, waste, turns, cost):
    """Note all moves of a card, with those on it, to columns."""
    own = end_of(table, card) if in_column else np.int64(-1)
    below = table.on[card] if in_column else np.int64(AWAY)
    stays = in_column and tied(game, table, card)
    for kind in range(4):
        taker = game.takers[card, kind]
        if taker < 0 or table.on[taker] == AWAY or table.load[taker] >= 0:
            continue
        if taker == own or stays:
            continue
        again = game.dealt_on[card] == taker and not game.face_down[taker]
        put(game, table, words, card, 0 if again else kind + 1, waste, turns, cost)
    from_waste = not in_column and table.digit[card] == 0
    room = table.first[3] < game.columns and (
        game.blank == 2 or (game.blank == 1 and card >= 48) or (game.blank == 3 and from_waste)
    )
    if room and not (in_column and below == NOTHING):
        digit = 0 if game.dealt_on[card] == NOTHING else 5
        put(game, table, words, card, digit, waste, turns, cost)


@inner
def follow(game, table, words):
    """Note all that follows from a state that was read."""
    table.count[0] = 0
    waste, turns = table.first[1], table.first[2]
    for suit in range(4):  # a move home that takes nothing away is made at once
        card = 4 * table.home[suit] + suit
        if table.home[suit] == 13 or table.on[card] == AWAY or table.load[card] >= 0:
            continue
        sure = True
        for other in range(4):
            sure &= other == suit or table.home[other] >= game.at_home[card, other]
        if sure:
            put(game, table, words, card, 6, waste, turns, 1)
            return
    if game.short and game.draw == 1 and waste and stays_home(game, table, table.hand[waste - 1]):
        left = waste - 1
        if game.free:
            left = np.int64(0)
        put(game, table, words, table.hand[waste - 1], 6, left, turns, 1)
        return
    shut = game.short and game.blank == 1 and not king_may_move(game, table)
    table.may[0] = ZERO
    for card in range(CARDS):
        if table.on[card] == AWAY or table.down[card]:
            continue
        if table.load[card] < 0 and table.home[card & 3] == card >> 2:
            put(game, table, words, card, 6, waste, turns, 1)
        part = table.on[card] != NOTHING  # of its column
        kept = (game.item == 5 and part) or (game.item == 4 and part and table.load[card] >= 0)
        if not kept and moves_together(game, table, card):
            if part or not shut:
                lay(game, table, words, card, True, waste, turns, 1)
            if not tied(game, table, card):
                table.may[0] |= ONE << U64(card)
    if table.first[4]:
        card = game.heap[table.first[4] - 1]
        if table.home[card & 3] == card >> 2:
            put(game, table, words, card, 6, waste, turns, 1)
        lay(game, table, words, card, False, waste, turns, 1)
    for suit in range(4):
        if game.back and table.home[suit] > game.kept:
            if game.short and not takes_a_card(game, table, 4 * table.home[suit] - 4 + suit):
                continue
            lay(game, table, words, 4 * table.home[suit] - 4 + suit, False, waste, turns, 1)
    turn(game, table, words)


@inner
def turn(game, table, words):
    """Note the plays of cards of waste and stock, each after the fewest turns."""
    hand, at, turns = table.first[0], table.first[1], table.first[2]
    played = ZERO
    turned = steps = np.int64(0)
    while steps <= 2 * hand + 1 and hand:
        if at and not (played >> U64(at - 1)) & U64(1):
            played |= U64(1) << U64(at - 1)
            card, left = table.hand[at - 1], at - 1
            if game.free and (left == hand - 1 or left % game.draw == 0):
                left = np.int64(0)
            cost = 1 + turned if game.counted else np.int64(1)
            if table.home[card & 3] == card >> 2:
                put(game, table, words, card, 6, left, turns, cost)
            if not (game.short and stays_home(game, table, card)):
                lay(game, table, words, card, False, left, turns, cost)
            elif game.draw == 1:
                return
        steps += 1
        if at < hand:
            at = min(hand, at + game.draw)
            turned += 1
            continue
        if game.most_turns >= 0:
            if not turns:
                break
            turns -= 1
        at = np.int64(0)
        turned += game.counted == 2


@inner
def least(game, table):
    """Return a number of moves that no solution from a state that was read falls short of.

    One home for each card. One away for each card face down, and for the open cards of each column
    together, if such a card lies above a lower one of its suit in the column. Of these that do not,
    one of two has to go away before it goes home, if each of their deepest cards, as it was dealt,
    lies above a card that is lower than the other one, and of its suit. Where single cards are
    turned, those of the waste are like cards of columns, in pairs with these. If turns count: one
    for every ``draw`` cards of the stock, and what waste and stock need besides.
    """
    moves = np.int64(CARDS)
    for suit in range(4):
        moves -= table.home[suit]
    loose = ZERO
    for bottom in range(CARDS):
        if table.on[bottom] == NOTHING:
            away, own = _away(table, bottom)
            moves += away
            loose |= own
    if game.counted:
        hand, waste = table.first[0], table.first[1]
        moves += (hand - waste + game.draw - 1) // game.draw
        moves += _again(game, table, hand, waste)
        own = _foremost(table, waste)
        if game.draw == 1:
            loose |= own
    return moves + _pairs(table, loose)


@inner
def _away(table, bottom):
    """Return how many moves away a column needs, and the cards without one that may be in pairs."""
    away, loose = np.int64(0), ZERO
    for suit in range(4):
        table.deep[bottom, suit] = CARDS
    card, before = bottom, bottom
    opened, blocked, first = False, False, np.int64(-1)
    while card >= 0:
        for suit in range(4):
            table.deep[card, suit] = table.deep[before, suit]
        above = table.deep[card, card & 3] < card
        if not above:
            table.deep[card, card & 3] = card
        if table.down[card]:
            away += above
            if not above:
                loose |= ONE << U64(card)
        else:
            if not opened and table.digit[card] == 0:
                first = card
            opened = True
            blocked |= above
        before, card = card, table.load[card]
    if blocked:
        away += 1
    elif first >= 0:
        loose |= ONE << U64(first)
    return away, loose


@inner
def _again(game, table, hand, waste):
    """Return how many moves and turns cards need that lie above lower ones of their suit.

    Such a card of the waste makes a move that is none home, or it is turned again with all cards
    beneath it. Cards that are turned together lie on each other, too: of these, those from the
    highest such card down are turned again; a turn at most is counted for the move that is saved.
    """
    staying = np.int64(0)
    for first in range(waste, hand, game.draw):
        last = min(first + game.draw, hand)
        for place in range(last - 1, first, -1):
            if _is_above_lower(table, first, place):
                staying += place + 1 - first
                break
    moves = (staying + game.draw - 1) // game.draw
    for place in range(waste):
        if _is_above_lower(table, 0, place):
            turns = (staying + place + game.draw) // game.draw
            moves = min(moves + 1, turns)
    return moves


@inner
def _is_above_lower(table, first, place):
    """Return whether a lower card of its suit lies between a place of the hand and a card's."""
    found, card = False, table.hand[place]
    for beneath in range(first, place):
        found |= table.hand[beneath] < card and (table.hand[beneath] ^ card) & 3 == 0
    return found


@inner
def _foremost(table, waste):
    """Return the cards of the waste that lie above no lower one of their suit."""
    loose, before = ZERO, np.int64(-1)
    for place in range(waste):
        card = table.hand[place]
        for suit in range(4):
            table.deep[card, suit] = table.deep[before, suit] if before >= 0 else CARDS
        if table.deep[card, card & 3] >= card:
            table.deep[card, card & 3] = card
            loose |= ONE << U64(card)
        before = card
    return loose


@inner
def _pairs(table, loose):
    """Return how few of some cards touch all pairs of them, neither of which goes home first."""
    edged, rest = ZERO, loose
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        near, others = ZERO, loose
        while others:
            other = first_bit(others)
            others &= others - ONE
            over = table.deep[card, other & 3] < other
            if over and table.deep[other, card & 3] < card and (card ^ other) & 3:
                near |= ONE << U64(other)
        table.near[card] = near
        if near:
            edged |= ONE << U64(card)
    if not edged:
        return np.int64(0)
    return np.int64(touching_all(edged, table.near, table.stack))


@inner
def place_in(known, words):
    """Return the index of a state among those known, -1 if it is not there."""
    low, high = 0, known.layers.size
    while low < high:
        middle = (low + high) >> 1
        less = known.words[middle, 2] < words[2]
        if known.words[middle, 2] == words[2]:
            less = known.words[middle, 1] < words[1]
            if known.words[middle, 1] == words[1]:
                less = known.words[middle, 0] < words[0]
        if less:
            low = middle + 1
        else:
            high = middle
    if low == known.layers.size:
        return -1
    for word in range(3):
        if known.words[low, word] != words[word]:
            return -1
    return low


@inner
def stratum(game, table):
    """Count cards that have left waste, stock and heap, and those face down that are turned up."""
    count = game.pack.size - table.first[0] + game.heap.size - table.first[4]
    for card in range(CARDS):
        count += game.face_down[card] and not table.down[card]
    return count


@inner
def step_back(game, words, code, before):
    """Write the state before the move of a parent-move code.

    Its last bit says, of a card of the waste, that the waste was turned over, and of any other that
    the heap lost a card: the one that is out, and lies deepest in it.
    """
    card = code & 63
    over = code >> 15
    from_waste = False
    for place in range(game.pack.size):
        from_waste |= game.pack[place] == card and (code >> 6) & 7 == 0
    for word in range(3):
        before[word] = words[word]
    shift = U64(3 * (card % 21))
    before[card // 21] &= ~(U64(7) << shift)
    before[card // 21] |= U64((code >> 6) & 7) << shift
    if over and not from_waste:
        over = 0
        for place in range(game.heap.size):
            top = game.heap[place]
            at = U64(3 * (top % 21))
            if (before[top // 21] >> at) & U64(7):
                before[top // 21] &= ~(U64(7) << at)
                break
    turns = ((before[2] >> U64(38)) & U64(63)) + U64(over)
    before[2] = (before[2] & U64(0x3FFFFFFF)) | (U64((code >> 9) & 63) << U64(32))
    before[2] |= turns << U64(38)


@kernel
def check(game, table, known, words, codes, layers, expected, length, parents, pair):
    """Check states (uint64[*, 3]) with codes (int64[*]) and layers (int64[*]), -1 in a proof.

    ``expected`` is their stratum. What follows matters where fewer than ``length`` moves lead to a
    goal, -1 for always. ``parents`` gets the place of each one's parent among ``known``, -1 for the
    deal. Returns (what was found, the state); ``pair`` (uint64[3]) gets the other state concerned.
    """
    for number in range(codes.size):
        here = words[number]
        if not read(game, here, table):
            return BAD_KEY, number
        if stratum(game, table) != expected:
            return WRONG_STRATUM, number
        if table.home[0] + table.home[1] + table.home[2] + table.home[3] == CARDS:
            return WON, number
        made = np.int64(0)
        if layers[number] >= 0:
            made = layers[number] - least(game, table)
            if made < 0 or (made == 0) != (codes[number] & 63 == 63):
                return WRONG_LAYER, number
        if length < 0 or layers[number] < length:
            follow(game, table, here)
            for move in range(table.count[0]):
                after = table.after[move]
                cost = table.cost[move]
                if layers[number] >= 0:
                    place = place_in(known, after)
                    if place >= 0 and known.layers[place] <= layers[number]:
                        continue
                    following = np.int64(0)
                    if place < 0 or length >= 0:
                        read(game, after, table)
                        following = made + cost + least(game, table)
                        read(game, here, table)
                        if length >= 0 and following >= length:
                            continue
                    if place >= 0 and (length < 0 or known.layers[place] <= following):
                        continue
                elif place_in(known, after) >= 0:
                    continue
                for word in range(3):
                    pair[word] = after[word]
                return NO_SUCCESSOR, number
        parents[number] = -1
        if codes[number] & 63 == 63:
            continue
        step_back(game, here, codes[number], pair)
        parent = place_in(known, pair)
        if parent < 0 or codes[number] & 63 >= CARDS or not read(game, pair, table):
            return NO_PARENT, number
        before = known.layers[parent] - least(game, table)
        follow(game, table, pair)
        legal = False
        for move in range(table.count[0]):
            same = table.moved[move] == codes[number] & 63
            for word in range(3):
                same &= table.after[move, word] == here[word]
            if layers[number] >= 0:
                same &= before + table.cost[move] == made
            legal |= same
        if not legal:
            return NO_PARENT, number
        parents[number] = parent
    return GOOD, 0


@kernel
def unpack(signatures, counts, body, words):
    """Write the states of a block to ``words`` (uint64[states, 3]).

    Returns whether the highest bits of each signature, from bit 52 on, are those of word 2 from bit
    32 on, as they have to be.
    """
    number, good = 0, True
    for run in range(signatures.size):
        first = second = third = ZERO
        for _ in range(counts[run]):
            first += difference(body, 0, number)
            second += difference(body, 1, number)
            third += difference(body, 2, number)
            words[number, 0], words[number, 1], words[number, 2] = first, second, third
            good &= signatures[run] >> U64(52) == third >> U64(32)
            number += 1
    return good


@kernel
def places(known, words, found):
    """Write the place of each state among those known."""
    for number in range(words.shape[0]):
        found[number] = place_in(known, words[number])


@kernel
def bound(game, table, words):
    """Return the lower bound of a state."""
    read(game, words, table)
    return least(game, table)


@kernel
def hash_sum(words):
    """Return the sum modulo 2**64 of the hashes of states, which are words of 24 bytes."""
    total = ZERO
    for number in range(words.shape[0]):
        total += hash_key(words[number, 0], words[number, 1], words[number, 2], 3)
    return total


@kernel
def can_be_read(game, table, words):
    """Return True if the words are a state."""
    return read(game, words, table)
