"""The check of single states of a shortest solution: the moves made to them, and what follows."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from helpers.patience_games import PATIENCE_GAMES, small_deck
from helpers.support import random_game
from helpers.verifier import Costs, encode, expand_one, place_of

from dbmsolver.core.patience import moves_of
from dbmsolver.core.patience_tables import make_board, make_found
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Question
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.kernels.digits import DEAL
from dbmsolver.verify.kernels.expand import BAD_CODE, COSTS_BELOW_ZERO, GOAL
from dbmsolver.verify.patience_format import PatienceFormat

FREECELL = GAMES["freecell"]


@pytest.mark.parametrize("seed", range(6))
def test_moves_are_counted_from_the_deal(seed: int) -> None:
    """No moves are made to the deal, and some to each other state."""
    game = random_game(FREECELL, seed)
    form = make_format(Deal(game.start, game.rules), game.policy)
    pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
    for move, after in game.start.successors(game.rules, game.policy):
        if after.is_goal():
            continue
        words, root = encode(form, after), encode(form, game.start)
        code = pairs.index((move.card, place_of(form, game.start, move.card)))
        for made in (-1, 0, 1, 2, 300):
            found = expand_one(form, words, code, root, Costs(made, 5, 9))
            assert found.error == (0 if made > 0 else COSTS_BELOW_ZERO)
            if made > 0:
                assert (found.parents, found.made_before) == ([root], [made - 1])
                assert found.successors and {*found.made} == {made + 1}
            found = expand_one(form, words, code, words, Costs(made, 5, 9))
            assert found.error == (0 if made == 0 else COSTS_BELOW_ZERO)
            assert found.parents == []


def test_only_moves_that_cost_nothing_lead_to_states_that_no_move_was_made_to() -> None:
    """A program makes them, by itself, from the deal on."""
    random, seen = Random("free"), 0
    for seed in range(30):
        game = random_game(FREECELL, seed)
        deal = Deal(game.start, game.rules)
        form = make_format(deal, "max", "moves")
        root = encode(form, game.start)
        pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
        found = expand_one(form, root, 0, root, Costs(0, 0, 9))
        if found.error or not found.successors:
            continue
        if not found.forced:
            after = random.choice(found.successors)
            for code in range(len(pairs)):
                assert expand_one(form, after, code, root, Costs(0, 1, 9)).parents != [root]
            continue
        seen += 1
        assert {*found.made} == {0}
        assert expand_one(form, root, 0, root, Costs(1, 0, 9)).error == COSTS_BELOW_ZERO
        after = random.choice(found.successors)
        codes = [
            code for code in range(len(pairs)) if expand_one(form, after, code).parents == [root]
        ]
        assert codes
        for made in (0, 1):
            again = expand_one(form, after, codes[0], root, Costs(made, 1, 9))
            if again.error != GOAL:
                assert (again.error, again.made_before) == (0, [made])
    assert seen > 1


def test_the_goal_is_no_closed_state() -> None:
    game = random_game(FREECELL, 3)
    form = make_format(Deal(game.start, game.rules), game.policy)
    for code in (0, 1):
        assert expand_one(form, (0xDDDD, 0, 0, 0), code).error == GOAL
        assert expand_one(form, (0xDDDC, 0, 0, 0), code).error != GOAL


def test_states_of_the_last_layer_need_no_successors() -> None:
    """A solution as long as the claim may go on from any state of a lower layer."""
    game = random_game(FREECELL, 3)
    form = make_format(Deal(game.start, game.rules), game.policy)
    root = encode(form, game.start)
    for layer, follows in ((0, True), (8, True), (9, False), (10, False)):
        found = expand_one(form, root, 0, root, Costs(0, layer, 9))
        assert found.error == 0
        assert bool(found.successors) == follows


@pytest.mark.parametrize("metric", [None, *OF_PATIENCE])
def test_codes_of_klondike_and_its_relatives_lead_back(metric: str | None) -> None:
    """Each state says which move led to it, and of other codes only those of moves are accepted."""
    random = Random(f"codes {metric}")
    board, found = make_board(), make_found()
    for _ in range(15):
        game, policy = random.choice(PATIENCE_GAMES), random.choice(POLICIES)
        deal = small_deck(random.choice((game, "canfield")), random)
        question = Question.SOLVE if metric else Question.PROVE
        keys = PatienceKeys(deal, policy, metric or "plays", question)  # type: ignore[arg-type]
        form = PatienceFormat(deal, policy, metric)  # type: ignore[arg-type]
        state, root = keys.words(keys.root), form.state(form.root)
        made, start = 7, Costs(0, 1, 99) if metric else None
        for code in (DEAL, random.randrange(DEAL), DEAL | 1 << random.randrange(6, 16)):
            error = expand_one(form.digits, root, code, root, start).error
            assert error in (GOAL, 0 if code == DEAL else BAD_CODE)
        for _ in range(8):
            before, count = form.state(state), moves_of(keys.tables, state, board, found)
            rows = found.words[:count].copy()
            codes, costs = found.codes[:count].tolist(), found.costs[:count].tolist()
            for words, code, cost in zip(rows, codes, costs, strict=True):
                after = form.state(words)
                claim = Costs(made + cost, 1, 99) if metric else None
                back = expand_one(form.digits, after, code, root, claim)
                if back.error == GOAL or after == root:
                    continue
                assert (back.error, back.parents) == (0, [before]), (deal, state, code)
                assert back.made_before == [made if metric else 0]
                assert expand_one(form.digits, after, DEAL, root, claim).error == BAD_CODE
                for _ in range(6):
                    other = code ^ 1 << random.randrange(16)
                    found_too = expand_one(form.digits, after, other, root, claim)
                    if found_too.error == 0:
                        parent = found_too.parents[0]
                        following = expand_one(form.digits, parent, DEAL, parent)
                        assert after in following.successors, (deal, state, other)
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
    form = PatienceFormat(deal, "none", "plays")
    root, found = form.state(form.root), make_found()
    count, sources = moves_of(keys.tables, keys.words(keys.root), make_board(), found), []
    for words, code in zip(found.words[:count], found.codes[:count].tolist(), strict=True):
        back = expand_one(form.digits, form.state(words), code, root, Costs(1, 1, 99))
        assert (back.error, back.parents) == (0, [root])
        sources.append(code & 63)
    assert 8 in sources
