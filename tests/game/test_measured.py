"""Solutions of single cards as others have them, with moves home that are made at once."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from helpers.measured import METRICS, check_solution
from helpers.patience_games import small_deck
from helpers.searching import end_of

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.measured import measured
from dbmsolver.game.measures import measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search import session


def test_real_deals_in_every_metric() -> None:
    """Solutions of single cards, with the search's automoves, in what a program makes by itself."""
    for number in (1, 3, 617):
        deal = Deal.from_number(number)
        result = end_of(session.run(Question.PROVE, deal, Options(threads=1), Limits()))
        for metric, policy in METRICS:
            measure = measure_of(deal.rules, policy, metric)
            moves = measured(deal.position, result.moves, measure)
            if policy == "max" and moves is None:
                continue
            assert moves is not None
            check_solution(deal, replace(result, moves=moves, metric=measure.metric, policy=policy))
            assert len(moves) <= len(result.moves)


def test_a_move_that_is_not_legal() -> None:
    """As after moves home of a program that take away what a card lies on."""
    deal = Deal.from_number(3)
    result = end_of(session.run(Question.PROVE, deal, Options(threads=1), Limits()))
    measure = measure_of(deal.rules, "none", "moves")
    assert measured(deal.position, result.moves, measure) is not None
    for place in range(0, 20, 3):
        moves = list(result.moves)
        moves[place] = moves[place]._replace(card=moves[place].card ^ 1)
        assert measured(deal.position, moves, measure) is None
    assert measured(deal.position, result.moves[:-1], measure) is None


def random_win(deal: Deal, random: Random) -> list[Move] | None:
    """Return the moves of a random game that wins; None where a game does not."""
    position, moves = deal.position, []
    for _ in range(100):
        if position.is_goal():
            return moves
        legal = position.moves(deal.rules)
        if not legal:
            return None
        moves.append(random.choice(legal))
        position = position.apply(moves[-1])
    return None


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes"])
def test_cards_that_come_back(game: str) -> None:
    """Random games take cards back from the foundations, and most of them still win."""
    random, told = Random(5), []
    while len(told) < 16:
        deal = small_deck(game, random)
        moves = random_win(deal, random)
        if moves is None or all(move.source.kind != "foundation" for move in moves):
            continue
        measure = measure_of(deal.rules, "wkr")
        found = measured(deal.position, moves, measure)
        told.append(found is not None)
        position = deal.position
        for move in found or ():
            forced = measure.forced(position)
            assert move._replace(forced=False) in position.moves(deal.rules)
            assert forced is None or forced == move
            position = position.apply(move)
        assert found is None or position.is_goal()
    assert sum(told) > 8


def test_a_win_of_a_dive_that_takes_cards_back() -> None:
    """A search for a shortest solution can begin with what a proof finds in less than a second."""
    deal = Deal.load("857", GAMES["klondike_by_threes"], numbers="ksolve")
    proof = api.prove(deal)
    assert any(move.source.kind == "foundation" for move in proof.moves)
    moves = measured(deal.position, proof.moves, measure_of(deal.rules, "wkr"))
    assert moves is not None
    check_solution(deal, replace(proof, moves=moves))
