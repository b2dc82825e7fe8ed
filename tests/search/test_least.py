"""The length that no solution falls short of, of searches that have and have not begun."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.naive_bound import bound_of

from dbmsolver.api import solve
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.choice import are_wide
from dbmsolver.results import Options, Question, Verdict
from dbmsolver.search.answers import keys_of_manifest, least_of
from dbmsolver.storage.manifest import Manifest, new_manifest

DEAL = Deal.from_number(3)


def asked(deal: Deal = DEAL, question: Question = Question.SOLVE) -> Manifest:
    return new_manifest(question, deal, Options())


def least(manifest: Manifest, *layers: int, deal: Deal = DEAL) -> int | None:
    """Return what is told of a search that has closed states of some layers."""
    return least_of(manifest, keys_of_manifest(manifest, deal), layers)


def test_what_has_no_length() -> None:
    """A proof looks for no shortest solution, and an unsolvable deal has none."""
    assert least(asked(question=Question.PROVE)) is None
    assert least(replace(asked(), verdict=Verdict.UNSOLVABLE), 70, 71) is None
    assert least(replace(asked(question=Question.PROVE), verdict=Verdict.SOLVED)) is None


def test_layers_are_closed_in_ascending_order() -> None:
    """The last of them may hold the goal; of a shortest solution the length is known."""
    undecided = replace(asked(), verdict=Verdict.UNDECIDED, path=[[0, 0]] * 80, length=80)
    assert least(undecided, 71, 73, 72) == 73
    assert least(replace(undecided, verdict=Verdict.SOLVED, shortest=True), 71, 73) == 80


@pytest.mark.parametrize(
    "deal", [DEAL, Deal.from_number(27), Deal.from_number(1, GAMES["penguin"])]
)
def test_before_a_layer_is_closed_the_estimate_of_the_deal_is_told(deal: Deal) -> None:
    assert least(asked(deal), deal=deal) == bound_of(deal.position, deal.rules)


def test_before_anything_is_closed_where_cards_only_leave() -> None:
    """Each card in a column of golf makes one move."""
    deal = Deal.from_number(1, GAMES["golf"])
    assert least(asked(deal), deal=deal) == 35
    assert least(asked(deal), 40, deal=deal) == 40


def test_before_anything_is_closed_in_games_of_two_decks() -> None:
    deal = Deal.from_number(1, GAMES["spider_one_suit"])
    keys = keys_of_manifest(asked(deal), deal)
    assert are_wide(keys)
    assert least(asked(deal), deal=deal) == keys.least > 0


def test_before_anything_is_closed_in_klondike() -> None:
    """The estimate of the deal is the layer that its search begins with."""
    deal = Deal.from_number(1, GAMES["klondike_by_threes"])
    first = solve(deal, max_states=100).strata[0][0]
    assert least(asked(deal), deal=deal) == first > 52
