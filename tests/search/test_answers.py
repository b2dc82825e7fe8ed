"""The answer of a search, and the same answer read from its store later."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from dbmsolver.api import prove, solve
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limit, Options, Question, Report, Verdict
from dbmsolver.search import session
from dbmsolver.storage.store import Store

LOST = Deal.from_number(1, rules_for("freecell", 1))


def test_a_store_gives_the_answer_of_the_search(tmp_path: Path) -> None:
    """The numbers are those of its end, the time and the memory, too, however late it is asked."""
    result = prove(LOST, store=tmp_path / "store", keep="none")
    assert (result.verdict, result.keep) == (Verdict.UNSOLVABLE, "none")
    with Store.open(tmp_path / "store", readonly=True) as store:
        manifest = store.manifest
    assert (result.seconds, result.digest) == (manifest.seconds, manifest.digest)
    assert result.peak_memory == manifest.peak_memory > 1 << 20
    again = session.answer(tmp_path / "store")
    assert again == replace(result, disk=again.disk) and again.disk > 0


def test_the_states_of_an_undecided_deal_have_a_digest(tmp_path: Path) -> None:
    result = prove(LOST, method="every-position", store=tmp_path / "store", max_states=1)
    assert (result.verdict, result.limit) == (Verdict.UNDECIDED, Limit.MAX_STATES)
    with Store.open(tmp_path / "store", readonly=True) as store:
        assert result.digest == store.manifest.digest


def test_an_unfinished_search_is_answered_with_its_best_solution(tmp_path: Path) -> None:
    store, deal = tmp_path / "store", Deal.from_number(3)
    run = session.run(Question.SOLVE, deal, Options(store=store, any_solution=True))
    best = next(event.best for event in run if isinstance(event, Report) and event.best)
    run.close()
    answer = session.answer(store)
    assert (answer.verdict, answer.limit, answer.shortest) == (Verdict.SOLVED, None, False)
    assert answer.length == best and answer.digest is None


def test_the_layer_of_the_goal_is_not_told(tmp_path: Path) -> None:
    """The part of it that is closed differs from run to run."""
    answer = solve(Deal.from_number(3), store=tmp_path / "store")
    with Store.open(tmp_path / "store", readonly=True) as store:
        manifest = store.manifest
    assert answer.shortest and answer.length is not None
    whole = tuple(tuple(row) for row in manifest.strata if row[0] < answer.length)
    assert answer.strata == whole != tuple(map(tuple, manifest.strata))
    assert (answer.states, answer.forced) == (sum(r[2] for r in whole), sum(r[3] for r in whole))
    assert (answer.states, answer.forced) != (manifest.states, manifest.forced)
    assert answer.evaluated == manifest.evaluated
