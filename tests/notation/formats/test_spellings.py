"""One text in the ways in which people and their editors write it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product, zip_longest

import pytest
from helpers.selection import few_fast
from helpers.solutions import answer_of, mid_game, plain, solved
from helpers.texts import transcript

from dbmsolver.cli.render import render_text
from dbmsolver.errors import InputError
from dbmsolver.game.boards import format_board
from dbmsolver.game.position import Position
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import Given, InvalidError, Source
from dbmsolver.notation.solution import Solution

Change = Callable[[str], str]
SYMBOLS = str.maketrans("HSDC", "♥♠♦♣")
CARD = re.compile(r"\b([A2-9TJQK]|10)([HSDC])\b")


def symbols(text: str) -> str:
    return CARD.sub(lambda card: card[1] + card[2].translate(SYMBOLS), text)


def tens(text: str) -> str:
    return re.sub(r"\bT(?=[HSDC]\b)", "10", text)


LINE_CHANGES: dict[str, Change] = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "BOM": lambda text: "\ufeff" + text,
    "trailing spaces": lambda text: re.sub(r"(?m)(?<=\S)$", "   ", text),
    "no end of line": lambda text: text.rstrip("\n"),
    "blank lines around": lambda text: "\n\n" + text + "\n \n",
}
CARD_CHANGES: dict[str, Change] = {
    "lower case": str.lower,
    "symbols": symbols,
    "emoji": lambda text: re.sub("([♥♠♦♣])", "\\1\ufe0f", symbols(text)),
    "10": tens,
    "all": lambda text: "\ufeff" + symbols(text).lower().replace("\n", " \r\n"),
}
CHANGES = LINE_CHANGES | CARD_CHANGES


@pytest.mark.parametrize(
    ("change", "ten"), few_fast(product(sorted(set(CHANGES) - {"10"}), ["T", "10"]), 3)
)
def test_transcripts_of_freecell_solver(change: str, ten: str) -> None:
    """Boards after every move are those of positions in the middle of a game."""
    solution = explicit(solved(44), "none")
    found = formats.read(Source(CHANGES[change](transcript(solution, ten))))
    found.check()
    assert plain(found) == plain(solution)


@pytest.mark.parametrize("change", LINE_CHANGES)
def test_answers_for_people(change: str) -> None:
    text = render_text(answer_of(solved(5), "none"))
    assert plain(formats.read(Source(LINE_CHANGES[change](text)))) == plain(solved(5))


def test_suits_first_in_the_board_of_moves() -> None:
    text = formats.write(solved(5), "moves").replace("\n: ", "\n")
    changed = re.sub(r"(?m)^[^#M\n]*$", lambda line: CARD.sub(r"\2\1", line[0]), text)
    assert changed != text
    assert plain(formats.read(Source(changed))) == plain(solved(5))


@pytest.mark.parametrize("change", CHANGES)
def test_moves_from_the_middle_of_a_game(change: str) -> None:
    rest = mid_game(solved(5), 40)
    text = formats.write(rest, "moves").replace("# game: freecell\n", "")
    found = formats.read(Source(CHANGES[change](text)))
    found.check()
    assert found.initial == rest.initial
    assert plain(found) == plain(rest)


def test_a_board_without_colons_before_moves() -> None:
    moves = [line for line in formats.write(solved(5), "moves").splitlines() if line[:4] == "Move"]
    text = format_board(solved(5).initial) + "\n".join(moves) + "\n"
    found = formats.read(text.replace("stack", "Stack").replace(" to ", " \t to "))
    found.check()
    assert found.initial == solved(5).initial


@pytest.mark.parametrize("change", [*LINE_CHANGES, "tabs"])
def test_short(change: str) -> None:
    change_text = CHANGES.get(change, lambda text: text.replace(" ", "\t"))
    for solution in (solved(18), mid_game(solved(18), 30)):
        found = formats.read(Source(change_text(formats.write(solution, "short"))))
        found.check()
        assert plain(found) == plain(solution)


# Standard FreeCell Notation


def rows(position: Position, join: Callable[[list[str]], str]) -> list[str]:
    """Return the rows of the layout of a position."""
    columns = [line.split() for line in format_board(position).splitlines()[-8:]]
    columns = [[] if column == [":"] else column for column in columns]
    return [join([card or "" for card in row]) for row in zip_longest(*columns)]


def notation(solution: Solution) -> tuple[str, list[str]]:
    """Return the line before the layout's rows, and the lines of moves."""
    lines = formats.write(solution, "sfn").splitlines()
    cells = next(index for index, line in enumerate(lines) if line[11:12] == "+")
    moves = [line for line in lines[cells + 1 :] if re.match(r"[ .][1-8a-d][1-8a-dh]", line)]
    return lines[cells], moves


LAYOUTS: dict[str, Callable[[list[str]], str]] = {
    "three": lambda row: "".join(card.ljust(3) for card in row).rstrip(),
    "three and 10": lambda row: tens("".join(card.ljust(3) for card in row).rstrip()),
    "four": lambda row: "".join(tens(card).ljust(4) for card in row),
    "four, to the right": lambda row: "".join(tens(card).rjust(4) for card in row),
    "five": lambda row: "".join(card.ljust(5) for card in row).rstrip(),
    "tabs": lambda row: "\t".join(row).rstrip(),
    "lower case": lambda row: "".join(card.ljust(3) for card in row).lower(),
    "symbols": lambda row: symbols("".join(card.ljust(3) for card in row)),
    "lower case, tabs, symbols, 10": lambda row: symbols(tens("\t".join(row))).lower(),
}


