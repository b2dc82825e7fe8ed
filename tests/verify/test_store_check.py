"""The parts that all checks share: options, the deal's lower bound, counts to compare."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.process import default_memory, processors
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.report import CheckOptions, Verification
from dbmsolver.verify.run import StoreCheck

NO_OPTIONS = CheckOptions()
ROWS = [[0, 1, 5, 2], [0, 2, 0, 1], [1, 1, 3, 0]]


def a_check(options: CheckOptions = NO_OPTIONS, **manifest: Any) -> StoreCheck:
    """Return a check whose report and manifest say the same, but for what is given."""
    report = Verification(Path("store"), Deal.from_number(1), {})
    report.strata = [(0, 1, 5, 2), (0, 2, 0, 1), (1, 1, 3, 0)]
    report.states, report.forced, report.digest = 8, 3, "12ab"
    said = {"strata": ROWS, "states": 8, "forced": 3, "digest": "12ab", **manifest}
    nothing: Any = None
    claimed: Any = SimpleNamespace(**said)
    return StoreCheck(nothing, claimed, report, options)


def test_options() -> None:
    check = a_check()
    assert (check.threads, check.memory) == (processors(), default_memory())
    check = a_check(CheckOptions(threads=processors() + 3, memory=default_memory() + 5))
    assert (check.threads, check.memory) == (processors() + 3, default_memory() + 5)


def test_a_solution_as_short_as_the_bound() -> None:
    check = a_check()
    assert not check.is_shortest_by_bound(6, 7)
    assert check.report.checked == []
    assert check.is_shortest_by_bound(7, 7)
    assert check.report.checked == ["no solution is shorter than the deal's lower bound"]
    with pytest.raises(Refuted, match="the lower bound of the deal is 8, more than 7"):
        check.is_shortest_by_bound(8, 7)


def test_the_same_counts() -> None:
    check = a_check(strata=[ROWS[2], [3, 3, 0, 0], *ROWS[:2]])
    check.compare_counts()
    assert check.report.checked == ["counts and digest are those of the manifest"]


COUNTS: dict[str, tuple[dict[str, Any], str]] = {
    "layer": ({"strata": [[0, 1, 5, 2], [0, 2, 0, 1], [2, 1, 3, 0]]}, "counts .layer"),
    "stratum": ({"strata": [[0, 1, 5, 2], [0, 3, 0, 1], [1, 1, 3, 0]]}, "counts .layer"),
    "states of a row": ({"strata": [[0, 1, 4, 2], [0, 2, 1, 1], [1, 1, 3, 0]]}, "counts .layer"),
    "forced of a row": ({"strata": [[0, 1, 5, 3], [0, 2, 0, 1], [1, 1, 3, 0]]}, "counts .layer"),
    "a row less": ({"strata": ROWS[:2]}, "strata: 3, not 2"),
    "a row more": ({"strata": [*ROWS, [1, 2, 0, 1]]}, "strata: 3, not 4"),
    "states": ({"states": 9}, "^states: 8, not 9"),
    "forced": ({"forced": 4}, "forced states: 3, not 4"),
    "digest": ({"digest": "12ac"}, "digest: 12ab, not 12ac"),
}


@pytest.mark.parametrize(("change", "reason"), COUNTS.values(), ids=COUNTS)
def test_other_counts(change: dict[str, Any], reason: str) -> None:
    check = a_check(**change)
    with pytest.raises(Refuted, match=reason):
        check.compare_counts()
    assert check.report.checked == []
