"""Klondike and its relatives: sets of states in memory, as beams keep them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.bits import multiply_high, prefetch
from dbmsolver.kits.klondike.tables import Ints, Words

U64 = np.uint64
ONE = np.uint64(1)


class StateSet(NamedTuple):
    """States and a hash table of their places.

    A slot is 0 where it is free. Its lower n bits are else a state's place plus one, the others are
    bits of the state's hash: few states whose hash is another one have to be looked at. Three
    quarters of the slots are taken at most.
    """

    words: Words  # [*, 3]
    codes: NDArray[np.uint16]  # [*]
    slots: NDArray[np.uint32]  # [2**n]
    counts: Ints  # [1]: states


def make_set(room: int) -> StateSet:
    """Return an empty set with room for ``room`` states."""
    least = 4 * -(-room // 3)
    return StateSet(
        words=zeros(3 * room, np.uint64).reshape(room, 3),
        codes=zeros(room, np.uint16),
        slots=zeros(1 << max(2, (least - 1).bit_length()), np.uint32),
        counts=np.zeros(1, np.int64),
    )


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
def add_state(states, slot, words, code):
    """Add a state that is not in the set, to the slot that was found for it."""
    size = states.counts[0]
    for word in range(3):
        states.words[size, word] = words[word]
    states.codes[size] = code
    states.counts[0] = size + 1
    upper = upper_bits(hash_of(words), U64(states.slots.size - 1))
    states.slots[slot] = np.uint32(U64(size + 1) | upper)
