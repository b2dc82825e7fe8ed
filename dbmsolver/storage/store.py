"""The store: one LMDB environment that holds a search.

A store is a directory with ``data.mdb`` and ``lock.mdb`` (LMDB's) and ``writer.lock`` (held by the one process that
writes).  All records live in LMDB's unnamed database.  In the grammar below, numbers in keys are big-endian, so that
LMDB's order is theirs; numbers in values are little-endian; ``uN`` is N bits wide, ``[n]`` means n of them::

    record    = "M"                                                    -> manifest
              | "S"                                                    -> seal
              | "C" layer:u16 stratum:u16 first:u64 last:u64 number:u64 -> block   closed states
              | "A" layer:u16 stratum:u16 first:u64 last:u64 number:u64 -> block   closed states of the look ahead
              | "P" layer:u16 stratum:u16 number:u64                   -> block    pending candidates
              | "B" layer:u16 stratum:u16 number:u64                   -> block    pending within the layer being closed
              | "D" layer:u16 stratum:u16 number:u64                   -> done     signatures done in the stratum being closed
    manifest  = JSON, UTF-8, an object
    seal      = records:u64 sum:u64 checksum:u64                       how many records there are; of their checksums
    done      = checksum:u64 u64[*]
    block     = checksum:u64 version:u8 code_bytes:u8 words:u8 extra_bytes:u8 runs:u32 states:u64 zstd(body)
    body      = signatures:u64[runs] counts:u64[runs] planes:u8[8 * words][states]
                codes:(8 * code_bytes)[states] extra:(8 * extra_bytes)[states]

The ``checksum`` of a block, and of a record ``D``, is XXH3-64 of the store's ``id`` (in the manifest: 16 hexadecimal
digits, here eight bytes), the record's key, and the XXH3-64 of everything after the checksum (:mod:`dbmsolver.storage.binding`).
``records`` counts all records, ``sum`` is that of all checksums of blocks and of ``D``, modulo 2**64; the seal's own
checksum is XXH3-64 of these two numbers and the manifest.  ``first`` and ``last`` are the lowest and highest signature in
the block.  A run is the states of one signature, ``counts`` of them, sorted by local key;
``planes`` are differences of local keys (:mod:`dbmsolver.core.blocks`), which take one word or three
(:mod:`dbmsolver.core.layout`; told again, for those who write a reader of their own, in :mod:`dbmsolver.verify.format`).
``extra`` is, for pending
candidates of a search by cost, the number of moves made (g).  The layer is the cost f, 0 throughout in a proof; the
stratum is the progress.

Everything one unit of work changes is one transaction: after a crash the store is as it was at the last commit.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import lmdb

from dbmsolver.errors import ChangedError, DiskFullError, InternalError, StoreError
from dbmsolver.storage.binding import CHECKSUM, SEAL, bound, is_intact, seal_of, with_content_hash
from dbmsolver.storage.blocks import FORMAT, Runs, decode_block, states_of
from dbmsolver.storage.datafile import DataFile
from dbmsolver.storage.fields import LARGEST, Manifest

MAP_SIZE = 1 << 42
_CLOSED_KEY = struct.Struct(">cHHQQQ")
_PENDING_KEY = struct.Struct(">cHHQ")
_NO_ROOM = (
    "No space left",
    "MAP_FULL",
    "File too large",
    "quota exceeded",
    "Input/output error",  # what LMDB makes of a write that was cut short
)
"""What LMDB says when a disk, the map, or a limit on files or users is full."""
_MASK = (1 << 64) - 1
_KEY_SIZES = {b"C": 29, b"A": 29, b"P": 13, b"B": 13, b"D": 13}


_TRIES = 50
Found = TypeVar("Found")


class Closed(NamedTuple):
    """An encoded block of closed states on its way into the store."""

    layer: int
    stratum: int
    first: int
    last: int
    states: int
    data: bytes


class Transaction:
    """Changes that are committed together; see :meth:`Store.write`."""

    def __init__(self, store: Store, txn: lmdb.Transaction) -> None:
        self._store = store
        self._txn = txn
        self.manifest = store.manifest
        self.sum = store.sum
        """Of the checksums of all records that have one."""

    def _put_bound(self, key: bytes, data: bytes) -> None:
        data = bound(data, self._store.place(key))
        self.sum = (self.sum + CHECKSUM.unpack_from(data)[0]) & _MASK
        self._put(key, data)

    def _put(self, key: bytes, value: bytes) -> None:
        try:
            self._txn.put(key, value)
        except lmdb.MapFullError as error:
            raise DiskFullError("the store's map is full", str(self._store.path)) from error

    def put_closed(self, block: Closed, kind: bytes = b"C") -> bytes:
        """Store a block of closed states; returns its key."""
        number = self._store.next_number()
        key = _CLOSED_KEY.pack(kind, block.layer, block.stratum, block.first, block.last, number)
        self._put_bound(key, block.data)
        return key

    def put_pending(self, layer: int, stratum: int, data: bytes, kind: bytes = b"P") -> bytes:
        """Store a block of candidates; returns its key."""
        key = _PENDING_KEY.pack(kind, layer, stratum, self._store.next_number())
        self._put_bound(key, data)
        return key

    def put_done(self, layer: int, stratum: int, signatures: bytes) -> None:
        """Store a list of signatures."""
        self.put_pending(layer, stratum, with_content_hash(signatures), b"D")

    def delete(self, key: bytes) -> None:
        """Remove a record; InternalError if there is none."""
        value = self._txn.get(key)
        if value is None:
            raise InternalError(f"no record to remove: {describe(key)}")
        self._drop_checksum(value)
        self._txn.delete(key)

    def _drop_checksum(self, value: bytes | memoryview) -> None:
        if len(value) >= CHECKSUM.size:
            self.sum = (self.sum - CHECKSUM.unpack_from(value)[0]) & _MASK

    def delete_all(self, prefix: bytes) -> None:
        """Remove every record whose key begins so."""
        cursor = self._txn.cursor()
        found = cursor.set_range(prefix)
        while found and bytes(cursor.key()).startswith(prefix):
            self._drop_checksum(cursor.value())
            found = cursor.delete()

    def put_manifest(self, manifest: dict[str, Any]) -> None:
        """Replace the manifest."""
        self.manifest = manifest

    def seal(self) -> None:
        """Write the manifest and what must agree with it; the last thing a transaction does."""
        manifest = json.dumps(self.manifest, separators=(",", ":")).encode()
        self._put(b"M", manifest)
        self._put(b"S", bytes(SEAL.size))  # to be counted
        self._put(b"S", seal_of(manifest, self._txn.stat()["entries"], self.sum))


class _Environment:
    """Reads the records of an open LMDB environment; the same methods as :class:`~dbmsolver.storage.datafile.DataFile`."""

    def __init__(self, environment: lmdb.Environment) -> None:
        self._env = environment

    def keys(self, prefix: bytes = b"") -> list[bytes]:
        """All keys that begin with ``prefix``, in order."""
        result = []
        with self._env.begin(buffers=False) as txn, txn.cursor() as cursor:
            found = cursor.set_range(prefix) if prefix else cursor.first()
            while found:
                key = cursor.key()
                if not key.startswith(prefix):
                    break
                result.append(bytes(key))
                found = cursor.next()
        return result

    def get(self, key: bytes, most: int | None = None) -> bytes | None:
        """The value of a record (or at ``most`` its first bytes), None if there is no such record."""
        with self._env.begin(buffers=True) as txn:
            value = txn.get(key)
            return None if value is None else bytes(value[:most])

    def entries(self) -> int:
        """How many records there are."""
        return int(self._env.stat()["entries"])

    def used_bytes(self) -> int:
        """Bytes of the pages that hold records."""
        stat = self._env.stat()
        pages = stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"]
        return int(stat["psize"] * pages)

    def close(self) -> None:
        """Release the environment."""
        self._env.close()


class Store:
    """An open store.  One process writes, any number read: what was committed last, also while another one writes.

    Reading opens nothing for writing and takes no lock.
    """

    def __init__(self, path: Path, *, readonly: bool, durable: bool) -> None:
        self.path = path
        self.durable = durable
        self._failed = False
        self.sum = 0
        self.check_states: Callable[[bytes, Runs, str], None] | None = None
        """What the states of a block must be, given its key (:mod:`dbmsolver.storage.intake`); raises StoreError."""
        self._records: DataFile | _Environment
        self._lock: int | None = None
        if readonly:
            self._records = DataFile(path / "data.mdb", str(path))
        else:
            self._lock = _take_lock(path)
            try:
                self._records = _Environment(self._environment())
            except BaseException:
                os.close(self._lock)
                raise
        try:
            self.manifest = self._read_manifest()
            self._number = 1 + max((_number(key) for key in self.keys()), default=0)
            if self.manifest and self.manifest.get("format") == FORMAT:
                Manifest.check(self.manifest, str(path))
            self._number = max(self._number, self.manifest.get("next", 0))
        except lmdb.Error as error:
            self.close()
            raise StoreError(f"not a readable store ({error})", str(path)) from error
        except BaseException:
            self.close()
            raise

    def _environment(self) -> lmdb.Environment:
        """LMDB's environment for writing, of a data file that LMDB can be trusted with."""
        data = self.path / "data.mdb"
        if data.exists() and data.stat().st_size:
            file = DataFile(data, str(self.path))
            try:
                file.check_for_writing()
            finally:
                file.close()
        try:
            self._env = lmdb.open(
                str(self.path),
                map_size=MAP_SIZE,
                sync=self.durable,
                metasync=self.durable,
                map_async=not self.durable,
                max_dbs=0,
                readahead=True,
            )
        except lmdb.Error as error:
            raise StoreError(f"not a readable store ({error})", str(self.path)) from error
        return self._env

    @classmethod
    def create(cls, path: Path, manifest: dict[str, Any], *, durable: bool = True) -> Store:
        """Make a new store in ``path``, which must not hold one; the directory is created."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()) and not _is_blank(path):
                raise StoreError("expected an empty or absent directory for a new store", str(path))
        except OSError as error:
            raise StoreError(f"cannot be made a store: {error.strerror}", str(path)) from error
        store = cls(path, readonly=False, durable=durable)
        try:
            with store.write() as txn:
                txn.put_manifest({**manifest, "id": secrets.token_hex(8)})
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def begun(cls, path: Path) -> bool:
        """Whether there is a store in ``path`` (or something that is in a store's place), not just the first files of one."""
        return _has_data(path) and not _is_blank(path)

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False) -> Store:
        """Open an existing store; StoreError if there is none, it is foreign, or (to write) another process has it."""
        if not _has_data(path):
            raise StoreError("no store here: expected a directory made with --store", str(path))
        if not (path / "data.mdb").stat().st_size:  # LMDB would make an environment of it
            raise StoreError("not a readable store (data.mdb is empty)", str(path))
        store = cls(path, readonly=readonly, durable=True)
        if not store.manifest:
            store.close()
            raise StoreError("an LMDB environment, but not a dbmsolver store", str(path))
        if store.manifest.get("format") != FORMAT:
            found = store.manifest.get("format")
            store.close()
            raise StoreError(f"store format {found}, expected {FORMAT}", str(path))
        try:
            store.check_sum()
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """Release the file, and the lock."""
        self._records.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Close and delete the store's directory."""
        self.close()
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def numbers(self) -> int:
        """How far the numbers of records have come: the next one."""
        return self._number

    def next_number(self) -> int:
        """A number no record of this store has had."""
        self._number += 1
        return self._number - 1

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A transaction: committed at the end of the block, or not at all.

        After one that failed there are no others: what its writer holds to be stored is not.
        """
        if self._failed:
            raise StoreError("an earlier write has failed", str(self.path))
        self._failed = True
        try:
            with self._env.begin(write=True, buffers=True) as txn:
                transaction = Transaction(self, txn)
                yield transaction
                transaction.seal()
            self.manifest, self.sum = transaction.manifest, transaction.sum
            self._failed = False
        except lmdb.DiskError as error:
            raise DiskFullError(f"cannot write ({error})", str(self.path)) from error
        except lmdb.Error as error:
            if any(reason in str(error) for reason in _NO_ROOM):
                raise DiskFullError(f"cannot write ({error})", str(self.path)) from error
            raise StoreError(f"cannot write ({error})", str(self.path)) from error

    def keys(self, prefix: bytes = b"") -> list[bytes]:
        """All keys that begin with ``prefix``, in order."""
        return self._records.keys(prefix)

    def place(self, key: bytes) -> bytes:
        """What the checksum of a record binds it to."""
        return bytes.fromhex(self.manifest["id"]) + key

    def where(self, key: bytes) -> str:
        """The store and a record in words, for messages."""
        return f"{self.path}: {describe(key)}"

    def read(self, key: bytes, most: int | None = None) -> bytes:
        """The bytes of a record, or at ``most`` the first of them."""
        value = self._records.get(key, most)
        if value is None:
            raise StoreError(f"record {describe(key)} is missing", str(self.path))
        return value

    def done(self, key: bytes) -> bytes:
        """The signatures in a record of kind ``D``; StoreError, naming it, if it is damaged."""
        data = self.read(key)
        if not is_intact(data, self.place(key)) or len(data) % 8:
            raise StoreError(f"{self.where(key)}: the record is damaged")
        return data[CHECKSUM.size :]

    def block(self, key: bytes) -> Runs:
        """The states of a block; StoreError, naming it, if it is damaged."""
        where = self.where(key)
        runs = decode_block(self.read(key), where, self.place(key))
        if self.check_states is not None:
            self.check_states(key, runs, where)
        return runs

    def states_in(self, key: bytes) -> int:
        """How many states a block says it has, without decoding it, and without reading more than its header."""
        return states_of(self.read(key, 64), self.where(key))

    def size(self) -> int:
        """Bytes on disk."""
        try:
            return (self.path / "data.mdb").stat().st_blocks * 512
        except OSError:
            return 0

    def used(self) -> int:
        """Bytes of the store's records (pages in use), without pages that LMDB keeps for reuse."""
        return self._records.used_bytes()

    def _read_manifest(self) -> dict[str, Any]:
        value, seal = self._records.get(b"M"), self._records.get(b"S") or b""
        records = self._records.entries()
        if value is None:
            return {}
        manifest = _parse(value)
        # Other formats, and other programs' environments, are told apart by who asked.
        if manifest.get("format") != FORMAT:
            return manifest
        expected, self.sum, _ = SEAL.unpack(seal) if len(seal) == SEAL.size else (0, 0, 0)
        if seal != seal_of(value, expected, self.sum):
            raise StoreError("the manifest is damaged", str(self.path))
        if records != expected:
            raise StoreError(f"records are missing: {records}, expected {expected}", str(self.path))
        return manifest

    def check_sum(self) -> None:
        """Whether all records are those of the last commit, by their checksums; StoreError if not."""
        found = 0
        for key in self.keys():
            if key in (b"M", b"S"):
                continue
            if len(key) != _KEY_SIZES.get(key[:1], 0) or _number(key) > LARGEST:
                raise StoreError(
                    f"a record that cannot be, with the key {key.hex()}", str(self.path)
                )
            start = self.read(key, CHECKSUM.size)
            if len(start) < CHECKSUM.size:
                raise StoreError("the record is damaged (cut short)", self.where(key))
            found = (found + CHECKSUM.unpack(start)[0]) & _MASK
        if found != self.sum:
            raise StoreError("records have been exchanged for others", str(self.path))


