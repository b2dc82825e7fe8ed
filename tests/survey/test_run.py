"""Surveys: the rows are what single searches say, each deal is asked about once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import NEARLY_DONE
from helpers.rows import row as row_of
from helpers.surveys import MEMORY, facts, in_process, rows_of, survey

from dbmsolver import prove, survey_deals
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Limits
from dbmsolver.survey.rows import UNFINISHED, Inquiry
from dbmsolver.survey.table import SurveyTable

FEWEST = Path(__file__).parents[1] / "data" / "min-freecells.tsv"
ONE, TWO = rules_for("freecell", 1), rules_for("freecell", 2)


def test_verdicts_are_those_of_single_proofs(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    reports = survey(path, "1-8", (ONE, TWO), lengths=True)
    rows = rows_of(path)
    assert [(row.number, row.freecells) for row in rows] == [
        (number, cells) for cells in (1, 2) for number in range(1, 9)
    ]
    verdicts = set()
    for row in rows:
        alone = prove(row.subject.deal(), threads=1)
        verdicts.add(row.verdict)
        assert row.verdict == alone.verdict
        assert row.method == "dominating"
        if row.verdict == "unsolvable":
            assert (row.digest, row.states, row.length) == (alone.digest, alone.states, None)
        else:
            assert row.digest is None
            assert row.length == alone.length
    assert verdicts == {"solved", "unsolvable"}
    last = reports[-1]
    assert (last.deals, last.total, last.new, last.done) == (16, 16, 16, 1.0)
    assert last.solved + last.unsolvable == 16
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_the_same_command_does_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    survey(path, "1-6", ONE)
    before = path.read_bytes()
    assert survey(path, "1-6", ONE)[-1].new == 0
    assert path.read_bytes() == before
    reports = survey(path, "4-9", ONE)
    assert (reports[0].deals, reports[-1].deals, reports[-1].new) == (3, 6, 3)
    assert [row.number for row in rows_of(path)] == list(range(1, 10))


def test_rows_that_are_not_finished_are_taken_up_again(tmp_path: Path) -> None:
    """Fill what a killed survey has left; leave alone what its limits left open.

    Rows of another game, and of another program's number, are in the table and of no account.
    """
    path = tmp_path / "table.csv"
    limits = {1: UNFINISHED, 2: "max-time", 9: UNFINISHED}
    others = [row_of(3, rules=ONE), replace(row_of(3), deal="solvitaire 3")]
    with SurveyTable(path, Inquiry.VERDICT) as table:
        table.put([*(row_of(number, limit=limit) for number, limit in limits.items()), *others])
    reports = survey(path, "1-3")
    rows = rows_of(path)
    assert all(other in rows for other in others)
    found = {one.number: (one.verdict, one.limit) for one in rows if one not in others}
    assert found == {
        1: ("solved", None),
        2: ("undecided", "max-time"),
        3: ("solved", None),
        9: ("undecided", UNFINISHED),
    }
    assert (reports[0].deals, reports[0].total, reports[0].new) == (1, 3, 0)
    assert (reports[-1].deals, reports[-1].new, reports[-1].solved) == (3, 2, 2)


def test_a_row_of_which_everything_is_known_already(tmp_path: Path) -> None:
    """A survey that was killed has asked all its questions, and has not told the answer."""
    path, question = tmp_path / "table.csv", Inquiry.FEWEST_FREECELLS
    with SurveyTable(path, question) as table:
        table.put([row_of(1, question, limit=UNFINISHED, asked="1 unsolvable; 2 solved")])
    assert survey(path, "1", question=question)[-1].new == 1
    (row,) = rows_of(path)
    assert (row.verdict, row.fewest, row.limit) == ("solved", 2, None)


def test_boards_that_are_not_asked_about_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    for number in (5, 6):
        board = tmp_path / str(number) / "board"
        board.parent.mkdir()
        board.write_text(format_board(Deal.from_number(number, ONE).position))
        reports = survey(path, str(board), ONE)
        assert (reports[0].deals, reports[0].total) == (0, 1)
        assert (reports[-1].deals, reports[-1].new) == (1, 1)
    assert len(rows_of(path)) == 2


def test_numbers_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    survey(path, "1-8", ONE)
    own = [row.verdict for row in rows_of(path)]
    survey(path, "1-8", ONE, numbers="solvitaire")
    found = [row for row in rows_of(path) if row.whose == "solvitaire"]
    assert [row.deal for row in found] == [f"solvitaire {number}" for number in range(1, 9)]
    assert [row.verdict for row in found] != own
    for row in found:
        alone = prove(Deal.load(str(row.number), ONE, numbers="solvitaire"), threads=1)
        assert row.verdict == alone.verdict
        assert row.verdict == "solved" or row.digest == alone.digest
    before = path.read_bytes()
    assert survey(path, "1-8", ONE, numbers="solvitaire")[-1].new == 0
    assert path.read_bytes() == before


def test_fewest_freecells_of_numbers_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    question = Inquiry.FEWEST_FREECELLS
    survey(path, "3", question=question, numbers="solvitaire")
    (row,) = rows_of(path)
    assert row.fewest is not None
    for cells, verdict in ((row.fewest - 1, "unsolvable"), (row.fewest, "solved")):
        deal = Deal.load("3", rules_for("freecell", cells), numbers="solvitaire")
        assert prove(deal, threads=1).verdict == verdict


def test_several_games_and_boards(tmp_path: Path) -> None:
    """Games without dominance, too: they have no dives."""
    (tmp_path / "boards").mkdir()
    (tmp_path / "boards" / "one").write_text(format_board(Deal.from_number(5, ONE).position))
    games = (ONE, rules_for("seahaven_towers", 2), GAMES["bakers_dozen"])
    path = tmp_path / "table.csv"
    survey(path, ["1-2"], games, limits=Limits(max_states=2000))
    survey(path, [str(tmp_path / "boards")], ONE)
    rows = rows_of(path)
    assert len(rows) == 7
    (board,) = (row for row in rows if row.number is None)
    assert board.verdict == prove(Deal.from_number(5, ONE)).verdict
    assert board.deal == board.subject.deal().name
    assert board.subject.deal().position == Deal.from_number(5, ONE).position
    seahaven = [row for row in rows if row.game == "seahaven_towers"]
    assert (seahaven[0].verdict, seahaven[0].states) == ("unsolvable", 14)
    assert {row.method for row in rows if row.game == "bakers_dozen"} == {"every-position"}


def test_shortest(tmp_path: Path) -> None:
    (tmp_path / "board").write_text(NEARLY_DONE)
    path = tmp_path / "table.csv"
    survey(path, str(tmp_path / "board"), question=Inquiry.SHORTEST)
    (row,) = rows_of(path)
    assert (row.verdict, row.length, row.shortest) == ("solved", 2, True)
    assert (row.at_least, row.at_most, row.is_open) == (2, 2, False)


def test_shortest_with_limits(tmp_path: Path) -> None:
    """Bounds where a limit ends the search."""
    path = tmp_path / "table.csv"
    limits = Limits(max_states=2000, memory=MEMORY)
    last = survey(path, "3", question=Inquiry.SHORTEST, limits=limits)[-1]
    assert (last.solved, last.unsolvable, last.undecided) == (0, 0, 1)  # larger ones tell more
    (row,) = rows_of(path)
    assert (row.verdict, row.shortest, row.limit, row.is_open) == (
        "solved",
        False,
        "max-states",
        True,
    )
    assert row.at_least is not None
    assert row.at_most is not None
    assert row.at_least <= 73 <= row.at_most == row.length


def test_fewest_freecells(tmp_path: Path) -> None:
    """As published; with few questions."""
    path = tmp_path / "table.csv"
    survey(path, "1-12,200", question=Inquiry.FEWEST_FREECELLS)
    lines = [line.split("\t") for line in FEWEST.read_text().splitlines()]
    published = {line[0]: line[1] for line in lines if line[0].isdecimal()}
    rows = rows_of(path)
    assert {row.deal: str(row.fewest) for row in rows} == {
        row.deal: published[row.deal] for row in rows
    }
    for row in rows:
        assert row.fewest == row.at_least == row.at_most
        assert row.asked is not None
        asked = row.asked.split("; ")
        assert len(asked) <= 3
        assert f"{row.fewest} solved" in asked
        assert f"{row.fewest - 1} unsolvable" in asked
        proof = prove(Deal.from_number(row.number or 0, rules_for("freecell", row.fewest - 1)))
        assert row.digest == proof.digest


def test_fewest_freecells_of_a_deal_that_cannot_be_won(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    survey(path, "1,3", TWO, question=Inquiry.FEWEST_FREECELLS)
    first, third = rows_of(path)
    assert (first.verdict, first.fewest, first.at_least, first.at_most) == (
        "unsolvable",
        None,
        3,
        None,
    )
    assert (third.verdict, third.fewest) == ("solved", 2)


def test_undecided_only(tmp_path: Path) -> None:
    """Larger limits take up what is open, once; the same ones do not."""
    path = tmp_path / "table.csv"
    few, many = Limits(max_states=1000, memory=MEMORY), Limits(max_states=50_000, memory=MEMORY)
    survey(path, "1-3", TWO, limits=few)
    assert [row.verdict for row in rows_of(path)] == ["undecided", "solved", "solved"]
    assert rows_of(path)[0].limit == "max-states"
    assert survey(path, "1-3", TWO, limits=many)[-1].new == 0
    again = survey(path, None, TWO, limits=few, undecided_only=True)
    assert (again[-1].total, again[-1].new) == (0, 0)
    decided = survey(path, "2-3", TWO, limits=many, undecided_only=True)
    assert (decided[-1].total, decided[-1].new) == (0, 0)
    again = survey(path, None, limits=many, undecided_only=True)
    assert (again[-1].total, again[-1].new) == (1, 1)
    first = rows_of(path)[0]
    assert (first.verdict, first.states, first.max_states) == ("unsolvable", 14_555, 50_000)
    assert survey(path, None, limits=Limits(), undecided_only=True)[-1].new == 0


def test_undecided_numbers_of_freecells(tmp_path: Path) -> None:
    """Verdicts known of the other numbers are not asked for again."""
    path = tmp_path / "table.csv"
    few = Limits(max_states=1000, memory=MEMORY)
    survey(path, "1", question=Inquiry.FEWEST_FREECELLS, limits=few)
    (row,) = rows_of(path)
    assert (row.verdict, row.limit, row.at_least, row.at_most) == ("undecided", "max-states", 2, 3)
    survey(path, None, question=Inquiry.FEWEST_FREECELLS, undecided_only=True)
    (row,) = rows_of(path)
    assert (row.verdict, row.fewest, row.states) == ("solved", 3, 14_555)
    assert row.digest == prove(Deal.from_number(1, TWO)).digest


def test_time_limits_end_dives(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    deal = replace(TWO, freecells=2)
    survey(path, "384243", deal, limits=Limits(max_time=0.2, memory=MEMORY))
    (row,) = rows_of(path)
    assert (row.verdict, row.limit) == ("undecided", "max-time")


def test_less_memory_finds_the_same(tmp_path: Path) -> None:
    """Deals that dives have no room for are left to the search on disk."""
    survey(tmp_path / "much.csv", "1-10", TWO)
    survey(tmp_path / "little.csv", "1-10", TWO, pool=in_process(2, 64 << 20))
    much, little = facts(tmp_path / "much.csv"), facts(tmp_path / "little.csv")
    assert [row[2] for row in much] == [row[2] for row in little]


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet"])
def test_all_formats_hold_the_same(tmp_path: Path, ending: str) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    survey(tmp_path / "one.csv", "1-5", ONE)
    survey(tmp_path / f"two{ending}", "1-5", ONE)
    assert facts(tmp_path / "one.csv") == facts(tmp_path / f"two{ending}")


@pytest.mark.parametrize(
    ("metric", "automove", "length"),
    [("moves", "max", 21), pytest.param("runs", None, 73, marks=pytest.mark.slow)],
)
def test_metrics(tmp_path: Path, metric: str, automove: str | None, length: int) -> None:
    path = tmp_path / "lengths.jsonl"
    how: Any = {"question": "shortest", "metric": metric, "automove": automove}
    (row,) = survey_deals("2", path, **how)
    assert (row["length"], row["shortest"]) == (length, True)
    assert row["question"] == f"shortest-{metric}" + (f"-{automove}" if automove else "")
    with pytest.raises(StoreError, match="its question is"):
        survey_deals("2", path, question="shortest")
    other = tmp_path / "other.csv"
    with pytest.raises(UsageError, match="verdict has none"):
        survey_deals("2", other, metric="runs")
    with pytest.raises(UsageError, match="one pile in golf, expected cards"):
        survey_deals("2", other, question="shortest", metric="runs", rules=GAMES["golf"])
    assert not other.exists()
