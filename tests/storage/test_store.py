"""A store by itself: what it refuses to open, and what is left of writes that fail."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lmdb
import pytest

from dbmsolver.errors import (
    ChangedError,
    DiskFullError,
    InternalError,
    StoreError,
    StoreInUseError,
    SystemRefusedError,
)
from dbmsolver.game.deals import Deal
from dbmsolver.results import Options, Question
from dbmsolver.storage import environment
from dbmsolver.storage import store as module
from dbmsolver.storage.binding import SEAL, with_content_hash
from dbmsolver.storage.environment import Environment
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.records import LARGEST, number_of, pending_key
from dbmsolver.storage.store import Store, look

MANIFEST = new_manifest(Question.PROVE, Deal.from_number(1), Options())
RECORD = with_content_hash(b"any bytes")


def made(path: Path) -> Store:
    return Store.create(path, MANIFEST, durable=False)


def with_records(path: Path) -> list[bytes]:
    """Make a store with three records that candidates might have; return their keys."""
    with made(path) as store, store.write() as txn:
        return [txn.put_pending(layer, 7, RECORD) for layer in (0, 0, 1)]


def test_records_are_removed_and_the_others_are_whole(tmp_path: Path) -> None:
    """The seal of a store is that of the records that are left."""
    first, *others = with_records(tmp_path)
    with Store.open(tmp_path) as store:
        with store.write() as txn:
            gone = [txn.put_pending(layer, 7, RECORD, b"B") for layer in (3, 4)]
            last = txn.put_pending(5, 7, RECORD)
        assert [number_of(key) for key in (first, *others, *gone, last)] == [1, 2, 3, 4, 5, 6]
        assert store.keys(b"B") == gone
        with store.write() as txn:
            txn.delete(first)
            with pytest.raises(InternalError, match="no record to remove: pending block"):
                txn.delete(first)
            txn.delete_all(b"B")
        assert store.keys(b"B") == [] and store.keys(b"P") == [*others, last]
    with Store.open(tmp_path, readonly=True) as again:
        assert again.keys(b"P") == [*others, last]
        for key in again.keys(b"P"):
            again.check_record(key)
            assert again.read(key, 5) == again.read(key)[:5]


def test_a_record_of_a_checksum_alone_is_removed(tmp_path: Path) -> None:
    """It counts in the seal as any other does."""
    with made(tmp_path) as store:
        with store.write() as txn:
            key = txn.put_pending(0, 7, with_content_hash(b""))
        assert len(store.read(key)) == 8
        with store.write() as txn:
            txn.delete(key)
    Store.open(tmp_path, readonly=True).close()


def test_no_write_follows_one_that_failed(tmp_path: Path) -> None:
    """The caller has counted on records that were not stored."""
    with made(tmp_path) as store:
        before = store.keys()
        with pytest.raises(ZeroDivisionError), store.write() as txn:
            txn.put_pending(0, 7, RECORD)
            raise ZeroDivisionError
        with pytest.raises(StoreError, match="an earlier write has failed"), store.write():
            pass
        assert store.keys() == before
    with Store.open(tmp_path) as again:
        assert again.keys() == before
        with again.write() as txn:
            key = txn.put_pending(0, 7, RECORD)
        assert again.keys(b"P") == [key]


def moved(txn: lmdb.Transaction, key: bytes, layer: int, stratum: int, number: int) -> None:
    """Give a record the key of another layer, stratum, or number."""
    txn.put(pending_key(b"P", layer, stratum, number), txn.pop(key))


def test_a_store_whose_process_was_killed_before_its_first_commit(tmp_path: Path) -> None:
    """It holds no search to go on with; a new one can begin there."""
    Environment(tmp_path, durable=False).close()
    for readonly in (True, False):
        with pytest.raises(StoreError, match="an empty store: no search has begun in it"):
            Store.open(tmp_path, readonly=readonly)
    assert not Store.begun(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda txn, key: txn.put(key, with_content_hash(b"others")), "have been exchanged"),
        (lambda txn, key: txn.put(key, RECORD[:7]), r"the record is damaged \(cut short\)"),
        (lambda txn, key: txn.put(pending_key(b"P", 9, 7, 99), RECORD), "records are missing: 6"),
        (lambda txn, key: txn.delete(key), "records are missing: 4, expected 5"),
        (
            lambda txn, key: txn.delete(key) and txn.put(b"P" + bytes(3), RECORD),
            "a record that cannot be, with the key 50000000",
        ),
        (
            lambda txn, key: (
                txn.delete(key) and txn.put(pending_key(b"P", 9, 7, LARGEST + 1), RECORD)
            ),
            "a record that cannot be, with the key 50",
        ),
        (lambda txn, key: moved(txn, key, 0, 7, 99), "have been exchanged"),
        (lambda txn, key: moved(txn, key, 5, 7, 3), "have been exchanged"),
        (lambda txn, key: txn.put(b"S", bytes(SEAL.size)), "the manifest is damaged"),
        (lambda txn, key: txn.put(b"M", b'{"format":3}'), "store format 3, expected 6"),
        (lambda txn, key: txn.delete(b"M"), "an LMDB environment, but not a dbmsolver store"),
        (lambda txn, key: txn.put(b"M", b"{}"), "an LMDB environment, but not a dbmsolver store"),
    ],
)
def test_records_of_somebody_else(
    tmp_path: Path, change: Callable[[lmdb.Transaction, bytes], object], message: str
) -> None:
    key = with_records(tmp_path)[1]
    records = Environment(tmp_path, durable=False)
    with records.write() as txn:
        change(txn, key)
    records.close()
    for readonly in (True, False, False):  # the second time nothing holds the lock
        with pytest.raises(StoreError, match=message):
            Store.open(tmp_path, readonly=readonly)


def test_room_for_the_lock_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File systems that allocate nothing are used as they are; a full one is told."""

    def refuse(number: int) -> None:
        def reserve(handle: int, size: int) -> None:
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(environment, "reserve", reserve)

    for number in (errno.EOPNOTSUPP, errno.EINVAL):
        refuse(number)
        made(tmp_path / str(number)).close()
    refuse(errno.ENOSPC)
    with pytest.raises(DiskFullError):
        made(tmp_path / "full")


