"""Closed records one by one: laid out, found to be normal, and their successors written as rows."""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.board import ALL_HOME
from dbmsolver.verify.kernels.errors import GOAL, NOT_NORMAL, TOO_MANY_MACROS
from dbmsolver.verify.kernels.expand import Seen, write, wrong
from dbmsolver.verify.kernels.planes import State, hash_public, same_state, take_signature
from dbmsolver.verify.kernels.record_macros import list_attempts, list_macros
from dbmsolver.verify.kernels.record_results import Record, carry_out, normal_form, take_back
from dbmsolver.verify.kernels.record_table import MOST_MACROS, take_apart
from dbmsolver.verify.kernels.words import ONE, U64, ZERO


@inlined
def top_cards(stuck, table):
    """Return the last cards of the columns; note their lengths, to be taken back to."""
    tops = ZERO
    for number in range(stuck):
        length = table.lengths[number]
        table.whole[number] = length
        tops |= ONE << U64(table.stacks[number, length - 1])
    return tops


@inner
def take_cards(r, signature, table):
    """Return (error, (home cards, locked cards)) of a signature."""
    error, home, locked = take_signature(r.cards, signature)
    return error, (home, locked)


@inner
def expand_record(r, sets, row, layer, table, after, end):
    """Lay a record out, and list the normal forms of what its macros lead to."""
    f, state = r.cards, State(row[0], sets[0], sets[1], row[1], row[2], ZERO)
    error, macros, record, fix = lay_record(f, state, table)
    if error:
        return wrong(error, end)
    error, end = write_results(f, state, without_fix(record, fix), macros, table, after, end)
    return Seen(error, False, hash_public(f, state), end)


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
def write_results(f, here, record, macros, table, after, end):
    """Write the results of a record's macros: (error, the end of the list)."""
    first = end
    for macro in range(macros):
        result = record
        if macro:
            result = carry_out(f, table.macros[macro], record, table)
        state, steps = normal_form(f, result, table.fixes[macro], table)
        take_back(table, steps, record.stuck)
        same = same_state(state, here)
        if macro == 0:
            if not same:
                return NOT_NORMAL, first
        elif not same:
            write(after, end, state, 0, 0)
            end += 1
    return 0, end


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
