"""Words of people on the command line: names of games, numbers of others, rows, and answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.command import answer, run

from dbmsolver.cli.progress import fit_line, survey_line
from dbmsolver.cli.values import GameSource
from dbmsolver.game.shipped import GAMES, SHIPPED, game_name
from dbmsolver.results import SurveyReport


@pytest.mark.parametrize("name", GAMES)
def test_games_are_known_by_their_titles(name: str) -> None:
    title = SHIPPED[name].title
    for text in (name, title, title.upper(), name.replace("_", "-"), name.replace("_", "")):
        assert game_name(text) == name


@pytest.mark.parametrize(
    "text, hint",
    [
        ("klon", "did you mean klondike or klondike_3_left_to_right or klondike_by_threes? exp"),
        ("bakers", "did you mean bakers_dozen or bakers_game? expected"),
        ("towers", "did you mean relaxed_seahaven_towers or seahaven_towers? expected"),
        ("yukn", "did you mean yukon? expected"),
        ("doublets", "expected one that"),
        ("tripeaks", "expected one that"),
        ("k", "expected one that"),
    ],
)
def test_unknown_games_suggest_what_begins_so_and_nothing_far(text: str, hint: str) -> None:
    refused = run("deal", 1, "--game", text)
    assert refused.exit_code == 2
    assert f"unknown game '{text}', {hint}" in refused.stderr


def test_a_game_by_its_title_is_played_and_printed() -> None:
    plain = run("deal", 1, "--game", "seahaven_towers").stdout
    assert run("deal", 1, "--game", "Seahaven Towers").stdout == plain
    assert run("games", "Baker's Dozen").stdout == run("games", "bakers_dozen").stdout


def test_completion_of_games() -> None:
    names = [item.value for item in GameSource().shell_complete(None, None, "Free")]  # type: ignore[arg-type]
    assert names == ["freecell"]
    assert len(GameSource().shell_complete(None, None, "")) == len(GAMES)  # type: ignore[arg-type]


def test_messages_say_expected_once(tmp_path: Path) -> None:
    refused = run("survey", tmp_path / "nix", "-o", tmp_path / "a.csv")
    assert "no such file, expected numbers and ranges like 1-1000,11982, the path" in refused.stderr
    assert "expected expected" not in refused.stderr


def test_freecells_say_what_they_take() -> None:
    for command in ("solve", "check", "deal"):
        assert "up to 13, or 16" in " ".join(run(command, "--help").stdout.split())
    assert "14 freecells: expected 0 to 13" in run("deal", 1, "--freecells", 14).stderr
    refused = run("deal", 1, "--freecells", "many")
    assert "'many' is no number of freecells, expected 0 to 13" in refused.stderr
    assert run("deal", 1, "--game", "flower_garden", "--freecells", 16).exit_code == 0


def test_boards_as_json(tmp_path: Path) -> None:
    found = answer("deal", 3)
    assert (found["kind"], found["deal"]["number"]) == ("dealt", 3)
    path = tmp_path / "3.json"
    assert run("deal", 3, "-o", path).exit_code == 0
    assert run("deal", path).stdout == run("deal", 3).stdout
    assert run("solve", 3, "--quiet", "--threads", 1, "-o", tmp_path / "s.json").exit_code == 0
    shown = answer("board", tmp_path / "s.json", "--after", 4)
    assert (shown["kind"], shown["after"], shown["length"]) == ("position", 4, 73)
    path.write_text(run("board", tmp_path / "s.json", "--after", 4, "--json").stdout)
    assert run("deal", path).stdout == run("board", tmp_path / "s.json", "--after", 4).stdout
    key = answer("key", path, "--deal", 3)
    assert key["key"] == run("key", path, "--deal", 3).stdout.strip()
    assert key["board"] == shown["board"]
    assert "--svg and --json, expected one" in run("deal", 3, "--svg", "--json").stderr
    refused = run("deal", 3, "-o", tmp_path / "x.pdf")
    assert "boards are not written as .pdf, expected .txt, .json or .svg" in refused.stderr
    refused = run("solve", 3, "-o", tmp_path / "x.pdf")
    assert "answers are not written as .pdf, expected .txt, .json" in refused.stderr


def test_rows_and_numbers_on_the_command_line(tmp_path: Path) -> None:
    board = run("deal", 3).stdout.splitlines()
    table = [line.split() for line in board]
    rows = [" ".join(c[depth] for c in table if len(c) > depth) for depth in range(7)]
    path = tmp_path / "rows"
    path.write_text("\n".join(rows))
    refused = run("solve", path)
    assert refused.exit_code == 3
    assert "the shape of rows, expected a line for each column; a colon" in refused.stderr
    assert run("deal", path, "--rows").stdout.splitlines() == board
    found = run("deal", 1, "--numbers", "solvitaire", "--game", "Klondike").stdout
    assert found.startswith("Stock: TS ") and found.endswith("JD\n")
    refused = run("deal", path, "--numbers", "pysol")
    assert "expected a number" in refused.stderr and refused.exit_code == 2


def test_hint_with_every_first_move(tmp_path: Path) -> None:
    path = tmp_path / "board"
    path.write_text("Foundations: H-K C-K D-J S-Q\nFreecells: KD\nQD\nKS\n")
    found = run("hint", path, "--every-first-move", "--quiet", "--max-time", "10m")
    assert found.exit_code == 0
    assert "left after  move" in found.stdout
    data = answer("hint", path, "--every-first-move", "--quiet", "--max-time", "10m")
    assert data["kind"] == "first_moves"


def survey(deals: int) -> SurveyReport:
    return SurveyReport("verdict", 65.0, deals / 100, deals, 100, deals, deals, 0, 0, 0)


def test_the_last_deals_of_a_survey_are_not_timed() -> None:
    assert "about 3.0 s left" in survey_line(survey(90), 1.0, 3.0)
    line = survey_line(survey(99), 1.0, 3.0)
    assert "the last 1 deal," in line
    assert "about" not in line


def test_the_live_line_keeps_its_time() -> None:
    line = "solve at most 90, layer 85, 12,345,678 states, 1.0 GiB memory, 1 min 5 s"
    assert fit_line(line, 80) == line
    assert fit_line(line, 40) == "solve at most 90, layer 85,... 1 min 5 s"
    assert len(fit_line(line, 41)) == 41
    assert fit_line("no comma in it", 5) == "no comma in it"
