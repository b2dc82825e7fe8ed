"""Dominating positions against brute force, on small decks whose slots run full."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.dominance_brute import plain_moves, position_of, state_of, successors
from helpers.dominance_checks import KINDS, MOST, REAL, check_all, check_real_deals, small_deck
from helpers.selection import few_fast

from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.shipped import rules_for


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 2))
def test_brute_force_agrees_with_the_rules(build: Build, fill: Fill) -> None:
    for seed in range(10):
        deck, plain = small_deck(build, fill, seed)
        for state in list(plain)[:60]:
            position = position_of(state, deck.rules)
            moved = {state_of(position.apply(move)) for move in position.moves(deck.rules)}
            assert moved == set(plain_moves(state, deck.rules))
            following = {after for _, after in position.successors(deck.rules, deck.policy)}
            assert {state_of(after) for after in following} <= set(successors(state, deck))


@pytest.mark.parametrize(
    ("build", "fill", "some"), few_fast([(*kind, some) for kind in KINDS for some in range(2)], 2)
)
def test_small_decks(build: Build, fill: Fill, some: int) -> None:
    for seed in range(6 * some, 6 * some + 6):
        check_all(build, fill, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "fill"), KINDS)
def test_many_small_decks(build: Build, fill: Fill) -> None:
    for seed in range(1000, 1015):
        check_all(build, fill, seed, 5 * MOST if seed % 10 == 0 else MOST)


@pytest.mark.parametrize(("game", "freecells"), REAL)
def test_real_deals(game: str, freecells: int) -> None:
    assert check_real_deals(game, freecells, range(1, 5), 600) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("game", "freecells"), REAL)
def test_hundreds_of_real_deals(game: str, freecells: int) -> None:
    assert check_real_deals(game, freecells, range(5, 18), 2500) > 0


@pytest.mark.parametrize(
    ("columns", "freecells", "fill", "some"),
    [
        (8, 8, "any", True),
        (8, 9, "any", False),
        (15, 1, "any", True),
        (16, 1, "any", False),
        (3, 13, "any", True),
        (4, 13, "any", False),
        (18, 13, "kings", True),  # only freecells are slots
        (18, 13, "none", True),
        (16, 0, "any", True),
        (17, 0, "any", False),
        (18, 0, "kings", False),
    ],
)
def test_records_need_slots_but_not_too_many(
    columns: int, freecells: int, fill: Fill, some: bool
) -> None:
    rules = replace(rules_for("freecell", freecells), columns=columns, fill=fill)
    assert has_dominance(rules) == some
