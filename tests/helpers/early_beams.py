"""Beams that come beside a search for a shortest solution as soon as it has begun."""

from __future__ import annotations

import pytest

from dbmsolver.search.improve import improver
from dbmsolver.search.improve.beam import BeamShape


def begin_beams_at(monkeypatch: pytest.MonkeyPatch, pace: int, *widths: int) -> None:
    """Let beams of two widths be due at ``pace`` times their states, whatever the threads."""
    for beside in ("_BESIDE", "_BESIDE_OF_PATIENCE"):
        monkeypatch.setattr(improver, beside, tuple(BeamShape(width) for width in widths))
    for paces in ("_PACES", "_PACES_OF_THREADS"):
        monkeypatch.setattr(improver, paces, (pace, pace))


def begin_beams_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small beams be due at once."""
    begin_beams_at(monkeypatch, 1, 50, 300)
    monkeypatch.setattr(improver, "STATES", 1)
