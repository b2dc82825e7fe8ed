"""The lower bound on the moves to come where runs move as far as there is room.

h = cards not home (nothing, where a program moves them home by itself) + the fewest *segments* that
have to be touched aside.

Divide each column into its segments: the longest pieces whose cards could move as one run if there
was room enough. A *blocker* lies above a lower card of its own suit in the same column; a segment
with a blocker is *blocked*. Two cards x and y in different columns are *deadlocked* if a lower card
of y's suit lies beneath x and a lower card of x's suit beneath y. Two segments, neither of them
blocked, are deadlocked if a card of one and a card of the other are. To be touched aside are all
blocked segments, and of the others as many as the smallest vertex cover of the deadlocks has.

**It never exceeds the moves to come.** A card is *put aside* if the first move that it makes does
not go home. A blocker is put aside, as the lower card beneath it goes home before it does. Of two
deadlocked cards one is: if neither was, each would have to go home before the other. So a solution
puts aside a card of each blocked segment and of at least one end of each deadlock: of at least as
many segments as h counts. The first moves of cards of two segments are never the same move. Cards
of two segments of one column that have both not moved lie with everything between them as before,
and are no run together; cards of two columns that have both not moved do not lie together at all.
So there are as many moves that do not go home, and each card not home makes one that does, as the
only card of it.

**No move lowers it by more than it costs.** A card that goes home is no blocker, lies beneath no
card, and is deadlocked with none, as no lower card of its suit is left: nothing changes but that it
is home. Any other move takes a run, the upper end of a segment S, to a card, the end of a segment
T, to an empty column, or to a freecell. Take the segments that are touched aside after it: all that
are blocked then, and a cover of the deadlocks. Take S, and T for the segment that T has become part
of, and leave out the run's own. What lies beneath the other cards is as it was, so each segment but
S that was blocked still is, T as a part of what it has become; and each deadlock without S is one
still, or one of its ends is part of a segment that is blocked now. So these are a set as wanted
before the move, with one segment more at most.

A column is a prefix, and above it a chain (:mod:`dbmsolver.kits.columns`). The word of a card in
``over`` has, above the set D of :mod:`dbmsolver.kits.cards.bound`, the deepest card of its segment,
and whether there is a blocker in the segment up to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import highest_bit, lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, U64, ZERO
from dbmsolver.kits.cards.bound import BoundSets, make_bound_tables, smallest_cover
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.columns import number_of_parent, prefixes_of, table_of_tops

HEAD = np.uint64(CARDS)
"""The first bit, in a word of ``over``, of the deepest card of the segment; it has six bits."""
HEAD_MASK = np.uint64(63)
BLOCKED = np.uint64(1 << 58)
"""The bit that is set if there is a blocker in the segment up to the card."""
NEWLY = 0
"""The word of ``over`` for the deepest cards of segments that chains have blocked.

No card ever lies on an ace, and an ace is deadlocked with none, so its word is free for that."""


def dealt_segments(t: Tables, columns: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return the fields of the bound's tables that segments need, of these columns as dealt."""
    plain = make_bound_tables(t, columns)
    kinds = [int(kind) for kind in t.kinds]
    heads = list(range(CARDS))
    alone = set(range(CARDS))
    up_to: dict[int, int] = {}
    for column in columns:
        over, under, blocked = 0, -1, 0
        for card in column:
            if under >= 0 and under // 4 == card // 4 + 1 and (under ^ card) & 3 in kinds:
                heads[card] = heads[under]
                alone -= {card, heads[card]}
            else:
                blocked = 0
            if over >> card & 1:
                blocked = int(BLOCKED)
            over |= int(plain.higher[card])
            up_to[card] = over | heads[card] << CARDS | blocked
            under = card
    return {
        "segments": table_of_tops(t, up_to),
        "blockers": plain.blockers,
        "inverse": plain.inverse,
        "adjacent": plain.adjacent,
        "heads": np.array(heads, np.int64),
        "alone": np.uint64(sum(1 << card for card in alone)),
    }


@inlined
def heads_of(b, cards):
    """Return the deepest cards of the segments, as dealt, of a set of cards."""
    heads = cards & b.alone
    rest = cards & ~b.alone
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        heads |= ONE << U64(b.heads[card])
    return heads


