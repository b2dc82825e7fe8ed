"""Of two moves that may be made in either order, one order is enough.

Let a state s be entered from q by the move p of card b, and let m be a move of another card a that
is legal in s. Where m is legal in q, too, and p after it, both orders lead to the same state t with
as many moves. Then s leaves m out if a is lower than b.

Nothing is lost where states are closed with their least number of moves, by any parents. Say that
t is entered by several moves along shortest ways. The one that moves the highest card is never left
out: if s left it out, t would also be entered from q's successor by p, which moves a higher card.
That successor is a state on a shortest way to t, so it is closed with its least number of moves and
with a bound no higher than t's, whatever its own parent is; and the move that it is entered by is
not the one of b before (b would have gone there at once, and t be reached with fewer moves).

When m is legal in q, and p after it:

* a could move in q: it is not the card that b lay on.
* a could go there in q: not onto b or the card that b lay on; into a freecell or an empty column
  only if there was one before p made one.
* p can still be made after m, because t has room for both cards, and a does not lie on b.
* Neither q nor its successor by m has a forced move, which would be its only one. q has none, or p
  would be that. For the successor, m does not go home, and does not bare a card that can.

Moves home are never left out, and leave nothing out. Locked cards that lie on a card that can go
home are not looked for one by one: while there is any, no locked card's moves are left out.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.states import CARDS, ONE, U64
from dbmsolver.kits.cards.expand import Before, only_skipping, parent_of
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_FREECELL, PLACE_LOCKED


@inlined
def before_move(t, sets, off, low, high, code):
    """Return the :class:`~.expand.Before` of a state that was entered by a move.

    ``code`` (int64) is the state's parent-move code; ``off``, ``low`` and ``high`` are its planes.
    """
    card = np.int64(t.code_card[code])
    bit = ONE << U64(card)
    if not sets.loose & bit:  # it is home now
        return only_skipping(bit)
    opened = bit
    freecells = popcount(sets.loose & off & ~low)
    bottoms = sets.bottoms + popcount(sets.loose & off & low)
    if off & low & bit:
        bottoms -= 1
    elif off & bit:
        freecells -= 1
    old = np.int64(t.code_place[code])
    below = np.int64(CARDS)
    if old == PLACE_FREECELL:
        freecells += 1
    elif old == PLACE_BOTTOM:
        bottoms += 1
    elif old == PLACE_LOCKED:
        # Where a locked card is the bottom of its column, only kings go to empty columns, or none:
        # it makes no difference then that the column was in use, as kings are no lower cards.
        below = np.int64(t.dealt_below[card])
    else:
        below = parent_of(t, card, old)
    if below < CARDS:
        opened |= ONE << U64(below)
    return Before(bit, (bit - ONE) & ~opened, opened, freecells, bottoms)
