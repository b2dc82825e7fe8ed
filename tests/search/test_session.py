"""Whole searches against what others have found, and against slow searches in Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
import xxhash
from helpers.searching import prove
from helpers.selection import few_fast
from helpers.support import random_layout, walk

from dbmsolver.api import solve
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Commit, Options, Question, Report, Result
from dbmsolver.search import session

DATA = Path(__file__).parents[1] / "data"
MOST = 600_000
"""States of the largest proof made here."""


def table(name: str) -> list[list[str]]:
    lines = [line for line in (DATA / name).read_text().splitlines() if not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def deal(number: str | int, freecells: str | int = 4) -> Deal:
    return Deal.from_number(int(number), rules_for("freecell", freecells=int(freecells)))


def counts() -> list[Any]:
    """(deal, freecells, policy, states) of all that is small enough, the larger ones slow."""
    rows: list[tuple[str, str, Policy, int]] = []
    for number, cells, _, wkr, horne in table("state-counts.tsv"):
        rows += [(number, cells, "wkr", int(wkr)), (number, cells, "horne", int(horne))]
    rows += [(r[0], r[1], "none", int(r[2])) for r in table("state-counts-no-automove.tsv")]
    return [
        pytest.param(*row, marks=pytest.mark.slow if row[3] > 25_000 else ())
        for row in rows
        if row[3] <= MOST
    ]


@pytest.mark.parametrize(("number", "cells", "policy", "states"), counts())
def test_counts(number: str, cells: str, policy: Policy, states: int) -> None:
    proof = prove(deal(number, cells), policy=policy)
    assert (proof.verdict, proof.states) == ("unsolvable", states)
    assert sum(row[2] for row in proof.strata) == states
    search = solve(deal(number, cells), policy=policy)
    assert (search.verdict, search.states, search.forced) == ("unsolvable", states, proof.forced)
    assert search.digest == proof.digest


@pytest.mark.parametrize("number", few_fast(["2", "3", "7", "8", "17", "20", "11", "4"], 4))
def test_shortest(number: str) -> None:
    expected = int(dict(map(tuple, table("optimal-card-moves.tsv")))[number])  # type: ignore[arg-type]
    result = solve(deal(number))
    assert (result.verdict, result.shortest, result.length) == ("solved", True, expected)


@pytest.mark.parametrize("row", [("2", "3", "77"), ("3", "2", "79"), ("3", "3", "76")])
def test_shortest_with_fewer_freecells(row: tuple[str, str, str]) -> None:
    assert list(row) in table("optimal-card-moves-fewer-cells.tsv")
    assert solve(deal(row[0], row[1])).length == int(row[2])


# Against slow searches.


def slow(start: Deal, policy: Policy, most: int) -> tuple[int | None, list[Position]] | None:
    """Breadth first on the readable model: (length or None, positions up to the goal, or all).

    None if there are more than ``most`` positions.
    """
    codec = StateCodec(start, policy)
    seen = {codec.encode(start.position)}
    queue = deque([(start.position, 0)])
    positions = []
    while queue:
        position, depth = queue.popleft()
        positions.append(position)
        if position.is_goal():
            return depth, positions
        for _, following in position.successors(start.rules, policy):
            key = codec.encode(following)
            if key not in seen:
                if len(seen) >= most:
                    return None
                seen.add(key)
                queue.append((following, depth + 1))
    return None, positions


def digest(codec: StateCodec, positions: list[Position]) -> str:
    total = 0
    for position in positions:
        key, words = codec.encode(position), []
        for size in codec.deal_tables.ranges:
            key, word = divmod(key, size)
            words.append(word)
        total += xxhash.xxh3_64_intdigest(b"".join(word.to_bytes(8, "little") for word in words))
    return f"{total % 2**64:016x}"


SIX_GAMES = (
    "freecell", "bakers_game", "eight_off", "seahaven_towers", "forecell", "bakers_dozen",
)  # fmt: skip
"""Games with every kind of rule; `test_shipped_games` has small decks of all games."""


def starts(rules: Rules, seed: int, games: int) -> list[Position]:
    """Deals of few moves, ends of random games, and cards anywhere."""
    random = Random(seed)
    found = []
    for _ in range(games):
        game = walk(random, deal_number(random.randrange(1, 10**6), rules), rules, "none", 400)
        found += [game[0], game[-1], random_layout(random, rules)]
    return found


@pytest.mark.parametrize(
    ("name", "policy"), few_fast(product(SIX_GAMES, ["wkr", "horne", "none"]), 2)
)
def test_like_slow_searches(name: str, policy: Policy) -> None:
    rules = rules_for(name)
    compared = 0
    for position in starts(rules, 5, 4):
        start = Deal(position, rules)
        found = slow(start, policy, 800)
        if found is None:
            continue
        length, positions = found
        result = solve(start, policy=policy)
        proof = prove(start, policy=policy)
        assert result.length == length
        assert result.verdict == proof.verdict == ("unsolvable" if length is None else "solved")
        if length is None:
            want = digest(StateCodec(start, policy), positions)
            for answer in (result, proof):
                assert answer.states + answer.forced == len(positions)
                assert answer.digest == want
        compared += 1
    assert compared >= 3


def test_won_already() -> None:
    won = Deal.from_text("Foundations: H-K C-K D-K S-K\n", GAMES["freecell"])
    for ask in (solve, prove):
        result = ask(won)
        assert (result.verdict, result.length, result.moves) == ("solved", 0, ())


def test_three_key_words() -> None:
    """Any suit with freecells needs more than 128 bits; local keys are wide there, too."""
    rules = rules_for("bakers_dozen", freecells=4)
    start = Deal.from_number(3, rules)
    assert len(StateCodec(start, "none").deal_tables.ranges) == 3
    result = prove(start, policy="none")
    assert result.verdict == "solved"
    position = start.position
    for move in result.moves:
        position = position.apply(move)
    assert position.is_goal()


@pytest.mark.parametrize("ask", [solve, prove])
def test_limits(ask: Callable[..., Result]) -> None:
    start = deal(12064, 2)
    result: Result = ask(start, max_states=20_000)
    assert (result.verdict, result.limit) == ("undecided", "max-states")
    result = ask(start, max_time=0.2)
    assert (result.verdict, result.limit) == ("undecided", "max-time")


def test_progress() -> None:
    events: list[Report | Commit] = []
    result = prove(deal(11982), progress=events.append)
    reports = [event for event in events if isinstance(event, Report)]
    assert result.states >= max(report.states for report in reports if report.phase == "search")
    assert {report.phase for report in reports} == {"look ahead", "search"}


def test_what_no_search_is_asked_for(tmp_path: Path) -> None:
    """Refuse a cluster where one search cannot be spread, and a store where there is none."""
    deal, wide = Deal.from_number(1), Deal.from_number(1, rules_for("spider"))
    store = tmp_path / "store"
    spread, stored = Options(cluster="auto"), Options(store=store)
    for question, one, options, said in (
        (Question.SOLVE, deal, spread, "solve is not spread over a cluster"),
        (Question.PROVE, wide, spread, "searched in memory: expected no cluster"),
        (Question.PROVE, wide, stored, "has no store"),
        (Question.SOLVE, wide, stored, "has no store"),
    ):
        with pytest.raises(UsageError, match=said):
            next(session.run(question, one, options))
        assert not store.exists()


def test_a_search_that_is_not_finished_has_no_answer(tmp_path: Path) -> None:
    store = tmp_path / "store"
    solve(Deal.from_number(3), store=store, max_states=50)
    with pytest.raises(StoreError, match="not finished; continue with: dbmsolver resume"):
        session.answer(store)
    with pytest.raises(UsageError, match="solve is not spread over a cluster"):
        next(session.resume(store, cluster="auto"))
