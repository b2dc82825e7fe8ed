"""Features of families: a row for each family, and games that have what their row says."""

from __future__ import annotations

from typing import get_args

import pytest

from dbmsolver.game.features import FEATURES, Features
from dbmsolver.game.kinds import Family
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.positions import kind_of_position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES


def test_each_family_has_a_row_and_a_game() -> None:
    assert list(FEATURES) == list(get_args(Family))
    assert {rules.family for rules in GAMES.values()} == set(FEATURES)


def test_freecell_has_what_is_usual() -> None:
    assert GAMES["freecell"].features == Features(has_records=True)


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_games_have_what_their_family_has(rules: Rules) -> None:
    features = rules.features
    hidden = any(layout_of(rules.layout).hidden)
    assert features.hides_cards >= hidden
    assert features.has_whole_columns >= (len(set(rules.deck)) < len(rules.deck))
    assert bool(features.metrics) >= kind_of_position(rules).has_waste
    assert features.has_words >= (not rules.stock and rules.moves != "groups" and not hidden)
    assert not (features.has_records and features.has_classes)
