"""Shortest solutions of Klondike: published lengths, bounds of what follows, and threads."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from helpers.kernels import patience_bound, patience_bounds, patience_words
from helpers.patience_games import PATIENCE_GAMES, small_deck, whole_deck
from helpers.selection import few_fast
from helpers.verifier import state_of_key

from dbmsolver import api
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.klondike.bound import make_weights
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.tables import MOST_MOVES, make_board, make_found
from dbmsolver.results import Question
from dbmsolver.search.astar import layers, rounds
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.keys import bound_of as bound_of_check

PUBLISHED = Path(__file__).parents[2] / "data" / "klondike-lengths.tsv"
ROWS = [line.split("\t") for line in PUBLISHED.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize(
    "row",
    few_fast(ROWS, 3),
    ids=lambda row: " by ".join(row[:2]),
)
def test_published_lengths(row: list[str]) -> None:
    _, draw, length, board = row
    rules = GAMES["klondike" if draw == "1" else "klondike_by_threes"]
    deal = Deal(parse_board(board.replace(" / ", "\n"), rules, "the data"), rules)
    result = api.solve(deal)
    if length == "impossible":
        assert result.verdict == "unsolvable"
    else:
        assert (result.metric, result.length, result.shortest) == ("turns", int(length), True)


def follow_bounds(seed: str, decks: int) -> None:
    """Compare bounds of what follows with those of the states alone, and with the check's."""
    random = Random(seed)
    board, found, weights = make_board(), make_found(), make_weights()
    bounds = np.zeros(MOST_MOVES, np.int64)
    for number in range(decks):
        deal = small_deck(random.choice(PATIENCE_GAMES), random)
        if number % 3 == 0:
            deal = whole_deck(random)
        policy, metric = random.choice(POLICIES), random.choice(OF_PATIENCE)
        keys = PatienceKeys(deal, policy, metric, Question.SOLVE)
        form = keys_of_cards(deal, policy, metric)
        t, b, state = keys.game, keys.bounds.positions, patience_words(keys.root)
        for _ in range(30):
            moves = moves_of(t, state, board, found)
            here = patience_bound(t, b, state, board, weights)
            assert here == bound_of_check(form.tables, state_of_key(form, state)), deal
            patience_bounds(t, b, state, found, moves, board, weights, bounds)
            after = found.words[:moves].copy()
            for words, cost, said in zip(after, found.costs, bounds, strict=False):
                own = patience_bound(t, b, words, board, weights)
                assert own == said and here <= cost + own, (deal, metric)
            if not moves:
                break
            state = after[random.randrange(moves)]


def test_bounds_of_what_follows() -> None:
    follow_bounds("bounds", 60)


@pytest.mark.slow
def test_bounds_of_what_follows_many() -> None:
    follow_bounds("many bounds", 500)


def test_threads_close_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    random, verdicts = Random("threads"), set[str]()
    while len(verdicts) < 2:
        deal = small_deck("klondike_by_threes", random)
        assert isinstance(deal.position, Patience)
        one = api.solve(deal, threads=1, max_states=3000)
        if one.limit is not None or one.states < 40:
            continue
        with monkeypatch.context() as patch:
            patch.setattr(layers, "ENOUGH", 8)
            patch.setattr(rounds, "_LEAST_STOP", 4)
            three = api.solve(deal, threads=3)
        assert (three.verdict, three.length) == (one.verdict, one.length)
        if one.verdict == "unsolvable":
            assert (three.states, three.digest) == (one.states, one.digest)
        verdicts.add(one.verdict)


def test_a_card_comes_back_only_for_the_one_beneath_it() -> None:
    """In this deal a solution needs that, and without it none is left."""
    deal = Deal.from_number(610, rules_for("klondike"))
    result = api.solve(deal, metric="plays", memory="1G")
    assert (result.verdict, result.length, result.shortest) == ("solved", 82, True)
