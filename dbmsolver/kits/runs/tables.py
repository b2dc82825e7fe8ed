"""Tables where a run of cards is one move, by the rules or as moves are counted.

They are those of any game, and what a run is.

They are a type of their own. What a kernel does with tables depends on their type and is chosen
when it is compiled (:mod:`dbmsolver.kernels.hooks`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import CARDS, SUITS
from dbmsolver.kits.cards.tables import FILL_ANY, KING, Game, Tables

NO_CARD = 63
"""Card of the last parent-move code, for a state that has no parent: none."""

RunTables = struct(
    namedtuple(  # type: ignore[misc]  # the fields of Tables, and more
        "RunTables",
        (
            *Tables._fields,
            "runs",
            "whole_suits",
            "steps",
            "suits",
            "room",
            "doubling",
            "free",
            "bases",
            "around",
        ),
    )
)
RunTables.__doc__ = """:class:`~dbmsolver.kits.cards.tables.Tables` of a game with runs.

``runs``         int: a card on a parent of one of that many first kinds moves with its parent
``whole_suits``  bool: whether cards go home as whole suits only
``steps``        int64[4]: cards of a suit that go home in one move
``suits``        uint64[4]: those of them that lie on another when they go home: all but the king
``room``         bool: whether runs move as far as there is room only (:mod:`.room_moves`)
``doubling``     bool: whether each empty column doubles that room
``free``         bool: whether forced moves cost nothing
``bases``        uint64: the cards that kings are put on, where columns go round; else none
``around``       uint64: by how much a king's number is above that of its base

``code_card`` and ``code_place`` have one code more than those of other games, for the deal.
"""


def with_runs(game: Game, tables: Tables, foundations: Sequence[int]) -> Tables:
    """Return the tables of a game with runs; ``foundations`` are the heights in the deal."""
    left = [13 - height for height in foundations]
    suits = [
        sum(1 << card for card in range(4 * (13 - left[suit]) + suit, CARDS - SUITS, SUITS))
        for suit in range(SUITS)
    ]
    found: Tables = RunTables(
        *tables._replace(
            code_card=np.append(tables.code_card, np.uint8(NO_CARD)),
            code_place=np.append(tables.code_place, np.uint8(0)),
        ),
        runs=game.runs,
        whole_suits=game.whole_suits,
        steps=np.array(left if game.whole_suits else [1] * SUITS, np.int64),
        suits=np.array(suits, np.uint64),
        room=game.room,
        doubling=game.fill == FILL_ANY,
        free=game.free,
        bases=np.uint64(0b1111 << (SUITS * (game.round_from - 1)) if game.round_from else 0),
        around=np.uint64(SUITS * (KING + 1 - game.round_from) if game.round_from else 0),
    )
    return found
