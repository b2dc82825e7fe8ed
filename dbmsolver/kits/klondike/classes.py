"""From a class of positions of Klondike to its successors: the fast twin of ``game/classes.py``.

The two cards of a rank and colour are neighbours but one among the bits of a rank, so that a few
shifts tell for all pairs at once how many of them are open, and how many cards lie on them. A
*pair set* has the bits of both cards of a pair, or of neither. By suit each card is a pair by
itself, and takes and follows cards of its own suit only; the same formulas hold.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, LOW, OFF, ONE, SIGNATURE, U64, ZERO
from dbmsolver.kits.cards import expand
from dbmsolver.kits.cards.expand import height, next_home
from dbmsolver.kits.cards.tables import ALL_CARDS, BUILD_SUIT
from dbmsolver.kits.columns import locked_in
from dbmsolver.kits.klondike.class_tables import (
    NO_SAFE_RETURN,
    SAFE_HOME,
    USEFUL_SPACE,
    WON,
    ClassSets,
)

KINGS = np.uint64(15 << 48)
RANK_SHIFT = np.uint64(4)
FIRST_TWO = np.uint64(0x3333333333333333)
EVEN = np.uint64(0x5555555555555555)
HEIGHTS_MASK = np.uint64(0xFFFF)
WASTE_MASK = np.uint64(63)
PLACES = 4
"""Column of ``found`` after signature and planes: empty columns and bared cards; for a won class
the cards that are not home."""
MOST_SPACES = 4
"""The number of kings: with more empty columns, one of them is of no use."""


@inlined
def swap_twins(t, cards):
    """Return the set of the other cards of their pairs; by suit, the cards themselves."""
    if t.build == BUILD_SUIT:
        return cards
    return ((cards & FIRST_TWO) << U64(2)) | ((cards >> U64(2)) & FIRST_TWO)


@inlined
def matching(t, pairs):
    """Return the pairs of the same ranks that match in a column: of the other colours, or suits."""
    if t.build == BUILD_SUIT:
        return pairs
    return ((pairs & EVEN) << ONE) | ((pairs >> ONE) & EVEN)


@inlined_kernel
def class_sets(t, signature):
    """Return the :class:`ClassSets` of a signature (uint64)."""
    held = covered = last = ZERO
    unoccupied = np.int64(t.columns)
    for column in range(t.columns):
        count = locked_in(t, signature, column)
        held |= t.held[column, count]
        covered |= t.covered[column, count]
        unoccupied -= count > 0
        if count == 1:
            last |= t.held[column, count]
    return ClassSets(signature, held, covered, last, t.varying[0], unoccupied)


@inlined_kernel
def class_progress(t, signature, locked_in_deal):
    """Return the number of cards that have left their dealt place (int64); one more for a win."""
    if signature == WON:
        return np.int64(locked_in_deal + 1)
    total = np.int64(locked_in_deal)
    for column in range(t.columns):
        total -= locked_in(t, signature, column)
    return total


@inlined
def class_height(t, key, suit):
    """Return the height of a foundation (int64)."""
    return height(key >> t.height_shift, suit)


@inlined
def cards_not_home(t, key):
    """Return how many cards (int64) are on no foundation."""
    home = class_height(t, key, 0) + class_height(t, key, 1)
    return np.int64(CARDS) - home - class_height(t, key, 2) - class_height(t, key, 3)


@inlined
def cards_in_stock(t, stock):
    """Return the set of the cards that the first field of a key stands for."""
    cards = ZERO
    for number in range(t.stock_sets.shape[0]):
        cards |= t.stock_sets[number, np.int64((stock >> U64(8 * number)) & U64(255))]
    return cards


@inlined
def is_safe(t, key, card):
    """Return True if each card that may lie on a card, or on those, is home or can go there.

    :func:`dbmsolver.game.safe_moves.is_safe_home` has the argument.
    """
    heights = key >> t.height_shift
    if t.build != BUILD_SUIT and height(heights, (card & 3) ^ 2) < (card >> 2) - 2:
        return False
    return expand.is_safe(t, heights, card)


@inlined
def bared_pairs(t, open_cards, free):
    """Return the pair set in which an open card can be bared; ``free`` are cards on other cards."""
    open_twins, free_twins = swap_twins(t, open_cards), swap_twins(t, free)
    carried_once = matching(t, free | free_twins) << RANK_SHIFT
    carried_twice = matching(t, free & free_twins) << RANK_SHIFT
    one, two = open_cards | open_twins, open_cards & open_twins
    return (one & ~carried_once) | (two & ~carried_twice)


@inlined
def put_class(t, found, count, signature, covered, key, places):
    """Write a successor to a row of ``found``; ``covered`` are its covered cards."""
    if covered == ZERO and (t.free_stock or key & t.stock_mask == ZERO):
        signature, key, places = WON, ZERO, cards_not_home(t, key)
    found[count, SIGNATURE] = signature
    found[count, OFF] = key
    found[count, LOW] = ZERO
    found[count, PLACES] = U64(places)


@inlined
def key_after_play(t, key, card, number, left, turns):
    """Return the key after a play of the last of ``number`` cards in the waste, of ``left``."""
    stock = (key & t.stock_mask) & ~t.stock_bit[card]
    heights = key & (HEIGHTS_MASK << t.height_shift)
    waste, size = number - 1, left - 1
    if size == 0:
        return stock | heights
    if not t.limited and (waste % t.draw == 0 or waste == size):
        waste = np.int64(0)
    return stock | heights | (U64(waste) << t.waste_shift) | (U64(turns) << t.turns_shift)


@inlined
def safe_card(t, key, cards):
    """Return the lowest of some cards (int64) that is safe at home; -1 if there is none."""
    while cards:
        card = lowest_bit(cards)
        if is_safe(t, key, card):
            return card
        cards &= cards - ONE
    return np.int64(-1)


@inlined
def one_home(t, key, card):
    """Return the key with one more card on a foundation."""
    return key + (ONE << (t.height_shift + U64(4 * (card & 3))))


@inlined
def put_column_move(t, sets, found, count, key, card, places):
    """Write the successor after an open card has left its place, with what lay on it."""
    bit = ONE << U64(card)
    signature, covered = sets.signature, sets.covered
    if sets.held & bit:
        signature -= t.release[card]
        covered = opened(t, sets, card)
    put_class(t, found, count, signature, covered, key, places)


@inlined
def opened(t, sets, card):
    """Return the covered cards after a held card has left."""
    after = sets.signature - t.release[card]
    covered = ZERO
    for column in range(t.columns):
        left = locked_in(t, after, column)
        covered |= t.covered[column, left]
    return covered


@inlined
def list_plays(t, sets, key, in_stock, cards, wanted, found, count, places):
    """List what comes of playing ``cards`` of the stock, as far as they can be turned up."""
    stock = key & t.stock_mask
    left = popcount(stock)
    waste = np.int64((key >> t.waste_shift) & WASTE_MASK)
    turns = np.int64(key >> t.turns_shift) if t.limited else np.int64(0)
    now = t.turned[waste, left]
    later = t.turned[0, left] if not t.limited or turns > 0 else ZERO
    cards &= in_stock
    while cards:
        card = lowest_bit(cards)
        bit = ONE << U64(card)
        cards &= cards - ONE
        place = t.stock_bit[card]
        number = popcount(stock & (place | (place - ONE)))
        if (now >> U64(number)) & ONE:
            after = key_after_play(t, key, card, number, left, turns)
        elif (later >> U64(number)) & ONE:
            after = key_after_play(t, key, card, number, left, max(turns - 1, 0))
        else:
            continue
        if wanted & bit:
            after = one_home(t, after, card)
        put_class(t, found, count, sets.signature, sets.covered, after, places)
        count += 1
    return count


@inlined_kernel
def expand_class(t, sets, key, found):
    """List the successors of a class into ``found``; returns how many there are (int64).

    ``sets`` describes its signature (:func:`class_sets`), ``key`` (uint64) is its key. Writes rows
    of ``found`` (uint64[*, 4]: signature, planes, and empty columns plus bared pairs before the
    move; for a won class the cards that are not home).
    """
    home = (
        t.home[0, class_height(t, key, 0)]
        | t.home[1, class_height(t, key, 1)]
        | t.home[2, class_height(t, key, 2)]
        | t.home[3, class_height(t, key, 3)]
    )
    in_stock = cards_in_stock(t, key & t.stock_mask)
    open_cards = U64(ALL_CARDS) & ~(home | sets.covered | in_stock)
    free = open_cards & ~sets.held
    free_kings = popcount(free & KINGS)
    bared = bared_pairs(t, open_cards, free & ~KINGS)
    fitting = matching(t, bared) >> RANK_SHIFT
    spaces = sets.unoccupied - free_kings
    places = spaces + (popcount(bared & open_cards) >> 1)
    wanted = next_home(key >> t.height_shift)
    homing = wanted & open_cards & bared
    if t.left_out & SAFE_HOME:
        card = safe_card(t, key, homing)
        if card >= 0:
            put_column_move(t, sets, found, 0, one_home(t, key, card), card, places)
            return np.int64(1)
        if t.free_stock:
            card = safe_card(t, key, wanted & in_stock)
            if card >= 0:
                count = np.int64(0)
                return list_plays(
                    t, sets, key, in_stock, ONE << U64(card), wanted, found, count, places
                )
    return list_moves(t, sets, key, in_stock, wanted, homing, fitting, spaces, found, places)


@inlined
def list_moves(t, sets, key, in_stock, wanted, homing, fitting, spaces, found, places):
    """List what comes of all moves, but for those that rules leave out."""
    count = np.int64(0)
    while homing:
        card = lowest_bit(homing)
        homing &= homing - ONE
        put_column_move(t, sets, found, count, one_home(t, key, card), card, places)
        count += 1
    fillers = KINGS if spaces > 0 else ZERO
    moving = sets.held & (fitting | fillers)
    if t.left_out & USEFUL_SPACE and sets.unoccupied >= MOST_SPACES:
        moving &= ~sets.last
    while moving:
        card = lowest_bit(moving)
        moving &= moving - ONE
        put_column_move(t, sets, found, count, key, card, places)
        count += 1
    count = list_plays(t, sets, key, in_stock, wanted, wanted, found, count, places)
    count = list_plays(t, sets, key, in_stock, fitting | fillers, ZERO, found, count, places)
    returning = (fitting | fillers) & t.returning
    if returning:
        count = list_returns(t, sets, key, returning, found, count, places)
    return count


@inlined
def list_returns(t, sets, key, cards, found, count, places):
    """List what comes of moving ``cards`` back from the foundations, if they are the top ones."""
    for suit in range(4):
        card = 4 * (class_height(t, key, suit) - 1) + suit
        if card < 0 or not (cards >> U64(card)) & ONE:
            continue
        if t.left_out & NO_SAFE_RETURN and is_safe(t, key, card):
            continue
        after = key - (ONE << (t.height_shift + U64(4 * suit)))
        put_class(t, found, count, sets.signature, sets.covered, after, places)
        count += 1
    return count


@kernel
def can_be_keys(t, keys, turns):
    """Return True if all keys (uint64[*]) have heights, a waste and turns that can be.

    The waste may be turned over at most ``turns`` times.
    """
    for key in keys:
        for suit in range(4):
            if class_height(t, key, suit) > 13:
                return False
        if np.int64((key >> t.waste_shift) & WASTE_MASK) > popcount(key & t.stock_mask):
            return False
        if t.limited and np.int64(key >> t.turns_shift) > turns:
            return False
    return True
