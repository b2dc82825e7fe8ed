"""The record of dominating positions that a deal begins with."""

from __future__ import annotations

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.record_expand import first_record
from dbmsolver.verify.kernels.record_layout import make_table
from dbmsolver.verify.kernels.sets import ALL
from dbmsolver.verify.refutation import State, words_of


def root_record(form: Format, deal: Deal) -> State:
    """Return the normal form of the deal's own record."""
    fix, words = 0, np.array(form.root, np.uint64)
    if form.tables.rules.fillers == ALL:
        for column in deal.position.columns:
            if len(column) == 1:
                fix |= 1 << column[0]
    found = np.zeros(4, np.uint64)
    if first_record(form.tables, words, np.uint64(fix), make_table(), found):
        raise InternalError("the deal has no record")
    return words_of(found)
