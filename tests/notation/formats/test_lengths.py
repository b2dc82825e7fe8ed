"""The number of cards for an empty column where Standard FreeCell Notation leaves it open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
from click.testing import CliRunner, Result
from helpers.solutions import solved

from dbmsolver.cli.commands.check import check_command
from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.deals import Deal
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source, sfn, sfn_lengths
from dbmsolver.notation.formats.given import Lengths, Parting
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Origin

BOARD = (
    "Foundations: H-8 C-8 D-8 S-8\n: KD QS JH TC\n: 9C 9D 9H 9S\n: KS KH KC\n"
    ": QD QC QH\n: JD JS JC\n: TD TS TH\n"
)
DEAL = Deal.from_text(BOARD)
OPEN = "17\n2h 2h 2h 2h\n"


def read(text: str, given: Given) -> Solution:
    return sfn.read(Source(text, "f.sfn"), given)


def test_longest_first_whatever_the_line_begins_with() -> None:
    for text in (OPEN, " " + OPEN, "17 2h 2h 2h 2h\n"):
        found = read(text, Given(deal=DEAL, policy="horne"))
        found.check()
        assert found.steps[0].count == 4


def test_a_note_says_that_other_lengths_win_too() -> None:
    found = read(OPEN, Given(deal=DEAL, policy="horne"))
    (note,) = found.notes
    assert "move 1 '17' (line 1, column 1): 1, 2, 3 or 4 cards" in note
    assert "--lengths longest, shortest or ask chooses" in note
    assert "\n" not in note
    # Nothing is left open after a space, nor by a choice.
    assert read(" " + OPEN, Given(deal=DEAL, policy="horne")).notes == ()
    for lengths in ("longest", "shortest"):
        given = Given(deal=DEAL, policy="horne", lengths=lengths)  # type: ignore[arg-type]
        assert read(OPEN, given).notes == ()


@pytest.mark.parametrize("text", [OPEN, " " + OPEN])
def test_lengths_choose(text: str) -> None:
    asked: list[Parting] = []

    def ask(parting: Parting) -> int:
        asked.append(parting)
        return 3

    for lengths, wanted in zip(get_args(Lengths), (4, 1, 3), strict=True):
        given = Given(deal=DEAL, policy="horne", lengths=lengths, ask=ask)
        found = read(text, given)
        found.check()
        assert found.steps[0].count == wanted
    assert [(parting.number, parting.counts) for parting in asked] == [(1, (1, 2, 3, 4))]


def test_a_period_is_never_open() -> None:
    given = Given(deal=DEAL, policy="horne", lengths="longest")
    assert read(".17 2h 2h 2h 2h\n", given).steps[0].count == 1


AMBIGUOUS = """
Foundations: H-9 C-8 D-9 S-9
KC QH TS JS
KH KD QD QC JC TH
KS JD TD 9C TC
QS JH
"""
WAYS = "26 48 15 61 17 86 71 74 68 46 67 3d\n"
"""Solves that position in several ways; as many cards as possible at each move is none of them."""


def test_several_ways_without_the_longest_win_with_a_note() -> None:
    deal = Deal.from_text(AMBIGUOUS)
    found = read(WAYS, Given(deal=deal, policy="horne"))
    found.check()
    (message,) = found.notes
    assert message.startswith("f.sfn: read with as many cards as solve the deal to empty columns")
    assert "move 6 '86' (line 1, column 16): 1 or 2 cards; move 7 '71'" in message
    assert message.endswith("--lengths longest, shortest or ask chooses")
    assert "\n" not in message
    counts = {}
    for lengths in ("longest", "shortest"):
        given = Given(deal=deal, policy="horne", lengths=lengths)  # type: ignore[arg-type]
        found = read(WAYS, given)
        found.check()
        counts[lengths] = [step.count for step in found.steps if step.automove == "none"]
    assert counts["longest"] > counts["shortest"]


def test_asking_goes_from_move_to_move() -> None:
    asked: list[Parting] = []

    def ask(parting: Parting) -> int:
        asked.append(parting)
        return parting.counts[-1]

    given = Given(deal=Deal.from_text(AMBIGUOUS), policy="horne", lengths="ask", ask=ask)
    found = read(WAYS, given)
    found.check()
    longest = read(WAYS, replace(given, lengths="longest"))
    assert found.steps == longest.steps
    numbers = [parting.number for parting in asked]
    assert numbers == sorted(set(numbers))
    assert all(len(parting.counts) > 1 for parting in asked)


def collected() -> list[tuple[int, Automove, str]]:
    """Solutions as collections have them: the deal, the game's automoves, the player's moves."""
    lines = (Path(__file__).parents[2] / "data" / "collected.txt").read_text().splitlines()
    table = [line.split("\t") for line in lines if not line.startswith("#")]
    return [(int(number), policy, moves) for number, policy, moves in table]  # type: ignore[misc]


@pytest.mark.parametrize("number, policy, moves", collected())
def test_collected_solutions(number: int, policy: Automove, moves: str) -> None:
    source = Source(f"#{number}\n{moves}\n")
    sfn.read(source, Given()).check()
    for lengths in ("longest", "shortest"):
        found = sfn.read(source, Given(policy=policy, lengths=lengths))  # type: ignore[arg-type]
        found.check()
        assert {step.automove for step in found.steps} == {"none", policy}


def test_collected_solutions_need_every_move_home() -> None:
    number, _, moves = next(row for row in collected() if row[1] == "max")
    assert "r" in moves
    with pytest.raises(InputError):
        sfn.read(Source(moves), Given(deal=str(number), policy="wkr")).check()


@pytest.mark.slow
def test_two_hundred_collected_solutions(tmp_path: Path) -> None:
    """All of them are read, whatever they leave open.

    Where more than one reading wins, a note says so.
    """
    lines = (Path(__file__).parents[2] / "data" / "collected-max.txt").read_text().splitlines()
    table = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(table) == 200
    path = tmp_path / "collected.txt"
    for number, moves in table:
        path.write_text(f"{number}. {moves}\n")
        found = check(path, "--automove", "max")
        assert f"Deal {number}: legal and winning" in found.stdout, number


HOME = "2h 2h 2h 2h 6h 6h 6h 7h 7h 5h 5h 5h 7h 4h 4h 4h 1h 3h 3h 7h\n"


def test_one_card_where_a_period_says_so() -> None:
    """No other length is tried, whether it would solve the deal or not."""
    read(f" 17 31 {HOME}", Given(deal=DEAL, policy="none")).check()
    for lengths in (None, *get_args(Lengths)):
        with pytest.raises(InputError, match="illegal move 2 '31'"):
            read(f".17 31 {HOME}", Given(deal=DEAL, policy="none", lengths=lengths))


SINGLE = "17 2h 2h 2h 2h 6h 6h 6h 7h 1h 5h 5h 5h 1h 4h 4h 4h 1h 3h 3h 3h\n"
"""Every card by itself, home as well; with automoves it is won after the first move."""
BACK = SINGLE.replace("17", "17 71").replace("7h", "1h")
"""Cards go to an empty column and back, so that any number of them would do."""


@pytest.mark.parametrize(
    ("text", "given", "count", "notes"),
    [
        (SINGLE, {}, 1, 0),
        (SINGLE, {"policy": "none"}, 1, 0),
        (SINGLE, {"lengths": "shortest"}, 1, 0),
        (BACK, {}, 1, 0),
        (BACK, {"policy": "none"}, 1, 0),
        (SINGLE, {"lengths": "longest"}, 4, 1),
        (SINGLE, {"policy": "horne"}, 4, 2),
        (" " + SINGLE, {}, 4, 1),
    ],
)
def test_texts_of_single_cards(text: str, given: dict[str, Any], count: int, notes: int) -> None:
    """They are read as such where nothing that is given, and no space, says otherwise."""
    found = read(text, Given(deal=DEAL, **given))
    found.check()
    assert found.steps[0].count == count
    assert {step.automove for step in found.steps[1:]} == {"none" if count == 1 else "horne"}
    assert len(found.notes) == notes


def test_a_note_where_spaces_are_not_meant_as_they_are_written() -> None:
    found = read(f" {WAYS}", Given(deal=Deal.from_text(AMBIGUOUS), policy="horne"))
    found.check()
    (note,) = found.notes
    assert note.startswith("f.sfn: read with as many cards as solve the deal to empty columns; ot")


def test_an_end_of_the_search_for_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that no length solves is legal at least, where spaces say the lengths."""
    monkeypatch.setattr(sfn_lengths, "MAX_PLAYS", 50)
    given = Given(deal=DEAL, policy="none")
    with pytest.raises(InputError, match="too many ways to read the lengths of moves to empty col"):
        read("17 71 17 71 17 71 17 71\n", given)
    found = read(" 17 71 17 71 17 71 17 71\n", given)
    assert [step.count for step in found.steps] == [4] * 8


