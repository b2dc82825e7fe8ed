"""Stores of searches that have begun anew with the distances of classes, and their certificates."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Generator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import jsonschema
import pytest
from helpers.command import run
from helpers.faults import (
    change_block,
    change_manifest,
    check,
    closed_states,
    make_counts_fit,
    without,
)
from helpers.small_klondikes import small_klondike

from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import Metric
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Bound, Limits, Options, Question, Verdict
from dbmsolver.search import session
from dbmsolver.steps import follow
from dbmsolver.storage.certificate_file import SCHEMA
from dbmsolver.storage.meanings import VERSIONS
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.verify import run as verify_run
from dbmsolver.verify.class_distances import ClassDistances
from dbmsolver.verify.kernels.class_distances import Distances
from dbmsolver.verify.report import Progress, Verification

DEAL = Deal.load("8", GAMES["klondike_by_threes"], numbers="ksolve")
LENGTH = 112


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of a shortest solution, by the distances of all classes."""
    path = tmp_path_factory.mktemp("by_classes") / "store"
    options = Options(store=path, bound=Bound.CLASSES, lost_ahead=False)
    result = follow(session.run(Question.SOLVE, DEAL, options, Limits()))
    assert (result.length, result.shortest, result.bound) == (LENGTH, True, Bound.CLASSES)
    return path


class Checked(NamedTuple):
    """The report on a store, and what the check listed for it."""

    report: Verification
    classes: int
    distances: Distances


@pytest.fixture(scope="module")
def checked(store: Path) -> Checked:
    """Return what a check says of the store, with the distances that it worked out."""
    found: list[tuple[int, Distances]] = []
    real = ClassDistances.run

    def noted(self: ClassDistances) -> Generator[Progress, None, Distances]:
        distances = yield from real(self)
        found.append((self.count, distances))
        return distances

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ClassDistances, "run", noted)
        report = check(store)
    ((classes, distances),) = found
    return Checked(report, classes, distances)


@pytest.fixture
def distances_once(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let checks have the distances of the deal, which no state of a store changes, at once.

    To list 800,000 classes takes longer than all else that a check does.
    """

    class Known:
        count = checked.classes

        def __init__(self, deal: Deal, threads: int, memory: int) -> None:
            assert deal == DEAL

        def run(self) -> Generator[Progress, None, Distances]:
            yield from ()
            return checked.distances

    monkeypatch.setattr(verify_run, "ClassDistances", Known)


def test_it_is_valid(checked: Checked) -> None:
    report = checked.report
    assert report.valid, report.reason
    classes, words = report.checked[1].split(" ", 1)
    assert words == "classes were listed, and their distances worked out"
    assert 700_000 < int(classes.replace(",", "")) < 900_000


@pytest.mark.usefixtures("distances_once")
def test_its_certificate_is_compared_with_another_search(store: Path, tmp_path: Path) -> None:
    """The other search lists all classes first, as the certificate says."""
    record = tmp_path / "certificate.json"
    assert run("certificate", store, "-o", record).exit_code == 0
    certificate = json.loads(record.read_text())
    jsonschema.validate(certificate, json.loads(SCHEMA.read_text()))
    meaning = certificate["meaning"]
    assert meaning == {"family": "patience", **VERSIONS["patience"]}
    repeated = run("verify", record, "--threads", 2)
    assert repeated.exit_code == 0, repeated.output
    compared = run("verify", store, "--certificate", record, "--threads", 2)
    assert compared.exit_code == 0, compared.output
    changed = json.loads(record.read_text())
    del changed["meaning"]["distances"]
    record.write_text(json.dumps(changed))
    outcome = run("verify", record, "--threads", 2)
    assert outcome.exit_code == 4, outcome.output


def test_a_store_that_says_another_bound_is_refused(store: Path, tmp_path: Path) -> None:
    """Its layers were not counted with that one."""
    other = tmp_path / "store"
    shutil.copytree(store, other)

    def by_positions(manifest: dict[str, Any]) -> None:
        manifest["bound"] = "positions"
        del manifest["meaning"]["distances"]

    change_manifest(other, by_positions)
    # With more threads it depends on them which of the faults is found first.
    report = check(other, threads=1)
    assert not report.valid
    assert re.search("lower bound|parent", report.reason or "")


@pytest.mark.usefixtures("distances_once")
def test_a_state_that_is_missing_is_found(store: Path, tmp_path: Path) -> None:
    """States of lost classes are left out, and so is what is too far; nothing else is."""
    states = [one for one in closed_states(store) if parse_closed_key(one[0]).layer < LENGTH]
    for number, (key, place) in enumerate(Random(3).sample(states, 5)):
        spoilt = tmp_path / str(number)
        shutil.copytree(store, spoilt)
        change_block(spoilt, key, partial(without, number=place))
        make_counts_fit(spoilt)
        assert not check(spoilt).valid


@pytest.mark.parametrize("metric", OF_PATIENCE)
def test_small_decks(tmp_path: Path, metric: Metric) -> None:
    """Both bounds have the same lengths, and fewer states are closed with that of classes."""
    random, solved, fewer = Random(metric), 0, 0
    for number in range(30):
        deal, results = small_klondike(random, 16), []
        for bound in Bound:
            path = tmp_path / f"{number} {bound}"
            options = Options(store=path, metric=metric, bound=bound, lost_ahead=False, threads=1)
            results.append(follow(session.run(Question.SOLVE, deal, options, Limits())))
            report = check(path)
            assert report.valid, report.reason
        plain, of_classes = results
        assert (plain.verdict, plain.length) == (of_classes.verdict, of_classes.length)
        if plain.verdict == Verdict.SOLVED:
            solved += 1
            fewer += plain.states - of_classes.states
    assert solved > 10 and fewer > 0
