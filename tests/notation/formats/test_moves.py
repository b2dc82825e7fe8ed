"""Freecell Solver's text as it prints it itself: boards after every move, and decoration."""

from __future__ import annotations

import pytest
from helpers.selection import few_fast
from helpers.solutions import plain, solved
from helpers.texts import transcript

from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import Source
from dbmsolver.notation.solution import IllegalStepError


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
