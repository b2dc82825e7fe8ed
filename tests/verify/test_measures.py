"""The verifier's moves and bounds of each measure, and whole stores of shortest solutions."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.measured import GAMES, MEASURES, small_measured
from helpers.naive_bound import bound_of_measure
from helpers.verifier import NOWHERE, encode, expand_one, place_of

from dbmsolver.api import solve, verify_store
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.verify.format import make_format
from dbmsolver.verify.refutation import position_of
from dbmsolver.verify.run import bound_of

CASES = [(*measure, rules) for rules in GAMES for measure in MEASURES]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy", "rules"), CASES)
def test_small_games(metric: str, policy: str, rules: Rules) -> None:
    for seed in range(3):
        game = small_measured(rules, metric, policy, seed, 60)
        measure, deal = game.measure, game.deal
        form = make_format(deal, measure.policy, measure.metric)
        pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
        for number, position in enumerate(game.positions):
            words = encode(form, position)
            assert bound_of(form, words) == bound_of_measure(position, measure)
            if position.is_goal():
                continue
            found = expand_one(form, words, 0, words)
            assert found.error == 0
            ours = [position_of(form, deal, successor) for successor in found.successors]
            wanted = {game.positions[edge.after].canonical() for edge in game.edges[number]}
            assert {p.canonical() for p in ours if p} == wanted
            assert None not in ours
            assert found.forced == (measure.forced(position) is not None)
            for move, _, after in game.edges[number]:
                if game.positions[after].is_goal():
                    continue
                code = pairs.index((move.card, place_of(form, position, move.card)))
                back = expand_one(form, encode(form, game.positions[after]), code, NOWHERE)
                assert (back.error, back.parents) == (0, [words])


def deck(number: int) -> Deal:
    """A small deck that takes runs, freecells and an empty column to win."""
    return small_measured(GAMES[0], "moves", "horne", number, 400).deal


@pytest.mark.parametrize(("metric", "policy"), MEASURES[-1:])
def test_a_store(metric: str, policy: str, tmp_path: Path) -> None:
    check_store(tmp_path / "store", metric, policy)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy"), MEASURES[:-1])
def test_stores(metric: str, policy: str, tmp_path: Path) -> None:
    check_store(tmp_path / "store", metric, policy)


def check_store(store: Path, metric: str, policy: str) -> None:
    deal = Deal.from_number(3)
    found = solve(deal, metric=metric, policy=policy, store=store, max_time=600)  # type: ignore[arg-type]
    assert found.shortest
    assert verify_store(store).valid
