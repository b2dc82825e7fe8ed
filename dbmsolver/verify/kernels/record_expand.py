"""Closed records one by one: laid out, found to be normal, and their successors written as rows."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.board import ALL_HOME
from dbmsolver.verify.kernels.expand import GOAL, Here, words_of
from dbmsolver.verify.kernels.partition import known_run
from dbmsolver.verify.kernels.planes import State, hash_public, same_state, take_signature
from dbmsolver.verify.kernels.record_macros import list_attempts, list_macros
from dbmsolver.verify.kernels.record_results import Record, carry_out, normal_form, take_back
from dbmsolver.verify.kernels.record_table import MOST_MACROS, take_apart
from dbmsolver.verify.kernels.rows import write_row
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, hash_state

NOT_NORMAL = 16
TOO_MANY_MACROS = 17


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

    Segments are int64[*, 5]: run, first state, count, layer, block.

    Returns an error, and the record's number in ``work.place[3]``.
    """
    place = work.place
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
            here = Here(State(signature, home, locked, off, low, ZERO), run, number, 0, 0)
            error, macros, record, fix = lay_record(f, here.state, table)
            if error:
                return error
            if written + macros > work.rows.shape[0]:
                place[2] = written
                return 0
            place[1] += 1
            work.counts[segments[place[0], 3], 0] += 1
            work.digest[0] += hash_public(f, here.state)
            error, written = write_results(
                f, index, task, here, without_fix(record, fix), macros, table, work, written
            )
            if error:
                return error
        place[0] += 1
        place[1] = 0
    place[2] = written
    return 0


@inlined
def lay_record(f, state, table):
    """Lay a record out, and list its macros: (error, their number, the record, its ``fix``)."""
    error, stuck, slots, fix = take_apart(
        f, state.home, state.locked, state.off, state.low, table
    )  # fmt: skip
    record = Record(state, 0, stuck, stuck, slots, top_cards(stuck, table))
    if error:
        return error, 0, record, fix
    if state.signature & U64(0xFFFF) == ALL_HOME:
        return GOAL, 0, record, fix
    attempts = list_attempts(f, state.signature, stuck, slots, fix, table)
    macros = list_macros(f, stuck, slots, fix, attempts, table)
    return TOO_MANY_MACROS if macros > MOST_MACROS else 0, macros, record, fix


@inlined
def without_fix(record, fix):
    """Return a record whose words lack the cards of ``fix``."""
    state = record.state
    state = State(
        state.signature, state.home, state.locked, state.off, state.low & ~fix, state.high
    )  # fmt: skip
    return Record(state, 0, record.used, record.stuck, record.slots, record.tops)


@inlined
def write_results(f, index, task, here, record, macros, table, work, written):
    """Write a row for each result of a record's macros: (error, rows written)."""
    origin = U64(task.base + here.number)
    for macro in range(macros):
        after = record
        if macro:
            after = carry_out(f, table.macros[macro], record, table)
        state, steps = normal_form(f, after, table.fixes[macro], table)
        take_back(table, steps, record.stuck)
        same = same_state(state, here.state)
        if macro == 0:
            if not same:
                return NOT_NORMAL, written
            continue
        if same or is_recent(state, table):
            continue
        target = here.run
        if state.signature != here.state.signature:
            target = known_run(index, state.signature, work.recent)
        write_row(index, task, work.rows, written, target, ALL, words_of(state), origin)
        written += 1
    return 0, written


@inlined
def is_recent(state, table):
    """Return True if a row has been written for a record of late; note it if not."""
    hashed = np.int64(hash_state(state.signature, state.off, state.low, ZERO) & U64(0xFFF))
    seen = table.recent[hashed]
    if seen[0] == state.signature and seen[1] == state.off and seen[2] == state.low:
        return True
    seen[0], seen[1], seen[2] = state.signature, state.off, state.low
    return False


@kernel
def first_record(f, words, fix, table, found):
    """Write the normal form of a record to ``found``; return an error, 0 for none.

    ``words`` and ``found`` are uint64[3]: signature, off, low. The record's cards of ``fix`` are
    not in its planes.
    """
    error, home, locked = take_signature(f, words[0])
    if error:
        return error
    error, stuck, slots, _ = take_apart(f, home, locked, words[1], words[2], table)
    if error:
        return error
    state = State(words[0], home, locked, words[1], words[2], ZERO)
    record = Record(state, 0, stuck, stuck, slots, top_cards(stuck, table))
    state, steps = normal_form(f, record, fix, table)
    take_back(table, steps, stuck)
    found[0], found[1], found[2] = state.signature, state.off, state.low
    return 0
