"""Rows of states as shards hold them: functions that differ between kinds of states.

Which function a name stands for, the class of the tables decides (:mod:`dbmsolver.jit.families`).

=================== ============================================================================
``hold``            write a state to a row
``state_at``        the signature and planes of a row
``holds``           whether a row has the state of a candidate
``hash_state``      the hash of a state
``hash_at``         the hash of a row's state
``hash_of_home``    a hash of what the moves within a stratum keep of a state
``hash_of_home_at`` the same of a row's state
``stratum_at``      the progress of a row's state
=================== ============================================================================
"""

from __future__ import annotations

from typing import Any

from dbmsolver.core import card_rows, patience_rows
from dbmsolver.core.patience_states import StrataTables
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.tables import Tables
from dbmsolver.core.two_way_tables import TwoWayTables
from dbmsolver.jit.families import inlined_by_type


def by_kind(of_cards: Any, of_patience: Any) -> Any:
    """Return a function that is one for states made of cards, and another for Klondike's kind."""
    return inlined_by_type(
        {**dict.fromkeys((Tables, RunTables, TwoWayTables), of_cards), StrataTables: of_patience}
    )


hold = by_kind(card_rows.hold, patience_rows.hold)
state_at = by_kind(card_rows.state_at, patience_rows.state_at)
holds = by_kind(card_rows.holds, patience_rows.holds)
hash_state = by_kind(card_rows.hash_state, patience_rows.hash_state)
hash_of_home = by_kind(card_rows.hash_of_home, patience_rows.hash_of_home)
hash_of_home_at = by_kind(card_rows.hash_of_home_at, patience_rows.hash_of_home_at)
hash_at = by_kind(card_rows.hash_at, patience_rows.hash_at)
stratum_at = by_kind(card_rows.stratum_at, patience_rows.stratum_at)


def words_held(t: Any) -> int:
    """Return the number of words of a row."""
    return patience_rows.WORDS if isinstance(t, StrataTables) else card_rows.WORDS


def make_scratch(t: Any) -> Any:
    """Return scratch memory of one thread that works on a shard."""
    return patience_rows.make_scratch() if isinstance(t, StrataTables) else card_rows.make_scratch()


__all__ = [
    "by_kind",
    "hash_at",
    "hash_of_home",
    "hash_of_home_at",
    "hash_state",
    "hold",
    "holds",
    "make_scratch",
    "state_at",
    "stratum_at",
    "words_held",
]
