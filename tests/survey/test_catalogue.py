"""The catalogue: whole tables, and what they say is what others have published."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.rows import Inquiry, Row

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "catalogue"
TABLES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".csv", ".parquet"))
OTHERS = {
    Inquiry.FEWEST_FREECELLS: ("min-freecells.tsv", "fewest"),
    Inquiry.SHORTEST: ("optimal-card-moves.tsv", "length"),
}
"""Published tables of deals with four freecells, and the column that they tell."""


def rows(name: str) -> list[Row]:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return load_rows(FOLDER / name).sorted()


def published(name: str) -> dict[int, int]:
    lines = (ROOT / "tests" / "data" / name).read_text().splitlines()
    pairs = [line.split("\t") for line in lines if line[:1].isdecimal()]
    return {int(deal): int(value) for deal, value in pairs}


def test_there_are_tables() -> None:
    assert TABLES
    text = (FOLDER / "README.md").read_text()
    assert all(f"`{name}`" in text and f"-o {name}`" in text for name in TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_decided_has_its_evidence(name: str) -> None:
    found = rows(name)
    assert len({row.program for row in found}) == 1
    for row in found:
        assert row.is_finished
        if row.verdict == "unsolvable" or row.fewest:
            assert row.digest is not None
        if row.is_open:
            assert row.limit is not None


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_others_say_the_same(name: str) -> None:
    found = [row for row in rows(name) if row.game == "freecell" and row.freecells == 4]
    question = Inquiry(found[0].question)
    if question not in OTHERS:
        assert {row.verdict for row in found} == {"unsolvable"}
        return
    table, column = OTHERS[question]
    theirs = published(table)
    ours = {row.number: getattr(row, column) for row in found if not row.is_open}
    both = [number for number in theirs if number in ours]
    assert len(both) > 5
    assert [ours[number] for number in both] == [theirs[number] for number in both]
