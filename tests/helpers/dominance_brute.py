"""Dominating positions by brute force, from the rules alone.

The readable model must agree with it.

A state is ``(heights, columns, cells)``: columns that are not empty, sorted, and the set of cards
in freecells. Nothing here knows lifts, macros or conditions on them; a record's positions are
listed one by one and followed by parking moves. Small decks are games whose low cards are home
already, so that kings are kings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple

from dbmsolver.game.bases import ACE
from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.dominance import macros as successors_of_records
from dbmsolver.game.dominance import records
from dbmsolver.game.dominance.attempts import Macro
from dbmsolver.game.dominance.records import Column, Record
from dbmsolver.game.kinds import POLICIES, Build, Fill, Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

State = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], frozenset[int]]


class Deck(NamedTuple):
    """A small game: where it starts, and under which rules and policy."""

    start: Position
    rules: Rules
    policy: Policy


def state_of(position: Position) -> State:
    """Return the position without the order of columns and freecells."""
    cells = frozenset(card for card in position.freecells if card is not None)
    return position.foundations, _sorted(position.columns), cells


def position_of(state: State, rules: Rules) -> Position:
    """Return a position of the state."""
    heights, columns, cells = state
    hearts, spades, diamonds, clubs = heights
    empty = ((),) * (rules.columns - len(columns))
    none = (None,) * (rules.freecells - len(cells))
    return Position((*columns, *empty), (*sorted(cells), *none), (hearts, spades, diamonds, clubs))


def _sorted(columns: Iterable[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted(column for column in columns if column))


def _exposed(state: State) -> list[int]:
    """Return the cards that are free to move."""
    _, columns, cells = state
    return [column[-1] for column in columns] + list(cells)


def _without(state: State, card: int) -> State:
    """Return the state after a card that is free to move is taken away.

    Its column stays among the others, even if it has no card any more.
    """
    heights, columns, cells = state
    if card in cells:
        return heights, columns, cells - {card}
    rest = tuple(column[:-1] if column[-1] == card else column for column in columns)
    return heights, rest, cells


def _home(card: int, state: State) -> State:
    """Return the state after a card that is free to move goes home."""
    heights, columns, cells = _without(state, card)
    own = suit(card)
    raised = (*heights[:own], heights[own] + 1, *heights[own + 1 :])
    return raised, _sorted(columns), cells


def plain_moves(state: State, rules: Rules) -> Iterator[State]:
    """Yield the states after each legal move of a card."""
    heights, columns, cells = state
    for card in _exposed(state):
        _, others, free = _without(state, card)
        takers = rules.takers(card, ACE)
        if heights[suit(card)] == rank(card) - 1:
            yield _home(card, state)
        for index, column in enumerate(others):
            if column and column[-1] in takers and column in columns:
                longer = (*others[:index], (*column, card), *others[index + 1 :])
                yield heights, _sorted(longer), free
        if card not in cells and len(cells) < rules.freecells:
            yield heights, _sorted(others), free | {card}
        if (card,) not in columns and len(columns) < rules.columns and rules.can_fill(card):
            yield heights, _sorted((*others, (card,))), free


def safe_moves(state: State, deck: Deck) -> list[State]:
    """Return the states after each safe move home."""
    return [
        _home(card, state)
        for card in _exposed(state)
        if is_safe_home(deck.rules, card, state[0], deck.policy)
    ]


def successors(state: State, deck: Deck) -> list[State]:
    """Return the plain successors: after safe moves only, where there are any."""
    return safe_moves(state, deck) or list(plain_moves(state, deck.rules))


def settled(state: State, deck: Deck) -> State:
    """Return the state once all safe moves are made; their order makes no difference."""
    while safe := safe_moves(state, deck):
        state = safe[0]
    return state


def by_safe_moves(state: State, deck: Deck) -> set[State]:
    """Return the state and all that follow by safe moves in any order."""
    seen = {state}
    todo = [state]
    while todo:
        for after in safe_moves(todo.pop(), deck):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


def reached(deck: Deck, most: int) -> set[State] | None:
    """All plainly reachable states; None if there are more than `most`."""
    start = state_of(deck.start)
    seen = {start}
    todo = [start]
    while todo:
        for after in successors(todo.pop(), deck):
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if len(seen) > most:
            return None
    return seen


def arrangements(record: Record, rules: Rules) -> Iterator[State]:
    """Yield the states that a record stands for, listed one by one."""
    heights, stuck, fix = record
    lying = {card for column in stuck for card in column}
    home = {card for card in range(CARDS) if card >> 2 < heights[card & 3]}
    slots = [card for card in range(CARDS) if card not in lying and card not in home]
    empty = rules.columns - len(stuck) if rules.fill == "any" else 0
    full = len(slots) == rules.freecells + empty
    for count in range(min(empty, len(slots)) + 1):
        for alone in combinations(slots, count):
            cells = frozenset(slots) - set(alone)
            if len(cells) <= rules.freecells and not (full and fix - set(alone)):
                yield heights, _sorted((*stuck, *((card,) for card in alone))), cells


def parked(state: State, rules: Rules) -> Iterator[State]:
    """Yield the states after one parking move: of a top card, or of a card in a slot."""
    heights, columns, cells = state
    for card in _exposed(state):
        _, others, free = _without(state, card)
        if card not in cells and len(cells) < rules.freecells:
            yield heights, _sorted(others), free | {card}
        if rules.fill == "any" and len(columns) < rules.columns:
            yield heights, _sorted((*others, (card,))), free


def dominated(record: Record, rules: Rules) -> set[State]:
    """All states that parking leads to from those that the record stands for."""
    seen = set(arrangements(record, rules))
    todo = list(seen)
    while todo:
        for after in parked(todo.pop(), rules):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


class Model(NamedTuple):
    """The tested functions: the record of a position, and the macros of a record."""

    record_of: Callable[[Position, Rules, Policy], Record] = records.record_of
    macros: Callable[[Record, Rules, Policy], Iterator[Macro]] = successors_of_records.macros


MODEL = Model()
"""The readable model as it is."""


class Records(NamedTuple):
    """The records of a game, with their macros."""

    root: Record
    macros: dict[Record, list[Macro]]


def all_records(deck: Deck, most: int, model: Model = MODEL) -> Records | None:
    """Every record that macros lead to; None if there are more than `most`."""
    root = model.record_of(deck.start, deck.rules, deck.policy)
    found: dict[Record, list[Macro]] = {}
    seen = {root}
    todo = [root]
    while todo:
        record = todo.pop()
        found[record] = list(model.macros(record, deck.rules, deck.policy))
        following = dict.fromkeys(macro.record for macro in found[record])
        todo += [after for after in following if after not in seen]
        seen.update(following)
        if len(seen) > most:
            return None
    return Records(root, found)


def random_deck(random: Random, build: Build, fill: Fill) -> Deck:
    """Two to five ranks in two to six columns with up to three freecells: slots run full.

    Some decks are a deal, some are somewhere in the middle of a game, and some have short columns,
    which are stripped often.
    """
    kind = random.choice(("deal", "deal", "middle", "middle", "short"))
    columns, cells = random.randint(2, 6), random.randint(0, 3)
    if kind == "short":
        columns, cells = random.randint(3, 5), random.randint(1, 3)
    rules = Rules("small", columns, cells, build, fill)
    low = 13 - (random.choice((3, 3, 4)) if kind == "short" else random.randint(2, 5))
    heights = [low] * 4
    if kind == "middle":
        heights = [random.randint(low, 13) for _ in range(4)]
    elif random.random() < 0.3:
        heights = [low + (random.random() < 0.3) for _ in range(4)]
    cards = [card for card in range(CARDS) if card >> 2 >= heights[card & 3]]
    random.shuffle(cards)
    if random.random() < (0.7 if kind == "short" else 0.3):
        spread = random.choice((1.5, 3, 6))
        cards.sort(key=lambda card: (card >> 2) + spread * random.random())
    filled: list[int | None] = [None] * cells
    for index in range(random.randint(0, cells) if kind == "middle" else 0):
        filled[index] = cards.pop() if cards else None
    hearts, spades, diamonds, clubs = heights
    piles = _piles(random, kind, cards, columns)
    start = Position(piles, tuple(filled), (hearts, spades, diamonds, clubs))
    policy = random.choice(("none", *POLICIES))
    return Deck(start, rules, policy)


def _piles(random: Random, kind: str, cards: list[int], columns: int) -> tuple[Column, ...]:
    piles: list[Column] = [()] * columns
    if kind == "short":
        for place in range(random.randint(2, columns)):
            length = random.choice((2, 2, 3))
            piles[place], cards = tuple(cards[:length]), cards[length:]
    used = {"deal": columns, "short": 2, "middle": random.randint(1, columns)}[kind]
    for index, card in enumerate(cards):
        place = random.randrange(used) if kind == "middle" else index % used
        piles[place] = (*piles[place], card)
    return tuple(piles)
