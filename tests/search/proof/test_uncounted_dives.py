"""The ends of dives whose states are not those of the search that follows, and their meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.results import Limit, Limits, Method, Options, Question
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.proof.dive_ahead import DiveAhead, UncountedDives
from dbmsolver.search.proof.dives import ANY_PASSES_SCHEDULE, CLASS_ORDERS, schedule_of
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(3, GAMES["klondike_by_threes"])
KEYS = ClassKeys(DEAL, "wkr", method=Method.CLASSES_ANY_PASSES)
OUT_OF_TIME = Stopped(Limit.MAX_TIME)
ENDS = [
    (False, None, None),
    (False, GoalMet(), LeftOpen()),
    (True, GoalMet(), LeftOpen()),
    (False, LeftOpen(), LeftOpen()),
    (True, LeftOpen(), Stopped(Limit.MEMORY)),
    (False, OUT_OF_TIME, OUT_OF_TIME),
    (True, OUT_OF_TIME, OUT_OF_TIME),
    (False, Exhausted(), Exhausted()),
    (True, Exhausted(), Exhausted()),
]


@pytest.mark.parametrize(("needed", "found", "outcome"), ENDS)
def test_a_win_may_need_too_many_passes_and_only_exhaustion_proves(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    needed: bool,
    found: Outcome | None,
    outcome: Outcome | None,
) -> None:
    """Dives that leave a deal open have too little memory if nothing else may decide it."""
    monkeypatch.setattr(DiveAhead, "step", lambda self: found)
    manifest = new_manifest(Question.PROVE, DEAL, Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as store:
        recorder = Recorder(store, Question.PROVE, Limits(), resumable=False, keep_closed=True)
        search = UncountedDives(KEYS, recorder, Limits(), 2, 1 << 28, needed=needed)
        assert search.step() == outcome
        is_proof = isinstance(outcome, Exhausted)
        method = {"method": Method.CLASSES_ANY_PASSES} if is_proof else {}
        assert recorder.batch.fields == method
        search.close()


def test_the_schedule_is_that_of_the_keys() -> None:
    """The last dive over classes of any number of passes is large enough for most proofs."""
    assert schedule_of(KEYS) == ANY_PASSES_SCHEDULE
    assert ANY_PASSES_SCHEDULE[-1] == (CLASS_ORDERS[4], 1 << 24)
