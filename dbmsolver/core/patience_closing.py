"""Klondike and its relatives: the set of states that is being closed, and the kernel that does it.

The states of a set stand in the order in which they were met; those before ``head`` are expanded.
What follows from them either belongs to the set, and is met, or is handed back as a *candidate*: in
a proof what has another stratum, in a search for a shortest solution what has another layer. Where
a set does not fit into the memory it is closed in *pieces* (:class:`Piece`), one after the other,
and what has another piece is a candidate, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.bits import multiply_high
from dbmsolver.core.digest import hash_words
from dbmsolver.core.patience import list_moves, take
from dbmsolver.core.patience_bound import is_won, lower_bound, rises
from dbmsolver.core.patience_tables import MOST_MOVES, PER_WORD, Board, Found, Ints, Words
from dbmsolver.core.tables import CARDS
from dbmsolver.jit.decorators import inlined, kernel

U64 = np.uint64
ONE = np.uint64(1)

FINISHED, SET_FULL, OUT_FULL, PAUSED, WON = 0, 1, 2, 3, 4
"""Why :func:`close` returns."""


class StateSet(NamedTuple):
    """States and a hash table of their places."""

    words: Words  # [room, 3]
    codes: NDArray[np.uint16]  # [room]
    slots: NDArray[np.int32]  # [2**n]: a state's place plus one, 0 where free
    counts: Ints  # [2]: states, and how many of them are expanded


class Candidates(NamedTuple):
    """What follows from expanded states, and belongs elsewhere."""

    words: Words  # [room, 3]
    codes: NDArray[np.uint16]  # [room]
    places: Ints  # [room]: strata or layers
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
    """The piece that all states belong to."""
    return Piece(np.zeros(3, np.uint64), np.zeros(3, np.uint64), stratum)


def make_set(room: int) -> StateSet:
    """An empty set with room for so many states."""
    return StateSet(
        words=np.zeros((room, 3), np.uint64),
        codes=np.zeros(room, np.uint16),
        slots=np.zeros(1 << (2 * room - 1).bit_length(), np.int32),
        counts=np.zeros(2, np.int64),
    )


def make_candidates(room: int) -> Candidates:
    """Room for so many candidates, and the moves of one state."""
    room += MOST_MOVES
    return Candidates(
        words=np.zeros((room, 3), np.uint64),
        codes=np.zeros(room, np.uint16),
        places=np.zeros(room, np.int64),
        count=np.zeros(1, np.int64),
    )


def larger(old: StateSet, room: int) -> StateSet:
    """The same set with more room."""
    new = make_set(room)
    size = int(old.counts[0])
    new.words[:size] = old.words[:size]
    new.codes[:size] = old.codes[:size]
    new.counts[:] = old.counts
    fill_slots(new)
    return new


@inlined
def slot_of(words, mask):
    """Where a state's place is looked for first."""
    mixed = words[0] * U64(0x9E3779B97F4A7C15) ^ words[1] * U64(0xC2B2AE3D27D4EB4F)
    mixed ^= words[2] * U64(0x165667B19E3779F9)
    mixed ^= multiply_high(mixed, U64(0xD6E8FEB86659FD93))
    return mixed & mask


@inlined
def find_slot(states, words):
    """The slot (uint64) of a state, or the free one where it belongs."""
    mask = U64(states.slots.size - 1)
    slot = slot_of(words, mask)
    while states.slots[slot]:
        place = states.slots[slot] - 1
        if (
            states.words[place, 0] == words[0]
            and states.words[place, 1] == words[1]
            and states.words[place, 2] == words[2]
        ):
            break
        slot = (slot + ONE) & mask
    return slot


@kernel
def fill_slots(states):
    """Make the hash table anew."""
    states.slots[:] = 0
    for place in range(states.counts[0]):
        slot = find_slot(states, states.words[place])
        states.slots[slot] = place + 1


