"""Searches for shortest solutions in Klondike that begin anew with the distances of classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.early_beams import begin_beams_at
from helpers.naive_search import fewest_moves
from helpers.small_klondikes import small_klondike

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Metric
from dbmsolver.game.measures import measure_of
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Bound, Limit, Limits, Options, Question, Report, Result, Verdict
from dbmsolver.search import session
from dbmsolver.search.improve import by_classes
from dbmsolver.steps import follow
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

METRICS: list[Metric] = ["turns", "runs", "plays"]
HARD = Deal.load("1588", GAMES["klondike"], numbers="ksolve")
"""KSolve leaves it open; its shortest solution has 129 moves."""
EASY = Deal.load("12", GAMES["klondike"], numbers="ksolve")
"""It has 667,670 classes."""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let classes be listed before any state is looked at."""
    monkeypatch.setattr(by_classes, "AFTER", 0)
    monkeypatch.setattr(by_classes, "_CLASSES", 1 << 30)


def asked(deal: Deal, options: Options, limits: Limits = Limits()) -> tuple[Result, set[str]]:
    """Return the result of a search for a shortest solution, and the phases that it reported."""
    phases = set()

    def watch(event: object) -> None:
        if isinstance(event, Report):
            phases.add(event.phase)

    return follow(session.run(Question.SOLVE, deal, options, limits), watch), phases


def bound_of(path: Path) -> Bound:
    with Store.open(path) as store:
        return store.manifest.bound


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("metric", METRICS)
def test_lengths_are_those_of_the_model(metric: Metric) -> None:
    random, solved, lost = Random(metric), 0, 0
    while solved < 24 or lost < 3:
        deal = small_klondike(random)
        policy = random.choice(POLICIES)
        expected = fewest_moves(deal, measure_of(deal.rules, policy, metric), 1000)
        if expected is None:
            continue
        options = Options(policy, metric, threads=1 + solved % 2, lost_ahead=False)
        result, phases = asked(deal, options)
        assert phases >= {"classes"}
        if expected[0] is None:
            lost += 1
            assert result.verdict == Verdict.UNSOLVABLE
        else:
            solved += 1
            assert result.shortest
            assert result.length == expected[0]


