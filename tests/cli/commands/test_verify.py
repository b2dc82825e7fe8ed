"""`verify`: what it asks for, what it shows on the way, and what it says of a certificate."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from helpers.command import run
from helpers.fake_search import nearly_done, result

from dbmsolver.api.certificates import RepeatedSearch
from dbmsolver.cli.commands.verify import parse_share
from dbmsolver.errors import UsageError
from dbmsolver.results import Limit, Method, Question, Verdict
from dbmsolver.storage.certificate import from_result
from dbmsolver.verify.report import Progress, Verification

DEAL, _ = nearly_done()
LOST = result(
    question=Question.PROVE,
    verdict=Verdict.UNSOLVABLE,
    shortest=False,
    moves=(),
    method=Method.EVERY_POSITION,
)
RECORD = from_result(LOST)


def repeated(
    monkeypatch: pytest.MonkeyPatch, path: Path, *args: str, different: tuple[str, ...] = (),
    answer: Any = LOST,
) -> tuple[Result, tuple[Any, ...]]:  # fmt: skip
    """Verify a certificate whose search says this; return the outcome, and what was asked."""
    asked: list[Any] = []

    def repeat_search(*given: Any) -> Generator[None, None, RepeatedSearch]:
        asked.extend(given)
        yield from ()
        return RepeatedSearch(RECORD, DEAL, answer, different)

    monkeypatch.setattr("dbmsolver.api.certificates.repeat_search", repeat_search)
    path.touch()
    return run("verify", path, *args), tuple(asked)


def test_a_certificate_that_agrees(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    found, asked = repeated(monkeypatch, path, "--threads", "2", "--memory", "64M")
    assert (found.exit_code, found.stderr, asked) == (0, "", (path, 2, 64 << 20))
    first, last = found.stdout.splitlines()
    assert first.endswith(f"unsolvable, after 1 position, digest {LOST.digest}")
    assert last == f"{path}: valid, the search run again says the same"


def test_a_certificate_that_differs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """People get the first differences, programs all of them."""
    path, lines = tmp_path / "c.json", tuple(f"stratum {number}: wrong" for number in range(25))
    found, _ = repeated(monkeypatch, path, different=lines)
    assert found.exit_code == 4
    assert found.stdout.splitlines()[1:] == [
        f"{path}: NOT VALID, the search run again says otherwise",
        *(f"  {line}" for line in lines[:20]),
    ]
    found, _ = repeated(monkeypatch, path, "--json", different=lines)
    data = json.loads(found.stdout)
    assert (found.exit_code, data["valid"], data["reason"]) == (4, False, lines[0])
    assert (data["differences"], data["certificate"]) == ([*lines], str(path))


def test_a_search_that_needs_more_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A certificate is neither valid nor wrong then."""
    path = tmp_path / "c.json"
    answer = result(verdict=Verdict.UNDECIDED, limit=Limit.MEMORY, shortest=False, moves=())
    for form in ((), ("--json",)):
        found, _ = repeated(monkeypatch, path, *form, answer=answer)
        assert (found.exit_code, found.stdout, found.stderr.count("\n")) == (20, "", 1)
        assert found.stderr.endswith("the memory allowed by --memory did not suffice: expected "
                                     "more --memory\n")  # fmt: skip


def test_what_is_missing_ends_as_at_other_commands(tmp_path: Path) -> None:
    """A missing store is a bad one, a missing certificate beside it bad input, as any file is."""
    missing = tmp_path / "missing"
    assert run("verify", missing).stderr == (
        f"dbmsolver: {missing}: no store and no certificate here, expected one of them\n"
    )
    assert run("verify", missing).exit_code == run("status", missing).exit_code == 4
    beside = run("verify", tmp_path, "--certificate", missing)
    assert beside.stderr.endswith("expected a certificate\n") and beside.exit_code == 3


def test_options_that_are_for_stores(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path, other = tmp_path / "c.json", tmp_path / "other.json"
    other.touch()
    monkeypatch.setattr("dbmsolver.api.stores.load_certificate", lambda _: RECORD)
    for option in (("--sample", "1%"), ("--depth", "full"), ("--certificate", str(other))):
        found, asked = repeated(monkeypatch, path, *option)
        assert (found.exit_code, found.stdout, asked) == (2, "", ())
        assert f"{path}: --sample, --depth and --certificate are for stores" in found.stderr


def test_a_check_of_a_store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its progress is told by phase; all options reach it."""
    asked: list[Any] = []
    report = Verification(tmp_path, DEAL, RECORD, reason="it is torn")

    def check_store(*given: Any) -> Generator[Progress, None, Verification]:
        asked.extend(given)
        yield Progress("checking", 3, 9, 250, 1000, 0.25)
        yield Progress("looking up", 3, 9, 1000, 1000, 0.5)
        return report

    monkeypatch.setattr("dbmsolver.api.stores.check_store", check_store)
    monkeypatch.setattr("dbmsolver.cli.progress.FIRST_LINE", 0.0)
    monkeypatch.setattr("dbmsolver.cli.progress.LINE_INTERVAL", 0.0)
    options = ("--threads", "2", "--memory", "64M", "--sample", "5%", "--depth", "lemma")
    found = run("verify", tmp_path, *options)
    assert asked == [tmp_path, 2, 64 << 20, 0.05, "lemma", None]
    assert (found.exit_code, "NOT VALID" in found.stdout) == (4, True)
    first, second = found.stderr.splitlines()
    assert first.startswith("verify 25%, 250 states, ")
    assert second.startswith("verify (looking up) 50%, 1,000 states, ")
    report.valid, report.reason = True, None
    assert run("verify", tmp_path, "-q").exit_code == 0


@pytest.mark.parametrize(
    ("text", "share"), [("1%", 0.01), ("0.01", 0.01), ("100%", 1.0), ("1", 1.0), ("2.5 %", 0.025)]
)
def test_shares(text: str, share: float) -> None:
    assert parse_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0", "0%", "101%", "1.5", "-1%", "x", "", "1%%", "1e-2", "٣%"])
def test_what_is_no_share(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no share, expected one like 1% or 0\.01"):
        parse_share(text)