def test_no_file_is_left_open(tmp_path: Path) -> None:
    with_records(tmp_path / "store")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "data.mdb").write_bytes(b"no pages" * 1024)

    def open_files() -> list[str]:
        return sorted(file.name for file in Path("/proc/self/fd").iterdir())

    before = open_files()
    for readonly in (True, False):
        Store.open(tmp_path / "store", readonly=readonly).close()
        with pytest.raises(StoreError):
            Store.open(tmp_path / "two", readonly=readonly)
    with Store.open(tmp_path / "store"), pytest.raises(StoreInUseError):
        Store.open(tmp_path / "store")
    assert open_files() == before


def test_commits_are_on_the_disk_unless_nobody_needs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that is opened again may have been made by somebody who did not need them."""
    opened, real = [], lmdb.open

    def noted(*place: str, **options: Any) -> lmdb.Environment:
        opened.append([options[name] for name in ("sync", "metasync", "map_async")])
        return real(*place, **options)

    monkeypatch.setattr(lmdb, "open", noted)
    Store.create(tmp_path / "one", MANIFEST).close()
    made(tmp_path / "two").close()
    Store.open(tmp_path / "two").close()
    assert opened == [[True, True, False], [False, False, True], [True, True, False]]


def test_the_size_is_what_is_written(tmp_path: Path) -> None:
    with made(tmp_path) as store:
        before = store.size()
        with store.write() as txn:
            txn.put_pending(0, 7, with_content_hash(bytes(1 << 20)))
        assert 1 << 20 <= store.size() - before < 1 << 22


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    folder, file = tmp_path / "folder", tmp_path / "file"
    folder.mkdir()
    (folder / "notes").touch()
    file.touch()
    with pytest.raises(StoreError, match="expected an empty or absent directory"):
        made(folder)
    with pytest.raises(StoreError, match="cannot be made a store"):
        made(file)
    with pytest.raises(StoreError, match="no store here"):
        Store.open(folder)
    (folder / "data.mdb").touch()
    with pytest.raises(StoreError, match=r"data\.mdb is empty"):
        Store.open(folder)


def test_a_link_to_nothing_is_no_place_for_a_store(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="a link to nothing, expected a directory"):
        made(link)
    link.unlink()
    (tmp_path / "somewhere").mkdir()
    link.symlink_to(tmp_path / "somewhere")
    made(link).close()
    assert (tmp_path / "somewhere" / "data.mdb").exists()


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("durable", [False, True])
def test_a_store_that_is_removed_while_it_is_written(
    tmp_path: Path, durable: bool, replaced: bool
) -> None:
    """Nothing is said to be stored where nobody finds it; without a store nobody looks there."""
    with Store.create(tmp_path / "store", MANIFEST, durable=durable) as store:
        with store.write() as txn:
            txn.put_pending(0, 7, RECORD)
        (tmp_path / "store").rename(tmp_path / "away")
        if replaced:
            made(tmp_path / "store").close()
        if not durable:
            with store.write() as txn:
                txn.put_pending(0, 7, RECORD)
            return
        gone = pytest.raises(StoreError, match="removed, or replaced, during the search")
        with gone, store.write() as txn:
            txn.put_pending(0, 7, RECORD)
    with Store.open(tmp_path / "away", readonly=True) as store:
        assert len(store.keys(b"P")) == 1


def test_a_store_that_another_process_was_sooner_to_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leave it as it is, and to others: the lock is let go."""
    keys = with_records(tmp_path)
    monkeypatch.setattr(module, "is_blank", lambda path: True)
    with pytest.raises(StoreError, match="another process has just made a store here"):
        made(tmp_path)
    with Store.open(tmp_path) as store:
        assert store.keys(b"P") == keys


