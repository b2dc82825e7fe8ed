"""Positions of Klondike and its relatives as states of a search."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.layout import PLANES
from dbmsolver.kernels.samples import NUMBER, NUMBERS, STATES, WORD, WORDS, Call
from dbmsolver.kernels.states import WordSets
from dbmsolver.kits.klondike.class_distances import (
    ClassDistances,
    list_signature,
    measure_signature,
    number_of_signature,
)
from dbmsolver.kits.klondike.classes import class_progress
from dbmsolver.kits.klondike.distances import listed_keys, no_distances
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.layers import LayerBounds
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.strata import WON
from dbmsolver.kits.klondike.strata import signatures as signatures_of
from dbmsolver.kits.klondike.tables import NO_PARENT, WASTE_SHIFT, Words, make_board, make_found
from dbmsolver.kits.klondike.words import StrataTables, make_tables
from dbmsolver.kits.states import State, StateCodec, Step, Walk
from dbmsolver.kits.turning import with_turns

_DIGITS = np.array([(1 << 63) - 1, (1 << 63) - 1, (1 << WASTE_SHIFT) - 1], np.uint64)
"""The bits of the three words that are digits of cards."""


class PatienceStates(StateCodec):
    """The states of one deal of a game of Klondike's kind.

    A state has three planes (uint64): the words of its position's key by ``keys``
    (:mod:`dbmsolver.kits.klondike.words`). ``distances`` are those of the deal's classes, if any.
    """

    closed_as_records = True

    def __init__(self, keys: PatienceKeys, distances: ClassDistances | None = None) -> None:
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
        self._distances = distances or no_distances()

    @property
    def sets(self) -> WordSets:
        """Sample data of a signature: kernels are compiled for the type that it has."""
        return WordSets(WORD, WORD)

    def own_kernels(self) -> list[Call]:
        """Return the kernels that check blocks, and look positions up."""
        from dbmsolver.kits.klondike.check import find_wrong

        return [
            (signatures_of, (self.keys.tables, STATES, WORDS)),
            (find_wrong, (self.keys.tables, self.keys.arranging, STATES, NUMBERS)),
        ]

    def listing_kernels(self) -> list[Call]:
        """Return the kernels that list all classes of the deal and measure their distances."""
        t, distances = listed_keys(self.deal).tables, no_distances()
        return [
            (list_signature, (t, WORD, WORDS)),
            (measure_signature, (distances, WORD, WORDS)),
            (number_of_signature, (distances, WORD)),
            (class_progress, (t, WORD, NUMBER)),
        ]

    @property
    def root_code(self) -> int:
        """Return the code of the deal's state, which has no parent."""
        return NO_PARENT

    @property
    def won_from(self) -> int:
        """The first stratum that only solvable deals reach: that of a win."""
        return self.last_stratum

    @property
    def bounds(self) -> LayerBounds:
        """The tables of the lower bound on the moves to come; the distances are part of it."""
        return LayerBounds(self.keys.bounds, self._distances)

    @property
    def least(self) -> int:
        """The lower bound of the deal's position: no solution has fewer moves."""
        return self.keys.least

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
        return State(int(self._signatures(words)[0]), *words.tolist())

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        return self.state_of(self.keys.encode(position))

    def states(self, position: Position) -> Iterator[State]:
        """Yield each state from which a position is reached by nothing but turns of the stock.

        Raise InputError if no game from this deal can reach the position.
        """
        self.encode(position)
        return map(self.state_of, self.keys.before_turning(position))

    def walk(self) -> Walk:
        """Return the random games by which closed states are tried, of the search's own moves.

        Which moves a search for a shortest solution leaves out depends on what its states stand
        for.
        """
        keys, board, found = self.keys, make_board(), make_found()

        def following(key: int) -> list[int]:
            count = moves_of(keys.tables, keys.words(key), board, found)
            return [keys.key_of(words) for words in found.words[:count]]

        return Walk(
            keys.root,
            following,
            lambda key: [self.state_of(key)],
            away="a position {} plays from the deal",
        )

    def goal_state(self, signature: int, key: Words) -> State:
        """Return the won state with this local key."""
        return State(self.goal, *key.tolist())

    def are_signatures(self, signatures: Words) -> bool:
        """Return True: the local keys tell what the signatures are."""
        return True

    def are_keys(self, keys: Words) -> bool:
        """Return True if kernels can work with local keys that have no bits too many."""
        return self.keys.are_states(keys.reshape(-1, PLANES))

    def have_signatures(self, keys: Words, signatures: Words, counts: NDArray[np.int64]) -> bool:
        """Return False if a local key has another signature than its run."""
        return bool((self._signatures(keys) == np.repeat(signatures, counts)).all())

    def _signatures(self, keys: Words) -> Words:
        """Return the signature of each of some local keys."""
        words = keys.reshape(-1, PLANES)
        found = np.zeros(words.shape[0], np.uint64)
        signatures_of(self.keys.tables, words, found)
        found[(words & _DIGITS == self.keys.words(self.keys.goal)).all(axis=1)] = WON
        return found

    def key_of(self, state: State) -> int:
        """Return the key of a state."""
        return self.keys.key_of(state[1:])

    def position(self, state: State) -> Position:
        """Return the position of a state."""
        return self.decode(self.key_of(state))

    def encode(self, position: Position) -> int:
        """Return the key of a position; InputError if no game from this deal can reach it."""
        return self.keys.encode(position)

    def decode(self, key: int) -> Position:
        """Return the position of a key; InputError if it is the key of none."""
        return self.keys.decode(key)
