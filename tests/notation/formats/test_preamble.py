"""Comment lines before moves: what they say of a deal, and where what is wrong in them stands."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.solutions import solved
from hypothesis import example, settings
from hypothesis import given as drawn
from hypothesis import strategies as st

from dbmsolver.errors import UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, InvalidError, Source
from dbmsolver.notation.formats.preamble import Preamble, opening
from dbmsolver.notation.solution import Solution

OWN = Rules("my game", 7, 2, "suit", "kings")
RUNS = Rules("my runs", 7, 0, "any", "any", moves="suit-runs")


def unplayed(rules: Rules, number: int | None = 3) -> Solution:
    position = Deal.from_number(3, rules).position
    return Solution(rules, position, (), position, number)


def read(text: str, given: Given | None = None) -> Preamble:
    preamble = Preamble(Source(text, "f"), given or Given())
    for number, line in preamble.source.lines():
        preamble.take(number, line.removeprefix("#"))
    return preamble


def board(rules: Rules) -> list[str]:
    return [f"# | {line}" for line in format_board(unplayed(rules).initial).splitlines()]


@pytest.mark.parametrize(
    ("rules", "lines"),
    [
        (GAMES["freecell"], ["# game: freecell", "# deal: 3"]),
        (
            rules_for("freecell", freecells=2, columns=9),
            ["# game: freecell", "# columns: 9", "# freecells: 2", "# deal: 3"],
        ),
        (
            changed(GAMES["freecell"], build="suit", fill="kings"),
            ["# game: freecell", "# build: suit", "# fill: kings", "# deal: 3"],
        ),
        (
            changed(GAMES["freecell"], moves="runs"),
            ["# game: freecell", "# moves: runs", "# deal: 3"],
        ),
        (GAMES["simple_simon"], ["# game: simple_simon", "# deal: 3"]),
        (
            OWN,
            ["# game: my game", "# columns: 7", "# freecells: 2", "# build: suit", "# fill: kings",
             "# deal: 3"],
        ),
        (
            RUNS,
            ["# game: my runs", "# columns: 7", "# freecells: 0", "# build: any", "# fill: any",
             "# moves: suit-runs", "# deal: 3"],
        ),
    ],
)  # fmt: skip
def test_lines_that_name_a_deal(rules: Rules, lines: list[str]) -> None:
    told = unplayed(rules)
    assert opening(told) == lines
    assert read("\n".join(lines)).deal() == Deal(told.initial, rules, 3)
    shown = [*lines[:-1], *board(rules)]
    assert opening(replace(told, number=None)) == shown
    assert opening(replace(told, number=None), board=False) == lines[:-1]
    assert read("\n".join(shown)).deal() == Deal(told.initial, rules)


def test_a_number_is_left_out_where_the_name_deals_otherwise() -> None:
    """The lines do not say how numbers are dealt: the game of the name does."""
    own = replace(GAMES["seahaven_towers"], name="mine")
    assert not any("deal:" in line for line in opening(unplayed(own)))


def test_tags_and_remarks_are_lines() -> None:
    told = replace(unplayed(GAMES["freecell"]), tag="a\ntag", remarks=("one  two", "three: 3"))
    lines = ["# tag: a tag", "# one  two", "# three: 3"]
    assert opening(told)[2:] == lines
    found = read("\n".join([*lines, "#  ", "#"]))
    assert (found.tag, found.remarks) == ("a tag", ("one  two", "three: 3"))


@pytest.mark.parametrize(
    ("remark", "line"),
    [
        ("Moves: 41", '# "Moves: 41"'),
        ("tag :", '# "tag :"'),
        ("| 2H", '# "| 2H"'),
        (" two\nlines", r'# " two\nlines"'),
        ("", '# ""'),
        ('"Deal: 3"', r'# "\"Deal: 3\""'),
        ('"a word"', '# "a word"'),
        ('the "deal": 3', '# the "deal": 3'),
        ("deals: 3", "# deals: 3"),
    ],
)
def test_a_remark_that_would_say_something_else_stands_in_quotes(remark: str, line: str) -> None:
    told = replace(unplayed(GAMES["freecell"]), remarks=(remark,))
    assert opening(told)[2:] == [line]
    found = read(line)
    assert (found.remarks, found.values, found.board) == ((remark,), {}, [])


@pytest.mark.parametrize(
    "remark", ['"a', '"', '"a" and "b"', '"\\u0061: b"', r'"d\u0065al: 3"', '"1a"']
)
def test_other_quotes_belong_to_a_remark(remark: str) -> None:
    """They do in texts of people, and in those of versions that wrote remarks as they are."""
    assert read(f"# {remark}").remarks == (remark,)


LIKE_OTHER_LINES = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", " ", '"', "#", "# "]),
    st.sampled_from(["game", "Freecells", "COLUMNS", "deal", "tag", "build", "fill", "moves", "|"])
    | st.sampled_from(["-=-=-=-=-", "DR7", "@@AL", "26", "#3", "3"]),
    st.sampled_from(["", ":", " : ", " W1 ", " KL", " 1a 2b"]),
    st.sampled_from(["", "any", "runs", "3", "2H", '"', "x\n", "\x85DR1", "\u2028Moves: @", "\r"]),
)


@settings(max_examples=150, deadline=None)
@drawn(
    st.lists(st.text(max_size=30) | LIKE_OTHER_LINES, max_size=4).map(tuple),
    st.sampled_from(["short", "moves"]),
)
@example(("freecells: 5", "build: any", "moves: runs", "tag: mine", "fill: any"), "short")
@example(("Deal: 3", "Game: freecell", "columns: 9", "| 2H", "Moves: 41"), "moves")
def test_every_remark_comes_back(remarks: tuple[str, ...], name: str) -> None:
    told = replace(solved(3), remarks=remarks, tag="mine")
    text = formats.write(told, name)
    assert formats.detect(Source(text)) == name
    found = formats.read(text)
    assert (found.remarks, found.tag, found.deal) == (remarks, "mine", told.deal)
    assert len(found.steps) == len(told.steps)
    assert formats.write(found, name) == text


def test_a_remark_too_long_for_a_line() -> None:
    told = unplayed(GAMES["freecell"])
    assert opening(replace(told, remarks=("a" * 39_998,)))[2:] == ["# " + "a" * 39_998]
    with pytest.raises(UsageError, match=r"^a remark of 39999 characters, expected one that fits"):
        opening(replace(told, remarks=("a" * 39_999,)))


@pytest.mark.parametrize("name", ["short", "moves"])
def test_remarks_of_the_universal_format_are_written_and_read(name: str) -> None:
    tree = json.loads(formats.write(solved(3), "universal-json"))
    tree["header"]["remarks"] = ["freecells: 5", "one\ntwo"]
    text = formats.write(formats.read(json.dumps(tree) + "\n"), name)
    back = json.loads(formats.write(formats.read(text), "universal-json"))
    assert back["header"] == tree["header"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# deal: 1\n\n# Deal: 2", "line 3, column 1: deal a second time, expected only that of li"
         "ne 1"),
        ("# a\n# deal: one", "line 2, column 1: no deal number 'one', expected digits"),
        ("# a\n# deal: 0", "line 2, column 1: "),
        ("# a\n# columns: many\n", "line 2, column 1: no number 'many', expected digits"),
        ("# a\n# fill: aces\n# deal: 1", "line 2, column 1: unknown fill"),
        ("\n# nothing", "line 1, column 1: the text does not say which deal it solves"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        read(text).deal()
    assert str(error.value).startswith(f"f, {message}")


def test_what_contradicts_is_told_with_its_line() -> None:
    rules = GAMES["freecell"]
    lines = ["#", *board(rules)]
    for number, rest in ((2, []), (len(lines) + 1, ["# deal: 3"])):
        with pytest.raises(InvalidError, match=f"^f, line {number}, column 1: the text starts"):
            read("\n".join([*lines, *rest]), Given(deal="4")).deal()
    with pytest.raises(InvalidError) as error:
        read("\n".join([*lines, "# deal: 4"])).deal()
    expected = f"f, line {len(lines) + 1}, column 1: the board is not that of deal 4, expected"
    assert str(error.value) == f"{expected} the same"


def test_a_board_in_other_words_is_told_with_its_line() -> None:
    preamble = read("# game: freecell")
    preamble.shown = (7, unplayed(GAMES["freecell"]).initial)
    assert preamble.deal() == Deal(unplayed(GAMES["freecell"]).initial, GAMES["freecell"])
    preamble.given = Given(deal="4")
    with pytest.raises(InvalidError, match=r"^f, line 7, column 1: the text starts from board-"):
        preamble.deal()


def test_lines_of_a_board_keep_their_numbers() -> None:
    lines = ["#", "# a remark", *board(GAMES["freecell"])]
    lines[5] = lines[5].replace("|", "| XX", 1)
    with pytest.raises(InvalidError, match=r"^f, line 6, column "):
        read("\n".join(lines)).deal()


def test_a_name_that_would_be_read_as_another_game() -> None:
    """Rules of somebody's own with the name of a game that cannot be dealt to their columns."""
    rules = replace(GAMES["bath"], columns=6, layout="")
    with pytest.raises(
        UsageError, match="no name for the rules, as bath is a game of this program: 52 "
    ):
        opening(unplayed(rules))
    assert opening(unplayed(replace(rules, name="mine")))[0] == "# game: mine"
