"""The arrangement of a key in columns and cells, and the check that it is one of 52 cards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.jit.decorators import inlined, inlined_kernel, kernel
from dbmsolver.jit.families import inlined_by_type
from dbmsolver.verify.format import Format, RunFormat, TwoWayFormat
from dbmsolver.verify.kernels.words import ALL, ONE, U64, ZERO, count_bits, first_bit, height_of

FINE = 0
BAD_SIGNATURE = 1  # heights, or counts of locked cards
BAD_FIELDS = 2  # place values that the card cannot have
TOO_MANY_CELLS = 3
TOO_MANY_COLUMNS = 4
COLLISION = 5  # two cards on one, or a card on one that is in no column
RING = 6  # cards on each other in a ring


class LaidBoard(NamedTuple):
    """A position taken apart: scratch memory of one thread."""

    above: NDArray[np.int64]  # [52]: the card that lies on it, -1 for none
    columns: NDArray[np.int64]  # [columns, 52]: cards, deepest first
    lengths: NDArray[np.int64]  # [columns]
    column_of: NDArray[np.int64]  # [52]
    near: NDArray[np.uint64]  # [52]: for the bound
    stack: NDArray[np.uint64]  # [256]: for the bound
    edges: NDArray[np.uint64]  # [52]: for the bound of runs
    piece: NDArray[np.int64]  # [52]: for the bound of runs


def make_board() -> LaidBoard:
    """Return scratch memory."""
    return LaidBoard(
        above=np.empty(52, np.int64),
        columns=np.empty((MAX_COLUMNS + 1, 52), np.int64),
        lengths=np.empty(MAX_COLUMNS + 1, np.int64),
        column_of=np.empty(52, np.int64),
        near=np.zeros(52, np.uint64),
        stack=np.zeros(256, np.uint64),
        edges=np.zeros(52, np.uint64),
        piece=np.zeros(52, np.int64),
    )


@kernel
def take_signature(f, signature):
    """Return (error, home cards, locked cards) of a signature."""
    home = locked = ZERO
    for suit in range(4):
        height = height_of(signature, suit)
        if height > 13:
            return BAD_SIGNATURE, home, locked
        for rank in range(height):
            home |= ONE << U64(4 * rank + suit)
    rest = signature >> U64(16)
    for column in range(f.columns):
        count = np.int64(signature >> U64(f.column_shift[column])) & f.column_mask[column]
        rest &= ~(U64(f.column_mask[column]) << U64(f.column_shift[column] - 16))
        if count > f.locked.shape[1]:
            return BAD_SIGNATURE, home, locked
        for index in range(count):
            card = f.locked[column, index]
            if card < 0:
                return BAD_SIGNATURE, home, locked
            locked |= ONE << U64(card)
    loose = ALL & ~(home | locked)
    if rest or (home & locked) or (loose & ~f.has_values & ~f.fixed[0]):
        return BAD_SIGNATURE, home, locked
    return FINE, home, locked


@inlined
def put_on(card, under, blocked, above):
    """Lay a card on another; return whether that was possible."""
    if above[under] >= 0 or (blocked >> U64(under)) & ONE:
        return False
    above[under] = card
    return True


@inlined
def parent_above(f, card, kind):
    """Return what :func:`parent_of` does where columns do not go round."""
    return (card ^ f.kinds[kind]) + 4 if card < 48 else -1


@inlined
def parent_around(f, card, kind):
    """Return what :func:`parent_of` does where columns may go round."""
    if card < 48:
        return (card ^ f.kinds[kind]) + 4
    return first_bit(f.bases) + ((card ^ f.kinds[kind]) & 3) if f.bases else -1


parent_of = inlined_by_type(
    {Format: parent_above, RunFormat: parent_around, TwoWayFormat: parent_above}
)
"""Return the card that is a card's parent of that kind; -1 if it has none."""


