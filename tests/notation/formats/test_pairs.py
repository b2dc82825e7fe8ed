"""Solutions of pairing games in every format, as pictures, and in words."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from random import Random

import pytest
from helpers.pair_games import PAIR_GAMES, small_deck

from dbmsolver.errors import IllegalMoveError, InputError, UsageError
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import REMOVED, STOCK, WASTE, Place
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.pictures.board import describe, draw_board
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play

CAN = ("universal-json", "universal-xml", "html")


def a_game(deal: Deal, seed: int) -> Solution:
    """Return random moves, to where there are none."""
    random, position, steps = Random(seed), deal.position, []
    while moves := position.moves(deal.rules):
        move = random.choice(moves)
        steps.append(Step.of(move))
        position = position.apply(move)
    return Solution(deal.rules, deal.position, tuple(steps), position, deal.number)


@pytest.mark.parametrize("name", CAN)
def test_round_trips(name: str) -> None:
    deals = [Deal.from_number(24, GAMES[game]) for game in PAIR_GAMES]
    for deal in [small_deck(Random(seed)) for seed in range(3)]:
        deals.append(Deal(deal.position, replace(deal.rules, layout="")))  # files have none
    for seed, deal in enumerate(deals):
        solution = a_game(deal, seed)
        for told in (solution, grouped(solution)):
            text = formats.write(told, name)
            read = formats.read(text, name)
            assert (read.initial, read.final) == (solution.initial, solution.final)
            assert read.moves() == solution.moves()
            assert (read.rules.pairs, read.rules.passes) == (deal.rules.pairs, deal.rules.passes)
            assert read.number == deal.number
            assert formats.write(formats.read(text, name), name) == text


@pytest.mark.parametrize("game", PAIR_GAMES)
@pytest.mark.parametrize("name", ["short", "sfn", "moves"])
def test_formats_that_have_no_pairs_say_so(game: str, name: str) -> None:
    with pytest.raises(UsageError, match=f"^{game}: "):
        formats.write(a_game(Deal.from_number(1, GAMES[game]), 1), name)


def test_a_pair_may_be_named_either_way() -> None:
    deal = Deal.from_number(24, GAMES["pyramid"])
    low, high = parse_card("6S"), parse_card("7D")
    here, there = Place("column", 1), Place("column", 2)
    one = play(deal.position, Step(here, REMOVED, card=low, onto=high), deal.rules)
    other = play(deal.position, Step(there, REMOVED, card=high, onto=low), deal.rules)
    assert one == other
    solution = Solution(deal.rules, deal.position, (Step(there, REMOVED, onto=low),), one)
    assert solution.moves()[0].card == low
    for step, message in (
        (Step(here, REMOVED), "6S is not removed alone"),
        (Step(here, REMOVED, onto=parse_card("8C")), "6S is not removed with 8C"),
        (Step(here, REMOVED, onto=parse_card("QC")), "QC is not free"),
        (Step(here, REMOVED, card=high, onto=low), "7D moves by what it says, 6S"),
        (Step(here, there), "cannot go there"),
        (Step(here, REMOVED, onto=high, automove="wkr"), "no automove of the policy wkr"),
    ):
        with pytest.raises(IllegalMoveError, match=message):
            play(deal.position, step, deal.rules)


def test_any_pair_may_be_named_either_way() -> None:
    """Pairs of the pyramid, of the waste and, where it is free, of the stock."""
    places = set()
    for seed in range(40):
        solution = a_game(small_deck(Random(seed)), seed)
        for _, before, _ in solution.replay():
            assert isinstance(before, Pairing)
            free = dict(before.free(solution.rules))
            for move in before.moves(solution.rules):
                if move.other is not None:
                    step = Step(free[move.other], REMOVED, card=move.other, onto=move.card)
                    assert play(before, step, solution.rules) == before.apply(move)
                    places |= {(move.source.kind, step.source.kind)}
    assert {"column", "waste", "stock"} == {kind for kind, _ in places}
    assert {"column", "waste", "stock"} == {kind for _, kind in places}


def test_nothing_follows_the_last_card_of_the_pyramid() -> None:
    deal = Deal.from_number(24, GAMES["relaxed_pyramid"])
    assert isinstance(deal.position, Pairing)
    removed = tuple(card for column in deal.position.columns for card in column)
    won = replace(deal.position, columns=((),) * 7, removed=removed)
    with pytest.raises(IllegalMoveError, match="the game is won, and nothing is left"):
        play(won, Step(STOCK, WASTE), deal.rules)


def test_lengths_and_stops() -> None:
    for seed in range(8):
        solution = a_game(small_deck(Random(seed)), seed)
        over = sum(step.destination.kind == "stock" for step in solution.steps)
        assert lengths(solution) == {"turns": len(solution.steps) - over}
        found = stops(solution)
        assert found[-1].end == len(solution.steps)
        assert {stop.kind for stop in found} <= {"move", "turns"}


def test_what_is_wrong_in_a_file() -> None:
    text = formats.write(a_game(Deal.from_number(24, GAMES["pyramid"]), 1), "universal-json")
    for old, new in (
        ('"removed": 0', '"removed": 1'),
        ("pairs-all", "pairs-some"),
        ('"pairs-all stock-24 draw-1 passes-3 free-stock"', '"pile-wrap"'),
    ):
        assert old in text
        with pytest.raises(InputError):
            formats.read(text.replace(old, new), "universal-json")


def test_pictures() -> None:
    deal = Deal.from_number(24, GAMES["pyramid"])
    solution = a_game(deal, 3)
    for position in (deal.position, *(before for _, before, _ in solution.replay())):
        picture = draw_board(position, "Deal 24")
        root = ElementTree.fromstring(picture)
        cards = sum(map(len, position.columns)) + bool(position.waste)
        drawn = [g for g in root.iter("{http://www.w3.org/2000/svg}g") if "transform" in g.attrib]
        assert sum("translate" in g.attrib["transform"] for g in drawn) == cards
        words = describe(position)
        assert words in picture
        assert ("Removed: " in words) == (len(position.removed) > 0)  # type: ignore[attr-defined]
    assert "Row 1: 4 of clubs. Row 2: 5 of hearts, queen of clubs." in describe(deal.position)
    board = replace(deal.position, columns=((deal.position.columns[0][0],), *((),) * 6))
    assert describe(board).endswith("Row 1: 4 of clubs.")
