"""A depth-first dive over records, in memory: towards a win, or to the end of a small search space.

Records wait in one stack for each *merit*; the record taken next is the last one of the highest merit.  When no record
waits any more, all that can be reached have been expanded: that is a proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.dominance import Scratch, expand_record, make_scratch
from dbmsolver.core.expand import HEIGHTS_ALL_HOME, height, progress, signature_sets
from dbmsolver.core.hashing import HASH
from dbmsolver.core.records import fingerprint
from dbmsolver.jit.decorators import allocating, inlined, kernel

U64 = np.uint64
MOST_MERIT = 1023
RECORD_BYTES = 24 + 4 + 4 + 8
"""Memory that a dive takes for each record it has room for."""

WON, EXHAUSTED, FULL, STOPPED, BROKEN = 0, 1, 2, 3, 4
"""How a dive ends: a win; nothing waits; no room for more records; told to stop; a record that cannot be."""
_LOOK_UP = 1023
"""A dive looks whether it is to stop whenever the number of records expanded has these bits set."""


class Diving(NamedTuple):
    """What a dive remembers."""

    rows: NDArray[np.uint64]  # [records, 3]: signature, off, low
    parents: NDArray[np.int32]  # [records]: the record it comes from, -1 for the deal's
    following: NDArray[np.int32]  # [records]: the next in its stack, -1 for none
    table: NDArray[np.int32]  # [slots]: number of a record, -1 for none
    stacks: NDArray[np.int32]  # [MOST_MERIT + 1]: top of each stack, -1 for none
    stop: NDArray[np.uint8]  # [1]: set by another thread to end the dive
    scratch: Scratch


def make_diving(records: int) -> Diving:
    """Room for a number of records, a power of two: the table has two slots for each."""
    return Diving(
        rows=np.empty((records, 3), np.uint64),
        parents=np.empty(records, np.int32),
        following=np.empty(records, np.int32),
        table=np.empty(2 * records, np.int32),
        stacks=np.empty(MOST_MERIT + 1, np.int32),
        stop=np.zeros(1, np.uint8),
        scratch=make_scratch(),
    )


@inlined
def row_hash(signature, off, low):
    """Hash of a record."""
    word = (signature * HASH) ^ (off * U64(0xD6E8FEB86659FD93)) ^ (low * U64(0xA0761D6478BD642F))
    word ^= word >> U64(32)
    return word * HASH


@kernel
def dive(
    t, d, signature, off, low, locked_in_deal, most, progress_weight, free_weight, home_weight
):
    """Dive from a normalised record, the first row, with room for ``most`` records.

    A record's merit is the weighted sum of its progress, its free slots and the cards home.  Returns (outcome, records
    found, records expanded); a win is the last row.
    """
    rows = d.rows
    found = d.scratch.found
    slots = 2
    while slots < 2 * most:
        slots *= 2
    mask = slots - 1
    d.table[:slots] = -1
    d.stacks[:] = -1
    rows[0, 0], rows[0, 1], rows[0, 2] = signature, off, low
    d.parents[0] = -1
    d.following[0] = -1
    d.stacks[0] = 0
    d.table[np.int64(row_hash(signature, off, low) >> U64(20)) & mask] = 0
    count = 1
    expanded = 0
    if signature == HEIGHTS_ALL_HOME:
        return WON, count, expanded
    best = 0
    while best >= 0:
        current = np.int64(d.stacks[best])
        if current < 0:
            best -= 1
            continue
        d.stacks[best] = d.following[current]
        own = rows[current, 0]
        sets = signature_sets(t, own)
        successors = expand_record(t, sets, rows[current, 1], rows[current, 2], d.scratch)
        expanded += 1
        if successors < 0:
            return BROKEN, count, expanded
        if expanded & _LOOK_UP == _LOOK_UP and d.stop[0]:
            return STOPPED, count, expanded
        for index in range(successors - 1, -1, -1):
            signature, off, low = found[index, 0], found[index, 1], found[index, 2]
            slot = np.int64(row_hash(signature, off, low) >> U64(20)) & mask
            while True:
                other = np.int64(d.table[slot])
                if other < 0:
                    break
                if rows[other, 0] == signature and rows[other, 1] == off and rows[other, 2] == low:
                    break
                slot = (slot + 1) & mask
            if other >= 0:
                continue
            if count == most:
                return FULL, count, expanded
            rows[count, 0], rows[count, 1], rows[count, 2] = signature, off, low
            d.parents[count] = current
            d.table[slot] = count
            home = height(signature, 0) + height(signature, 1)
            home += height(signature, 2) + height(signature, 3)
            merit = progress_weight * progress(t, signature, locked_in_deal)
            merit += free_weight * np.int64(found[index, 3]) + home_weight * home
            merit = min(merit, MOST_MERIT)
            d.following[count] = d.stacks[merit]
            d.stacks[merit] = count
            best = max(best, merit)
            count += 1
            if signature == HEIGHTS_ALL_HOME:
                return WON, count, expanded
    return EXHAUSTED, count, expanded


@allocating
def fingerprints(rows):
    """The fingerprint of each row (uint64): what its successors are stored with."""
    result = np.empty(rows.shape[0], np.uint64)
    for index in range(rows.shape[0]):
        result[index] = U64(fingerprint(rows[index, 0], rows[index, 1], rows[index, 2]))
    return result
