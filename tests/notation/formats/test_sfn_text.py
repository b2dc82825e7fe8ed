"""The lines of Standard FreeCell Notation, before they are given a meaning."""

from __future__ import annotations

import pytest
from helpers.solutions import solved

from dbmsolver.game.boards import format_board
from dbmsolver.notation.formats import Given, InvalidError, Source, sfn
from dbmsolver.notation.formats.sfn_text import MAX_TOKENS, SfnText, Token, parse
from dbmsolver.notation.steps import Origin


def read(text: str) -> SfnText:
    return parse(Source(text, "f"))


WORDS = ("1a", "2b", "3h")


def moves(text: str) -> list[tuple[str, bool, bool]]:
    """Return each move of a text, and what its style says of its length."""
    return [(t.source + t.destination, t.single, t.open) for t in read(text).tokens]


def refused(text: str) -> str:
    with pytest.raises(InvalidError) as error:
        read(text)
    return str(error.value)


def test_moves_and_their_places() -> None:
    found = read("Game #3\n 1a.26[ 3H]D4\n")
    assert found.tokens == [
        Token("1", "a", False, False, Origin("1a", 2, 2)),
        Token("2", "6", True, False, Origin("26", 2, 5)),
        Token("3", "h", False, False, Origin("3H", 2, 9)),
    ]
    assert (found.number, found.mark) == (3, 2)
    assert found.comments == {3: "D4"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (" 16.16", [("16", False, False), ("16", True, False)]),
        ("[.16] 16", [("16", True, False), ("16", False, False)]),
        ("[16] 16", [("16", False, False), ("16", False, False)]),
        ("16 .16", [("16", False, True), ("16", True, True)]),
        ("16 [.16]", [("16", False, True), ("16", True, True)]),
        ("16, 16;.1r", [("16", False, True), ("16", False, True), ("1r", True, True)]),
        ("7: 1a2b3h", [("1a", False, True), ("2b", False, True), ("3h", False, True)]),
    ],
)
def test_styles_of_moves(text: str, found: list[tuple[str, bool, bool]]) -> None:
    assert moves(text + "\n") == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" [1a\n", "line 1, column 3: one bracket without the other, expected both"),
        (" 1a]\n", "line 1, column 2: one bracket without the other, expected both"),
        (" [??\n", "line 1, column 3: one bracket without the other, expected both"),
        (" [1a][2a]\n", "line 1, column 7: brackets a second time, expected one move in them"),
        (" [1a]\n [??]\n", "line 2, column 3: brackets a second time, expected one move in them"),
        ("a\n\n", "line 1, column 1: no moves and no layout, expected a solution"),
        ("KC\n\nKD\n", "line 3, column 1: a row of cards apart from the others, expected one bl"),
        ("  -  -  =  +\n", "line 1, column 3: both - and =, expected one of them between the f"),
        ("  -  -  -  +         AX\n", "line 1, column 22: 'AX' home, expected a card or blanks"),
        ("  -  -  -  +AC       2C\n", "line 1, column 22: the foundation of clubs a second time"),
        ("  -  -  -  +            x\n", "line 1, column 24: text after the 23 characters of fre"),
        ("#1234567890123\n 1a\n", "line 1, column 1: the number '1234567890123' is too long"),
        ("3: 1a\n4: 2a\n", "line 2, column 1: moves of a second deal, after those of line 1; "),
    ],
)
def test_what_is_no_such_text(text: str, message: str) -> None:
    assert refused(text).startswith(f"f, {message}")


def test_the_line_of_freecells() -> None:
    found = read("AH=  =XX=2H+KC 3D 4S QH\n 1a\n")
    assert found.cells == ["AH", "  ", "XX", "2H"]
    assert found.home == {3: 13, 2: 3, 1: 4, 0: 12}
    assert (found.policy, found.layout_line) == ("wkr", 1)
    assert read("  -  -  -  +\n 1a\n").policy == "horne"
    assert read("\n\n  -  -  -  +\n 1a\n").layout_line == 3
    assert read(" 1a\n").policy is None


def test_the_most_moves_and_digits() -> None:
    assert len(read(" 1a" * MAX_TOKENS).tokens) == MAX_TOKENS
    expected = f"column {3 * MAX_TOKENS + 2}: more than {MAX_TOKENS} moves"
    assert expected in refused(" 1a" * (MAX_TOKENS + 1))
    assert read("#123456789012\n 1a\n").number == 123456789012