@pytest.mark.parametrize("any_solution", [True, False])
@pytest.mark.parametrize(("deal", "are_listed"), [(HARD, True), (EASY, False)])
def test_classes_are_listed_at_once_where_no_beam_wins(
    deal: Deal, are_listed: bool, any_solution: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait until the search has looked at many states if a beam wins."""
    begin_beams_at(monkeypatch, 0, 1000, 3000)
    begun: list[tuple[str, int]] = []

    def watch(event: object) -> None:
        least = {"classes": 0, "search": 100_000}
        if isinstance(event, Report) and event.evaluated >= least.get(event.phase, 1 << 60):
            begun.append((event.phase, event.evaluated))

    options = Options(threads=1, any_solution=any_solution, lost_ahead=False)
    steps = session.run(Question.SOLVE, deal, options, Limits())
    follow(steps, watch, lambda: True if begun else None)
    phase, evaluated = begun[0]
    assert phase == ("classes" if are_listed else "search")
    assert evaluated < 100_000 or not are_listed


def test_a_limit_of_states_rules_out_that_classes_are_listed() -> None:
    """There are likely to be more of them."""
    limits = Limits(max_states=1000)
    result, phases = asked(HARD, Options(any_solution=True, lost_ahead=False), limits)
    assert result.limit == Limit.MAX_STATES
    assert "search" in phases and "classes" not in phases


@pytest.mark.usefixtures("at_once")
def test_a_lost_deal_whose_proof_does_not_fit_into_memory() -> None:
    """A record takes twice the memory of a class that is listed."""
    lost = Deal.load("6", GAMES["klondike_by_threes"], numbers="ksolve")
    options = Options(threads=1, lost_ahead=False)
    result, phases = asked(lost, options, Limits(memory=7 << 20, max_states=100_000))
    assert (result.verdict, result.limit) == (Verdict.UNDECIDED, Limit.MEMORY)
    assert "classes" in phases and (result.states, result.evaluated) == (0, 0)
    result, _ = asked(lost, options, Limits(memory=9 << 20, max_states=1000))
    assert (result.verdict, result.states) == (Verdict.UNSOLVABLE, 63_332)


@pytest.mark.usefixtures("at_once")
def test_a_search_goes_on_in_each_phase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left in the first search, while classes are listed, and in the search that follows.

    A beam may know a solution by then, which need not be a shortest one.
    """
    monkeypatch.setattr(by_classes, "AFTER", 20_000)
    store = tmp_path / "store"
    options = Options(threads=2, store=store, lost_ahead=False)

    def until(phase: str, before: str | None = None) -> Bound:
        """Search until a phase that comes after another one; return the bound of the store."""
        seen: set[str] = set()

        def watch(event: object) -> None:
            if isinstance(event, Report):
                if event.phase == phase and before in (None, *seen) and event.evaluated:
                    seen.add("over")
                seen.add(event.phase)

        steps = session.run(Question.SOLVE, EASY, options, Limits())
        result = follow(steps, watch, lambda: True if "over" in seen else None)
        assert (result.limit, result.shortest) == (Limit.INTERRUPT, False)
        return bound_of(store)

    assert until("search") == Bound.POSITIONS
    assert until("classes") == Bound.POSITIONS
    assert until("search", "classes") == Bound.CLASSES
    states = follow(session.resume(store, limits=Limits(max_states=2000))).states
    assert until("classes") == Bound.CLASSES
    result = follow(session.resume(store))
    assert (result.verdict, result.length, result.shortest) == (Verdict.SOLVED, 118, True)
    assert result.states > states


@pytest.mark.usefixtures("at_once")
def test_a_search_that_has_too_little_memory_for_classes(tmp_path: Path) -> None:
    """It goes on without them, or, if it was begun with them, ends for want of memory."""
    little = Limits(memory=24 << 20, max_states=20_000)
    result, phases = asked(EASY, Options(threads=1, lost_ahead=False), little)
    assert phases == {"improve", "classes", "search"}
    assert result.limit == Limit.MAX_STATES
    store = tmp_path / "store"
    options = Options(threads=1, store=store, lost_ahead=False)
    plenty = Limits(max_states=1000)
    assert asked(EASY, options, plenty)[0].limit == Limit.MAX_STATES
    assert bound_of(store) == Bound.CLASSES
    result, phases = asked(EASY, options, little)
    assert (result.limit, phases) == (Limit.MEMORY, {"classes"})


@pytest.mark.usefixtures("at_once")
def test_a_store_that_begins_with_classes_of_a_lost_deal_is_refused(tmp_path: Path) -> None:
    lost = Deal.load("7", GAMES["klondike_by_threes"], numbers="ksolve")
    store = tmp_path / "store"
    options = Options(threads=1, store=store, lost_ahead=False)
    assert asked(lost, options)[0].verdict == Verdict.UNSOLVABLE
    manifest = new_manifest(Question.SOLVE, lost, options)
    forged = tmp_path / "forged"
    with Store.create(forged, manifest, durable=False) as opened, opened.write() as txn:
        txn.put_manifest(replace(manifest, phase="search", bound=Bound.CLASSES))
    with pytest.raises(StoreError, match="no class of the deal can be won"):
        asked(lost, replace(options, store=forged))


@pytest.mark.slow
def test_a_hard_deal_is_settled_by_classes(tmp_path: Path) -> None:
    result, phases = asked(HARD, Options(store=tmp_path / "store"))
    assert "classes" in phases
    assert (result.length, result.shortest) == (129, True)
    assert result.states < 1_000_000
    assert result.evaluated < by_classes.AFTER
