"""The lower bound on the moves to come: cards not home, blockers, and deadlocks of two suits.

* Every card that is not home has to make one move home.
* A *blocker* lies above a lower card of its own suit in the same column: that card goes home first,
  so the blocker makes a move aside before.
* Two cards x and y in different columns are *deadlocked* if a lower card of y's suit lies beneath x
  and a lower card of x's suit beneath y: neither can go home before the other has moved, so one of
  the two moves aside.  Among the cards that are no blockers, as many as the smallest vertex cover
  of this graph has to be counted.

The three never count a move twice, a move lowers their sum by at most one, and cards in freecells
have no part in it.

A column is a prefix, and above it a chain (:mod:`dbmsolver.kits.columns`).  What lies in the
prefixes is the same for all states of a signature.  A set D follows each column upwards: all cards
that have a lower card of their suit in it so far.  A card that is in the set D of what is beneath
it is a blocker; two others are deadlocked if each is in the set of the other.  (Cards of one column
never are: the upper one would be a blocker.)  The parent of a chain's card has a higher rank, so
all chains are walked at once, in descending order of cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import highest_bit, lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO, Words
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.columns import number_of_parent, prefixes_of, table_of_tops

OVER_WORDS = CARDS
"""Words that a signature needs: D up to and including each card."""
WORK_WORDS = 3 * CARDS
"""Scratch words of a vertex cover: neighbours of each card, and a stack of (cards, cover so
far)."""


@struct
class BoundTables(NamedTuple):
    """Constants of one deal."""

    higher: Words  # [52]: cards of the same suit and higher rank
    over_top: Words  # [columns, counts]: D of the whole prefix
    blockers: np.uint64  # cards that are blockers as dealt
    inverse: Words  # [52]: cards, no blockers as dealt, whose D as dealt contains this card
    adjacent: Words  # [52]: cards deadlocked with this one as dealt


class BoundSets(NamedTuple):
    """The facts of the bound that all states of a signature share."""

    base: int  # cards not home, and blockers in the prefixes
    chained: np.uint64  # loose cards that are not in a prefix
    vertices: np.uint64  # cards in the prefixes that are no blockers
    edged: np.uint64  # those deadlocked with another in a prefix
    cover: int  # smallest vertex cover of these alone


def make_bound_tables(t: Tables, columns: Sequence[Sequence[int]]) -> BoundTables:
    """Return the tables of the deal that ``t`` was made for.

    ``columns`` are the deal's, deepest card first.
    """
    higher = [sum(1 << above for above in range(card + 4, CARDS, 4)) for card in range(CARDS)]
    beneath = [0] * CARDS
    up_to: dict[int, int] = {}
    dealt = blockers = 0
    for column in columns:
        over = 0
        for card in column:
            beneath[card] = over
            dealt |= 1 << card
            blockers |= over & (1 << card)
            over |= higher[card]
            up_to[card] = over
    vertices = [card for card in range(CARDS) if (dealt & ~blockers) >> card & 1]
    inverse = [sum(1 << v for v in vertices if beneath[v] >> card & 1) for card in range(CARDS)]
    adjacent = [inverse[card] & beneath[card] if card in vertices else 0 for card in range(CARDS)]
    return BoundTables(
        higher=np.array(higher, np.uint64),
        over_top=table_of_tops(t, up_to),
        blockers=np.uint64(blockers),
        inverse=np.array(inverse, np.uint64),
        adjacent=np.array(adjacent, np.uint64),
    )


def make_scratch(signatures: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scratch memory: ``over`` (uint64[signatures, 52]), ``work`` (uint64[WORK_WORDS]).

    Each signature in use needs a row of ``over`` of its own; ``work`` serves all.
    """
    return np.zeros((signatures, OVER_WORDS), np.uint64), np.zeros(WORK_WORDS, np.uint64)


