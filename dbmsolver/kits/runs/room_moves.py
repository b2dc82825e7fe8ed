"""Runs that move as far as there is room: the twin of `game.room`, and moves that programs make.

With c empty freecells and e empty columns, c + 1 cards move at once, and twice as many for each
empty column that they do not go to, if empty columns take any card.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import popcount


@inlined
def room_for(t, freecell, empty):
    """Return how many cards move at once: (onto a card, to an empty column), int64.

    ``freecell`` are the cards in freecells, ``empty`` is the number of empty columns.
    """
    cells = max(t.freecells - popcount(freecell), 0) + 1
    if not t.doubling or empty == 0:
        return cells, cells
    return cells << empty, cells << (empty - 1)
