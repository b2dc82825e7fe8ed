"""The store: a directory that holds one search (see ``docs/store-format.md``).

All that one commit changes is one transaction: after a crash the store is as the last commit left
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from dbmsolver.closable import Closable
from dbmsolver.errors import ChangedError, StoreError, error_of
from dbmsolver.storage.binding import CHECKSUM, SEAL, is_intact, seal_of, share_of
from dbmsolver.storage.datafile import DataFile
from dbmsolver.storage.directory import has_data, is_blank
from dbmsolver.storage.environment import Environment
from dbmsolver.storage.manifest import Manifest, read_format
from dbmsolver.storage.records import (
    FORMAT,
    MANIFEST,
    SEAL_KEY,
    describe,
    is_sound,
    number_of,
    states_of,
)
from dbmsolver.storage.transaction import Transaction

_MASK = (1 << 64) - 1
_HEADER_BYTES = 64
"""The first bytes of a block that suffice to read its header."""
_TRIES = 50
Value = TypeVar("Value")


class Store(Closable):
    """An open store: its manifest as of the last commit, and its records.

    One process writes; any number read what was committed last, also while another process writes.
    Reading opens nothing for writing and takes no lock.
    """

    def __init__(
        self, path: Path, records: DataFile | Environment, manifest: Manifest, total: int
    ) -> None:
        self.path = path
        self.manifest = manifest
        self.check_states: Callable[[bytes, Any, str], None] | None = None
        """The check of a block when it is decoded.

        It gets the block's key, its :class:`~dbmsolver.storage.blocks.Runs` and its name, and
        raises StoreError for states that cannot be.
        """
        self._records = records
        self._total = total
        self._failed = False
        highest = max((number_of(key) for key in self.keys()), default=0)
        self._number = max(1 + highest, manifest.next)
        self._first = self._number

    @classmethod
    def create(cls, path: Path, manifest: Manifest, *, durable: bool = True) -> Store:
        """Make a new store in ``path``, which must not hold one; the directory is created.

        ``durable``: its commits survive a power failure.
        """
        if path.is_symlink() and not path.exists():
            raise StoreError("a link to nothing, expected a directory for a new store", str(path))
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()) and not is_blank(path):
                raise StoreError("expected an empty or absent directory for a new store", str(path))
        except OSError as error:
            raise error_of(error, StoreError, "cannot be made a store", str(path)) from error
        store = cls(path, Environment(path, durable=durable, new=True), manifest, 0)
        try:
            if store.keys():
                raise StoreError("another process has just made a store here", str(path))
            with store.write() as txn:
                txn.put_manifest(manifest)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def begun(cls, path: Path) -> bool:
        """Return True if ``path`` holds a store, or files of something else.

        The first files of a store that has no record yet do not count.
        """
        return has_data(path) and not is_blank(path)

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Store:
        """Open an existing store.

        StoreError if there is none, if it is foreign or damaged, or, to write, if another process
        is using it.
        """
        if not has_data(path):
            raise StoreError("no store here: expected a directory that holds a search", str(path))
        if not (path / "data.mdb").stat().st_size:  # LMDB would make an environment of it
            raise StoreError("not a readable store (data.mdb is empty)", str(path))
        records: DataFile | Environment
        if readonly:
            records = DataFile(path / "data.mdb", str(path))
        else:
            records = Environment(path, durable=True)
        try:
            store = cls(path, records, *_read_manifest(records, str(path)))
            store._check_total()
        except BaseException:
            records.close()
            raise
        return store

    def close(self) -> None:
        """Release the file, and the lock."""
        self._records.close()

    # Writing.

    @property
    def numbers(self) -> int:
        """The number that the next record gets."""
        return self._number

    def wrote(self, key: bytes) -> bool:
        """Return True if this run has written a record itself."""
        return isinstance(self._records, Environment) and number_of(key) >= self._first

    def _next_number(self) -> int:
        self._number += 1
        return self._number - 1

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Open a transaction: it is committed at the end of the block, or not at all.

        After a write has failed no other can be made: the caller has counted on records that were
        not stored.
        """
        if self._failed:
            raise StoreError("an earlier write has failed", str(self.path))
        assert isinstance(self._records, Environment), "the store is open for reading"
        self._failed = True
        with self._records.write() as txn:
            transaction = Transaction(txn, self.manifest, self._total, self._next_number)
            yield transaction
            transaction.seal()
        self.manifest, self._total = transaction.manifest, transaction.total
        self._failed = False

    # Reading.

    def keys(self, prefix: bytes = b"") -> list[bytes]:
        """Return all keys that begin with ``prefix``, in order."""
        return self._records.keys(prefix)

    def record_address(self, key: bytes) -> bytes:
        """Return a record's address, which its checksum covers, too: the store's id and the key."""
        return bytes.fromhex(self.manifest.id) + key

    def where(self, key: bytes) -> str:
        """Return the store and a record in words, for messages."""
        return f"{self.path}: {describe(key)}"

    def read(self, key: bytes, most: int | None = None) -> bytes:
        """Return the bytes of a record (or the first ``most``); StoreError if it is missing."""
        value = self._records.get(key, most)
        if value is None:
            raise StoreError(f"record {describe(key)} is missing", str(self.path))
        return value

    def done(self, key: bytes) -> bytes:
        """Return the signatures in a record of kind ``D``; StoreError, naming it, if damaged."""
        data = self.read(key)
        if not is_intact(data, self.record_address(key)) or len(data) % 8:
            raise StoreError(f"{self.where(key)}: the record is damaged")
        return data[CHECKSUM.size :]

    def states_in(self, key: bytes) -> int:
        """Return the number of states in a block's header; no more of the block is read.

        A damaged header is not noticed, as the checksum covers the whole block: compare the number
        with another one.
        """
        return states_of(self.read(key, _HEADER_BYTES), self.where(key))

    def check_record(self, key: bytes) -> None:
        """Raise StoreError, naming the record, if it is not the one written under this key."""
        if not is_intact(self.read(key), self.record_address(key)):
            raise StoreError(f"{self.where(key)}: the record is damaged (checksum does not match)")

    def size(self) -> int:
        """Return the bytes on disk."""
        try:
            found = (self.path / "data.mdb").stat()
            blocks: int | None = getattr(found, "st_blocks", None)
            return found.st_size if blocks is None else blocks * 512
        except OSError:
            return 0

    def _check_total(self) -> None:
        """Raise StoreError unless the records are those of the last commit.

        Their keys and checksums are compared with the seal.
        """
        found = 0
        for key in self.keys():
            if key in (MANIFEST, SEAL_KEY):
                continue
            if not is_sound(key):
                raise StoreError(
                    f"a record that cannot be, with the key {key.hex()}", str(self.path)
                )
            start = self.read(key, CHECKSUM.size)
            if len(start) < CHECKSUM.size:
                raise StoreError("the record is damaged (cut short)", self.where(key))
            found = (found + share_of(key, start)) & _MASK
        if found != self._total:
            raise StoreError("records have been exchanged for others", str(self.path))