@kernel
def insert(states, words, codes):
    """Add states (uint64[*, 3]) that are not in the set; it must have room for them."""
    for number in range(words.shape[0]):
        slot = find_slot(states, words[number])
        if not states.slots[slot]:
            size = states.counts[0]
            for word in range(3):
                states.words[size, word] = words[number, word]
            states.codes[size] = codes[number]
            states.counts[0] = size + 1
            states.slots[slot] = size + 1


@inlined
def stratum_of(t, words):
    """How many cards have left stock, waste and reserve, plus how many are turned up."""
    count = np.int64(0)
    for card in range(CARDS):
        digit = (words[card // PER_WORD] >> U64(3 * (card % PER_WORD))) & U64(7)
        if t.bits[card] >= 0 and digit:
            count += 1
    return count


@kernel
def places_of(t, words, board, layered, found):
    """Write each state's stratum or, where ``layered``, lower bound to ``found`` (int64[*])."""
    for number in range(words.shape[0]):
        if layered:
            take(t, words[number, 0], words[number, 1], words[number, 2], board)
            found[number] = lower_bound(t, board)
        else:
            found[number] = stratum_of(t, words[number])


@inlined
def is_in(piece, words):
    """Whether a state has the bits of a piece."""
    return (
        words[0] & piece.masks[0] == piece.values[0]
        and words[1] & piece.masks[1] == piece.values[1]
        and words[2] & piece.masks[2] == piece.values[2]
    )


@kernel
def close(t, states, out, board, found, layer, piece, most):
    """Expand states of the set until none is left that is not.

    ``layer`` is the layer that is being closed, -1 in a proof. All states of the set are in the
    ``piece``. At most ``most`` states are
    expanded. Returns FINISHED, PAUSED after so many, SET_FULL or OUT_FULL where there is no more
    room, or WON: then the last candidate is the goal, and the state that leads to it is not
    expanded. In a search for a shortest solution the goal is met in its own layer.
    """
    done = np.int64(0)
    while states.counts[1] < states.counts[0]:
        if done == most:
            return PAUSED
        if states.counts[0] + MOST_MOVES > states.codes.size:
            return SET_FULL
        if out.count[0] + MOST_MOVES > out.codes.size:
            return OUT_FULL
        words = states.words[states.counts[1]]
        take(t, words[0], words[1], words[2], board)
        here = layer - lower_bound(t, board) if layer >= 0 else stratum_of(t, words)
        moves = list_moves(t, words, board, found)
        for number in range(moves):
            following = found.words[number]
            upwards = rises(t, found.codes[number])
            if layer >= 0:
                take(t, following[0], following[1], following[2], board)
                place = here + found.costs[number] + lower_bound(t, board)
                won = is_won(following) and place == layer
                own = place == layer and not (upwards and piece.stratum)
            else:
                own = not upwards
                place = here if own else here + 1
                won = is_won(following)
            slot = find_slot(states, following)
            if states.slots[slot]:
                continue
            own = own and is_in(piece, following)
            if won or not own:
                last = out.count[0]
                for word in range(3):
                    out.words[last, word] = following[word]
                out.codes[last] = found.codes[number]
                out.places[last] = place
                out.count[0] = last + 1
                if won:
                    return WON
                continue
            size = states.counts[0]
            for word in range(3):
                states.words[size, word] = following[word]
            states.codes[size] = found.codes[number]
            states.counts[0] = size + 1
            states.slots[slot] = size + 1
        states.counts[1] += 1
        done += 1
    return FINISHED


@kernel
def digest_of(words):
    """Digest (uint64): the sum of the hashes of states (uint64[*, 3]), their public keys."""
    total = U64(0)
    for number in range(words.shape[0]):
        total += hash_words(words[number, 0], words[number, 1], words[number, 2], 3)
    return total


__all__ = ["Board", "Candidates", "Found", "Piece", "StateSet", "close", "digest_of", "insert"]
