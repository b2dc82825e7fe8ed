"""The record of dominating positions that a deal begins with."""

from __future__ import annotations

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.verify.format import Format, root_words
from dbmsolver.verify.kernels.record_expand import first_record
from dbmsolver.verify.kernels.record_layout import make_table
from dbmsolver.verify.places import BOTTOM

_ALL = (1 << CARDS) - 1


def root_record(form: Format, deal: Deal) -> tuple[int, int, int, int]:
    """Return the normal form of the deal's own record: its signature and planes."""
    signature, off, low, _ = root_words(form, deal)
    fix = 0
    if int(form.rules.fillers) == _ALL:
        for card, place in enumerate(form.dealt_place.tolist()):
            if place == BOTTOM and form.rules.freecells:
                low &= ~(1 << card)
        for column in deal.position.columns:
            if len(column) == 1:
                fix |= 1 << column[0]
    found = np.zeros(3, np.uint64)
    words = np.array([signature, off, low], np.uint64)
    if first_record(form, words, np.uint64(fix), make_table(), found):
        raise InternalError("the deal has no record")
    return int(found[0]), int(found[1]), int(found[2]), 0
