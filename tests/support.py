"""What several test modules share: positions of every kind, and positions as states of the core."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

import numpy as np

from dbmsolver.core.expand import MAX_MOVES, signature_sets, successors
from dbmsolver.core.tables import (
    BUILD_ALTERNATE,
    BUILD_ANY,
    BUILD_SUIT,
    CARDS,
    FILL_ANY,
    FILL_KINGS,
    FILL_NONE,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    POLICY_HORNE,
    POLICY_NONE,
    POLICY_WKR,
    Codec,
    Game,
    make_codec,
)
from dbmsolver.deals import deal_number
from dbmsolver.position import Position
from dbmsolver.rules import GAMES, Policy, Rules

BUILDS = {"alternate": BUILD_ALTERNATE, "suit": BUILD_SUIT, "any": BUILD_ANY}
FILLS = {"none": FILL_NONE, "kings": FILL_KINGS, "any": FILL_ANY}
POLICY_CODES = {"none": POLICY_NONE, "horne": POLICY_HORNE, "wkr": POLICY_WKR}

ODD_RULES = (
    Rules("any suit, any fill", 8, 4, "any", "any"),
    Rules("any suit, kings", 6, 3, "any", "kings"),
    Rules("no freecells", 8, 0, "alternate", "any"),
    Rules("no freecells, one suit", 10, 0, "suit", "none"),
    Rules("many columns", 13, 2, "alternate", "kings"),
    Rules("many freecells", 5, 13, "alternate", "none"),
    Rules("few columns", 2, 9, "any", "any"),
)
ALL_RULES = (*GAMES.values(), *ODD_RULES)
RULES_NAMES = [rules.name for rules in ALL_RULES]


class State(NamedTuple):
    """A state of the core, as plain integers."""

    signature: int
    off: int
    low: int
    high: int


def game_of(rules: Rules, policy: Policy) -> Game:
    """The rules as the core wants them."""
    return Game(
        rules.columns,
        rules.freecells,
        BUILDS[rules.build],
        FILLS[rules.fill],
        POLICY_CODES[policy],
    )


def codec_of(start: Position, rules: Rules, policy: Policy) -> Codec:
    """The codec of a search that starts from this position."""
    cells = [card for card in start.freecells if card is not None]
    return make_codec(game_of(rules, policy), start.columns, cells, start.foundations)


def start_state(codec: Codec) -> State:
    """The state that the codec was made for."""
    return State(codec.signature, *codec.planes)


def beneath(position: Position) -> dict[int, int | None]:
    """What each card in a column lies on; None for the bottom."""
    return {
        card: column[depth - 1] if depth else None
        for column in position.columns
        for depth, card in enumerate(column)
    }


def state_of(position: Position, start: Position, rules: Rules, codec: Codec) -> State:
    """The position as a state of the search from `start`."""
    t = codec.tables
    as_dealt, now = beneath(start), beneath(position)
    places = {card: PLACE_FREECELL for card in position.freecells if card is not None}
    for card, parent in now.items():
        if t.dealt_place[card] == PLACE_LOCKED and as_dealt[card] == parent:
            places[card] = PLACE_LOCKED
        elif parent is None:
            places[card] = PLACE_BOTTOM
        else:
            places[card] = rules.parent_kinds.index((card ^ parent) & 3)
    signature = sum(height << (4 * suit) for suit, height in enumerate(position.foundations))
    for index, column in enumerate(start.columns):
        count = sum(places.get(card) == PLACE_LOCKED for card in column)
        signature |= count << int(t.column_shift[index])
    planes = [0, 0, 0]
    for card, place in places.items():
        if place != PLACE_LOCKED:
            for plane in range(3):
                planes[plane] |= int(t.place_planes[plane, place]) << card
    return State(signature, *planes)


def places_of(state: State, codec: Codec) -> list[int]:
    """Place value of each card."""
    sets = signature_sets(codec.tables, np.uint64(state.signature))
    places = []
    for card in range(CARDS):
        if int(sets.home) >> card & 1:
            places.append(PLACE_HOME)
        elif int(sets.locked) >> card & 1:
            places.append(PLACE_LOCKED)
        elif state.off >> card & 1:
            places.append(PLACE_FREECELL + (state.low >> card & 1))
        else:
            places.append((state.low >> card & 1) + 2 * (state.high >> card & 1))
    return places


def position_of(state: State, start: Position, rules: Rules, codec: Codec) -> Position:
    """The state as a position; columns and freecells come in some order."""
    as_dealt = beneath(start)
    above: dict[int, int] = {}
    bottoms, cells = [], []
    for card, place in enumerate(places_of(state, codec)):
        parent = None
        if place == PLACE_HOME:
            continue
        if place == PLACE_FREECELL:
            cells.append(card)
            continue
        if place == PLACE_LOCKED:
            parent = as_dealt[card]
        elif place != PLACE_BOTTOM:
            parent = card + 4 ^ rules.parent_kinds[place]
        if parent is None:
            bottoms.append(card)
        else:
            assert parent not in above
            above[parent] = card
    columns: list[tuple[int, ...]] = []
    for card in bottoms:
        column = [card]
        while column[-1] in above:
            column.append(above[column[-1]])
        columns.append(tuple(column))
    columns += [()] * (rules.columns - len(columns))
    empty: list[int | None] = [None] * (rules.freecells - len(cells))
    hearts, spades, diamonds, clubs = (state.signature >> 4 * suit & 15 for suit in range(4))
    return Position(tuple(columns), (*cells, *empty), (hearts, spades, diamonds, clubs))


def core_successors(
    codec: Codec, state: State, skip: int = 0
) -> tuple[list[tuple[State, int]], bool]:
    """(successors with their parent-move codes, whether the move is forced)."""
    states, codes = np.zeros((MAX_MOVES, 4), np.uint64), np.zeros(MAX_MOVES, np.uint16)
    words = [np.uint64(word) for word in state]
    count, forced = successors(codec.tables, *words, np.uint64(skip), states, codes)
    return [
        (State(*(int(word) for word in states[index])), int(codes[index])) for index in range(count)
    ], forced


def walk(
    random: Random, start: Position, rules: Rules, policy: Policy, steps: int
) -> list[Position]:
    """The positions of a random game; it may get stuck. Moves home are liked a little better."""
    positions = [start]
    for _ in range(steps):
        following = positions[-1].successors(rules, policy)
        if not following:
            break
        home = [pair for pair in following if pair[0].destination.kind == "foundation"]
        choices = home if home and random.random() < 0.5 else following
        positions.append(random.choice(choices)[1])
    return positions


def random_layout(random: Random, rules: Rules) -> Position:
    """Cards anywhere: some home, some in freecells, columns of all lengths, a few runs."""
    heights = [random.choice((0, 0, random.randrange(14))) for _ in range(4)]
    deck = [card for card in range(CARDS) if card >> 2 >= heights[card & 3]]
    random.shuffle(deck)
    if random.random() < 0.3:
        deck.sort(key=lambda card: -(card >> 2) + random.random() * random.choice((1, 4)))
    cells: list[int | None] = [None] * rules.freecells
    for index in range(rules.freecells):
        if deck and random.random() < 0.4:
            cells[index] = deck.pop(random.randrange(len(deck)))
    columns: list[list[int]] = [[] for _ in range(rules.columns)]
    used = random.randint(1, rules.columns)
    for card in deck:
        columns[random.randrange(used)].append(card)
    random.shuffle(columns)
    hearts, spades, diamonds, clubs = heights
    return Position(tuple(map(tuple, columns)), tuple(cells), (hearts, spades, diamonds, clubs))


def random_start(random: Random, rules: Rules, policy: Policy) -> Position:
    """A deal, a position in the middle of a game, or cards anywhere."""
    kind = random.randrange(3)
    if kind == 2:
        return random_layout(random, rules)
    start = deal_number(random.randrange(1, 1_000_000), rules)
    return walk(random, start, rules, policy, random.randrange(120))[-1] if kind else start


def words_of(*values: Any) -> tuple[np.uint64, ...]:
    """Integers as the kernels take them."""
    return tuple(np.uint64(value) for value in values)