def test_the_number_of_moves_that_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Given(deal=Deal.from_text(AMBIGUOUS), policy="horne")
    monkeypatch.setattr(sfn_lengths, "MAX_PLAYS", 13)
    read(WAYS, given).check()
    monkeypatch.setattr(sfn_lengths, "MAX_PLAYS", 12)
    with pytest.raises(InputError, match="too many ways to read the lengths of moves to empty col"):
        read(WAYS, given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # The first column has one card less for each that went to the empty one.
        ("17 1a 1b 1c 1d\n", "illegal move 5 '1d': no card there"),
        ("17 1a 1b 8d\n", "illegal move 4 '8d': no card there"),
        ("17 1a 8d\n", "illegal move 3 '8d': no card there"),
        ("17 8d\n", "illegal move 2 '8d': no card there"),
        ("8d\n", "illegal move 1 '8d': no card there"),
    ],
)
def test_the_error_is_that_of_the_way_that_comes_furthest(text: str, said: str) -> None:
    """Of ways that come as far it is that with as many cards as possible."""
    with pytest.raises(InputError) as caught:
        read(text, Given(deal=DEAL, policy="none"))
    assert said in str(caught.value)
    if text == "17 8d\n":
        assert str(caught.value).endswith("| TD TS TH | KD QS JH TC | ")


