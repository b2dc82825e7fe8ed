"""The results of macros: columns cut, the card moved, and the normal form of the rest.

A macro is carried out on the table's columns, and taken back afterwards. Words of the key follow
card by card.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.verify.kernels.record_macros import (
    CARD,
    HOMEWARD,
    HOST,
    IN_PLACE,
    MOVED,
    NOTHING,
    OWN,
    PARENT,
    STRIPPED,
    WAY,
)
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit


@inlined
def release(f, signature, locked, bit, card):
    """Return (signature, locked cards) once a card has been moved."""
    if locked & bit:
        signature -= ONE << U64(f.column_shift[f.dealt_column[card]])
        locked &= ~bit
    return signature, locked


@inlined
def push(table, steps, number, card):
    """Put a card on a column, and note the change; return the number of noted changes."""
    length = table.lengths[number]
    row = table.undo[steps]
    row[0], row[1] = card, table.column[card]
    row[2], row[3], row[4] = number, length, table.stacks[number, length]
    table.column[card] = number
    table.stacks[number, length] = card
    table.lengths[number] = length + 1
    return steps + 1


@inlined
def take_back(table, steps, stuck):
    """Restore the columns as they were before a macro."""
    while steps > 0:
        steps -= 1
        row = table.undo[steps]
        table.column[row[0]] = row[1]
        table.stacks[row[2], row[3]] = row[4]
    for number in range(stuck):
        table.lengths[number] = table.whole[number]


@inlined
def carry_out(f, macro, stuck, slots, tops, signature, locked, off, low, table):
    """Lift the cards and move x.

    Returns (steps, columns used, stuck columns, slots, tops, signature, locked, off, low).
    """
    stacks, lengths, column = table.stacks, table.lengths, table.column
    any_card = f.rules.fillers == ALL
    least = 2 if any_card else 1
    bare = ZERO if f.rules.freecells > 0 else ~ZERO  # the bit of a slot card in the plane low
    steps = 0
    used = remaining = stuck
    x, p, way = macro[CARD], macro[PARENT], macro[WAY]
    if way == NOTHING:
        return steps, used, remaining, slots, tops, signature, locked, off, low
    x_bit = ONE << U64(x)
    stripped = macro[STRIPPED]
    number = OWN
    while number <= HOST or stripped:
        if number <= HOST:
            cut, kept = macro[number], macro[number + 1]
            number += 2
            if cut < 0:
                continue
        else:
            cut, kept = first_bit(U64(stripped)), 1
            stripped &= stripped - 1
        length = lengths[cut]
        if length <= kept:
            continue
        tops &= ~(ONE << U64(stacks[cut, length - 1]))
        while length > kept:
            length -= 1
            card = stacks[cut, length]
            bit = ONE << U64(card)
            slots |= bit
            signature, locked = release(f, signature, locked, bit, card)
            off |= bit
            low = (low & ~bit) | (bit & bare)
        lengths[cut] = length
        if length > 0:
            tops |= ONE << U64(stacks[cut, length - 1])
    # x leaves its place.
    if slots & x_bit:
        slots &= ~x_bit
    else:
        own = column[x]
        lengths[own] -= 1
        tops &= ~x_bit
        if lengths[own] > 0:
            tops |= ONE << U64(stacks[own, lengths[own] - 1])
    signature, locked = release(f, signature, locked, x_bit, x)
    off &= ~x_bit
    low &= ~x_bit
    if way == HOMEWARD:
        signature += ONE << U64(4 * (x & 3))
    elif way == IN_PLACE:
        steps = push(table, steps, column[p], x)
        tops = (tops & ~(ONE << U64(p))) | x_bit
        low |= _kind(f, x, p)
    else:
        lengths[used] = 0
        if way == MOVED:
            slots &= ~(ONE << U64(p))
            steps = push(table, steps, used, p)
            low |= _kind(f, x, p)
        else:
            off |= x_bit
            low |= x_bit
        steps = push(table, steps, used, x)
        tops |= x_bit
        used += 1
        remaining += 1
    # Columns that are too short are stuck no longer.
    for number in range(stuck):
        length = lengths[number]
        if length >= least or table.whole[number] == 0:
            continue
        if length == 1:
            card = stacks[number, 0]
            bit = ONE << U64(card)
            slots |= bit
            tops &= ~bit
            signature, locked = release(f, signature, locked, bit, card)
            off |= bit
            low = (low & ~bit) | (bit & bare)
            lengths[number] = 0
        remaining -= 1
    return steps, used, remaining, slots, tops, signature, locked, off, low


@inlined
def _kind(f, card, parent):
    """Return the bit in the plane low of a card that lies on this parent."""
    kind = 0
    while f.kinds[kind] != (card ^ parent) & 3:
        kind += 1
    return U64(kind) << U64(card)


@inlined
def normal_form(f, steps, used, stuck, slots, tops, fix, signature, locked, off, low, table):
    """Reduce until nothing can be reduced: (steps, signature, off, low).

    The first reduction that applies, then again from the first: a safe card goes home; a slot card
    goes onto a stuck column; two slot cards become a column, or a king goes to an empty one.
    """
    stacks, lengths, column = table.stacks, table.lengths, table.column
    any_card = f.rules.fillers == ALL
    least = 2 if any_card else 1
    bare = ZERO if f.rules.freecells > 0 else ~ZERO
    while True:
        spaces = f.rules.columns - stuck
        free = f.rules.freecells - count_bits(slots)
        if any_card:
            free += spaces
        if free > 0 or f.rules.freecells == 0 or spaces == 0 or not any_card:
            fix = ZERO
        card = forced_card(f.rules, signature, tops | slots)
        if card >= 0:
            bit = ONE << U64(card)
            if slots & bit:
                slots &= ~bit
                fix &= ~bit
            else:
                number = column[card]
                length = lengths[number] - 1
                tops &= ~bit
                if length >= least:
                    tops |= ONE << U64(stacks[number, length - 1])
                else:
                    stuck -= 1
                    if length == 1:
                        length = 0
                        left = stacks[number, 0]
                        left_bit = ONE << U64(left)
                        slots |= left_bit
                        fix |= left_bit
                        signature, locked = release(f, signature, locked, left_bit, left)
                        off |= left_bit
                        low = (low & ~left_bit) | (left_bit & bare)
                lengths[number] = length
            signature, locked = release(f, signature, locked, bit, card)
            signature += ONE << U64(4 * (card & 3))
            off &= ~bit
            low &= ~bit
            continue
        pairs = ZERO
        if any_card and spaces > 0:
            pairs = slots if free > 0 or f.rules.freecells == 0 else slots & fix
        card, parent = find_child(f, slots, tops)
        if card < 0 and pairs:
            card, parent = find_child(f, slots, pairs)
        if card >= 0:
            bit, parent_bit = ONE << U64(card), ONE << U64(parent)
            if tops & parent_bit:
                number = column[parent]
                tops &= ~parent_bit
            else:
                number = used
                lengths[number] = 0
                used += 1
                stuck += 1
                slots &= ~parent_bit
                steps = push(table, steps, number, parent)
            slots &= ~bit
            tops |= bit
            steps = push(table, steps, number, card)
            off &= ~bit
            low = (low & ~bit) | _kind(f, card, parent)
            continue
        kings = slots & f.rules.fillers
        if any_card or spaces == 0 or not kings:
            break
        card = first_bit(kings)
        bit = ONE << U64(card)
        slots &= ~bit
        tops |= bit
        low |= bit
        lengths[used] = 0
        steps = push(table, steps, used, card)
        used += 1
        stuck += 1
    return steps, signature, off, low | fix


@inlined
def find_child(f, cards, parents):
    """Return the lowest of some cards that has a legal parent among others, and that parent.

    Returns (-1, -1) if none has one; the parent is the lowest.
    """
    if not parents:
        return -1, -1
    rest = cards & U64((1 << 48) - 1)
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        best = -1
        for kind in range(f.kinds.size):
            parent = (card ^ f.kinds[kind]) + 4
            if (parents >> U64(parent)) & ONE and (best < 0 or parent < best):
                best = parent
        if best >= 0:
            return card, best
    return -1, -1