@inlined_kernel
def smallest_cover(cards, work):
    """Return the size (int64) of the smallest vertex cover of the graph on the set ``cards``.

    ``work[card]`` are the neighbours of a card; the rest of ``work`` is written to. Cards without
    neighbours are dropped, the neighbour of a card with one only is taken. When every card has two,
    the graph consists of rings, and any card of a ring will do. Otherwise a card with most
    neighbours is taken, or all of its neighbours are.
    """
    best = CARDS
    cover = 0
    depth = 0
    while True:
        rest = cards
        while rest:
            card = lowest_bit(rest)
            bit = ONE << U64(card)
            rest ^= bit
            near = work[card] & cards
            if near & (near - ONE):
                continue
            cards ^= bit
            if near:
                cover += 1
                cards ^= near
                # Look again at those that have lost a neighbour.
                rest = (rest | work[lowest_bit(near)]) & cards
        if cards and cover < best:
            most = widest = 0
            rest = cards
            while rest:
                card = lowest_bit(rest)
                rest &= rest - ONE
                degree = popcount(work[card] & cards)
                if degree > most:
                    most, widest = degree, card
            cards ^= ONE << U64(widest)
            if most > 2:
                work[CARDS + 2 * depth] = cards & ~work[widest]
                work[CARDS + 2 * depth + 1] = U64(cover + most)
                depth += 1
            cover += 1
            continue
        best = min(best, cover)
        if depth == 0:
            return best
        depth -= 1
        cards = work[CARDS + 2 * depth]
        cover = np.int64(work[CARDS + 2 * depth + 1])


@inlined
def bound_sets(b, t, sets, over, work):
    """Return the :class:`BoundSets` of a signature (``sets``: its :class:`Sets`).

    Writes to ``over`` (uint64[52]) the sets that the bound of the signature's states needs; keep it
    with them. ``work`` is scratch memory.
    """
    prefixes = prefixes_of(t, b.over_top, sets.signature, over)
    base = CARDS - popcount(sets.home) + popcount(prefixes & b.blockers)
    vertices = prefixes & ~b.blockers
    edged = ZERO
    rest = vertices
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        near = b.adjacent[card] & vertices
        if near:
            work[card] = near
            edged |= ONE << U64(card)
    cover = smallest_cover(edged, work) if edged else 0
    return BoundSets(base, sets.loose & ~prefixes, vertices, edged, cover)


@inlined
def cheap_bound(b, t, s, off, low, high, over):
    """Return the part of the bound that costs little.

    That is cards not home, blockers, and the cover of the deadlocks in the prefixes. Returns (that
    part, int64; cards of chains that are no blockers, uint64). :func:`full_bound` goes on from
    both, and from the sets that this writes to ``over`` (uint64[52]).
    """
    rest = s.chained & off & low
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        over[card] = b.higher[card]
    stacked = s.chained & ~off
    blockers = ZERO
    rest = stacked
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        rest ^= ONE << shift
        kind = number_of_parent(t, low, high, shift)
        beneath = over[(card + 4) ^ np.int64(t.kinds[kind])]
        blockers |= beneath & (ONE << shift)
        over[card] = beneath | b.higher[card]
    return s.base + s.cover + popcount(blockers), stacked & ~blockers


@inlined
def full_bound(b, s, cheap, chained, over, work):
    """Return the bound (int64) of a state, once :func:`cheap_bound` has given its cheap part.

    ``cheap`` and ``chained`` are the values that it returned. Writes ``work``. ``over[card]`` is D
    with the card itself, ``b.inverse`` is D without, which makes no difference: the card itself
    adds cards of its suit only, and of two of one suit one would be a blocker.
    """
    edged = ZERO
    done = ZERO
    rest = chained
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        bit = ONE << shift
        rest ^= bit
        near = over[card] & b.inverse[card] & s.vertices
        others = over[card] & done
        while others:
            other = lowest_bit(others)
            others &= others - ONE
            if (over[other] >> shift) & ONE:
                near |= ONE << U64(other)
        done |= bit
        if not near:
            continue
        if not edged:
            edged = s.edged
            statics = s.edged
            while statics:
                other = lowest_bit(statics)
                statics &= statics - ONE
                work[other] = b.adjacent[other] & s.vertices
        edged |= bit
        work[card] = near
        while near:
            other = lowest_bit(near)
            near &= near - ONE
            back = ONE << U64(other)
            work[other] = (work[other] if edged & back else ZERO) | bit
            edged |= back
    if not edged:
        return cheap
    return cheap - s.cover + smallest_cover(edged, work)


@kernel
def lower_bound(b, t, s, off, low, high, over, work, limit):
    """Return the lower bound (int64) of a state; if its cheap part exceeds ``limit``, only that.

    Writes ``over`` and ``work``.
    """
    cheap, chained = cheap_bound(b, t, s, off, low, high, over)
    if cheap > limit:
        return cheap
    return full_bound(b, s, cheap, chained, over, work)
