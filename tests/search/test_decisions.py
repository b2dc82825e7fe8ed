"""Many deals, decided together: as each of them alone."""

from __future__ import annotations

import pytest
from helpers.searching import check_win

from dbmsolver.api import prove, prove_many
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for

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
        if one.verdict == "unsolvable":
            assert one.states == alone.states
            assert one.moves() == ()
        else:
            check_win(deal, [move._replace(forced=False) for move in one.moves()], "wkr")
    assert verdicts == {"solved", "unsolvable"}


def test_what_dives_leave_open_is_proved() -> None:
    """By a search that keeps the limits."""
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    (one,) = prove_many([deal])
    assert (one.verdict, one.states) == ("unsolvable", 135_776)
    (one,) = prove_many([deal], max_states=100_000)
    assert (one.verdict, one.limit) == ("undecided", "max-states")
    assert one.moves() == ()


def test_games_without_a_place_to_park_cards() -> None:
    deal = Deal.from_number(1, GAMES["bakers_dozen"])
    (one,) = prove_many([deal], max_states=1000)
    assert one.verdict in ("solved", "undecided")


def test_no_store() -> None:
    with pytest.raises(UsageError, match="no common store"):
        prove_many([], store="somewhere")
    assert list(prove_many([])) == []
