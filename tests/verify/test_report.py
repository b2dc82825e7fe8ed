"""The moments at which the progress of a check is reported."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dbmsolver.verify.report import INTERVAL, Pace


def test_reports_come_at_once_and_then_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter((10.0, 10.0 + INTERVAL / 2, 10.1 + INTERVAL, 10.1 + 1.5 * INTERVAL))
    clock = SimpleNamespace(monotonic=lambda: next(times))
    monkeypatch.setattr("dbmsolver.verify.report.time", clock)
    pace = Pace()
    assert [pace.due() for _ in range(4)] == [True, False, True, False]
