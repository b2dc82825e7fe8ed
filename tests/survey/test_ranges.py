"""The deals that a survey is about."""

from __future__ import annotations

import io
import pickle
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.errors import DbmError, InputError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import MAX_BOARD_BYTES, Deal, deal_number
from dbmsolver.game.numbers import MAX_NUMBER
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.survey.ranges import (
    Ranges,
    count_subjects,
    parse_ranges,
    ranges_or_none,
    subjects_of,
    unreadable_under,
)

FREECELL = GAMES["freecell"]


def numbers(*texts: str) -> list[int]:
    return [subject.number or 0 for subject in subjects_of(parse_ranges(texts), [FREECELL])]


def test_lists_and_ranges() -> None:
    assert numbers("3,1-2,11982") == [1, 2, 3, 11982]
    assert numbers("1-5,4-8", "2") == list(range(1, 9))
    assert numbers("5,-1,-2") == [-2, -1, 5]
    assert numbers(" 7 , 9") == [7, 9]


def test_no_number_is_among_none() -> None:
    assert 1 not in Ranges()
    assert 0 not in parse_ranges(["1-3"]) and 4 not in parse_ranges(["1-3"])


def test_the_whole_range_takes_no_time() -> None:
    whole = parse_ranges([f"1-{MAX_NUMBER}"])
    assert count_subjects(whole, [FREECELL, rules_for("freecell", 2)]) == 2 * MAX_NUMBER
    assert MAX_NUMBER in whole
    assert 0 not in whole
    assert next(iter(subjects_of(whole, [FREECELL]))).number == 1


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)), min_size=1, max_size=8))
def test_each_number_once(pairs: list[tuple[int, int]]) -> None:
    ranges = parse_ranges([",".join(f"{first}-{first + more}" for first, more in pairs)])
    wanted = sorted({n for first, more in pairs for n in range(first, first + more + 1)})
    assert [subject.number for subject in subjects_of(ranges, [FREECELL])] == wanted
    assert [number for number in range(80) if number in ranges] == wanted


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("5-1", UsageError, "ends before it begins"),
        ("0", InputError, "^'0': no such number, expected one from 1 to "),
        ("1-", UsageError, "is no range"),
        ("1,,2", UsageError, "is no range"),
        ("-3", UsageError, "is no range"),
        (f"1-{MAX_NUMBER + 1}", InputError, "no such number"),
        ("9" * 30, InputError, "no such number"),
        ("1-" + "9" * 6000, InputError, "no such number"),
        ("", InputError, "no such file"),
        ("1-1e3", InputError, "no such file"),
    ],
)
def test_bad_ranges(text: str, kind: type[DbmError], reason: str) -> None:
    """A number that no deal has is bad input, as it is where one deal is asked for."""
    with pytest.raises(kind, match=reason) as error:
        parse_ranges([text])
    assert "\n" not in str(error.value)


def test_zeros_before_a_number() -> None:
    assert numbers("0" * 5000 + "3") == [3]


def test_numbers_of_other_programs() -> None:
    ranges = parse_ranges(["7,0-2"], "solvitaire")
    found = list(subjects_of(ranges, [FREECELL]))
    assert count_subjects(ranges, [FREECELL]) == len(found) == 4
    for subject, number in zip(found, (0, 1, 2, 7), strict=True):
        assert subject.deal().position == deal_number(number, FREECELL, "solvitaire")
        assert subject.deal().number is None
        assert pickle.loads(pickle.dumps(subject)) == subject
    for text, numbers, kind, reason in (
        (str(2**31), "solvitaire", InputError, "one from 0 to 2147483647, as of solvitaire"),
        ("0", "pysol", InputError, "no such number"),
        (str(2**63), "pysolfc", InputError, "no such number"),
        ("-1", "pysolfc", UsageError, "is no range"),
        (__file__, "pysolfc", UsageError, "says nothing about boards"),
    ):
        with pytest.raises(kind, match=reason):
            parse_ranges([text], numbers)
    whole = parse_ranges([f"1-{2**63 - 1}"], "pysol")
    assert count_subjects(whole, [FREECELL]) == 2**63 - 1
    with pytest.raises(UsageError, match=r"^numbers pysol says nothing without ranges"):
        ranges_or_none(None, "pysol", False)
    with pytest.raises(InputError, match="a deck of Klondike, which freecell is not"):
        parse_ranges(["5"], "ksolve").check([FREECELL])


def test_boards_typed_row_by_row(tmp_path: Path) -> None:
    deal = Deal.from_number(3)
    columns = [[card_name(card) for card in column] for column in deal.position.columns]
    rows = [" ".join(row) for row in zip_longest(*columns, fillvalue="")]
    (tmp_path / "board").write_text("\n".join(rows))
    with pytest.raises(InputError, match="the shape of rows"):
        list(subjects_of(parse_ranges([str(tmp_path)]), [FREECELL]))
    (subject,) = subjects_of(parse_ranges([str(tmp_path)], rows=True), [FREECELL])
    assert subject.deal().position == deal.position
    with pytest.raises(UsageError, match=r"^rows says nothing about numbers"):
        parse_ranges(["3"], rows=True)


