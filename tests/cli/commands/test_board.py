"""`board` prints or draws the position after some moves of a solution."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from helpers.solutions import solved

from dbmsolver.cli.app import cli
from dbmsolver.game.boards import format_board
from dbmsolver.notation import formats

SOLUTION = solved(3)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("board") / "3.short"
    path.write_text(formats.write(SOLUTION, "short"))
    return str(path)


def board(*args: str, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["board", *args])
    assert result.exit_code == code, result.output
    return result


def test_positions(file: str) -> None:
    assert board(file, "--after", "0").stdout == format_board(SOLUTION.initial)
    for number, (_, _, position) in zip(range(1, 6), SOLUTION.replay(), strict=False):
        assert board(file, "--after", str(number)).stdout == format_board(position)
    assert board(file).stdout == "Foundations: H-K C-K D-K S-K\n"


def test_pictures(file: str, tmp_path: Path) -> None:
    picture = board(file, "--after", "7", "--svg").stdout
    title = ElementTree.fromstring(picture).findtext("{*}title")
    assert title == f"Deal 3, after 7 of {len(SOLUTION.steps)} moves"
    path = tmp_path / "board.svg"
    board(file, "--after", "7", "-o", str(path))
    assert path.read_text() == picture


def test_there_are_not_that_many_moves(file: str) -> None:
    moves = len(SOLUTION.steps)
    found = board(file, "--after", str(moves + 1), code=2).stderr
    assert f"expected a number from 0 to {moves}" in found


def test_moves_up_to_there_are_checked(file: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.short"
    path.write_text("# deal: 3\n11\n")
    assert "illegal move 1" in board(str(path), "--from", "short", code=3).stderr