def _is_blank(path: Path) -> bool:
    """Whether all there is was left by a process that was killed when it had just begun to make a store."""
    data = path / "data.mdb"
    known = {"data.mdb", "lock.mdb", "writer.lock"}
    if not data.is_file() or any(file.name not in known for file in path.iterdir()):
        return False
    try:
        file = DataFile(data, str(path))
    except StoreError:
        return False
    try:
        return not file.entries()
    finally:
        file.close()


def _has_data(path: Path) -> bool:
    """Whether there is a data file in ``path``; StoreError if nobody lets us see."""
    try:
        return (path / "data.mdb").is_file()
    except OSError as error:
        raise StoreError(f"cannot be opened: {error.strerror}", str(path)) from error


def _parse(value: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(value)
    except (ValueError, RecursionError):
        return {"format": FORMAT}  # whose seal will not be right
    return manifest if isinstance(manifest, dict) else {}


def look(path: Path, work: Callable[[Store], Found]) -> Found:
    """What ``work`` finds in a store, open for reading; anew where another process changes the store meanwhile."""
    for attempt in range(_TRIES):
        try:
            with Store.open(path, readonly=True) as store:
                return work(store)
        except ChangedError:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError


class BlockKey(NamedTuple):
    """A closed block's key, taken apart."""

    layer: int
    stratum: int
    first: int
    last: int
    number: int


def parse_closed_key(key: bytes) -> BlockKey:
    """Take a key of kind ``C`` or ``A`` apart."""
    return BlockKey(*_CLOSED_KEY.unpack(key)[1:])


def parse_pending_key(key: bytes) -> tuple[int, int, int]:
    """(layer, stratum, number) of a key of kind ``P``, ``B`` or ``D``."""
    layer, stratum, number = _PENDING_KEY.unpack(key)[1:]
    return layer, stratum, number


def stratum_prefix(kind: bytes, layer: int, stratum: int) -> bytes:
    """What the keys of a kind begin with in one stratum."""
    return kind + struct.pack(">HH", layer, stratum)


def describe(key: bytes) -> str:
    """A key in words, for messages."""
    kinds = {"C": "closed", "A": "look-ahead", "P": "pending", "B": "pending", "D": "done"}
    kind = key[:1].decode("latin-1")
    if kind in "MS":
        return "manifest" if kind == "M" else "seal"
    if len(key) < 13:
        return f"with the key {key.hex()}"
    layer, stratum = struct.unpack_from(">HH", key, 1)
    return f"{kinds.get(kind, kind)} block {_number(key)} of layer {layer}, stratum {stratum}"


def _number(key: bytes) -> int:
    return int.from_bytes(key[-8:], "big") if len(key) > 8 else 0


def _take_lock(path: Path) -> int:
    """Lock the store for this process; released by the system whatever becomes of it."""
    try:
        handle = os.open(path / "writer.lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(f"cannot be opened: {error.strerror}", str(path)) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise StoreError("another process is using this store", str(path)) from error
    return handle
