"""Outputs of commands with --json, against dbmsolver/answers.schema.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from helpers.command import SCHEMA, answer, run
from helpers.fake_search import NEARLY_DONE

from dbmsolver.game.boards import parse_board
from dbmsolver.game.rules import Rules

TINY = ("1", "--game", "seahaven_towers", "--freecells", "2")
"""A deal whose search ends after 14 positions."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a board, and stores of a proof, of a shortest solution, and of an unfinished search."""
    folder = tmp_path_factory.mktemp("stores")
    (folder / "board").write_text(NEARLY_DONE)
    answer("prove", *TINY, "--store", str(folder / "proof"), code=10)
    answer("solve", str(folder / "board"), "--store", str(folder / "solved"))
    limits = ("--max-states", "5")
    answer("prove", "11982", "--every-position", *limits, "--store", str(folder / "begun"), code=20)
    return folder


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_an_answer_is_valid_by_the_schema_if_it_is_by_that_of_its_kind() -> None:
    """Nothing else is asked of it, and no other kind takes it."""
    asked = {"$schema", "$id", "title", "description", "type", "required", "oneOf", "$defs"}
    assert SCHEMA.keys() == asked
    assert (SCHEMA["type"], SCHEMA["required"]) == ("object", ["kind"])
    kinds = [one["$ref"].removeprefix("#/$defs/") for one in SCHEMA["oneOf"]]
    assert len(set(kinds)) == len(kinds) > 10
    for kind in kinds:
        schema = SCHEMA["$defs"][kind]
        assert schema["type"] == "object"
        assert schema["properties"]["kind"] == {"const": kind}


def test_answers(stores: Path) -> None:
    board = str(stores / "board")
    solved = answer("solve", board)
    assert (solved["kind"], solved["verdict"], solved["length"]) == ("answer", "solved", 2)
    for again in (
        answer("export", str(stores / "solved")),
        answer("resume", str(stores / "solved")),
    ):
        assert again["moves"] == solved["moves"]
    assert answer("prove", *TINY, code=10)["verdict"] == "unsolvable"
    assert answer("resume", str(stores / "proof"), code=10)["length"] is None


def test_stores(stores: Path) -> None:
    for name, verdict in (("proof", "unsolvable"), ("solved", "solved"), ("begun", "undecided")):
        status = answer("status", str(stores / name))
        assert (status["kind"], status["verdict"]) == ("status", verdict)
        assert status["states"] == sum(row["states"] for row in status["strata"])
    assert answer("lookup", str(stores / "solved"), str(stores / "board"))["found"] is True
    goal = stores / "goal"
    goal.write_text("Foundations: H-K C-K D-Q S-K\nKD\n")
    found = answer("lookup", str(stores / "solved"), str(goal))
    assert (found["found"], found["moves"]) == (False, [])


def test_deals_with_negative_numbers(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    assert (
        answer("prove", "-1", "--freecells", "2", "--store", store, code=10)["deal"]["number"] == -1
    )
    assert answer("status", store)["deal"]["number"] == -1
    assert answer("verify", store)["valid"] is True


def test_verifications(stores: Path, tmp_path: Path) -> None:
    for name in ("proof", "solved"):
        found = answer("verify", str(stores / name))
        assert (found["kind"], found["valid"]) == ("verification", True)
    assert answer("verify", str(stores / "proof"), "--sample", "50%")["sample"] == 0.5
    certificate = tmp_path / "certificate.json"
    made = run("certificate", str(stores / "proof"), "-o", str(certificate))
    assert made.exit_code == 0, made.output
    assert answer("verify", str(certificate))["differences"] == []
    record = json.loads(certificate.read_text())
    certificate.write_text(json.dumps(record | {"digest": "0" * 16}))
    assert answer("verify", str(certificate), code=4)["valid"] is False
    against = ("--certificate", str(certificate))
    found = answer("verify", str(stores / "proof"), *against, code=4)
    assert found["reason"]


def test_checks(stores: Path, tmp_path: Path) -> None:
    path = tmp_path / "solution"
    solve = ["solve", str(stores / "board"), "--format", "universal-json", "-o", str(path)]
    assert run(*solve).exit_code == 0
    assert answer("check", str(path), "--metric")["lengths"]["cards"] == 2
    assert answer("check", str(path))["length"] == 2
    path.write_text("# deal: 3\n11\n")
    failed = answer("check", str(path), "--from", "short", code=3)
    assert failed["valid"] is False
    assert len(failed["board"]) == 8
    path.write_text("nothing")
    assert answer("check", str(path), code=3)["board"] is None


def test_games() -> None:
    assert answer("games")["kind"] == "games"


SAME = (
    "verdict", "shortest", "question", "method", "metric", "automove", "deal", "rules", "states",
    "forced", "strata",
)  # fmt: skip


def check_same(path: str, *answers: dict[str, Any], code: int) -> None:
    """Check that the result of one search is told in the same way by all commands."""
    told = [
        *answers,
        answer("export", path),
        answer("resume", path, code=code),
        answer("status", path),
        answer("verify", path),
    ]
    for name in SAME:
        assert all(data[name] == told[0][name] for data in told), name
    for data in told:
        assert data["states"] == sum(row["states"] for row in data["strata"])
        assert data["forced"] == sum(row["forced"] for row in data["strata"])
        for name in ("length", "digest"):
            assert data.get(name, told[0][name]) == told[0][name], name


def test_the_same_thing_is_the_same_everywhere(stores: Path) -> None:
    """The proof of one search, told by different commands."""
    proof = answer("prove", *TINY, code=10)
    check_same(str(stores / "proof"), proof, code=10)
    rules = dict(proof["rules"])
    rules["name"] = rules.pop("game")
    parse_board("\n".join(proof["deal"]["board"]), Rules(**rules))


def test_a_shortest_solution_is_the_same_everywhere(stores: Path, tmp_path: Path) -> None:
    """The layer of its goal is closed in part, and how far depends on threads and memory."""
    check_same(str(stores / "solved"), answer("solve", str(stores / "board")), code=0)
    store = str(tmp_path / "store")
    solved = answer("solve", "3", "--store", store)
    assert solved["states"] > 0
    check_same(store, solved, code=0)


def test_a_solution_that_a_hasty_search_found_is_the_same_everywhere(tmp_path: Path) -> None:
    """It has closed nothing, and says how much it has looked at."""
    store = str(tmp_path / "store")
    solved = answer("prove", "1", "--store", store)
    assert (solved["method"], solved["states"], solved["strata"]) == ("dominating", 0, [])
    assert solved["evaluated"] > 0
    check_same(store, solved, code=0)


def test_a_certificate_says_it_by_the_same_names(stores: Path, tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    run("certificate", str(stores / "proof"), "-o", str(certificate))
    again, store = answer("verify", str(certificate)), answer("verify", str(stores / "proof"))
    for name in SAME:
        if name != "strata":
            assert again[name] == store[name]


def test_the_history_of_a_store(stores: Path) -> None:
    """Its last moment is the last commit; the time of an answer is not before it."""
    for name in ("proof", "begun"):
        status = answer("status", str(stores / name))
        last = status["history"][-1]
        assert (last["states"], last["forced"]) == (status["states"], status["forced"])
