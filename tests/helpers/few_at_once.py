"""Little room for states that are looked at together, for tests of the verifier."""

from __future__ import annotations

import pytest

from dbmsolver.verify import closure


def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads read few states of a block at a time."""
    monkeypatch.setattr(closure, "_AT_ONCE", 7)
