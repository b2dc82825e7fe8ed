"""Klondike and its relatives: the set of states that is being closed, and the kernel that does it.

The states of a set stand in the order in which they were met; those before ``head`` are expanded.
What follows from them either belongs to the set, and is met, or has another layer and is handed
back as a *candidate*. Where a set does not fit into the memory it is closed in *pieces*
(:class:`Piece`), one after the other, and what has another piece is a candidate, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import multiply_high, prefetch
from dbmsolver.core.digest import hash_words
from dbmsolver.core.patience import list_moves, take
from dbmsolver.core.patience_bound import bound_after, bound_here
from dbmsolver.core.patience_strata import is_won, rises
from dbmsolver.core.patience_tables import MOST_MOVES, Board, Found, Ints, Words
from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel

U64 = np.uint64
ONE = np.uint64(1)

FINISHED, SET_FULL, OUT_FULL, PAUSED, WON = 0, 1, 2, 3, 4
"""The reasons for which :func:`close_layer` returns."""
_AHEAD = 8
"""States by which slots are asked for before they are needed."""


class StateSet(NamedTuple):
    """States and a hash table of their places.

    A slot is 0 where it is free. Its lower n bits are else a state's place plus one, the others are
    bits of the state's hash: few states whose hash is another one have to be looked at. Three
    quarters of the slots are taken at most, and so many states there is room for (`room_of`).
    """

    words: Words  # [*, 3]
    codes: NDArray[np.uint16]  # [*]
    slots: NDArray[np.uint32]  # [2**n]
    counts: Ints  # [2]: states, and how many of them are expanded


class Candidates(NamedTuple):
    """States that follow from expanded ones and belong to another set."""

    words: Words  # [room, 3]
    codes: NDArray[np.uint16]  # [room]
    places: Ints  # [room]: layers
    count: Ints  # [1]


class Piece(NamedTuple):
    """The states with certain bits: ``words & masks == values``.

    ``stratum`` is 1 where a layer is closed stratum by stratum, so that what leads to the next
    stratum does not belong to the set.
    """

    masks: Words  # [3]
    values: Words  # [3]
    stratum: int


def whole_piece(stratum: int = 0) -> Piece:
    """Return the piece that all states belong to."""
    return Piece(np.zeros(3, np.uint64), np.zeros(3, np.uint64), stratum)


def make_set(room: int, spare: int = 1) -> StateSet:
    """Return an empty set with room for ``room`` states.

    Its arrays may be enlarged ``spare`` times without being copied (:func:`larger`): what was never
    written takes no memory.
    """
    return StateSet(
        words=np.zeros((spare * room, 3), np.uint64),
        codes=np.zeros(spare * room, np.uint16),
        slots=make_slots(room),
        counts=np.zeros(2, np.int64),
    )


def make_slots(room: int) -> NDArray[np.uint32]:
    """Return the free slots of a set with room for ``room`` states."""
    least = 4 * -(-room // 3)
    return np.zeros(1 << max(2, (least - 1).bit_length()), np.uint32)


def make_candidates(room: int) -> Candidates:
    """Return arrays for ``room`` candidates, with spare space for all moves of one state."""
    room += MOST_MOVES
    return Candidates(
        words=np.zeros((room, 3), np.uint64),
        codes=np.zeros(room, np.uint16),
        places=np.zeros(room, np.int64),
        count=np.zeros(1, np.int64),
    )


def larger(old: StateSet, room: int, spare: int = 1) -> StateSet:
    """Return a set with the same states and room for ``room`` of them; ``old`` is of no more use.

    Its arrays have room for ``spare`` times as many, if they are copied.
    """
    if room <= old.codes.size:
        new = old._replace(slots=make_slots(room))
    else:
        new = make_set(room, spare)._replace(counts=old.counts)
        size = int(old.counts[0])
        new.words[:size] = old.words[:size]
        new.codes[:size] = old.codes[:size]
    fill_slots(new)
    return new


@inlined_kernel
def room_of(states):
    """Return the number of states (int64) that a set has room for."""
    return np.int64(min(states.codes.size, 3 * (states.slots.size // 4)))


@inlined
def hash_of(words):
    """Return a hash (uint64) of a state: slots are found by its lower bits, and hold upper ones."""
    mixed = words[0] * U64(0x9E3779B97F4A7C15) ^ words[1] * U64(0xC2B2AE3D27D4EB4F)
    mixed ^= words[2] * U64(0x165667B19E3779F9)
    return mixed ^ multiply_high(mixed, U64(0xD6E8FEB86659FD93))


@inlined
def upper_bits(mixed, mask):
    """Return the bits of a hash that slots hold; ``mask`` is the number of slots less one."""
    return (mixed >> U64(32)) & ~mask


@inlined
def look_ahead(states, found, moves):
    """Ask for the slots of what follows from a state before they are needed."""
    mask = U64(states.slots.size - 1)
    for number in range(moves):
        prefetch(states.slots, hash_of(found.words[number]) & mask)


@inlined
def place_all(t, b, board, weights, states, found, moves, here):
    """Replace the cost of each successor in ``found.costs`` by its layer.

    ``here`` is the number of moves made so far. :func:`look_ahead` has prefetched the slots of the
    successors; this function prefetches the states that the slots point to.
    """
    for number in range(moves):
        following, code = found.words[number], found.codes[number]
        found.costs[number] += here + bound_after(t, b, board, weights, following, code)
    mask = U64(states.slots.size - 1)
    for number in range(moves):
        following = found.words[number]
        place = np.int64(U64(states.slots[hash_of(following) & mask]) & mask)
        prefetch(states.words, 3 * (place - np.int64(place > 0)))


@inlined
def find_slot(states, words):
    """Return the slot (uint64) of a state, or the free slot where it belongs."""
    mask = U64(states.slots.size - 1)
    mixed = hash_of(words)
    slot, upper = mixed & mask, upper_bits(mixed, mask)
    while states.slots[slot]:
        held = U64(states.slots[slot])
        if held & ~mask == upper:
            place = (held & mask) - ONE
            if (
                states.words[place, 0] == words[0]
                and states.words[place, 1] == words[1]
                and states.words[place, 2] == words[2]
            ):
                break
        slot = (slot + ONE) & mask
    return slot


@inlined
def place_at(states, slot):
    """Return the place (int64) of the state that a slot has, -1 if it is free."""
    return np.int64(U64(states.slots[slot]) & U64(states.slots.size - 1)) - 1


@inlined
def take_slot(states, slot, words, place):
    """Let a slot have a state, which is at a place."""
    upper = upper_bits(hash_of(words), U64(states.slots.size - 1))
    states.slots[slot] = np.uint32(U64(place + 1) | upper)


@kernel
def fill_slots(states):
    """Make the hash table anew."""
    states.slots[:] = 0
    mask = U64(states.slots.size - 1)
    for place in range(states.counts[0]):
        ahead = min(place + _AHEAD, states.counts[0] - 1)
        prefetch(states.slots, hash_of(states.words[ahead]) & mask)
        slot = hash_of(states.words[place]) & mask
        while states.slots[slot]:
            slot = (slot + ONE) & mask
        take_slot(states, slot, states.words[place], place)


@inlined
def add_state(states, slot, words, code):
    """Add a state that is not in the set, to the slot that was found for it."""
    size = states.counts[0]
    for word in range(3):
        states.words[size, word] = words[word]
    states.codes[size] = code
    states.counts[0] = size + 1
    take_slot(states, slot, words, size)


@kernel
def insert(states, words, codes):
    """Add states (uint64[*, 3]) that are not in the set; it must have room for them."""
    for number in range(words.shape[0]):
        slot = find_slot(states, words[number])
        if not states.slots[slot]:
            add_state(states, slot, words[number], codes[number])


@inlined
def is_in(piece, words):
    """Return whether a state has the bits of a piece."""
    return (
        words[0] & piece.masks[0] == piece.values[0]
        and words[1] & piece.masks[1] == piece.values[1]
        and words[2] & piece.masks[2] == piece.values[2]
    )


@inlined
def hand_back(out, words, code, place):
    """Append a candidate to ``out``; ``place`` is its layer."""
    last = out.count[0]
    for word in range(3):
        out.words[last, word] = words[word]
    out.codes[last] = code
    out.places[last] = place
    out.count[0] = last + 1


@inlined
def is_full(states, out):
    """Return SET_FULL or OUT_FULL where there is no room for what follows from a state, else 0."""
    if states.counts[0] + MOST_MOVES > room_of(states):
        return SET_FULL
    if out.count[0] + MOST_MOVES > out.codes.size:
        return OUT_FULL
    return FINISHED


@kernel
def expand_layer(t, b, states, out, board, weights, found, layer, first, last):
    """Expand the states of a set from ``first`` to ``last``, which stay as they are.

    All that follows, and is not in the set, is handed back. So several threads may expand parts of
    one set. Returns (FINISHED, OUT_FULL or WON, the first state that is not expanded); the goal is
    the last candidate where it is met in its own layer.
    """
    for number in range(first, last):
        if out.count[0] + MOST_MOVES > out.codes.size:
            return OUT_FULL, number
        words = states.words[number]
        take(t, words[0], words[1], words[2], board)
        here = layer - bound_here(t, b, board, weights)
        moves = list_moves(t, words, board, found)
        look_ahead(states, found, moves)
        place_all(t, b, board, weights, states, found, moves, here)
        for move in range(moves):
            following, code, place = found.words[move], found.codes[move], found.costs[move]
            if not states.slots[find_slot(states, following)]:
                hand_back(out, following, code, place)
                if place == layer and is_won(following):
                    return WON, number
    return FINISHED, last


@kernel
def bring_forward(states, number):
    """Exchange the first ``number`` states that are not expanded with the last ones.

    So those that were met last are expanded next. ``number`` is half of those that are not expanded
    at most.
    """
    first, last = states.counts[1], states.counts[0] - number
    end, mask = states.counts[0] - 1, U64(states.slots.size - 1)
    for _ in range(number):
        prefetch(states.slots, hash_of(states.words[min(first + _AHEAD, end)]) & mask)
        prefetch(states.slots, hash_of(states.words[min(last + _AHEAD, end)]) & mask)
        here = find_slot(states, states.words[first])
        there = find_slot(states, states.words[last])
        take_slot(states, here, states.words[first], last)
        take_slot(states, there, states.words[last], first)
        for word in range(3):
            kept = states.words[first, word]
            states.words[first, word] = states.words[last, word]
            states.words[last, word] = kept
        code = states.codes[first]
        states.codes[first] = states.codes[last]
        states.codes[last] = code
        first += 1
        last += 1


@kernel
def insert_chosen(states, out, place):
    """Add the candidates of a layer that are not in the set; it must have room for them."""
    for number in range(out.count[0]):
        if out.places[number] == place:
            words = out.words[number]
            slot = find_slot(states, words)
            if not states.slots[slot]:
                add_state(states, slot, words, out.codes[number])


@kernel
def close_layer(t, b, states, out, board, weights, found, layer, piece, most):
    """Expand states of the set, in a layer, until all of it are expanded.

    All states of the set are in the ``piece``. At most ``most`` states are expanded. Returns
    FINISHED, PAUSED after ``most`` states, SET_FULL or OUT_FULL where there is no more room, or
    WON: then the last candidate is the goal, and the state that leads to it is not expanded. The
    goal is met in its own layer.
    """
    done = np.int64(0)
    while states.counts[1] < states.counts[0]:
        if done == most:
            return PAUSED
        full = is_full(states, out)
        if full:
            return full
        words = states.words[states.counts[1]]
        take(t, words[0], words[1], words[2], board)
        here = layer - bound_here(t, b, board, weights)
        moves = list_moves(t, words, board, found)
        look_ahead(states, found, moves)
        place_all(t, b, board, weights, states, found, moves, here)
        for number in range(moves):
            following, code = found.words[number], found.codes[number]
            place = found.costs[number]
            slot = find_slot(states, following)
            if states.slots[slot]:
                continue
            own = place == layer and not (piece.stratum and rises(t, code))
            if place == layer and is_won(following):
                hand_back(out, following, code, place)
                return WON
            if own and is_in(piece, following):
                add_state(states, slot, following, code)
            else:
                hand_back(out, following, code, place)
        states.counts[1] += 1
        done += 1
    return FINISHED


@kernel
def digest_of(words):
    """Return the sum (uint64) of the hashes of states (uint64[*, 3]), their public keys."""
    total = U64(0)
    for number in range(words.shape[0]):
        total += hash_words(words[number, 0], words[number, 1], words[number, 2], 3)
    return total


__all__ = [
    "Board",
    "Candidates",
    "Found",
    "Piece",
    "StateSet",
    "close_layer",
    "digest_of",
    "insert",
]
