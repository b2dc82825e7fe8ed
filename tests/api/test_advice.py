"""Solutions that a Python program asks for, all or some of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.fake_search import FakeSequences, nearly_done, result

from dbmsolver import all_solutions, count_solutions
from dbmsolver.errors import UndecidedError
from dbmsolver.results import Limit, Limits, Options, Result, Verdict
from dbmsolver.search.sequences import session

DEAL, MOVES = nearly_done()
WON = result(verdict=Verdict.SOLVED)
LOST = result(verdict=Verdict.UNSOLVABLE, shortest=False, moves=())
OPEN = result(verdict=Verdict.UNDECIDED, limit=Limit.MEMORY, shortest=False, moves=())


def install(
    monkeypatch: pytest.MonkeyPatch,
    found: Result,
    count: int | None,
    counted: Limit | None = None,
    chosen: Limit | None = None,
) -> FakeSequences:
    script = FakeSequences(found, count, counted, chosen)
    monkeypatch.setattr(session, "Sequences", script)
    return script


@pytest.mark.parametrize("most", [None, 5])
def test_all_solutions(monkeypatch: pytest.MonkeyPatch, most: int | None) -> None:
    """The work begins when the first is asked for; what the search needs goes at its end."""
    script = install(monkeypatch, WON, 2)
    found = all_solutions(DEAL, most, threads=2, max_states=7)
    assert script.asked == []
    assert list(found) == [MOVES, MOVES[:1]]
    options = Options(threads=2, method="every-position")  # type: ignore[arg-type]
    limits = Limits(max_states=7)
    assert script.asked == [(DEAL, options, limits, True), most, "solutions", "closed"]


def test_counted_solutions_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    script = install(monkeypatch, WON, 2)
    assert count_solutions(DEAL).count == 2
    options = Options(method="every-position")  # type: ignore[arg-type]
    assert script.asked == [(DEAL, options, Limits(), False), "closed"]


def test_no_solution_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    script = install(monkeypatch, LOST, 0)
    assert list(all_solutions(DEAL)) == []
    assert script.asked[1:] == ["closed"]


@pytest.mark.parametrize(
    ("found", "count", "counted", "chosen"),
    [
        (OPEN, None, Limit.MEMORY, None),
        (OPEN, None, None, None),
        (WON, None, Limit.MEMORY, None),
        (WON, 2, None, Limit.MEMORY),
    ],
)
def test_a_limit_before_the_solutions(
    monkeypatch: pytest.MonkeyPatch,
    found: Result,
    count: int | None,
    counted: Limit | None,
    chosen: Limit | None,
) -> None:
    """Whichever part of the work it ends, nothing is told instead of the solutions."""
    install(monkeypatch, replace(found, limit=counted), count, counted, chosen)
    said = counted or chosen
    with pytest.raises(UndecidedError, match=f"the limit {said} came before the solutions"):
        list(all_solutions(DEAL))


def test_of_no_solutions_at_most_there_is_none() -> None:
    assert list(all_solutions(nearly_done()[0], 0)) == []
