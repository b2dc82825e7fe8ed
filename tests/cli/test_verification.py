"""The report of `verify`: its claim and its verdict in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done, result

from dbmsolver.cli.render import board_text
from dbmsolver.cli.verification import claim_line, render_json, render_text, verdict_text
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.titles import title
from dbmsolver.results import Method, Question
from dbmsolver.storage.certificate import from_result
from dbmsolver.verify.report import Verification

DEAL, MOVES = nearly_done()
EVERY = Method.EVERY_POSITION
LOST = from_result(
    result(
        question=Question.PROVE,
        verdict="unsolvable",
        shortest=False,
        moves=(),
        method=Method.DOMINATING,
    )
)
SHORTEST = from_result(result(question=Question.SOLVE, method=EVERY))
SOLVED = from_result(result(question=Question.PROVE, shortest=False, method=EVERY))


def report(record: dict[str, Any], **found: Any) -> Verification:
    return Verification(Path("kept"), DEAL, record, **found)


@pytest.mark.parametrize(
    ("record", "depth", "words"),
    [
        (LOST, "full", "is unsolvable, checked in full: by the rules of the game alone"),
        (LOST, "lemma", "is unsolvable, checked by the lemmas of docs/dominance.md"),
        (LOST, None, "is unsolvable"),
        (SHORTEST, None, "has a solution of 2 card moves, and none that is shorter"),
        (SOLVED, None, "has a solution of 2 card moves"),
    ],
)
def test_claims(record: dict[str, Any], depth: Any, words: str) -> None:
    assert claim_line(report(record, depth=depth)) == f"{title(DEAL)} {words}"


def test_units_and_automoves_are_those_of_the_game() -> None:
    """Yukon has no stock, and nothing goes home by itself in Pyramid."""
    for game, units, automoves in (
        ("klondike", "plays and turns of the stock", True),
        ("yukon", "plays", True),
        ("pyramid", "plays and turns of the stock", False),
    ):
        deal = Deal.from_number(1, GAMES[game])
        record = SHORTEST | {"metric": "turns"}
        lines = render_text(Verification(Path("kept"), deal, record)).splitlines()
        assert lines[1].endswith(f" has a solution of 2 {units}, and none that is shorter")
        assert lines[2].endswith("; automoves wkr") == automoves


def test_verdicts() -> None:
    """A sample is said to be one, unless there was nothing to choose from."""
    assert verdict_text(report(LOST)) == verdict_text(report(LOST, sample=0.5)) == "NOT VALID"
    assert verdict_text(report(LOST, valid=True, all_blocks=3)) == "valid"
    some = verdict_text(report(LOST, valid=True, sample=0.5, all_blocks=3))
    assert some == "no fault found in the sample; the rest was not checked"
    assert verdict_text(report(SOLVED, valid=True, sample=0.5)) == "valid"
    assert "Sample:" not in render_text(report(SOLVED, valid=True, sample=0.5))


def test_what_was_looked_at() -> None:
    found = {"valid": True, "all_blocks": 3, "states": 4, "all_states": 5, "strata": [(0, 7, 4, 0)]}
    some = report(LOST, depth="full", covered=6, blocks=2, sample=0.5, **found)
    lines = render_text(some).splitlines()
    for line in (
        "Sample:    2 of 3 blocks, chosen at random; counts and digest were not compared",
        "Records:   4 dominating positions, of 5 in the store",
        "Positions: 6 that follow from the deal",
    ):
        assert line in lines
    assert "Positions:" not in render_text(report(LOST, depth="lemma", **found))
    classes = {**LOST, "method": Method.CLASSES}
    lines = render_text(report(classes, depth="full", covered=6, **found)).splitlines()
    assert "Classes:   4 classes of positions, of 5 in the store" in lines
    assert "Positions: 6 that follow from the deal" in lines
    lines = render_text(report(SHORTEST, forced=1, **found)).splitlines()
    assert "States:    4 and 1 forced one, of 5 in the store" in lines
    klondike = Deal.from_number(1, GAMES["klondike"])
    text = render_text(Verification(Path("kept"), klondike, SHORTEST, **found))
    assert "States:    4, of 5 in the store" in text.splitlines() and "forced" not in text


def test_the_table_of_counts() -> None:
    """Searches for a shortest solution go by layers; what is not valid has no table."""
    found = {"strata": [(2, 7, 4, 0)]}
    for record, name, number in ((LOST, "stratum", "7"), (SHORTEST, "layer", "2")):
        head, row = render_text(report(record, valid=True, **found)).splitlines()[-2:]
        assert head.split() == [name, "states", "forced"]
        assert row.split()[:3] == [number, "4", "0"]
    assert "states" not in render_text(report(LOST, reason="it is torn", **found))


def test_the_counterexample() -> None:
    other = DEAL.position.apply(MOVES[0])
    wrong = {
        "reason": "a successor of a closed position is not closed",
        "relation": "the successor",
    }
    text = render_text(report(LOST, position=DEAL.position, neighbour=other, **wrong))
    first, second = text.split("the successor:")
    assert first.endswith(f"is not closed\n\n{board_text(DEAL.position, DEAL.rules)}\n")
    assert second == f"\n\n{board_text(other, DEAL.rules)}"
    data = json.loads(render_json(report(LOST, position=DEAL.position, neighbour=other, **wrong)))
    assert (data["board"][0], data["neighbour"][0], data["relation"]) == (
        "Foundations: H-K C-K D-K S-J", "Foundations: H-K C-K D-K S-Q", "the successor",
    )  # fmt: skip
    assert (data["valid"], data["reason"]) == (False, wrong["reason"])


def test_json_tells_what_does_not_depend_on_the_run() -> None:
    """The layer that holds the goal of a shortest solution does, and so does its digest."""
    found = {"valid": True, "strata": [(1, 7, 4, 0), (2, 7, 3, 1)], "states": 7, "forced": 1}
    data = json.loads(render_json(report(SHORTEST, digest="12", blocks=1, all_blocks=2, **found)))
    assert [row["layer"] for row in data["strata"]] == [1]
    assert (data["digest"], data["checked_states"]) == (None, 8)
    assert (data["blocks"], data["checked_blocks"]) == (2, 1)
    data = json.loads(render_json(report(LOST, digest="12", **found)))
    assert [row["layer"] for row in data["strata"]] == [1, 2]
    assert data["digest"] == "12"
