"""The page about a table: what it says, and how it looks in a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.shipped import rules_for
from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.report import HARDEST, MOST_OPEN, label_of, render
from dbmsolver.survey.rows import Inquiry, Row

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

CELLS = [rules_for("freecell", cells) for cells in range(5)]
VOID = {"meta", "link", "br", "wbr"}


def verdicts() -> list[Row]:
    rows = []
    for rules in CELLS:
        for number in range(1, 60):
            solved = number * (rules.freecells + 1) > 50
            rows.append(
                row(
                    number,
                    rules=rules,
                    verdict="solved" if solved else "unsolvable",
                    length=90 + number if solved else None,
                    states=number**3,
                    evaluated=number**3,
                    seconds=number / 100,
                    peak_memory=number << 20,
                )
            )
    return [*rows, row(384243, rules=CELLS[2], limit="max-time", evaluated=10**7)]


def lengths() -> list[Row]:
    known = {"verdict": "solved", "shortest": True, "evaluated": 500}
    found = [
        row(number, Inquiry.SHORTEST, length=length, at_least=length, at_most=length, **known)
        for number, length in enumerate((73, 82, 82, 90, 101), start=1)
    ]
    left = {"verdict": "solved", "shortest": False, "limit": "max-time", "evaluated": 9}
    return [*found, row(6, Inquiry.SHORTEST, length=99, at_least=80, at_most=99, **left)]


def fewest() -> list[Row]:
    return [
        row(number, Inquiry.FEWEST_FREECELLS, verdict="solved", fewest=number % 4, evaluated=number)
        for number in range(1, 50)
    ]


class Reader(HTMLParser):
    """The text of a page; every element must be closed where it belongs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.names += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.words)


def test_verdicts() -> None:
    page = render(verdicts(), "<table>.csv")
    reader = Reader(page)
    assert "Table <table>.csv : 296 rows about 60 deals" in reader.text
    assert "2 freecells 43 16 1 60" in reader.text
    assert "2 freecells 98.33% 72.88%" in reader.text
    assert "from 101 to 149 card moves" in reader.text
    assert "not the shortest" in reader.text
    assert "296 deals: from 1 to 10,000,000 states" in reader.text
    assert "59 0 freecells solved 205,379 0.6 s 59 MiB" in reader.text
    assert "384243 2 freecells max-time 10,000,000" in reader.text
    assert "384243 2 freecells undecided" not in reader.text  # it is none of the hardest
    assert "2 freecells 27,000 157,464 205,379 205,379" in reader.text  # of the decided ones
    assert "Fewest freecells" not in reader.text
    assert len(set(reader.names)) == len(reader.names)
    assert not re.search(r"(src|href)=\"(?!#)", page)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", page)
    assert page == render(verdicts(), "<table>.csv")


def test_lengths() -> None:
    text = Reader(render(lengths(), "t.csv")).text
    assert "How long are shortest solutions?" in text
    assert "5 deals: from 73 to 101 card moves, median 82." in text
    assert "6 4 freecells max-time at least 80, at most 99 9" in text
    assert "4 freecells 5 0 1 6" in text  # a solution that may not be shortest decides nothing
    assert "not the shortest" not in text


def test_what_is_told_of_few_deals() -> None:
    """Of three deals two are no 90 %; the median of an even number is not rounded."""
    rows = [row(number, verdict="unsolvable", evaluated=10**number) for number in (1, 2, 3)]
    text = Reader(render(rows, "t.csv")).text
    assert "All 4 freecells 100 1,000 1,000 1,000" in text
    known = {"verdict": "solved", "shortest": True}
    two = [row(n, Inquiry.SHORTEST, length=n, at_least=n, at_most=n, **known) for n in (38, 45)]
    text = Reader(render(two, "t.csv")).text
    assert "2 deals: from 38 to 45 card moves, median 41.5." in text


def test_automoves_that_lose_deals() -> None:
    """Without them such a deal may be won; with others it may not."""
    known = {"verdict": "unsolvable", "evaluated": 500}
    words = "cannot be won with the automoves max."
    for question, told in ((Inquiry.SHORTEST_MOVES_MAX, True), (Inquiry.SHORTEST_MOVES_WKR, False)):
        text = Reader(render([row(1, question, **known)], "t.csv")).text
        assert (words in text) == told
        assert ("with the automoves" in text) == told


@pytest.mark.parametrize(
    ("question", "games", "unit"),
    [
        (Inquiry.SHORTEST, ["klondike"], "plays and turns of the stock"),
        (Inquiry.SHORTEST, ["pyramid", "spider"], "plays and turns of the stock"),
        (Inquiry.SHORTEST, ["yukon", "russian_solitaire"], "plays"),
        (Inquiry.SHORTEST, ["yukon", "klondike"], "plays and turns of the stock"),
        (Inquiry.SHORTEST, ["simple_simon"], "moves of cards or runs"),
        (Inquiry.SHORTEST_RUNS, ["klondike", "freecell"], "moves of cards or runs"),
        (Inquiry.SHORTEST_PLAYS, ["klondike"], "plays"),
        (Inquiry.VERDICT, ["freecell", "golf"], "card moves"),
        (Inquiry.VERDICT, ["freecell", "klondike"], "moves"),
    ],
)
def test_the_unit_of_lengths(question: Inquiry, games: list[str], unit: str) -> None:
    """Lengths are told in what the game counts as a move, where the question does not say it."""
    known = {"verdict": "solved", "shortest": question.is_shortest, "length": 9}
    rows = [row(3, question, rules=rules_for(game), **known) for game in games]
    assert f"from 9 to 9 {unit}, median 9." in Reader(render(rows, "l.csv")).text


