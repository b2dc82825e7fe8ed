"""A store where address space is limited: LMDB asks for less, and what is full is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lmdb
import pytest

from dbmsolver.errors import DiskFullError, SystemRefusedError
from dbmsolver.storage import environment
from dbmsolver.storage.environment import MAP_SIZE, Environment

OPEN = lmdb.open


def allow(monkeypatch: pytest.MonkeyPatch, most: int) -> list[int]:
    """Let LMDB have no larger map than that; returns the sizes that it is asked for."""
    asked: list[int] = []

    def opened(path: str, map_size: int, **options: Any) -> lmdb.Environment:
        asked.append(map_size)
        if map_size > most:
            raise lmdb.MemoryError(f"{path}: Cannot allocate memory")
        return OPEN(path, map_size=map_size, **options)

    monkeypatch.setattr(lmdb, "open", opened)
    return asked


def test_less_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = allow(monkeypatch, 1 << 26)
    Environment(tmp_path, durable=False, new=True).close()
    assert asked == [1 << power for power in range(42, 25, -1)]


def test_a_part_of_what_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = allow(monkeypatch, MAP_SIZE)
    monkeypatch.setattr(environment, "free_address_space", lambda: 1 << 30)
    Environment(tmp_path, durable=False, new=True).close()
    assert asked == [1 << 28]


def test_no_more_is_asked_for_than_a_store_can_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = allow(monkeypatch, MAP_SIZE)
    monkeypatch.setattr(environment, "free_address_space", lambda: 1 << 50)
    Environment(tmp_path, durable=False, new=True).close()
    assert asked == [MAP_SIZE]


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, 0)
    with pytest.raises(SystemRefusedError, match="no address space for the store"):
        Environment(tmp_path, durable=False, new=True)
    monkeypatch.setattr(lmdb, "open", OPEN)
    Environment(tmp_path, durable=False, new=True).close()  # its locks have been let go


def test_the_map_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, 1 << 24)
    records = Environment(tmp_path, durable=False, new=True)
    with pytest.raises(DiskFullError, match="address space is full"), records.write() as txn:
        txn.put(b"key", bytes(1 << 25))
    records.close()


def test_a_full_disk_is_no_full_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only an error of the map is told as one, however little address space there is."""
    allow(monkeypatch, 1 << 24)
    records = Environment(tmp_path, durable=False, new=True)
    error = lmdb.Error("mdb_txn_commit: No space left on device")
    with pytest.raises(DiskFullError, match=str(error)), records.write():
        raise error
    records.close()
