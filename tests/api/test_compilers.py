"""Orders to the processes that compile: for searches, surveys and checks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dbmsolver import Deal, solve
from dbmsolver.api.compilers import (
    VARIABLE,
    Compilers,
    compilers_for,
    compilers_for_check,
    compilers_for_survey,
    compilers_to_resume,
)
from dbmsolver.api.surveys import deals_of, inquiry_of, survey_of
from dbmsolver.errors import InputError
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, Options, Question

Orders = Callable[[Any], list[Any]]


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> Orders:
    """Return a function that returns the arguments of the processes of a context."""

    def ordered(context: Any) -> list[Any]:
        assert isinstance(context, Compilers)
        return context.command()

    monkeypatch.setattr("dbmsolver.api.compilers.python_command", lambda _, *given: [*given])
    return ordered


@pytest.mark.parametrize(
    ("game", "number", "options"),
    [
        ("freecell", 3, Options()),
        ("freecell", 3, Options("max", "moves", any_solution=True)),
        ("klondike_by_threes", 66, Options()),
        ("golf", 1, Options()),
    ],
)
def test_a_search_that_goes_on_needs_what_it_needed(
    orders: Orders, tmp_path: Path, game: str, number: int, options: Options
) -> None:
    store = tmp_path / "store"
    deal = Deal.from_number(number, GAMES[game])
    solve(
        deal, store=store, max_states=100, threads=1,
        policy=options.policy, metric=options.metric, any_solution=options.any_solution,
    )  # fmt: skip
    begun = orders(compilers_for(Question.SOLVE, deal, options))
    assert orders(compilers_to_resume(store)) == begun
    family = "runs" if options.metric == "moves" else deal.rules.family
    assert begun[0] and {searches[0] for searches in begun[0]} == {family}
    assert orders(compilers_for_check(store)) == [deal.rules.family, "play"]


def test_a_survey_needs_what_searches_of_its_games_need(orders: Orders, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    games = GAMES["freecell"], GAMES["klondike"], GAMES["golf"]
    deals = deals_of(["1-3"], "microsoft", False, table)
    survey = survey_of(inquiry_of("verdict", None, None), deals, games, Limits(), False, False)
    (searches,) = orders(compilers_for_survey(survey, lambda: None))
    for rules in games:
        deal = Deal.from_number(1, rules)
        alone = orders(compilers_for(Question.PROVE, deal, Options()))[0]
        assert alone and [search for search in searches if search[0] == rules.family] == alone


@pytest.mark.parametrize("make", [compilers_to_resume, compilers_for_check])
def test_none_for_what_is_no_store(tmp_path: Path, make: Callable[[Path], object]) -> None:
    assert isinstance(make(tmp_path), nullcontext)
    assert isinstance(make(tmp_path / "missing"), nullcontext)


def test_they_start_once_when_a_survey_says_that_it_compiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, "1")
    compilers = Compilers(lambda: ["true"], elsewhere=True)
    with compilers:
        compilers.start()
        compilers.start()
        assert len(compilers._running) == 1
    compilers.start()
    assert len(compilers._running) == 1


def test_a_survey_of_boards_whose_rules_deal_no_numbers(orders: Orders, tmp_path: Path) -> None:
    """Nothing is compiled for them ahead, and the survey goes on."""
    undealt = replace(GAMES["canfield"], layout="")
    with pytest.raises(InputError, match="has no such deal"):
        Deal.from_number(1, undealt)
    survey = survey_of(
        inquiry_of("verdict", None, None), None, (undealt, GAMES["golf"]), Limits(), True, False
    )
    (searches,) = orders(compilers_for_survey(survey, lambda: None))
    assert {search[0] for search in searches} == {"pile"}


def test_a_survey_in_moves_needs_the_kernels_of_runs(orders: Orders) -> None:
    asked = inquiry_of("shortest", "moves", "max")
    survey = survey_of(asked, None, (GAMES["freecell"],), Limits(), True, False)
    (searches,) = orders(compilers_for_survey(survey, lambda: None))
    options = Options("max", "moves")
    begun = orders(compilers_for(Question.SOLVE, Deal.from_number(1), options))
    assert searches == begun[0] and searches[0][0] == "runs"