def test_boards(tmp_path: Path) -> None:
    """Files that hold the same board are one deal."""
    board = format_board(Deal.from_number(7).position)
    (tmp_path / "one").write_text(board)
    (tmp_path / "two.txt").write_text(f"# the same\n{board}")
    (tmp_path / "three.txt").write_text(format_board(Deal.from_number(8).position))
    (tmp_path / ".hidden").write_text("nothing")
    (tmp_path / "folder").mkdir()
    ranges = parse_ranges([str(tmp_path), "7"])
    found = list(subjects_of(ranges, [FREECELL]))
    assert len(found) == count_subjects(ranges, [FREECELL]) == 3
    assert unreadable_under(ranges, FREECELL) == []  # hidden files are not looked at
    assert {subject.deal().position for subject in found} == {
        Deal.from_number(number).position for number in (7, 8)
    }
    assert (
        list(subjects_of(parse_ranges([str(tmp_path / "one")]), [FREECELL]))
        == [
            subject for subject in found if subject.deal().position == Deal.from_number(7).position
        ][1:]
    )


def test_a_deck_of_digits_in_a_file(tmp_path: Path) -> None:
    """A list of numbers has none of 156 digits."""
    klondike, deal = GAMES["klondike"], Deal.from_number(3, GAMES["klondike"])
    suits = "CDHS"
    dealt = [(row, column) for row in range(7) for column in range(row, 7)]
    laid = [deal.position.columns[column][row] for row, column in dealt]
    cards = [*laid, *reversed(deal.position.stock)]
    digits = "".join(f"{card // 4 + 1:02}{suits.index(card_name(card)[1]) + 1}" for card in cards)
    (tmp_path / "deck").write_text(f"# the third\n{digits}\n")
    expected = Deal.from_text(digits, klondike).position
    for named in (tmp_path, tmp_path / "deck"):
        (subject,) = subjects_of(parse_ranges([str(named)]), [klondike])
        assert subject.deal().position == expected
    with pytest.raises(InputError, match=r"deck, line 2: "):
        parse_ranges([_written(tmp_path, f"# short\n{digits[1:]}\n")])


def _written(folder: Path, text: str) -> str:
    (folder / "deck").write_text(text)
    return str(folder / "deck")


def test_what_a_survey_writes_is_no_board(tmp_path: Path) -> None:
    """The table may lie in the directory of the boards, by a link, too."""
    board = format_board(Deal.from_number(7).position)
    (tmp_path / "one").write_text(board)
    folder = tmp_path / "kept"
    folder.mkdir()
    (folder / "table.csv").write_text("deal,number\n")
    (tmp_path / "table.csv").symlink_to(folder / "table.csv")
    (tmp_path / "other.csv").write_text("deal,number\n")
    ranges = parse_ranges([str(tmp_path)], own=[folder / "table.csv", tmp_path / "missing"])
    assert [name for name, _ in ranges.boards] == [
        str(tmp_path / "one"),
        str(tmp_path / "other.csv"),
    ]


def test_boards_with_filled_freecells(tmp_path: Path) -> None:
    """They can be asked about with fewer freecells, too, as long as the cards have room."""
    (tmp_path / "board").write_text("Foundations: H-K C-K D-K S-J\nFreecells: KS - - -\nQS\n")
    (subject,) = subjects_of(parse_ranges([str(tmp_path)]), [FREECELL])
    for cells in (1, 4):
        deal = replace(subject, rules=rules_for("freecell", cells)).deal()
        assert len(deal.position.freecells) == cells
    with pytest.raises(InputError, match="one freecell too many"):
        replace(subject, rules=rules_for("freecell", 0)).deal()


