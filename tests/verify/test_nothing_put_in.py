"""A check takes what is written as it is: it puts in nothing, and no label that cannot be."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.faults import StoreError, change_manifest, check
from helpers.patience_games import small_deck
from helpers.pile_games import golf

from dbmsolver import api
from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Question, Verdict
from dbmsolver.search import inspect, session
from dbmsolver.storage import certificate as records
from dbmsolver.storage import certificate_file
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.store import Store
from dbmsolver.verify.solution import bad_path

TURN = [0, 6]


def _deal_with_turns() -> Deal:
    """Return a small deck of Klondike whose shortest solution takes turns, and some search."""
    random = Random(3)
    while True:
        deal = small_deck("klondike_by_threes", random)
        result = api.solve(deal)
        enough = result.length and len(result.strata) > 2
        if enough and any(move.source.kind == "stock" for move in result.moves):
            return deal


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shortest solutions that turn the stock, in two metrics, a solution of a proof, and golf."""
    folder, deal = tmp_path_factory.mktemp("stores"), _deal_with_turns()
    api.solve(deal, store=folder / "turns")
    api.solve(deal, store=folder / "plays", metric="plays")
    api.prove(deal, store=folder / "proof")
    api.prove(golf(Verdict.UNSOLVABLE), store=folder / "golf")
    return folder


def manifest_of(path: Path) -> Manifest:
    with Store.open(path, readonly=True) as store:
        return store.manifest


@pytest.mark.parametrize("name", ["turns", "plays", "proof"])
def test_turns_that_are_left_out(stores: Path, tmp_path: Path, name: str) -> None:
    path = Path(shutil.copytree(stores / name, tmp_path / name))
    before = manifest_of(path)
    assert before.path is not None and TURN in before.path
    assert check(path).valid
    record = inspect.certificate(path)
    plays = [step for step in before.path if step != TURN]
    assert name != "plays" or before.length == len(plays)

    change_manifest(path, lambda members: members.update(path=plays, length=len(plays)))
    report = check(path)
    assert not report.valid
    assert "is not legal" in str(report.reason)
    with pytest.raises(StoreError, match="cannot be played"):
        inspect.status(path)

    forged = record | {"path": plays, "length": len(plays)}
    assert "is not legal" in str(bad_path(forged, _deal(stores / name)))
    if name == "plays":  # of the same length
        against = check(stores / name, against=forged)
        assert not against.valid
        assert "the certificate is wrong" in str(against.reason)


def _deal(path: Path) -> Deal:
    return inspect.deal(path)


LABELS: dict[str, Callable[[dict[str, Any]], None]] = {
    "dominating": lambda members: members.update(method="dominating"),
    "plays": lambda members: members.update(metric="plays"),
    "shortest": lambda members: members.update(shortest=True),
    "rules": lambda members: members["rules"].update(moves="single", pile="none"),
    "twice": lambda members: members["strata"].append(members["strata"][-1]),
    "missing": lambda members: members.pop("history"),
}


@pytest.mark.parametrize("change", LABELS.values(), ids=LABELS)
def test_labels_that_cannot_be(
    stores: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    path = Path(shutil.copytree(stores / "proof", tmp_path / "proof"))
    if change is LABELS["twice"]:
        change_manifest(path, lambda members: members.update(strata=[[0, 1, 1, 0]]))
    change_manifest(path, change)
    ways: list[Callable[[Path], object]] = [
        check, inspect.status, session.answer, inspect.certificate,
        lambda path: list(session.resume(path)),
    ]  # fmt: skip
    for way in ways:
        with pytest.raises(StoreError, match="manifest") as error:
            way(path)
        assert error.value.exit_code == 4 and "\n" not in str(error.value)


@pytest.mark.parametrize("end", ["\r\n", "\x0b", "\x85", " \n"])
def test_lines_of_a_board_end_as_a_store_has_them(stores: Path, tmp_path: Path, end: str) -> None:
    path = Path(shutil.copytree(stores / "proof", tmp_path / "proof"))

    def change(members: dict[str, Any]) -> None:
        members["deal"]["board"] = members["deal"]["board"].replace("\n", end, 1)

    change_manifest(path, change)
    for way in (check, inspect.status):
        with pytest.raises((StoreError, InputError)) as error:
            way(path)
        assert "board" in str(error.value) or "deal" in str(error.value)


CERTIFICATES: dict[str, Callable[[dict[str, Any]], None]] = {
    "dominating": lambda members: members.update(method="dominating"),
    "a proof in plays": lambda members: members.update(question=Question.PROVE, metric="plays"),
    "shortest in a proof": lambda members: members.update(claim="shortest", question="prove"),
    "row twice": lambda members: members["strata"].append(members["strata"][-1]),
    "descending": lambda members: members["strata"].reverse(),
    "no method": lambda members: members.pop("method"),
    "rules": lambda members: members["rules"].update(moves="single"),
    "a board with spaces": lambda members: members["deal"].update(
        board=[line + " " for line in members["deal"]["board"]]
    ),
    "place": lambda members: members["path"].append([0, 8]),
    "no path": lambda members: members.update(path=None),
    "more": lambda members: members["deal"].update(more=1),
}


@pytest.mark.parametrize("change", CERTIFICATES.values(), ids=CERTIFICATES)
def test_certificates_that_cannot_be(
    stores: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    record = json.loads(certificate_file.dump(inspect.certificate(stores / "turns")))
    file = tmp_path / "c.json"
    file.write_text(certificate_file.dump(record))
    records.deal_of(certificate_file.load(file), "c.json")
    change(record)
    file.write_text(certificate_file.dump(record))
    with pytest.raises(InputError) as error:
        records.deal_of(certificate_file.load(file), "c.json")
    assert "\n" not in str(error.value)


def test_a_name_said_twice(stores: Path, tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    text = certificate_file.dump(inspect.certificate(stores / "turns"))
    file.write_text(text.replace('"metric"', '"length": 1,\n  "metric"', 1))
    with pytest.raises(InputError, match="'length' twice in one object"):
        certificate_file.load(file)
    data = manifest_of(stores / "turns").to_json()
    with pytest.raises(StoreError, match="'length' twice in one object"):
        Manifest.from_json(data[:-1] + b',"length":1}', "here")
