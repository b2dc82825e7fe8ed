"""Beams that come beside a search for a shortest solution as soon as it has begun."""

from __future__ import annotations

import pytest

from dbmsolver.search.improve import improver
from dbmsolver.search.improve.beam import BeamShape


def begin_beams_at(monkeypatch: pytest.MonkeyPatch, evaluated: int, *widths: int) -> None:
    """Let beams of these widths be due after so many evaluated states, whatever the threads."""
    beams = tuple((evaluated, evaluated, BeamShape(width)) for width in widths)
    for beside in ("_BESIDE", "_BESIDE_OF_PATIENCE"):
        monkeypatch.setattr(improver, beside, beams)


def begin_beams_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small beams be due at once."""
    begin_beams_at(monkeypatch, 50, 50, 300)
    monkeypatch.setattr(improver, "STATES", 1)
