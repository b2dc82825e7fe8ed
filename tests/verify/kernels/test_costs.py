"""The check of single states of a shortest solution: the moves made to them, and what follows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.kernels import patience_words
from helpers.patience_games import PATIENCE_GAMES, small_deck
from helpers.support import random_game
from helpers.verifier import Costs, Words, closed_set, encode, expand_one, state_of_key, task_of

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.tables import make_board
from dbmsolver.kits.klondike.tables import make_found as make_found_of_search
from dbmsolver.results import Question
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.closed_set import States
from dbmsolver.verify.kernels.closure import check_states
from dbmsolver.verify.kernels.errors import BAD_CODE, BAD_LAYER, GOAL, NOT_CLOSED
from dbmsolver.verify.kernels.expand import bound_of_cards, make_successors, make_table
from dbmsolver.verify.keys import Keys

FREECELL = GAMES["freecell"]
DEAL = 63
"""The code of the deal in Klondike's kind."""


@pytest.mark.parametrize("seed", range(6))
def test_moves_are_counted_from_the_deal(seed: int) -> None:
    """No moves are made to the deal, and some to each other state."""
    game = random_game(FREECELL, seed)
    form = keys_of_cards(Deal(game.start, game.rules), game.policy)
    for _, after in game.start.successors(game.rules, game.policy):
        if after.is_goal():
            continue
        words, root = encode(form, after), encode(form, game.start)
        for made in (-1, 0, 1, 2, 300):
            found = expand_one(form, words, 0, root, Costs(made, 5, 9))
            assert found.error == (0 if made > 0 else BAD_LAYER)
            if made > 0:
                assert found.successors and {*found.made} == {made + 1}
            found = expand_one(form, words, 0, words, Costs(made, 5, 9))
            assert found.error == (0 if made == 0 else BAD_LAYER)


def test_only_moves_that_cost_nothing_lead_to_states_that_no_move_was_made_to() -> None:
    """A program makes them, by itself, from the deal on."""
    seen = 0
    for seed in range(30):
        game = random_game(FREECELL, seed)
        deal = Deal(game.start, game.rules)
        form = keys_of_cards(deal, "max", "moves")
        root = encode(form, game.start)
        found = expand_one(form, root, 0, root, Costs(0, 0, 9))
        if found.error or not found.successors:
            continue
        assert {*found.made} == {0 if found.forced else 1}
        assert expand_one(form, root, 0, root, Costs(1, 0, 9)).error == BAD_LAYER
        if not found.forced:
            continue
        seen += 1
        for made in (0, 1):
            again = expand_one(form, found.successors[0], 0, root, Costs(made, 1, 9))
            assert again.error in (0, GOAL)
    assert seen > 1


def test_the_goal_is_no_closed_state() -> None:
    game = random_game(FREECELL, 3)
    form = keys_of_cards(Deal(game.start, game.rules), game.policy)
    every = (1 << CARDS) - 1
    assert expand_one(form, (every, every, every, 0)).error == GOAL
    assert expand_one(form, (every ^ 1 << 48, every, every, 0)).error != GOAL


def missing_from(form: Keys, root: Words, costs: Costs, *closed: Words, made: int = 1) -> bool:
    """Return True if the check of the deal misses something among closed states."""
    after = make_successors(1 << 14)
    states = States(np.array([root], np.uint64), np.zeros(1, np.uint16))
    known = closed_set(*closed, made=made)
    error, index, _, _ = check_states(
        form.tables, known, task_of(root, costs), states, np.zeros(1, np.int16), 1, 0,
        make_table(form.tables), after,
    )  # fmt: skip
    assert error in (0, NOT_CLOSED)
    if error:
        assert after.sources[index] == 0
        assert tuple(after.rows[index].tolist()) not in closed or made > 1
    return bool(error)