@pytest.mark.parametrize(
    ("text", "number", "count"),
    [
        ("#11 1a 2b\n", 11, 2),
        ("11: 1a 2b\n", 11, 2),
        ("11. 1a 2b\n", 11, 2),
        ("11) 1a 2b\n", 11, 2),
        ("11 1a 2b\n", None, 3),
        ("19 1a 2b\n", 19, 2),
        ("#-5 1a 2b\n", -5, 2),
        (" 1a\n2. 2a\n", None, 2),
        ("Game #7\n1. 1a\n2. 2a\n", 7, 2),
        ("a game\n3: 1a\n", 3, 1),
    ],
)
def test_numbers_before_moves(text: str, number: int | None, count: int) -> None:
    found = read(text)
    assert (found.number, len(found.tokens)) == (number, count)


@pytest.mark.parametrize("end", [".", ":", ")"])
def test_a_number_of_a_row_is_no_move(end: str) -> None:
    """Rows may be numbered by the first of their moves, and by numbers that look like moves."""
    rows = [f"{number:3}{end} 1a 2b 3h" for number in (1, 11, 21)]
    assert moves("\n".join(["#7", *rows, ""])) == [(word, False, True) for word in WORDS] * 3
    rows = [f"{number:3}{end} 1a.2b 3h" for number in (1, 11, 21)]
    styled = [(word, word == "2b", False) for word in WORDS]
    assert moves("\n".join(["#7", *rows, ""])) == styled * 3
    found = read(f" 11{end} 1a.2b\n")
    assert (found.number, len(found.tokens)) == (11, 2)
    assert moves(" 12  . a comment\n 11.23 1a\n")[:3] == [
        ("12", False, False),
        ("11", False, False),
        ("23", True, False),
    ]


def test_words_are_remarks_or_comments() -> None:
    found = read("hello\nGame #3\n# you\nKC\n# there\n 1a\nfirst\n second \n\n 2a 3\n")
    assert found.number == 3
    assert found.remarks == ["hello", "you", "there"]
    assert found.comments == {1: "first second", 2: "3"}


def test_a_layout_is_over_where_moves_or_brackets_are() -> None:
    found = read("  -  -  -  +\nKC QC\nJC\n [??]\nTC\n")
    assert found.columns == [[51, 43], [47]]
    assert (found.tokens, found.mark, found.remarks) == ([], 0, ["TC"])
    assert [read(f" 1a {end}\n").mark for end in ("??", "[??]", "[2a]", "2a")] == [1, 1, 1, None]


def test_boards_before_and_between_moves() -> None:
    board = "Freecells: - - - -\n" + format_board(solved(3).initial)
    found = read(f"\n{board}1a\nFreecells: 4D - - -\n2a\n")
    assert found.layout_line == 2
    assert [number for number, _ in found.board] == list(range(2, 2 + board.count("\n")))
    assert found.later == {1: [(2 + board.count("\n") + 1, "Freecells: 4D - - -")]}
    assert [token.source for token in found.tokens] == ["1", "2"]


def test_a_board_with_a_column_too_many_is_refused() -> None:
    board = "Freecells: - - - -\n" + format_board(solved(3).initial)
    for more in ("KS QH", "KS QH 9C", ": KS"):
        with pytest.raises(InvalidError, match=r"^f, line 11, column 1: one column too many"):
            sfn.read(Source(f"Game #3\n{board}{more}\n 1a\n", "f"), Given())


def test_cards_that_look_like_moves() -> None:
    """A line of them is a row as long as the layout, in lower case, lacks cards."""
    rows = "kd qd jd td\n9d 8d 7d 6d\n5d"
    for cells, home, more in (
        ("4d-3d-2d-ad", "kc kh ks", ""),
        ("  -  -  -  ", "kc kh ks 4d", ""),
        ("  -  -  -  ", "kc kh ks", " 4d 3d 2d\nad"),
    ):
        found = read(f"{cells}+{home}\n{rows}{more}\n4d 3d\n")
        assert sum(map(len, found.columns)) == (13 if more else 9)
        assert [token.origin.text for token in found.tokens] == ["4d", "3d"]
