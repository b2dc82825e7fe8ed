"""Dives before a search on disk: what they are given, and what each of their ends means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search.ledger import NOTHING
from dbmsolver.search.outcome import Exhausted, LeftOpen
from dbmsolver.search.proof import dive_ahead
from dbmsolver.search.proof.dive_ahead import DiveAhead
from dbmsolver.search.proof.dives import SCHEDULE, Dived
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

KEYS = RecordKeys(Deal.from_number(11982), "wkr")
RECORDS = 11_162
"""Of the whole deal, which cannot be won."""


@contextmanager
def ahead(folder: Path, limits: Limits = Limits()) -> Iterator[tuple[DiveAhead, Recorder]]:
    """Yield the dives before a proof, and its recorder."""
    manifest = new_manifest(Question.PROVE, KEYS.deal, Options())
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(store, Question.PROVE, limits, resumable=False, keep_closed=True)
        dives = DiveAhead(KEYS, recorder, limits, 1, 1 << 28, SCHEDULE)
        yield dives, recorder
        dives.close()


def test_records_that_are_exhausted_are_the_proof(tmp_path: Path) -> None:
    with ahead(tmp_path) as (dives, recorder):
        while (outcome := dives.step()) is None:
            pass
        assert outcome == Exhausted()
        waiting = NOTHING.to_json()
        assert recorder.batch.fields == {"phase": "search", "waiting": waiting, "known": RECORDS}
        assert sum(ref.block.states for ref in recorder.batch.blocks) == RECORDS
        assert recorder.statistics.closed == RECORDS


def test_dives_that_decide_nothing_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They find no more states than the limit allows, and end with the search."""
    done: list[Any] = []

    class Open:
        def __init__(self, *how: Any) -> None:
            done.append(how)

        def step(self) -> Dived:
            return Dived("open", 5)

        def close(self) -> None:
            done.append("closed")

    monkeypatch.setattr(dive_ahead, "Dives", Open)
    with ahead(tmp_path, Limits(max_states=1234)) as (dives, recorder):
        assert dives.step() == LeftOpen()
        assert (recorder.batch.fields, recorder.batch.blocks) == ({}, [])
        assert recorder.statistics.closed == 0
    assert done == [(KEYS, 1, 1 << 28, 1234, SCHEDULE), "closed"]
