"""A solution that a search for a shortest one knows when it ends is its answer, however it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import patience_games, pile_games
from helpers.command import answer, run
from helpers.early_beams import begin_beams_early

from dbmsolver import Deal, Result, open_store, solve
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.format_names import FORMATS
from dbmsolver.notation.formats import Source
from dbmsolver.results import Better, Event, Options, Question, Verdict
from dbmsolver.search import recorder, session
from dbmsolver.search.astar.layers import AStarSearch

FAMILIES: dict[str, tuple[Callable[[], Deal], str | None]] = {
    "cards": (lambda: Deal.from_number(10), None),
    "moves of the player": (lambda: Deal.from_number(10), "moves"),
    "runs": (lambda: Deal.from_number(1, GAMES["relaxed_freecell"]), None),
    "whole suits": (lambda: Deal.from_number(1, GAMES["simple_simon"]), None),
    "two-way": (lambda: Deal.from_number(2, GAMES["fortress"]), None),
    "one pile": (lambda: pile_games.small_deck("golf", Random(9)), None),
    "klondike": (lambda: Deal.from_number(2, GAMES["klondike_by_threes"]), None),
    "canfield": (lambda: patience_games.small_deck("canfield", Random(14)), None),
}
"""Deals with a metric, whose first solution is none of the shortest."""


def begin(deal: Deal, store: Path, metric: str | None) -> Result:
    """Search for any solution until there is one: the rest is another run's."""
    found: list[Event] = []

    def note(event: Event) -> None:
        if isinstance(event, Better):
            found.append(event)

    how: Any = {"metric": metric, "progress": note, "cancel": lambda: bool(found)}
    return solve(deal, any_solution=True, store=store, **how)


def wins(result: Result) -> bool:
    position = result.deal.position
    for move in result.moves:
        position = position.apply(move)
    return position.is_goal() and result.length == result.measure.length(result.moves)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_plain_search_that_a_limit_ends_tells_it(tmp_path: Path, family: str) -> None:
    make, metric = FAMILIES[family]
    deal, store = make(), tmp_path / "store"
    begun = begin(deal, store, metric)
    assert (begun.verdict, begun.limit, begun.shortest) == ("solved", "interrupt", False)
    how: Any = {"metric": metric}
    result = solve(deal, store=store, max_states=1, **how)
    assert (result.verdict, result.limit, result.shortest) == ("solved", "max-states", False)
    assert wins(result) and result.moves == begun.moves
    assert result.at_least is not None and result.length is not None
    assert result.at_least < result.length
    assert open_store(store).answer().moves == result.moves
    told = answer("resume", store, "--max-states", "1", "--quiet")
    assert (told["verdict"], told["shortest"], told["limit"]) == ("solved", False, "max-states")
    assert (told["at_most"], len(told["moves"])) == (result.length, len(result.moves))
    text = run("export", store, "-o", tmp_path / "best.txt")
    assert (text.exit_code, text.stdout) == (0, "")
    assert result.at_least <= told["at_least"] < result.length  # each run closes some states
    words = f"the shortest has at most {result.length}, at least {told['at_least']} "
    assert words in text.stderr and words in (tmp_path / "best.txt").read_text()


