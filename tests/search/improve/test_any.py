"""`solve` with any solution first: better ones follow, and the last is a shortest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.selection import few_fast

from dbmsolver import Better, Deal, Result, solve, verify_store
from dbmsolver.errors import StoreError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Event
from dbmsolver.search import inspect, recorder, session
from dbmsolver.search.improve import improver
from dbmsolver.search.improve.beam import BeamShape
from dbmsolver.search.outcome import LeftOpen
from dbmsolver.search.proof.dive_ahead import DiveAhead

DATA = Path(__file__).parents[2] / "data"
EASY = {2: 75, 3: 73, 6: 79, 13: 77}
"""Deals and the lengths of their shortest solutions."""


def lengths() -> dict[int, int]:
    lines = (DATA / "optimal-card-moves.tsv").read_text().splitlines()
    rows = (line.split("\t") for line in lines if line[:1].isdigit())
    return {int(row[0]): int(row[1]) for row in rows}


def wins(result: Result) -> bool:
    position = result.deal.position
    for move in result.moves:
        assert move[:3] in {legal[:3] for legal in position.moves(result.deal.rules)}
        position = position.apply(move)
    return position.is_goal()


def solve_any(deal: Deal, **settings: Any) -> tuple[Result, list[int]]:
    """Return the result, and the lengths of the solutions on the way."""
    found: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, Better):
            found.append(event.length)

    result = solve(deal, any_solution=True, progress=note, **settings)
    return result, found


@pytest.fixture
def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    """No dive decides anything."""
    monkeypatch.setattr(DiveAhead, "step", lambda self: LeftOpen())


@pytest.mark.parametrize("number", EASY)
def test_the_end_is_a_shortest_solution(number: int) -> None:
    assert lengths()[number] == EASY[number]
    result, found = solve_any(Deal.from_number(number))
    assert (result.verdict, result.length, result.shortest) == ("solved", EASY[number], True)
    assert (result.at_least, result.limit) == (EASY[number], None)
    assert wins(result)
    assert found and found == sorted(set(found), reverse=True) and found[-1] >= EASY[number]


@pytest.mark.parametrize(
    ("game", "freecells"),
    few_fast([("bakers_game", 4), ("eight_off", 8), ("seahaven_towers", 4)], 1),
)
def test_other_games(game: str, freecells: int) -> None:
    deal = Deal.from_number(2, rules_for(game, freecells=freecells))
    result, _ = solve_any(deal, max_time=20)
    plain = solve(deal, max_time=20)
    if plain.shortest:
        assert (result.length, result.shortest) == (plain.length, True)
    assert wins(result)


@pytest.mark.slow
def test_the_layers_are_those_of_the_plain_search() -> None:
    """Below the length of the solution, so stores and certificates of both are the same."""
    result, _ = solve_any(Deal.from_number(2))
    plain = solve(Deal.from_number(2))
    assert (result.strata, result.states, result.forced) == (
        plain.strata,
        plain.states,
        plain.forced,
    )


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize("game", ["freecell", "bakers_dozen"])
def test_beams_find_the_first_solution_where_dives_do_not(game: str) -> None:
    """The search is cancelled as soon as there is one."""
    found: list[Event] = []

    def note(event: Event) -> None:
        if isinstance(event, Better):
            found.append(event)

    deal = Deal.from_number(3, rules_for(game))
    result = solve(deal, any_solution=True, progress=note, cancel=lambda: bool(found))
    assert found and wins(result) and (result.shortest or result.limit == "interrupt")


@pytest.mark.parametrize(("number", "freecells"), [(11982, 4), (1, 2)])
def test_unsolvable(tmp_path: Path, number: int, freecells: int) -> None:
    deal = Deal.from_number(number, rules_for("freecell", freecells=freecells))
    store = tmp_path / "store"
    result, found = solve_any(deal, store=store)
    assert (result.verdict, result.method, found) == ("unsolvable", "dominating", [])
    assert result.at_least is None
    for again in (solve(deal, store=store), solve_any(deal, store=store)[0]):
        assert (again.verdict, again.states, again.digest) == (
            "unsolvable",
            result.states,
            result.digest,
        )
    assert verify_store(store).valid
    assert inspect.certificate(store)["question"] == "prove"


def test_unsolvable_after_a_plain_search_was_begun(tmp_path: Path) -> None:
    """The states that the plain search has closed give way to the records of the dives."""
    deal, store = Deal.from_number(11982), tmp_path / "store"
    assert solve(deal, store=store, max_states=3_000).limit == "max-states"
    result, _ = solve_any(deal, store=store)
    assert (result.verdict, result.states) == ("unsolvable", 11162)
    assert verify_store(store).valid


@pytest.mark.slow
@pytest.mark.usefixtures("no_dives")
def test_unsolvable_by_cost_layers(tmp_path: Path) -> None:
    deal, store = Deal.from_number(1, rules_for("freecell", freecells=2)), tmp_path / "store"
    result, found = solve_any(deal, store=store)
    assert (result.verdict, result.method, found) == ("unsolvable", "every-position", [])
    assert result.digest == solve(deal).digest
    assert verify_store(store).valid


def test_a_limit_leaves_the_best_solution(tmp_path: Path) -> None:
    store = tmp_path / "store"
    deal = Deal.from_number(10)
    result, found = solve_any(deal, store=store, max_states=20_000)
    assert (result.verdict, result.limit, result.shortest) == ("solved", "max-states", False)
    assert wins(result) and result.length == found[-1]
    assert result.at_least is not None and result.at_least <= lengths()[10] <= found[-1]
    status = inspect.status(store)
    assert (status.verdict, status.length) == ("undecided", result.length)
    assert status.at_least == result.at_least
    told = session.answer(store)
    assert (told.moves, told.shortest, told.at_least) == (result.moves, False, result.at_least)


@pytest.mark.parametrize("states", [1, 1_000])
def test_small_limits(states: int) -> None:
    result, _ = solve_any(Deal.from_number(10), max_states=states)
    assert result.limit == "max-states" and result.at_least is not None
    assert result.at_least <= lengths()[10] <= (result.length or 10**6)


def test_no_time_at_all() -> None:
    result, _ = solve_any(Deal.from_number(10), max_time=0.0)
    assert result.limit == "max-time" and not result.shortest


def test_cancelled_at_every_moment() -> None:
    """Whenever the request comes, the optimum is between the bounds."""
    deal, best = Deal.from_number(3), 73
    for patience in (0, 1, 3, 8, 20, 50):
        asked = iter(range(10**6))
        result = solve(deal, any_solution=True, cancel=lambda: next(asked) >= patience)  # noqa: B023
        if result.limit is None:
            assert (result.length, result.shortest) == (best, True)
            continue
        assert result.limit == "interrupt" and not result.shortest
        assert result.at_least is not None and result.at_least <= best
        assert result.length is None or (result.length >= best and wins(result))


def test_either_way_goes_on_in_the_store_of_the_other(tmp_path: Path) -> None:
    deal = Deal.from_number(2)
    for name, first, second in (("a", True, False), ("b", False, True)):
        store = tmp_path / name
        begun = solve(deal, store=store, max_states=8_000, any_solution=first)
        assert begun.limit == "max-states"
        result = solve(deal, store=store, any_solution=second)
        assert (result.length, result.shortest) == (75, True)
        assert verify_store(store).valid


def test_resume_goes_on_with_the_best_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States that were dropped as no part of a shorter solution are not missed."""
    store = tmp_path / "store"
    deal = Deal.from_number(2)
    begun = solve(deal, store=store, max_states=8_000, any_solution=True)
    monkeypatch.setattr(improver, "FIRST", ())
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    events = session.resume(store)
    while True:
        try:
            next(events)
        except StopIteration as end:
            result = end.value
            break
    assert begun.length is not None
    assert (result.length, result.shortest) == (75, True)
    assert verify_store(store).valid


