"""The lower bound h, computed from the columns of one position at a time.

h is the number of cards not home, plus the number of blockers, plus the smallest number of cards
that touch all deadlocks.

* A *blocker* has a lower card of its suit beneath it in its column.  The lower card goes home
  first, so the blocker must have left its column before; that move does not take it home.  So it
  needs two moves at least.
* Two cards x and y that are no blockers, of columns of their own, are *deadlocked* if beneath x
  lies a lower card of y's suit, and beneath y a lower card of x's.  If neither moves but to go
  home: x goes home after what is beneath y has been uncovered, that is after y has moved, which is
  after y went home; and y goes home after x did.  A contradiction, so one of the two needs two
  moves.  The cards that do, in any solution, touch all deadlocks; so they are at least as many as
  the smallest set that does.

Every card not home moves at least once, and the two other terms count second moves of different
cards. So h never exceeds the moves to come, which is all that the check of a shortest solution
needs of it.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.board import cards_home
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.room_bound import bound_of_pieces
from dbmsolver.verify.kernels.rules import holds
from dbmsolver.verify.kernels.run_bound import bound_of_runs, bound_of_suits
from dbmsolver.verify.kernels.stock_bound import least
from dbmsolver.verify.kernels.words import ALL, ONE, SUIT, U64, ZERO, count_bits, first_bit


@inlined_kernel
def lower_bound(r, board, laid):
    """Return h of the position on ``board``."""
    if r.patience:
        return least(r, board, laid)
    if r.limited:
        return bound_of_pieces(r, board, laid)
    if r.whole_suits:
        return bound_of_suits(r, board, laid)
    if r.runs:
        return bound_of_runs(r, board, laid)
    if r.both_ways:
        return bound_both_ways(board, laid)
    return bound_of_cards(board, laid)


@inlined
def bound_of_cards(board, laid):
    """Return h where cards move one by one, columns are built down, and cards stay home."""
    result = count_bits(ALL & ~cards_home(laid.heights))
    near = board.near
    blocked = ZERO  # cards that are no blockers, but have a lower card of another suit beneath them
    bottoms = laid.bottoms
    while bottoms:
        card = first_bit(bottoms)
        bottoms &= bottoms - ONE
        # Cards of each suit that are higher than the lowest of their suit seen so far.
        over = ZERO
        while card >= 0:
            bit = ONE << U64(card)
            if over & bit:
                result += 1
            elif over:
                near[card] = over
                blocked |= bit
            # All cards of the suit from here upwards: every fourth bit above the card's.
            over |= (SUIT << U64(card)) & ALL & ~bit
            card = board.load[card]
    # Cut the lists down to what is mutual.  A pair cut from one list was not in the other.
    edged = ZERO
    rest = blocked
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        near[card] &= blocked
        others = near[card]
        while others:
            other = first_bit(others)
            others &= others - ONE
            if not holds(near[other], card):
                near[card] &= ~(ONE << U64(other))
        if near[card]:
            edged |= ONE << U64(card)
    return result + (touching_all(edged, near, board.stack) if edged else 0)


@inlined
def bound_both_ways(board, laid):
    """Return h where cards go both ways: cards not home, and blockers.

    A card that is not home makes a move home, and a blocker one before that, which does not take it
    home: see above. That is as true where columns are built up, too, or cards come back.
    """
    result = count_bits(laid.cells | laid.lying)
    bottoms = laid.bottoms
    while bottoms:
        card = first_bit(bottoms)
        bottoms &= bottoms - ONE
        over = ZERO
        while card >= 0:
            bit = ONE << U64(card)
            if over & bit:
                result += 1
            over |= (SUIT << U64(card)) & ALL & ~bit
            card = board.load[card]
    return result
