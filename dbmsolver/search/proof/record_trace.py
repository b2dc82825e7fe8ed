"""The way back over records of dominating positions, and the moves it stands for.

A closed record has eight bits of a hash of its parent.  Few records of the strata at and below its own agree in them;
these are expanded, and the one that leads to the record is its parent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dbmsolver.core.records import find_parent, make_record_space, record_at
from dbmsolver.core.runs import progress_of
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.dominance_macros import Macro, macros
from dbmsolver.game.dominance_paths import unfold
from dbmsolver.game.moves import Move
from dbmsolver.record_state import RecordKeys
from dbmsolver.state import State
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import parse_closed_key, stratum_prefix
from dbmsolver.storage.store import Store

_MOST_STEPS = 100_000


class RecordFinder:
    """Finds parents among the closed records of a store."""

    def __init__(self, store: Store, keys: RecordKeys) -> None:
        self.store = store
        self.keys = keys
        self.space = make_record_space(0)
        self.strata = sorted({parse_closed_key(key).stratum for key in store.keys(b"C")})

    def path(self, state: State, code: int) -> list[State]:
        """The records from the deal's to this one, whose code is given; StoreError if a parent is missing."""
        states = [state]
        while states[-1] != self.keys.root:
            parent = self._parent(states[-1], code)
            if parent is None or len(states) > _MOST_STEPS:
                raise StoreError(
                    "a parent is missing among the closed records", str(self.store.path)
                )
            states.append(parent[0])
            code = parent[1]
        return states[::-1]

    def _parent(self, state: State, code: int) -> tuple[State, int] | None:
        words = tuple(np.uint64(word) for word in state[:3])
        tables = self.keys.tables
        latest = int(progress_of(tables, np.array(words[:1]), self.keys.locked)[0])
        for runs in self._blocks(latest):
            arrays = (runs.signatures, runs.counts, runs.keys)
            place = int(
                find_parent(
                    tables, self.space, arrays, runs.key_words, code, words, self.keys.locked
                )
            )
            if place >= 0:
                ends = np.cumsum(runs.counts)
                run = int(np.searchsorted(ends, place, side="right"))
                signature = runs.signatures[run]
                start = int(ends[run] - runs.counts[run])
                mine = runs.keys[runs.key_words * start : runs.key_words * int(ends[run])]
                off, low = record_at(tables, signature, mine, runs.key_words, place - start)
                return State(int(signature), int(off), int(low), 0), int(runs.codes[place])
        return None

    def _blocks(self, latest: int) -> Iterator[Runs]:
        """Closed blocks, of the highest stratum first: parents are seldom far below."""
        for stratum in reversed(self.strata):
            if stratum <= latest:
                for key in self.store.keys(stratum_prefix(b"C", 0, stratum)):
                    yield read_block(self.store, key)


def moves_along(keys: RecordKeys, states: Sequence[State]) -> list[Move]:
    """Legal single-card moves that lead from the deal along a path of records.

    InternalError if the readable model does not lead from one to the next.
    """
    record = keys.record(states[0])
    path: list[Macro] = []
    for state in states[1:]:
        wanted = keys.record(state)
        for macro in macros(record, keys.rules, keys.policy):
            if macro.record == wanted:
                path.append(macro)
                break
        else:
            raise InternalError("a record does not follow from the one before it")
        record = wanted
    moves, _ = unfold(keys.deal.position, path, keys.rules, keys.policy)
    return moves
