"""Many deals, decided together: as each of them alone."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.fake_search import nearly_done
from helpers.searching import check_win

from dbmsolver.api import prove, prove_many
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Limits, Options
from dbmsolver.search import decisions
from dbmsolver.search.decisions import decide

FEW = rules_for("freecell", 1)
BOTH = [Deal.from_number(number, FEW) for number in range(1, 13)]
BOTH += [Deal.from_number(number) for number in (1, 2, 11982)]


def test_as_single_proofs() -> None:
    """Several games in a row; verdicts and counts are those of a proof for each deal."""
    found = {(one.deal.name, one.deal.rules): one for one in prove_many(BOTH)}
    assert len(found) == len(BOTH)
    verdicts = set()
    for deal in BOTH:
        one, alone = found[deal.name, deal.rules], prove(deal)
        assert (one.verdict, one.limit) == (alone.verdict, alone.limit)
        verdicts.add(one.verdict)
        assert (one.deal, one.policy) == (deal, "wkr")
        if one.verdict == "unsolvable":
            assert one.evaluated >= one.states == alone.states
            assert one.moves() == ()
        else:
            assert one.states == one.evaluated > 0
            check_win(deal, [move._replace(forced=False) for move in one.moves()], "wkr")
    assert verdicts == {"solved", "unsolvable"}
    # Dives that are begun again have looked at more states than the last of them.
    assert any(one.evaluated > one.states for one in found.values())


def test_what_dives_leave_open_is_proved() -> None:
    """By a search that keeps the limits."""
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    (one,) = prove_many([deal])
    assert (one.verdict, one.states) == ("unsolvable", 135_776)
    easy = Deal.from_number(1, deal.rules)
    first, one = prove_many([easy, deal], max_states=100_000)
    assert (first.deal, first.verdict) == (easy, "solved")
    assert (one.deal, one.verdict, one.limit) == (deal, "undecided", "max-states")
    assert one.moves() == ()


def test_every_position() -> None:
    """Dives are over dominating positions: they are of no use where others are asked for."""
    lost, won = Deal.from_number(1, FEW), nearly_done()[0]
    one, other = prove_many([lost, won], method="every-position")
    alone = prove(lost, method="every-position")
    assert (one.verdict, one.states, one.evaluated) == (
        "unsolvable",
        alone.states,
        alone.evaluated,
    )
    assert one.evaluated > one.states > prove(lost).states
    assert (other.verdict, other.moves()) == ("solved", prove(won).moves)
    assert len(other.moves()) == 2


@pytest.mark.parametrize("policy", ["horne", "none"])
def test_solutions_make_the_safe_moves_that_are_asked_for(policy: Policy) -> None:
    deal = Deal.from_number(2)
    (one,) = prove_many([deal], policy=policy)
    assert (one.policy, one.verdict) == (policy, "solved")
    check_win(deal, [move._replace(forced=False) for move in one.moves()], policy)


def test_games_without_a_place_to_park_cards() -> None:
    deal = Deal.from_number(1, GAMES["bakers_dozen"])
    (one,) = prove_many([deal], max_states=1000)
    assert one.verdict in ("solved", "undecided")


def test_no_store() -> None:
    with pytest.raises(UsageError, match="no common store"):
        prove_many([], store="somewhere")
    assert list(prove_many([])) == []


def test_a_decision_prints_as_a_person_reads_it_and_equals_its_copy() -> None:
    (found,) = prove_many([11982], threads=1)
    assert str(found) == "Deal 11982: unsolvable"
    assert pickle.loads(pickle.dumps(found)) == found
    assert "source" not in repr(found)


def test_dives_get_a_quarter_of_the_memory_and_the_limit_of_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The rest is for the proofs of what they leave open."""
    asked: list[tuple[Any, ...]] = []

    class Dives:
        def __init__(self, deal: Deal, *how: Any) -> None:
            asked.append((deal, *how))

        def run(self, deals: list[Deal]) -> Iterator[tuple[int, Any]]:
            for place in reversed(range(len(deals))):
                yield place, SimpleNamespace(outcome="lost", states=2, evaluated=3, seconds=0.5)

    monkeypatch.setattr(decisions, "ManyDeals", Dives)
    deals = [Deal.from_number(number, FEW) for number in (1, 2)]
    found = list(decide(deals, Options(threads=3), Limits(memory=1 << 30, max_states=7)))
    assert asked == [(deals[0], "wkr", 3, 1 << 28, 7)]
    assert [one.deal for one in found] == deals[::-1]
    assert {(one.verdict, one.states, one.evaluated) for one in found} == {("unsolvable", 2, 3)}
