"""Checks that states read from a file can be states of a deal: other kernels rely on that.

Below, ``t`` are the deal's :class:`~dbmsolver.kits.cards.tables.Tables`, and a state is a row of
words, columns SIGNATURE, OFF, LOW and HIGH.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.kernels.bits import lowest_bit, popcount
from dbmsolver.kernels.states import HIGH, LOW, OFF, ONE, SIGNATURE, U64
from dbmsolver.kits.cards.expand import children_of, height, permute_suits, signature_sets
from dbmsolver.kits.cards.tables import PLACE_FREECELL


@inlined
def fit_in_freecells(t, cards):
    """Return True if these cards can all be in freecells: they fit, or they are a reserve's."""
    if popcount(cards) <= t.freecells:
        return True
    if t.freecells:
        return False
    while cards:
        if t.dealt_place[lowest_bit(cards)] != PLACE_FREECELL:
            return False
        cards &= cards - ONE
    return True


@inlined
def is_position(t, dealt, used, row):
    """Return True if a row holds a state of the deal; see :func:`are_positions`."""
    signature, off, low, high = row[SIGNATURE], row[OFF], row[LOW], row[HIGH]
    if signature & ~used:
        return False
    for suit in range(4):
        if height(signature, suit) > 13:
            return False
    for column in range(t.columns):
        shift, mask = t.column_shift[column], t.column_mask[column]
        if (signature >> shift) & mask > (dealt >> shift) & mask:
            return False
    sets = signature_sets(t, signature)
    odd = high & off if t.planes == 3 else high
    if sets.home & sets.locked or odd or (off | low | high) & ~sets.loose:
        return False
    freecell = sets.loose & off & ~low
    bottom = sets.loose & off & low
    if not fit_in_freecells(t, freecell) or sets.bottoms + popcount(bottom) > t.columns:
        return False
    places = (sets.loose & ~freecell) | sets.locked
    covered = sets.under
    if covered & ~places:
        return False
    for index in range(t.kinds.size):
        children = children_of(t, sets.loose & ~off, low, high, index)
        parents = permute_suits(children, t.kinds[index]) << U64(4)
        if parents & ~places:
            return False
        covered |= parents
    # Else two cards lie on one, or one on a parent of a kind that there is not.
    return popcount(covered) == popcount(sets.under) + popcount(sets.loose & ~off)


@kernel
def are_positions(t, dealt, used, rows):
    """Return True if all rows (uint64[*, 4]) hold states that the other kernels can work with.

    ``dealt`` is the signature of the deal, ``used`` the bits that a signature uses (uint64). In
    such a state each card is home, locked where it was dealt, in a freecell, at the bottom of a
    column, or the only card on a legal parent that lies in a column. Columns are built down:
    parents are one rank higher.
    """
    number = 0
    while number < rows.shape[0] and is_position(t, dealt, used, rows[number]):
        number += 1
    return number == rows.shape[0]
