"""The positions that closed records stand for."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.planes import State, hash_public, moved, take_signature
from dbmsolver.verify.kernels.position_set import insert
from dbmsolver.verify.kernels.record_table import take_apart
from dbmsolver.verify.kernels.words import ALL, ONE, ZERO, count_bits, first_bit
from dbmsolver.verify.places import FREECELL


@kernel
def add_positions(r, states, first, end, table, known, count, digest):
    """Add the positions that records stand for, until there is no more room.

    The records are those of ``states`` from number ``first`` up to ``end``; ``digest[0]`` is their
    sum; ``known`` is the set, of ``count`` positions. Returns (error, number of the next record,
    how many positions there are then).
    """
    f = r.cards
    any_card = f.rules.fillers == ALL
    for number in range(first, end):
        row = states.rows[number]
        error, home, locked = take_signature(f, row[0])
        if error:
            return error, number, count
        error, stuck, in_slots, fix = take_apart(f, home, locked, row[1], row[2], table)
        if error:
            return error, number, count
        here = State(row[0], home, locked, row[1], row[2], ZERO)
        stay = row[1] & ~in_slots
        state = State(row[0], home, locked, row[1], (row[2] & ~in_slots) | stay, ZERO)
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
                    return 0, number, count
                low = state.low | alone
                count = insert(known, count, state.signature, state.off, low)
            if not alone:
                break
            alone = (alone - ONE) & in_slots
        digest[0] += hash_public(f, here)
    return 0, end, count
