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
from dbmsolver.results import Commit, Limits, Options, Result
from dbmsolver.search import inspect, session
from dbmsolver.search.patience import dives
from dbmsolver.search.patience.large import LargePatienceSearch

LITTLE = 3000
"""Memory for pieces of some dozen states."""


def facts(result: Result) -> tuple[Any, ...]:
    """Return the facts that must not depend on memory.

    Where a proof ends with a solution that is the verdict.
    """
    if result.question == "prove" and result.verdict == "solved":
        return (result.verdict,)
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
        whole = api.prove(deal, policy=policy, max_states=most)
        if whole.limit is not None or whole.states < most // 5:
            continue
        memory = random.choice((LITTLE, LITTLE, 40 * LITTLE, 100 * LITTLE))
        keep = random.choice(("all", "none"))
        part = api.prove(deal, policy=policy, memory=memory, keep=keep)
        assert facts(part) == facts(whole), (deal, policy, memory, keep)
        asked: dict[str, Any] = {"policy": policy, "metric": random.choice(OF_PATIENCE)}
        asked["any_solution"] = random.random() < 0.3
        shortest = api.solve(deal, memory=memory, **asked)
        assert facts(shortest) == facts(api.solve(deal, **asked)), (deal, asked, memory)
        compared += 1


def test_small_decks_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(5, 4, 300, monkeypatch)


@pytest.mark.slow
def test_many_small_decks_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    compare(2, 10, 700, monkeypatch)


@pytest.mark.parametrize("question", ["prove", pytest.param("solve", marks=pytest.mark.slow)])
@pytest.mark.parametrize("wanted", ["unsolvable", pytest.param("solved", marks=pytest.mark.slow)])
@pytest.mark.parametrize("keep", ["none", pytest.param("all", marks=pytest.mark.slow)])
def test_crashes_between_which_the_memory_changes(
    question: Any, wanted: Any, keep: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal, random = PATIENCE.deck(wanted), Random(question + wanted)
    ask = api.prove if question == "prove" else api.solve
    expected = facts(ask(deal))
    options = Options(store=tmp_path, keep=keep)
    crashes = 0
    while True:
        memory = random.choice((LITTLE, 5 * LITTLE, 1 << 30))
        steps = session.run(question, deal, options, Limits(memory=memory))
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


@pytest.mark.parametrize("question", ["prove", pytest.param("solve", marks=pytest.mark.slow)])
def test_a_full_disk_in_pieces(
    question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, PATIENCE)
    deal = PATIENCE.deck("unsolvable")  # type: ignore[arg-type]
    ask = api.prove if question == "prove" else api.solve
    expected = facts(ask(deal))
    FailingWrites(monkeypatch).fail_in_turn(
        range(1, 200, 19), lambda: ask(deal, store=tmp_path, memory=LITTLE)
    )
    assert facts(ask(deal, store=tmp_path, memory=LITTLE)) == expected
    assert faults.check(tmp_path).valid


def test_where_closed_states_are_not_kept_they_go_with_their_stratum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are needed while it is closed in pieces, and are in the store so long."""
    many_commits(monkeypatch, PATIENCE)
    deal = PATIENCE.deck("unsolvable")  # type: ignore[arg-type]
    most = 0
    for states in (120, 240, 1 << 20):
        result = api.prove(deal, store=tmp_path, memory=LITTLE, keep="none", max_states=states)
        with_closed = {key[3:5] for key in keys_of(tmp_path, b"C")}
        most = max(most, len(with_closed))
        assert len(with_closed) <= 1
    assert most == 1
    assert result.verdict == "unsolvable"
    assert not keys_of(tmp_path, b"C")


def keys_of(store: Path, kind: bytes) -> list[bytes]:
    """Return the keys of a store's records of one kind."""
    return inspect.look(store, lambda opened: opened.keys(kind))


def test_positions_and_certificates_of_a_store_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many_commits(monkeypatch, PATIENCE)
    for question in ("prove", "solve"):
        store, deal = tmp_path / question, PATIENCE.deck("unsolvable")  # type: ignore[arg-type]
        ask = api.prove if question == "prove" else api.solve
        ask(deal, store=store, memory=LITTLE, max_states=150)
        status = inspect.status(store)
        assert status.pending and 0 < status.closed <= 150
        assert inspect.lookup(store, deal.position) == []
        ask(deal, store=store, memory=LITTLE)
        assert inspect.certificate(store)
        for _, after in deal.position.successors(deal.rules, "wkr"):
            check_way(deal, inspect.lookup(store, after), after)


def check_way(deal: Deal, moves: Any, wanted: Any) -> None:
    """Check that moves lead from the deal to a position."""
    position = deal.position
    for move in moves:
        position = position.apply(move)
    assert position.canonical() == wanted.canonical()
