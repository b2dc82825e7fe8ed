"""Values of first moves: against breadth first, with limits, and continued from a store."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.measured import METRICS, check_solution
from helpers.naive_search import breadth_first
from helpers.naive_sequences import small_deal
from helpers.searching import end_of
from helpers.selection import few_fast

from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.measured import measured
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import (
    Better,
    FirstMoves,
    Limit,
    Limits,
    Method,
    Options,
    Question,
    Result,
    Verdict,
    method_for,
)
from dbmsolver.search import session
from dbmsolver.search.advice.first_moves import FOLDER, first_moves
from dbmsolver.search.advice.worth import Clock, worth
from dbmsolver.search.limits import Cancelled

MOST = 5_000


def found(deal: Deal, store: Path | None = None, **limits: float) -> FirstMoves:
    options = Options(threads=1, store=store)
    return end_of(first_moves(deal, options, Limits(**limits)))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", few_fast(range(25), 3))
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


def test_the_solution_of_the_position_tells_of_its_first_move() -> None:
    """One move is known to win once the position is, though nothing else is searched."""
    steps = first_moves(Deal.from_number(1), Options(threads=1))
    while not isinstance(next(steps), Better):
        pass
    with pytest.raises(StopIteration) as end:
        steps.send(Cancelled())
        while True:
            next(steps)
    values: FirstMoves = end.value.value
    result = values.result
    assert (result.verdict, result.limit) == (Verdict.SOLVED, Limit.INTERRUPT)
    known = {value.move[:3]: value.at_most for value in values.values if value.at_most is not None}
    assert known == {result.moves[0][:3]: (result.length or 0) - 1}
    assert {value.verdict for value in values.values} == {Verdict.SOLVED, Verdict.UNDECIDED}
    assert values.limit == Limit.INTERRUPT


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


@pytest.mark.parametrize(("metric", "policy"), few_fast(METRICS, 5))
def test_a_win_of_the_proof_is_told_in_every_metric(
    metric: Metric | None, policy: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search for a shortest solution finds none within its limits; the proof does."""
    run = session.run

    def found_nothing(question: Question, *rest: Any) -> Generator[Any, Any, Result]:
        result = yield from run(question, *rest)
        if question == Question.PROVE:
            return result
        return replace(
            result, verdict=Verdict.UNDECIDED, moves=(), shortest=False, limit=Limit.MAX_STATES
        )

    monkeypatch.setattr(session, "run", found_nothing)
    for seed in range(4):
        deal, _, _ = small_deal(seed)
        options = Options(threads=1, metric=metric, policy=policy)
        result = end_of(worth(deal, options, Clock(Limits())))
        if result.verdict == Verdict.SOLVED:
            assert (result.shortest, result.limit) == (False, Limit.MAX_STATES)
            check_solution(deal, result)
        elif method_for(Question.PROVE, deal, Method.DOMINATING) == Method.DOMINATING:
            assert policy == "max"
            assert result.verdict == Verdict.UNDECIDED


PYRAMID = rules_for("pyramid")


def end_of_a_pyramid(waste: str, stock: str, *rows: str) -> Deal:
    """Return a deal of Pyramid of which these cards are left, and the waste is not turned over."""
    lines = [row.split() for row in rows]
    lines += [["--"] * size for size in range(len(lines) + 1, 8)]
    left = {name for cards in (waste.split(), stock.split(), *lines) for name in cards}
    removed = [name for name in map(card_name, range(52)) if name not in left]
    held = [f"Waste: {waste}", f"Stock: {stock}", "Turns: 0", f"Removed: {' '.join(removed)}"]
    return Deal.from_text("\n".join([*held, *map(" ".join, lines)]) + "\n", PYRAMID)


def test_pairs_of_one_card_are_different_moves() -> None:
    deal = end_of_a_pyramid("6S", "", "KC", "6H 7D", "7H -- --")
    values = found(deal)
    lengths = {card_name(value.move.other or 0): value.length for value in values.values}
    assert lengths == {"7H": 2, "7D": None}
    assert values.only is not None and values.only.other == parse_card("7H")


def test_a_turn_that_costs_nothing_is_as_good_as_what_follows() -> None:
    """A shortest solution begins with the card that goes home, or with a free turn before it."""
    rules = replace(rules_for("klondike"), columns=2, layout="", removable=False)
    deal = Deal.from_text("Foundations: H-K C-K D-Q S-Q\nStock: KS\nKD\n", rules)
    values = end_of(first_moves(deal, Options(threads=1, metric="plays"), Limits()))
    assert values.result.shortest
    places = [str(move.destination) for move in values.shortest]
    assert places == ["foundation of diamonds", "waste"]


@pytest.mark.parametrize("most", [3, None])
def test_what_moves_tell_is_told_of_the_position(most: int | None, tmp_path: Path) -> None:
    """A limit ends the search of the position, and not those after its moves; with a store."""
    deal = end_of_a_pyramid("6S", "6C", "KC", "7H 7D")
    options = Options(threads=1, store=tmp_path / "store")
    values = end_of(first_moves(deal, options, Limits(max_states=most)))
    result = values.result
    assert (result.verdict, result.shortest, result.length) == (Verdict.SOLVED, True, 3)
    assert result.limit is None
    assert measured(deal.position, result.moves, result.measure) == result.moves
    assert [value.at_most for value in values.values][:4] == [2] * 4
    assert values.limit == (None if most is None else Limit.MAX_STATES)
    again = end_of(first_moves(deal, options, Limits()))
    assert [value.length for value in again.values] == [2, 2, 2, 2, 3]


def test_a_position_is_lost_if_all_its_moves_lose() -> None:
    """A limit ends the search of the position, and not those after its moves."""
    deal = end_of_a_pyramid("7C", "", "KC", "7H KD", "6D 6H --")
    assert end_of(worth(deal, Options(threads=1), Clock(Limits(max_states=3)))).limit
    values = found(deal, max_states=3)
    assert values.result.verdict == values.values[0].verdict == Verdict.UNSOLVABLE
    assert values.limit is values.result.limit is None
