"""The distance of each class of positions of Klondike from a win, and the bound that it gives.

The *distance* of a class is the fewest moves between classes until all cards are home. Shifts and
turns of the stock count nothing (docs/dominance.md, section 11). A move between positions is a
shift, a turn, or one move between classes. So no solution of a position has fewer plays than the
distance of its class, and no solution leads through a class that cannot be won.

All classes that the deal leads to are *listed*: signature by signature, in ascending strata. Then
distances are worked out in descending strata: a move stays in its signature, or leads to a
signature of a higher stratum, whose distances are known. Two rules leave moves out: where a safe
card can go home, no other move is listed; and no safe card comes back. Both keep all distances. So
the class of a position may not be listed. Then the class that its safe moves home lead to is
listed, and the distance is one more for each of these moves.

A class is looked up by the number of its signature, which counts the dealt cards of all columns in
mixed radix, and in a hash table of that signature's keys.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import allocating, inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.hashing import EMPTY, HASH
from dbmsolver.kernels.states import CARDS, OFF, ONE, SIGNATURE, U64, ZERO, Ints, Words
from dbmsolver.kits.columns import locked_in
from dbmsolver.kits.klondike.class_tables import WON, ClassTables
from dbmsolver.kits.klondike.classes import PLACES, class_sets, expand_class
from dbmsolver.kits.klondike.strata import LOWEST, digits_not_zero
from dbmsolver.kits.klondike.tables import PER_WORD, TURNS_SHIFT, WASTE_SHIFT

Values = NDArray[np.uint8]

LOST = 255
"""The distance of a class that cannot be won. All others are smaller."""
NO_WIN = 1 << 14
"""The bound of a position whose class cannot be won: more than any other bound."""
NOT_LISTED = -1
MEASURED, NO_SUCCESSOR, TOO_FAR = range(3)
"""Results of :func:`measure_signature`: distances are written; a successor is not listed; or a
distance would be LOST or more."""
MOST_SUCCESSORS = 160
"""More than a class has."""
_HALF = np.uint64(32)
_SIX_BITS = np.uint64(63)
_LEAST = 1 << 10
"""The slots of the smallest table; more than twice the successors of a class."""


@struct
class ClassDistances(NamedTuple):
    """The distances of all classes of a deal; ``keys`` and ``values`` are empty if not listed."""

    tables: ClassTables
    sizes: Ints  # [columns]: the dealt cards of each column
    strides: Ints  # [columns]: what a dealt card of each column adds to a signature's number
    dealt: Words  # [columns]: the dealt cards of each column, as gathered digits
    kings: Ints  # [columns]: 1 if the first dealt card is a king
    suits: Words  # [4]: the cards of each suit, as gathered digits
    stock: Words  # [*]: the card of each bit of a key, as a gathered digit
    starts: Ints  # [signatures + 1]: the first slot of each signature
    keys: Words  # [slots]: keys of classes, EMPTY in free slots
    values: Values  # [slots]: their distances
    counted: int  # 1 if turns of the stock count


def digit_place(card: int) -> int:
    """Return the bit that stands for a card where the digits of three words are gathered."""
    return 3 * (card % PER_WORD) + card // PER_WORD


@inlined
def are_listed(c):
    """Return True if distances are known."""
    return c.keys.size > 0


@inlined
def number_of(c, signature):
    """Return the number (int64) of a signature."""
    t, number = c.tables, np.int64(0)
    for column in range(t.columns):
        left = locked_in(t, signature, column)
        number += left * c.strides[column]
    return number


@kernel
def number_of_signature(c, signature):
    """Return the number (int64) of a signature, from Python."""
    return number_of(c, signature)


@inlined
def first_slot(key, slots):
    """Return the slot (int64) of a table from which on a key is looked for."""
    return np.int64((((key * HASH) >> _HALF) * U64(slots)) >> _HALF)


@inlined
def slot_of(keys, start, end, key):
    """Return the slot of a key among those of its signature; -1 if it is not there."""
    if start == end:
        return np.int64(-1)
    slot = start + first_slot(key, end - start)
    while keys[slot] != key:
        if keys[slot] == EMPTY:
            return np.int64(-1)
        slot += 1
        if slot == end:
            slot = start
    return slot


# Listing.


@inlined
def _slot_in(table, key):
    """Return the slot of a key in a table of 2**n slots, or a free one."""
    mask = table.size - 1
    slot = np.int64((key * HASH) >> _HALF) & mask
    while table[slot] != EMPTY and table[slot] != key:
        slot = (slot + 1) & mask
    return slot


@allocating
def _doubled(array, used):
    """Return an array of twice the size with the first ``used`` numbers of another one."""
    larger = np.empty(2 * array.size, array.dtype)
    for index in range(used):
        larger[index] = array[index]
    return larger


@allocating
def _table_of(keys, count, slots):
    """Return a hash table with ``slots`` slots that has the first ``count`` keys."""
    table = np.full(slots, EMPTY)
    for index in range(count):
        table[_slot_in(table, keys[index])] = keys[index]
    return table


@inlined
def released_column(t, before, after):
    """Return the column (int64) whose held card has left between two signatures."""
    for column in range(t.columns):
        mask = t.column_mask[column] << t.column_shift[column]
        if (before ^ after) & mask:
            return np.int64(column)
    return np.int64(-1)


@allocating
def list_signature(t, signature, first):
    """List the classes of a signature that moves within it reach from some of its classes.

    ``first`` (uint64[*]) are the keys to begin with; duplicates do not matter. Returns (keys,
    leaving, columns, targets). ``keys`` (uint64[*]) are the keys of all these classes. ``leaving``
    (uint64[*]) are the keys of classes of other signatures that moves lead to. A move takes the
    held card of a column away: of that one in ``columns`` (int8[*]), which leads to its signature
    in ``targets`` (uint64[columns]).
    """
    sets = class_sets(t, signature)
    found = np.empty((MOST_SUCCESSORS, 5), np.uint64)
    slots = _LEAST
    while slots < 2 * first.size:
        slots *= 2
    table, keys = np.full(slots, EMPTY), np.empty(slots, np.uint64)
    leaving, columns = np.empty(slots, np.uint64), np.empty(slots, np.int8)
    targets = np.zeros(t.columns, np.uint64)
    head = count = left = 0
    for key in first:
        slot = _slot_in(table, key)
        if table[slot] == EMPTY:
            table[slot] = keys[count] = key
            count += 1
    while head < count:
        if left + MOST_SUCCESSORS > leaving.size:
            leaving, columns = _doubled(leaving, left), _doubled(columns, left)
        if 2 * (count + MOST_SUCCESSORS) > table.size:
            keys = _doubled(keys, count)
            table = _table_of(keys, count, keys.size)
        for number in range(expand_class(t, sets, keys[head], found)):
            after, key = found[number, SIGNATURE], found[number, OFF]
            if after == signature:
                slot = _slot_in(table, key)
                if table[slot] == EMPTY:
                    table[slot] = keys[count] = key
                    count += 1
            elif after != WON:
                column = released_column(t, signature, after)
                leaving[left], columns[left] = key, column
                targets[column] = after
                left += 1
        head += 1
    return keys[:count].copy(), leaving[:left].copy(), columns[:left].copy(), targets


@allocating
def measure_signature(c, signature, keys):
    """Write the distances of all listed classes of a signature to ``c.values``.

    ``keys`` (uint64[*]) are the keys of these classes. The distances of higher strata are there
    already. Returns MEASURED, NO_SUCCESSOR or TOO_FAR.
    """
    t = c.tables
    number = number_of(c, signature)
    start, end = c.starts[number], c.starts[number + 1]
    for key in keys:
        slot = start + first_slot(key, end - start)
        while c.keys[slot] != EMPTY:
            slot += 1
            if slot == end:
                slot = start
        c.keys[slot], c.values[slot] = key, LOST
    sets = class_sets(t, signature)
    found = np.empty((MOST_SUCCESSORS, 5), np.uint64)
    most = 4 * keys.size + MOST_SUCCESSORS
    sources, targets, edges = np.empty(most, np.int64), np.empty(most, np.int64), 0
    for key in keys:
        here = slot_of(c.keys, start, end, key)
        if edges + MOST_SUCCESSORS > sources.size:
            sources, targets = _doubled(sources, edges), _doubled(targets, edges)
        best = np.int64(LOST)
        for row in range(expand_class(t, sets, key, found)):
            after = found[row, SIGNATURE]
            if after == WON:
                best = min(best, np.int64(found[row, PLACES]) + 1)
                continue
            if after == signature:
                slot = slot_of(c.keys, start, end, found[row, OFF])
                sources[edges], targets[edges] = here, slot
                edges += 1
            else:
                other = number_of(c, after)
                slot = slot_of(c.keys, c.starts[other], c.starts[other + 1], found[row, OFF])
                if slot >= 0 and c.values[slot] < LOST:
                    best = min(best, np.int64(c.values[slot]) + 1)
                    if best == LOST:
                        return TOO_FAR
            if slot < 0:
                return NO_SUCCESSOR
        c.values[here] = best
    return _relax(c.values, sources, targets, edges)


@inner
def _relax(values, sources, targets, edges):
    """Lower distances until no move within the signature leads to a lower one.

    Keys are in the order in which they were found, so most moves lead to later ones. Returns
    MEASURED or TOO_FAR.
    """
    again = True
    while again:
        again = False
        for edge in range(edges - 1, -1, -1):
            value = np.int64(values[targets[edge]]) + 1
            if value == LOST and values[sources[edge]] == LOST:
                return TOO_FAR
            if value < values[sources[edge]]:
                values[sources[edge]] = value
                again = True
    return MEASURED


# The bound.


@inlined
def _gathered(first, second, third):
    """Return bits of 21, 21 and 10 digits, the lowest of each three, as one word."""
    return first | (second << ONE) | (third << U64(2))


@inlined
def class_of_words(c, off, low, high):
    """Return the class of a position: (signature, key, True if it is won)."""
    t = c.tables
    gone = _gathered(digits_not_zero(off), digits_not_zero(low), digits_not_zero(high))
    both = _gathered(
        (off >> ONE) & (off >> U64(2)) & LOWEST,
        (low >> ONE) & (low >> U64(2)) & LOWEST,
        (high >> ONE) & (high >> U64(2)) & LOWEST,
    )
    signature, covered = ZERO, False
    for column in range(t.columns):
        left = popcount(c.dealt[column] & ~gone)
        if left == 1 and c.kings[column]:
            left = np.int64(0)
        covered |= left > 1
        signature |= U64(left) << t.column_shift[column]
    stock = ZERO
    for bit in range(c.stock.size):
        stock |= U64(c.stock[bit] & gone == ZERO) << U64(bit)
    key = stock
    for suit in range(4):
        key |= U64(popcount(both & c.suits[suit])) << (t.height_shift + U64(4 * suit))
    left, waste = popcount(stock), np.int64((high >> U64(WASTE_SHIFT)) & _SIX_BITS)
    if left and (t.limited or (waste % t.draw != 0 and waste != left)):
        key |= U64(waste) << t.waste_shift
        if t.limited:
            key |= ((high >> U64(TURNS_SHIFT)) & _SIX_BITS) << t.turns_shift
    return signature, key, not covered and (t.free_stock or left == 0)


@inlined
def distance_along(c, signature, key, found):
    """Return the distance (int64) of a class that need not be listed.

    Its safe moves home lead to a class that is listed, or won. NOT_LISTED if they lead to none,
    which cannot be. ``found`` is scratch memory, uint64[*, 4].
    """
    t = c.tables
    for moves in range(CARDS):
        number = number_of(c, signature)
        slot = slot_of(c.keys, c.starts[number], c.starts[number + 1], key)
        if slot >= 0:
            value = np.int64(c.values[slot])
            return value + moves if value < LOST else value
        if expand_class(t, class_sets(t, signature), key, found) != 1:
            break
        if found[0, SIGNATURE] == WON:
            return np.int64(found[0, PLACES]) + 1 + moves
        signature, key = found[0, SIGNATURE], found[0, OFF]
    return np.int64(NOT_LISTED)


@inlined
def class_bound(c, off, low, high, found):
    """Return a lower bound (int64) of the moves to come from a position, by its class.

    NO_WIN if the class cannot be won, NOT_LISTED if it has no distance, which cannot be. 0 if it is
    won: the bound of positions is enough there. ``found`` is scratch memory, uint64[*, 4].
    """
    signature, key, won = class_of_words(c, off, low, high)
    if won:
        return np.int64(0)  # each card that is not home counts in the bound of positions
    number = number_of(c, signature)
    slot = slot_of(c.keys, c.starts[number], c.starts[number + 1], key)
    value = np.int64(c.values[slot]) if slot >= 0 else distance_along(c, signature, key, found)
    if value >= LOST:
        return np.int64(NO_WIN)
    if value == NOT_LISTED or not c.counted:
        return value
    left = popcount(key & c.tables.stock_mask)
    waste = np.int64((high >> U64(WASTE_SHIFT)) & _SIX_BITS)
    return value + (left - waste + c.tables.draw - 1) // c.tables.draw
