"""Searches of wide games against breadth-first search on the readable model, on small decks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from helpers.wide_games import WIDE_GAMES, listed_by_kernel, shortest, small_deck

from dbmsolver import prove, solve
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.kits.wide import search as wide_search
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.search import (
    EXHAUSTED,
    EXPANDED,
    GIVEN_UP,
    MET,
    explore,
    make_frontier,
)
from dbmsolver.results import Options, Question
from dbmsolver.search import session
from dbmsolver.search.wide import exploring
from dbmsolver.search.wide.dives import ORDER
from dbmsolver.search.wide.exploring import Exploration

MOST = 20_000
BOUND = np.ones(1, np.int64)
ORDERS = (ORDER, (10, 5, 20, 5, 2, 1, 0, 0, 0), (0, 3, 0, 2, 0, 0, 9, 4, 3))
"""Weights of dives: what they meet does not depend on them."""


def of_kernel(keys: WideKeys, position: Wide) -> set[tuple[int, ...]]:
    """Return the rows of the successors that the kernel lists."""
    return {tuple(row) for row, _ in listed_by_kernel(keys, position)}


def of_model(keys: WideKeys, position: Wide) -> set[tuple[int, ...]]:
    """Return the rows of the positions that the readable model leads to."""
    rows = set()
    for _, after in position.successors(keys.rules, "none"):
        assert isinstance(after, Wide)
        rows.add(tuple(keys.row(after).tolist()))
    return rows


def check_walk(deal: Deal, random: Random, moves: int) -> None:
    """Compare the successors of the positions of a random game."""
    keys, position = WideKeys(deal), deal.position
    for _ in range(moves):
        assert isinstance(position, Wide)
        position.validate(deal.rules)
        assert of_kernel(keys, position) == of_model(keys, position)
        ways = position.successors(deal.rules, "none")
        if not ways:
            return
        position = random.choice(ways)[1]


@pytest.mark.parametrize("game", WIDE_GAMES)
def test_successors_in_whole_games(game: str) -> None:
    check_walk(Deal.from_number(5, GAMES[game]), Random(1), 60)


def test_successors_in_small_games() -> None:
    random = Random(2)
    for _ in range(80):
        check_walk(small_deck(random), random, 12)


def test_rows_are_equal_where_positions_are_the_same() -> None:
    """Keys tell apart what `canonical_for` tells apart, and nothing else."""
    random = Random(3)
    for _ in range(30):
        deal = small_deck(random)
        keys, met, layer = WideKeys(deal), {}, [deal.position]
        for _ in range(4):
            following = []
            for position in layer[:40]:
                assert isinstance(position, Wide)
                row = keys.row(position).tobytes()
                same = position.canonical_for(deal.rules)
                assert met.setdefault(row, same) == same
                following += [after for _, after in position.successors(deal.rules, "none")]
            layer = following
        assert len(set(met.values())) == len(met)


def check(deal: Deal, most: int) -> str:
    """Compare all searches of one deal with breadth-first search; return what it was."""
    expected = shortest(deal, most)
    if expected is None:
        return "large"
    length, states = expected
    keys = WideKeys(deal)
    assert length is None or keys.least <= length
    layers = make_frontier(keys.tables, keys.root, MOST, True)
    result = int(explore(keys.tables, layers, BOUND, MOST))
    digests = set()
    for weights in ORDERS:
        dive = Exploration(keys, np.array(weights, np.int64), MOST, 1 << 28)
        while not dive.step():
            pass
        if length is None:
            assert (dive.result, dive.expanded) == (EXHAUSTED, states)
            digests.add(dive.digest)
        else:
            position = deal.position
            for move in dive.moves():
                assert move in position.moves(deal.rules)
                position = position.apply(move)
            assert position.is_goal()
    if length is None:
        assert result == EXHAUSTED and layers.state[EXPANDED] == states
        assert digests == {int(layers.digest[0])}
        return "lost"
    assert layers.moves[result] == length
    return "won"


def check_many(seed: int, decks: int, game: str | None, most: int) -> None:
    """Check so many decks; those of more than ``most`` positions are left out."""
    random = Random(f"{game} {seed}")
    seen = Counter(check(small_deck(random, game), most) for _ in range(decks))
    assert seen["won"] and seen["lost"]


@pytest.mark.parametrize("game", [None, *WIDE_GAMES])
def test_small_decks(game: str | None) -> None:
    check_many(1, 25, game, 700)


@pytest.mark.slow
@pytest.mark.parametrize("game", [None, *WIDE_GAMES])
def test_many_small_decks(game: str | None) -> None:
    check_many(2, 30, game, 2500)


def test_a_dive_that_is_interrupted_goes_on() -> None:
    """The result does not depend on how often limits are looked at."""
    deal = small_deck(Random(306))
    assert lost(deal) == 591
    keys = WideKeys(deal)
    weights = np.array(ORDERS[0], np.int64)
    whole = make_frontier(keys.tables, keys.root, MOST)
    assert explore(keys.tables, whole, weights, MOST) == EXHAUSTED
    parts = make_frontier(keys.tables, keys.root, MOST)
    steps = 0
    while explore(keys.tables, parts, weights, int(parts.state[MET]) + 7) == GIVEN_UP:
        steps += 1
    assert steps > 10
    assert (parts.state[EXPANDED], parts.digest[0]) == (whole.state[EXPANDED], whole.digest[0])


@pytest.mark.parametrize("layers", [False, True])
def test_the_hash_table_grows_with_the_search(
    monkeypatch: pytest.MonkeyPatch, layers: bool
) -> None:
    """The states are the same as with a table for all of them, and none is met twice."""
    keys = WideKeys(Deal.from_number(1, GAMES["spider_one_suit"]))
    weights = None if layers else np.array(ORDERS[0], np.int64)

    def search(first: int, at_once: int) -> tuple[Exploration, int]:
        monkeypatch.setattr(wide_search, "FIRST_STATES", first)
        monkeypatch.setattr(exploring, "AT_ONCE", at_once)
        found, sizes = Exploration(keys, weights, 30_000, 1 << 30), set()
        while not found.step():
            sizes.add(found.frontier.slots.size)
        return found, len(sizes)

    (whole, once), (grown, sizes) = search(30_000, 1 << 20), search(2, 1000)
    assert once <= 1 < 4 <= sizes
    assert grown.met >= 30_000
    assert (grown.met, grown.expanded, grown.digest) == (whole.met, whole.expanded, whole.digest)
    assert (grown.frontier.parent[: grown.met] == whole.frontier.parent[: whole.met]).all()


def test_a_search_with_much_memory_begins_small() -> None:
    keys = WideKeys(small_deck(Random(306)))
    search = Exploration(keys, np.array(ORDERS[0], np.int64), 1 << 24, 1 << 33)
    assert search.frontier.slots.nbytes <= 16 * wide_search.FIRST_STATES


def test_a_dive_that_goes_on_has_won_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its result is none of the states that it has met."""
    monkeypatch.setattr(exploring, "AT_ONCE", 50)
    keys = WideKeys(Deal.from_number(1, GAMES["spider"]))
    dive = Exploration(keys, np.array(ORDER, np.int64), 5000, 64 << 20)
    assert not dive.step() and dive.met >= 50
    assert dive.result == GIVEN_UP < 0


