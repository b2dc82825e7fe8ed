"""Klondike and its relatives with less memory than their states need: the same in the end."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.failing_writes import FailingWrites
from helpers.in_memory import PATIENCE, many_commits
from helpers.patience_games import PATIENCE_GAMES, small_deck

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.measures import OF_PATIENCE
from dbmsolver.results import Commit, Limits, Options, Question, Result
from dbmsolver.search import inspect, session
from dbmsolver.search.patience import dives
from dbmsolver.search.patience.large import LargePatienceSearch

LITTLE = 3000
"""Memory for pieces of some dozen states."""


def facts(result: Result) -> tuple[Any, ...]:
    """Return the facts that must not depend on memory."""
    return result.verdict, result.length, result.states, result.strata, result.digest


def compare(seed: int, decks: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare ``decks`` decks or more, of at most ``most`` states, in pieces and as a whole."""
    monkeypatch.setattr(dives, "SCHEDULE", ())
    divided, real = 0, LargePatienceSearch._divide

    def divide(self: LargePatienceSearch, leaf: Any) -> Any:
        nonlocal divided
        divided += 1
        return real(self, leaf)

    monkeypatch.setattr(LargePatienceSearch, "_divide", divide)
    random, compared = Random(f"large {seed}"), 0
    while compared < decks or divided <= decks:
        deal, policy = small_deck(random.choice(PATIENCE_GAMES), random), random.choice(POLICIES)
        asked: dict[str, Any] = {"policy": policy, "metric": random.choice(OF_PATIENCE)}
        asked["any_solution"] = random.random() < 0.3
        whole = api.solve(deal, max_states=most, **asked)
        if whole.limit is not None or whole.states < most // 5:
            continue
        memory = random.choice((LITTLE, LITTLE, 40 * LITTLE, 100 * LITTLE))
        assert facts(api.solve(deal, memory=memory, **asked)) == facts(whole), (deal, asked, memory)
        compared += 1


def test_small_decks_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(5, 4, 300, monkeypatch)


@pytest.mark.slow
def test_many_small_decks_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(2, 10, 700, monkeypatch)


@pytest.mark.parametrize("wanted", ["unsolvable", pytest.param("solved", marks=pytest.mark.slow)])
@pytest.mark.parametrize("keep", ["none", pytest.param("all", marks=pytest.mark.slow)])
def test_crashes_between_which_the_memory_changes(
    wanted: Any, keep: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal, random = PATIENCE.deck(wanted), Random(str(wanted))
    expected = facts(api.solve(deal))
    options = Options(store=tmp_path, keep=keep)
    crashes = 0
    while True:
        memory = random.choice((LITTLE, 5 * LITTLE, 1 << 30))
        steps = session.run(Question.SOLVE, deal, options, Limits(memory=memory))
        commits = 0
        try:
            while commits < random.randint(1, 6):
                commits += isinstance(next(steps), Commit)
            with pytest.raises(ZeroDivisionError):
                steps.throw(ZeroDivisionError())  # the process ends
        except StopIteration as end:
            result = end.value
            break
        crashes += 1
        if wanted == "unsolvable":
            assert inspect.status(tmp_path).closed <= expected[2]
    assert crashes > 2
    assert facts(result) == expected
    if keep == "all":
        assert faults.check(tmp_path).valid
    assert inspect.status(tmp_path).pending == 0


def test_a_full_disk_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal = PATIENCE.deck("unsolvable")  # type: ignore[arg-type]
    expected = facts(api.solve(deal))
    FailingWrites(monkeypatch).fail_in_turn(
        range(1, 200, 19), lambda: api.solve(deal, store=tmp_path, memory=LITTLE)
    )
    assert facts(api.solve(deal, store=tmp_path, memory=LITTLE)) == expected
    assert faults.check(tmp_path).valid


def test_positions_and_certificates_of_a_store_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal = PATIENCE.deck("unsolvable")  # type: ignore[arg-type]
    api.solve(deal, store=tmp_path, memory=LITTLE, max_states=150)
    status = inspect.status(tmp_path)
    assert status.pending and 0 < status.closed <= 150
    assert inspect.lookup(tmp_path, deal.position) == []
    api.solve(deal, store=tmp_path, memory=LITTLE)
    assert inspect.certificate(tmp_path)
    for _, after in deal.position.successors(deal.rules, "wkr"):
        check_way(deal, inspect.lookup(tmp_path, after), after)


def check_way(deal: Deal, moves: Any, wanted: Any) -> None:
    """Check that moves lead from the deal to a position."""
    position = deal.position
    for move in moves:
        position = position.apply(move)
    assert position.canonical() == wanted.canonical()