@pytest.fixture
def early_beams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beams that come as soon as the search has begun, and commits as often as can be."""
    begin_beams_early(monkeypatch)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)


@pytest.mark.usefixtures("early_beams")
def test_what_a_plain_search_finds_by_itself(tmp_path: Path) -> None:
    """Without a store, and with every way to write an answer."""
    ask = ("solve", "2", "--max-states", "12000", "--threads", "1")
    told = answer(*ask)
    assert (told["verdict"], told["shortest"], told["limit"]) == ("solved", False, "max-states")
    assert told["at_least"] <= told["at_most"] == told["length"] == len(told["moves"])
    for name in ("best.html", "best.txt"):
        assert run(*ask, "-o", tmp_path / name).exit_code == 0
        assert run("check", tmp_path / name).exit_code == 0
    page = (tmp_path / "best.html").read_text()
    assert f"not proven shortest: at least {told['at_least']} moves are needed" in page
    assert "Proven shortest" not in page
    said = f"not proven shortest: at least {told['at_least']} moves are needed"
    for name in ("sfn", "moves", "short", "universal-json", "universal-xml"):
        written = run(*ask, "--format", name)
        assert written.stdout.count(said) == 1
        assert formats.read(Source(written.stdout), name).remarks == (said,)


@pytest.mark.usefixtures("early_beams")
@pytest.mark.parametrize("any_solution", [False, True])
def test_a_search_that_is_killed(tmp_path: Path, any_solution: bool) -> None:
    """Its store has no verdict, and a solution."""
    store = tmp_path / "store"
    options = Options(store=store, threads=1, any_solution=any_solution)
    events = session.run(Question.SOLVE, Deal.from_number(2), options)
    while getattr(next(events), "best", None) is None:
        pass
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
    status = open_store(store).status()
    assert (status.verdict, status.length is None) == (None, False)
    result = open_store(store).answer()
    assert (result.verdict, result.limit, result.shortest) == ("solved", None, False)
    assert wins(result)
    told = answer("export", store)
    assert (told["verdict"], told["at_most"]) == (Verdict.SOLVED, result.length)
    assert "the search is not finished" in run("export", store).stdout.splitlines()[0]
    for name in FORMATS:
        exported = run("export", store, "--format", name)
        assert exported.exit_code == 0
        # Whatever the format cannot say is said beside it.
        assert f"at least {result.at_least} (the search is not finished)" in exported.stderr
        (tmp_path / f"best.{name}").write_text(exported.stdout)
        if name != "sfn":  # which leaves moves out
            assert run("check", tmp_path / f"best.{name}").exit_code == 0


@pytest.mark.usefixtures("early_beams")
def test_a_beam_that_ends_with_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solution of a thread beside the search is taken, though nobody has looked at it."""
    ended: list[bool] = []

    def wait(self: AStarSearch, is_over: Callable[[], bool] | None) -> None:
        while is_over is not None and not is_over():
            time.sleep(0.001)
        ended.append(True)

    monkeypatch.setattr(AStarSearch, "lend_thread", wait)
    result = solve(Deal.from_number(2), threads=2, cancel=lambda: bool(ended))
    assert ended == [True]
    assert (result.verdict, result.shortest, result.limit) == ("solved", False, "interrupt")
    assert wins(result)


def test_what_a_dive_over_classes_has_found(tmp_path: Path) -> None:
    """A plain search, which begins with dives, tells it where a limit ends it; so does a store."""
    deal, store = Deal.load("2", GAMES["klondike_by_threes"], numbers="ksolve"), tmp_path / "store"
    result = solve(deal, max_states=3_000)
    assert (result.verdict, result.shortest, wins(result)) == ("solved", False, True)
    phases: list[str] = []
    begun = solve(
        deal,
        store=store,
        progress=lambda event: phases.append(getattr(event, "phase", "")),
        cancel=lambda: "search" in phases,
    )
    assert begun.verdict == "solved" and not begun.shortest and wins(begun)
    assert session.answer(store).moves == begun.moves
    assert solve(deal, store=store).length == 125


def test_a_certificate_is_not_made_of_it(tmp_path: Path) -> None:
    """A search that is run again for a certificate, and does not come to its end, claims nothing.

    It would agree with a certificate that claims a solution, and no more.
    """
    from dbmsolver.errors import StoreError
    from dbmsolver.storage.certificate import from_result

    begin(Deal.from_number(10), tmp_path / "store", None)
    result = open_store(tmp_path / "store").answer()
    assert result.verdict == "solved"
    with pytest.raises(StoreError, match="claims nothing"):
        from_result(result)
