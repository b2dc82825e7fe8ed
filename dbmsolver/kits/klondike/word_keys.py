"""Positions of Klondike and its relatives as states of a proof."""

from __future__ import annotations

import numpy as np

from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kits.klondike.distances import no_distances
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.layers import LayerBounds
from dbmsolver.kits.klondike.strata import WON, signatures
from dbmsolver.kits.klondike.tables import NO_PARENT, Words
from dbmsolver.kits.klondike.words import StrataTables, make_tables
from dbmsolver.kits.states import State, StateCodec, Step
from dbmsolver.kits.turning import with_turns


class PatienceStates(StateCodec):
    """The states of one deal of a game of Klondike's kind, for the engine that closes strata.

    A state has three planes (uint64): the words of its position's key by ``keys``
    (:mod:`dbmsolver.kits.klondike.words`).
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
        self.distances = no_distances()

    @property
    def root_code(self) -> int:
        """Return the code of the deal's state, which has no parent."""
        return NO_PARENT

    @property
    def bounds(self) -> LayerBounds:
        """The tables of the lower bound on the moves to come.

        ``distances`` are part of it: those of the deal's classes, or none.
        """
        return LayerBounds(self.keys.bounds, self.distances)

    def step(self, state: State, code: int) -> Step:
        """Return the play that led to a state, by its parent-move code: a card and its place."""
        return self.keys.card_of(code), self.keys.place(self.key_of(state), code)

    def parent(self, state: State, code: int) -> State:
        """Return the state before the play of a parent-move code."""
        return self.state_of(self.keys.parent(self.key_of(state), code))

    def played(self, steps: list[Step]) -> list[Step] | None:
        """Return plays with the turns of the stock that they need; None if one is not legal."""
        return with_turns(self.keys.deal, steps)

    def step_of(self, position: Position, move: Move) -> Step:
        """Return the step of a move from a position: a card and its place value, or a turn."""
        return self.keys.step_of(position, move)

    def state_of(self, key: int) -> State:
        """Return the state of a key."""
        words = self.keys.words(key)
        found = np.zeros(1, np.uint64)
        signatures(self.keys.tables, words[None, :], found)
        won = self.keys.is_won(key)
        return State(self.goal if won else int(found[0]), *words.tolist())

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        return self.state_of(self.keys.encode(position))

    def goal_state(self, signature: int, key: Words) -> State:
        """Return the won state with this local key."""
        return State(self.goal, *key.tolist())

    def key_of(self, state: State) -> int:
        """Return the key of a state."""
        return self.keys.key_of(state[1:])

    def position(self, state: State) -> Position:
        """Return the position of a state."""
        return self.keys.decode(self.key_of(state))
