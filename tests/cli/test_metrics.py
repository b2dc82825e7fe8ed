"""`--metric` as a user gives it, and what it is told back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import command

from dbmsolver.notation.format_names import FORMATS

BOARD = """Foundations: H-6 C-J D-7 S-7
Freecells: QH 9H QD 9S
KC
KD
QC 9D TS JD
7H JS TD
KH QS JH
8H 8S KS
TH
8D
"""

SPOILED = """Foundations: H-6 C-J D-6 S-J
8H 9H KH QH QC
7H QD 8D QS
7D TH KS KD JH
KC JD TD 9D
"""
"""A board that can be won only if a card is kept from going home."""


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board"
    path.write_text(BOARD)
    return str(path)


def run(*args: str, code: int = 0) -> str:
    result = command.run(*args)
    assert result.exit_code == code, result.output
    return result.stdout if code in (0, 10) else str(result.exception)


def answer(*args: str, code: int = 0) -> dict[str, Any]:
    return command.answer(*args, "--quiet", code=code)


def test_moves_of_the_player(board: str, tmp_path: Path) -> None:
    how = ("--metric", "moves", "--automove", "max", "--threads", "1")
    store = str(tmp_path / "store")
    text = run("solve", board, *how, "--store", store, "--quiet")
    lines = text.splitlines()
    assert lines[0].endswith(": solved in 2 moves of the player, shortest")
    numbered = [line for line in lines if line[:2] in ("1 ", "2 ")]
    assert len(numbered) == 2 and not any("automove" in line for line in numbered)
    free = [line for line in lines if line.endswith("  (automove)")]
    assert all(line.startswith("   ") for line in free)
    found = answer("solve", board, *how)
    assert (found["metric"], found["length"], found["automove"]) == ("moves", 2, "max")
    assert sum(not move["forced"] for move in found["moves"]) == 2
    assert len(found["moves"]) == len(numbered) + len(free)
    status = command.answer("status", store)
    assert (status["metric"], status["automove"], status["at_most"]) == ("moves", "max", 2)
    told = run("status", store).splitlines()[0]
    assert told.endswith(", automove max, metric moves")
    page = run("export", store, "--format", "html")
    assert '<span class="badge">Proven shortest: 2 moves of the player</span>' in page
    for form in ("text", "json", *FORMATS):
        path = tmp_path / f"file.{form}"
        code = 2 if form == "sfn" else 0  # it knows no such automoves
        run("export", store, "--format", form, "-o", str(path), code=code)
        if code == 0:
            lengths = command.answer("check", path, "--metric")["lengths"]
            assert (lengths["moves-max"], lengths["cards"] >= lengths["runs"]) == (2, True)
    assert run("resume", store, "--quiet").splitlines()[0] == lines[0]


def test_unsolvable_with_all_automoves(tmp_path: Path) -> None:
    path = tmp_path / "board"
    path.write_text(SPOILED)
    how = ("--columns", "4", "--freecells", "2", "--metric", "moves", "--quiet")
    line = run("solve", str(path), *how, "--automove", "max", code=10).splitlines()[0]
    assert ": unsolvable with the automoves max, after " in line
    assert "moves of the player, shortest" in run("solve", str(path), *how)
    store = str(tmp_path / "store")
    run("solve", str(path), *how, "--automove", "max", "--store", store, code=10)
    assert "Verdict:   unsolvable with the automoves max\n" in run("status", store)
    claim = " (4 columns, 2 freecells) is unsolvable with the automoves max"
    assert f"{claim}\n" in run("verify", store, "--quiet")


def test_advice_where_automoves_lose(tmp_path: Path) -> None:
    """That the deal cannot be won is said of these automoves, as by solve."""
    path = tmp_path / "board"
    path.write_text(SPOILED)
    how = ("--columns", "4", "--freecells", "2", "--metric", "moves", "--quiet")
    spoiled = (*how, "--automove", "max")
    line = run("hint", str(path), *spoiled, code=10).splitlines()[0]
    assert line.endswith(": cannot be won with the automoves max")
    line = run("solve", str(path), *spoiled, "--every-first-move", code=10).splitlines()[0]
    assert line.endswith(": cannot be won with the automoves max; 1 first move")
    assert ": can be won, " in run("hint", str(path), *how)


def test_a_hint_tells_the_automoves_before_it(board: str, tmp_path: Path) -> None:
    """On the board that is shown the player's move may not be possible yet."""
    how = ("--metric", "moves", "--threads", "1", "--quiet")
    lines = run("hint", board, *how, "--automove", "horne").splitlines()
    at = lines.index("Automove:  8D  column 8 -> home")
    assert lines[at + 1] == "Best move: QD  freecell 3 -> column 8"
    assert not any("Automove" in line for line in run("hint", board, "--quiet").splitlines())
    path = tmp_path / "board"
    path.write_text("Foundations: H-K C-K D-K S-J\nKS QS\n")
    text = run("hint", str(path), *how)
    assert ": can be won, 0 moves of the player are left\n" in text
    assert "Automove:  QS  column 1 -> home\nAutomove:  KS  column 1 -> home\nTime:" in text


