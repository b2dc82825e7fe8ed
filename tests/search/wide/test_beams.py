"""Beams of wide games: what marks tell of moves, and what beams find, on small decks and large."""

from __future__ import annotations

import threading
from collections import Counter
from random import Random

import numpy as np
import pytest
from helpers.kernels import marked_moves
from helpers.selection import few_fast
from helpers.wide_games import WIDE_GAMES, shortest, small_deck

from dbmsolver import prove, solve
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.kits.wide.beam import ENDED, GIVEN_UP
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.marks import make_marks
from dbmsolver.kits.wide.moves import MOST_FOUND
from dbmsolver.kits.wide.tables import make_board
from dbmsolver.kits.wide.values import WEIGHTS
from dbmsolver.search.wide.beams import Beams, PlannedBeam, most_kept
from dbmsolver.search.wide.plans import BeamPlan, schedule_of

SOME = (10, 5, 30, 7, 2, 1, 40, 3, 6)


def above_lower(cards: tuple[int, ...], first: int) -> int:
    """Return how many cards, from the ``first`` on, lie above a lower one."""
    places = range(max(1, first), len(cards))
    return sum(rank(cards[place]) > min(map(rank, cards[:place])) for place in places)


def costs(position: Wide, rules: Rules, weights: tuple[int, ...]) -> int:
    """Return the costs of a position, as `kits.wide.values.costs_of` defines them."""
    unsuited, loose, empty, home, inverted, base, hidden, segments, waste = weights
    total = waste * len(position.waste) - home * sum(map(sum, position.home))
    total += inverted * above_lower(position.waste, 0)
    for column, down in zip(position.columns, position.hidden, strict=True):
        if not column:
            total -= empty
            continue
        total += hidden * down
        if not down:
            total += base * (13 - rank(column[0]))
        ends = down + (not down)
        for place in range(max(1, down), len(column)):
            under, card = column[place - 1 : place + 1]
            if suit(card) != suit(under) or not rules.is_run((under, card)):
                ends += 1
                total += unsuited
                if not position.can_stack(card, under, rules):
                    total += loose
        total += inverted * above_lower(column, down)
        total += segments * ends * (ends - 1) // 2
    return total


def check_walk(deal: Deal, random: Random, moves: int) -> None:
    """Compare what marks tell of the moves of a random game with what they tell of its positions.

    Hashes are the same where rows are.
    """
    keys, position = WideKeys(deal), deal.position
    board, marks = make_board(keys.tables), make_marks(keys.tables)
    listed, told = np.zeros(MOST_FOUND, np.int64), np.zeros((MOST_FOUND + 1, 3), np.uint64)
    weights = tuple(random.randint(0, 40) for _ in range(WEIGHTS))

    def told_of(one: Wide) -> list[tuple[int, ...]]:
        some = (board, marks, np.array(weights, np.int64), keys.row(one), listed, told)
        count = int(marked_moves(keys.tables, *some))
        assert told[0, 0].view(np.int64) == costs(one, deal.rules, weights)
        return [tuple(line) for line in told[: count + 1].tolist()]

    hash_of: dict[bytes, int] = {}
    for _ in range(moves):
        assert isinstance(position, Wide)
        ways = [after for _, after in position.successors(deal.rules, "none")]
        after = set()
        for one in ways:
            assert isinstance(one, Wide)
            after.add(of_it := told_of(one)[0])
            hash_of[keys.row(one).tobytes()] = of_it[1]
        assert set(told_of(position)[1:]) == after
        if not ways:
            break
        position = random.choice(ways)
    assert len(set(hash_of.values())) == len(hash_of)


@pytest.mark.parametrize("game", WIDE_GAMES)
def test_marks_in_whole_games(game: str) -> None:
    check_walk(Deal.from_number(3, GAMES[game]), Random(4), 25)


def test_marks_in_small_games() -> None:
    random = Random(5)
    for _ in range(50):
        check_walk(small_deck(random), random, 10)


