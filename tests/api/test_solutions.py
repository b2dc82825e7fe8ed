"""Solutions as a Python program takes them from an answer."""

from __future__ import annotations

import pytest
from helpers.fake_search import nearly_done, result

from dbmsolver import UsageError, solution_of
from dbmsolver.results import Verdict


def test_the_solution_of_an_answer() -> None:
    deal, moves = nearly_done()
    found = solution_of(result())
    assert (found.deal, tuple(found.moves())) == (deal, moves)
    assert {step.automove for step in found.steps} == {"wkr"}


@pytest.mark.parametrize("verdict", [Verdict.UNSOLVABLE, Verdict.UNDECIDED, Verdict.SOLVED])
def test_no_solution_of_an_answer_without_moves(verdict: Verdict) -> None:
    """A search that keeps no states may know that there is a solution, and not which one."""
    with pytest.raises(UsageError, match=f"the result is {verdict} and has no moves, expected a"):
        solution_of(result(verdict=verdict, shortest=False, moves=()))
