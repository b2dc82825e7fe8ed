"""Levels: the states after each number of moves, with the number of ways to each, in files.

They lie beside a store, or in a temporary directory, and can be computed again at any time: a level
that is missing or damaged is computed anew. A file gets its name when it is complete::

    file  = magic:u8[8] question:u64 chunk* end
    chunk = rows:u32 words:u32 bytes:u32 checksum:u64 zstd(body):u8[bytes]
    body  = planes:u8[32 + 8 * words][rows]
    end   = 0:u32 0:u32 0:u32 states:u64

All numbers are little-endian. ``question`` is a hash of the subject of the levels and of the number
of moves, ``checksum`` the XXH3-64 of the compressed body and the three numbers. Plane ``b`` holds
byte ``b`` of each row: four words of a state, then ``words`` words of the number of ways, lowest
first.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from dbmsolver.disk import flush_path
from dbmsolver.errors import StoreError, error_of
from dbmsolver.storage.environment import take_lock

Words = NDArray[np.uint64]
CHUNK_ROWS = 1 << 15
"""States of a chunk at most."""
_MAGIC = b"dbmlevel"
_HEADER = struct.Struct("<8sQ")
_CHUNK = struct.Struct("<IIIQ")
_NUMBERS = struct.Struct("<III")
_STATE_WORDS = 4
_MOST_WORDS = 1 << 8


def encode_chunks(rows: Words, ways: Words) -> list[bytes]:
    """Return states (uint64[*, 4]) and the ways to each (uint64[*, words]) as chunks of a file."""
    both = np.concatenate([rows, ways], axis=1)
    return [
        _encode(both[first : first + CHUNK_ROWS], ways.shape[1])
        for first in range(0, rows.shape[0], CHUNK_ROWS)
    ]


def _encode(rows: Words, words: int) -> bytes:
    planes = rows.view(np.uint8).T
    body = zstandard.ZstdCompressor(level=1).compress(planes.tobytes())
    numbers = (rows.shape[0], words, len(body))
    return _CHUNK.pack(*numbers, _checksum(body, *numbers)) + body


def _checksum(body: bytes, rows: int, words: int, size: int) -> int:
    return xxhash.xxh3_64_intdigest(body + _NUMBERS.pack(rows, words, size))


class LevelWriter:
    """A level that is being written; ``states`` counts the states written so far."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = path
        self.states = 0

    def put(self, chunks: Iterable[bytes]) -> None:
        """Write more chunks."""
        with _full_disk(self._path):
            for chunk in chunks:
                self.states += _CHUNK.unpack_from(chunk)[0]
                self._file.write(chunk)

    def end(self, durable: bool) -> None:
        """Write the end, to the disk itself if it is to be ``durable``."""
        self._file.write(_CHUNK.pack(0, 0, 0, self.states))
        self._file.flush()
        if durable:
            os.fsync(self._file.fileno())


