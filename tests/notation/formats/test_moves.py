"""Freecell Solver's text as it prints it itself: boards after every move, and decoration."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.selection import few_fast
from helpers.solutions import plain, random_game, solved
from helpers.texts import transcript

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import Source
from dbmsolver.notation.solution import IllegalStepError, Solution


@pytest.mark.parametrize("ten", ["T", "10"])
@pytest.mark.parametrize("number", few_fast([1, 3, 11, 20, 44, 86], 2))
def test_transcripts(number: int, ten: str) -> None:
    solution = explicit(solved(number), "none")
    text = transcript(solution, ten)
    assert formats.detect(Source(text)) == "moves"
    found = formats.read(text)
    found.check()
    assert plain(found) == plain(solution)


def test_supermoves_are_said_in_its_words() -> None:
    text = formats.write(explicit(solved(44), "none"), "moves")
    assert "\nMove 2 cards from stack " in text
    assert "\nMove 5 cards from stack " in text
    assert "\nMove a card from stack 0 to " in text
    assert text.endswith("\nThis game is solveable.\n")


def test_indices_count_from_zero() -> None:
    lines = formats.write(solved(5), "moves").splitlines()
    moves = [line for line in lines if line.startswith("Move")]
    assert len(moves) == len(solved(5).steps)
    for line, move in zip(moves, solved(5).moves(), strict=True):
        kinds = {"column": "stack", "freecell": "freecell"}
        start = f"{kinds[move.source.kind]} {move.source.index}"
        end = "the foundations"
        if move.destination.kind != "foundation":
            end = f"{kinds[move.destination.kind]} {move.destination.index}"
        assert line == f"Move a card from {start} to {end}"


def test_too_many_cards_at_once() -> None:
    text = formats.write(solved(12), "moves")
    first = next(line for line in text.splitlines() if line.startswith("Move"))
    with pytest.raises(IllegalStepError, match="illegal move 1 'Move 9 cards from stack "):
        formats.read(text.replace(first, "Move 9 cards from stack 0 to stack 1", 1))


LAST = "Foundations: H-Q C-T D-K S-J\nFreecells: KH - - -\nQC JC\nKC QS\nKS\n"
"""Seven cards before the end of a game."""


def last() -> Solution:
    start = Deal.from_text(LAST).position
    return Solution(GAMES["freecell"], start, (), start)


def test_the_board_that_is_written() -> None:
    """Hearts, clubs, diamonds, spades; columns begin with a colon."""
    lines = formats.write(last(), "moves").splitlines()
    assert lines == [
        "# game: freecell",
        "-=-=-=-=-=-=-=-=-=-=-=-",
        "",
        "Foundations: H-Q C-T D-K S-J",
        "Freecells: KH - - -",
        ": QC JC",
        ": KC QS",
        ": KS",
        *[":"] * 5,
        "",
        "====================",
        "",
    ]
    empty = replace(last(), initial=replace(last().initial, freecells=(None,) * 4))
    assert "Freecells: - - - -" in formats.write(empty, "moves").splitlines()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  Move a card from stack 9 to freecell 1", "line 6, column 3: illegal move 1 'Move a c"),
        ("\tMove it", "line 6, column 2: unknown line 'Move it', expected `Move a card from stack"),
        ("Move a card from stack 0 to stack 1.", "line 6, column 1: illegal move 1 'Move a card f"),
    ],
)
def test_places_of_wrong_lines(line: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        formats.read(Source(f"{LAST}{line}\n", "f"), "moves")
    assert str(error.value).startswith(f"f, {message}")


def test_logs_in_a_part_of_a_file() -> None:
    """Lines before that of success are no part of the solution, wherever the part is."""
    after = "Foundations: H-Q C-J D-K S-Q\nFreecells: KH - - -\nQC\nKC\nKS\n"
    for first in (1, 10):
        text = f"Reached 7\n{LAST}\nSuccess!\n--------\n{LAST}\n==\n{after}\nEND\n"
        with pytest.raises(InputError, match="no move of the game leads to this board"):
            formats.read(Source(text, "f", first), "moves")
        text = text.replace("S-Q", "S-J").replace("KC\nKS", "KC QS\nKS")
        found = formats.read(Source(text, "f", first), "moves")
        assert [str(step) for step in found.steps] == ["JC from column 1 to foundation of clubs"]
        origin = found.steps[0].origin
        assert origin is not None and (origin.text, origin.line) == ("a board", first + 16)


def test_boards_that_are_not_those_of_the_moves() -> None:
    """Columns in another order are another board, where the text has the moves."""
    move = "Move a card from stack 0 to the foundations\n"
    after = "Foundations: H-Q C-J D-K S-J\nFreecells: KH - - -\n: QC\n: KC QS\n: KS\n"
    assert len(formats.read(Source(f"{LAST}\n{move}\n{after}", "f"), "moves").steps) == 1
    other = after.replace(": QC\n: KC QS\n", ": KC QS\n: QC\n")
    expected = r"^f, line 9, column 1: the board is not the position at that point, expected the "
    expected += r"same; position: "
    with pytest.raises(InputError, match=expected):
        formats.read(Source(f"{LAST}\n{move}\n{other}", "f"), "moves")


def test_a_number_beside_the_board_of_another_deal() -> None:
    text = formats.write(solved(3), "moves").replace("# deal: 3", "# deal: 4")
    expected = r"^f, line 2, column 1: the board is not that of deal 4, expected the same$"
    with pytest.raises(InputError, match=expected):
        formats.read(Source(text, "f"))


def test_cards_that_are_run_together() -> None:
    text = formats.write(solved(3), "moves")
    lines = text.splitlines()
    joined = [line[2:].replace(" ", "") if line.startswith(": ") else line for line in lines]
    assert joined != lines
    assert formats.read(Source("\n".join(joined))).initial == solved(3).initial


def test_the_base_of_a_game_is_written_and_read() -> None:
    """Foundations say the ranks on top of them, whatever rank they begin with."""
    solution = random_game(3, GAMES["penguin"], 5, 30)
    board = replace(solution, number=None)
    text = formats.write(board, "moves")
    assert "\nBase: " in text
    assert plain(formats.read(Source(text))) == plain(solution)
    assert formats.read(Source(text)).initial == solution.initial


@pytest.mark.parametrize(
    "words",
    [
        "I could not solve this game.",
        "Could not solve successfully.",
        "Iterations count exceeded.",
        "Unsolved!",
    ],
)
def test_outputs_that_tell_of_no_solution(words: str) -> None:
    source = Source(f"{words}\nTotal number of states checked is 18.\n", "f")
    assert formats.detect(source) == "moves"
    expected = rf"^f, line 1, column 1: no solution \('{words[:-1]}'\), expected one$"
    with pytest.raises(InputError, match=expected):
        formats.read(source)
    assert formats.detect(Source(f"#3\n{words}\n1a 1b\n")) == "sfn"
