"""The catalogue: whole tables, and what they say is what others have published."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from math import sqrt
from pathlib import Path
from random import Random

import jsonschema
import pytest
from helpers.command import run

from dbmsolver import prove, solve
from dbmsolver.api.stores import load_certificate
from dbmsolver.game.shipped import changed
from dbmsolver.storage.certificate import deal_of
from dbmsolver.storage.certificate_file import SCHEMA
from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import Inquiry, Row
from dbmsolver.verify.solution import bad_path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "benchmarks" / "catalogue"
TABLES = sorted(path.name for path in FOLDER.iterdir() if path.suffix in (".csv", ".parquet"))
OTHERS = {
    Inquiry.FEWEST_FREECELLS: ("min-freecells.tsv", "fewest"),
    Inquiry.SHORTEST: ("optimal-card-moves.tsv", "length"),
}
"""Published tables of deals with four freecells, and the column that they tell."""
WON: dict[str, tuple[int, float | None]] = {
    "klondike-by-threes.parquet": (8194, 0.81945),
    "klondike-by-ones.parquet": (18088, 0.9048),
    "trigon.parquet": (1601, None),
    "klondike-open-by-ones.csv": (10, None),
    "klondike-open-by-threes.csv": (6, None),
    "shortest-klondike-by-ones.csv": (917, None),
    "shortest-klondike-by-threes.csv": (807, None),
    "shortest-klondike-open-by-ones.csv": (10, None),
    "shortest-klondike-open-by-threes.csv": (6, None),
}
"""Tables of any deals: how many are won, and the share that others have published, if any."""
WITH_ONE_MORE = {"three": "card-moves", "two": "three-cells"}
"""For a number of freecells: the table of lengths with one more."""


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Return the rows of a table, in order; several tests read the same."""
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return tuple(load_rows(FOLDER / name).sorted())


def published(name: str, freecells: int = 4) -> dict[int, int]:
    """Return what others say of deals; tables of fewer freecells have these in a column."""
    lines = (ROOT / "tests" / "data" / name).read_text().splitlines()
    values = [list(map(int, line.split("\t"))) for line in lines if line[:1].isdecimal()]
    return {deal: value for deal, *cells, value in values if not cells or cells == [freecells]}


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


def proven(row: Row) -> Subject:
    """Return the deal, with the freecells with which the row's digest says that it is lost."""
    cells = row.freecells if row.verdict == "unsolvable" else (row.at_least or 0) - 1
    return replace(row.subject, rules=changed(row.rules, cells))


@pytest.mark.parametrize("name", TABLES)
def test_proofs_that_are_made_anew_have_the_digests_of_their_rows(name: str) -> None:
    with_digest = sorted((row for row in rows(name) if row.digest), key=lambda row: row.states)
    if Inquiry(rows(name)[0].question).is_shortest:
        assert {row.verdict for row in with_digest} <= {"unsolvable"}  # solutions have none
        with_digest = [row for row in with_digest if row.method != "every-position"]
        if not with_digest:
            assert {row.verdict for row in rows(name)} == {"solved"}
            return
    small = [row for row in with_digest if row.states < 10_000] or with_digest[:1]
    assert small
    for row in Random(name).sample(small, min(3, len(small))):
        found = prove(proven(row).deal(), threads=1, memory="256M")
        assert (found.verdict, found.digest) == ("unsolvable", row.digest)
        assert row.fewest or found.states == row.states


