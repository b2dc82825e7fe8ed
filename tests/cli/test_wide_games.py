"""Spider and its kin on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from dbmsolver.cli.app import cli

SCHEMA = json.loads((Path(__file__).parents[2] / "dbmsolver" / "answers.schema.json").read_text())
SMALL = """\
Extends "spider"
Header
    Name "Small Spider"
Setup
    Tableau DropStack[4]
    Foundation TopStack[2] Keep
Deck
    Spades[2]
    Ranks[4]
    KingHigh
Deal
    Initial
        Tableau Rows[1]
    Triggered[1]
        Tableau Rows[1]
"""


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, input=text)


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "small.game"
    path.write_text(SMALL)
    return str(path)


def test_a_shortest_solution_as_json_and_as_text_is_checked(game: str, tmp_path: Path) -> None:
    args = ("solve", "7", "--game", game, "-q", "--memory", "128M")
    done = run(*args, "--json")
    data = json.loads(done.output)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert (data["verdict"], data["shortest"], data["metric"]) == ("solved", True, "turns")
    assert data["rules"]["packs"] == "2S" and data["rules"]["row_deals"] == "full-rows"
    kinds = {move["destination"]["kind"] for move in data["moves"]}
    assert {"columns", "foundation"} <= kinds
    path = tmp_path / "answer"
    for text in (done.output, run(*args).output, run(*args, "--boards").output):
        path.write_text(text)
        checked = run("check", str(path), "--metric", *(() if "{" in text else ("--game", game)))
        assert checked.exit_code == 0, checked.output
        assert f"turns:          {data['length']}" in checked.output
    path.write_text(done.output.replace('"kind": "columns"', '"kind": "waste"'))
    assert run("check", str(path)).exit_code not in (0, 1)


def test_a_proof(game: str) -> None:
    board = "Foundations: S-9 S-9\nTS JS QS KS\nTS JS QS KS\n:\n:\n"
    done = run("prove", "-", "--game", game, "-q", "--json", "--memory", "128M", text=board)
    assert json.loads(done.output)["verdict"] == "solved"
    locked = SMALL.replace("DropStack[4]", "DropStack[2]").replace("Triggered[1]", "Triggered[3]")
    moves = "Move\n    Tableau ValidStack SameSuit Descending\n    Foundation FullSuit OnBlank\n"
    Path(game).write_text(locked + moves)
    lost = "Foundations: S-9 S-9\nTS JS QS KS\nTS JS QS KS\n"
    done = run("prove", "-", "--game", game, "-q", "--memory", "128M", text=lost)
    assert "unsolvable, after 1 position" in done.output, done.output
    assert done.exit_code == 10


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("solve", "2", "--count"), "several packs, or a stock dealt onto columns: shortest"),
        (("solve", "2", "--all", "5"), "several packs, or a stock dealt onto columns"),
        (("prove", "2", "--store", "s"), "spider is searched in memory, and has no store"),
        (("solve", "2", "--store", "s"), "spider is searched in memory, and has no store"),
        (("prove", "2", "--freecells", "1"), "freecells in a game of several packs"),
        (("prove", "2", "--columns", "9"), "one by one, expected 9"),
        (("solve", "2", "--metric", "runs"), "metric runs in spider, expected turns"),
        (("key", "2"), "spider: its positions have no keys that are numbers"),
        (("unkey", "2", "--deal", "3"), "spider: its positions have no keys that are numbers"),
        (("solve", "-1"), "no such number"),
        (
            ("play", "2"),
            "spider: games of two decks, or whose stock is dealt onto columns, are not",
        ),
    ],
)
def test_what_is_not_possible_is_refused_in_a_line(
    args: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limits = ["--max-states", "2000", "--memory", "128M", "-q"]
    more = limits if args[0] in ("solve", "prove") else []
    done = run(*args, "--game", "spider", *more)
    assert done.exit_code in (2, 3), done.output
    assert message in done.output + str(done.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["sfn", "short", "moves"])
def test_formats_that_cannot_say_it(ending: str, game: str, tmp_path: Path) -> None:
    file = tmp_path / f"x.{ending}"
    done = run("solve", "7", "--game", game, "-q", "--memory", "128M", "-o", str(file))
    assert done.exit_code == 2
    things = "cards that are alike and a stock dealt onto columns"
    assert "small_spider: " in done.output and f" for {things}\n" in done.output
    assert not file.exists()


@pytest.mark.parametrize("ending", ["html", "xml"])
def test_formats_that_can(ending: str, game: str, tmp_path: Path) -> None:
    file = tmp_path / f"x.{ending}"
    done = run("solve", "7", "--game", game, "-q", "--memory", "128M", "-o", str(file))
    assert done.exit_code == 0, done.output
    for more in ([], ["--game", game]):
        assert run("check", str(file), *more).exit_code == 0
    other = tmp_path / "y.xml"
    assert run("convert", str(file), str(other)).exit_code == 0
    assert run("check", str(other), "--metric").output.count("turns:") == 1


def test_hints_first_moves_and_surveys(game: str, tmp_path: Path) -> None:
    data = json.loads(run("hint", "7", "--game", game, "--json", "-q").output)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert data["verdict"] == "solved"
    done = run("solve", "7", "--game", game, "--every-first-move", "-q")
    assert done.exit_code == 0 and "stock -> columns" in done.output, done.output
    table = str(tmp_path / "t.csv")
    for question in ("verdict", "shortest"):
        Path(table).unlink(missing_ok=True)
        for _ in range(2):
            done = run("survey", "1-4", "--game", game, "--question", question, "-o", table, "-q")
            assert done.exit_code == 0, done.output
        rows = Path(table).read_text().splitlines()
        assert len(rows) == 5
        assert (
            sum("packs-2S suit-runs whole-suits stock-4 dealt-full-rows" in row for row in rows)
            == 4
        )


def test_boards_and_pictures(tmp_path: Path) -> None:
    shown = run("deal", "1", "--game", "spider").output
    assert shown.splitlines()[0].startswith("Stock: QH 9S 2S")
    assert "<3D> <AS> <KD> <7D> <3S> 8H" in shown
    assert run("deal", "-", "--game", "spider", text=shown).output == shown