def beam_of(deal: Deal, plan: BeamPlan, most: int = 50_000) -> PlannedBeam:
    beam = PlannedBeam(WideKeys(deal), plan, most)
    beam.run(threading.Event())
    return beam


def wins(deal: Deal, beam: PlannedBeam) -> bool:
    """Return True if the moves of a beam win; all of them have to be legal."""
    position = deal.position
    for move in beam.moves():
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    return position.is_goal()


def check_small(random: Random, game: str | None) -> str:
    """Compare beams of one deal with breadth-first search; return what it was."""
    deal = small_deck(random, game)
    expected = shortest(deal, 1500)
    if expected is None or expected[0] == 0:
        return "left out"
    whole = beam_of(deal, BeamPlan(2000, SOME, patience=10**6, last=10**6, longest=10**6))
    narrow = beam_of(deal, BeamPlan(3, SOME, 2, 3, 9, 7))
    if expected[0] is None:
        assert whole.result == narrow.result == ENDED
        return "lost"
    # A beam from which nothing is left out meets all states.
    assert whole.result >= 0 and wins(deal, whole)
    assert narrow.result == ENDED or wins(deal, narrow)
    return "won" if narrow.result >= 0 else "missed"


@pytest.mark.parametrize("game", few_fast([None, *WIDE_GAMES], 5))
def test_small_decks(game: str | None) -> None:
    random = Random(f"{game} 3")
    seen = Counter(check_small(random, game) for _ in range(10))
    assert seen["won"] and seen["lost"]


@pytest.mark.slow
@pytest.mark.parametrize("game", [None, *WIDE_GAMES])
def test_many_small_decks(game: str | None) -> None:
    random, seen = Random(f"{game} 2"), Counter[str]()
    while seen.total() < 30 or not seen["lost"]:
        seen[check_small(random, game)] += 1
    assert seen["won"] > 5 * seen["missed"]


def test_a_beam_keeps_what_it_may() -> None:
    deal = Deal.from_number(2, GAMES["spider"])
    beam = beam_of(deal, BeamPlan(50, SOME), 700)
    assert (beam.result, beam.kept) == (GIVEN_UP, 700)
    for plan in schedule_of(WideKeys(deal).tables):
        keys = WideKeys(deal)
        assert most_kept(keys, plan, 1 << 20) == 0 < most_kept(keys, plan, 1 << 30)


def test_the_first_beam_that_wins_decides_with_any_threads() -> None:
    keys = WideKeys(Deal.from_number(2, GAMES["spider_one_suit"]))
    weights = (10, 5, 10, 5, 0, 0, 10, 0, 0)
    schedule = [
        BeamPlan(2, weights),
        BeamPlan(200, weights),
        BeamPlan(100, weights),
        BeamPlan(300, weights),
    ]
    found = []
    for threads in (1, 2, 3):
        beams = Beams(keys, schedule, threads, 1 << 28, None)
        winner = None
        while winner is None or winner.result < 0:
            winner = beams.step()
        beams.close()
        found.append((winner.plan, beams.judged, winner.moves()))
    assert found[0] == found[1] == found[2]
    assert found[0][0] != schedule[0]


def test_beams_end_at_limits_of_a_search() -> None:
    deal = Deal.from_number(5, GAMES["spider"])
    few = prove(deal, max_states=70_000, memory=1 << 28)
    assert (few.verdict, few.limit, few.evaluated) == ("undecided", "max-states", 70_000)
    calls = iter(range(99))
    stopped = prove(deal, cancel=lambda: next(calls) > 12, memory=1 << 28)
    assert (stopped.verdict, stopped.limit) == ("undecided", "interrupt")


def test_spider_is_won_in_little_memory() -> None:
    deal = Deal.from_number(3, GAMES["spider_two_suits"])
    answer = solve(deal, any_solution=True, memory=64 << 20, max_states=200_000)
    assert answer.verdict == "solved" and answer.length == len(answer.moves)
