"""Lost deals of Klondike: dives over classes tell it before a search for a shortest solution."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.searching import end_of
from helpers.small_klondikes import small_listed

from dbmsolver import api
from dbmsolver.api.certificates import repeat_search
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Method, Question, Verdict
from dbmsolver.search import inspect
from dbmsolver.search.improve import lost_ahead
from dbmsolver.search.proof import dives
from dbmsolver.storage.labels import wrong_label

KLONDIKE = GAMES["klondike_by_threes"]
LOST = Deal.from_number(38, KLONDIKE)
WON = Deal.from_number(1, KLONDIKE)
"""In 89 moves, with turns of the stock."""


@pytest.mark.parametrize(
    ("count", "most"), [(15, 400), pytest.param(30, 2_000, marks=pytest.mark.slow)]
)
def test_small_decks(count: int, most: int) -> None:
    """The verdict is that of all positions; a lost deal's digest is that of a proof."""
    found = set()
    for deal, listed in small_listed(28, count, most):
        result = api.solve(deal, threads=1)
        assert (result.verdict == Verdict.SOLVED) == listed.won, str(deal.position)
        found.add((result.verdict, result.method))
        if listed.won:
            assert result.shortest
        elif result.method == Method.CLASSES:
            proof = api.prove(deal, threads=1)
            assert proof.method != Method.CLASSES or proof.digest == result.digest
    solved = (Verdict.SOLVED, Method.EVERY_POSITION)
    assert {solved, (Verdict.UNSOLVABLE, Method.CLASSES)} <= found
    assert (Verdict.SOLVED, Method.CLASSES) not in found


@pytest.mark.parametrize("any_solution", [False, True])
def test_the_store_is_that_of_a_proof(tmp_path: Path, any_solution: bool) -> None:
    store = tmp_path / "store"
    result = api.solve(LOST, store=store, any_solution=any_solution)
    proof = api.prove(LOST)
    assert (result.verdict, result.method) == (Verdict.UNSOLVABLE, Method.CLASSES)
    assert (result.states, result.digest) == (proof.states, proof.digest)
    assert api.verify_store(store).valid
    certificate = inspect.certificate(store)
    assert (certificate["question"], certificate["method"]) == ("prove", "classes")
    assert api.solve(LOST, store=store).digest == proof.digest  # a finished store answers


def test_a_certificate_of_every_position_is_checked_by_every_position(tmp_path: Path) -> None:
    """Dives that a limit has ended leave the deal to a search that closes each position."""
    checked = 0
    for number, (deal, listed) in enumerate(small_listed(28, 12, 400)):
        store, file = tmp_path / str(number), tmp_path / f"{number}.json"
        api.solve(deal, store=store, max_states=1, threads=1)
        result = api.solve(deal, store=store, threads=1)
        if listed.won or result.method != Method.EVERY_POSITION:
            continue
        file.write_text(json.dumps(inspect.certificate(store)))
        repeated = end_of(repeat_search(file, 1, None))
        assert repeated.different == (), str(deal.position)
        checked += api.solve(deal, threads=1).method == Method.CLASSES
    assert checked


def test_another_metric_needs_every_position() -> None:
    """A proof over classes is told in the usual metric only."""
    result = api.solve(LOST, metric="runs", max_states=1000)
    assert (result.verdict, result.method) == (Verdict.UNDECIDED, Method.EVERY_POSITION)


def test_interrupted_in_the_dives(tmp_path: Path) -> None:
    """The search that goes on makes the dives anew."""
    store = tmp_path / "store"
    assert api.solve(LOST, store=store, cancel=lambda: True).limit == "interrupt"
    assert inspect.status(store).verdict == Verdict.UNDECIDED
    result = api.solve(LOST, store=store)
    assert (result.verdict, result.method) == (Verdict.UNSOLVABLE, Method.CLASSES)
    assert api.verify_store(store).valid


@pytest.mark.parametrize("verdict", [None, Verdict.SOLVED, Verdict.UNDECIDED])
def test_classes_tell_of_no_solution(verdict: Verdict | None) -> None:
    """A search for a shortest solution ends over classes only where there is none."""
    method = Method.CLASSES
    reason = wrong_label(KLONDIKE, Question.SOLVE, method, "turns", verdict, False)
    assert reason == "method classes: a search for a shortest solution needs every position"
    lost = wrong_label(KLONDIKE, Question.SOLVE, method, "turns", Verdict.UNSOLVABLE, False)
    assert lost is None


@pytest.mark.parametrize("any_solution", [False, True])
def test_a_last_dive_follows_where_no_solution_is_known(
    monkeypatch: pytest.MonkeyPatch, any_solution: bool
) -> None:
    """Also where any solution is wanted, after what may find one sooner."""
    monkeypatch.setattr(dives, "CLASS_SCHEDULE", ((dives.CLASS_ORDERS[0], 1 << 8),))
    result = api.solve(LOST, any_solution=any_solution, max_states=1 << 20)
    assert (result.verdict, result.method) == (Verdict.UNSOLVABLE, Method.CLASSES)
    monkeypatch.setattr(lost_ahead, "LAST", dives.CLASS_SCHEDULE)
    result = api.solve(LOST, any_solution=any_solution, max_states=1000)
    assert (result.verdict, result.method) == (Verdict.UNDECIDED, Method.EVERY_POSITION)


def test_a_win_of_the_dives_is_a_first_solution(tmp_path: Path) -> None:
    """A search that ends early tells it."""
    store = tmp_path / "store"
    result = api.solve(WON, max_states=1000, store=store)
    assert (result.verdict, result.shortest, result.limit) == ("solved", False, "max-states")
    assert result.at_least and result.length and result.at_least < 89 < result.length
    assert api.open_store(store).answer().moves == result.moves
    assert api.solve(WON, store=store).length == 89


@pytest.mark.slow
def test_a_last_dive_decides_what_the_others_leave_open(tmp_path: Path) -> None:
    """The deal has more classes than the other dives have room for."""
    result = api.solve(Deal.from_number(237, KLONDIKE), memory="2G", store=tmp_path / "store")
    assert (result.verdict, result.method) == (Verdict.UNSOLVABLE, Method.CLASSES)
    assert result.states == 7_736_410
    assert api.verify_store(tmp_path / "store", depth="lemma").valid