def test_what_may_be_missing() -> None:
    """A solution as long as the claim may go on from any state of a lower layer.

    A successor has to be closed with no more moves than lead to it, unless the moves that have been
    made and those to come are as many as the claim.
    """
    game = random_game(FREECELL, 3)
    form = keys_of_cards(Deal(game.start, game.rules), game.policy)
    root, table = encode(form, game.start), make_table(form.tables)
    following = expand_one(form, root).successors
    bounds = [int(bound_of_cards(form.tables, np.array(s, np.uint64), table)[1]) for s in following]
    least = 1 + min(bounds)
    for layer, limit in ((0, 999), (8, 999), (998, 999), (999, 999), (1000, 999)):
        costs = Costs(0, layer, limit)
        assert missing_from(form, root, costs) == (layer < limit)
        assert not missing_from(form, root, costs, *following)
        assert missing_from(form, root, costs, *following, made=2) == (layer < limit)
        assert missing_from(form, root, costs, *following[1:]) == (layer < limit)
    assert not missing_from(form, root, Costs(0, 0, least))
    assert missing_from(form, root, Costs(0, 0, least + 1))
    needed = [after for after, bound in zip(following, bounds, strict=True) if 1 + bound == least]
    assert not missing_from(form, root, Costs(0, 0, least + 1), *needed)


@pytest.mark.parametrize("metric", [None, *OF_PATIENCE])
def test_codes_of_klondike_and_its_relatives_lead_back(metric: str | None) -> None:
    """The check has the same codes for moves, and only the deal has that of the deal."""
    random = Random(f"codes {metric}")
    board, found = make_board(), make_found_of_search()
    for _ in range(15):
        game, policy = random.choice(PATIENCE_GAMES), random.choice(POLICIES)
        deal = small_deck(random.choice((game, "canfield")), random)
        question = Question.SOLVE if metric else Question.PROVE
        keys = PatienceKeys(deal, policy, metric or "plays", question)  # type: ignore[arg-type]
        form = keys_of_cards(deal, policy, metric)  # type: ignore[arg-type]
        state, root = patience_words(keys.root), form.root
        made, start = 7, Costs(0, 1, 99) if metric else None
        for code in (DEAL, random.randrange(DEAL), DEAL | 1 << random.randrange(6, 16)):
            error = expand_one(form, root, code, root, start, DEAL).error
            assert error in (GOAL, 0 if code == DEAL else BAD_CODE)
        for _ in range(8):
            before, count = state_of_key(form, state), moves_of(keys.game, state, board, found)
            rows = found.words[:count].copy()
            codes, costs = found.codes[:count].tolist(), found.costs[:count].tolist()
            ours = expand_one(form, before, 0, before)
            if ours.error == GOAL:
                break
            for words, code, cost in zip(rows, codes, costs, strict=True):
                after = state_of_key(form, words)
                ways = zip(ours.successors, ours.codes, ours.made, strict=True)
                assert (after, code, cost if metric else 1) in ways, (deal, state, code)
                claim = Costs(made + cost, 1, 99) if metric else None
                back = expand_one(form, after, code, root, claim, DEAL)
                if back.error == GOAL or after == root:
                    continue
                assert back.error == 0
                back = expand_one(form, after, DEAL, root, claim, DEAL)
                assert back.error == BAD_CODE
            if not count:
                break
            state = rows[random.randrange(count)]


def test_a_code_of_a_card_that_came_back_for_one_of_another_column() -> None:
    """Three of hearts comes back to take the two of spades, which lies where neither goes to."""
    rules = replace(GAMES["klondike"], moves="single")
    four, two, ace = 4 * 3 + 3, 4 * 1 + 1, 1
    rest = [card for card in range(CARDS) if card >> 2 >= (3, 0, 3, 0)[card & 3]]
    rest = [card for card in rest if card not in (four, two, ace)]
    columns = ((four,), (ace, two), *(tuple(reversed(rest[at::5])) for at in range(5)))
    position = replace(
        Deal.from_number(1, rules).position,
        columns=columns, foundations=(3, 0, 3, 0), hidden=(0,) * 7, stock=(), waste=(),
    )  # fmt: skip
    deal = Deal(position, rules)
    keys = PatienceKeys(deal, "none", "plays", Question.SOLVE)
    form = keys_of_cards(deal, "none", "plays")
    root, found = form.root, make_found_of_search()
    count, sources = moves_of(keys.game, patience_words(keys.root), make_board(), found), []
    ours = expand_one(form, root)
    for words, code in zip(found.words[:count], found.codes[:count].tolist(), strict=True):
        assert code in ours.codes_to(state_of_key(form, words))
        sources.append(code & 63)
    assert 8 in sources
