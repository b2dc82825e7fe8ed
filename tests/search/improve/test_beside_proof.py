"""Beams beside a proof: they win deals, change no proof, and are due by what is closed."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import faults
from helpers.searching import check_win, without_dives

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.choice import keys_of
from dbmsolver.results import Keep, Limit, Limits, Method
from dbmsolver.search import inspect
from dbmsolver.search.improve import beside_proof
from dbmsolver.search.improve.beam import BYTES
from dbmsolver.search.improve.beside_proof import BesideProof
from dbmsolver.search.improve.improver import FIRST, LATER, STATES
from dbmsolver.search.proof.strata import ProofSearch

WON = [
    ("freecell", 3, "dominating"),
    ("freecell", 3, "every-position"),
    ("bakers_game", 1, "dominating"),
    ("relaxed_freecell", 3, "every-position"),
    ("fortress", 2, "every-position"),
    ("penguin", 2, "every-position"),
    ("klondike", 3, "dominating"),
    ("klondike_by_threes", 3, "every-position"),
    ("canfield", 2, "every-position"),
]
"""Deals that beams win, of families of their own: game, number, method."""
LOST = [("freecell", 146692, "dominating"), ("klondike_by_threes", 38, "dominating")]


@pytest.fixture
def beams_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but beams precede the end of a proof, the first of them at once."""
    without_dives(monkeypatch)
    monkeypatch.setattr(beside_proof, "SHARE", 1e6)


@pytest.mark.usefixtures("beams_alone")
@pytest.mark.parametrize(("game", "number", "method"), WON)
def test_a_win_of_a_beam(game: str, number: int, method: Any, tmp_path: Path) -> None:
    deal = Deal.from_number(number, rules_for(game))
    result = api.prove(deal, method=method, store=tmp_path, memory="256M")
    assert (result.verdict, result.shortest) == ("solved", False)
    assert result.states < 20_000
    position = deal.position
    for move in result.moves:
        move = move._replace(forced=False)
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    assert position.is_goal()
    assert inspect.status(tmp_path).length == result.length
    again = api.prove(deal, method=method, store=tmp_path)
    assert (again.verdict, again.moves) == ("solved", result.moves)


@pytest.mark.usefixtures("beams_alone")
@pytest.mark.parametrize("keep", ["all", "none"])
@pytest.mark.parametrize("policy", ["none", "horne"])
def test_a_win_needs_no_closed_states(keep: Keep, policy: Policy, tmp_path: Path) -> None:
    deal = Deal.from_number(5)
    result = api.prove(deal, store=tmp_path, keep=keep, policy=policy)
    assert result.verdict == "solved"
    check_win(deal, [move._replace(forced=False) for move in result.moves], policy)


@pytest.mark.parametrize(("game", "number", "method"), LOST)
def test_a_proof_is_the_same_with_beams(
    game: str, number: int, method: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = Deal.from_number(number, rules_for(game))
    without_dives(monkeypatch)
    expected = api.prove(deal, method=method)
    monkeypatch.setattr(beside_proof, "SHARE", 1e6)
    result = api.prove(deal, method=method, store=tmp_path)
    assert result.verdict == expected.verdict == "unsolvable"
    assert (result.states, result.digest) == (expected.states, expected.digest)
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("beams_alone")
def test_a_limit_that_comes_in_a_beam_leaves_a_proof_that_goes_on(tmp_path: Path) -> None:
    deal = Deal.from_number(146692)
    expected = api.prove(deal)
    asked = 0

    def cancel() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    begun = api.prove(deal, store=tmp_path, cancel=cancel)
    assert begun.limit == Limit.INTERRUPT
    result = api.prove(deal, store=tmp_path)
    assert (result.verdict, result.states, result.digest) == (
        "unsolvable",
        expected.states,
        expected.digest,
    )
    assert faults.check(tmp_path).valid


@pytest.fixture
def nothing_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the proof itself do nothing."""
    monkeypatch.setattr(ProofSearch, "step", lambda _: None)


def beside(
    memory: int, threads: int = 1, method: Method = Method.DOMINATING, closed: int = 0
) -> tuple[BesideProof, SimpleNamespace]:
    """Return a proof with beams in `memory` bytes, and its counts.

    Earlier runs have closed so many states.
    """
    statistics = SimpleNamespace(closed=closed)
    limits = SimpleNamespace(limits=Limits())
    recorder: Any = SimpleNamespace(statistics=statistics, policy="wkr", limits=limits)
    workers: Any = SimpleNamespace(count=threads)
    keys: Any = keys_of(Deal.from_number(146692), "wkr", method)
    return BesideProof(keys, recorder, workers, threads, 8 * memory), statistics


@pytest.mark.usefixtures("nothing_closed")
@pytest.mark.parametrize(
    ("threads", "method", "share"),
    [(1, Method.DOMINATING, 1), (3, Method.DOMINATING, 1), (1, Method.EVERY_POSITION, 2 / 5)],
)
def test_beams_are_due_by_what_is_closed(
    threads: int, method: Method, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by the clock."""
    search, statistics = beside(1 << 30, threads, method)
    share *= beside_proof.SHARE
    states = threads * STATES * FIRST[0].width
    statistics.closed += math.ceil(states / share) - 1
    search.step()
    assert search._beam is None
    statistics.closed += 1
    with monkeypatch.context() as patch:
        patch.setattr(ProofSearch, "is_diving", True)
        search.step()
    assert search._beam is None
    search.step()
    assert search._beam is not None
    while search._beam is not None:
        search.step()
    second = search._looked_at + STATES * FIRST[1].width
    assert 0 < search._looked_at <= 2 * states
    statistics.closed = math.ceil(threads * second / share) - 1
    search.step()
    assert search._beam is None
    statistics.closed += 1
    search.step()
    assert search._beam is not None


@pytest.mark.parametrize("threads", [1, 3])
def test_a_proof_that_goes_on_begins_with_the_last_beam_that_was_due(threads: int) -> None:
    """Earlier runs have made those before it."""
    shapes = (*FIRST, *LATER)
    for at in range(len(shapes)):
        states = STATES * sum(shape.width for shape in shapes[: at + 1])
        closed = math.ceil(threads * states / beside_proof.SHARE)
        for fewer in (1, 0):
            expected = shapes[max(at - fewer, 0) :]
            search, _ = beside(1 << 40, threads, closed=closed - fewer)
            assert tuple(search._shapes) == expected, at
    search, _ = beside(STATES * FIRST[1].width * BYTES, threads, closed=1 << 50)
    assert tuple(search._shapes) == shapes[1:]


@pytest.mark.usefixtures("nothing_closed")
def test_beams_that_do_not_fit_the_memory_are_not_made() -> None:
    states = STATES * FIRST[0].width
    for room, made in ((states, True), (states - 1, False)):
        search, statistics = beside(room * BYTES)
        statistics.closed = 1 << 30
        search.step()
        assert (search._beam is not None) == made, room