@pytest.mark.parametrize("threads", few_fast([2, 1], 1))
def test_longer_beams_come_between_the_rounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    """A better solution in the middle of a layer lowers the ceiling of the search."""
    monkeypatch.setattr(improver, "FIRST", ())
    monkeypatch.setattr(improver, "LATER", (BeamShape(5), BeamShape(20, 1), BeamShape(50)))
    store = tmp_path / "store"
    result, found = solve_any(Deal.from_number(2), store=store, threads=threads)
    assert len(found) > 1 and (result.length, result.shortest) == (75, True)
    assert verify_store(store).valid


def test_in_little_memory(tmp_path: Path) -> None:
    """Partitions go to the store and come back; what is above the ceiling does not."""
    store = tmp_path / "store"
    result, _ = solve_any(Deal.from_number(2), store=store, memory=16 << 20)
    assert (result.length, result.shortest) == (75, True)
    assert verify_store(store).valid


def test_narrower_beams_follow_those_that_have_too_little_memory() -> None:
    deal = Deal.from_number(3, rules_for("simple_simon"))
    result = solve(deal, any_solution=True, memory=1 << 26, max_states=100_000)
    assert result.length is not None and result.limit == "max-states"


def test_nothing_to_do() -> None:
    board = "Foundations: H-K C-K D-K S-Q\nKS\n"
    result, found = solve_any(Deal.from_text(board))
    assert (result.length, result.shortest, result.at_least, found) == (1, True, 1, [1])


def test_a_proof_is_another_search(tmp_path: Path) -> None:
    from dbmsolver import prove

    store = tmp_path / "store"
    prove(Deal.from_number(11982), store=store, max_states=2_000)
    with pytest.raises(StoreError, match="another question: prove, not solve"):
        solve(Deal.from_number(11982), store=store, any_solution=True)
