"""The hasty search before a proof: what the proof gets of it, and how soon it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limit, Limits, Options, Question
from dbmsolver.search.astar import look_ahead
from dbmsolver.search.astar.look_ahead import LookAhead
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import replay
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

WON = StateCodec(Deal.from_number(3), "wkr")
HARD = StateCodec(Deal.from_number(1, rules_for("freecell", 2)), "wkr")
FEW = StateCodec(Deal.from_number(1, rules_for("freecell", 1)), "wkr")
"""Neither can be won; the look ahead at the second one comes to its end."""


@contextmanager
def looking(
    codec: StateCodec, folder: Path, limits: Limits = Limits(), memory: int = 1 << 26
) -> Iterator[tuple[LookAhead, Recorder]]:
    """Yield a look ahead, and the recorder of the proof that it comes before."""
    manifest = new_manifest(Question.PROVE, codec.deal, Options())
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(store, Question.PROVE, limits, resumable=False, keep_closed=True)
        search = LookAhead(codec, recorder, limits, 1, memory)
        yield search, recorder
        search.close()


def outcome_of(search: LookAhead) -> Outcome:
    """Return what the last step of a look ahead says."""
    while (outcome := search.step()) is None:
        assert search.counted == 0  # the limit of states is that of its effort
    return outcome


def test_a_solution_is_counted_for_the_proof(tmp_path: Path) -> None:
    with looking(WON, tmp_path) as (search, recorder):
        outcome = outcome_of(search)
        assert isinstance(outcome, GoalMet)
        assert search.end(outcome) is outcome
        own, kept = search.recorder.statistics, recorder.statistics
        assert (kept.states, kept.forced) == (own.states, own.forced)
        assert kept.evaluated == own.evaluated > kept.states > kept.forced > 0
        assert kept.evaluated < 30_000  # a search for a shortest one looks at 40,308
        assert not kept.strata  # its states are no part of a proof
        assert search.report().phase == "look ahead"
        position = WON.deal.position
        for move in replay(WON, search.path()):
            position = position.apply(move)
        assert position.is_goal()


@pytest.mark.parametrize(
    ("outcome", "end"),
    [
        (LeftOpen(), LeftOpen()),
        (Stopped(Limit.MEMORY), LeftOpen()),  # a proof takes less of it
        (Stopped(Limit.MAX_TIME), Stopped(Limit.MAX_TIME)),
        (Stopped(Limit.INTERRUPT), Stopped(Limit.INTERRUPT)),
    ],
)
def test_where_nothing_is_found_nothing_is_counted(
    tmp_path: Path, outcome: Outcome, end: Outcome
) -> None:
    with looking(HARD, tmp_path) as (search, recorder):
        while not search.recorder.statistics.evaluated:
            assert search.step() is None
        recorder.statistics.peak_memory = 0
        assert search.end(outcome) == end
        own, kept = search.recorder.statistics, recorder.statistics
        assert own.evaluated > 0 and kept.peak_memory == own.peak_memory > 0
        assert (kept.states, kept.forced, kept.evaluated) == (0, 0, 0)


def test_its_threads_end_with_it(tmp_path: Path) -> None:
    before = threading.enumerate()
    with looking(HARD, tmp_path) as (search, _):
        while not search.report().states:
            assert search.step() is None
        search.commit()  # which threads do
        assert len(threading.enumerate()) > len(before)
        search.close()
        assert [one for one in threading.enumerate() if one not in before] == []


def test_the_most_memory_is_that_of_both(tmp_path: Path) -> None:
    with looking(HARD, tmp_path) as (search, recorder):
        recorder.statistics.peak_memory = most = 1 << 60
        search.step()
        search.end(LeftOpen())
        assert recorder.statistics.peak_memory == most


def test_states_that_do_not_fit_in_memory_end_it(tmp_path: Path) -> None:
    """They are not worth a place on the disk."""
    with looking(WON, tmp_path, memory=1 << 20) as (search, _):
        with pytest.raises(OutOfBudget):
            outcome_of(search)
        assert search.end(Stopped(Limit.MEMORY)) == LeftOpen()


def test_a_deal_without_a_solution_is_left_to_the_proof(tmp_path: Path) -> None:
    """Its states are closed by the estimate, which no check follows."""
    with looking(FEW, tmp_path) as (search, recorder):
        assert outcome_of(search) == Exhausted()
        assert search.end(Exhausted()) == LeftOpen()
        assert search.recorder.statistics.closed > 0
        assert recorder.statistics.closed == 0


@pytest.mark.parametrize(
    ("effort", "limit", "most"), [(9_000, None, 9_000), (9_000, 900, 900), (900, 9_000, 900)]
)
def test_the_effort_is_bounded_by_the_limit_of_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: int, limit: int | None, most: int
) -> None:
    monkeypatch.setattr(look_ahead, "STATES", effort)
    with looking(HARD, tmp_path, Limits(max_states=limit)) as (search, _):
        before = 0
        while (outcome := search.step()) is None:
            before = search.recorder.statistics.evaluated
        assert outcome == LeftOpen()
        assert before <= most < search.recorder.statistics.evaluated