def test_advice(board: str) -> None:
    how = ("--metric", "moves", "--automove", "max", "--threads", "1")
    found = answer("hint", board, *how)
    assert (found["metric"], found["length"]) == ("moves", 2)
    assert not found["move"]["forced"]
    # A program moves the 8D home before the player does anything.
    values = answer("solve", board, *how, "--every-first-move")
    assert [(one["card"], one["length"]) for one in values["first_moves"]] == [("8D", 2)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--automove max", "automove max with the metric cards"),
        ("--automove max --metric runs", "automove max with the metric runs"),
        ("--metric runs --count", "metric runs: shortest solutions are counted in moves of single"),
        ("--metric moves --all 3", "metric moves: shortest solutions are counted in moves of sing"),
        ("--metric moves --game simple_simon", "metric moves: a run of one suit moves as one"),
        ("--metric cards --game simple_simon", "metric cards: a run of one suit moves as one"),
        ("--metric runs --game golf", "metric runs: all cards go to one pile in golf"),
        ("--metric steps", "'steps' is not one of 'cards', 'runs', 'moves'"),
    ],
)
def test_refused(words: str, message: str) -> None:
    result = command.run("solve", "1", *words.split())
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_proof_has_no_metric() -> None:
    assert command.run("prove", "1", "--metric", "runs").exit_code == 2
    assert command.run("prove", "1", "--automove", "max").exit_code == 2


@pytest.mark.parametrize("game", ["simple_simon", "klondike", "spider", "pyramid"])
def test_a_survey_refuses_what_solve_refuses(game: str, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    how = ("--game", game, "--question", "shortest", "--metric", "cards", "-o", str(table))
    done = command.run("survey", "1-2", *how)
    assert done.exit_code == 2
    assert "metric cards" in done.output and "expected" in done.output
    assert not table.exists()


@pytest.mark.parametrize(("game", "unit"), [("yukon", "play"), ("klondike", "play or turn of the")])
def test_a_game_without_a_stock_has_no_turns_of_it(tmp_path: Path, game: str, unit: str) -> None:
    path = tmp_path / "board"
    path.write_text("Foundations: H-K S-K D-K C-Q\nKC\n")
    assert f": solved in 1 {unit}" in run("solve", str(path), "--game", game, "--quiet")


@pytest.mark.parametrize("game", ["golf", "pyramid", "spider", "forty_thieves", "simple_simon"])
def test_automoves_of_games_that_make_none(game: str) -> None:
    """An option that says nothing is refused; without it nothing is wrong."""
    text = f"--automove horne says nothing: no move home is made at once in {game}"
    for words in ("solve 1", "prove 1", "key no-board", "unkey 1 --deal 1"):
        refused = command.run(*words.split(), "--game", game, "--automove", "horne")
        assert text in refused.stderr and refused.exit_code == 2
    assert "no-board" in command.run("key", "no-board", "--game", game).stderr


def test_automoves_that_a_hint_has_no_use_for() -> None:
    refused = command.run("hint", 3, "--automove", "max")
    assert "says nothing without moves, expected MOVES, or --metric moves" in refused.stderr
    assert refused.exit_code == 2


def test_the_metric_that_automoves_are_for_is_named_where_there_is_one() -> None:
    told = [
        command.run("solve", 3, "--automove", "max", "--game", game).stderr
        for game in ("freecell", "klondike", "relaxed_freecell")
    ]
    assert ["the metric moves, or wkr" in text for text in told] == [True, False, False]
    assert all("expected " in text for text in told)
