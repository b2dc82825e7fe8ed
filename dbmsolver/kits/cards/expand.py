"""The successors of a state: one move generator for every game and every kernel.

A state is (signature, three planes), all uint64; see :mod:`dbmsolver.kits.cards.tables`.
:func:`list_moves` works on sets of cards held in words, so it never tries a move that is not legal:
the cards that can go onto a parent of one kind are those movable cards that a bit permutation of
the exposed cards hits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.hooks import cards_home
from dbmsolver.kernels.states import ONE, U64, ZERO
from dbmsolver.kits.cards.tables import (
    ALL_CARDS,
    BUILD_ALTERNATE,
    BUILD_SUIT,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    POLICY_HORNE,
    POLICY_MAX,
    POLICY_NONE,
    POLICY_WKR,
)
from dbmsolver.kits.columns import locked_in

ODD = np.uint64(0x5555555555555555)
PAIRS = np.uint64(0x3333333333333333)
HEIGHTS_ALL_HOME = np.uint64(0xDDDD)


@inlined
def permute_suits(cards, kind):
    """Return the cards of the same ranks as ``cards``, with suits XORed by ``kind`` (uint64)."""
    if kind & ONE:
        cards = ((cards & ODD) << ONE) | ((cards >> ONE) & ODD)
    if kind & U64(2):
        cards = ((cards & PAIRS) << U64(2)) | ((cards >> U64(2)) & PAIRS)
    return cards


@inlined
def children_of(t, stacked, low, high, index):
    """Return the cards of ``stacked`` that lie on a parent of kind number ``index``."""
    children = stacked & (low if index & 1 else ~low)
    if t.planes == 3:
        children &= high if index & 2 else ~high
    return children


@inlined
def parent_of(t, card, kind):
    """Return the card (int64) of the next rank on which a card may lie; ``kind`` says which one.

    It is an index of ``t.kinds``, which has the difference of the two suits.
    """
    # The mask tells the compiler that the card is not negative: such an index would be another one.
    return ((card ^ np.int64(t.kinds[kind])) & 63) + 4


@inlined
def height(signature, suit):
    """Return the foundation height (0 to 13) of a suit, as int64."""
    return np.int64((signature >> U64(4 * suit)) & U64(15))


class Sets(NamedTuple):
    """The sets of cards that all states of a signature share, with a bit for each card."""

    signature: np.uint64
    home: np.uint64  # cards that are home
    locked: np.uint64
    loose: np.uint64  # all others
    under: np.uint64  # cards that locked cards lie on
    bottoms: int  # columns whose bottom card is a locked one


@inlined_kernel
def signature_sets(t, signature):
    """Return the :class:`Sets` of a signature (uint64)."""
    home = (
        t.home[0, height(signature, 0)]
        | t.home[1, height(signature, 1)]
        | t.home[2, height(signature, 2)]
        | t.home[3, height(signature, 3)]
    )
    locked = under = ZERO
    bottoms = 0
    for column in range(t.columns):
        # What `locked_in` returns: with that call shortest solutions take a twelfth longer.
        count = np.int64((signature >> t.column_shift[column]) & t.column_mask[column])
        locked |= t.locked[column, count]
        under |= t.under_locked[column, count]
        bottoms += np.int64(t.locked_bottom[column, count])
    loose = ~(home | locked) & U64(ALL_CARDS)
    return Sets(signature, home, locked, loose, under, bottoms)


@inlined
def next_home(signature):
    """Return the set of cards, at most four, that the foundations of a signature wait for."""
    cards = ZERO
    for suit in range(4):
        rank = height(signature, suit)
        if rank < 13:
            cards |= ONE << U64(4 * rank + suit)
    return cards


@inlined
def is_safe(t, signature, card):
    """Return True if ``card`` goes home at once under the policy, where it fits.

    Under the policies that programs play by (``max`` and those of the metric ``moves``) that is
    what the program does. Under the others it is never a mistake. The argument is the same for
    every rule: whatever could have been placed on the card can go home
    itself the moment it is free. By suit only the next lower card of the suit, home already, could.
    By any suit and by alternate colour it is the cards of rank r-1 that could; they need
    foundations of r-2 to go home. For those to be as safe, the cards of rank r-2 that could in turn
    need them must be home: all of them are when the foundations of the other colour stand at r-2,
    but for the one of the card's own colour, which must stand at r-3.
    """
    if t.policy == POLICY_NONE:
        return False
    if t.policy == POLICY_MAX or t.build == BUILD_SUIT:
        return True
    suit = card & 3
    rank = (card >> 2) + 1
    same = height(signature, suit ^ 2)
    least = min(height(signature, suit ^ 1), height(signature, suit ^ 3))
    if t.build != BUILD_ALTERNATE:
        least = min(least, same)
    if t.policy != POLICY_WKR and (rank <= 2 or least >= rank - 1):
        return True
    return t.policy != POLICY_HORNE and least >= rank - 2 and same >= rank - 3


@inlined
def safe_move(t, signature, homing):
    """Return the card of ``homing`` that goes home safely; -1 for none.

    All cards of ``homing`` can go home. The lowest suit comes first. Cards are numbered by rank, so
    all have to be looked at.
    """
    best = np.int64(-1)
    while homing:
        card = lowest_bit(homing)
        homing &= homing - ONE
        if (best < 0 or (card & 3) < (best & 3)) and is_safe(t, signature, card):
            best = card
    return best


@inlined
def put_moves(cards, place, moves, count):
    """Append to ``moves`` a move of each of ``cards`` to a place value; return the new count."""
    while cards:
        moves[count] = 8 * lowest_bit(cards) + place
        cards &= cards - ONE
        count += 1
    return count


class Before(NamedTuple):
    """The moves that :func:`list_moves` may leave out after the move that led to a state.

    The card that was moved last never needs to move: where it could go now it could have gone at
    once. Others need not go where they could have gone before: see
    :mod:`dbmsolver.kits.cards.move_order`.
    """

    skip: np.uint64  # cards not to move
    settled: np.uint64  # cards that move only to places that were not there before
    opened: np.uint64  # the parents that were not there before
    freecells: int  # freecells in use before
    bottoms: int  # columns in use before


@inlined
def only_skipping(cards):
    """Return a :class:`Before` with cards not to move, and nothing else."""
    return Before(cards, ZERO, ZERO, np.int64(0), np.int64(0))


@inlined
def skip_last(t, sets, off, low, high, code):
    """Return a :class:`Before` with the card that a parent-move code says was moved last."""
    return only_skipping(ONE << U64(t.code_card[code]))


@inlined
def list_moves(t, sets, off, low, high, before, moves):
    """Write the legal single-card moves of a state to ``moves`` (uint16[256]).

    A move is ``8 * card + new place value``. ``sets`` describes the signature
    (:func:`signature_sets`); ``off``, ``low`` and ``high`` are the state's planes. ``before`` says
    which moves are left out. Returns (count, forced); a forced move is the only one listed.
    """
    signature, loose = sets.signature, sets.loose
    freecell = loose & off & ~low
    bottom = loose & off & low
    stacked = loose & ~off
    next_cards = next_home(signature)
    covered = sets.under
    on_next = sets.locked if next_cards & sets.under else ZERO
    for index in range(t.kinds.size):
        children = children_of(t, stacked, low, high, index)
        covered |= permute_suits(children, t.kinds[index]) << U64(4)
        on_next |= children & permute_suits(next_cards >> U64(4), t.kinds[index])
    exposed = (loose | sets.locked) & ~(covered | freecell)
    movable = exposed | freecell

    homing = movable & next_cards
    safe = safe_move(t, signature, homing)
    if safe >= 0:
        moves[0] = 8 * safe + PLACE_HOME
        return 1, True
    count = put_moves(homing & ~before.skip, PLACE_HOME, moves, 0)
    movable &= ~before.skip
    settled = before.settled & ~on_next
    parents = exposed >> U64(4)
    opened = parents & (before.opened >> U64(4))
    for index in range(t.kinds.size):
        onto = movable & permute_suits(parents, t.kinds[index])
        onto &= ~settled | permute_suits(opened, t.kinds[index])
        count = put_moves(onto, index, moves, count)
    if popcount(freecell) < t.freecells:
        away = exposed & movable
        if before.freecells < t.freecells:
            away &= ~settled
        count = put_moves(away, PLACE_FREECELL, moves, count)
    if sets.bottoms + popcount(bottom) < t.columns:
        away = movable & t.fillers & ~bottom
        if before.bottoms < t.columns:
            away &= ~settled
        count = put_moves(away, PLACE_BOTTOM, moves, count)
    return count, False


@inlined
def place_of(t, locked, off, low, high, card):
    """Place value (int64) of a card that is not home; ``locked`` are the locked cards."""
    shift = U64(card)
    if (locked >> shift) & ONE:
        return PLACE_LOCKED
    if (off >> shift) & ONE:
        return PLACE_FREECELL + np.int64((low >> shift) & ONE)
    return np.int64((low >> shift) & ONE) + 2 * np.int64((high >> shift) & ONE)


@inlined
def put_card(t, off, low, high, card, place):
    """Return the planes (off, low, high) when ``card`` lies at a place value.

    Its old place does not matter. Home and locked cards have no bits, but for those that may come
    back from the foundations.
    """
    shift = U64(card)
    others = ~(ONE << shift)
    return (
        (off & others) | (t.place_planes[0, place] << shift),
        (low & others) | (t.place_planes[1, place] << shift),
        (high & others) | (t.place_planes[2, place] << shift),
    )


@inlined
def move_card(t, signature, off, low, high, card, old, new, home):
    """Return (signature, off, low, high) after ``card`` moves from place ``old`` to ``new``.

    If that is the foundation, ``home`` cards go there with it, itself among them. Both places are
    place values.
    """
    if old == PLACE_LOCKED:
        signature -= t.release[card]
    if new == PLACE_HOME:
        signature += U64(home) << U64(4 * (card & 3))
    off, low, high = put_card(t, off, low, high, card, new)
    return signature, off, low, high


@inlined
def put_back(t, signature, off, low, high, code, home):
    """Return the parent of a state by its parent-move code: (signature, off, low, high).

    If the card is home now, ``home`` cards went there with it. Arithmetic only; whether the parent
    is a state of a game is not looked at.
    """
    card = np.int64(t.code_card[code])
    old = np.int64(t.code_place[code])
    if height(signature, card & 3) > (card >> 2):
        signature -= U64(home) << U64(4 * (card & 3))
    if old == PLACE_LOCKED:
        signature += t.release[card]
        old = np.int64(0)  # no bits: like those of a card on its first parent
    off, low, high = put_card(t, off, low, high, card, old)
    return signature, off, low, high


@inlined
def apply_move(t, signature, off, low, high, card, old, new):
    """Return (signature, off, low, high) after ``card`` moves from place ``old`` to ``new``."""
    return move_card(t, signature, off, low, high, card, old, new, cards_home(t, card))


@kernel
def undo_code(t, signature, off, low, high, code):
    """Return the parent of a state by its parent-move code: (signature, off, low, high)."""
    home = cards_home(t, np.int64(t.code_card[code]))
    return put_back(t, signature, off, low, high, code, home)


@inlined_kernel
def progress(t, signature, locked_in_deal):
    """Return the progress (int64) of a signature: cards home plus locked cards released.

    ``locked_in_deal`` is the number of locked cards in the deal.
    """
    total = locked_in_deal
    for suit in range(4):
        total += height(signature, suit)
    for column in range(t.columns):
        total -= locked_in(t, signature, column)
    return total