def test_bad_boards(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file in it"):
        parse_ranges([str(tmp_path)])
    (tmp_path / "board").write_text("KS KS\n")
    with pytest.raises(InputError, match="already at line 1"):
        list(subjects_of(parse_ranges([str(tmp_path)]), [FREECELL]))
    (tmp_path / "image").write_bytes(b"\xff\xd8\x00")
    beside = parse_ranges([str(tmp_path), "3"])
    assert [subject.number for subject in subjects_of(beside, [FREECELL])] == [3]
    errors = [str(error) for error in unreadable_under(beside, FREECELL)]
    assert "not text in UTF-8" in errors[0] and "KS is already at line 1" in errors[1]
    with pytest.raises(InputError, match=r"no such file.*expected numbers and ranges"):
        parse_ranges(["nowhere"])


LISTS = [
    ("1\n2\n3", [1, 2, 3]),
    ("# wanted\n\n 5-7, 9 # and more\r\n11982\n", [5, 6, 7, 9, 11982]),
    ("-2 -1\n3\t4 , 8,\n9", [-2, -1, 3, 4, 8, 9]),
    ("\ufeff12\n12\n11-13", [11, 12, 13]),
    ("5 ,\n6", [5, 6]),
]


@pytest.mark.parametrize(("text", "wanted"), LISTS)
def test_files_of_numbers(tmp_path: Path, text: str, wanted: list[int]) -> None:
    file = tmp_path / "numbers.txt"
    file.write_text(text, encoding="utf-8", newline="")
    assert numbers(str(file)) == wanted
    assert numbers("20", str(file)) == [*wanted[:-1], *sorted([wanted[-1], 20])]


def test_files_of_numbers_of_other_programs(tmp_path: Path) -> None:
    file = tmp_path / "numbers.txt"
    file.write_text("3\n1\n")
    found = list(subjects_of(parse_ranges([str(file)], "solvitaire"), [FREECELL]))
    assert [(subject.number, subject.whose) for subject in found] == [
        (1, "solvitaire"),
        (3, "solvitaire"),
    ]
    file.write_text("1\n-1\n")
    with pytest.raises(InputError, match="line 2: '-1' is no range of deals"):
        parse_ranges([str(file)], "solvitaire")


def test_numbers_and_boards_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("3\n1-2\n"))
    assert numbers("-", "7") == [1, 2, 3, 7]
    monkeypatch.setattr("sys.stdin", io.StringIO(format_board(Deal.from_number(7).position)))
    (subject,) = subjects_of(parse_ranges(["-"]), [FREECELL])
    assert subject.number is None
    assert subject.deal().position == Deal.from_number(7).position
    with pytest.raises(UsageError, match="- stands there twice, expected standard input once"):
        parse_ranges(["-", "3", "-"])


def test_a_long_file_of_numbers_is_larger_than_a_board_may_be(tmp_path: Path) -> None:
    file = tmp_path / "numbers.txt"
    wanted = range(8_000_000_000, 8_000_000_000 + 3 * 100_000, 3)
    file.write_text("\n".join(map(str, wanted)))
    assert file.stat().st_size > MAX_BOARD_BYTES
    assert numbers(str(file)) == list(wanted)
    file.write_text("KS\n" + file.read_text())
    with pytest.raises(InputError, match=f"more than {MAX_BOARD_BYTES} bytes, expected a board"):
        parse_ranges([str(file)])


@pytest.mark.parametrize("more", [0, 1])
def test_a_board_of_the_most_bytes(tmp_path: Path, more: int) -> None:
    file = tmp_path / "board"
    board = format_board(Deal.from_number(7).position) + "# "
    file.write_text(board + "-" * (MAX_BOARD_BYTES - len(board) + more))
    if more:
        with pytest.raises(InputError, match=f"more than {MAX_BOARD_BYTES} bytes"):
            parse_ranges([str(file)])
    else:
        assert count_subjects(parse_ranges([str(file)]), [FREECELL]) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1\n\nx\n", "line 3: 'x' is no range of deals, expected numbers"),
        ("1\n7-3\n", "line 2: '7-3' ends before it begins"),
        ("1,,2\n", "line 1: '' is no range"),
        ("0\n", "line 1: '0': no such number"),
        ("1\nAS KS\n", "line 2: 'AS' is no range"),
    ],
)
def test_bad_files_of_numbers(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "numbers.txt"
    file.write_text(text)
    with pytest.raises(InputError, match=reason) as error:
        parse_ranges([str(file)])
    assert str(error.value).startswith(f"{file}, line ")
    assert "\n" not in str(error.value)


def test_an_empty_file_is_a_board_without_cards(tmp_path: Path) -> None:
    file = tmp_path / "nothing"
    file.write_text("# nothing\n")
    with pytest.raises(InputError):
        list(subjects_of(parse_ranges([str(file)]), [FREECELL]))


def test_no_ranges() -> None:
    assert list(subjects_of(Ranges(), [FREECELL])) == []
    assert count_subjects(None, [FREECELL]) == 0


def test_what_is_said_without_ranges() -> None:
    """Without a text the deals are those of the table, of which nothing can be said."""
    assert ranges_or_none(None, "microsoft", False) is None
    assert ranges_or_none(["3"], "microsoft", False) == parse_ranges(["3"])
    for whose, rows, said in (
        ("pysolfc", False, "numbers pysolfc"),
        ("microsoft", True, "rows"),
    ):
        with pytest.raises(UsageError, match=f"{said} says nothing without ranges of deals"):
            ranges_or_none(None, whose, rows)
