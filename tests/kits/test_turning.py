"""Steps of games with a stock, from plays of cards alone."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience, counts_as_play
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_HOME
from dbmsolver.kits.choice import are_of_patience, keys_of
from dbmsolver.kits.turning import TURN, Step, step_of, with_turns
from dbmsolver.results import Method, Question

ONE_PASS = replace(GAMES["klondike"], passes=1)


def test_plays_with_the_turns_before_them() -> None:
    """Steps of a game are found again from its plays, where no turn is made in vain."""
    deal, random = Deal.from_number(1, ONE_PASS), Random(1)
    position, steps = deal.position, list[Step]()
    for _ in range(40):
        assert isinstance(position, Patience)
        move = random.choice(position.moves(ONE_PASS))
        steps.append(step_of(position, move, ONE_PASS))
        assert (steps[-1] == (0, TURN)) != counts_as_play(move)
        position = position.apply(move)
    while steps[-1] == (0, TURN):  # in vain
        steps.pop()
    plays = [step for step in steps if step != (0, TURN)]
    found = with_turns(deal, plays)
    assert found is not None and 0 < found.count((0, TURN)) <= steps.count((0, TURN))
    assert [step for step in found if step != (0, TURN)] == plays


def test_plays_that_cannot_be_made() -> None:
    """A card that the waste is past, one that is covered, and one that may not go home."""
    deal = Deal.from_number(1, ONE_PASS)
    stock, column = deal.position.stock, deal.position.columns[-1]
    assert with_turns(deal, []) == []
    high = max(column[-1], stock[-1])
    for card, place in ((stock[0], PLACE_BOTTOM), (column[0], PLACE_HOME), (high, PLACE_HOME)):
        assert with_turns(deal, [(card, place)]) is None
    past = deal.position
    for _ in stock[:2]:
        past = past.apply(next(one for one in past.moves(ONE_PASS) if not counts_as_play(one)))
    assert with_turns(replace(deal, position=past), [(stock[0], PLACE_HOME)]) is None


def test_turns_count_where_the_question_says_so() -> None:
    """No turn of Klondike's stock counts in a proof, each in the usual metric of a solution."""
    deal = Deal.from_number(1, GAMES["klondike"])
    for metric, question, free in (
        (None, Question.SOLVE, 0),
        ("turns", Question.SOLVE, 0),
        ("plays", Question.SOLVE, 1),
        (None, Question.PROVE, 1),
    ):
        keys = keys_of(deal, "none", Method.EVERY_POSITION, metric, question)
        assert are_of_patience(keys) and keys.keys.tables.free == free


def test_moves_are_left_out_for_a_shortest_solution_only() -> None:
    """A proof may be asked about any position, which moves that are left out may lead to."""
    deal = Deal.from_number(1, GAMES["klondike"])
    for question, brief in ((Question.SOLVE, 1), (Question.PROVE, 0)):
        keys = keys_of(deal, "none", Method.EVERY_POSITION, None, question)
        assert are_of_patience(keys) and keys.keys.tables.brief == brief
