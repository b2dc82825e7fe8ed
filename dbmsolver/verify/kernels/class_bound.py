"""The lower bound of positions of Klondike by the distances of their classes.

A move between positions is a shift, a turn of the stock, or one move between classes; and before
all cards are home, each card of the stock is turned up. So the distance of a position's class, and
the turns that its stock needs where these count, are together never more than the moves to come.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inner
from dbmsolver.verify.kernels.class_distances import NO_CLASS, distance_of
from dbmsolver.verify.kernels.class_layout import KING
from dbmsolver.verify.kernels.class_moves import is_won
from dbmsolver.verify.kernels.rules import is_as_none
from dbmsolver.verify.kernels.sets import holds
from dbmsolver.verify.kernels.words import ONE, U64, ZERO


@inlined
def signature_of(game, laid):
    """Return the signature of the class of a position, and how many cards are covered."""
    signature, covered = ZERO, np.int64(0)
    for column in range(game.columns):
        left = np.int64(0)
        while left < game.sizes[column] and holds(laid.dealt, game.dealt[column, left]):
            left += 1
        if left == 1 and game.dealt[column, 0] >> 2 == KING:
            left = np.int64(0)
        signature |= U64(left) << U64(game.shifts[column])
        if left:
            covered += left - 1
    return signature, covered


@inlined
def key_of(game, laid):
    """Return the key of the class of a position."""
    size = game.pack.size
    key = laid.heights << U64(size)
    for place in range(size):
        if holds(laid.dealt, game.pack[place]):
            key |= ONE << U64(place)
    if laid.hand == 0:
        return key
    if game.most_turns >= 0 or not is_as_none(laid.waste, laid.hand, game.draw):
        key |= U64(laid.waste) << U64(size + 16)
    return key | U64(laid.turns) << U64(size + 22) if laid.turns else key


@inner
def moves_by_class(f, laid, scratch):
    """Return the moves to come by the class of a position: FAR if it cannot be won.

    NO_CLASS if the class does not follow from the deal's; 0 if it is won.
    """
    game, r = f.distances.game, f.rules
    signature, covered = signature_of(game, laid)
    if is_won(game, covered, laid.hand):
        return np.int64(0)  # the bound of positions has all cards that are not home, and turns
    moves = distance_of(f.distances, scratch, signature, key_of(game, laid))
    if r.counted and moves != NO_CLASS:
        moves += (laid.hand - laid.waste + r.draw - 1) // r.draw
    return moves
