"""Solutions of games of several packs and of dealt rows: which formats say them, and pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from helpers.selection import few_fast
from helpers.solutions import random_game
from helpers.texts import validate
from helpers.wide_games import WIDE_GAMES, last_suit, small_deck

from dbmsolver.errors import DbmError, IllegalMoveError, UsageError
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import COLUMNS, STOCK, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play

CAN = ("universal-json", "universal-xml", "html")
CANNOT = ("sfn", "short", "moves")


def again(solution: Solution, name: str) -> Solution:
    """Write, recognize and read; writing what was read gives the same text."""
    text = formats.write(solution, name)
    validate(text, name)
    assert formats.detect(Source(text)) == name
    found = formats.read(text)
    assert formats.write(found, name) == text
    return found


@pytest.mark.parametrize("game", few_fast(WIDE_GAMES, 3))
@pytest.mark.parametrize("name", CAN)
def test_round_trips(name: str, game: str) -> None:
    solution = random_game(3, GAMES[game], 5, 30)
    for told in (solution, grouped(solution)):
        found = again(told, name)
        assert found == told


@pytest.mark.parametrize("name", CAN)
def test_round_trips_of_small_decks(name: str) -> None:
    """Decks of any packs and ranks, whose rules have no file: how they are dealt is not said."""
    random = Random(4)
    for seed in range(12):
        deal = small_deck(random)
        position, steps = deal.position, []
        for _ in range(25):
            if not (moves := position.moves(deal.rules)):
                break
            move = random.choice(moves)
            steps.append(Step.of(move))
            position = position.apply(move)
        rules = replace(deal.rules, layout="")  # files have none
        told = Solution(rules, deal.position, tuple(steps), position)
        found = again(grouped(told) if seed % 2 else told, name)
        assert (found.initial, found.final) == (told.initial, told.final)
        assert found.rules == rules
        assert found.moves() == told.moves()


@pytest.mark.parametrize("name", CAN)
def test_a_whole_suit(name: str) -> None:
    found = again(last_suit(), name)
    found.check()
    assert [step.count for step in found.steps] == [2, 13]


@pytest.mark.parametrize("game", WIDE_GAMES)
@pytest.mark.parametrize("name", CANNOT)
def test_formats_that_cannot_say_it(name: str, game: str) -> None:
    alike = "cards that are alike, " if GAMES[game].packs else ""
    dealt = (
        "stock and waste" if GAMES[game].draw else "a stock dealt onto columns and cards face down"
    )
    with pytest.raises(UsageError, match=f"^{game}: .* has no (words|letters) for {alike}{dealt}$"):
        formats.write(random_game(1, GAMES[game], 1, 3), name)


@pytest.mark.parametrize(("name", "text"), [("short", "12 2h\n"), ("sfn", "12 2h\n")])
def test_their_texts_are_refused_by_name_when_they_are_read(name: str, text: str) -> None:
    deal = Deal.from_number(3, GAMES["spiderette"])
    with pytest.raises(
        UsageError, match=r"^spiderette: .* for a stock dealt onto columns and cards"
    ):
        formats.read(text, name, Given(deal=deal))


def _first_of_dealt(whole: Any) -> None:
    moves = [entry["move"] for entry in whole["solution"]["moves"]]
    next(move for move in moves if "columns" in move["dest"])["num_cards"] = 3


def _decks(whole: Any) -> None:
    whole["header"]["NUM_DECKS"] = 1


def _no_such_deck(whole: Any) -> None:
    whole["solution"]["initial_position"]["foundations"][0]["foundation"]["deck"] = 2


def _same_foundation(whole: Any) -> None:
    whole["solution"]["initial_position"]["foundations"][1]["foundation"]["deck"] = 0


def _base(whole: Any) -> None:
    whole["solution"]["initial_position"]["base"] = 4


def _waste(whole: Any) -> None:
    whole["solution"]["initial_position"]["waste"] = [
        {"is_empty": False, "is_hidden": False, "rank": 1, "suit": "S"}
    ]


def _hidden_on_top(whole: Any) -> None:
    whole["solution"]["initial_position"]["columns"][0]["cards"][-1]["is_hidden"] = True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_first_of_dealt, "3 cards of the stock, it has"),
        (_decks, "NUM_DECKS: 1, expected 2"),
        (_no_such_deck, "deck: 2, expected a number from 0 to 1"),
        (_same_foundation, "the foundation of hearts a second time"),
        (_base, "base: expected none"),
        (_waste, "waste: expected none in spider"),
        (_hidden_on_top, "expected its last card face up"),
    ],
)
def test_what_does_not_fit(change: Callable[[Any], None], message: str) -> None:
    whole = json.loads(formats.write(random_game(3, GAMES["spider"], 5, 60), "universal-json"))
    change(whole)
    with pytest.raises(DbmError) as raised:
        formats.read(json.dumps(whole) + "\n").check(solved=False)
    assert message in str(raised.value)


def test_the_card_that_a_move_goes_onto_is_checked() -> None:
    solution = last_suit()
    told = grouped(solution)
    assert [str(step.onto) for step in told.steps] == [str(4 * 2 + 1), "None"]
    home = replace(told.steps[1], onto=1)
    with pytest.raises(IllegalMoveError, match="AS is the card under it by what it says"):
        replace(told, steps=(told.steps[0], home)).check()
    rules = GAMES["forty_thieves"]
    for step, before, _ in random_game(5, rules, 2, 70).replay():
        if step.destination.kind == "foundation":
            (full,) = grouped(Solution(rules, before, (step,), before)).steps
            assert full.card is not None and full.onto == (full.card - 4 if full.card > 3 else None)
            play(before, full, rules)


TWO_TOPS = """\
Foundations: H-J H-T C-K C-K D-K D-K S-K S-K
QH
KH JH
QH
KH
"""
"""The end of a game in which the jack and the ten of hearts may come back."""


def test_a_step_says_which_foundation_a_card_comes_back_from() -> None:
    """Of those of a suit it is the one with the card on top, by default the highest."""
    rules = GAMES["forty_thieves"]
    position, home = parse_board(TWO_TOPS, rules), Place("foundation", 0)
    for card, target in (("JH", 0), ("TH", 1)):
        step = Step(home, Place("column", target), card=parse_card(card))
        assert play(position, step, rules).columns[target][-1] == parse_card(card)
        if card == "JH":
            assert play(position, replace(step, card=None), rules) == play(position, step, rules)
    with pytest.raises(IllegalMoveError, match="9H moves by what it says, JH by the position"):
        play(position, Step(home, Place("column", 1), card=parse_card("9H")), rules)
    for index in (-1, 4):  # the last one, of clubs, has cards
        with pytest.raises(IllegalMoveError, match="no card there"):
            play(position, Step(home._replace(index=index), Place("column", 4)), rules)


def test_steps_that_are_not_legal() -> None:
    rules = GAMES["spider"]
    position = Deal.from_number(1, rules).position
    first = position.stock[0]
    row = Step(STOCK, COLUMNS, count=rules.columns, card=first)
    assert play(position, row, rules).columns[0][-1] == first
    empty, there = Place("foundation", 0), Place("column", 0)
    for step, message in (
        (replace(row, automove="wkr"), "no automove of the policy wkr"),
        (replace(row, card=position.stock[1]), "moves by what it says"),
        (replace(row, count=len(position.stock) + 1), "no card there"),
        (Step(empty, there), "no card there"),
    ):
        with pytest.raises(IllegalMoveError, match=message):
            play(position, step, rules)


def test_each_row_is_a_stop() -> None:
    solution = random_game(5, GAMES["spider"], 2, 70)
    ends = {stop.end: stop.kind for stop in stops(solution)}
    dealt = [n for n, step in enumerate(solution.steps, 1) if step.destination == COLUMNS]
    assert len(dealt) == 5
    assert all(ends[number] == "move" and (number - 1 in ends or number == 1) for number in dealt)
    turned = [step.source == STOCK for step in random_game(5, GAMES["forty_thieves"], 2, 70).steps]
    assert sum(turned) > 5