@inlined
def dealt_graph(b, edged, vertices, work):
    """Write the deadlocks of the prefixes' segments to ``work``; return the segments with any.

    ``edged`` are the cards that are deadlocked with another of ``vertices``.
    """
    segments = heads_of(b, edged)
    rest = segments
    while rest:
        head = lowest_bit(rest)
        rest &= rest - ONE
        work[head] = ZERO
    while edged:
        card = lowest_bit(edged)
        edged &= edged - ONE
        work[b.heads[card]] |= heads_of(b, b.adjacent[card] & vertices)
    return segments


@inlined
def segment_sets(b, t, sets, over, work):
    """Return the :class:`~dbmsolver.kits.cards.bound.BoundSets` of a signature, by segments.

    ``base`` counts the cards not home and the blocked segments of the prefixes. ``vertices`` are
    the cards of their other segments, ``edged`` those that are deadlocked, ``cover`` the number of
    segments that cover these deadlocks. Writes ``over`` (uint64[52]) and ``work``.
    """
    prefixes = prefixes_of(t, b.segments, sets.signature, over)
    blocked = heads_of(b, prefixes & b.blockers)
    base = popcount(blocked)
    if not t.free:
        base += CARDS - popcount(sets.home)
    vertices = edged = ZERO
    rest = prefixes & ~b.blockers
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        if not (blocked >> U64(b.heads[card])) & ONE:
            vertices |= ONE << U64(card)
    rest = vertices
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        if b.adjacent[card] & vertices:
            edged |= ONE << U64(card)
    cover = np.int64(0)
    if edged:
        cover = smallest_cover(dealt_graph(b, edged, vertices, work), work)
    return BoundSets(base, sets.loose & ~prefixes, vertices, edged, cover)


@inlined
def count_blocked(b, t, s, off, low, high, over):
    """Return the part of the bound that costs little: cards not home, and blocked segments.

    Returns (that part, int64; cards of chains that lie on a parent, uint64). Writes ``over``.
    """
    rest = s.chained & off & low
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        over[card] = b.higher[card] | (U64(card) << HEAD)
    stacked = s.chained & ~off
    newly = ZERO
    rest = stacked
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        rest ^= ONE << shift
        kind = number_of_parent(t, low, high, shift)
        beneath = over[(card + 4) ^ np.int64(t.kinds[kind])]
        if (beneath >> shift) & ONE and not beneath & BLOCKED:
            beneath |= BLOCKED
            newly |= ONE << ((beneath >> HEAD) & HEAD_MASK)
        over[card] = beneath | b.higher[card]
    over[NEWLY] = newly
    return s.base + popcount(newly), stacked


@inlined
def cover_segments(b, s, cheap, stacked, over, work):
    """Return the bound (int64) of a state, once :func:`count_blocked` has given its first part.

    ``cheap`` and ``stacked`` are the values that it returned. Writes ``work``.
    """
    newly = over[NEWLY]
    edged = done = ZERO
    ready = False
    rest = stacked
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        bit = ONE << shift
        rest ^= bit
        word = over[card]
        head = (word >> HEAD) & HEAD_MASK
        if word & BLOCKED or (newly >> head) & ONE:
            continue
        near = heads_of(b, word & b.inverse[card] & s.vertices)
        others = word & done
        while others:
            other = lowest_bit(others)
            others &= others - ONE
            if (over[other] >> shift) & ONE:
                near |= ONE << ((over[other] >> HEAD) & HEAD_MASK)
        done |= bit
        near &= ~newly
        if not near:
            continue
        if not ready:
            edged = dealt_graph(b, s.edged, s.vertices, work)
            ready = True
        mine = ONE << head
        work[np.int64(head)] = (work[np.int64(head)] if edged & mine else ZERO) | near
        edged |= mine
        while near:
            other = lowest_bit(near)
            near &= near - ONE
            back = ONE << U64(other)
            work[other] = (work[other] if edged & back else ZERO) | mine
            edged |= back
    if not ready:
        if not heads_of(b, s.edged) & newly:
            return cheap + s.cover
        edged = dealt_graph(b, s.edged, s.vertices, work)
    return cheap + smallest_cover(edged & ~newly, work)
