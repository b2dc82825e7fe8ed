"""The lower bound on the moves to come where cards go both ways.

h = cards not home + *blockers*, the cards above a lower card of their own suit in the same column.

No move lowers h by more than one, so h is consistent; and as it is 0 for the goal, it is
admissible, too. For a move takes one card from the end of a column, or from elsewhere, and puts it
on the end of another, or elsewhere. What lies beneath any other card stays as it was, so of all
that h counts only what it counts for this one card changes. That is at most two, and two only of a
blocker, which is not one of the cards that can go home: a lower card of its suit is not home. So a
blocker still counts one after the move, and any other card counted one at most before. A card that
comes back counts one more.

A column is a prefix, and above it a chain (:mod:`dbmsolver.kits.columns`). Where columns are built
in both directions, a card that lies on a lower one is of its suit, and so a blocker. The others of
a chain are visited in descending order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import highest_bit, lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO, Words
from dbmsolver.kits.cards import bound
from dbmsolver.kits.cards.bound import BoundSets
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.columns import number_of_parent, prefixes_of


@struct
class TwoWayBoundTables(NamedTuple):
    """Constants of one deal."""

    higher: Words  # [52]: cards of the same suit and higher rank
    over_top: Words  # [columns, counts]: the union of these of the whole prefix
    blockers: np.uint64  # cards that are blockers as dealt


def make_bound_tables(t: Tables, columns: Sequence[Sequence[int]]) -> TwoWayBoundTables:
    """Return the tables of the deal that ``t`` was made for.

    ``columns`` are the deal's, deepest card first.
    """
    return TwoWayBoundTables(*bound.make_bound_tables(t, columns)[:3])


@inlined
def bound_sets(b, t, sets, over, work):
    """Return the :class:`~dbmsolver.kits.cards.bound.BoundSets` of a signature.

    ``base`` counts the cards not home by the signature and the blockers of the prefixes.
    ``chained`` are the loose cards above the prefixes, home or not. Writes ``over`` (uint64[52]).
    """
    prefixes = prefixes_of(t, b.over_top, sets.signature, over)
    base = CARDS - popcount(sets.home) + popcount(prefixes & b.blockers)
    return BoundSets(base, sets.loose & ~prefixes, ZERO, ZERO, np.int64(0))


@inlined
def cheap_bound(b, t, s, off, low, high, over):
    """Return the bound (int64) of a state, all of it, and an empty set.

    Writes ``over`` (uint64[52]).
    """
    found = s.base - popcount(s.chained & off & high)
    rest = s.chained & off & low
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        over[card] = b.higher[card]
    rest = s.chained & ~off
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        rest ^= ONE << shift
        kind = number_of_parent(t, low, high, shift)
        if kind >= t.kinds.size or card + t.rises[kind] >= CARDS:
            continue  # words from a file may be no state
        if t.rises[kind] < 0:
            found += 1  # it lies on a lower card of its suit
            continue
        beneath = over[(card + 4) ^ np.int64(t.kinds[kind])]
        found += np.int64((beneath >> shift) & ONE)
        over[card] = beneath | b.higher[card]
    return found, ZERO


@inlined
def full_bound(b, s, cheap, chained, over, work):
    """Return the bound that :func:`cheap_bound` has found: there is no more to it."""
    return cheap
