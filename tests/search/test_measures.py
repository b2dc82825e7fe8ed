"""Searches in every measure: lengths against breadth first, resuming, partitions, advice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.interruptions import interrupt
from helpers.measured import GAMES, MEASURES, Measured, small_measured

from dbmsolver.api import first_moves, hint, solve
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES as SHIPPED
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution
from dbmsolver.results import Result, Verdict

PLAIN = GAMES[0]
CASES = [(*measure, rules) for measure in MEASURES for rules in GAMES]
SPOILED = """Foundations: H-6 C-J D-6 S-J
8H 9H KH QH QC
7H QD 8D QS
7D TH KS KD JH
KC JD TD 9D
"""
"""A deck that can be won only if a card is kept from going home."""
REAL = [
    (2, "runs", "wkr", 73),
    (2, "moves", "max", 21),
    pytest.param(1, "moves", "max", 29, marks=pytest.mark.slow),
    pytest.param(6, "runs", "horne", 75, marks=pytest.mark.slow),
    pytest.param(7, "runs", "none", 76, marks=pytest.mark.slow),
    pytest.param(9, "runs", "wkr", 81, marks=pytest.mark.slow),
]
"""Deals, and the length of a shortest solution."""


def check_moves(found: Result) -> None:
    """Check that the moves are those of the measure, win, and are as many as the result says."""
    measure, position = found.measure, found.deal.position
    for move in found.moves:
        following = [(m[:3], m.count, m.forced) for m, _ in measure.successors(position)]
        assert (move[:3], move.count, move.forced) in following
        position = position.apply(move)
    assert position.is_goal()
    assert found.length == measure.length(found.moves)


def check_game(game: Measured, **settings: Any) -> Result:
    """Check that a search finds what breadth first does."""
    measure = game.measure
    settings = {"metric": measure.metric, "policy": measure.policy, "threads": 1} | settings
    found = solve(game.deal, **settings)
    assert found.metric == measure.metric
    if game.left[0] is None:
        assert found.verdict == "unsolvable"
        return found
    assert (found.verdict, found.shortest, found.length) == ("solved", True, game.left[0])
    check_moves(found)
    return found


@pytest.mark.parametrize(("metric", "policy"), [("runs", "wkr"), ("moves", "max")])
def test_shortest_of_small_games(metric: str, policy: str) -> None:
    for seed in range(8):
        check_game(small_measured(PLAIN, metric, policy, seed, 60))


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy", "rules"), CASES)
def test_shortest_of_many_small_games(metric: str, policy: str, rules: Rules) -> None:
    for seed in range(5):
        check_game(small_measured(rules, metric, policy, 1000 + seed, 120))


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy", "rules"), CASES)
def test_any_solution_of_small_games(metric: str, policy: str, rules: Rules) -> None:
    for seed in range(3):
        check_game(small_measured(rules, metric, policy, 2000 + seed, 200), any_solution=True)


@pytest.mark.slow
@pytest.mark.parametrize("rules", [GAMES[0], GAMES[2]])
def test_measures_bound_each_other(rules: Rules) -> None:
    """Fewer moves count from one measure to the next; without automoves two are the same."""
    for seed in range(5):
        deal = small_measured(rules, "runs", "none", seed, 100).deal
        cards = solve(deal, threads=1)
        if cards.verdict == Verdict.UNSOLVABLE:
            continue
        found = [
            solve(deal, threads=1, metric=metric, policy=policy).length or 0
            for metric, policy in MEASURES
        ]
        runs, moves = found[:3], found[3:]
        assert len({*runs, moves[0]}) == 1  # the last one is without automoves
        assert runs[0] <= (cards.length or 0)
        assert moves[0] >= moves[1] >= moves[2]


@pytest.mark.parametrize(("number", "metric", "policy", "length"), REAL)
def test_deals(number: int, metric: Metric, policy: Policy, length: int, tmp_path: Path) -> None:
    """Several threads, the check, a store that is continued in many runs."""
    deal, how = Deal.from_number(number), {"metric": metric, "policy": policy}
    whole = solve(deal, threads=2, store=tmp_path / "whole", **how)  # type: ignore[arg-type]
    assert (whole.length, whole.shortest) == (length, True)
    check_moves(whole)
    limits = range(2000, whole.states + whole.forced, (whole.states + whole.forced) // 3)
    for limit in [*limits, None]:
        part = solve(deal, threads=1, store=tmp_path / "parts", max_states=limit, **how)  # type: ignore[arg-type]
    assert (part.length, part.shortest, part.strata) == (length, True, whole.strata)
    with pytest.raises(StoreError, match=r"another (metric|automove policy)"):
        solve(deal, store=tmp_path / "parts")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "policy", "any_solution", "name"),
    [
        ("runs", "wkr", False, "SIGKILL"),
        ("moves", "max", False, "SIGINT"),
        ("moves", "max", True, "SIGKILL"),
    ],
)
def test_interrupted(
    tmp_path: Path, metric: str, policy: str, any_solution: bool, name: str
) -> None:
    how = {"metric": metric, "policy": policy, "any_solution": any_solution, "signal": name}
    settings = {"question": "solve", "deal": 7, "freecells": 4, **how}
    found = interrupt(tmp_path / "store", 6, share=1 / 3, **settings)
    undisturbed = found["undisturbed"]
    for outcome in found["outcomes"]:
        assert outcome["length"] == undisturbed["length"]
        assert outcome["strata"] == undisturbed["strata"]


@pytest.mark.parametrize(
    ("metric", "policy"), [pytest.param(*case, marks=pytest.mark.slow) for case in MEASURES]
)
def test_advice(metric: Metric, policy: Policy) -> None:
    """Every first move is worth what breadth first says, and a hint is one of the best."""
    for seed in range(6):
        game = small_measured(PLAIN, metric, policy, 3000 + seed, 80)
        how: Any = {"metric": metric, "policy": policy, "threads": 1}
        found = first_moves(game.deal, **how)
        wanted = {edge.move[:3]: game.left[edge.after] for edge in game.edges[0]}
        measure = game.measure
        if not measure.has_free_moves and measure.forced(game.deal.position) is not None:
            assert wanted.items() <= {v.move[:3]: v.length for v in found.values}.items()
        else:
            assert {value.move[:3]: value.length for value in found.values} == wanted
        told = hint(game.deal, **how)
        assert told.length == game.left[0]


def test_max_spoils_a_deal() -> None:
    """A deal that can be won otherwise is unsolvable where every card goes home at once."""
    deal = Deal.from_text(SPOILED, PLAIN)
    assert solve(deal, metric="moves", policy="max", threads=1).verdict == "unsolvable"
    assert solve(deal, metric="moves", policy="wkr", threads=1).verdict == "solved"


def test_refused() -> None:
    deal = Deal.from_number(3)
    with pytest.raises(UsageError, match="automove max with the metric runs"):
        solve(deal, metric="runs", policy="max")
    with pytest.raises(UsageError, match="metric moves: a run of one suit moves as one move"):
        solve(Deal.from_number(3, SHIPPED["simple_simon"]), metric="moves")
    with pytest.raises(UsageError, match="metric runs: all cards go to one pile"):
        solve(Deal.from_number(3, SHIPPED["golf"]), metric="runs")
    with pytest.raises(UsageError, match="unknown metric 'steps'"):
        solve(deal, metric="steps")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown policy 'all'"):
        solve(deal, policy="all")  # type: ignore[arg-type]


@pytest.mark.slow
def test_check_counts_as_the_search_does() -> None:
    """The length of a solution in its own metric is the search's; in others no shorter than it."""
    for seed in range(20):
        deal = small_measured(PLAIN, "runs", "none", 4000 + seed, 150).deal
        found = {
            (metric, policy): solve(deal, threads=1, metric=metric, policy=policy)  # type: ignore[arg-type]
            for metric, policy in MEASURES
        }
        for (metric, policy), result in found.items():
            if result.verdict != "solved":
                continue
            counts = lengths(Solution.from_moves(deal, result.moves, policy))  # type: ignore[arg-type]
            name = metric if metric == "runs" else f"moves-{policy}"
            if name in counts:
                assert counts[name] == result.length
            for automove in ("horne", "wkr", "max"):
                count, other = counts[f"moves-{automove}"], found["moves", automove]
                assert count is None or count >= (other.length or 0)