@pytest.mark.parametrize(
    ("style", "change", "skip"), few_fast(product(LAYOUTS, LINE_CHANGES, [0, 41]), 15)
)
def test_layouts(style: str, change: str, skip: int) -> None:
    solution = mid_game(solved(5), skip) if skip else solved(5)
    cells, moves = notation(solution)
    if "symbols" in style:
        cells = symbols(cells)
    if "lower" in style:
        cells = cells.lower()
    text = "\n".join([cells, *rows(solution.initial, LAYOUTS[style]), *moves]) + "\n"
    source = Source(LINE_CHANGES[change](text))
    assert formats.detect(source) == "sfn"
    found = formats.read(source)
    found.check()
    assert found.initial == solution.initial
    assert found.steps == explicit(solution, "horne").steps


def test_rows_in_lower_case_that_look_like_moves() -> None:
    board = [["ad", "2d", "3d", "4d", "5d", "6d", "7d", "kd"], ["2h", "3h", "4h", "5h"]]
    home = "  -  -  -  +kc"
    text = "\n".join([home, " ".join(board[0]), " ".join(board[1])])
    rest = [rank + suit for suit in "dhs" for rank in "a23456789tjqk"]
    rest = [card for card in rest if card not in board[0] + board[1]]
    lines = [" ".join(rest[i : i + 4]) for i in range(0, len(rest), 4)]
    found = formats.read(Source(f"{text}\n" + "\n".join(lines) + "\n1a 2b\n"), "sfn")
    assert [step.origin.text for step in found.steps if step.origin] == ["1a", "2b"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_board_before_the_notation(change: str) -> None:
    """Columns as lines, as other programs have them, and as `dbmsolver deal` prints them."""
    rest = mid_game(solved(5), 41)
    _, moves = notation(rest)
    board = format_board(rest.initial)
    colons = "\n".join(line if ":" in line else f": {line}" for line in board.splitlines())
    for text in (board, colons + "\n", "# a remark\n" + board.replace("Freecells", "FC")):
        source = Source(CHANGES[change](text) + "\n" + "\n".join(moves) + "\n")
        found = formats.read(source, "sfn")
        found.check()
        assert found.initial == rest.initial


def test_the_board_of_a_deal_before_the_notation() -> None:
    _, moves = notation(solved(5))
    text = format_board(solved(5).initial) + "\n".join(moves) + "\n"
    found = formats.read(text, given=Given(deal="5"))
    found.check()
    assert found.number == 5


MOVES = " ".join(
    step.origin.text
    for step in formats.read(formats.write(solved(3), "short")).steps
    if step.origin
).split()


@pytest.mark.parametrize(
    "text",
    [
        "#3: " + " ".join(MOVES),
        "3\t" + " ".join(MOVES),
        "3. " + " ".join(MOVES),
        "#3\n" + ", ".join(MOVES),
        "#3\n" + ",".join(MOVES) + ";",
        "#3\n" + " ".join(MOVES).upper(),
        "Deal 3\n"
        + "".join(f"{i + 1}. {' '.join(MOVES[i * 10 : i * 10 + 10])}\n" for i in range(8)),
    ],
)
def test_lines_of_collections(text: str) -> None:
    source = Source(text + "\n")
    assert formats.detect(source) == "sfn"
    found = formats.read(source)
    found.check()
    assert found.number == 3
    assert plain(found) == plain(solved(3))


def test_a_number_that_is_a_move() -> None:
    words = formats.write(solved(18), "short").splitlines()[-8:]
    text = " ".join(words)
    assert formats.read(text + "\n", "sfn", Given(deal="18")).number == 18


def test_a_second_deal_is_refused() -> None:
    text = f"3: {' '.join(MOVES)}\n4: {' '.join(MOVES)}\n"
    with pytest.raises(InvalidError, match="line 2, column 1: a second solution, expected one"):
        formats.read(text)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_encodings_with_a_byte_order_mark(encoding: str) -> None:
    data = f"#3\n{' '.join(MOVES)}\n".encode(encoding)
    formats.read(Source.of_bytes(data)).check()
    with pytest.raises(InvalidError):
        formats.read(Source.of_bytes(data[:-1] + b"\xd8" + b"\x00" * 3))


RULE = "-=-=-=-=-=-=-=-=-=-=-=-"
END = "\nThis game is solveable.\nTotal number of states checked is 114.\n"


def test_moves_of_two_characters_between_rules() -> None:
    found = formats.read(f"{RULE}\n\n{' '.join(MOVES)}\n{END}", given=Given(deal="3"))
    found.check()
    assert (found.number, found.tag) == (3, "")


@pytest.mark.parametrize("ten", ["T", "10"])
@pytest.mark.parametrize("number", [3, 18])
def test_boards_between_moves_of_two_characters(number: int, ten: str) -> None:
    solution = solved(number)
    words = iter(formats.write(solution, "short").split()[-len(solution.steps) :])
    text = re.sub(r"(?m)^Move .*$", lambda _: next(words), transcript(solution, ten))
    assert formats.detect(Source(text)) == "sfn"
    found = formats.read(text)
    found.check()
    assert plain(found) == plain(solution)
    lines = text.splitlines()
    boards = [n for n, line in enumerate(lines) if line.startswith("Foundations")]
    lines[boards[5] + 2], lines[boards[5] + 3] = lines[boards[5] + 3], lines[boards[5] + 2]
    with pytest.raises(InputError) as error:
        formats.read("\n".join(lines) + "\n")
    assert f"line {boards[5] + 1}, column 1: the board is not the position after 5 moves" in str(
        error.value
    )
