"""Moves of games whose cards go both ways: on higher and lower cards, or home and back.

The twin, in the kernels, of `Position.moves` in such games. Cards move one by one.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.states import ONE, U64, ZERO
from dbmsolver.kits.cards.expand import (
    move_card,
    next_home,
    permute_suits,
    put_back,
    put_moves,
    safe_move,
)
from dbmsolver.kits.cards.tables import (
    ALL_CARDS,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
)
from dbmsolver.kits.two_way.tables import PLACE_GOES_HOME

FOUR = np.uint64(4)
ALL_HOME = np.uint64(0xDDDD)


@inlined
def parents_of(t, cards, index):
    """Return the parents number ``index`` of a set of cards; these must have one."""
    cards = permute_suits(cards, t.kinds[index])
    return cards << FOUR if t.rises[index] > 0 else cards >> FOUR


@inlined
def children_of(t, cards, index):
    """Return the set of cards whose parent number ``index`` is in a set of cards."""
    cards = permute_suits(cards, t.kinds[index])
    return cards >> FOUR if t.rises[index] > 0 else (cards << FOUR) & U64(ALL_CARDS)


@inlined
def list_moves(t, sets, off, low, high, before, moves):
    """Write the legal moves of a state to ``moves`` (uint16[256]), as `expand.list_moves` does.

    The card that was moved last is skipped here, too: a move home and one from there are two moves
    of one card, which could have gone at once.
    """
    signature, loose = sets.signature, sets.loose
    skip = before.skip
    home = loose & off & high
    freecell = loose & off & ~low & ~high
    bottom = loose & off & low
    stacked = loose & ~off
    exposed = (loose & ~home) | sets.locked
    covered = sets.under
    for index in range(t.kinds.size):
        children = stacked & (low if index & 1 else ~low)
        if t.planes == 3:
            children &= high if index & 2 else ~high
        covered |= parents_of(t, children, index)
    exposed &= ~(covered | freecell)
    movable = exposed | freecell
    if t.removable:
        homing = movable & ((home << FOUR) | t.kept_next)
        # The last card that is not home stays there.
        last = home | t.kept | homing == U64(ALL_CARDS) and popcount(homing) == 1
        count = put_moves(homing & ~skip, PLACE_HOME if last else PLACE_GOES_HOME, moves, 0)
        movable |= home & ~(home >> FOUR)
    else:
        homing = movable & next_home(signature)
        safe = safe_move(t, signature, homing)
        if safe >= 0:
            moves[0] = 8 * safe + PLACE_HOME
            return 1, True
        count = put_moves(homing & ~skip, PLACE_HOME, moves, 0)
    movable &= ~skip
    for index in range(t.kinds.size):
        count = put_moves(movable & children_of(t, exposed, index), index, moves, count)
    if popcount(freecell) < t.freecells:
        count = put_moves(movable & ~freecell, PLACE_FREECELL, moves, count)
    if sets.bottoms + popcount(bottom) < t.columns:
        count = put_moves(movable & t.fillers & ~bottom, PLACE_BOTTOM, moves, count)
    return count, False


@inlined
def place_of(t, locked, off, low, high, card):
    """Place value (int64) of a card; ``locked`` are the locked cards."""
    shift = U64(card)
    if (locked >> shift) & ONE:
        return PLACE_LOCKED
    if (off >> shift) & ONE:
        if (high >> shift) & ONE:
            return PLACE_HOME
        return PLACE_FREECELL + np.int64((low >> shift) & ONE)
    return np.int64((low >> shift) & ONE) + 2 * np.int64((high >> shift) & ONE)


@inlined
def cards_home(t, card):
    """Return the rise of progress (int64) when ``card`` goes home for good."""
    return t.last


@inlined
def apply_move(t, signature, off, low, high, card, old, new):
    """Return (signature, off, low, high) after ``card`` moves from place ``old`` to ``new``."""
    if new == PLACE_HOME and t.removable:
        return ALL_HOME, ZERO, ZERO, ZERO
    return move_card(t, signature, off, low, high, card, old, new, 1)


@kernel
def undo_code(t, signature, off, low, high, code):
    """Return the parent of a state by its parent-move code: (signature, off, low, high)."""
    if t.removable and signature == ALL_HOME:
        signature = t.kept_signature
        off = high = U64(ALL_CARDS) & ~t.kept
    return put_back(t, signature, off, low, high, code, 1)
