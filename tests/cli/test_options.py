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
