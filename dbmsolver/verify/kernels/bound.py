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

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.families import by_type
from dbmsolver.verify.format import Format, RunFormat, TwoWayFormat
from dbmsolver.verify.kernels import run_bound
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit


@inlined
def bound_of_cards(f, signature, home, cells, used, board):
    """Return :func:`lower_bound` where cards move one by one."""
    result = count_bits(ALL & ~home)
    near = board.near
    blocked = ZERO  # cards that are no blockers, but have a lower card of another suit beneath them
    for column in range(used):
        # Cards of each suit that are higher than the lowest of their suit seen so far.
        over = ZERO
        for depth in range(board.lengths[column]):
            card = board.columns[column, depth]
            bit = ONE << U64(card)
            if over & bit:
                result += 1
            elif over:
                near[card] = over
                blocked |= bit
            # All cards of the suit from here upwards: every fourth bit above the card's.
            over |= (U64(0x1111111111111111) << U64(card)) & ALL & ~bit
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
            if not (near[other] >> U64(card)) & ONE:
                near[card] &= ~(ONE << U64(other))
        if near[card]:
            edged |= ONE << U64(card)
    return result + (touching_all(edged, near, board.stack) if edged else 0)


@inlined
def bound_both_ways(f, signature, home, cells, used, board):
    """Return :func:`lower_bound` where cards go both ways: cards not home, and blockers.

    A card that is not home makes a move home, and a blocker one before that, which does not take it
    home: see above. That is as true where columns are built up, too, or cards come back.
    """
    result = count_bits(cells)
    for column in range(used):
        result += board.lengths[column]
        over = ZERO
        for depth in range(board.lengths[column]):
            bit = ONE << U64(board.columns[column, depth])
            if over & bit:
                result += 1
            over |= (U64(0x1111111111111111) << U64(board.columns[column, depth])) & ALL & ~bit
    return result


choose_bound = by_type(
    {Format: bound_of_cards, RunFormat: run_bound.lower_bound, TwoWayFormat: bound_both_ways}
)


@kernel
def lower_bound(f, signature, home, cells, used, board):
    """Return h of the position that :func:`arrange` has laid out on ``board``.

    It has ``used`` columns. ``home`` are the cards that are home, ``cells`` those in freecells.
    """
    return choose_bound(f, signature, home, cells, used, board)
