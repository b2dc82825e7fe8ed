"""Certificates: written, read, compared, and run again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from helpers import faults
from helpers.command import run
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.errors import InputError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_fields, rules_for
from dbmsolver.storage import certificate, certificate_file
from dbmsolver.storage.store import Store

SCHEMA = json.loads(certificate_file.SCHEMA.read_text())
DEAL = Deal.from_number(1, rules_for("freecell", 1))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    prove(DEAL, store=folder / "proof")
    prove(Deal.from_number(3), store=folder / "solved")
    api.solve(Deal.from_number(3), store=folder / "shortest")
    return folder


def of(path: Path) -> dict[str, Any]:
    with Store.open(path, readonly=True) as store:
        return certificate.from_manifest(store.manifest)


@pytest.mark.parametrize(
    ("name", "claim"), [("proof", "unsolvable"), ("solved", "solved"), ("shortest", "shortest")]
)
def test_form(stores: Path, tmp_path: Path, name: str, claim: str) -> None:
    file = tmp_path / "certificate.json"
    result = run("certificate", stores / name, "-o", file)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert run("certificate", stores / name).stdout == file.read_text()
    record = json.loads(file.read_text())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(record, SCHEMA)
    assert record["claim"] == claim
    assert certificate_file.load(file) == record == of(stores / name)


def test_what_stands_in_it(stores: Path) -> None:
    record = of(stores / "proof")
    assert record["states"] == 63
    assert record["forced"] == 18
    assert record["digest"] == "c7abeb9dc7cbea7f"
    assert sum(row["states"] for row in record["strata"]) == 63
    assert certificate.deal_of(record, "here") == DEAL


def test_a_store_agrees_with_its_certificate(stores: Path, tmp_path: Path) -> None:
    for name in ("proof", "solved", "shortest"):
        file = tmp_path / name
        assert run("certificate", stores / name, "-o", file).exit_code == 0
        result = run("verify", stores / name, "--certificate", file)
        assert result.exit_code == 0, result.output
        assert "the certificate agrees with the store" in result.stdout


@pytest.mark.parametrize("name", ["proof", "solved", "shortest"])
def test_run_again(stores: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "certificate.json"
    run("certificate", stores / name, "-o", file)
    result = run("verify", file)
    assert result.exit_code == 0, result.output
    assert "valid, the search run again says the same" in result.stdout
    data = json.loads(run("verify", file, "--json", "--quiet").stdout)
    assert data["valid"] is True
    assert data["differences"] == []


CHANGES: list[dict[str, Any]] = [
    {"digest": "0" * 16},
    {"states": 64},
    {"claim": "solved", "length": 0, "path": []},
    {"policy": "none"},
    {"strata": []},
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_certificate(stores: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps({**of(stores / "proof"), **change}))
    result = run("verify", file)
    assert result.exit_code == 4, result.output
    assert "NOT VALID" in result.stdout
    result = run("verify", stores / "proof", "--certificate", file)
    assert result.exit_code == 4
    assert "the store differs from the certificate" in result.stdout


def test_a_shorter_solution_in_a_certificate(stores: Path, tmp_path: Path) -> None:
    record = of(stores / "shortest")
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps({**record, "path": record["path"][:-1], "length": 72}))
    result = run("verify", file)
    assert result.exit_code == 4
    assert "cards are not home" in result.stdout


def test_differences_of_certificates(stores: Path) -> None:
    """Counts are compared where deal and claim are the same, and no solution of any length."""
    proof, shortest, solved = (of(stores / name) for name in ("proof", "shortest", "solved"))
    rows = [{**proof["strata"][0], "states": 9000}, *proof["strata"][1:]]
    assert certificate.differences(proof, {**proof, "path": 1, "versions": {}}) == []
    found = certificate.differences(proof, {**proof, "strata": rows, "states": 8000, "forced": 7})
    stratum = proof["strata"][0]
    assert found == [
        f"stratum {stratum['stratum']}: {stratum['states']} states and {stratum['forced']} "
        f"forced ones, not 9,000 and {stratum['forced']}",
        "states: 63, not 8,000",
        "forced: 18, not 7",
    ]
    found = certificate.differences(proof, {**proof, "policy": "none", "strata": [], "states": 0})
    assert found == ['policy: "wkr", not "none"']
    assert certificate.differences(shortest, {**shortest, "length": 72}) == ["length: 73, not 72"]
    row = shortest["strata"][0]
    assert certificate.differences(shortest, {**shortest, "strata": shortest["strata"][1:]}) == [
        f"layer {row['layer']}, stratum {row['stratum']}: {row['states']} states and "
        f"{row['forced']} forced ones, not 0 and 0"
    ]
    other = {**solved, "length": 99, "strata": rows, "states": 1, "digest": "0" * 16}
    assert certificate.differences(solved, other) == []
    assert certificate.differences(solved, {**other, "metric": "plays"}) == [
        'metric: "cards", not "plays"'
    ]


BAD_FILES = [
    ("", "not JSON"),
    ("[]", "expected a JSON object"),
    ("{}", '"certificate": 2'),
    ('{"certificate": 2}', "claim is missing"),
    ('{"certificate": 1}', 'expected "certificate": 2'),
    ("\x00\xff", "not JSON"),
]

BAD_MEMBERS = [
    {"strata": [{"layer": 0, "stratum": True, "states": 1, "forced": 0}]},
    {"strata": [{"layer": 0, "stratum": 0, "states": -1, "forced": 0}]},
    {"strata": [{"layer": 0, "stratum": 0, "states": 1.0, "forced": 0}]},
    {"strata": [1]},
    {"strata": [{"layer": 0, "stratum": "x", "states": 1, "forced": 0}]},
    {"path": [[1]]},
    {"rules": {}},
    {"deal": {"number": None, "board": [1]}},
    {"policy": "all"},
    {"policy": []},
    {"more": 1},
    {"certificate": 2.0},
    {"deal": {"number": 3.0, "board": []}},
]

WRONG_TYPES = [
    ("layout", 1),
    ("layout", True),
    ("name", None),
    ("name", 1.5),
    ("kings_sunk", 0),
    ("kings_sunk", ""),
    ("removable", 1),
    ("dealt_to_freecells", 0.0),
    ("columns", 8.0),
    ("draw", True),
    ("draw", 10**30),
    ("columns", -1),
]
"""Values of rules that are like right ones, but of another type, or out of all ranges."""


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_bad_files(stores: Path, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        certificate_file.load(file)
    assert run("verify", file).exit_code == 3
    assert run("verify", stores / "proof", "--certificate", file).exit_code == 3


@pytest.mark.parametrize(("name", "value"), WRONG_TYPES)
def test_rules_of_wrong_types(stores: Path, tmp_path: Path, name: str, value: object) -> None:
    record = of(stores / "proof")
    file = tmp_path / "bad"
    file.write_text(json.dumps(record | {"rules": {**record["rules"], name: value}}))
    for args in ((file,), (stores / "proof", "--certificate", file)):
        found = run("verify", *args)
        assert (found.exit_code, found.stderr.count("\n")) == (3, 1), found.output
        assert "not a certificate: its rules" in found.stderr


@pytest.mark.parametrize("change", BAD_MEMBERS)
def test_bad_members(stores: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    file = tmp_path / "bad"
    file.write_text(json.dumps({**of(stores / "proof"), **change}))
    result = run("verify", file)
    assert result.exit_code == 3, result.output
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "step",
    [1, None, "ab", {"a": 1, "b": 2}, [1], [1, 2, 3], [-1, 0], [52, 0], [1, 8], [1, 64], [1, True]],
)
def test_bad_steps(stores: Path, step: Any) -> None:
    """Steps are a card and a place value: 0 to 7, and in games of pairs 64 to 115."""
    record = of(stores / "shortest")
    assert list(certificate_file.problems(record)) == []
    assert list(certificate_file.problems({**record, "path": [[51, 7], step]})) == [
        f"path: {json.dumps(step)} is no card and place value"
    ]


MEMBERS: list[tuple[dict[str, Any], str]] = [
    ({"states": True}, "states is of the wrong type"),
    ({"forced": False}, "forced is of the wrong type"),
    ({"states": "63"}, "states is of the wrong type"),
    ({"digest": 5}, "digest is of the wrong type"),
    ({"versions": {}}, "versions: expected those of program and store, and nothing else"),
    (
        {"versions": {"program": "x", "store": 1, "more": 2}},
        "versions: expected those of program and store, and nothing else",
    ),
    ({"question": "ask"}, "question: expected one of prove, solve"),
    ({"method": "guess"}, "method: expected one of dominating, "),
    ({"metric": "steps"}, "metric: expected one of cards, "),
    ({"claim": "lost"}, "claim: expected one of unsolvable, shortest, solved"),
    ({"length": 5}, "path and length do not go with the claim unsolvable"),
    ({"path": []}, "path and length do not go with the claim unsolvable"),
    ({"more": 1}, "unknown member 'more'"),
    (
        {"rules": rules_fields(GAMES["spider"]), "metric": "turns"},
        "its rules (spider has no certificates)",
    ),
    ({"certificate": True}, 'expected "certificate": 2'),
]
"""Members that cannot be, and the first thing that is said of them."""


@pytest.mark.parametrize(("change", "reason"), MEMBERS)
def test_members_that_cannot_be(stores: Path, change: dict[str, Any], reason: str) -> None:
    record = {**of(stores / "proof"), **change}
    assert next(certificate_file.problems(record)).startswith(reason)


def test_a_solution_needs_its_length(stores: Path) -> None:
    for name in ("path", "length"):
        record = {**of(stores / "solved"), name: None}
        assert list(certificate_file.problems(record)) == [
            "path and length do not go with the claim solved"
        ]


def test_files_that_are_too_large(
    stores: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "c.json"
    text = certificate_file.dump(of(stores / "proof"))
    file.write_text(text)
    monkeypatch.setattr(certificate_file, "MAX_BYTES", len(text))
    assert certificate_file.load(file) == of(stores / "proof")
    monkeypatch.setattr(certificate_file, "MAX_BYTES", len(text) - 1)
    with pytest.raises(InputError, match=f"more than {len(text) - 1} bytes, expected a certific"):
        certificate_file.load(file)
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\), expected"):
        certificate_file.load(tmp_path)


def test_digests_are_of_proofs(stores: Path) -> None:
    record = of(stores / "shortest")
    assert record["digest"] is None
    assert all(row["layer"] < 73 for row in record["strata"])
    assert record["states"] == sum(row["states"] for row in record["strata"])


def test_a_certificate_of_another_number(stores: Path, tmp_path: Path) -> None:
    record = of(stores / "proof")
    record["deal"]["number"] = 2
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(record))
    result = run("verify", file)
    assert result.exit_code == 3
    assert "not that of deal 2" in result.stderr


def test_no_certificate_of_an_unfinished_search(tmp_path: Path) -> None:
    prove(Deal.from_number(11982), store=tmp_path / "s", max_states=100)
    result = run("certificate", tmp_path / "s")
    assert result.exit_code == 4
    assert "claims nothing, the search is undecided" in result.stderr
    with pytest.raises(StoreError):
        of(tmp_path / "s")


def test_report(stores: Path) -> None:
    result = run("verify", stores / "proof")
    assert result.exit_code == 0
    for line in (
        "Claim:     Deal 1 (1 freecell) is unsolvable",
        "Verdict:   valid",
        "Digest:    c7abeb9dc7cbea7f",
        "States:    63 and 18 forced ones, of 81 in the store",
    ):
        assert line in result.stdout.splitlines()
    data = json.loads(run("verify", stores / "shortest", "--json").stdout)
    assert data["valid"] is True
    assert data["shortest"] is True
    assert data["length"] == 73
    assert sum(row["states"] for row in data["strata"]) == data["states"]


def test_a_sample_is_said_to_be_one(stores: Path) -> None:
    result = run("verify", stores / "shortest", "--sample", "10%")
    assert result.exit_code == 0
    assert "no fault found in the sample; the rest was not checked" in result.stdout
    assert "Verdict:   valid" not in result.stdout
    assert run("verify", stores / "shortest", "--sample", "0").exit_code == 2
    assert run("verify", stores / "shortest", "--sample", "200%").exit_code == 2


def test_the_counterexample_is_a_board(stores: Path, tmp_path: Path) -> None:
    import shutil

    path = Path(shutil.copytree(stores / "proof", tmp_path / "spoiled"))
    key = faults.closed_keys(path)[4]
    faults.change_block(path, key, lambda runs: faults.without(runs, 0))
    result = run("verify", path)
    assert result.exit_code == 4
    assert "NOT VALID" in result.stdout
    assert "is not closed" in result.stdout
    data = json.loads(run("verify", path, "--json").stdout)
    for name in ("board", "neighbour"):
        assert Deal.from_text("\n".join(data[name]) + "\n", DEAL.rules)


def test_usage(stores: Path, tmp_path: Path) -> None:
    file = tmp_path / "c"
    run("certificate", stores / "proof", "-o", file)
    assert run("verify", file, "--sample", "1%").exit_code == 2
    assert run("verify", tmp_path / "nothing").exit_code == 4
    assert run("verify", tmp_path).exit_code == 4