def test_a_file_with_two_names_has_one_lock(tmp_path: Path) -> None:
    with_records(tmp_path / "one")
    (tmp_path / "two").mkdir()
    os.link(tmp_path / "one" / "data.mdb", tmp_path / "two" / "data.mdb")
    with Store.open(tmp_path / "one"), pytest.raises(StoreInUseError, match="is using this store"):
        Store.open(tmp_path / "two")
    Store.open(tmp_path / "two").close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (lmdb.Error("mdb_txn_commit: No space left on device"), DiskFullError),
        (lmdb.Error("mdb_txn_commit: File too large"), DiskFullError),
        (lmdb.Error("mdb_txn_commit: Disk quota exceeded"), DiskFullError),
        (lmdb.Error("mdb_txn_commit: Input/output error"), DiskFullError),
        (lmdb.Error("mdb_put: MDB_MAP_FULL: Environment mapsize limit reached"), DiskFullError),
        (lmdb.MemoryError("mdb_txn_begin: Cannot allocate memory"), SystemRefusedError),
        (lmdb.Error("mdb_put: Permission denied"), StoreError),
    ],
)
def test_what_a_failed_write_means(
    tmp_path: Path, error: lmdb.Error, kind: type[Exception]
) -> None:
    with made(tmp_path) as store:
        with pytest.raises(kind) as caught, store.write():
            raise error
        assert caught.type is kind and str(error) in str(caught.value)


@pytest.mark.parametrize("changes", [0, 1, 49, 50])
def test_a_store_that_changes_is_looked_at_again(tmp_path: Path, changes: int) -> None:
    """Fifty times at most: then the error is told."""
    keys, looks = with_records(tmp_path), 0

    def work(store: Store) -> list[bytes]:
        nonlocal looks
        looks += 1
        if looks <= changes:
            raise ChangedError("it changes")
        return store.keys(b"P")

    if changes < 50:
        assert look(tmp_path, work) == keys
    else:
        with pytest.raises(ChangedError, match="it changes"):
            look(tmp_path, work)
    assert looks == min(changes + 1, 50)
