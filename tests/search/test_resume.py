"""Searches that are killed, interrupted, refused: the answer is that of a quiet run."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.interruptions import interrupt
from helpers.searching import end_of, prove, small_pieces
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.api import solve
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Commit, Limits, Options, Report
from dbmsolver.search import recorder, session
from dbmsolver.search.astar import layers
from dbmsolver.search.outcome import Outcome
from dbmsolver.search.proof import strata
from dbmsolver.storage.store import Store

SMALL = Deal.from_number(11982)
"""Unsolvable, with 61,643 states."""
MEDIUM = Deal.from_number(5979, rules_for("freecell", 3))
"""Unsolvable, with 534,206 states."""
PROVEN = {SMALL: (61_643, 196, "adbc10b95742a1ee"), MEDIUM: (534_206, 31_405, "b40f391d7d2fa35d")}
"""States, forced states and digest of proofs over every position."""
SMALL_AND_MEDIUM = [
    pytest.param(SMALL, id="small"),
    pytest.param(MEDIUM, id="medium", marks=pytest.mark.slow),
]


INTERRUPTED: list[dict[str, Any]] = [
    {"question": "prove", "deal": 11982, "freecells": 4},
    {"question": "prove", "deal": 11982, "freecells": 4, "signal": "SIGINT"},
    {"question": "solve", "deal": 11982, "freecells": 4},
]
INTERRUPTED_SLOWLY: list[dict[str, Any]] = [
    {"question": "prove", "deal": 5979, "freecells": 3},
    {"question": "prove", "deal": 5979, "freecells": 3, "signal": "SIGINT"},
    {"question": "solve", "deal": 5979, "freecells": 3},
    {"question": "prove", "deal": 1, "freecells": 2, "small": 500, "memory": 8_000_000},
    {"question": "solve", "deal": 4, "freecells": 4, "signal": "SIGINT"},
]


@pytest.mark.parametrize(
    ("settings", "times"),
    few_fast([(settings, 4) for settings in INTERRUPTED], 1)
    + [pytest.param(settings, 4, marks=pytest.mark.slow) for settings in INTERRUPTED_SLOWLY],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else str(value),
)
def test_interrupted_at_random_moments(
    tmp_path: Path, settings: dict[str, Any], times: int
) -> None:
    """SIGKILL or Ctrl-C, each time continued; commits come some thirty times a second."""
    found = interrupt(tmp_path / "store", times, share=1 / 4, **settings)
    undisturbed = found["undisturbed"]
    for outcome in found["outcomes"]:
        assert outcome["verdict"] == undisturbed["verdict"]
        assert outcome["length"] == undisturbed["length"]
        if undisturbed["verdict"] == "unsolvable":
            assert outcome == undisturbed
        else:  # which states of the last layer are met before the goal is left to chance
            complete = complete_layers(undisturbed)
            assert complete and complete_layers(outcome) == complete


def complete_layers(found: dict[str, Any]) -> list[list[int]]:
    """Return the rows of the layers before the one with the solution."""
    return [row for row in found["strata"] if row[0] < found["length"]]


@pytest.mark.parametrize("deal", SMALL_AND_MEDIUM)
@pytest.mark.parametrize(("threads", "memory"), [(1, 8_000_000), (2, None)])
def test_stopped_by_limits_and_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, memory: int | None, deal: Deal
) -> None:
    """A limit stops a run anywhere between two steps, those of big signatures included."""
    small_pieces(monkeypatch, 5000)
    store = tmp_path / "store"
    states, forced, digest = PROVEN[deal]
    step = states // 6
    for limit in [*range(step // 3, states + forced, step), None]:
        result = prove(deal, store=store, threads=threads, memory=memory, max_states=limit)
        if result.verdict == "undecided":
            assert result.limit == "max-states"
            assert limit is not None and result.states + result.forced >= limit
        with Store.open(store) as opened:
            stored = sum(opened.states_in(key) for key in opened.keys(b"C"))
        assert stored == result.states + result.forced  # each exactly once
    assert (result.states, result.forced, result.digest) == (states, forced, digest)


@pytest.mark.parametrize(
    ("number", "length", "step"),
    [(2, 75, 9_000), pytest.param(4, 85, 60_000, marks=pytest.mark.slow)],
)
def test_solve_stopped_by_limits_and_continued(
    tmp_path: Path, number: int, length: int, step: int
) -> None:
    deal = Deal.from_number(number)
    whole = solve(deal)
    store = tmp_path / "store"
    stops = 0
    for limit in [*range(2_000, whole.states + whole.forced, step), None]:
        result = solve(deal, store=store, threads=1 + stops % 2, max_states=limit)
        if result.limit is None:
            break
        assert result.limit == "max-states"
        stops += 1
    assert stops > 1
    assert (result.verdict, result.shortest, result.length) == ("solved", True, length)
    complete = [row for row in whole.strata if row[0] < length]
    assert [row for row in result.strata if row[0] < length] == complete


@pytest.mark.parametrize(
    ("phase", "how"),
    [
        pytest.param("look ahead", "error", marks=pytest.mark.slow),
        ("search", "abandoned"),
        pytest.param("look ahead", "abandoned", marks=pytest.mark.slow),
        pytest.param("search", "error", marks=pytest.mark.slow),
    ],
)
def test_interrupted_by_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str, how: str
) -> None:
    """A KeyboardInterrupt of the progress callback, and a generator that is closed."""
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    store = tmp_path / "store"

    def stop(event: Report | Commit) -> None:
        if isinstance(event, Report) and event.phase == phase and event.evaluated > 1000:
            raise KeyboardInterrupt

    if how == "error":
        with pytest.raises(KeyboardInterrupt):
            prove(MEDIUM, store=store, progress=stop)
    else:
        events = session.run("prove", MEDIUM, Options(store=store, method="every-position"))
        with pytest.raises(KeyboardInterrupt):
            for event in events:
                stop(event)
        events.close()
    with Store.open(store) as opened:
        assert opened.manifest.verdict is None
    result = prove(MEDIUM, store=store)
    assert (result.verdict, result.states) == ("unsolvable", 534_206)


@pytest.mark.parametrize("deal", SMALL_AND_MEDIUM)
def test_independent_of_threads_memory_and_pieces(
    monkeypatch: pytest.MonkeyPatch, deal: Deal
) -> None:
    runs = [prove(deal, threads=threads) for threads in (1, 2, 3)]
    runs.append(prove(deal, memory=8_000_000))
    runs.append(prove(deal, memory=8 << 30, keep="none"))
    small_pieces(monkeypatch, 5000)
    runs += [prove(deal, memory=memory) for memory in (8_000_000, None)]
    runs.append(prove(deal, keep="none", memory=8_000_000))
    runs.append(solve(deal))
    assert {(run.verdict, run.states, run.forced, run.digest) for run in runs} == {
        ("unsolvable", *PROVEN[deal])
    }
    assert len({run.strata for run in runs[:-1]}) == 1


def test_keep_none_leaves_no_closed_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch, 5000)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    store = tmp_path / "store"
    result = prove(SMALL, store=store, keep="none")
    assert (result.verdict, result.states) == ("unsolvable", 61_643)
    with Store.open(store) as opened:
        assert opened.keys() == [b"M", b"S"]
        assert opened.manifest.closed_bytes == 0


@pytest.mark.parametrize("number", [3, 11982])
@pytest.mark.parametrize("question", ["solve", "prove"])
def test_finished_store_answers_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: session.Question, number: int
) -> None:
    deal = Deal.from_number(number)
    options = Options(store=tmp_path / "store", method="every-position")
    assert options.store is not None
    first = end_of(session.run(question, deal, options))
    monkeypatch.setattr(layers, "AStarSearch", None)
    monkeypatch.setattr(strata, "ProofSearch", None)
    for events in (session.run(question, deal, options), session.resume(options.store)):
        second = end_of(events)
        assert replace(second, disk=0, peak_memory=0, seconds=0) == replace(
            first, disk=0, peak_memory=0, seconds=0
        )
        assert second.seconds <= first.seconds


def test_resume_knows_its_arguments(tmp_path: Path) -> None:
    store = tmp_path / "store"
    deal = Deal.from_number(11982)
    assert prove(deal, policy="horne", store=store, max_states=10_000).verdict == "undecided"
    result = end_of(session.resume(store, threads=1, limits=Limits(memory=64 << 20)))
    assert (result.question, result.policy, result.store) == ("prove", "horne", store)
    assert result.deal == deal
    assert (result.verdict, result.limit, result.states) == ("unsolvable", None, 61_643)


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """Return a store with the beginning of a proof of deal 11982."""
    prove(Deal.from_number(11982), store=tmp_path / "store", max_states=1000)
    return tmp_path / "store"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": "solve"}, "another question: prove, not solve"),
        ({"policy": "horne"}, "another automove policy: wkr, not horne"),
        ({"keep": "none"}, "another keep: all, not none"),
        ({"deal": Deal.from_number(146692)}, "another deal (11982), not 146692"),
        (
            {"deal": Deal.from_number(11982, rules_for("freecell", 3))},
            "other rules: freecells 4, not 3",
        ),
        (
            {"deal": Deal.from_number(11982, rules_for("bakers_game"))},
            "other rules: game freecell, not bakers_game",
        ),
    ],
    ids=["question", "policy", "keep", "deal", "freecells", "game"],
)
def test_other_searches_are_refused(begun: Path, change: dict[str, Any], message: str) -> None:
    asked = {"question": "prove", "deal": Deal.from_number(11982), **change}
    ask = solve if asked.pop("question") == "solve" else prove
    before = (begun / "data.mdb").read_bytes()
    with pytest.raises(StoreError) as caught:
        ask(asked.pop("deal"), store=begun, **asked)
    assert str(begun) in str(caught.value) and message in str(caught.value)
    assert (begun / "data.mdb").read_bytes() == before


def test_other_metrics_are_refused(tmp_path: Path) -> None:
    deal = Deal.from_number(3)
    api.solve(deal, store=tmp_path / "s", max_states=1000)
    with pytest.raises(StoreError, match="another metric: cards, not runs"):
        api.solve(deal, store=tmp_path / "s", metric="runs")


def test_same_deal_as_a_board(begun: Path) -> None:
    """The places of the cards decide, not the source of the deal."""
    deal = Deal.from_number(11982)
    assert prove(Deal(deal.position, deal.rules), store=begun).states == 61_643


def test_second_process(tmp_path: Path) -> None:
    """While a search runs nobody else may write to its store; anybody may look at it."""
    store = tmp_path / "store"
    others: list[subprocess.CompletedProcess[str]] = []

    def look(event: Report | Commit) -> None:
        for command in ("resume", "status") if not others else ():
            other = subprocess.run(
                [sys.executable, "-m", "dbmsolver", command, str(store)],
                capture_output=True,
                text=True,
                timeout=60,
            )
            others.append(other)

    assert prove(Deal.from_number(11982), store=store, progress=look).verdict == "unsolvable"
    resume, status = others
    message = f"dbmsolver: {store}: another search or command is using this store\n"
    assert (resume.returncode, resume.stdout, resume.stderr) == (4, "", message)
    assert (status.returncode, status.stderr) == (0, "")
    assert "not finished" in status.stdout


def test_look_ahead_is_bounded_by_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    real = layers.AStarSearch.end

    def end(self: layers.AStarSearch, outcome: Outcome) -> Outcome:
        looked.append(self.statistics.evaluated)
        return real(self, outcome)

    monkeypatch.setattr(layers.AStarSearch, "end", end)
    assert prove(MEDIUM, max_states=1000).limit == "max-states"
    assert len(looked) == 1 and looked[0] < 100_000