@inlined_kernel
def arrange_downwards(f, home, locked, off, low, high, board):
    """Arrange a state where columns are built down, and cards stay home, as :func:`arrange`."""
    above, columns = board.above, board.columns
    loose = ALL & ~(home | locked)
    cells = off & ~low
    bottoms = off & low
    if (off | low | high) & ~loose or off & high or bottoms & ~f.fillers or cells & ~f.holds:
        return BAD_FIELDS, 0
    if count_bits(cells) > f.freecells:
        return TOO_MANY_CELLS, 0
    used = 0
    for card in range(52):
        above[card] = -1
    blocked = home | cells
    rest = bottoms
    while rest:
        if used == f.columns:
            return TOO_MANY_COLUMNS, 0
        columns[used, 0] = first_bit(rest)
        rest &= rest - ONE
        used += 1
    rest = locked
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = f.dealt_under[card]
        if under < 0:
            if used == f.columns:
                return TOO_MANY_COLUMNS, 0
            columns[used, 0] = card
            used += 1
        elif not put_on(card, under, blocked, above):
            return COLLISION, 0
    rest = loose & ~off
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        kind = np.int64((low >> U64(card)) & ONE) + 2 * np.int64((high >> U64(card)) & ONE)
        if kind >= f.kinds.size:
            return BAD_FIELDS, 0
        under = parent_of(f, card, kind)
        if under < 0:
            return BAD_FIELDS, 0
        if not put_on(card, under, blocked, above):
            return COLLISION, 0
    if count_bits(cells) + fill_columns(used, board) != count_bits(ALL & ~home):
        return RING, 0
    return FINE, used


@inlined
def fill_columns(used, board):
    """Write the cards of all columns, whose lowest ones are known; return how many there are."""
    placed = 0
    for column in range(used):
        card = board.columns[column, 0]
        depth = 0
        while card >= 0:
            board.columns[column, depth] = card
            board.column_of[card] = column
            depth += 1
            card = board.above[card]
        board.lengths[column] = depth
        placed += depth
    return placed


@inlined_kernel
def arrange_both_ways(f, home, locked, off, low, high, board):
    """Arrange a state where columns are built up, too, or cards come back, as :func:`arrange`."""
    above, columns = board.above, board.columns
    loose = ALL & ~(home | locked)
    back = off & high
    if f.removable:
        if home != f.kept and home != ALL:
            return BAD_SIGNATURE, 0
        # Each lies on the next lower one of its suit.
        if back & low or back & ~((back << U64(4)) | (f.kept << U64(4)) | U64(15)):
            return BAD_FIELDS, 0
    elif back:
        return BAD_FIELDS, 0
    cells = off & ~low & ~back
    bottoms = off & low
    if (off | low | high) & ~loose or bottoms & ~f.fillers or cells & ~f.holds:
        return BAD_FIELDS, 0
    if count_bits(cells) > f.freecells:
        return TOO_MANY_CELLS, 0
    for card in range(52):
        above[card] = -1
    blocked = home | cells | back
    used = 0
    rest = bottoms | locked
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = -1 if (bottoms >> U64(card)) & ONE else f.dealt_under[card]
        if under >= 0:
            if not put_on(card, under, blocked, above):
                return COLLISION, 0
            continue
        if used == f.columns:
            return TOO_MANY_COLUMNS, 0
        columns[used, 0] = card
        used += 1
    rest = loose & ~off
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        kind = np.int64((low >> U64(card)) & ONE) + 2 * np.int64((high >> U64(card)) & ONE)
        if kind >= f.kinds.size or not 0 <= card + f.rises[kind] < 52:
            return BAD_FIELDS, 0
        if not put_on(card, (card ^ f.kinds[kind]) + f.rises[kind], blocked, above):
            return COLLISION, 0
    if count_bits(cells | back) + fill_columns(used, board) != count_bits(ALL & ~home):
        return RING, 0
    return FINE, used


arrange = inlined_by_type(
    {Format: arrange_downwards, RunFormat: arrange_downwards, TwoWayFormat: arrange_both_ways}
)
"""Lay the cards out on ``board``: (error, number of columns in use)."""


@kernel
def key_bits(f, loose, words):
    """Write the meaning of each bit of a local key in the planes; return the number of bits.

    It goes into ``words`` (uint64[3, 160]).
    """
    count = 0
    for plane in range(f.planes):
        rest = loose & f.varying[plane]
        while rest:
            words[0, count] = words[1, count] = words[2, count] = ZERO
            words[plane, count] = rest & (~rest + ONE)
            rest &= rest - ONE
            count += 1
    return count


@kernel
def key_words(f, loose):
    """Return how many words the local keys of a signature with these loose cards have."""
    bits = 0
    for plane in range(f.planes):
        bits += count_bits(loose & f.varying[plane])
    return 1 if bits <= 64 else 3