def lost(deal: Deal) -> int:
    """Return the positions of a deal that cannot be won; 0 if it can, or has many."""
    found = shortest(deal)
    return found[1] if found is not None and found[0] is None else 0


def test_sessions_answer_as_breadth_first_search_does() -> None:
    random, seen = Random(7), Counter[str]()
    while min(seen["won"], seen["lost"]) < 6:
        deal = small_deck(random)
        expected = shortest(deal, 2000)
        if expected is None:
            continue
        length, states = expected
        proof = prove(deal, memory=1 << 27)
        for any_solution in (False, True):
            answer = solve(deal, memory=1 << 27, any_solution=any_solution)
            assert (answer.verdict, answer.length) == (proof.verdict, length)
            if length is not None:
                assert answer.shortest and answer.at_least == length
            else:
                assert (answer.states, answer.digest) == (proof.states, proof.digest)
        if length is None:
            assert proof.states == states
        seen["lost" if length is None else "won"] += 1


def test_limits() -> None:
    deal = Deal.from_number(2, GAMES["spider"])
    few = prove(deal, max_states=3000, memory=1 << 27)
    assert (few.verdict, few.limit) == ("undecided", "max-states")
    assert prove(deal, max_time=0.01, memory=1 << 27).limit == "max-time"
    small = solve(deal, memory=40 << 20)
    assert (small.verdict, small.limit) == ("undecided", "memory")
    assert small.at_least is not None and small.at_least >= WideKeys(deal).least
    some = solve(deal, max_states=3000, memory=1 << 27)
    assert some.limit == "max-states" and some.evaluated <= 3000
    calls = iter(range(9))
    stopped = prove(deal, cancel=lambda: next(calls) > 2, memory=1 << 27)
    assert (stopped.verdict, stopped.limit) == ("undecided", "interrupt")


@pytest.mark.parametrize("game", ["gypsy", "forty_thieves"])
def test_a_solution_as_short_as_the_bound_is_a_shortest_one(game: str) -> None:
    """No beam looks for a shorter one, and no limit leaves that open."""
    held = {"gypsy": "Stock: KD QD", "forty_thieves": "Waste: KD\nStock: QD"}[game]
    text = f"Foundations: H-K H-K C-K C-K D-K D-J S-K S-K\n{held}\n"
    deal = Deal.from_text(text, GAMES[game])
    result = solve(deal, any_solution=True, threads=1, max_states=2000)
    assert (result.length, result.at_least, result.shortest, result.limit) == (3, 3, True, None)
    assert 0 < result.evaluated < 2000


def test_a_cluster_and_a_store_are_refused(tmp_path: Path) -> None:
    deal = Deal.from_number(2, GAMES["spider"])
    for options, text in (
        (Options(cluster="auto"), "spider is searched in memory: expected no cluster"),
        (Options(store=tmp_path / "s"), "spider is searched in memory, and has no store"),
        (Options(keep="none"), "has no store: keep none says nothing, expected all"),
    ):
        for question in Question:
            with pytest.raises(UsageError, match=text if options.store else "expected"):
                next(session.run(question, deal, options))
    assert not (tmp_path / "s").exists()


def test_spider_of_one_suit_is_won_and_the_solution_is_legal() -> None:
    deal = Deal.from_number(2, GAMES["spider_one_suit"])
    answer = solve(deal, any_solution=True, max_states=50_000, memory=1 << 29)
    assert answer.verdict == "solved" and not answer.shortest
    position = deal.position
    for move in answer.moves:
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    assert position.is_goal()


def test_a_search_in_memory_heeds_no_limit_of_the_disk() -> None:
    deal = Deal.from_number(3, GAMES["scorpion"])
    result = prove(deal, max_disk=1, memory=1 << 28)
    assert (result.verdict, result.limit) == ("unsolvable", None)
