"""A set of positions and the plain moves between them: nothing but the rules of the game.

A position is three words with a bit for each card: ``off`` and ``low`` as in a key (on its first or
second legal parent: off 0, low 0 or 1; in a freecell 1, 0; at the bottom of a column 1, 1), and
``dealt`` for a card that lies where it was dealt and where no move could put it. Above them are the
heights of the foundations: of the first three suits in ``dealt``, of the fourth in ``low``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from dbmsolver.verify.kernels.arrange import take_signature
from dbmsolver.verify.kernels.expand import hash_public
from dbmsolver.verify.kernels.partition import slot_of
from dbmsolver.verify.kernels.record_table import take_apart
from dbmsolver.verify.kernels.rules import safe_card
from dbmsolver.verify.kernels.words import (
    ALL,
    ONE,
    U64,
    ZERO,
    count_bits,
    fetch,
    first_bit,
    hash_state,
    height_of,
)

MOST_MOVES = 256
"""Moves that one position may have."""
GOAL_REACHED = 20
MOVE_LEADS_OUT = 21
_TOP = np.uint64(52)


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def pack(heights, off, low, dealt):  # type: ignore[no-untyped-def]
    """The three words of a position."""
    return off, low | ((heights >> U64(12)) << _TOP), dealt | ((heights & U64(0xFFF)) << _TOP)


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def unpack(first, second, third):  # type: ignore[no-untyped-def]
    """(heights, off, low, dealt) of three words."""
    heights = (third >> _TOP) | ((second >> _TOP) << U64(12))
    return heights, first, second & ALL, third & ALL


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def seek(states, slots, first, second, third):  # type: ignore[no-untyped-def]
    """(number of a position plus one, its slot): 0 and an empty slot if it is not in the set."""
    slot = slot_of(hash_state(third, first, second, ZERO), slots)
    while slots[slot]:
        number = np.int64(slots[slot]) - 1
        if (
            states[number, 0] == first
            and states[number, 1] == second
            and states[number, 2] == third
        ):
            return number + 1, slot
        slot += 1
        if slot == slots.size:
            slot = 0
    return np.int64(0), slot


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def insert(states, slots, count, first, second, third):  # type: ignore[no-untyped-def]
    """Add a position, if it is new and there is room; how many there are then."""
    found, slot = seek(states, slots, first, second, third)
    if found:
        return count
    states[count, 0], states[count, 1], states[count, 2] = first, second, third
    slots[slot] = np.uint32(count + 1)
    return count + 1


@njit(nogil=True, cache=True, _nrt=False)
def enter_all(states, slots, count):  # type: ignore[no-untyped-def]
    """Fill an empty hash table with the first ``count`` positions, all of them different."""
    for number in range(count):
        hashed = hash_state(states[number, 2], states[number, 0], states[number, 1], ZERO)
        slot = slot_of(hashed, slots)
        while slots[slot]:
            slot += 1
            if slot == slots.size:
                slot = 0
        slots[slot] = np.uint32(number + 1)


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def beneath(f, off, low, dealt, card):  # type: ignore[no-untyped-def]
    """The card under a card that is not home, -1 for none."""
    bit = ONE << U64(card)
    if dealt & bit:
        return f.dealt_under[card]
    if off & bit:
        return -1
    kind = 1 if low & bit else 0
    return (card ^ f.kinds[kind]) + 4


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def exposed_cards(f, heights, off, low, dealt):  # type: ignore[no-untyped-def]
    """(cards that are free to move, columns in use)."""
    playing = ZERO
    for suit in range(4):
        for rank in range(height_of(heights, suit), 13):
            playing |= ONE << U64(4 * rank + suit)
    columns = count_bits(off & low)
    covered = ZERO
    rest = playing & ~off
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = beneath(f, off, low, dealt, card)
        if under >= 0:
            covered |= ONE << U64(under)
        else:
            columns += 1
    return playing & ~covered, columns


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def settle(f, heights, off, low, dealt, exposed):  # type: ignore[no-untyped-def]
    """The position once all safe moves home are made: (safe moves, heights, off, low, dealt)."""
    made = 0
    while True:
        card = safe_card(f, heights, exposed)
        if card < 0:
            return made, heights, off, low, dealt
        made += 1
        bit = ONE << U64(card)
        under = beneath(f, off, low, dealt, card)
        exposed &= ~bit
        if under >= 0:
            exposed |= ONE << U64(under)
        heights += ONE << U64(4 * (card & 3))
        off &= ~bit
        low &= ~bit
        dealt &= ~bit


@njit(nogil=True, cache=True, _nrt=False)
def stand_for(
    f, signatures, partition, segments, table, place, states, slots, count, tally, digest
):  # type: ignore[no-untyped-def]
    """Add the positions that a partition's records stand for, from ``place`` (int64[2]: segment,
    record in it) on, until there is no more room: (error, how many positions there are then).
    """
    any_card = f.fillers == ALL
    while place[0] < segments.shape[0]:
        first, number = segments[place[0], 1], segments[place[0], 2]
        signature = signatures[segments[place[0], 0]]
        error, home, locked = take_signature(f, signature)
        if error:
            return error, count
        while place[1] < number:
            at = first + place[1]
            key_off, key_low = partition.planes[2 * at], partition.planes[2 * at + 1]
            error, stuck, in_slots, fix = take_apart(f, home, locked, key_off, key_low, table)
            if error:
                return error, count
            off = low = dealt = ZERO
            for column in range(stuck):
                for depth in range(table.lengths[column]):
                    card = table.stacks[column, depth]
                    bit = ONE << U64(card)
                    if depth == 0:
                        if f.fillers & bit:
                            off |= bit
                            low |= bit
                        else:
                            dealt |= bit
                        continue
                    under = table.stacks[column, depth - 1]
                    kind = 0
                    while kind < f.kinds.size and (card ^ f.kinds[kind]) + 4 != under:
                        kind += 1
                    if kind == f.kinds.size:
                        dealt |= bit
                    elif kind:
                        low |= bit
            heights = signature & U64(0xFFFF)
            spaces = f.columns - stuck if any_card else 0
            many = count_bits(in_slots)
            alone = in_slots
            while True:
                in_columns = count_bits(alone)
                fits = in_columns <= spaces and many - in_columns <= f.freecells
                if fits and not fix & ~alone:
                    if count == states.shape[0]:
                        return 0, count
                    words = pack(heights, off | in_slots, low | alone, dealt)
                    count = insert(states, slots, count, words[0], words[1], words[2])
                if not alone:
                    break
                alone = (alone - ONE) & in_slots
            place[1] += 1
            tally[0] += 1
            digest[0] += hash_public(f, signature, home | locked, key_off, key_low, ZERO)
        place[0] += 1
        place[1] = 0
    return 0, count


@njit(nogil=True, cache=True, _nrt=False)
def park(f, states, slots, done, most, count):  # type: ignore[no-untyped-def]
    """Add whatever one parking move leads to from the positions ``done`` to ``most``, until there
    is no more room: (positions done, how many there are).

    Parking moves a card that is free to move to an empty freecell, or to an empty column if that
    takes any card.
    """
    any_card = f.fillers == ALL
    while done < most:
        if count + MOST_MOVES > states.shape[0]:
            return done, count
        heights, off, low, dealt = unpack(states[done, 0], states[done, 1], states[done, 2])
        exposed, columns = exposed_cards(f, heights, off, low, dealt)
        cells = off & ~low
        to_cell = count_bits(cells) < f.freecells
        to_column = any_card and columns < f.columns
        rest = exposed if to_column else exposed & ~cells
        if not to_cell and not to_column:
            rest = ZERO
        while rest:
            card = first_bit(rest)
            bit = ONE << U64(card)
            rest &= rest - ONE
            if to_cell and not cells & bit:
                words = pack(heights, off | bit, low & ~bit, dealt & ~bit)
                count = insert(states, slots, count, words[0], words[1], words[2])
            if to_column:
                words = pack(heights, off | bit, low | bit, dealt & ~bit)
                count = insert(states, slots, count, words[0], words[1], words[2])
        done += 1
    return done, count


@njit(nogil=True, cache=True, _nrt=False)
def check_moves(f, states, slots, first, last, found, wrong):  # type: ignore[no-untyped-def]
    """Check the positions ``first`` to ``last``: an error, 0 if there is none.

    No position is a goal. Where a safe move home can be made, the position after all of them is in
    the set; elsewhere, for each legal move, the position after it and all safe moves is. ``found``
    (uint64[MOST_MOVES, 3]) is scratch memory; ``wrong`` (uint64[2, 3]) gets the position that is
    wrong, and what it leads to.
    """
    for number in range(first, last):
        heights, off, low, dealt = unpack(states[number, 0], states[number, 1], states[number, 2])
        for word in range(3):
            wrong[0, word] = states[number, word]
        if heights == U64(0xDDDD):
            return GOAL_REACHED
        count = 0
        exposed, columns = exposed_cards(f, heights, off, low, dealt)
        made, height_bits, new_off, new_low, new_dealt = settle(
            f, heights, off, low, dealt, exposed
        )
        cells = off & ~low
        tops = exposed & ~cells
        room = count_bits(cells) < f.freecells
        rest = exposed
        if made:
            count = write(found, count, height_bits, new_off, new_low, new_dealt)
            rest = ZERO
        while rest:
            card = first_bit(rest)
            bit = ONE << U64(card)
            rest &= rest - ONE
            bare_off, bare_low, bare_dealt = off & ~bit, low & ~bit, dealt & ~bit
            after = exposed
            under = beneath(f, off, low, dealt, card)
            if under >= 0:
                after |= ONE << U64(under)
            # 0: home; 1 and 2: onto a legal parent; 3: to a freecell; 4: to an empty column.
            for way in range(5):
                height_bits, new_off, new_low, then = heights, bare_off, bare_low, after
                if way == 0:
                    if height_of(heights, card & 3) != card >> 2:
                        continue
                    height_bits += ONE << U64(4 * (card & 3))
                    then &= ~bit
                elif way < 3:
                    if way > f.kinds.size or card >= 48:
                        continue
                    parent = ONE << U64((card ^ f.kinds[way - 1]) + 4)
                    if not tops & parent:
                        continue
                    if way == 2:
                        new_low |= bit
                    then &= ~parent
                elif way == 3:
                    if cells & bit or not room:
                        continue
                    new_off |= bit
                else:
                    alone = (tops & bit) != ZERO and under < 0
                    if alone or columns == f.columns or not f.fillers & bit:
                        continue
                    new_off |= bit
                    new_low |= bit
                _, height_bits, new_off, new_low, new_dealt = settle(
                    f, height_bits, new_off, new_low, bare_dealt, then
                )
                count = write(found, count, height_bits, new_off, new_low, new_dealt)
        for place in range(count):
            words = found[place]
            fetch(slots, slot_of(hash_state(words[2], words[0], words[1], ZERO), slots))
        for place in range(count):
            words = found[place]
            known, _ = seek(states, slots, words[0], words[1], words[2])
            if not known:
                for word in range(3):
                    wrong[1, word] = words[word]
                return MOVE_LEADS_OUT
    return 0


@njit(nogil=True, cache=True, forceinline=True, no_cpython_wrapper=True, _nrt=False)
def write(found, count, heights, off, low, dealt):  # type: ignore[no-untyped-def]
    """Note a position to be looked up; how many there are then."""
    words = pack(heights, off, low, dealt)
    found[count, 0], found[count, 1], found[count, 2] = words
    return count + 1


@njit(nogil=True, cache=True, _nrt=False)
def settled_position(f, heights, off, low, dealt, found):  # type: ignore[no-untyped-def]
    """A position after its safe moves, into ``found`` (uint64[3])."""
    exposed, _ = exposed_cards(f, heights, off, low, dealt)
    _, heights, off, low, dealt = settle(f, heights, off, low, dealt, exposed)
    found[0], found[1], found[2] = pack(heights, off, low, dealt)


@njit(nogil=True, cache=True, _nrt=False)
def contains(states, slots, words):  # type: ignore[no-untyped-def]
    """Whether a position (uint64[3]) is in the set."""
    return seek(states, slots, words[0], words[1], words[2])[0] > 0
