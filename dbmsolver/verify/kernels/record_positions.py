"""The positions that the closed records of a partition stand for."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.kernels.expand import hash_public
from dbmsolver.verify.kernels.planes import State, take_signature
from dbmsolver.verify.kernels.position_set import insert, pack
from dbmsolver.verify.kernels.record_table import take_apart
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits


@kernel
def add_positions(
    f, signatures, partition, segments, table, place, states, slots, count, tally, digest
):
    """Add the positions that a partition's records stand for, until there is no more room.

    Begins at ``place`` (int64[2]: segment, record in it) and moves it on. ``tally[0]`` counts the
    records, ``digest[0]`` is their sum. Returns (error, how many positions there are then).
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
            off = low = dealt = ZERO
            for column in range(stuck):
                for depth in range(table.lengths[column]):
                    card = table.stacks[column, depth]
                    bit = ONE << U64(card)
                    if depth == 0:
                        if f.rules.fillers & bit:
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
            spaces = f.rules.columns - stuck if any_card else 0
            many = count_bits(in_slots)
            alone = in_slots
            while True:
                in_columns = count_bits(alone)
                fits = in_columns <= spaces and many - in_columns <= f.rules.freecells
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
            digest[0] += hash_public(f, State(signature, home, locked, key_off, key_low, ZERO))
        place[0] += 1
        place[1] = 0
    return 0, count
