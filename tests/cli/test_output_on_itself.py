"""Answers that would take the place of what they are read from: refused before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.command import run
from helpers.fake_search import NEARLY_DONE

from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.table import SurveyTable

Link = Callable[[Path, Path], None]


def as_it_is(_file: Path, _link: Path) -> None:
    """No other name."""


def by_symbolic_link(file: Path, link: Path) -> None:
    link.symlink_to(file)


def by_hard_link(file: Path, link: Path) -> None:
    link.hardlink_to(file)


@pytest.mark.parametrize("how", [as_it_is, by_symbolic_link, by_hard_link])
def test_no_answer_takes_the_place_of_a_store(tmp_path: Path, how: Link) -> None:
    board, store = tmp_path / "board", tmp_path / "store"
    board.write_text(NEARLY_DONE)
    assert run("solve", board, "--quiet", "--store", store).exit_code == 0
    data = store / "data.mdb"
    before = data.read_bytes()
    how(data, tmp_path / "link")
    output = data if how == as_it_is else tmp_path / "link"
    for words in (
        ("solve", board, "--store", store, "--format", "text", "-o", output),
        ("solve", board, "--store", store, "--all", "3", "--format", "text", "-o", output),
        ("solve", board, "--store", store, "--every-first-move", "--format", "text", "-o", output),
        ("resume", store, "--format", "text", "-o", output),
        ("export", store, "--format", "text", "-o", output),
        ("certificate", store, "-o", output),
        ("status", store, "--plot", output),
    ):
        done = run(*words)
        assert (done.exit_code, done.stdout) == (2, ""), words
        assert done.stderr == f"dbmsolver: {output}: a file of {store}, expected another one\n"
        assert data.read_bytes() == before


def test_no_report_takes_the_place_of_its_table(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = tmp_path / "t.csv"
    SurveyTable(table, Inquiry.VERDICT).close()
    before = table.read_bytes()
    (tmp_path / "page.html").symlink_to("t.csv")
    done = run("survey", "-o", table, "--report", tmp_path / "page.html")
    assert done.exit_code == 2
    assert f"a file of {table}, expected another one" in done.stderr
    assert table.read_bytes() == before
