"""`status`: what it says of a store, whatever is known yet."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.command import run
from helpers.fake_search import nearly_done, result

from dbmsolver.game.deals import Deal, format_board
from dbmsolver.game.measures import usual_metric
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Method, Question
from dbmsolver.search.inspect import StoreStatus

DEAL, _ = nearly_done()
BEGUN = StoreStatus(
    question=Question.SOLVE,
    method=Method.EVERY_POSITION,
    deal=DEAL,
    policy="horne",
    metric="cards",
    keep="all",
    program="dbmsolver 1",
    verdict=None,
    limit=None,
    shortest=False,
    length=9,
    at_least=4,
    strata=((4, 50, 3, 1), (4, 51, 2, 0), (5, 50, 1, 0)),
    history=(),
    closed=7,
    closed_bytes=70,
    pending=1,
    disk=2048,
    checked=("the store's chain of blocks", "its solution"),
    meaning=SimpleNamespace(),  # type: ignore[arg-type]  # is for JSON
)
"""A search for a shortest solution that goes on."""


def install(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Let each store be one with this status."""
    status = replace(BEGUN, **changes)
    kept = SimpleNamespace(status=lambda: status)
    monkeypatch.setattr("dbmsolver.api.stores.stored_search", lambda _: kept)


def facts(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> list[str]:
    """Return the lines about a store."""
    install(monkeypatch, **changes)
    found = run("status", "kept")
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout.splitlines()


def test_a_search_that_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = facts(monkeypatch)
    assert lines[0].startswith("Solve:") and lines[0].endswith(", automove horne")
    assert lines[1:10] == [
        "Verdict:   not finished",
        "Lengths:   at most 9, at least 4",
        "Checked:   the store's chain of blocks",
        "           its solution",
        "Closed:    6 positions and 1 forced one",
        "Size:      70 B, 10.00 bytes for each of them",
        "Pending:   1 candidate",
        "Disk:      2.0 KiB",
        "",
    ]
    assert [line.split()[:3] for line in lines[10:] if line] == [
        ["layer", "states", "forced"],
        ["4", "5", "1"],
        ["5", "1", "0"],
        ["stratum", "states", "forced"],
        ["50", "4", "1"],
        ["51", "2", "0"],
    ]


@pytest.mark.parametrize(
    ("changes", "there", "gone"),
    [
        ({"metric": "runs"}, ", automove horne, metric runs", None),
        ({"verdict": "undecided", "limit": "max-states"}, "undecided (max-states)", None),
        ({"verdict": "unsolvable"}, "Verdict:   unsolvable", "Lengths:"),
        ({"length": 4}, "Lengths:   4", "at most"),
        ({"question": Question.PROVE}, "Closed:    6 positions and 1 forced one", "Lengths:"),
        (
            {"method": Method.DOMINATING, "strata": ((0, 5, 1, 0),)},
            "Closed:    1 dominating position",
            "forced one",
        ),
        ({"closed": 0, "closed_bytes": 0}, "Size:      0 B\n", "for each"),
        ({"keep": "none"}, "Size:      70 B\n", "for each"),
        ({"length": 6, "shortest": True}, "6 positions and 1 forced one in layers below 6\n", None),
        (
            {"closed": 10, "length": 6, "shortest": True},
            "Size:      70 B, 7.00 bytes for each of 10, those of layer 6 among them\n",
            "of them",
        ),
        ({"verdict": "unsolvable"}, "only by dbmsolver verify kept", None),
        ({"verdict": "unsolvable", "keep": "none"}, "none can be had of this store", "verify kept"),
        ({"verdict": "solved", "shortest": True}, "only by dbmsolver verify kept", None),
        ({"verdict": "solved"}, "Verdict:   solved", "Proof:"),
    ],
)
def test_what_is_said(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], there: str, gone: str | None
) -> None:
    text = "\n".join(facts(monkeypatch, **changes))
    assert there in text
    assert gone is None or gone not in text


def test_automoves_are_named_only_where_moves_home_are_made_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for game in ("klondike", "freecell", "pyramid", "golf", "scorpion", "simple_simon"):
        rules = GAMES[game]
        deal = Deal.from_number(1, rules)
        first = facts(monkeypatch, deal=deal, metric=usual_metric(rules))[0]
        assert (", automove horne" in first) == (game in ("klondike", "freecell"))


def test_forced_states_are_not_told_where_none_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In Klondike a state with a forced move is a state as any other."""
    deal = Deal.from_number(1, GAMES["klondike"])
    lines = facts(monkeypatch, deal=deal, metric="turns", strata=((4, 50, 7, 0),))
    assert "Closed:    7 positions" in lines
    assert not any("forced" in line for line in lines)


def test_moves_to_a_position_are_numbered_as_those_of_a_solution(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To turn the waste over is no move where turns of the stock are counted."""
    deal = Deal.from_text("Foundations: H-K C-K D-K S-J\nWaste: QS KS\n", GAMES["klondike"])
    moves, at = [], deal.position
    for _ in range(2):
        moves.append(at.moves(deal.rules)[-1])
        at = at.apply(moves[-1])
    board = tmp_path / "board"
    board.write_text(format_board(at))
    for metric, lines in (
        (
            "turns",
            [
                "1 play or turn of the stock",
                "   KS  waste -> stock  (2 cards)",
                "1  QS  stock -> waste",
            ],
        ),
        (
            "runs",
            [
                "2 moves of cards or runs",
                "1  KS  waste -> stock  (2 cards)",
                "2  QS  stock -> waste",
            ],
        ),
    ):
        kept = SimpleNamespace(
            deal=deal,
            method=Method.EVERY_POSITION,
            policy="wkr",
            metric=metric,
            lookup=lambda _: moves,
        )
        monkeypatch.setattr("dbmsolver.api.stores.stored_search", lambda _, kept=kept: kept)
        found = run("lookup", "kept", str(board)).stdout.splitlines()
        assert found[0].endswith(f": visited, {lines[0]} away")
        assert found[1:4] == [*lines[1:], ""]


def test_proofs_have_no_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the tables nor in the picture."""
    for question, layered in ((Question.SOLVE, True), (Question.PROVE, False)):
        lines = facts(monkeypatch, question=question)
        assert any(line.startswith("layer") for line in lines) == layered
        picture = run("status", "kept", "--plot", "-").stdout
        words = set(ElementTree.fromstring(picture).itertext())
        assert ("layer" in words) == layered and "stratum" in words


def test_no_solution_is_exported_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A missing solution is said to be one; text and JSON say what there is instead."""
    for answer, code in (
        (result(verdict="undecided", limit="max-time", shortest=False, moves=()), 20),
        (result(verdict="unsolvable", shortest=False, moves=()), 10),
        (result(question="prove", shortest=False, moves=()), 0),
    ):
        kept = SimpleNamespace(answer=lambda answer=answer: answer)
        monkeypatch.setattr("dbmsolver.api.stores.stored_search", lambda _, kept=kept: kept)
        for form in ("sfn", "html"):
            found = run("export", "kept", "--format", form)
            assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (2, "", 1)
            assert f"no solution to be written as {form}, expected text or json" in found.stderr
        assert code is not None and run("export", "kept").stdout
