"""The choice of workers: this process for a few deals, else as many as memory allows."""

from __future__ import annotations

from typing import Any

import pytest

from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.process import default_memory, processors
from dbmsolver.results import Limits
from dbmsolver.survey import pool_choice
from dbmsolver.survey.pool_choice import FEW_DIVES, LEAST_MEMORY, choose_pool
from dbmsolver.survey.ranges import ranges_or_none
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import Survey

FREECELL, OTHER = rules_for("freecell"), rules_for("freecell", 3)
MUCH = 100 * LEAST_MEMORY


@pytest.fixture(autouse=True)
def pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pools tell their kind and arguments, and start nothing."""
    for name in ("InProcessPool", "ProcessPool", "ClusterPool"):
        monkeypatch.setattr(pool_choice, name, lambda *given, name=name: (name, *given))


def nothing() -> None:
    """Hear of kernels that are compiled."""


def chosen(
    deals: str | None,
    threads: int | None = 4,
    memory: int | None = MUCH,
    question: Inquiry = Inquiry.VERDICT,
    games: tuple[Rules, ...] = (FREECELL,),
    address: str | None = None,
) -> Any:
    ranges = ranges_or_none(None if deals is None else [deals], "microsoft", False)
    survey = Survey(question, ranges, games, Limits(memory=memory))
    return choose_pool(survey, address, threads, nothing)


def test_a_few_deals_are_searched_in_this_process() -> None:
    here, elsewhere = ("InProcessPool", 4, MUCH, nothing), ("ProcessPool", 4, 4, MUCH, nothing)
    assert chosen(f"1-{FEW_DIVES}") == here
    assert chosen(f"1-{FEW_DIVES + 1}") == elsewhere
    assert chosen(f"1-{FEW_DIVES // 2 + 1}", games=(FREECELL, OTHER)) == elsewhere
    assert chosen("1", question=Inquiry.SHORTEST) == here
    assert chosen("1-2", question=Inquiry.SHORTEST) == elsewhere
    assert chosen("1-2", question=Inquiry.FEWEST_FREECELLS) == here
    assert chosen(None) == elsewhere  # nobody knows how many the table leaves undecided


@pytest.mark.parametrize(
    ("threads", "memory", "workers"), [(4, 3, 3), (2, 3, 2), (4, 2, 2), (4, 1, 1), (1, 9, 1)]
)
def test_each_worker_has_some_memory(threads: int, memory: int, workers: int) -> None:
    """One worker is this process; it has all threads for its largest searches."""
    size = memory * LEAST_MEMORY + LEAST_MEMORY - 1
    found = chosen("1-1000", threads, size)
    if workers == 1:
        assert found == ("InProcessPool", threads, size, nothing)
    else:
        assert found == ("ProcessPool", workers, threads, size, nothing)
    assert chosen("1-1000", 4, LEAST_MEMORY // 2)[0] == "InProcessPool"


def test_what_is_not_given() -> None:
    assert chosen("1", None, None) == ("InProcessPool", processors(), default_memory(), nothing)
    assert chosen("1", None, 5, address="auto") == ("ClusterPool", "auto", 5, None)
    assert chosen("1-99", 3, None, address="auto") == ("ClusterPool", "auto", None, 3)
