"""Rows of states as shards hold them: functions that differ between kinds of states.

Which function a name stands for, the class of the tables decides (:mod:`dbmsolver.jit.families`).

=================== ============================================================================
``as_held``         the words (uint64[4]) that rows have of a state
``held_at``         these words of a row
``hold``            write them to a row; its meta is written after them
``holds``           whether a row has them
``state_at``        the signature and planes of a row
``meta_at``         the meta of a row
``put_meta``        write the meta of a row
``hash_of_home``    a hash of what the moves within a stratum keep of a state
``hash_of_home_at`` the same of a row's state
``stratum_at``      the progress of a row's state
=================== ============================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core import card_rows, patience_rows
from dbmsolver.core.card_rows import hash_row
from dbmsolver.core.patience_states import StrataTables
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.tables import Tables
from dbmsolver.core.two_way_tables import TwoWayTables
from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import ByType


def by_kind(of_cards: Any, of_patience: Any) -> Any:
    """Return a function that is one for states made of cards, and another for Klondike's kind."""
    return ByType(
        {**dict.fromkeys((Tables, RunTables, TwoWayTables), of_cards), StrataTables: of_patience}
    )


as_held = by_kind(card_rows.as_held, patience_rows.as_held)
held_at = by_kind(card_rows.held_at, patience_rows.held_at)
hold = by_kind(card_rows.hold, patience_rows.hold)
state_at = by_kind(card_rows.state_at, patience_rows.state_at)
holds = by_kind(card_rows.holds, patience_rows.holds)
meta_at = by_kind(card_rows.meta_at, patience_rows.meta_at)
put_meta = by_kind(card_rows.put_meta, patience_rows.put_meta)
hash_of_home = by_kind(card_rows.hash_of_home, patience_rows.hash_of_home)
hash_of_home_at = by_kind(card_rows.hash_of_home_at, patience_rows.hash_of_home_at)
stratum_at = by_kind(card_rows.stratum_at, patience_rows.stratum_at)


@inlined
def hash_held(held):
    """Return the hash (uint64) of a state, by the words that rows have of it."""
    return hash_row(held[0], held[1], held[2], held[3])


def empty_rows(t: Any, states: int) -> NDArray[Any]:
    """Return memory for so many rows, one after the other."""
    if not isinstance(t, StrataTables):
        return np.empty(states * card_rows.WORDS, np.uint64)
    return np.empty(states * width_of_row(t), np.uint32)


def width_of_row(t: Any) -> int:
    """Return the numbers of a row."""
    if not isinstance(t, StrataTables):
        return card_rows.WORDS
    return patience_rows.NARROW if t.narrow else patience_rows.WIDE


def bytes_of_row(t: Any) -> int:
    """Return the memory of a row."""
    return empty_rows(t, 1).nbytes


def make_scratch(t: Any) -> Any:
    """Return scratch memory of one thread that works on a shard."""
    return patience_rows.make_scratch() if isinstance(t, StrataTables) else card_rows.make_scratch()


__all__ = [
    "as_held",
    "by_kind",
    "bytes_of_row",
    "empty_rows",
    "hash_held",
    "hash_of_home",
    "hash_of_home_at",
    "held_at",
    "hold",
    "holds",
    "make_scratch",
    "meta_at",
    "put_meta",
    "state_at",
    "stratum_at",
    "width_of_row",
]
