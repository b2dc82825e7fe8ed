"""The kinds of keys; which one a store has, its game and its method say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.position import Position
from dbmsolver.verify import class_format
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.format import make_format
from dbmsolver.verify.kernels import class_layout, leaving, record_layout
from dbmsolver.verify.kernels.expand import bound_of_cards, make_table
from dbmsolver.verify.kernels.opening import PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.kernels.record_expand import first_record
from dbmsolver.verify.kernels.record_layout import RecordTables
from dbmsolver.verify.kernels.words import Ints, Words
from dbmsolver.verify.keys import Format
from dbmsolver.verify.leaving_format import PairFormat, PileFormat
from dbmsolver.verify.refutation import State, words_of
from dbmsolver.verify.showing import position_of, position_of_record

_LIFT_OF_SUIT = 14
"""The most strata that a move leads upwards if it may take a whole suit home."""


@dataclass(frozen=True)
class Keys:
    """The keys of one deal and method, as the check of closed states works with them."""

    noun: str  # the word for a state
    tables: Any  # the rules and the deal, for kernels: their class decides which ones are called
    form: Any  # the form of signatures and local keys, likewise
    root: State  # the deal's state
    root_stratum: int
    words: int  # the number of words by which states differ
    code_bytes: int  # the bytes of a parent-move code
    progress: Callable[[Words], Ints]  # returns the stratum of each signature
    position: Callable[[State], Position | None]  # returns it to be shown, None for none
    make_table: Callable[[], Any]  # returns scratch memory of one thread
    lift: int | None = 2  # the most strata that a move, if not to a goal, leads up; None for any
    root_made: int = 0  # the moves that are said to be made to the deal
    root_code: int = -1  # the parent-move code of the deal, -1 if it has none of its own
    free: bool = False  # True if some moves cost nothing
    codes: bool = True  # True if parent-move codes tell the parent
    counts_forced: bool = False  # True if states with a forced move are counted by themselves
    normal: str = ""  # the form that a state has to have besides, in words


def keys_of_cards(deal: Deal, policy: Policy, metric: Metric | None) -> Keys:
    """Return keys of positions of games of columns.

    In Klondike's kind ``metric`` is None for a proof.
    """
    form = make_format(deal, policy, metric)
    rules = form.tables.rules
    return Keys(
        noun="position",
        tables=form.tables,
        form=form.keys,
        root=form.root,
        root_stratum=form.stratum,
        words=3,
        code_bytes=form.code_bytes,
        progress=form.keys.progress,
        position=partial(position_of, form, deal),
        make_table=partial(make_table, form.tables),
        lift=_LIFT_OF_SUIT if rules.whole_suits else 2,
        root_code=form.root_code,
        free=rules.forced_free,
        counts_forced=not rules.patience,
    )


def keys_of_records(deal: Deal, policy: Policy, metric: Metric | None) -> Keys:
    """Return keys of records of dominating positions."""
    form = make_format(deal, policy, metric)
    root = root_record(form)
    assert isinstance(form.keys, PlaneKeys)
    home = root[0] & root[1] & root[2]
    locked = ~root[0] & root[1] & root[2]
    released = int((form.keys.locked >= 0).sum()) - locked.bit_count()
    return Keys(
        noun="record",
        tables=RecordTables(form.tables),
        form=form.keys,
        root=root,
        root_stratum=home.bit_count() + released,
        words=3,
        code_bytes=form.code_bytes,
        progress=form.keys.progress,
        position=partial(position_of_record, form, deal),
        make_table=record_layout.make_table,
        lift=None,
        codes=False,
        normal=" in normal form",
    )


def root_record(form: Format) -> State:
    """Return the normal form of the deal's own record."""
    words, found = np.array(form.root, np.uint64), np.zeros(4, np.uint64)
    if first_record(form.tables, words, record_layout.make_table(), found):
        raise InternalError("the deal has no record")
    return words_of(found)


def keys_of_leaving(deal: Deal, layered: bool) -> Keys:
    """Return keys of a game whose cards only leave; ``layered`` if its search had layers."""
    kind = PileFormat if deal.rules.has_pile else PairFormat
    form = kind(deal, layered)
    layer = form.least if layered else 0
    return Keys(
        noun="position",
        tables=form.game,
        form=form.keys,
        root=(form.root, layer if form.keys.tells_layer else 0, 0, 0),
        root_stratum=0,
        words=2,
        code_bytes=1,
        progress=form.progress,
        position=lambda state: form.position(state[0]),
        make_table=partial(leaving.make_table, form.first.size),
        root_made=layer,
        root_code=form.first_code,
        free=True,
    )


def keys_of_classes(deal: Deal, policy: Policy, any_passes: bool) -> Keys:
    """Return keys of classes of positions of Klondike."""
    form = ClassFormat(deal, policy, any_passes)
    return Keys(
        noun="class",
        tables=form.game,
        form=form.game,
        root=(*form.root, 0, 0),
        root_stratum=int(form.progress(np.array(form.root[:1], np.uint64))[0]),
        words=2,
        code_bytes=class_format.CODE_BYTES,
        progress=form.progress,
        position=form.position,
        make_table=partial(class_layout.make_board, form.game),
        codes=False,
    )


def least_of(keys: Keys) -> int:
    """Return a number of moves that no solution of a deal falls short of.

    Where cards only leave, the layer of the deal is such a number, and its moves made.
    """
    return bound_of(keys.tables, keys.root) if isinstance(keys.tables, Tables) else keys.root_made


def bound_of(tables: Tables, root: State) -> int:
    """Return the lower bound of the deal's state."""
    error, bound = bound_of_cards(tables, np.array(root, np.uint64), make_table(tables))
    if error or bound < 0:
        raise InternalError("the state is no position, or no moves from the deal lead to its class")
    return int(bound)
