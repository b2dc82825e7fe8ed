"""Formats in games where a run is one move, or cards only leave the freecells."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from helpers.selection import few_fast
from helpers.solutions import random_game
from helpers.texts import validate

from dbmsolver.cli.json_data import deal_data, move_data, rules_data
from dbmsolver.errors import IllegalMoveError, UsageError
from dbmsolver.game.moves import Place
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed, rules_for
from dbmsolver.game.titles import rules_notes, rules_of_notes
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats import Source
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step

RUNS = [
    rules for rules in GAMES.values() if rules.has_runs and not (rules.is_patience or rules.is_wide)
]
CHANGED = [
    changed(GAMES["freecell"], moves="runs"),
    changed(GAMES["simple_simon"], moves="runs"),
    changed(GAMES["simple_simon"], build="suit", fill="kings"),
    changed(GAMES["relaxed_freecell"], moves="single"),
    Rules("my game", 7, 2, "any", "kings", moves="suit-runs", whole_suits=True),
    Rules("my reserve", 6, 16, "any", "any", reserve=True),
    Rules("my cells", 6, 4, "none", "any"),
]
NAMES = ["universal-json", "universal-xml", "moves", "html"]


def whole_suits(seed: int) -> Solution:
    """Return a won game of Simple Simon's rules, with every suit whole but for a card or two."""
    random = Random(seed)
    rules = GAMES["simple_simon"]
    columns = [[4 * rank + suit for rank in range(12, -1, -1)] for suit in range(4)]
    below = random.randrange(1, 12)
    columns.append(columns[1][below:])
    columns[1] = columns[1][:below]
    position = Position((*map(tuple, columns), *[()] * 5), (), (0, 0, 0, 0))
    steps = [Step(Place("column", 4), Place("column", 1), 13 - below)]
    order = random.sample(range(4), 4)
    if order.index(1):
        order.remove(1)
        order.append(1)
    steps += [Step(Place("column", suit), Place("foundation", suit), 13) for suit in order]
    return Solution(rules, position, tuple(steps), position).ended()


def again(solution: Solution, name: str) -> Solution:
    text = formats.write(solution, name)
    validate(text, name)
    assert formats.detect(Source(text)) == name
    found = formats.read(text)
    assert formats.write(found, name) == text
    assert (found.rules, found.initial, found.final) == (
        solution.rules, solution.initial, solution.final,
    )  # fmt: skip
    return found


@pytest.mark.parametrize("rules", few_fast([*RUNS, *CHANGED], 4), ids=lambda rules: rules.name)
@pytest.mark.parametrize("name", NAMES)
def test_random_games(rules: Rules, name: str) -> None:
    for seed in range(3):
        game = random_game(seed + 1, rules, seed, 30)
        if "my" in rules.name:
            game = replace(game, number=None)
        assert again(game, name).moves() == game.moves()


@pytest.mark.parametrize("name", NAMES)
def test_whole_suits_go_home(name: str) -> None:
    for seed in range(5):
        solution = whole_suits(seed)
        solution.check()
        again(solution, name).check()


@pytest.mark.parametrize("rules", RUNS, ids=lambda rules: rules.name)
def test_some_formats_do_not_say_how_many_cards_move(rules: Rules) -> None:
    game = random_game(1, rules, 1, 5)
    with pytest.raises(UsageError, match=r"run .*: the format short does not say how many"):
        formats.write(game, "short")
    with pytest.raises(UsageError, match=r"run .*: Standard FreeCell Notation"):
        formats.write(game, "sfn")


def test_a_reserve_in_the_short_format() -> None:
    for name in ("flower_garden", "king_albert"):
        game = random_game(3, GAMES[name], 3, 40)
        assert formats.read(formats.write(game, "short")).moves() == game.moves()


@pytest.mark.parametrize("rules", [*GAMES.values(), *CHANGED], ids=lambda rules: rules.name)
def test_how_cards_move_is_told(rules: Rules) -> None:
    plain = replace(rules, moves="single", whole_suits=False, base="ace", layout="")
    if rules.is_wide:
        plain = replace(plain, packs="", row_deals="none", stock=0, draw=0, passes=0)
    assert replace(with_moving(plain, moving(rules)), layout=rules.layout) == rules
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules


@pytest.mark.parametrize("text", ["jumps", "runs suit-runs", "single runs"])
def test_other_words_for_how_cards_move(text: str) -> None:
    with pytest.raises(UsageError, match="for how cards move, expected runs"):
        with_moving(GAMES["freecell"], text)


def test_answers_are_read_back() -> None:
    for rules in (*RUNS, CHANGED[0]):
        game = random_game(5, rules, 5, 25)
        deal = game.deal
        data = {
            "verdict": "solved",
            "rules": rules_data(deal.rules),
            "deal": deal_data(deal),
            "automove": "none",
            "moves": [move_data(move) for move in game.moves()],
        }
        found = formats.read(json.dumps(data) + "\n", "json")
        assert (found.rules, found.moves()) == (rules, game.moves())


def test_moves_are_counted_as_the_game_does() -> None:
    for seed in range(3):
        solution = whole_suits(seed)
        assert lengths(solution) == {"runs": 5}
        assert [step.count for step in grouped(solution).steps] == [
            step.count for step in solution.steps
        ]
        grouped(solution).check()


ILLEGAL = [
    ("simple_simon", Place("column", 1), 2, "no run"),
    ("simple_simon", Place("foundation", 1), 1, "no whole suit"),
    ("simple_simon", Place("foundation", 1), 2, "no whole suit"),
    ("flower_garden", Place("freecell", 0), 1, "no card is put into the reserve"),
]


@pytest.mark.parametrize(("name", "destination", "count", "message"), ILLEGAL)
def test_illegal_moves(name: str, destination: Place, count: int, message: str) -> None:
    rules = rules_for(name)
    # The 9S and the 8H on it are of two suits, and a ten takes the nine.
    columns = ((33, 28), (36,), *[()] * (rules.columns - 2))
    start = Position(columns, (None,) * rules.freecells, (0, 0, 0, 0))
    step = Step(Place("column", 0), destination, count)
    with pytest.raises(IllegalMoveError, match=message):
        Solution(rules, start, (step,), start).reached()


@pytest.mark.parametrize("number", [10, 40])
def test_a_suit_of_no_column(number: int) -> None:
    text = formats.write(whole_suits(1), "moves")
    line = next(line for line in text.splitlines() if line.startswith("Move the sequence"))
    wrong = f"Move the sequence on top of stack {number} to the foundations"
    with pytest.raises(IllegalMoveError, match="no such place"):
        formats.read(text.replace(line, wrong))
