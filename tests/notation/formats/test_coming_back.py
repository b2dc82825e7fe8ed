"""Solutions in which cards come back from the foundations, in every format."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from dbmsolver.errors import IllegalMoveError, UsageError
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step

CAN = ("universal-json", "universal-xml", "html")
MINE = Rules("mine", 6, 1, "any", "any", removable=True)
BOARD = """\
Foundations: H-Q C-K D-J S-Q
KH
QD
KS
KD
"""


def a_game(rules: Rules, seed: int, most: int) -> Solution:
    """Random moves, those from the foundations liked a little better."""
    random = Random(seed)
    position: Position = Deal.from_number(seed, rules).position
    start, steps = position, []
    while len(steps) < most and (moves := position.moves(rules)):
        back = [move for move in moves if "foundation" in (move.source.kind, move[2].kind)]
        move = random.choice(back if back and random.random() < 0.6 else moves)
        steps.append(Step.of(move))
        position = position.apply(move)
    return Solution(rules, start, tuple(steps), position, None)


@pytest.mark.parametrize("name", CAN)
def test_round_trips(name: str) -> None:
    came_back = 0
    for seed in (2, 5):
        solution = a_game(MINE, seed, 150)
        came_back += sum(step.source.kind == "foundation" for step in solution.steps)
        for told in (solution, grouped(solution)):
            text = formats.write(told, name)
            read = formats.read(text, name)
            assert (read.initial, read.final) == (solution.initial, solution.final)
            assert [(step.source, step.destination) for step in read.steps] == [
                (step.source, step.destination) for step in solution.steps
            ]
            assert read.rules.removable
            assert formats.write(read, name) == text
        assert lengths(solution) == {"cards": len(solution.steps)}
        assert stops(solution)[-1].end == len(solution.steps)
    assert came_back > 20


def test_formats_that_have_no_such_moves_say_so() -> None:
    solution = next(
        found
        for seed in range(1, 99)
        if (found := a_game(MINE, seed, 150))
        and any(step.source.kind == "foundation" for step in found.steps)
    )
    for name in ("short", "moves"):
        with pytest.raises(UsageError, match="a card comes back from its foundation in mine: "):
            formats.write(solution, name)
    with pytest.raises(UsageError, match="come back from the foundations in mine: Standard"):
        formats.write(solution, "sfn")


def test_answers_are_read_back(tmp_path: Path) -> None:
    from dbmsolver.cli.app import cli

    board = tmp_path / "only.board"
    board.write_text(
        "Foundations: H-9 C-9 D-9 S-9\nKH KS QC JH KC KD\nQS TC JC JD QD\nTH JS TS QH TD\n"
    )
    rules = tmp_path / "back.json"
    rules.write_text(
        '{"tableau piles": {"count": 3, "spaces policy": "kings"}, "max rank": 4,'
        ' "foundations": {"removable": true}}'
    )
    for ending in ("txt", "json"):
        path = tmp_path / f"answer.{ending}"
        with pytest.raises(SystemExit):
            cli.main(["prove", str(board), "--game", str(rules), "-q", "-o", str(path)])
        solution = formats.read(path)
        solution.check()
        assert any(step.source.kind == "foundation" for step in solution.steps)
        assert solution.rules.takes_back and solution.rules.kept_rank == 9


def test_steps_that_are_not_legal() -> None:
    king = parse_card("KC")
    deal = Deal.from_text(BOARD, MINE)
    home, column = Place("foundation", 3), Place("column", 4)
    after = Solution(MINE, deal.position, (Step(home, column, card=king),), deal.position).ended()
    assert after.final.columns[4] == (king,)
    assert after.final.foundations == (12, 12, 11, 12)
    kept = Rules("kept", 6, 1, "any", "any", layout="home A 2 3 4 5 6 7 8 9 T J", removable=True)
    queen = Place("foundation", 2)  # the jack of diamonds
    for rules, step, message in (
        (GAMES["freecell"], Step(home, column), "no card leaves a foundation"),
        (MINE, Step(home, Place("column", 0)), "KC cannot be put on KH"),
        (MINE, Step(home, home), "KC cannot go there"),
        (MINE, Step(Place("foundation", 4), column), "no such place"),
        (MINE, Step(Place("foundation", -1), column), "no such place"),
        (MINE, Step(home, column, card=king - 4), "moves by what it says"),
        (MINE, Step(home, column, count=2), "expected 1 unless from column to column"),
        (kept, Step(queen, column), "JD never leaves its foundation"),
    ):
        position = deal.position
        with pytest.raises(IllegalMoveError, match=message):
            Solution(rules, position, (step,), position).ended()
