"""Manifests: what one must have, whose meaning it has, and which search it is of."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import UNUSUAL, rules_for
from dbmsolver.results import Method, Options, Question, Verdict
from dbmsolver.storage.manifest import Manifest, check_same, deal_of, new_manifest, read_format
from dbmsolver.storage.records import FORMAT

DEAL = Deal.from_number(1)


def made(question: Question = Question.PROVE, deal: Deal = DEAL, **options: Any) -> Manifest:
    return new_manifest(question, deal, Options(**options))


def test_what_is_written_is_read() -> None:
    whole = replace(made(), states=3, strata=[[0, 1, 2, 1]], history=[[5, 0, 1, 2, 1]])
    assert Manifest.from_json(whole.to_json(), "here") == whole


@pytest.mark.parametrize("name", json.loads(made().to_json()))
def test_no_field_is_missing(name: str) -> None:
    """Refuse a manifest without a field, also where a new one has a usual value."""
    members = json.loads(made().to_json())
    del members[name]
    said = "what its records mean is not stored" if name == "meaning" else f"no {name}"
    with pytest.raises(StoreError, match=said):
        Manifest.from_json(json.dumps(members).encode(), "here")


def test_no_field_is_unknown() -> None:
    members = json.loads(made().to_json()) | {"more": 1}
    with pytest.raises(StoreError, match="an unknown field, 'more'"):
        Manifest.from_json(json.dumps(members).encode(), "here")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (made().to_json()[:-1] + b',"states":0}', "'states' twice in one object"),
        (b"[" * 100_000, "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (made().to_json()[:-1], "it is not JSON"),
        (b"[]", "it is no object"),
    ],
    ids=["twice", "deep", "no text", "cut short", "a list"],
)
def test_what_is_no_manifest(data: bytes, said: str) -> None:
    with pytest.raises(StoreError, match=rf"the manifest is damaged \({said}\)"):
        Manifest.from_json(data, "here")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (made().to_json(), FORMAT),
        (b'{"format": 7}', 7),
        (b'{"format": "new"}', "new"),
        (b"{}", None),
        (b"[]", None),
        # None of these is JSON, so a seal has to tell of it.
        (b"", FORMAT),
        (b"\xff", FORMAT),
        (b"[" * 100_000, FORMAT),
    ],
    ids=["ours", "number", "word", "none", "list", "empty", "no text", "deep"],
)
def test_the_format_of_a_manifest_that_is_not_read(data: bytes, told: object) -> None:
    assert read_format(data) == told


def test_nothing_is_left_of_the_counts() -> None:
    begun = made()
    counts: dict[str, Any] = {
        "states": 7,
        "forced": 2,
        "evaluated": 9,
        "digest": "f" * 16,
        "strata": [[0, 1, 7, 2]],
        "history": [[5, 0, 1, 7, 2]],
        "closed_bytes": 80,
    }
    counted = replace(begun, **counts)
    assert all(getattr(counted, name) != getattr(begun, name) for name in counts)
    assert counted.without_counts() == begun


@pytest.mark.parametrize(
    ("metric", "fits"), [("cards", (2,)), ("runs", (2,)), ("moves", (0, 1, 2))]
)
def test_lengths_of_a_path(metric: str, fits: tuple[int, ...]) -> None:
    """Each step counts, but for moves that the program makes."""
    manifest = made(Question.SOLVE, metric=metric)
    path = [[0, 0], [1, 0]]
    for length in range(4):
        if length in fits:
            assert replace(manifest, path=path, length=length).length == length
        else:
            with pytest.raises(ValueError, match="its length cannot be"):
                replace(manifest, path=path, length=length)
    for half in ({"path": path}, {"length": 2}):
        with pytest.raises(ValueError, match="its length cannot be"):
            replace(manifest, **half)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"states": -1}, "its states cannot be"),
        ({"question": "guess"}, "its question cannot be"),
        ({"rules": {**made().rules, **UNUSUAL}}, "its rules cannot be"),
        ({"shortest": True}, "what cannot be, a shortest solution"),
    ],
)
def test_fields_are_looked_at_by_themselves_and_together(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        replace(made(), **change)


def test_records_of_another_meaning() -> None:
    members = json.loads(made().to_json())
    for name in members["meaning"].keys() - {"family"}:
        other = members | {"meaning": members["meaning"] | {name: 99}}
        with pytest.raises(StoreError, match="it is for the program that made it"):
            Manifest.from_json(json.dumps(other).encode(), "here")


def test_a_proof_has_no_metric_of_its_own() -> None:
    with pytest.raises(UsageError, match="a proof does not look for shortest solutions"):
        made(metric="runs")
    assert made(Question.SOLVE, metric="runs").metric == "runs"


def test_deals_that_no_store_has() -> None:
    assert deal_of(made(), "here") == DEAL
    other = replace(made(), deal={**made().deal, "number": 2})
    with pytest.raises(StoreError, match="its board is not that of deal 2"):
        deal_of(other, "here")
    unlike = replace(made(), deal={"number": 1, "board": made().deal["board"] + "\n"})
    with pytest.raises(StoreError, match="its board is not as a store has it"):
        deal_of(unlike, "here")
    with pytest.raises(StoreError, match="spider has no stores"):
        deal_of(made(deal=Deal.from_number(1, rules_for("spider"))), "here")


def test_which_searches_are_the_same() -> None:
    """Name the difference; whether any solution is wanted makes none."""
    manifest = made(Question.SOLVE)
    check_same(manifest, Question.SOLVE, DEAL, Options(any_solution=True), "here")
    for question, deal, options, said in (
        (Question.PROVE, DEAL, {}, "another question: solve, not prove"),
        (Question.SOLVE, DEAL, {"policy": "none"}, "another automove policy: wkr, not none"),
        (Question.SOLVE, DEAL, {"metric": "runs"}, "another metric: cards, not runs"),
        (Question.SOLVE, DEAL, {"keep": "none"}, "another keep: all, not none"),
        (Question.SOLVE, Deal.from_number(2), {}, r"another deal \(1\), not 2"),
        (Question.SOLVE, Deal.from_number(1, rules_for("freecell", 3)), {}, "freecells 4, not 3"),
    ):
        with pytest.raises(StoreError, match=said):
            check_same(manifest, question, deal, Options(**options), "here")


def test_boards_that_differ_have_no_number_to_tell() -> None:
    board = Deal(Deal.from_number(2).position, DEAL.rules)
    other = Deal(Deal.from_number(5).position, DEAL.rules)
    for held, wanted, said in (
        (DEAL, board, r"another deal \(1\), not this board"),
        (board, DEAL, r"another deal \(a board\), not 1"),
        (board, other, r"another deal \(a board\), not this board"),
    ):
        with pytest.raises(StoreError, match=said):
            check_same(made(deal=held), Question.PROVE, wanted, Options(), "here")
    check_same(made(deal=board), Question.PROVE, Deal.from_number(2), Options(), "here")


def test_a_deal_that_is_lost_by_another_method_is_lost() -> None:
    """Take the answer of dives that exhaust a deal, and no other search of theirs."""
    lost = replace(made(Question.SOLVE), verdict=Verdict.UNSOLVABLE, method=Method.DOMINATING)
    check_same(lost, Question.SOLVE, DEAL, Options(), "here")
    proof = replace(made(method=Method.DOMINATING), verdict=Verdict.UNSOLVABLE)
    with pytest.raises(StoreError, match="another method"):
        check_same(proof, Question.PROVE, DEAL, Options(method=Method.EVERY_POSITION), "here")


def test_a_deal_that_is_lost_with_any_passes_is_lost() -> None:
    """Take that proof for one over the deal's own classes, but none over every position."""
    deal = Deal.from_number(12, replace(rules_for("klondike_by_threes"), passes=10))
    begun, wanted = made(deal=deal), Options(method=Method.CLASSES)
    assert begun.method == Method.CLASSES
    lost = replace(begun, verdict=Verdict.UNSOLVABLE, method=Method.CLASSES_ANY_PASSES)
    check_same(lost, Question.PROVE, deal, wanted, "here")
    for other in (lost, begun):
        every = replace(other, method=Method.EVERY_POSITION)
        with pytest.raises(StoreError, match="another method: every-position, not classes"):
            check_same(every, Question.PROVE, deal, wanted, "here")


def test_a_search_under_other_rules() -> None:
    """Name another game, or each rule of the same game that differs, in words."""
    one = Deal.from_number(12, rules_for("klondike_by_threes"))
    more = {"passes": 10, "layout": "", "removable": False}
    changed = Deal(one.position, replace(one.rules, **more))
    for held, wanted, said in (
        (DEAL, one, "game freecell, not klondike_by_threes"),
        (one, DEAL, "game klondike_by_threes, not freecell"),
        (
            one,
            changed,
            f"layout {one.rules.layout}, not none; removable yes, not no; passes 0, not 10",
        ),
    ):
        with pytest.raises(StoreError) as error:
            check_same(made(deal=held), Question.PROVE, wanted, Options(), "here")
        assert str(error.value) == f"here: holds a search under other rules: {said}"
