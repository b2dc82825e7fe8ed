"""Closed records one by one: laid out, found to be normal, and their successors written as rows."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.expand import GOAL, hash_public
from dbmsolver.verify.kernels.partition import known_run
from dbmsolver.verify.kernels.planes import State, take_signature
from dbmsolver.verify.kernels.record_macros import list_attempts, list_macros
from dbmsolver.verify.kernels.record_results import carry_out, normal_form, take_back
from dbmsolver.verify.kernels.record_table import MOST_MACROS, take_apart
from dbmsolver.verify.kernels.rows import write_row
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, hash_state

NOT_NORMAL = 16
TOO_MANY_MACROS = 17
_HOME = np.uint64(0xDDDD)


@inlined
def top_cards(stuck, table):
    """Return the last cards of the columns; note their lengths, to be taken back to."""
    tops = ZERO
    for number in range(stuck):
        length = table.lengths[number]
        table.whole[number] = length
        tops |= ONE << U64(table.stacks[number, length - 1])
    return tops


@kernel
def expand_records(f, index, task, partition, segments, table, work):
    """Check records of a partition, from ``work.place`` on, until rows run out.

    Segments are int64[*, 4]: run, first state, count, layer.

    Returns an error, and the record's number in ``work.place[3]``.
    """
    rows, place = work.rows, work.place
    written = 0
    # Rows that were written are looked up by whoever calls: the same row need not be written again.
    table.recent[:] = ZERO
    while place[0] < segments.shape[0]:
        run, first, count = segments[place[0], 0], segments[place[0], 1], segments[place[0], 2]
        signature = index.signatures[run]
        error, home, locked = take_signature(f, signature)
        if error:
            place[3] = first
            return error
        while place[1] < count:
            number = first + place[1]
            place[3] = number
            off, low = partition.planes[2 * number], partition.planes[2 * number + 1]
            error, stuck, slots, fix = take_apart(f, home, locked, off, low, table)
            if error:
                return error
            if signature & U64(0xFFFF) == _HOME:
                return GOAL
            attempts = list_attempts(f, signature, stuck, slots, fix, table)
            macros = list_macros(f, stuck, slots, fix, attempts, table)
            if macros > MOST_MACROS:
                return TOO_MANY_MACROS
            if written + macros > rows.shape[0]:
                place[2] = written
                return 0
            place[1] += 1
            work.tally[segments[place[0], 3], 0] += 1
            work.digest[0] += hash_public(f, State(signature, home, locked, off, low, ZERO))
            origin = U64(task.base + number)
            tops = top_cards(stuck, table)
            for macro in range(macros):
                macro_row = table.macros[macro]
                steps, used, left, others, after, word, held, new_off, new_low = carry_out(
                    f, macro_row, stuck, slots, tops, signature, locked, off, low & ~fix, table
                )
                steps, word, new_off, new_low = normal_form(
                    f, steps, used, left, others, after, table.fixes[macro], word, held,
                    new_off, new_low, table,
                )  # fmt: skip
                take_back(table, steps, stuck)
                same = word == signature and new_off == off and new_low == low
                if macro == 0:
                    if not same:
                        return NOT_NORMAL
                    continue
                if same:
                    continue
                hashed = np.int64(hash_state(word, new_off, new_low, ZERO) & U64(0xFFF))
                seen = table.recent[hashed]
                if seen[0] == word and seen[1] == new_off and seen[2] == new_low:
                    continue
                seen[0], seen[1], seen[2] = word, new_off, new_low
                target = run
                if word != signature:
                    target = known_run(index, word, work.recent)
                words = word, new_off, new_low, ZERO
                write_row(index, task, rows, written, target, ALL, words, origin)
                written += 1
        place[0] += 1
        place[1] = 0
    place[2] = written
    return 0


@kernel
def first_record(f, signature, off, low, fix, table, found):
    """Write the normal form of a record to ``found``; return an error, 0 for none.

    ``found`` is uint64[3]: signature, off, low. The record's cards of ``fix`` are not in its
    planes.
    """
    error, home, locked = take_signature(f, signature)
    if error:
        return error
    error, stuck, slots, _ = take_apart(f, home, locked, off, low, table)
    if error:
        return error
    tops = top_cards(stuck, table)
    steps, word, new_off, new_low = normal_form(
        f, 0, stuck, stuck, slots, tops, fix, signature, locked, off, low, table
    )
    take_back(table, steps, stuck)
    found[0], found[1], found[2] = word, new_off, new_low
    return 0
