"""Records of dominating positions, from a deal and back to a position to show."""

from __future__ import annotations

import numpy as np

from dbmsolver.errors import DbmError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.format import BOTTOM, Format, root_words
from dbmsolver.verify.kernels.arrange import take_signature
from dbmsolver.verify.kernels.record_expand import first_record
from dbmsolver.verify.kernels.record_table import apart, make_table

_ALL = (1 << CARDS) - 1


def root_record(form: Format, deal: Deal) -> tuple[int, int, int, int]:
    """Return the normal form of the deal's own record: its signature and planes."""
    signature, off, low, _ = root_words(form, deal)
    fix = 0
    if int(form.fillers) == _ALL:
        for card, place in enumerate(form.dealt_place.tolist()):
            if place == BOTTOM and form.freecells:
                low &= ~(1 << card)
        for column in deal.position.columns:
            if len(column) == 1:
                fix |= 1 << column[0]
    found = np.zeros(3, np.uint64)
    words = (np.uint64(word) for word in (signature, off, low, fix))
    if first_record(form, *words, make_table(), found):
        raise DbmError("the deal has no record")
    return int(found[0]), int(found[1]), int(found[2]), 0


def position_of_record(
    form: Format, deal: Deal, words: tuple[int, int, int, int]
) -> Position | None:
    """Return one of the positions that a record stands for, slot cards in freecells first.

    None if there is none.
    """
    signature, off, low = (np.uint64(word) for word in words[:3])
    error, home, locked = take_signature(form, signature)
    if error:
        return None
    table = make_table()
    # Numba returns plain integers, and would compile anew for them.
    error, stuck, slots, fix = apart(form, np.uint64(home), np.uint64(locked), off, low, table)
    if error:
        return None
    free = [card for card in range(CARDS) if slots & ~fix & 1 << card]
    cells = free[: form.freecells]
    alone = [card for card in range(CARDS) if fix >> card & 1] + free[form.freecells :]
    piles = [tuple(table.stacks[i, : table.lengths[i]].tolist()) for i in range(stuck)]
    piles += [(card,) for card in alone]
    columns: list[tuple[int, ...]] = [()] * form.columns
    homes = {column[0]: index for index, column in enumerate(deal.position.columns) if column}
    rest = []
    for pile in piles:
        index = homes.get(pile[0])
        if index is None or columns[index]:
            rest.append(pile)
        else:
            columns[index] = pile
    for index in range(form.columns):
        if not columns[index] and rest:
            columns[index] = rest.pop(0)
    empty = [None] * (form.freecells - len(cells))
    hearts, spades, diamonds, clubs = (words[0] >> (4 * suit) & 15 for suit in range(4))
    return Position(tuple(columns), (*cells, *empty), (hearts, spades, diamonds, clubs))
