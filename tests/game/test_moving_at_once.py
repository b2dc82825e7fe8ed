"""Runs that move at once, cards that go home by themselves, and what moves cost: by slow words."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import AUTOMOVES, automoves, goes_home, moves_home
from dbmsolver.game.kinds import METRICS, POLICIES
from dbmsolver.game.measures import Measure, measure_of, usual_metric
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import capacity, empty_columns, run_length, supermoves
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES

COLOURS = (0, 1, 0, 1)  # of hearts, spades, diamonds, clubs: numbers of suits
PLAIN = (
    GAMES["freecell"],
    GAMES["bakers_game"],
    GAMES["eight_off"],
    Rules("any suit", 5, 2, "any", "any"),
    Rules("kings", 6, 3, "alternate", "kings"),
    Rules("no filling", 5, 3, "any", "none"),
    Rules("nothing on cards", 6, 3, "none", "any"),
    Rules("reserve", 6, 9, "any", "any", reserve=True),
)


def some_position(random: Random, rules: Rules) -> Position:
    """Return one with runs, empty columns and cells, and foundations of any height."""
    heights = tuple(random.choice((0, 0, 3, random.randint(0, 12))) for _ in range(4))
    left = [card for card in range(52) if card // 4 >= heights[card % 4]]
    random.shuffle(left)
    columns: list[list[int]] = [[] for _ in range(rules.columns)]
    cells: list[int | None] = [None] * rules.freecells
    used = random.sample(range(rules.columns), random.randint(1, rules.columns))
    while left:
        card = left.pop()
        if random.random() < 0.1 and None in cells:
            cells[cells.index(None)] = card
            continue
        fitting = [
            index for index in used if columns[index] and stacks(rules, card, columns[index][-1])
        ]
        index = random.choice(fitting if fitting and random.random() < 0.9 else used)
        columns[index].append(card)
    return Position(tuple(map(tuple, columns)), tuple(cells), heights)  # type: ignore[arg-type]


def stacks(rules: Rules, card: int, parent: int) -> bool:
    """Return True if a card may lie on another, by the words of the rules."""
    if rules.build == "none" or parent // 4 != card // 4 + 1:
        return False
    if rules.build == "any":
        return True
    if rules.build == "suit":
        return parent % 4 == card % 4
    return COLOURS[parent % 4] != COLOURS[card % 4]


def most_at_once(cells: int, columns: int) -> int:
    """Return how many cards move at once: with an empty column more, twice as many."""
    return cells + 1 if columns == 0 else 2 * most_at_once(cells, columns - 1)


@pytest.mark.parametrize("rules", PLAIN, ids=lambda rules: rules.name)
def test_runs_that_move_at_once(rules: Rules) -> None:
    random = Random(1)
    found = set()
    for _ in range(150):
        position = some_position(random, rules)
        columns = position.columns
        first_empty = next((i for i, column in enumerate(columns) if not column), None)
        expected = []
        for source, there in product(range(rules.columns), repeat=2):
            others = [i for i, c in enumerate(columns) if not c and i != there]
            assert empty_columns(position, there) == others
            cells = 0 if rules.reserve else position.freecells.count(None)
            most = most_at_once(cells, len(others) if rules.fill == "any" else 0)
            assert capacity(position, rules, there) == most
            for count in range(2, min(most, len(columns[source])) + 1):
                run = columns[source][-count:]
                if source == there or not all(stacks(rules, b, a) for a, b in pairwise(run)):
                    continue
                if columns[there]:
                    legal = stacks(rules, run[0], columns[there][-1])
                else:
                    filled = {"any": True, "kings": run[0] // 4 == 12, "none": False}[rules.fill]
                    legal = filled and there == first_empty and count < len(columns[source])
                if legal:
                    places = Place("column", source), Place("column", there)
                    expected.append(Move(run[0], *places, count=count))
        assert sorted(supermoves(position, rules)) == sorted(expected)
        found |= {(move.count, bool(columns[move.destination.index])) for move in expected}
        for column in columns[:3]:
            length = run_length(position, column, rules)
            runs = [
                n
                for n in range(1, len(column) + 1)
                if all(stacks(rules, b, a) for a, b in pairwise(column[-n:]))
            ]
            assert length == max(runs, default=0)
    assert rules.build == "none" or any(count > 2 for count, _ in found)


def safe_by_words(rules: Rules, card: int, heights: tuple[int, ...], policy: str) -> bool:
    """Return what the docstring of `is_safe_home` says, by the cards that may lie on this one."""
    rank, suit = card // 4 + 1, card % 4
    if policy == "none" or heights[suit] != rank - 1:
        return False
    if rules.build in ("suit", "none", "suit-both"):
        return True
    if rules.build == "any":
        concerned = [heights[other] for other in range(4) if other != suit]
        near = True
    else:
        concerned = [heights[other] for other in range(4) if COLOURS[other] != COLOURS[suit]]
        twin = next(
            other for other in range(4) if other != suit and COLOURS[other] == COLOURS[suit]
        )
        near = heights[twin] >= rank - 3
    if policy == "horne":
        return rank <= 2 or all(height >= rank - 1 for height in concerned)
    return near and all(height >= rank - 2 for height in concerned)


SAFE = (
    *PLAIN[:4],
    PLAIN[6],
    Rules("up and down", 7, 2, "suit-both", "kings"),
    Rules("runs", 8, 2, "alternate", "any", moves="runs"),
)
NEVER = (
    Rules("whole suits", 10, 0, "any", "any", moves="suit-runs", whole_suits=True),
    Rules("cards come back", 7, 2, "alternate", "any", removable=True),
    GAMES["golf"],
)


@pytest.mark.parametrize("rules", (*SAFE, *NEVER), ids=lambda rules: rules.name)
def test_safe_moves_home(rules: Rules) -> None:
    random = Random(2)
    met = set()
    for _ in range(1500):
        low = random.randint(0, 11)
        heights = tuple(min(13, low + random.randint(0, 3)) for _ in range(4))
        card = random.randrange(52)
        if random.random() < 0.8:
            card = 4 * min(heights[card % 4], 12) + card % 4
        words = {
            policy: rules not in NEVER and safe_by_words(rules, card, heights, policy)
            for policy in POLICIES
        }
        for policy in POLICIES:
            assert is_safe_home(rules, card, heights, policy) == words[policy]
        played = {
            "none": False,
            "horne": words["horne"],
            "wkr": words["horne"] or words["wkr"],
            "max": rules not in NEVER and heights[card % 4] == card // 4,
        }
        for policy in AUTOMOVES:
            assert goes_home(card, heights, rules, policy) == played[policy]
        met.add(tuple(played.values()))
    assert len(met) == (1 if rules in NEVER else 4 if rules.build in ("alternate", "any") else 2)


@pytest.mark.parametrize("rules", PLAIN, ids=lambda rules: rules.name)
def test_automoves_end_where_none_is_left(rules: Rules) -> None:
    """Each is one of those that may be made, and what is left may not."""
    random = Random(3)
    made = 0
    for _ in range(30):
        position = some_position(random, rules)
        for policy in AUTOMOVES:
            moves, after = automoves(position, rules, policy)
            now = position
            for move in moves:
                assert goes_home(move.card, now.foundations, rules, policy)
                assert move.destination == Place("foundation", move.card % 4)
                now = now.apply(move)
            assert now == after
            ends = [column[-1] for column in after.columns if column]
            ends += [card for card in after.freecells if card is not None]
            for card in ends:
                assert not goes_home(card, after.foundations, rules, policy)
                assert moves_home(after, card, rules, policy) is False
            made += len(moves)
    assert made > 20


def forced_by_words(position: Position, measure: Measure) -> set[int]:
    """Return the cards that go home at once, by `goes_home` or `is_safe_home`."""
    ends = [column[-1] for column in position.columns if column]
    ends += [card for card in position.freecells if card is not None]
    rule: Any = goes_home
    if measure.metric == "moves":
        return {c for c in ends if rule(c, position.foundations, measure.rules, measure.policy)}
    return {
        card
        for card in ends
        if is_safe_home(measure.rules, card, position.foundations, measure.policy)
    }


@pytest.mark.parametrize("rules", PLAIN[:5], ids=lambda rules: rules.name)
@pytest.mark.parametrize(("metric", "policy"), [*product(METRICS[:3], POLICIES), ("moves", "max")])
def test_moves_and_what_they_cost(rules: Rules, metric: Any, policy: Any) -> None:
    random = Random(4)
    measure = measure_of(rules, policy, metric)
    assert measure == Measure(rules, policy, metric)
    assert measure.by_room == (metric != "cards")
    free = metric == "moves" and policy != "none"
    assert (measure.has_free_moves, measure.counts_all) == (free, not free)
    forced_seen = 0
    for _ in range(12):
        position = some_position(random, rules)
        moves = position.moves(rules)
        if metric != "cards":
            moves = [*moves, *supermoves(position, rules)]
        assert measure.moves(position) == moves
        cards = forced_by_words(position, measure)
        forced = measure.forced(position)
        assert (forced is None) == (not cards)
        if forced is not None:
            # The lowest suit first: of one suit only one card fits.
            assert forced.card == min(cards, key=lambda card: card % 4)
            assert forced.forced
            assert forced.destination == Place("foundation", forced.card % 4)
            forced_seen += 1
        successors = measure.successors(position)
        assert [move for move, _ in successors] == ([forced] if forced is not None else moves)
        assert all(after == position.apply(move) for move, after in successors)
        for move, _ in successors:
            assert measure.cost(move) == (0 if free and move.forced else 1)
        made = [move for move, _ in successors]
        assert measure.length(made) == sum(measure.cost(move) for move in made)
    assert (forced_seen > 0) == (policy != "none")


def test_metrics_that_games_have() -> None:
    klondike, golf = GAMES["klondike_by_threes"], GAMES["golf"]
    runs, back = GAMES["simple_simon"], Rules("back", 7, 2, "alternate", "any", removable=True)
    both = Rules("up and down", 7, 2, "suit-both", "kings")
    allowed: dict[Rules, set[str]] = {
        GAMES["freecell"]: {"cards", "runs", "moves"},
        klondike: {"turns", "runs", "plays"},
        golf: {"cards"},
        runs: {"runs"},
        back: {"cards"},
        both: {"cards"},
    }
    for rules, metrics in allowed.items():
        usual = usual_metric(rules)
        assert usual == {klondike: "turns", runs: "runs"}.get(rules, "cards")
        assert measure_of(rules, "wkr").metric == usual
        for metric in METRICS:
            if metric in metrics:
                assert measure_of(rules, "wkr", metric).metric == metric
            else:
                with pytest.raises(UsageError, match="metric"):
                    measure_of(rules, "wkr", metric)
    for metric in (None, "cards", "runs"):
        with pytest.raises(UsageError, match="automove max"):
            measure_of(GAMES["freecell"], "max", metric)  # type: ignore[arg-type]
    assert measure_of(GAMES["freecell"], "max", "moves").has_free_moves
    turn = Move(3, Place("stock", 0), Place("waste", 0), count=3)
    play = Move(3, Place("waste", 0), Place("column", 1))
    for metric, cost in (("runs", 1), ("plays", 0)):
        measure = measure_of(klondike, "wkr", metric)  # type: ignore[arg-type]
        assert (measure.cost(turn), measure.cost(play)) == (cost, 1)
        assert (measure.by_room, measure.counts_all) == (False, metric == "runs")
        assert measure.length([turn, play, turn]) == 2 * cost + 1
    assert not measure_of(runs, "wkr").by_room


PATIENCE = {
    (rules.build, rules.moves, rules.base, rules.removable): rules
    for game in GAMES.values()
    if game.is_patience
    for rules in (game, replace(game, removable=not game.removable))
}


@cache
def lies_on(rules: Rules, card: int) -> frozenset[int]:
    """Return the cards that could ever lie on this one, or on cards that do."""
    lower = range(4 * (card // 4) - 4, 4 * (card // 4))
    found = {child for child in lower if child >= 0 and rules.can_stack(child, card)}
    return frozenset(found.union(*(lies_on(rules, child) for child in found)))


@pytest.mark.parametrize("key", PATIENCE)
def test_safe_moves_home_in_klondike_and_its_relatives(key: tuple[Any, ...]) -> None:
    """By the cards that could lie on the one that goes home: `game.patience` has the argument."""
    rules = PATIENCE[key]
    random = Random(5)
    met = set()
    for _ in range(1500):
        lowest = random.randint(1, 3) if rules.base != "ace" else 1
        near = random.randint(lowest - 1, 12)
        heights = tuple(max(lowest - 1, min(13, near + random.randint(-2, 2))) for _ in range(4))
        card = random.randrange(52)
        if random.random() < 0.8:
            card = 4 * min(heights[card % 4], 12) + card % 4
        rank, suit = card // 4 + 1, card % 4
        over = lies_on(rules, card) if rules.build != "suit" else frozenset()
        home = {one for one in over if heights[one % 4] > one // 4}
        soon = {one for one in over if heights[one % 4] >= one // 4}
        safe = heights[suit] == rank - 1 and over == (home if rules.moves == "groups" else soon)
        if rules.base == "round" and rules.build != "none":
            kinds = {one % 4 for one in lies_on(rules, 51 - 3 + suit)} | {suit}
            safe &= not rules.removable and all(heights[kind] >= lowest for kind in kinds)
        directly = {one for one in over if one // 4 == rank - 2}
        expected = {"none": False, "wkr": safe, "horne": safe and (rank <= 2 or directly <= home)}
        for policy in POLICIES:
            assert is_safe_home(rules, card, heights, policy, lowest) == expected[policy]
        met.add(tuple(expected.values()))
    assert len(met) > 1 or rules.removable
