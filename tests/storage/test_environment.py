"""A store's environment by itself: what LMDB is asked for, its records, and its locks."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import lmdb
import pytest

from dbmsolver.errors import DiskFullError, StoreError, StoreInUseError
from dbmsolver.storage import environment
from dbmsolver.storage.environment import Environment

OPEN = lmdb.open


@pytest.mark.parametrize("durable", [True, False])
def test_what_is_on_the_disk_when_a_commit_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    asked: list[dict[str, Any]] = []

    def opened(path: str, **options: Any) -> lmdb.Environment:
        asked.append(options)
        return OPEN(path, **options)

    monkeypatch.setattr(lmdb, "open", opened)
    Environment(tmp_path, durable=durable, new=True).close()
    (options,) = asked
    assert (options["sync"], options["metasync"]) == (durable, durable)
    assert options["map_async"] == (not durable)


def test_records(tmp_path: Path) -> None:
    records = Environment(tmp_path, durable=False, new=True)
    assert (records.keys(), records.entries(), records.get(b"P1")) == ([], 0, None)
    with records.write() as txn:
        for key in (b"Q", b"P1", b"P3", b"P21", b"P2", b"A"):
            txn.put(key, b"value of " + key)
    assert records.keys() == [b"A", b"P1", b"P2", b"P21", b"P3", b"Q"]
    assert records.keys(b"P") == [b"P1", b"P2", b"P21", b"P3"]
    assert records.keys(b"P2") == [b"P2", b"P21"]
    assert records.keys(b"R") == []
    assert records.entries() == 6
    assert (records.get(b"P2"), records.get(b"P2", 3)) == (b"value of P2", b"val")
    records.close()


def test_a_file_that_was_just_made_is_locked_by_any_name(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    records = Environment(one, durable=False, new=True)
    os.link(one / "data.mdb", two / "data.mdb")
    for path in (one, two):
        with pytest.raises(StoreInUseError) as caught:
            Environment(path, durable=False)
        assert str(caught.value) == f"{path}: another search or command is using this store"
    records.close()
    Environment(two, durable=False).close()


def test_a_place_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(environment, "lock", refuse)
    with pytest.raises(StoreError, match="cannot be locked"):
        Environment(tmp_path, durable=False, new=True)


def test_room_for_the_lock_file_of_lmdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes that it maps are on the disk."""
    sizes: list[int] = []
    monkeypatch.setattr(environment, "reserve", lambda handle, size: sizes.append(size))
    Environment(tmp_path, durable=False, new=True).close()
    assert sizes == [(tmp_path / "lock.mdb").stat().st_size] == [8192]


def test_a_map_that_is_as_large_as_any_is_full(tmp_path: Path) -> None:
    """It is told as LMDB tells it: no more address space would help."""
    records = Environment(tmp_path, durable=False, new=True)
    error = lmdb.MapFullError("mdb_put: MDB_MAP_FULL: Environment mapsize limit reached")
    with pytest.raises(DiskFullError) as caught, records.write():
        raise error
    assert str(caught.value) == f"{tmp_path}: cannot write ({error})"
    records.close()


def test_a_write_that_fails(tmp_path: Path) -> None:
    records = Environment(tmp_path, durable=False, new=True)
    with pytest.raises(StoreError) as caught, records.write():
        raise lmdb.BadTxnError("mdb_put: MDB_BAD_TXN")
    assert str(caught.value) == f"{tmp_path}: cannot write (mdb_put: MDB_BAD_TXN)"
    records.close()
