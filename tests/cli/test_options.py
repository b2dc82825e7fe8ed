"""Options that several commands share: what is refused before a command begins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.command import run

from dbmsolver.cli import options
from dbmsolver.cli.options import check_address
from dbmsolver.errors import UsageError
from dbmsolver.game.rules import MAX_COLUMNS


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--columns", 0, "0 is not in the range"),
        ("--columns", MAX_COLUMNS + 1, f"{MAX_COLUMNS + 1} is not in the range"),
        ("--freecells", "4x", "'4x' is no number of freecells, expected 0 to 13"),
        ("--freecells", "", "an empty word"),
        ("--freecells", "1000", "'1000' is no number of freecells"),
    ],
)
def test_shapes_that_no_game_has(option: str, value: object, said: str) -> None:
    result = run("deal", "3", option, value)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


def test_a_cluster_needs_its_library_and_no_number_for_its_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []
    monkeypatch.setattr(options, "load_library", lambda: loaded.append("ray"))
    check_address(None, "DEAL")
    for number in ("3", "1-12"):
        with pytest.raises(UsageError, match=f"--ray {number}: no address; expected DEAL before"):
            check_address(number, "DEAL")
    assert loaded == []
    check_address("auto", "DEAL")
    assert loaded == ["ray"]


def test_what_cannot_be_spread_is_refused_before_a_library_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of these is as it is where Ray is installed."""
    monkeypatch.setitem(sys.modules, "ray", None)
    store = str(tmp_path / "store")
    assert run("solve", "3", "--max-states", "50", "--store", store, "--quiet").exit_code == 20
    for args, code, said in (
        (("prove", "1", "--game", "spider"), 2, "spider is searched in memory: expected no"),
        (("prove", "1", "--game", "scorpion"), 2, "scorpion is searched in memory: expected no"),
        (("resume", store), 2, "solve is not spread over a cluster, expected prove"),
        (("resume", str(tmp_path / "none")), 4, "none: "),
        (("prove", "1"), 2, "--ray needs Ray"),
    ):
        result = run(*args, "--ray", "auto")
        assert result.exit_code == code, result.output
        assert said in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            "solve 3 --game klondike --columns 8",
            "--columns 8: the deal names 7 of the columns one by one, expected 8",
        ),
        (
            "solve 3 --game klondike --freecells 2 --build any",
            "--freecells 2: freecells in a game of Klondike's kind: expected none",
        ),
        (
            "survey 1 --game klondike --freecells 1..2 -o x.csv",
            "--freecells 1: freecells in a game of Klondike's kind: expected none",
        ),
        ("deal 3 --rows", "--rows says nothing about a number, expected a board"),
        ("survey 1 --rows -o x.csv", "--rows says nothing about numbers, expected boards"),
        (
            "survey 1 --metric runs -o x.csv",
            "--metric runs: verdict has none, expected the question shortest",
        ),
        (
            "survey 1 --automove max -o x.csv",
            "--automove max says nothing without the metric moves",
        ),
    ],
)
def test_messages_name_options_as_they_are_given(args: str, message: str) -> None:
    refused = run(*args.split())
    assert (refused.exit_code, refused.stdout, refused.stderr) == (2, "", f"dbmsolver: {message}\n")


@pytest.mark.parametrize(
    "args",
    [
        "--game golf --build none --fill none --moves single --freecells 0",
        "--game pyramid --freecells 0",
        "--freecells 4 --columns 8 --build alternate --fill any --moves single",
    ],
)
def test_what_is_so_in_the_game_may_be_said(args: str) -> None:
    game = args.split()[:2] if args.startswith("--game") else []
    assert run("deal", "3", *args.split()).output == run("deal", "3", *game).output
