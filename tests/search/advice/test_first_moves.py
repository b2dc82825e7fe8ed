"""Values of first moves: against breadth first, with limits, and continued from a store."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.naive_search import breadth_first
from helpers.naive_sequences import small_deal
from helpers.searching import end_of
from helpers.selection import few_fast

from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import FirstMoves, Limit, Limits, Options, Verdict
from dbmsolver.search.advice.first_moves import FOLDER, first_moves
from dbmsolver.search.advice.worth import Clock, worth

MOST = 5_000


def found(deal: Deal, store: Path | None = None, **limits: float) -> FirstMoves:
    options = Options(threads=1, store=store)
    return end_of(first_moves(deal, options, Limits(**limits)))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", few_fast(range(100), 3))
def test_small_decks(seed: int) -> None:
    """After every move the length is that of a search that knows nothing of bounds."""
    deal, length, _ = small_deal(seed, runs=True)
    values = found(deal)
    assert values.result.length == length
    assert [value.move for value in values.values] == deal.position.moves(deal.rules)
    for value in values.values:
        after = breadth_first(deal.position.apply(value.move), deal.rules, "none", MOST)
        assert after is not None
        assert value.length == after[0], (seed, value)
        assert value.verdict == (Verdict.UNSOLVABLE if after[0] is None else Verdict.SOLVED)
    best = {value.move for value in values.values if value.length == length - 1}
    assert set(values.shortest) == best
    winning = [value.move for value in values.values if value.length is not None]
    assert values.only == (winning[0] if len(winning) == 1 else None)


def test_a_critical_move() -> None:
    """With one freecell and three columns, the wrong card in the freecell loses."""
    rules = Rules("three columns", 3, 1, "alternate", "none")
    deal = Deal.from_text("Foundations: H-J C-K D-Q S-8\nKD KS\nJS QS KH\nQH 9S TS\n", rules)
    values = found(deal)
    assert [value.length for value in values.values] == [None, None, 9]
    assert [value.verdict for value in values.values[:2]] == [Verdict.UNSOLVABLE] * 2
    assert values.only == values.values[2].move == values.shortest[0]


def test_limits() -> None:
    deal = Deal.from_number(1)
    values = found(deal, max_time=1e-6)
    assert values.limit == Limit.MAX_TIME
    assert len(values.values) == len(deal.position.moves(deal.rules))
    assert all(value.verdict != Verdict.UNSOLVABLE for value in values.values)
    assert not values.shortest
    assert values.only is None


def test_a_lost_position() -> None:
    deal = Deal.from_number(1, rules_for("seahaven_towers", freecells=2))
    values = found(deal)
    assert values.result.verdict == Verdict.UNSOLVABLE
    assert {value.verdict for value in values.values} == {Verdict.UNSOLVABLE}


def test_it_goes_on_from_a_store(tmp_path: Path) -> None:
    deal, _, _ = small_deal(3)
    store = tmp_path / "store"
    first = found(deal, store)
    again = found(deal, store)
    assert [value.length for value in first.values] == [value.length for value in again.values]
    searched = [value for value in first.values if value.verdict == Verdict.SOLVED]
    assert 0 < len(list((store / FOLDER).iterdir())) <= len(searched)


def test_worth_of_what_is_won() -> None:
    deal = Deal.from_text("Foundations: H-K C-K D-K S-K\n")
    result = end_of(worth(deal, Options(), Clock(Limits())))
    assert (result.verdict, result.length, result.shortest) == (Verdict.SOLVED, 0, True)
    assert found(deal).values == ()


def test_a_solution_of_the_proof_is_not_lost() -> None:
    """A limit before the search for a shortest solution has any leaves that of the proof."""
    result = end_of(worth(Deal.from_number(3), Options(), Clock(Limits(max_states=1))))
    assert result.verdict in (Verdict.SOLVED, Verdict.UNDECIDED)
    assert bool(result.moves) == (result.verdict == Verdict.SOLVED)
