"""The tables of distances of classes, as the bound of a search for a shortest solution has them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import accumulate
from operator import mul

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.classes import LeftOut
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_distances import ClassDistances, digit_place
from dbmsolver.kits.klondike.class_keys import ClassKeys

KEPT = frozenset([LeftOut.SAFE_HOME, LeftOut.NO_SAFE_RETURN])
"""The rules that leave out moves between listed classes.

The third rule would leave out classes of positions that a search comes to."""
_KING = 12


def listed_keys(deal: Deal) -> ClassKeys:
    """Return the keys of the classes of a deal that are listed.

    Moves home are safe by `wkr`, whatever the policy of the search. Distances do not depend on the
    policy. But by `horne` there are positions whose safe moves lead to no class that is listed.
    """
    return ClassKeys(deal, "wkr", KEPT)


def distances_of(keys: ClassKeys, counted: int) -> ClassDistances:
    """Return the tables of a deal's classes, none of which is listed.

    ``counted`` is not 0 if turns of the stock count as moves.
    """
    columns = keys.classes.columns
    sizes = [len(column) for column in columns]
    strides = list(accumulate((size + 1 for size in sizes), mul, initial=1))
    return ClassDistances(
        tables=keys.tables,
        sizes=np.array(sizes, np.int64),
        strides=np.array(strides[:-1], np.int64),
        dealt=np.array([_gathered(column) for column in columns], np.uint64),
        kings=np.array([int(column[:1] >= (4 * _KING,)) for column in columns], np.int64),
        suits=np.array([_gathered(range(suit, CARDS, 4)) for suit in range(4)], np.uint64),
        stock=np.array([1 << digit_place(card) for card in keys.classes.stock], np.uint64),
        starts=np.zeros(1, np.int64),
        keys=np.zeros(0, np.uint64),
        values=np.zeros(0, np.uint8),
        counted=int(counted > 0),
    )


@cache
def no_distances() -> ClassDistances:
    """Return distances of no class at all, for a search that does not list the classes.

    Their tables are those of an arbitrary deal: a search without listed classes reads none of them.
    """
    return distances_of(listed_keys(Deal.from_number(1, GAMES["klondike_by_threes"])), 0)


def _gathered(cards: Iterable[int]) -> int:
    """Return a set of cards as gathered digits."""
    return sum(1 << digit_place(card) for card in cards)
