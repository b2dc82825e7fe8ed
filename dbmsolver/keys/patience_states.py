"""Positions of Klondike and its relatives as states of a proof."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.patience_states import StrataTables, make_tables
from dbmsolver.core.patience_strata import WON, signatures
from dbmsolver.core.patience_tables import NO_PARENT, Words
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.keys.states import State, StateCodec


class PatienceStates(StateCodec):
    """The states of one deal of a game of Klondike's kind, for the engine that closes strata.

    A state has three planes (uint64): the words of its position's key by ``keys``
    (:mod:`dbmsolver.core.patience_states`).
    """

    closed_as_records = True

    def __init__(self, keys: PatienceKeys) -> None:
        self.keys = keys
        self.deal = keys.deal
        self.rules: Rules = keys.rules
        self.measure = keys.measure
        self.code_type = np.uint16
        self.codes = 1 << 16
        # Kernels take the tables of each kind of state, by their class.
        self.tables: StrataTables = make_tables(  # type: ignore[assignment]
            keys.tables, keys.last_stratum
        )
        self.locked = 0
        self.goal = int(WON)
        self.last_stratum = self.tables.last
        self.root = self.state(keys.deal.position)

    @property
    def root_code(self) -> int:
        """Return the code of the deal's state, which has no parent."""
        return NO_PARENT

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        words = self.keys.words(self.keys.encode(position))
        found = np.zeros(1, np.uint64)
        signatures(self.keys.tables, words[None, :], found)
        signature = self.goal if position.is_goal() else int(found[0])
        return State(signature, *words.tolist())

    def goal_state(self, signature: int, key: Words) -> State:
        """Return the won state with this local key."""
        return State(self.goal, *key.tolist())

    def key_of(self, state: State) -> int:
        """Return the key of a state."""
        return state.off | state.low << 64 | state.high << 128

    def position(self, state: State) -> Position:
        """Return the position of a state."""
        return self.keys.decode(self.key_of(state))
