"""Keys of records of dominating positions; :mod:`dbmsolver.verify.format` describes them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import can_dominate
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.opening import PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.kernels.record_expand import first_record
from dbmsolver.verify.kernels.record_layout import RecordTables, make_table
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import Refuted, StateWords, words_of
from dbmsolver.verify.showing import position_of_record


def keys_of_records(deal: Deal, policy: Policy, metric: Metric | None) -> Keys:
    """Return keys of records: those of positions, with a root and moves of their own.

    Refuted if the theorem of docs/dominance.md does not speak of the rules.
    """
    if not can_dominate(deal.rules):
        raise Refuted("the theorem of dominating positions does not hold for these rules")
    keys = keys_of_cards(deal, policy, metric)
    form, root = keys.form, _root(keys.tables, keys.root)
    assert isinstance(form, PlaneKeys)
    home = root[0] & root[1] & root[2]
    locked = ~root[0] & root[1] & root[2]
    released = int((form.locked >= 0).sum()) - locked.bit_count()
    return replace(
        keys,
        noun="record",
        tables=RecordTables(keys.tables),
        root=root,
        root_stratum=home.bit_count() + released,
        position=partial(position_of_record, keys.tables, deal),
        make_table=make_table,
        lift=None,
        root_code=-1,
        free=False,
        codes=False,
        counts_forced=False,
        normal=" in normal form",
    )


def _root(tables: Tables, deal: StateWords) -> StateWords:
    """Return the normal form of the deal's own record; ``deal`` is the state of its position."""
    words, found = np.array(deal, np.uint64), np.zeros(4, np.uint64)
    if first_record(tables, words, make_table(), found):
        raise InternalError("the deal has no record")
    return words_of(found)