def test_only_states_go_by_powers_of_ten() -> None:
    _, of_lengths, of_states = render(lengths(), "t.csv").split("<figure>")
    assert "10^{" not in of_lengths
    assert "10^{" in of_states


def test_files_that_are_no_boards() -> None:
    """They are counted where there are any, whatever the other rules have."""
    rows = [row(1, rules=CELLS[1], verdict="solved"), row(2, rules=CELLS[2], verdict="unreadable")]
    text = Reader(render(rows, "t.csv")).text
    assert "Unreadable are files" in text
    assert "2 2 freecells unreadable" not in text  # it is none of the hardest
    assert "1 freecell 1 0 0 0 1" in text and "2 freecells 0 0 0 1 1" in text
    both = [row(1, verdict="solved"), row(2, verdict="unreadable"), row(3, limit="max-time")]
    assert (
        "4 freecells 50.00% 100.00%" in Reader(render(both, "t.csv")).text
    )  # decided of the boards
    assert "Unreadable are files" not in Reader(render(rows[:1], "t.csv")).text


def test_fewest() -> None:
    text = Reader(render(fewest(), "t.csv")).text
    assert "4 freecells 3 12 24.49%" in text
    heads = "Rules Freecells Deals Share"
    assert f"{heads} 4 freecells 0 12 24.49% 4 freecells 1 13 26.53% 4 freecells 2 12" in text
    assert "Undecided deals None." in text
    assert "49 4 freecells 1 49" in text and "48 4 freecells 0 48" in text
    lost = row(50, Inquiry.FEWEST_FREECELLS, verdict="unsolvable", evaluated=1000)
    assert "50 4 freecells unsolvable 1,000" in Reader(render([*fewest(), lost], "t.csv")).text


def test_an_empty_table_and_many_undecided() -> None:
    nothing = Reader(render([], "t.csv")).text
    assert "0 rows" in nothing and "Undecided deals None." in nothing
    assert "Hardest deals" not in nothing
    many = [row(number, limit="max-time") for number in range(1, MOST_OPEN + 12)]
    text = Reader(render(many, "t.csv")).text
    assert "And 11 more." in text
    assert f" {MOST_OPEN} 4 freecells max-time" in text
    assert f" {MOST_OPEN + 1} 4 freecells max-time" not in text
    assert "more." not in Reader(render(many[:MOST_OPEN], "t.csv")).text


def test_only_the_hardest_deals_are_listed() -> None:
    rows = [row(n, verdict="solved", evaluated=1000 + n) for n in range(1, HARDEST + 3)]
    text = Reader(render(rows, "t.csv")).text
    listed = [n for n in range(1, HARDEST + 3) if f" {n} 4 freecells solved {1000 + n:,} " in text]
    assert listed == list(range(3, HARDEST + 3))
    assert f"Memory {HARDEST + 2} 4 freecells" in text  # the hardest one comes first


def test_what_rules_are_called() -> None:
    assert label_of(CELLS[4]) == "4 freecells"
    assert label_of(rules_for("bakers_game", 1)) == "bakers_game, 1 freecell"
    assert label_of(rules_for("eight_off")) == "eight_off, 8 freecells"
    for game in ("king_albert", "klondike", "golf", "spider"):  # a reserve, and games without cells
        assert label_of(rules_for(game)) == game


def test_more_rules_than_colours() -> None:
    rows = [row(1, rules=rules_for("freecell", cells), evaluated=5) for cells in range(9)]
    assert "others" in render(rows, "t.csv")


def test_no_table(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such table"):
        load_rows(tmp_path / "t.csv")
    with pytest.raises(UsageError, match="no table of that kind"):
        load_rows(tmp_path / "t.xls")


def test_shares_have_an_interval() -> None:
    """Wilson's: for 8 of 10 it is 49.02 % to 94.33 %, as tables of statistics have it."""
    from dbmsolver.survey.report import _share

    assert _share(8, 10) == ("80.00%", "49.02% to 94.33%")
    assert _share(0, 5)[1].startswith("0.00% to 43.4")
    assert _share(5, 5)[1].endswith(" to 100.00%")
    for total in range(1, 300):  # rounded numbers leave neither 0 nor 100 %
        assert _share(0, total)[1].startswith("0.00% to ")
        assert _share(total, total)[1].endswith(" to 100.00%")
    share, interval = _share(43, 59)
    page = render(verdicts(), "t.csv")
    assert f'<td class="number">{share}</td><td class="number">{interval}</td>' in page


def test_a_file_that_is_no_board_is_a_row(tmp_path: Path) -> None:
    from helpers.command import run

    boards = tmp_path / "boards"
    boards.mkdir()
    (boards / "good").write_text(run("deal", 1).stdout)
    (boards / "bad").write_text("KS KS\n")
    (boards / "image.png").write_bytes(b"\x89PNG\xff\xfe")
    table = tmp_path / "t.csv"
    for _ in range(2):  # the second time nothing is left to do
        found = run("survey", boards, "-o", table, "--quiet")
        assert found.exit_code == 0, found.stderr
        assert found.stdout == f"{table}: 3 rows: 1 solved, 2 unreadable\n"
    text = table.read_text()
    assert f"{boards / 'bad'}, line 1, column 4: KS is already at line 1, column 1" in text
    assert run("survey", "-o", table, "--report", tmp_path / "r.html").exit_code == 0
    page = (tmp_path / "r.html").read_text()
    assert '<th scope="col" class="number">Unreadable</th>' in page
    assert "20.65% to 100.00%</td>" in page
