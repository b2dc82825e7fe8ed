"""The lower bound h where a run is one move by the rules, from the columns of one position.

Every move has one deepest card. h counts moves that must be made, each for another deepest card or
another moment, so it never exceeds the moves to come, which is all that the check needs of it.

*Cards go home one by one.* Each card not home makes a move home by itself. Cut each column wherever
two cards that lie on each other are no run. A piece with a card that lies above a lower one of its
suit is moved aside: such a card has to move before that lower one goes home. The first moves of
these cards, one of each piece, are all different, as cards of two pieces that have not moved are
never part of one run. Where columns go round, cut between a king and its base, too, though they
move as one run: that run has all lower cards of its suit, so no card of it but those from the king
on lies above one. These have to leave the base by a move of the king.

*Whole suits go home.* Each suit not home makes a move, which moves its king. A card of lower rank
that is not on the next higher one of its suit is the deepest of the move that brings it there; and
of another one before it, if that higher card lies beneath it, and the lower one does not move
together with the card that it lies on. A king above lower cards of its suit is the deepest of a
move that takes it from there.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.board import cards_home
from dbmsolver.verify.kernels.rules import holds
from dbmsolver.verify.kernels.words import (
    ALL,
    ONE,
    SUIT,
    U64,
    ZERO,
    count_bits,
    first_bit,
    height_of,
)


@inlined
def bound_of_runs(r, board, laid):
    """Return h where cards go home one by one."""
    result = count_bits(ALL & ~cards_home(laid.heights))
    bottoms = laid.bottoms
    while bottoms:
        card, under = first_bit(bottoms), -1
        bottoms &= bottoms - ONE
        over = ZERO
        counted = False
        while card >= 0:
            # A king is on its base, if on any card: a piece of its own begins there.
            if card >= 48 or (under >= 0 and not holds(r.moves_with[card], under)):
                counted = False
            if holds(over, card) and not counted:
                counted = True
                result += 1
            # All cards of the suit from here upwards: every fourth bit above the card's.
            over |= (SUIT << U64(card)) & ALL & ~(ONE << U64(card))
            card, under = board.load[card], card
    return result


@inlined
def bound_of_suits(r, board, laid):
    """Return h where only whole suits go home."""
    # Cards in freecells, kings aside, have a way to go.
    result = count_bits(laid.cells & U64((1 << 48) - 1))
    for suit in range(4):
        if height_of(laid.heights, suit) < 13:
            result += 1
    bottoms = laid.bottoms
    while bottoms:
        card, under = first_bit(bottoms), -1
        bottoms &= bottoms - ONE
        seen = ZERO
        while card >= 0:
            if card >= 48:
                result += 1 if seen & (SUIT << U64(card & 3)) else 0
            elif under != card + 4:
                alone = under < 0 or not holds(r.moves_with[card], under)
                result += 1 + (1 if alone and holds(seen, card + 4) else 0)
            seen |= ONE << U64(card)
            card, under = board.load[card], card
    return result
