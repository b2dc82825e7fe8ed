"""Pairing games on the command line."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from dbmsolver.cli.app import cli

SCHEMA = json.loads((Path(__file__).parents[2] / "dbmsolver" / "answers.schema.json").read_text())
CERTIFICATES = files("dbmsolver") / "storage" / "certificate.schema.json"


def run(*args: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, args, input=text)


def test_a_store_from_its_search_to_its_check(tmp_path: Path) -> None:
    store, board = str(tmp_path / "store"), str(tmp_path / "board")
    args = ("prove", "285", "--game", "pyramid", "--store", store, "-q")
    done = run(*args, "--max-states", "20000", "--threads", "1")
    again = run(*args)
    assert again.output.startswith("Deal 285 (pyramid): unsolvable, after 7,507 positions"), done
    assert "7,507 positions\n" in run("status", store).output
    assert "valid" in run("verify", store).output
    key = run("key", "285", "--game", "pyramid").output.strip()
    shown = run("unkey", key, "--deal", "285", "--game", "pyramid").output
    assert shown == run("deal", "285", "--game", "pyramid").output
    Path(board).write_text(shown)
    assert run("lookup", store, board).exit_code == 0
    record = json.loads(run("certificate", store).output)
    assert (record["rules"]["pairs"], record["rules"]["free_stock"]) == ("all", True)
    jsonschema.Draft202012Validator(json.loads(CERTIFICATES.read_text())).validate(record)
    Path(board).write_text(json.dumps(record))
    assert "valid" in run("verify", board, "-q").output


def test_json_and_text_of_a_shortest_solution(tmp_path: Path) -> None:
    store, path = str(tmp_path / "store"), str(tmp_path / "answer")
    args = ("solve", "14", "--game", "relaxed_pyramid", "--store", store, "-q")
    done = run(*args, "--json")
    data = json.loads(done.output)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert (data["verdict"], data["shortest"], data["metric"]) == ("solved", True, "turns")
    assert any("other" in move for move in data["moves"])
    record = json.loads(run("certificate", store).output)
    jsonschema.Draft202012Validator(json.loads(CERTIFICATES.read_text())).validate(record)
    assert "valid" in run("verify", store, "-q").output
    for text in (done.output, run(*args).output, run(*args, "--boards").output):
        Path(path).write_text(text)
        checked = run("check", path, "--metric")
        assert checked.exit_code == 0, checked.output
        assert f"turns:          {data['length']}" in checked.output


def test_hints_and_first_moves() -> None:
    data = json.loads(run("hint", "3", "--game", "pyramid", "--json", "-q").output)
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    assert (data["verdict"], data["length"]) == ("solved", 33)
    done = run("solve", "3", "--game", "pyramid", "--every-first-move", "-q")
    assert done.exit_code == 0 and "-> removed" in done.output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("solve", "2", "--count"), "pairs are removed in pyramid: shortest solutions are"),
        (("solve", "2", "--all", "5"), "pairs are removed in pyramid"),
        (("prove", "2", "--freecells", "1"), "freecells in a game of pairs: expected none"),
        (("prove", "2", "--columns", "6"), "28 cards for a pyramid of 6 rows, expected 21"),
        (("prove", "2", "--build", "suit"), "a game of pairs with a pile, or columns"),
        (("solve", "2", "--metric", "runs"), "metric runs in pyramid, expected turns"),
        (
            ("solve", "2", "-o", "x.sfn"),
            "pyramid: Standard FreeCell Notation has no words for stock, waste and pairs",
        ),
        (("solve", "-1"), "pyramid with 7 rows, a stock of 24 cards"),
        (("play", "2"), "pyramid: pairing games are not played on the page"),
    ],
)
def test_what_is_not_possible_is_refused_in_a_line(
    args: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*args, "--game", "pyramid", *([] if args[0] == "play" else ["-q"]))
    assert done.exit_code in (2, 3)
    assert message in done.output + str(done.exception)


def test_surveys(tmp_path: Path) -> None:
    table = str(tmp_path / "t.csv")
    for _ in range(2):
        done = run(
            "survey", "3-5", "--game", "pyramid", "--question", "shortest", "-o", table, "-q"
        )
        assert done.exit_code == 0, done.output
    rows = Path(table).read_text().splitlines()
    assert len(rows) == 4
    assert sum("pairs-all stock-24 draw-1 passes-3 free-stock" in row for row in rows) == 3