def test_each_million_has_as_many_lost_deals_as_are_listed() -> None:
    heading, *lines = (FOLDER / "verdicts-by-million.tsv").read_text().splitlines()
    names = heading.split("\t")
    lost = [row.number or 0 for row in rows("unsolvable-four-cells.csv")]
    every = Counter((number - 1) // 1_000_000 for number in lost if number > 0)
    assert (every[0], every.total()) == (8, 130)  # as published
    assert len(lines) == 10
    for million, line in enumerate(lines):
        told = dict(zip(names, line.split("\t"), strict=True))
        first, last = million * 1_000_000 + 1, (million + 1) * 1_000_000
        assert (int(told["first"]), int(told["last"])) == (first, last)
        assert int(told["rows"]) == int(told["solved"]) + int(told["unsolvable"]) == 1_000_000
        assert int(told["undecided"]) == 0
        assert int(told["unsolvable"]) == every[million]
        assert len(bytes.fromhex(told["sha256"])) == 32
    assert len({line.rsplit("\t", 1)[1] for line in lines}) == len(lines)


@pytest.mark.parametrize("name", TABLES)
def test_others_say_the_same(name: str) -> None:
    found = rows(name)
    question = Inquiry(found[0].question)
    if name in WON:
        won, share = WON[name]
        verdicts = {"solved": won, "unsolvable": len(found) - won}
        assert Counter(row.verdict for row in found) == +Counter(verdicts)
        # Within two standard deviations of the share.
        assert share is None or abs(won / len(found) - share) < 2 * sqrt(
            share * (1 - share) / len(found)
        )
        return
    if question not in OTHERS:
        assert {row.verdict for row in found} == {"unsolvable"}
        return
    table, column = OTHERS[question]
    cells = found[0].freecells
    if question.is_shortest and cells < 4:
        table = "optimal-card-moves-fewer-cells.tsv"
    theirs = published(table, cells)
    ours = {row.number: getattr(row, column) for row in found if not row.is_open}
    both = [number for number in theirs if number in ours]
    assert len(both) > (5 if table == OTHERS[question][0] else 2)
    assert [ours[number] for number in both] == [theirs[number] for number in both]


@pytest.mark.parametrize("game", ["klondike-by-ones", "klondike-by-threes"])
def test_shortest_solutions_are_those_of_the_deals_that_are_won(game: str) -> None:
    """The verdicts of two ways, over all positions and over classes, are the same."""
    verdicts = {row.number: row.verdict for row in rows(f"{game}.parquet")}
    found = rows(f"shortest-{game}.csv")
    assert [row.number for row in found] == list(range(1, 1001))
    for row in found:
        assert row.verdict == verdicts[row.number]
        assert row.shortest is (True if row.verdict == "solved" else None)


def test_shortest_solutions_of_klondike_are_found_anew() -> None:
    for game in ("ones", "threes"):
        found = rows(f"shortest-klondike-by-{game}.csv")
        won = sorted((row for row in found if row.shortest), key=lambda row: row.evaluated)
        for row in Random(game).sample(won[:50], 3):
            assert solve(row.subject.deal(), threads=1, memory="256M").length == row.length


@pytest.mark.parametrize(("name", "freecells"), [("three", 3), ("two", 2)])
def test_shortest_solutions_are_of_deals_that_so_many_freecells_win(
    name: str, freecells: int
) -> None:
    """Two ways say the same; and with a freecell less no solution is shorter."""
    fewest = {row.number: row.fewest for row in rows("fewest-freecells.parquet")}
    found = rows(f"shortest-{name}-cells.csv")
    assert [row.number for row in found] == list(range(1, 101))
    more = {row.number: row.length for row in rows(f"shortest-{WITH_ONE_MORE[name]}.csv")}
    for row in found:
        least = fewest[row.number]
        assert least is not None and row.rules.freecells == freecells
        if row.verdict == "solved":
            assert least <= freecells and row.shortest
            assert row.length is not None and row.length >= (more[row.number] or 0)
        else:
            assert (row.verdict, row.length) == ("unsolvable", None) and least > freecells


def test_as_many_are_won_with_two_freecells_as_others_have_published() -> None:
    found = rows("fewest-freecells.parquet")
    most = [row.at_most for row in found if row.at_most is not None]
    assert (most.count(0), sum(cells <= 2 for cells in most)) == (69, 25_381)
    assert [row.number for row in found if row.fewest is None] == [11982]


@pytest.mark.parametrize("game", ["ones", "threes"])
def test_shortest_solutions_of_deals_that_were_left_open(game: str) -> None:
    """They are of those that can be won, and each has its certificate, with the solution."""
    won = {row.number for row in rows(f"klondike-open-by-{game}.csv") if row.verdict == "solved"}
    found = rows(f"shortest-klondike-open-by-{game}.csv")
    assert {row.number for row in found} == won
    for row in found:
        assert row.shortest
        certificate_of(f"klondike-{row.number}-by-{game}", row)


def test_the_shortest_solution_of_844_has_a_certificate() -> None:
    found = {row.number: row for row in rows("shortest-klondike-by-threes.csv")}
    certificate_of("klondike-pysolfc-844-by-threes", found[844])


def certificate_of(name: str, row: Row) -> None:
    """Compare the certificate of a shortest solution with a row."""
    path = FOLDER / f"{name}.certificate.json"
    certificate = load_certificate(path)
    assert (certificate["claim"], certificate["length"]) == ("shortest", row.length)
    deal = deal_of(certificate, str(path))
    assert deal.position == row.subject.deal().position
    assert bad_path(certificate, deal) is None
    text = (FOLDER / "README.md").read_text()
    assert f"`{path.name}`" in text and f"{certificate['states'] + certificate['forced']:,}" in text


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.certificate.json")), ids=lambda p: p.name)
def test_certificates_have_their_form(path: Path) -> None:
    jsonschema.validate(load_certificate(path), json.loads(SCHEMA.read_text()))


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("[0-9]*.certificate.json")), ids=lambda p: p.name
)
def test_certificates_are_of_the_deals_that_their_names_tell(path: Path) -> None:
    """The counts by stratum make the states that the README tells, with the digest."""
    number, freecells = map(int, path.name.partition(".")[0].split("-"))
    certificate = load_certificate(path)
    assert certificate["deal"]["number"] == number
    assert certificate["rules"]["freecells"] == freecells
    assert certificate["claim"] == "unsolvable"
    assert sum(row["states"] for row in certificate["strata"]) == certificate["states"]
    text = (FOLDER / "README.md").read_text()
    assert f"`{path.name}`" in text and f"{certificate['states']:,}" in text


@pytest.mark.parametrize(
    ("name", "deal"),
    [
        ("3000428005-3.sfn", "Deal 3000428005 (3 freecells)"),
        ("12284-1.sfn", "Deal 12284 (1 freecell)"),
        ("13599-1.sfn", "Deal 13599 (1 freecell)"),
    ],
)
def test_deals_that_took_long_to_settle_are_won(name: str, deal: str) -> None:
    done = run("check", FOLDER / name)
    assert f"{deal}: legal and winning" in done.stdout
    assert f"`{name}`" in (FOLDER / "README.md").read_text()
