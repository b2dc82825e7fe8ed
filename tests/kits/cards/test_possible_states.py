"""States that are read from a file: those that other kernels can work with, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.support import BUILT_DOWN, Game, random_game

from dbmsolver.game.rules import Rules
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.cards.possible_states import are_positions
from dbmsolver.kits.cards.tables import PLACE_FREECELL
from dbmsolver.kits.states import State


class Reader:
    """The states of a game, as the kernel takes them and as its documentation has them."""

    def __init__(self, game: Game) -> None:
        self.codec, self.rules = game.codec, game.rules
        self.tables = game.codec.tables
        self.dealt = self.tables.dealt_place.tolist()
        self.under: dict[int, int | None] = {}
        for column in game.codec.columns:
            self.under |= dict(zip(column, (None, *column), strict=False))

    def is_accepted(self, *states: State) -> bool:
        used = sum(mask << shift for shift, mask, _ in self.codec.most_in_fields())
        words = np.uint64(self.codec.root.signature), np.uint64(used)
        return bool(are_positions(self.tables, *words, np.array(states, np.uint64)))

    def locked(self, state: State) -> int:
        """Return the cards that a signature has where they were dealt."""
        t, found = self.tables, 0
        for column, (shift, mask) in enumerate(self.codec.falling()):
            found |= int(t.locked[column, state.signature >> shift & mask])
        return found

    def can_be(self, state: State) -> bool:
        """Return True if each card has one place, and there are as many places."""
        fields = self.codec.most_in_fields()
        if state.signature & ~sum(mask << shift for shift, mask, _ in fields):
            return False
        if any(state.signature >> shift & mask > most for shift, mask, most in fields):
            return False
        if any(plane >> CARDS for plane in state[1:]):
            return False
        cells, bottoms, below = [], 0, list[int | None]()
        lying = set()
        for card in range(CARDS):
            home = card // 4 < (state.signature >> 4 * (card % 4)) & 15
            bits = [plane >> card & 1 for plane in state[1:]]
            locked = bool(self.locked(state) >> card & 1)
            if ((home or locked) and any(bits)) or (home and locked):
                return False
            if bits[2] and (bits[0] or self.tables.planes == 2):
                return False
            if home:
                continue
            if bits[0] and not locked and not bits[1]:
                cells.append(card)
                continue
            lying.add(card)
            if locked:
                under = self.under[card]
                bottoms += under is None
                below += [] if under is None else [under]
            elif bits[0]:
                bottoms += 1
            else:
                kind = bits[1] + 2 * bits[2]
                if kind >= self.tables.kinds.size:
                    return False
                below.append(self.rules.parent(card, kind, 1))
        # Only a reserve has cards where no card may be put.
        held = all(self.dealt[card] == PLACE_FREECELL for card in cells)
        room = len(cells) <= self.tables.freecells or (not self.tables.freecells and held)
        alone = len(set(below)) == len(below) and set(below) <= lying
        return room and alone and bottoms <= self.tables.columns


def with_bits(state: State, changes: list[tuple[int, int]]) -> State:
    words: list[Any] = list(state)
    for word, bit in changes:
        words[word] ^= 1 << bit
    return State(*words)


@BUILT_DOWN
@pytest.mark.parametrize("seed", range(3))
def test_states_with_some_bits_changed(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    reader = Reader(game)
    walk = [game.codec.state(position) for position in game.walk(40)]
    assert reader.is_accepted(*walk) and all(map(reader.can_be, walk))
    for _ in range(400):
        changes = [
            (game.random.randrange(4), game.random.randrange(64))
            for _ in range(game.random.choice((1, 2)))
        ]
        other = with_bits(game.random.choice(walk), changes)
        expected = reader.can_be(other)
        assert reader.is_accepted(other) == reader.is_accepted(*walk, other) == expected, other
