"""Writes to a store that fail for want of room, at a moment of a test's choosing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from dbmsolver.errors import DiskFullError
from dbmsolver.results import Result
from dbmsolver.storage.transaction import Transaction


class FailingWrites:
    """Makes the write with a number, and the transaction with it, fail for want of room."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.writes = 0
        self.failing = 0
        for name in ("put_closed", "put_pending", "seal"):
            monkeypatch.setattr(Transaction, name, self._counted(getattr(Transaction, name)))

    def _counted(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """Return a method of a transaction that is counted before it writes."""

        def counted(txn: Transaction, *what: Any) -> Any:
            self.count()
            return write(txn, *what)

        return counted

    def count(self) -> None:
        """Count a write, and let it fail if it is the one."""
        self.writes += 1
        if self.writes == self.failing:
            raise DiskFullError("no room (as a test will have it)")

    def fail_at(self, number: int) -> None:
        """Let the write with this number, counted from now on, fail; 0: none."""
        self.writes, self.failing = 0, number

    def fail_in_turn(self, numbers: Iterable[int], search: Callable[[], Result]) -> None:
        """Let one write fail in each run of a search in a store, until a run meets none of them.

        The store is made by the first run whose failing write comes later. Afterwards none fails.
        """
        ends = 0
        for number in numbers:
            self.fail_at(number)
            try:
                result = search()
            except DiskFullError:  # while the store was made
                continue
            if result.limit is None:
                break
            assert result.limit == "disk full"
            assert self.writes == number  # it ends at the first write that fails
            ends += 1
        self.fail_at(0)
        assert ends
