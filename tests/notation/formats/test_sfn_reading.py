"""The meaning of single moves of Standard FreeCell Notation: freecells, columns, lengths."""

from __future__ import annotations

import pytest

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.notation.formats import Given, Source, sfn
from dbmsolver.notation.solution import Solution


def read(text: str, deal: Deal, policy: Automove = "none") -> Solution:
    return sfn.read(Source(text, "f"), Given(deal=deal, policy=policy))


def cells(solution: Solution) -> str:
    return " ".join("-" if c is None else card_name(c) for c in solution.final.freecells)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (" 1a 2d 3r", "8C 5S - 4S"),
        (" 1a 2d 3f", "8C 5S - 4S"),
        (" 1d 2r 3r", "4S 5S - 8C"),
        (" 1a 2b 3d", "8C 4S - 5S"),
        (" 1a 2a 3a", "8C 4S 5S -"),
    ],
)
def test_freecells_by_name_or_the_next_one(text: str, found: str) -> None:
    assert cells(read(f"{text}\n", Deal.from_number(3))) == found


def test_columns_that_a_game_does_not_have() -> None:
    deal = Deal.from_number(3, rules_for("freecell", columns=7))
    for text in ("18", "81"):
        with pytest.raises(
            IllegalMoveError, match=rf"^f, line 1, column 2: illegal move 1 '{text}"
        ):
            read(f" {text}\n", deal)


def run_and_target(cells: str, home: str) -> Deal:
    """Return a deal with 9S 8H 7S and TD as its first columns, and these freecells."""
    names = [f"{rank}{suit}" for suit in "HSDC" for rank in "3456789TJQK"]
    others = [name for name in names if name not in {"3D", "9S", "8H", "7S", "TD"}]
    columns = ["9S 8H 7S", "TD", *[" ".join(others[n::6]) for n in range(6)]]
    return Deal.from_text("\n".join([f"Freecells: {cells}", f"Foundations: {home}", *columns]))


def test_onto_a_card_as_many_move_as_fit() -> None:
    """A period says something of empty columns alone."""
    deal = run_and_target("2H - - -", "H-A S-2 D-3 C-2")
    for text in (" 12", ".12", "12", ".12 3b"):
        assert read(f"{text}\n", deal).steps[0].count == 3


def test_the_number_of_cards_behind_a_move() -> None:
    """It stands for itself; other moves to empty columns are then of one card."""
    board = "Foundations: H-9 C-8 D-T S-J\nKD QH JC TH 9C\n:\n:\nKH KS QS QC JH TC\nJD QD KC\n"
    deal = Deal.from_text(board)
    for text, counts in (
        (" 12 43", [4, 3]),
        ("12v2", [2]),
        (" 12V2 43", [2, 1]),
        ("43 12v2", [1, 2]),
        ("[12v3] 43", [3, 1]),
        (" 43\n 12v1 ", [1, 1]),
    ):
        assert [step.count for step in read(f"{text}\n", deal).steps] == counts
    with pytest.raises(IllegalMoveError, match="column 2: illegal move 1 '12v5': "):
        read(" 12v5\n", deal)


def test_moves_that_do_not_fit_say_why() -> None:
    """Of a run that would fit, as many cards are named as would have to move."""
    deal = run_and_target("2H 2S 2C -", "H-A S-A D-3 C-A")
    with pytest.raises(IllegalMoveError, match="illegal move 1 '12': 3 cards, there is room for 2"):
        read(" 12\n", deal)


def test_automoves_before_the_first_move() -> None:
    """The king under the jack that goes home at once is what the first two moves move."""
    board = "Foundations: H-K C-T D-T S-J\nKD JC\nJD KS\nQD QC\nKC QS\n:\n"
    found = sfn.read(Source(" 15 5a 2b\n", "f"), Given(deal=Deal.from_text(board)))
    found.check()
    assert [str(step) for step in found.steps[:3]] == [
        "JC from column 1 to foundation of clubs",
        "KD from column 1 to column 5",
        "KD from column 5 to freecell 1",
    ]


def test_runs_are_no_single_cards() -> None:
    """The moves home after a move of two cards repeat those of the game."""
    board = "Foundations: H-T C-T D-T S-T\nKC QH JS\nKS\nKD QD\nKH\nJH\nJD\nQC JC\nQS\n"
    text = "12 5h 6h 7h 2h 7h 3h 8h 2h 1h 3h 4h 2h\n"
    found = sfn.read(Source(text, "f"), Given(deal=Deal.from_text(board)))
    found.check()
    assert [step.count for step in found.steps] == [2] + [1] * 12
    assert [step.automove for step in found.steps] == ["none"] + ["horne"] * 12
    assert found.notes == ()
