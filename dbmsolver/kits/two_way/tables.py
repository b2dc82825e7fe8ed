"""Tables of games whose cards go both ways: on higher and lower cards, or home and back.

They are a type of their own. What a kernel does with tables depends on their type and is chosen
when it is compiled (:mod:`dbmsolver.kernels.hooks`).

**Cards that come back.** Where cards come back from the foundations, a card that is home is loose,
and its place is one of those that the planes tell apart: its bits are 1 in ``off``, 0 in ``low``, 1
in ``high``. The foundation heights of a signature are those of the cards that never come back, so
that moves home and back stay within the signature, and progress counts released cards only. When
the last card goes home, all are home for good: the state is the goal of any other game, a signature
with all heights 13, and no planes.

A move home has the place value ``PLACE_GOES_HOME``, the last of all has ``PLACE_HOME``; a card that
comes back comes from ``PLACE_HOME``.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import CARDS, SUITS
from dbmsolver.kits.cards.tables import ALL_CARDS, PLACE_LOCKED, Game, Tables

PLACE_GOES_HOME = PLACE_LOCKED
"""The place value of a card that goes home and may come back. No move ever locks a card."""

TwoWayTables = struct(
    namedtuple(  # type: ignore[misc]  # the fields of Tables, and six more
        "TwoWayTables",
        (*Tables._fields, "rises", "removable", "kept", "kept_signature", "kept_next", "last"),
    )
)
TwoWayTables.__doc__ = """:class:`.cards.tables.Tables` of a game whose cards go both ways.

``rises``           int64[parents]: what a parent's number is above the card's of its suit: 4 or -4
``removable``       bool: whether cards come back from the foundations
``kept``            uint64: the cards that are home for good; 0 unless they come back
``kept_signature``  uint64: the heights of these, nothing locked
``kept_next``       uint64: the lowest cards that are not
``last``            int64: by how much progress rises when the last card goes home
"""


def two_way(game: Game, tables: Tables) -> Tables:
    """Return the tables of a game whose cards go both ways."""
    kept = game.kept_rank if game.removable else 0
    found: Tables = TwoWayTables(
        *tables,
        rises=np.array([4 * rise for rise in game.rises], np.int64),
        removable=game.removable,
        kept=np.uint64((1 << (SUITS * kept)) - 1),
        kept_signature=np.uint64(0x1111 * kept),
        kept_next=np.uint64(0b1111 << (SUITS * kept) & ALL_CARDS),
        last=np.int64(CARDS - SUITS * kept if game.removable else 1),
    )
    return found
