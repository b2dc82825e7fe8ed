"""The verifier's moves and bounds of each measure, and whole stores of shortest solutions."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.measured import GAMES, MEASURES, cases, long_runs, small_measured
from helpers.naive_bound import bound_of_measure
from helpers.verifier import encode, expand_one, place_of

from dbmsolver.api import solve, verify_store
from dbmsolver.errors import DbmError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES as SHIPPED
from dbmsolver.results import Result
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.keys import bound_of


@pytest.mark.parametrize(("metric", "policy", "rules"), cases(6))
def test_small_games(metric: str, policy: str, rules: Rules) -> None:
    for seed in range(3):
        game = small_measured(rules, metric, policy, seed, 60)
        measure, deal = game.measure, game.deal
        form = keys_of_cards(deal, measure.policy, measure.metric)
        for number, position in enumerate(game.positions):
            words = encode(form, position)
            assert bound_of(form.tables, words) == bound_of_measure(position, measure)
            if position.is_goal():
                continue
            found = expand_one(form, words)
            assert found.error == 0
            ours = [form.position(successor) for successor in found.successors]
            wanted = {game.positions[edge.after].canonical() for edge in game.edges[number]}
            assert {p.canonical() for p in ours if p} == wanted
            assert None not in ours
            assert found.forced == (measure.forced(position) is not None)
            for move, _, after in game.edges[number]:
                code = form.tables.codes[move.card, place_of(form, position, move.card)]
                assert found.codes_to(encode(form, game.positions[after])) == [code]


@pytest.mark.parametrize("rules", GAMES, ids=lambda rules: rules.name)
def test_runs_as_long_as_there_is_room_for(rules: Rules) -> None:
    """Up to 13 cards, where there is room for just so many, for one less, and for one more."""
    random = Random(f"long runs {rules.name}")
    for _ in range(15):
        position = long_runs(random, rules)
        measure = Measure(rules, *reversed(random.choice(MEASURES)))  # type: ignore[arg-type]
        deal = Deal(position, rules)
        form = keys_of_cards(deal, measure.policy, measure.metric)
        for _ in range(5):
            words, following = encode(form, position), measure.successors(position)
            found = expand_one(form, words)
            ours = [form.position(successor) for successor in found.successors]
            wanted = {after.canonical() for _, after in following}
            assert {p.canonical() for p in ours if p} == wanted, position
            assert bound_of(form.tables, words) == bound_of_measure(position, measure)
            if not following:
                break
            position = random.choice(following)[1]


STORES = [
    ("runs", "wkr", 73),
    ("moves", "max", 21),
    pytest.param("runs", "none", 73, marks=pytest.mark.slow),
    pytest.param("moves", "wkr", 0, marks=pytest.mark.slow),
    pytest.param("moves", "horne", 0, marks=pytest.mark.slow),
]


def solved(store: Path, metric: Any, policy: Any) -> Result:
    """Return a store of deal 2, or where that takes long of its end."""
    position = Deal.from_number(2).position
    if policy in ("horne", "wkr") and metric == "moves":
        begun = solve(Deal.from_number(2), threads=1).moves
        for move in begun[:35]:
            position = position.apply(move)
    return solve(Deal(position, SHIPPED["freecell"]), metric=metric, policy=policy, store=store)


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy", "length"), STORES)
def test_stores(metric: str, policy: str, length: int, tmp_path: Path) -> None:
    store = tmp_path / "store"
    found = solved(store, metric, policy)
    assert found.shortest and found.length == (length or found.length)
    assert verify_store(store).valid
    below = [
        (key, number)
        for key, number in faults.closed_states(store)
        if parse_closed_key(key).layer < (found.length or 0)
    ]
    for number, (key, place) in enumerate(Random(1).sample(below, 2)):
        spoiled = tmp_path / str(number)
        shutil.copytree(store, spoiled)
        faults.change_block(spoiled, key, lambda runs, place=place: faults.without(runs, place))
        faults.make_counts_fit(spoiled)
        assert not faults.check(spoiled).valid


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "said"),
    [
        (("cards", "wkr"), ("runs", "wkr")),
        (("runs", "wkr"), ("cards", "wkr")),
        (("runs", "wkr"), ("moves", "wkr")),
        (("moves", "max"), ("moves", "wkr")),
        (("moves", "max"), ("runs", "wkr")),
    ],
)
def test_another_metric_said(made: tuple[str, str], said: tuple[str, str], tmp_path: Path) -> None:
    store = tmp_path / "store"
    found = solved(store, *made)

    def forge(manifest: dict[str, Any]) -> None:
        manifest["metric"], manifest["policy"] = said
        measure = measure_of(found.deal.rules, *reversed(said))  # type: ignore[arg-type]
        if not measure.has_free_moves:
            manifest["length"] = len(manifest["path"])

    faults.change_manifest(store, forge)
    with suppress(DbmError):  # such a manifest cannot be, or the claim was looked into
        assert not faults.check(store).valid