def _read_manifest(records: DataFile | Environment, where: str) -> tuple[Manifest, int]:
    """Return the manifest and the sum of shares, both confirmed by the seal."""
    value, seal = records.get(MANIFEST), records.get(SEAL_KEY) or b""
    found = None if value is None else read_format(value)
    if not records.entries():
        raise StoreError("an empty store: no search has begun in it", where)
    if value is None or found is None:
        raise StoreError("an LMDB environment, but not a dbmsolver store", where)
    if found != FORMAT:
        raise StoreError(f"store format {found}, expected {FORMAT}", where)
    expected, total, _ = SEAL.unpack(seal) if len(seal) == SEAL.size else (0, 0, 0)
    if seal != seal_of(value, expected, total):
        raise StoreError("the manifest is damaged", where)
    if records.entries() != expected:
        raise StoreError(f"records are missing: {records.entries()}, expected {expected}", where)
    return Manifest.from_json(value, where), total


def look(path: Path, work: Callable[[Store], Value]) -> Value:
    """Return the result of ``work`` on a store that is open for reading.

    It is called again where another process changes the store meanwhile, at most 50 times.
    """
    for attempt in range(_TRIES):
        try:
            with Store.open(path, readonly=True) as store:
                return work(store)
        except ChangedError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError


def manifest_of(path: Path) -> Manifest:
    """Return the manifest of the store at a path; StoreError if there is none."""
    return look(path, lambda store: store.manifest)
