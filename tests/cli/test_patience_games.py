"""Klondike and its relatives on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result
from helpers import command

from dbmsolver.cli.app import cli
from dbmsolver.game.shipped import GAMES, rules_fields

SCHEMA = json.loads((Path(__file__).parents[2] / "dbmsolver" / "answers.schema.json").read_text())
CERTIFICATES = files("dbmsolver") / "storage" / "certificate.schema.json"
BACK = "cards come back from the foundations"


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


def fits(schema: object, text: str) -> None:
    """Check an answer against its schema."""
    jsonschema.Draft202012Validator(schema).validate(json.loads(text))


@pytest.mark.parametrize(
    ("game", "number"), [("klondike_by_threes", "31"), ("russian_solitaire", "2")]
)
def test_a_store_from_its_search_to_its_check(game: str, number: str, tmp_path: Path) -> None:
    store, of_game = str(tmp_path / "store"), ("--game", game)
    done = run("prove", number, *of_game, "--store", store, "-q")
    assert done.exit_code == 10
    assert done.output.startswith(f"Deal {number} ({game}): unsolvable, after ")
    told = run("status", store, "--json")
    fits(SCHEMA, told.output)
    assert json.loads(told.output)["rules"]["removable"] is True
    verified = run("verify", store)
    assert "valid" in verified.output and BACK in verified.output
    assert BACK in run("verify", store, "--sample", "0.5").output
    key = run("key", number, *of_game).output.strip()
    shown = run("unkey", key, "--deal", number, *of_game).output
    assert shown == run("deal", number, *of_game).output
    board = tmp_path / "board"
    board.write_text(shown)
    found = run("lookup", store, str(board))
    assert found.exit_code == 0, found.output
    certificate = run("certificate", store).output
    fits(json.loads(CERTIFICATES.read_text()), certificate)
    (tmp_path / "record").write_text(certificate)
    assert "valid" in run("verify", str(tmp_path / "record")).output


ODD = [
    replace(GAMES["klondike"], build="any", passes=3),
    replace(GAMES["freecell"], build="suit-both"),
    replace(GAMES["somerset"], removable=True),
]


def test_the_schema_of_certificates_knows_all_rules() -> None:
    schema = json.loads(CERTIFICATES.read_text())["properties"]["rules"]
    for rules in (*(rules for rules in GAMES.values() if not rules.is_wide), *ODD):
        fits(schema, json.dumps(rules_fields(rules)))


def test_a_solution_without_a_digest(tmp_path: Path) -> None:
    done = run("prove", "2", "--game", "golf", "--store", str(tmp_path / "store"), "-q")
    assert done.exit_code == 0
    (tmp_path / "record").write_text(run("certificate", str(tmp_path / "store")).output)
    first = run("verify", str(tmp_path / "record")).output.splitlines()[0]
    assert first == "Deal 2 (golf): solved in 51 card moves, not shown to be shortest"


def test_a_hint_after_some_moves() -> None:
    done = run("hint", "66", "--game", "klondike_by_threes", "--json", "-q")
    fits(SCHEMA, done.output)
    assert json.loads(done.output)["verdict"] == "unsolvable"


def test_a_page_says_what_is_counted(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    board = tmp_path / "board"
    board.write_text(
        "Stock: 2S AS\nKS QS JS TS 9S 8S 7S 6S 5S 4S 3S\nFoundations: H-K C-K D-K S-0\n"
    )
    done = run("solve", str(board), "--game", "klondike", "-o", str(page), "-q")
    assert done.exit_code == 0, done.output
    assert "Proven shortest: 15 plays and turns of the stock" in page.read_text()


def test_a_check_tells_how_often_the_waste_is_turned_over(tmp_path: Path) -> None:
    """Such a move has no number in an answer, and is a move of the file."""
    path = tmp_path / "file"
    for waste, said in (
        ("KS QS JS", "3 moves"),
        ("KS JS QS", "7 moves, 1 of them turns the waste over"),
    ):
        path.write_text(f"Foundations: H-K C-K D-K S-T\nWaste: {waste}\n")
        path.write_text(run("solve", str(path), "--game", "klondike", "-q").output)
        assert run("check", str(path)).output.endswith(f": legal and winning, {said} (text)\n")


def test_a_won_board_with_a_base_is_read_back(tmp_path: Path) -> None:
    """The foundations are complete only by the rank with which they begin."""
    path = tmp_path / "board"
    path.write_text("Foundations: H-T C-T D-T S-9\nBase: J\nTS\n")
    solved, won = tmp_path / "solved.json", tmp_path / "won"
    args = ("--game", "penguin", "--quiet")
    assert command.run("solve", str(path), *args, "-o", str(solved)).exit_code == 0
    board = command.run("board", str(solved)).stdout
    assert board == "Foundations: H-T C-T D-T S-T\nBase: J\n"
    won.write_text(board)
    assert command.run("deal", str(won), "--game", "penguin").exit_code == 0