def test_nobody_to_ask() -> None:
    with pytest.raises(UsageError, match="nobody to ask for lengths, expected longest or shortest"):
        read(OPEN, Given(deal=DEAL, policy="horne", lengths="ask"))


def test_lengths_that_do_not_solve_the_deal_are_not_named() -> None:
    found = read(f"17 31 {HOME}", Given(deal=DEAL, policy="none"))
    found.check()
    assert found.steps[0].count == 4
    assert found.notes == ()


def test_notes_name_some_moves_and_count_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Given(deal=Deal.from_text(AMBIGUOUS), policy="horne")
    (whole,) = read(WAYS, given).notes
    named = whole.count(" cards; ")
    assert named == whole.count("(line 1, ") == 2
    for most, rest in ((2, ""), (1, "; and 1 more")):
        monkeypatch.setattr(sfn_lengths, "NAMED_AT_MOST", most)
        (note,) = read(WAYS, given).notes
        assert note.count("(line 1, ") == most
        assert note.endswith(f" cards{rest}; {sfn_lengths.CHOICE} chooses")


def test_moves_are_counted_from_one_in_notes() -> None:
    parting = Parting(3, Origin("17", 2, 5), (1, 2, 4))
    assert str(parting) == "move 3 '17' (line 2, column 5): 1, 2 or 4 cards"


# On the command line


def check(path: Path, *options: str, data: str = "") -> Result:
    return CliRunner().invoke(check_command, [str(path), *options], input=data)


def test_check_with_lengths(tmp_path: Path) -> None:
    path, board = tmp_path / "a.txt", tmp_path / "board"
    path.write_text(WAYS)
    board.write_text(AMBIGUOUS)
    deal = ("--deal", str(board), "--automove", "horne")
    found = check(path, *deal)
    assert "legal and winning" in found.stdout
    assert "other lengths solve the deal, too: move 6 '86'" in found.stderr
    for lengths in ("longest", "shortest"):
        assert "legal and winning" in check(path, *deal, "--lengths", lengths).stdout
    found = check(path, *deal, "--lengths", "ask", data="7\n" + "1\n" * 9)
    assert "legal and winning" in found.stdout
    assert found.stderr.startswith("move 6 '86' (line 1, column 16): 1 or 2 cards? move 6 '86'")
    found = check(path, *deal, "--lengths", "ask")
    assert isinstance(found.exception, UsageError)
    assert "no answer for move 6" in str(found.exception)
    found = CliRunner().invoke(check_command, ["-", *deal, "--lengths", "ask"], input=WAYS)
    assert "both come from standard input" in str(found.exception)


def test_check_prints_the_note(tmp_path: Path) -> None:
    path, board = tmp_path / "a.txt", tmp_path / "board"
    path.write_text(OPEN)
    board.write_text(BOARD)
    found = check(path, "--deal", str(board), "--automove", "horne")
    assert "legal and winning" in found.stdout
    assert found.stderr.startswith(f"dbmsolver: {path}: read with as many cards as possible")


def test_options_that_say_nothing_about_a_format(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(formats.write(solved(3), "universal-json"))
    for option in (("--automove", "wkr"), ("--lengths", "longest")):
        found = check(path, *option)
        assert isinstance(found.exception, UsageError)
        said = " ".join(option).removeprefix("--")
        assert str(found.exception).startswith(
            f"{said} says nothing about the format universal-json, expected a text in"
        )
