"""Freecell Solver's text as it prints it itself: boards after every move, and decoration."""

from __future__ import annotations

import pytest
from helpers.solutions import plain, solved

from dbmsolver.game.cards import card_name
from dbmsolver.game.position import Position
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import Source
from dbmsolver.notation.solution import IllegalStepError, Solution

RANKS = "0A23456789TJQK"


def board(position: Position, ten: str) -> str:
    """A board in that program's style: four characters for a freecell, blank if it is empty."""
    heights = [(name, position.foundations["HSDC".index(name)]) for name in "HCDS"]
    home = "".join(f"{name}-{RANKS[height].replace('T', ten)} " for name, height in heights)
    cells = "".join(
        "    " if card is None else card_name(card).replace("T", ten).rjust(4)
        for card in position.freecells
    )
    columns = [" ".join(card_name(card).replace("T", ten) for card in c) for c in position.columns]
    return "\n".join([f"Foundations: {home}", f"Freecells:{cells}"] + [f": {c} " for c in columns])


def transcript(solution: Solution, ten: str) -> str:
    lines = ["-=-=-=-=-=-=-=-=-=-=-=-", "", board(solution.initial, ten), "", ""]
    moves = [line for line in formats.write(solution, "moves").splitlines() if line[:4] == "Move"]
    for line, (_, _, after) in zip(moves, solution.replay(), strict=True):
        lines += ["====================", "", line, "", board(after, ten), "", ""]
    lines += ["This game is solveable.", "Total number of states checked is 114."]
    return "\n".join([*lines, "This scan generated 321 states.", ""])


@pytest.mark.parametrize("ten", ["T", "10"])
@pytest.mark.parametrize("number", [1, 3, 11, 20, 44, 86])
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
