"""The ends of the dives over classes of any number of passes, and what each of them means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limit, Limits, Method, Options, Question
from dbmsolver.search.outcome import Exhausted, GoalMet, LeftOpen, Outcome, Stopped
from dbmsolver.search.proof import any_passes
from dbmsolver.search.proof.any_passes import AnyPassesAhead
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(3, GAMES["klondike_by_threes"])
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
    given: list[tuple[Any, ...]] = []

    class Dives:
        def __init__(self, _keys: Any, recorder: Recorder, *how: Any) -> None:
            given.append(how)
            self.recorder = recorder

        def step(self) -> Outcome | None:
            return found

    monkeypatch.setattr(any_passes, "DiveAhead", Dives)
    manifest = new_manifest(Question.PROVE, DEAL, Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as store:
        recorder = Recorder(store, Question.PROVE, Limits(), resumable=False, keep_closed=True)
        search = AnyPassesAhead(DEAL, recorder, Limits(), 2, 1 << 28, needed)
        assert search.step() == outcome
        is_proof = isinstance(outcome, Exhausted)
        method = {"method": Method.CLASSES_ANY_PASSES} if is_proof else {}
        assert recorder.batch.fields == method
    assert given == [(Limits(), 2, 1 << 28, any_passes.SCHEDULE)]
