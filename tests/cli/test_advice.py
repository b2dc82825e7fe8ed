"""The answers of `hint` and of --every-first-move in words, whatever is known of the moves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from helpers.fake_search import nearly_done, result

from dbmsolver.cli.advice import hint_json, hint_line, hint_text, values_json, values_text
from dbmsolver.cli.played import GameSoFar
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Place
from dbmsolver.game.titles import title
from dbmsolver.results import FirstMoves, Limit, MoveValue, Verdict

DEAL, MOVES = nearly_done()
GAME = GameSoFar(DEAL, 0, DEAL)
PLAYED = GameSoFar(DEAL, 1, Deal(DEAL.position.apply(MOVES[0]), DEAL.rules))
LOST = result(verdict=Verdict.UNSOLVABLE, shortest=False, moves=())
OPEN = result(verdict=Verdict.UNDECIDED, limit=Limit.MAX_TIME, shortest=False, moves=())
ONE, OTHER = MOVES


def value(move: Any, verdict: Verdict, least: int | None = None, most: int | None = None) -> Any:
    return MoveValue(move, verdict, least, most, None)


def found(*values: MoveValue, answer: Any = None, limit: Limit | None = None) -> FirstMoves:
    return FirstMoves(answer or result(), values, limit, 1.25, 5 << 20)


@pytest.mark.parametrize(
    ("game", "answer", "words"),
    [
        (GAME, result(), "can be won, 2 card moves are left"),
        (PLAYED, result(moves=MOVES[:1]), "after 1 move: can be won, 1 card move is left"),
        (GAME, LOST, "cannot be won"),
        (PLAYED, LOST, "after 1 move: cannot be won any more"),
        (
            GAME,
            OPEN,
            "not known whether it can be won (the limit --max-time was reached)",
        ),
        (
            GAME,
            result(shortest=False, at_least=1, limit=Limit.MAX_STATES),
            "can be won, at most 2, at least 1 card moves are left "
            "(the limit --max-states was reached)",
        ),
    ],
)
def test_hints_in_a_line(game: GameSoFar, answer: Any, words: str) -> None:
    line = hint_line(game, answer)
    assert line.startswith(title(DEAL)) and line.endswith(words)


def test_what_is_proven_of_a_hint() -> None:
    best = hint_text(GAME, result(), 1.0, 1 << 20)
    assert "Best move: QS  column 1 -> home\n" in best
    assert "Proven:    it wins, and no other way is shorter\n" in best
    good = hint_text(GAME, result(shortest=False), 1.0, 1 << 20)
    assert "Good move: QS  column 1 -> home\n" in good
    assert "Proven:    it wins; whether another way is shorter is not known\n" in good
    assert "Good move: none is known\n" in hint_text(GAME, OPEN, 1.0, 1 << 20)
    lost = hint_text(GAME, LOST, 1.0, 1 << 20)
    assert "move:" not in lost and "Memory:    1.0 MiB at most\n" in lost
    data = json.loads(hint_json(GAME, result(shortest=False, at_least=1), 1.0, 1 << 20))
    assert (data["length"], data["at_least"], data["at_most"]) == (None, 1, 2)
    data = json.loads(hint_json(GAME, result(), 1.0, 1 << 20))
    assert (data["length"], data["at_least"], data["at_most"]) == (2, 2, 2)


def test_the_best_moves_come_first() -> None:
    """Then those of which little is known, and at last those that lose."""
    moves = found(
        value(ONE, Verdict.UNSOLVABLE),
        value(ONE, Verdict.UNDECIDED, 3, None),
        value(ONE, Verdict.SOLVED, 9, 9),
        value(ONE, Verdict.UNDECIDED),
        value(ONE, Verdict.SOLVED, 7, 8),
        value(ONE, Verdict.SOLVED, 6, 8),
        limit=Limit.MAX_TIME,
    )
    text = values_text(GAME, moves)
    table = text.partition("left after  move\n")[2].partition("\n\n")[0]
    assert [line.partition("QS")[0].strip() for line in table.splitlines()] == [
        "at most 8, at least 6",
        "at most 8, at least 7",
        "9",
        "not known",
        "not known, at least 3",
        "lost",
    ]
    assert "; 6 first moves\n" in text
    assert "Limit:     the limit --max-time was reached\n" in text
    assert "Critical" not in text


def test_a_move_that_is_free_is_as_good_as_what_it_leads_to() -> None:
    """Cards that go home by themselves cost nothing here."""
    costs = ONE._replace(destination=Place("freecell", 0), forced=False)
    moves = found(
        value(costs, Verdict.SOLVED, 5, 8),
        value(ONE, Verdict.SOLVED, 8, 8),
        value(costs, Verdict.SOLVED, 6, 6),
        answer=result(metric="moves"),
    )
    table = values_text(GAME, moves).partition("left after  move\n")[2].splitlines()[:3]
    assert [line.split("  ")[-1] for line in table] == [
        *("column 1 -> freecell 1", "(free)", "column 1 -> freecell 1")
    ]
    assert [line.partition("QS")[0].strip() for line in table] == [
        "6",
        "8",
        "at most 8, at least 5",
    ]


def test_the_only_move_that_does_not_lose() -> None:
    moves = found(value(ONE, Verdict.UNSOLVABLE), value(OTHER, Verdict.SOLVED, 4, 4))
    text = values_text(GAME, moves)
    assert "Critical:  all moves but KS  column 1 -> home lose\n" in text
    assert "Limit:" not in text and "Store:" not in text
    data = json.loads(values_json(GAME, moves))
    assert (data["only"]["card"], data["limit"], data["store"]) == ("KS", None, None)
    assert [move["verdict"] for move in data["first_moves"]] == ["unsolvable", "solved"]
    some = found(
        replace(moves.values[0], limit=Limit.MEMORY), moves.values[1], limit=Limit.MAX_TIME
    )
    data = json.loads(values_json(GAME, some))
    assert [move["limit"] for move in data["first_moves"]] == ["memory", None]
    assert data["limit"] == "max-time"
    both = found(value(ONE, Verdict.SOLVED, 1, 1), value(OTHER, Verdict.SOLVED, 4, 4))
    assert "Critical" not in values_text(GAME, both)


def test_one_move_alone_is_not_critical() -> None:
    """None loses if there is no other move, as where a program makes one by itself."""
    moves = found(value(OTHER, Verdict.SOLVED, 4, 4))
    assert moves.only == OTHER
    assert "Critical" not in values_text(GAME, moves)


def test_no_move_at_all() -> None:
    assert "\nNo move is possible.\n" in values_text(GAME, found(answer=LOST))
