"""The lower bound on the moves to come where a run of cards is one move by the rules.

Each move has one head, the deepest card that moves, and each bound below counts heads.

**Cards that go home one by one.** h = cards not home + *blocked runs*.

* Every card that is not home makes one move home, as the only card of it.
* A *blocker* lies above a lower card of its own suit in the same column. It leaves its place before
  that card goes home, so by a move that does not go home. Divide each column into its *segments*:
  the longest pieces whose cards could move as one run. A segment with blockers is a blocked run.
  Look at the first move of its deepest blocker. Two segments never share that move: of two in one
  column the upper one has to be gone first, as the two are no run together; those of two columns
  have not met before either has moved.

Where columns go round, a king on its base belongs to another segment than the base. It is a blocker
there, and its segment a blocked one, which ends when the king heads a move away: where the base
moves with all that lies on it, the king is a blocker still. (A run with a base in it has all lower
cards of its suit, as columns are built by suit then: what lies beneath the base in the run is no
blocker, and the rest of the argument is as without the king.)

So h never exceeds the moves to come. And no move lowers it by more than one. A move home takes a
card that is no blocker, and beneath no card: one card less, nothing else changes. Any other move
takes the upper end of one segment away; what else lies in columns stays blocked or not as it was,
and the segment that the run joins has no fewer blockers than before. So one blocked run less, at
most.

**Only whole suits go home.** h = suits not home + for each card the moves that it has to *head*.

* Each suit not home goes home by a move of its own, headed by its king.
* A card, no king, that does not lie on the next higher card of its own suit comes to lie there by a
  move that it heads: as another card of a run it would lie on what it lies on already. If that
  higher card is somewhere beneath it in its column, the lower one has to leave the column first, by
  another move. It heads that move, too, unless it is in a run with the card that it lies on, which
  is of another suit then: with that one it may leave as another card of the run.
* A king with lower cards of its suit beneath it has to head a move before they can be put above it.

Each of these counts depends on what lies under one card, which only a move headed by that card
changes, or leaves as it was: a run takes along what its other cards lie on. The suit's move home
has all its cards on each other, where they count nothing. So a move lowers h by one at most: a card
that counts two does not lie on its next card after one move.

A column is a prefix, as dealt up to its topmost locked card, and above it a chain, as for the bound
of single cards (:mod:`dbmsolver.kits.cards.bound`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import highest_bit, lowest_bit, popcount
from dbmsolver.kernels.states import CARDS, ONE, SUITS, U64, ZERO, Words
from dbmsolver.kits.cards.bound import BoundSets
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.columns import number_of_parent, prefixes_of, table_of_tops
from dbmsolver.kits.runs.room_bound import (
    count_blocked,
    cover_segments,
    dealt_segments,
    segment_sets,
)


@struct
class RunBoundTables(NamedTuple):
    """Constants of one deal."""

    room: bool  # as in the tables of the moves
    higher: Words  # [52]: cards of the same suit and higher rank; where suits are whole, the card
    over_top: Words  # [columns, counts]: the union of these of the whole prefix
    counted: np.uint64  # cards that count one in h, as dealt
    twice: np.uint64  # cards that count two
    blocked: np.uint64  # cards in whose segment, as dealt, there is a blocker no higher than they
    segments: Words  # [columns, counts]: the word of the topmost locked card (:mod:`.room_bound`)
    blockers: np.uint64  # cards that are blockers as dealt
    inverse: Words  # [52]: cards, no blockers as dealt, whose D as dealt contains this card
    adjacent: Words  # [52]: cards deadlocked with this one as dealt
    heads: NDArray[np.int64]  # [52]: the deepest card of a card's segment as dealt
    alone: np.uint64  # cards that are a segment of their own as dealt


def make_bound_tables(t: Tables, columns: Sequence[Sequence[int]]) -> RunBoundTables:
    """Return the tables of the deal that ``t`` was made for.

    ``columns`` are the deal's, deepest card first.
    """
    whole = bool(t.whole_suits)  # type: ignore[attr-defined]  # of RunTables
    runs: int = t.runs  # type: ignore[attr-defined]
    run_kinds = [int(kind) for kind in t.kinds[:runs]]
    kinds = [int(kind) for kind in t.kinds]
    higher = [sum(1 << above for above in range(card + 4, CARDS, 4)) for card in range(CARDS)]
    if whole:
        higher = [1 << card for card in range(CARDS)]
    up_to: dict[int, int] = {}
    counted = twice = blocked = 0
    for column in columns:
        over, under = 0, None
        for card in column:
            bit = 1 << card
            kind = -1
            if under is not None and under // 4 == card // 4 + 1:
                kind = (under ^ card) & 3
            in_run = kind in run_kinds and kind in kinds
            if whole:
                one, two = _heads(card, under, over, in_run)
                counted |= one * bit
                twice |= two * bit
            else:
                behind = under is not None and in_run and bool(blocked >> under & 1)
                if over & bit or behind:
                    blocked |= bit
                if over & bit and not behind:
                    counted |= bit
            over |= higher[card]
            up_to[card] = over
            under = card
    return RunBoundTables(
        room=bool(t.room),  # type: ignore[attr-defined]
        higher=np.array(higher, np.uint64),
        over_top=table_of_tops(t, up_to),
        counted=np.uint64(counted),
        twice=np.uint64(twice),
        blocked=np.uint64(blocked),
        **dealt_segments(t, columns),
    )


def _heads(card: int, under: int | None, beneath: int, in_run: bool) -> tuple[bool, bool]:
    """Return two flags for a card as it is dealt: it heads one move at least; two at least.

    Both are True where there are two. These are moves before all of its suit lies in one run.
    ``beneath`` is the set of all cards beneath it, ``under`` the one that it lies on, and
    ``in_run`` is True if both may move together.
    """
    if card >= CARDS - SUITS:
        lower = sum(1 << other for other in range(card & 3, card, SUITS))
        return bool(beneath & lower), False
    if under == card + 4:
        return False, False
    return True, not in_run and bool(beneath >> (card + 4) & 1)


@inlined
def bound_sets(b, t, sets, over, work):
    """Return the :class:`~dbmsolver.kits.cards.bound.BoundSets` of a signature.

    ``base`` counts the cards not home and those counted in the prefixes. ``chained`` are the loose
    cards above the prefixes, ``vertices`` the blocked cards of the prefixes. Writes ``over``
    (uint64[52]).
    """
    if t.room:
        return segment_sets(b, t, sets, over, work)
    prefixes = prefixes_of(t, b.over_top, sets.signature, over)
    if t.whole_suits:
        base = np.int64(0)
        for suit in range(4):
            base += np.int64((sets.signature >> U64(4 * suit)) & U64(15) < U64(13))
    else:
        base = CARDS - popcount(sets.home)
    base += popcount(prefixes & b.counted) + popcount(prefixes & b.twice)
    return BoundSets(base, sets.loose & ~prefixes, prefixes & b.blocked, ZERO, np.int64(0))


@inlined
def cheap_bound(b, t, s, off, low, high, over):
    """Return the bound (int64) of a state, and an empty set; write ``over`` (uint64[52]).

    That is all of it, unless runs move as far as there is room (:mod:`.room_bound`).
    """
    if t.room:
        return count_blocked(b, t, s, off, low, high, over)
    rest = s.chained & off
    found = s.base
    if t.whole_suits:
        # In a freecell or at the bottom of a column: kings can stay there.
        found += popcount(rest & U64((1 << (CARDS - SUITS)) - 1))
    rest &= low
    while rest:
        card = lowest_bit(rest)
        rest &= rest - ONE
        over[card] = b.higher[card]
    blocked = s.vertices
    rest = s.chained & ~off
    while rest:
        card = highest_bit(rest)
        shift = U64(card)
        bit = ONE << shift
        rest ^= bit
        kind = number_of_parent(t, low, high, shift)
        if t.bases and card >= CARDS - SUITS:
            # A king on its base, a lower card of its suit.
            found += 1
            blocked |= bit
            over[card] = b.higher[(card ^ np.int64(t.kinds[kind])) - np.int64(t.around)]
            continue
        parent = U64((card + 4) ^ np.int64(t.kinds[kind]))
        beneath = over[parent]
        over[card] = beneath | b.higher[card]
        if t.whole_suits:
            # The kind 0 is the card's own suit.
            if kind:
                found += 1
            if kind >= t.runs:
                found += np.int64((beneath >> (shift + U64(4))) & ONE)
            continue
        behind = kind < t.runs and (blocked >> parent) & ONE != ZERO
        if beneath & bit:
            found += np.int64(not behind)
            blocked |= bit
        elif behind:
            blocked |= bit
    return found, ZERO


@inlined
def full_bound(b, s, cheap, chained, over, work):
    """Return the bound that :func:`cheap_bound` has found, or more where there is more to it."""
    if b.room:
        return cover_segments(b, s, cheap, chained, over, work)
    return cheap