class Levels:
    """The levels in a directory, which is made if need be; this process alone may use it.

    ``question`` names the subject of the levels: levels with another one are computed anew.
    ``durable``: a level is on the disk when it has been written. StoreError if the directory cannot
    be used, or another process uses it.
    """

    def __init__(self, path: Path, question: str, *, durable: bool) -> None:
        self.path = path
        self.durable = durable
        self._question = question
        self._sizes: dict[int, int] = {}
        self._states: dict[int, int] = {}
        try:
            path.mkdir(exist_ok=True)
        except OSError as error:
            raise error_of(error, StoreError, "cannot be made", str(path)) from error
        self._lock = take_lock(path)
        try:
            self._open()
        except OSError as error:
            self.close()
            raise error_of(error, StoreError, "cannot be read", str(path)) from error

    def close(self) -> None:
        """Let other processes use the directory."""
        os.close(self._lock)

    @property
    def last(self) -> int:
        """The highest level that is there with all below it; -1 if there is none."""
        return len(self._sizes) - 1

    @property
    def nbytes(self) -> int:
        """Bytes of the levels on the disk."""
        return sum(self._sizes.values())

    @property
    def states(self) -> int:
        """States of all levels up to the last one, of those that were dropped, too."""
        return sum(self._states.values())

    def read(self, depth: int) -> Iterator[tuple[Words, Words]]:
        """Yield a level, chunk by chunk: states and the ways to each.

        Raises StoreError if it is damaged.
        """
        path = self._file(depth)
        try:
            with path.open("rb") as file:
                if file.read(_HEADER.size) != self._header(depth):
                    raise StoreError("the level is damaged (of something else)", str(path))
                for rows, words, body in _chunks(file, path):
                    yield _decode(body, rows, words, path)
        except OSError as error:
            raise error_of(error, StoreError, "cannot be read", str(path)) from error

    @contextmanager
    def writing(self, depth: int) -> Iterator[LevelWriter]:
        """Return a context in which a level is written; after an error the level is missing.

        DiskFullError if there is no room.
        """
        path = self._file(depth)
        part = path.with_suffix(".part")
        try:
            with _full_disk(path), part.open("wb") as file:
                writer = LevelWriter(file, path)
                file.write(self._header(depth))
                yield writer
                writer.end(self.durable)
            with _full_disk(path):
                part.replace(path)
                if self.durable:
                    flush_path(self.path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        self._sizes[depth] = path.stat().st_size
        self._states[depth] = writer.states

    def refuse(self, depth: int, why: str) -> NoReturn:
        """Raise StoreError for a level with a content that is not possible."""
        raise StoreError(f"the level is wrong ({why}); remove it", str(self._file(depth)))

    def drop(self, depth: int) -> None:
        """Remove the file of a level that is not needed any more; `last` does not change."""
        self._file(depth).unlink(missing_ok=True)
        self._sizes[depth] = 0

    def _open(self) -> None:
        """Find the levels that are whole, and remove all others."""
        depth = 0
        while states := _states_in(self._file(depth), self._header(depth)):
            self._sizes[depth] = self._file(depth).stat().st_size
            self._states[depth] = states
            depth += 1
        known = {self._file(depth) for depth in self._sizes}
        for file in self.path.iterdir():
            if file not in known and file.suffix in (".level", ".part"):
                file.unlink()

    def _file(self, depth: int) -> Path:
        return self.path / f"{depth:05}.level"

    def _header(self, depth: int) -> bytes:
        question = f"{self._question}\n{depth}".encode()
        return _HEADER.pack(_MAGIC, xxhash.xxh3_64_intdigest(question))


def _states_in(path: Path, header: bytes) -> int:
    """Count the states of a level in a file with this header.

    Returns 0 if there is no such file, or it is damaged.
    """
    try:
        with path.open("rb") as file:
            if file.read(_HEADER.size) != header:
                return 0
            return sum(rows for rows, _, _ in _chunks(file, path))
    except (FileNotFoundError, StoreError):
        return 0


def _chunks(file: IO[bytes], path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield the chunks of an open file: rows, words, body.

    StoreError if one is damaged or missing.
    """
    states = 0
    while True:
        head = file.read(_CHUNK.size)
        if len(head) < _CHUNK.size:
            raise StoreError("the level is damaged (cut short)", str(path))
        rows, words, size, checksum = _CHUNK.unpack(head)
        if not rows:
            if checksum != states or size or words or file.read(1):
                raise StoreError("the level is damaged (states are missing)", str(path))
            return
        # A damaged header must not make the reader ask for more than a chunk can be.
        if rows > CHUNK_ROWS or not 0 < words <= _MOST_WORDS or size > 9 * (words + 5) * rows + 99:
            raise StoreError("the level is damaged", str(path))
        body = file.read(size)
        if len(body) < size or _checksum(body, rows, words, size) != checksum:
            raise StoreError("the level is damaged", str(path))
        states += rows
        yield rows, words, body


def _decode(body: bytes, rows: int, words: int, path: Path) -> tuple[Words, Words]:
    size = 8 * (_STATE_WORDS + words) * rows
    try:
        planes = zstandard.ZstdDecompressor().decompress(body, max_output_size=size)
    except zstandard.ZstdError as error:
        raise StoreError(f"the level is damaged ({error})", str(path)) from error
    if len(planes) != size:
        raise StoreError("the level is damaged (states are missing)", str(path))
    columns = np.frombuffer(planes, np.uint8).reshape(-1, rows)
    both = np.ascontiguousarray(columns.T).view(np.uint64)
    return both[:, :_STATE_WORDS].copy(), both[:, _STATE_WORDS:].copy()


@contextmanager
def _full_disk(path: Path) -> Iterator[None]:
    """Raise DiskFullError in place of the system's error for a full disk."""
    try:
        yield
    except OSError as error:
        raise error_of(error, StoreError, "cannot be written", str(path)) from error
