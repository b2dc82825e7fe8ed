"""The keys of a deal, of any kind: all that the check of closed states asks of them.

Kinds of keys are described, and made, in :mod:`dbmsolver.verify.format` (positions of FreeCell's
kind), :mod:`dbmsolver.verify.patience_format` (of Klondike's),
:mod:`dbmsolver.verify.leaving_format` (of games whose cards only leave),
:mod:`dbmsolver.verify.record_format` and :mod:`dbmsolver.verify.class_format`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.expand import bound_of_cards, make_table
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.refutation import StateWords


@dataclass(frozen=True)
class Keys:
    """The keys of one deal and method, as the check of closed states works with them."""

    noun: str  # the word for a state
    tables: Any  # the rules and the deal, for kernels: their class decides which ones are called
    form: Any  # the form of signatures and local keys, likewise; it tells strata of signatures
    root: StateWords  # the deal's state
    root_stratum: int
    words: int  # the number of words by which states differ
    code_bytes: int  # the bytes of a parent-move code
    position: Callable[[StateWords], Position | None]  # returns it to be shown, None for none
    make_table: Callable[[], Any]  # returns scratch memory of one thread
    lift: int | None = 2  # the most strata that a move, if not to a goal, leads up; None for any
    root_made: int = 0  # the moves that are said to be made to the deal
    root_code: int = -1  # the parent-move code of the deal, -1 if it has none of its own
    free: bool = False  # True if some moves cost nothing
    codes: bool = True  # True if parent-move codes tell the parent
    counts_forced: bool = False  # True if states with a forced move are counted by themselves
    normal: str = ""  # the form that a state has to have besides, in words


def least_of(keys: Keys) -> int:
    """Return a number of moves that no solution of a deal falls short of.

    Where cards only leave, the layer of the deal is such a number, and its moves made.
    """
    return bound_of(keys.tables, keys.root) if isinstance(keys.tables, Tables) else keys.root_made


def bound_of(tables: Tables, root: StateWords) -> int:
    """Return the lower bound of the deal's state."""
    error, bound = bound_of_cards(tables, np.array(root, np.uint64), make_table(tables))
    if error or bound < 0:
        raise InternalError("the state is no position, or no moves from the deal lead to its class")
    return int(bound)
