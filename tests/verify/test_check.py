"""The verifier accepts what is right, whatever the game and the memory."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from helpers import faults
from helpers.faults import check
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.errors import ChangedError, DbmError, DiskFullError, StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store

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


LOST: list[tuple[str, Rules, int, Metric | None]] = [
    ("cards", rules_for("freecell", 1), 1, None),
    ("moves", rules_for("freecell", 1), 1, "moves"),
    ("runs", rules_for("alpha_star"), 1, None),
    ("pile", rules_for("black_hole"), 1, None),
    ("pairs", rules_for("pyramid"), 285, None),
    ("patience", rules_for("canfield"), 5, None),
]
"""Deals without a solution, in a few states: a name, rules, number and metric."""


@pytest.mark.parametrize(("name", "rules", "number", "metric"), LOST)
def test_no_solution_by_cost_layers(
    tmp_path: Path, name: str, rules: Rules, number: int, metric: Metric | None
) -> None:
    path, deal = tmp_path / name, Deal.from_number(number, rules)
    result = api.solve(deal, store=path, metric=metric)
    assert (result.verdict, result.method) == ("unsolvable", "every-position")
    report = check(path)
    assert report.valid, report.reason
    assert report.states == result.states
    assert "every successor is closed with no more moves" in report.checked


@pytest.mark.parametrize(("name", "rules", "number", "metric"), LOST)
@pytest.mark.parametrize("by", [1, -1])
def test_layers_of_a_deal_without_solution_are_checked(
    tmp_path: Path, name: str, rules: Rules, number: int, metric: Metric | None, by: int
) -> None:
    """A block in another layer is refused, though the manifest counts it there."""
    path = tmp_path / name
    assert api.solve(Deal.from_number(number, rules), store=path, metric=metric).length is None
    key = faults.closed_keys(path)[-1]
    place = parse_closed_key(key)
    with Store.open(path) as store:
        runs = read_block(store, key)
        with store.write() as txn:
            txn.delete(key)
            faults.put_block(txn, place.layer + by, place.stratum, runs)

    def move(manifest: dict[str, Any]) -> None:
        counts: Counter[tuple[int, int, bool]] = Counter()
        for layer, stratum, states, forced in manifest["strata"]:
            counts[layer, stratum, False] += states
            counts[layer, stratum, True] += forced
        forced = counts[place.layer, place.stratum, True]
        moved = {False: runs.codes.size - forced, True: forced}
        for is_forced, states in moved.items():
            counts[place.layer, place.stratum, is_forced] -= states
            counts[place.layer + by, place.stratum, is_forced] += states
        places = sorted({(layer, stratum) for layer, stratum, _ in counts})
        rows = [[*at, counts[*at, False], counts[*at, True]] for at in places]
        manifest["strata"] = [row for row in rows if row[2] or row[3]]

    faults.change_manifest(path, move)
    report = check(path)
    assert not report.valid
    assert not str(report.reason).startswith(("counts", "strata"))


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
