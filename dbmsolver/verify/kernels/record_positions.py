"""The positions that the closed records of a partition stand for."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.planes import State, hash_public, moved, take_signature
from dbmsolver.verify.kernels.position_set import insert
from dbmsolver.verify.kernels.record_table import take_apart
from dbmsolver.verify.kernels.words import ALL, ONE, ZERO, count_bits, first_bit
from dbmsolver.verify.places import FREECELL


@kernel
def add_positions(f, signatures, partition, segments, table, place, known, count, total, digest):
    """Add the positions that a partition's records stand for, until there is no more room.

    Begins at ``place`` (int64[2]: segment, record in it) and moves it on. ``total[0]`` counts the
    records, ``digest[0]`` is their sum; ``known`` is the set. Returns (error, how many positions
    there are then).
    """
    any_card = f.rules.fillers == ALL
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
            here = State(signature, home, locked, key_off, key_low, ZERO)
            stay = key_off & ~in_slots
            state = State(signature, home, locked, key_off, (key_low & ~in_slots) | stay, ZERO)
            rest = in_slots & locked
            while rest:
                state = moved(f, state, first_bit(rest), FREECELL)
                rest &= rest - ONE
            spaces = f.rules.columns - stuck if any_card else 0
            many = count_bits(in_slots)
            alone = in_slots
            while True:
                in_columns = count_bits(alone)
                fits = in_columns <= spaces and many - in_columns <= f.rules.freecells
                if fits and not fix & ~alone:
                    if count == known.states.shape[0]:
                        return 0, count
                    low = state.low | alone
                    count = insert(known, count, state.signature, state.off, low)
                if not alone:
                    break
                alone = (alone - ONE) & in_slots
            place[1] += 1
            total[0] += 1
            digest[0] += hash_public(f, here)
        place[0] += 1
        place[1] = 0
    return 0, count
