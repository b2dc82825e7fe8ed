"""The verifier accepts what is right, whatever the game and the memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from helpers.faults import check
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.errors import ChangedError, DbmError, DiskFullError, StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for

PROOFS = [
    (rules_for("freecell", 3), 6139, "wkr", 736),
    (rules_for("freecell", 2), 72, "wkr", 151),
    (rules_for("freecell", 1), 1, "wkr", 63),
    (rules_for("freecell", 1), 1, "horne", None),
    (rules_for("freecell", 1), 1, "none", None),
    (rules_for("freecell"), 146692, "wkr", 8603),
    (rules_for("bakers_game", 2), 1, "wkr", None),
    (rules_for("bakers_game", 2), 1, "none", None),
    (rules_for("eight_off", 4), 4, "wkr", None),
    (rules_for("seahaven_towers", 2), 4, "none", None),
    (rules_for("forecell", 1), 4, "wkr", None),
    (Rules("any suit, any fill", 6, 0, "any", "any"), 7, "wkr", None),
    (Rules("any suit, kings", 6, 1, "any", "kings"), 10, "none", None),
    (Rules("many freecells", 3, 8, "alternate", "none"), 2, "horne", None),
    (Rules("many columns", 10, 1, "alternate", "kings"), 1, "none", None),
]


@pytest.mark.parametrize(("rules", "number", "policy", "states"), PROOFS)
def test_proofs(
    tmp_path: Path, rules: Rules, number: int, policy: Policy, states: int | None
) -> None:
    deal = Deal.from_number(number, rules)
    result = prove(deal, policy=policy, store=tmp_path / "s", threads=1)
    assert result.verdict == "unsolvable"
    report = check(tmp_path / "s")
    assert report.valid, report.reason
    assert (report.states, report.forced) == (result.states, result.forced)
    assert states in (None, report.states)
    assert report.digest == result.digest
    assert report.strata == [tuple(row) for row in result.strata]
    assert report.position is None and report.reason is None


@pytest.mark.parametrize(("number", "length"), [(3, 73), (11987, 76)])
def test_shortest_solutions(tmp_path: Path, number: int, length: int) -> None:
    result = api.solve(Deal.from_number(number), store=tmp_path / "s")
    report = check(tmp_path / "s")
    assert report.valid, report.reason
    assert result.length == report.certificate["length"]
    if number == 3:
        assert result.length == length
    assert "counts and digest are those of the manifest" in report.checked


def test_no_solution_by_cost_layers(tmp_path: Path) -> None:
    deal = Deal.from_number(1, rules_for("freecell", 1))
    assert api.solve(deal, store=tmp_path / "s").verdict == "unsolvable"
    report = check(tmp_path / "s")
    assert report.valid, report.reason
    assert report.states == 63


def test_a_solution_not_said_to_be_shortest(tmp_path: Path) -> None:
    assert prove(Deal.from_number(3), store=tmp_path / "s").verdict == "solved"
    report = check(tmp_path / "s")
    assert report.valid, report.reason
    assert report.blocks == 0


def test_samples(tmp_path: Path) -> None:
    deal = Deal.from_number(146692)
    prove(deal, store=tmp_path / "s")
    report = check(tmp_path / "s", sample=0.2, seed=1)
    assert report.valid
    assert 0 < report.blocks < report.all_blocks
    assert 0 < report.states + report.forced < report.all_states
    assert report.digest is None
    assert check(tmp_path / "s", sample=1e-9).blocks == 1
    assert check(tmp_path / "s", sample=1.0).states == 8603


def test_nothing_claimed(tmp_path: Path) -> None:
    deal = Deal.from_number(11982)
    prove(deal, store=tmp_path / "limit", max_states=1000)
    with pytest.raises(StoreError, match="claims nothing, the search is undecided"):
        check(tmp_path / "limit")
    deal = Deal.from_number(1, rules_for("freecell", 1))
    prove(deal, store=tmp_path / "none", keep="none")
    with pytest.raises(StoreError, match="keep none"):
        check(tmp_path / "none")
    with pytest.raises(StoreError, match="no store"):
        check(tmp_path / "nothing")


def test_a_solution_needs_no_closed_states(tmp_path: Path) -> None:
    prove(Deal.from_number(3), store=tmp_path / "s", keep="none")
    begun = time.monotonic()
    report = check(tmp_path / "s")
    assert report.valid, report.reason
    assert report.seconds <= time.monotonic() - begun + 0.001


def test_errors_that_are_no_fault_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that another process changes meanwhile, or a full disk, does not belie a claim."""
    prove(Deal.from_number(1, rules_for("freecell", 1)), store=tmp_path / "s")

    def failing(error: DbmError) -> Callable[[object], Iterator[object]]:
        def run(_: object) -> Iterator[object]:
            yield None
            raise error

        return run

    for error in (ChangedError("was changed"), DiskFullError("no room"), UsageError("no depth")):
        monkeypatch.setattr("dbmsolver.verify.check.run_check", failing(error))
        with pytest.raises(type(error)) as raised:
            check(tmp_path / "s")
        assert raised.value is error
    monkeypatch.setattr("dbmsolver.verify.check.run_check", failing(StoreError("torn", "block 3")))
    report = check(tmp_path / "s")
    assert (report.valid, report.reason, report.position) == (False, "block 3: torn", None)


def test_the_most_memory_of_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for at every report and at the end; the largest is told."""
    prove(Deal.from_number(1, rules_for("freecell", 1)), store=tmp_path / "s")
    monkeypatch.setattr("dbmsolver.verify.check.run_check", lambda _: iter((None, None)))
    for sizes in ((5, 3, 4), (3, 5, 4), (3, 4, 5)):
        monkeypatch.setattr("dbmsolver.verify.check.anonymous_memory", partial(next, iter(sizes)))
        report = check(tmp_path / "s")
        assert (report.valid, report.peak_memory) == (True, max(sizes))
