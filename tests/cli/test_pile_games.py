"""Games of one pile on the command line."""

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


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args)


def test_a_store_from_its_search_to_its_check(tmp_path: Path) -> None:
    store, board = str(tmp_path / "store"), str(tmp_path / "board")
    done = run("prove", "10", "--game", "black_hole", "--store", store, "-q")
    assert done.exit_code == 0 and done.output.startswith("Deal 10 (black_hole): solved in 51")
    status = run("status", store).output
    assert "Size:      0 B\n" in status and "automove" not in status
    found = run("lookup", store, "10").output
    assert found.startswith("Deal 10 (black_hole): visited, 0 card moves away\n")
    done = run("prove", "34", "--game", "black_hole", "--store", f"{store}34", "-q")
    assert done.output.startswith("Deal 34 (black_hole): unsolvable, after 30 positions")
    assert "30 positions\n" in run("status", f"{store}34").output
    assert "valid" in run("verify", f"{store}34").output
    key = run("key", "34", "--game", "black_hole").output.strip()
    shown = run("unkey", key, "--deal", "34", "--game", "black_hole").output
    assert shown == run("deal", "34", "--game", "black_hole").output
    Path(board).write_text(shown)
    found = run("lookup", f"{store}34", board)
    assert found.exit_code == 0, found.output
    certificate = run("certificate", f"{store}34")
    record = json.loads(certificate.output)
    assert record["rules"]["pile"] == "wrap"
    jsonschema.Draft202012Validator(json.loads(CERTIFICATES.read_text())).validate(record)


@pytest.mark.slow
def test_json_fits_its_schema() -> None:
    for args in (("solve", "2"), ("solve", "2", "--every-first-move"), ("hint", "2")):
        done = run(*args, "--game", "golf", "--json", "-q")
        data = json.loads(done.output)
        jsonschema.Draft202012Validator(SCHEMA).validate(data)
    kinds = {move["source"]["kind"] for move in json.loads(
        run("solve", "2", "--game", "golf", "--json", "-q").output)["moves"]}  # fmt: skip
    assert kinds == {"column", "stock"}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("solve", "2", "--count"), "all cards go to one pile in golf: shortest solutions are"),
        (("solve", "2", "--all", "5"), "all cards go to one pile in golf"),
        (("prove", "2", "--freecells", "1"), "freecells in a game of one pile: expected none"),
        (("prove", "2", "--build", "suit"), "columns that take cards"),
        (("solve", "2", "-o", "x.sfn"), "golf: Standard FreeCell Notation has no pile"),
        (("solve", "-1"), "golf with 7 columns, one pile up or down by any suit"),
    ],
)
def test_what_is_not_possible_is_refused_in_a_line(
    args: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*args, "--game", "golf", "-q")
    assert done.exit_code in (2, 3)
    assert message in done.output + str(done.exception)


@pytest.mark.slow
def test_surveys(tmp_path: Path) -> None:
    table = str(tmp_path / "t.csv")
    args = ("survey", "1-4", "--game", "golf", "--game", "all_in_a_row", "-o", table, "-q")
    for _ in range(2):
        done = run(*args)
        assert done.exit_code == 0, done.output
    rows = Path(table).read_text().splitlines()
    assert len(rows) == 9
    assert sum("pile-ends stock-16" in row for row in rows) == 4


@pytest.mark.parametrize("question", ["prove", "solve"])
def test_threads_and_little_memory(question: str, tmp_path: Path) -> None:
    args = (question, "57", "--game", "all_in_a_row", "--threads", "2", "--memory", "64M")
    done = run(*args, "--store", str(tmp_path / "store"), "--json", "-q")
    answer = json.loads(done.output)
    assert (answer["states"], answer["digest"]) == (15_525, "1b8494e075f9735d")
    assert "valid" in run("verify", str(tmp_path / "store"), "-q").output
