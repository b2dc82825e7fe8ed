"""The steps of a check: which depths a store has, before anything of it is read."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Method
from dbmsolver.verify.kernels.rules import HOME
from dbmsolver.verify.report import CheckOptions, Depth, Verification
from dbmsolver.verify.run import StoreCheck, run_check
from dbmsolver.verify.solution import TURNED


def refused(method: Method, claim: str, depth: Depth, sample: float | None = None) -> str:
    """Return the reason why a store of a search cannot be checked in a depth."""
    report = Verification(Path("here"), Deal.from_number(1), {"claim": claim})
    manifest: Any = SimpleNamespace(method=method)
    nothing: Any = None
    check = StoreCheck(nothing, manifest, report, CheckOptions(sample=sample, depth=depth))
    with pytest.raises(UsageError) as error:
        list(run_check(check))
    assert error.value.where == "here"
    return error.value.message


@pytest.mark.parametrize("depth", ["lemma", "full"])
@pytest.mark.parametrize(
    ("method", "claim"),
    [
        (Method.EVERY_POSITION, "unsolvable"),
        (Method.EVERY_POSITION, "shortest"),
        (Method.DOMINATING, "solved"),
        (Method.CLASSES, "solved"),
    ],
)
def test_depths_are_of_proofs_that_cover_positions(
    method: Method, claim: str, depth: Depth
) -> None:
    """A claim that rests on moves alone, or on each position, has none."""
    said = refused(method, claim, depth)
    assert said.startswith("--depth is for stores of proofs over dominating positions or classes")


@pytest.mark.parametrize("method", [Method.DOMINATING, Method.CLASSES])
def test_a_full_check_takes_all(method: Method) -> None:
    assert "--sample is for the depth lemma" in refused(method, "unsolvable", "full", 0.5)


def test_a_solution_is_told_in_what_its_metric_counts() -> None:
    """The waste is turned over for free: that is a step of the solution, and no move."""
    board = "Foundations: H-K C-K D-K S-J\nWaste: QS KS\n"
    deal = Deal.from_text(board, GAMES["klondike"])
    turned, home = (0, TURNED), [(parse_card(name), HOME) for name in ("QS", "KS")]
    for metric, words in (("turns", "4 plays and turns of the stock"), ("plays", "2 plays")):
        manifest: Any = SimpleNamespace(
            method=Method.EVERY_POSITION,
            policy="wkr",
            metric=metric,
            length=int(words[0]),
            path=[turned, turned, home[0], turned, home[1]],
        )
        report = Verification(Path("here"), deal, {"claim": "solved"})
        nothing: Any = None
        list(run_check(StoreCheck(nothing, manifest, report, CheckOptions())))
        assert report.checked == [f"the solution is legal and has {words}"]
