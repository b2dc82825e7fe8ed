"""Searches of the readable model, written to be read: the slow twins of the kernels that search."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from random import Random
from typing import NamedTuple

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kits.states import State, StateCodec
from helpers.support import Game, from_base

MOST = 400
"""States of the largest game that is searched here."""


class Closure(NamedTuple):
    """All states of a game."""

    depth: dict[State, int]
    """The fewest moves that lead to each."""
    positions: dict[State, Position]
    parents: dict[State, dict[int, State]]
    """For each state, by parent-move code, the states that it is a successor of."""
    forced: set[State]
    """The states with a forced move."""


def closure(game: Game) -> Closure | None:
    """All states of a game, breadth first; None if there are more than MOST."""
    codec = game.codec
    start = codec.state(game.start)
    found = Closure({start: 0}, {start: game.start}, {start: {}}, set())
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for move, after in found.positions[state].successors(game.rules, game.policy):
            following = codec.state(after)
            if following not in found.depth:
                if len(found.depth) == MOST:
                    return None
                found.depth[following] = found.depth[state] + 1
                found.positions[following] = after
                found.parents[following] = {}
                queue.append(following)
            card = game.start.counted(move.card)
            code = int(codec.tables.codes[8 * card + codec.place(state, card)])
            found.parents[following][code] = state
            if move.forced:
                found.forced.add(state)
    return found


def small_game(rules: Rules, seed: int) -> tuple[Game, Closure]:
    """Return a game of at most MOST states, by a seed.

    Cards lie anywhere, as many as leave it that small.
    """
    random = Random(seed)
    policy = random.choice(POLICIES)
    kind = random.choice(("shuffled", "low cards deep", "runs"))
    cards = random.randint(4, CARDS)
    while True:
        start = some_cards(random, rules, kind, cards)
        game = Game(random, start, rules, policy, StateCodec(Deal(start, rules), policy))
        found = closure(game)
        if found is not None:
            return game, found
        cards = max(2, cards * 3 // 4)


def some_cards(random: Random, rules: Rules, kind: str, cards: int) -> Position:
    """Return a position with ``cards`` cards in columns and freecells, the rest of them home.

    With low cards deep there may be no way out, with runs it may be near.
    """
    heights = [13, 13, 13, 13]
    while sum(heights) > CARDS - cards:
        heights[random.choice([suit for suit in range(4) if heights[suit]])] -= 1
    left = [card for card in range(CARDS) if card >> 2 >= heights[card & 3]]
    random.shuffle(left)
    if kind == "low cards deep":
        left.sort(key=lambda card: (card >> 2) + 3 * random.random())
    cells: list[int | None] = [None] * rules.freecells
    filled = random.choice((rules.freecells, random.randint(0, rules.freecells)))
    for index in range(min(filled, len(left)) if kind != "runs" else 0):
        cells[index] = left.pop()
    if kind == "runs":
        left.sort(key=lambda card: -(card >> 2) + 3 * random.random())
    used = random.choice((rules.columns, random.randint(1, rules.columns)))
    columns: list[list[int]] = [[] for _ in range(used)]
    for card in left:
        fits = [column for column in columns if column and rules.can_stack(card, column[-1])]
        if kind != "runs" or not fits:
            fits = [column for column in columns if len(column) == min(map(len, columns))]
        random.choice(fits).append(card)
    columns += [[] for _ in range(rules.columns - used)]
    random.shuffle(columns)
    hearts, spades, diamonds, clubs = heights
    home = hearts, spades, diamonds, clubs
    return from_base(Position(tuple(map(tuple, columns)), tuple(cells), home), random, rules)


def breadth_first(
    start: Position, rules: Rules, policy: Policy, most: int
) -> tuple[int | None, int] | None:
    """Search for the goal; return the least number of moves to it, and how many positions were met.

    Where no goal can be reached, the first number is None, and the second one counts all positions
    that can be reached. Return None, and no pair, if more than ``most`` positions are met before a
    goal. The search uses the readable model only, and so does not depend on any kernel.
    """
    seen = {start.canonical()}
    queue = deque([(start, 0)])
    while queue:
        position, depth = queue.popleft()
        if position.is_goal():
            return depth, len(seen)
        for _, after in position.successors(rules, policy):
            known = after.canonical()
            if known not in seen:
                if len(seen) == most:
                    return None
                seen.add(known)
                queue.append((after, depth + 1))
    return None, len(seen)


def fewest_moves(deal: Deal, measure: Measure, most: int) -> tuple[int | None, int] | None:
    """Return the length of a shortest solution, None without one, and the number of positions.

    Every single move of the readable model is played; only moves that cost nothing, as they are
    made at once, leave no choice. None, and no pair, if more than ``most`` positions are met.
    """
    root = deal.position.canonical()
    least: dict[Hashable, int] = {root: 0}
    queue = deque([(0, root, deal.position)])
    while queue:
        made, known, position = queue.popleft()
        if made > least[known]:
            continue
        if position.is_goal():
            return made, len(least)
        forced = measure.forced(position) if measure.has_free_moves else None
        for move in measure.moves(position) if forced is None else [forced]:
            after, price = position.apply(move), measure.cost(move)
            known = after.canonical()
            if made + price < least.get(known, made + price + 1):
                least[known] = made + price
                if len(least) > most:
                    return None
                if price:
                    queue.append((made + price, known, after))
                else:
                    queue.appendleft((made, known, after))
    return None, len(least)
