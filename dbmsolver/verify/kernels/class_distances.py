"""Distances of classes: how many moves between classes each is away from all cards home.

All classes that follow from the deal's are listed, signature by signature: strata ascending, as
moves lead to the same stratum or a higher one. Then distances are worked out, strata descending,
and in each signature again and again, until none is lowered.

Only two rules of docs/dominance.md leave moves out: a safe card goes home alone, and none comes
back. Let the *normal form* N(C) of a class C be what safe moves lead to, the lowest card first,
until there is none. Safe moves commute, and a move from C leads to a class with the normal form
N(C), or with that of a class that a move from N(C) leads to. So with these rules, the normal form
of each class that any moves lead to is listed, and the distance of C is that of N(C), and one more
for each safe move on the way. The third rule would leave some of these classes out.

A card is safe as ``wkr`` has it. By ``horne`` a card x is safe only if the cards of the other
colour that may lie on it are home. A card y of these may not be safe yet: if it comes back, x is
not safe any more, and may be what y is put on. No move from N(C) leads there.

A won class has as many moves to come as there are cards that are not home. It is not listed.

The distance of a position's class, and the turns that its stock needs where these count, are
together a lower bound of the moves to come (:mod:`dbmsolver.verify` has the argument).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.jit.structs import struct
from dbmsolver.verify.kernels.classes import (
    KING,
    ClassRules,
    is_won,
    lay_class,
    lay_columns,
    lay_out,
    list_successors,
    only_move,
    with_waste,
)
from dbmsolver.verify.kernels.words import (
    HALF,
    ONE,
    U64,
    ZERO,
    Words,
    count_left,
    hash_state,
    holds,
    one,
    slot_of,
)

NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
"""The word in an empty slot."""
LOST = 255
"""The distance of a class that cannot be won."""
FURTHEST = 254
"""This distance, and any above; no class has it."""
FAR = 1 << 14
"""The moves to come from a position that cannot be won; no solution has as many."""
NO_CLASS = -FAR
"""The moves to come from a position of a class that no moves from the deal lead to."""


@struct
class Distances(NamedTuple):
    """The distances of the classes of a deal.

    The keys of each signature are a hash table of their own, and all these lie one after the other.
    """

    game: ClassRules
    runs: Words  # [slots, 3]: a hash table: signature, its first key, and its slots; NONE for none
    keys: Words
    moves: NDArray[np.uint8]  # of each key


class NoDistances(NamedTuple):
    """The type in the place of `Distances` for checks without them.

    For this type no kernel that works on classes is compiled.
    """

    classes: int = 0  # that are listed


@inlined
def slot_in(keys, first, size, key):
    """Return the slot of a key, or the empty one for it, in a table from ``first`` on."""
    slot = first + slot_of(hash_state(ZERO, key, ZERO, ZERO), size)
    while keys[slot] != key and keys[slot] != NONE:
        slot += 1
        if slot == first + size:
            slot = first
    return slot


@inlined
def run_in(runs, signature):
    """Return the row of a signature, or the empty one for it."""
    row = np.int64(hash_state(signature, ZERO, ZERO, ZERO) & HALF) & (runs.shape[0] - 1)
    while runs[row, 0] != signature and runs[row, 0] != NONE:
        row = (row + 1) & (runs.shape[0] - 1)
    return row


@inlined
def place_of(c, signature, key):
    """Return the place of a class among all keys, -1 if it is not listed."""
    run = run_in(c.runs, signature)
    if c.runs[run, 0] == NONE:
        return np.int64(-1)
    place = slot_in(c.keys, np.int64(c.runs[run, 1]), np.int64(c.runs[run, 2]), key)
    return place if c.keys[place] == key else np.int64(-1)


@kernel
def enter_runs(runs, signatures, firsts):
    """Enter signatures, and where their tables begin, into an empty table."""
    for number in range(signatures.size):
        row = run_in(runs, signatures[number])
        runs[row, 0], runs[row, 1] = signatures[number], firsts[number]
        runs[row, 2] = firsts[number + 1] - firsts[number]


@kernel
def enter_keys(table, first, size, keys):
    """Enter keys into a table from ``first`` on; return how many were not there."""
    new = 0
    for number in range(keys.size):
        if keys[number] != NONE:
            slot = slot_in(table, first, size, keys[number])
            new += table[slot] == NONE
            table[slot] = keys[number]
    return new


@kernel
def list_classes(game, board, signature, table, entered, waiting, stack, lifted):
    """List what follows from the classes of a signature that wait, as far as there is room.

    ``table`` has the ``entered`` keys of the signature. Those that wait are in ``stack``, and so
    are new ones then. What leads to higher strata goes to ``lifted`` (uint64[*, 2]). Returns how
    many are entered, waiting (-1 if one is no class) and in ``lifted``.
    """
    most, count = board.after.shape[0], 0
    is_signature, covered, held = lay_columns(game, signature)
    room = table.size * 3 // 4 - most
    while waiting and entered <= room and count + most <= lifted.shape[0]:
        waiting -= 1
        key = stack[waiting]
        good, laid = lay_out(game, board, covered, held, key)
        if not is_signature or not good:
            return entered, -1, count
        for number in range(list_successors(game, board, laid, signature, key, True)):
            if board.won[number]:
                continue
            above, after = board.after[number, 0], board.after[number, 1]
            if above != signature:
                lifted[count, 0], lifted[count, 1] = above, after
                count += 1
                continue
            slot = slot_in(table, 0, table.size, after)
            if table[slot] == NONE:
                table[slot] = stack[waiting] = after
                entered += 1
                waiting += 1
    return entered, waiting, count


@kernel
def lower_distances(c, board, signature, first, order):
    """Lower the distance of each class of a signature to that by its best move, as far as known.

    ``order`` are places of the classes, from ``first`` on. Returns how many distances are lower
    then, -1 if a class is missing.
    """
    _, covered, held = lay_columns(c.game, signature)
    lowered = 0
    for number in range(order.size):
        place = first + order[number]
        nearest = np.int64(c.moves[place])
        good, laid = lay_out(c.game, board, covered, held, c.keys[place])
        if not good:
            return -1
        for at in range(list_successors(c.game, board, laid, signature, c.keys[place], True)):
            after, key = board.after[at, 0], board.after[at, 1]
            if board.won[at]:
                nearest = min(nearest, 1 + count_left(key >> U64(c.game.pack.size)))
                continue
            found = place_of(c, after, key)
            if found < 0:
                return -1
            if c.moves[found] != LOST:
                nearest = min(nearest, min(1 + np.int64(c.moves[found]), FURTHEST))
        if nearest < c.moves[place]:
            c.moves[place] = nearest
            lowered += 1
    return lowered


@inner
def distance_of(c, board, signature, key):
    """Return the distance of a class: FAR if it cannot be won, NO_CLASS if it does not follow.

    From a class that is not listed, safe moves lead to one that is.
    """
    made, place = np.int64(0), place_of(c, signature, key)
    while place < 0:
        good, laid = lay_class(c.game, board, signature, key)
        if not good:
            return np.int64(NO_CLASS)
        if is_won(c.game, laid.covered, laid.hand):
            return made + count_left(laid.heights)
        if only_move(c.game, laid) < 0:
            return np.int64(NO_CLASS)
        list_successors(c.game, board, laid, signature, key, True)
        signature, key = board.after[0, 0], board.after[0, 1]
        place = place_of(c, signature, key)
        made += 1
    return made + np.int64(c.moves[place]) if c.moves[place] != LOST else np.int64(FAR)


@inlined
def signature_of(game, laid):
    """Return the signature of the class of a position, and its covered cards."""
    signature = covered = ZERO
    for column in range(game.columns):
        left = np.int64(0)
        while left < game.sizes[column] and holds(laid.dealt, game.dealt[column, left]):
            if left:
                covered |= one(game.dealt[column, left - 1])
            left += 1
        if left == 1 and game.dealt[column, 0] >> 2 == KING:
            left = np.int64(0)
        signature |= U64(left) << U64(game.shifts[column])
    return signature, covered


@inlined
def key_of(game, laid):
    """Return the key of the class of a position."""
    size = game.pack.size
    key = laid.heights << U64(size)
    for place in range(size):
        if holds(laid.dealt, game.pack[place]):
            key |= ONE << U64(place)
    return with_waste(game, key, laid.hand, laid.waste, laid.turns)


@inner
def _by_class(d, f, laid, scratch):
    """Return the moves to come by the class of a position: FAR if it cannot be won.

    NO_CLASS if the class does not follow from the deal's; 0 if it is won.
    """
    game, r = d.game, f.rules
    signature, covered = signature_of(game, laid)
    if is_won(game, covered, laid.hand):
        return np.int64(0)  # the bound of positions has all cards that are not home, and turns
    moves = distance_of(d, scratch, signature, key_of(game, laid))
    if r.counted and moves != NO_CLASS:
        moves += (laid.hand - laid.waste + r.draw - 1) // r.draw
    return moves


@inlined
def _by_none(d, f, laid, scratch):
    return np.int64(0)


moves_by_class = ByType({Distances: _by_class, NoDistances: _by_none})
"""Return the moves to come by the class of a position, as the distances ``d`` tell.

FAR if it cannot be won, NO_CLASS if the class does not follow from the deal's; 0 if it is won, or
if there are no distances.
"""
