"""Memory budgets too small for anything, for tests of the verifier."""

from __future__ import annotations

import pytest

from dbmsolver.verify import closure, partition_steps, worker


def small_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let partitions be as small as the budget says, and threads work on little at a time."""
    monkeypatch.setattr(partition_steps, "_SMALLEST_PARTITION", 1)
    monkeypatch.setattr(closure, "_UNIT", 50)
    monkeypatch.setattr(worker, "_ROWS", 1)
