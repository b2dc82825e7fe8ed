"""Levels: what is written is read again; what is damaged or foreign is as if it were not there."""

from __future__ import annotations

import os
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import xxhash
import zstandard

from dbmsolver.errors import DiskFullError, StoreError
from dbmsolver.storage import levels as module
from dbmsolver.storage.levels import Levels, encode_chunks


def some_states(seed: int, count: int, words: int) -> tuple[module.Words, module.Words]:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2**63, (count, 4), dtype=np.uint64)
    return rows, random.integers(0, 2**63, (count, words), dtype=np.uint64)


def opened(path: Path, question: str = "a question") -> Levels:
    return Levels(path, question, durable=True)


def written(path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[module.Words, module.Words]]:
    """Three levels of 1, 300 and 50 states, in chunks of a hundred."""
    monkeypatch.setattr(module, "CHUNK_ROWS", 100)
    made = opened(path)
    found = [some_states(0, 1, 1), some_states(1, 300, 1), some_states(2, 50, 3)]
    for depth, (rows, ways) in enumerate(found):
        with made.writing(depth) as writer:
            writer.put(encode_chunks(rows, ways))
        assert writer.states == rows.shape[0]
    assert (made.last, made.states) == (2, 351)
    made.close()
    return found


def test_what_is_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = written(tmp_path / "levels", monkeypatch)
    again = opened(tmp_path / "levels")
    assert (again.last, again.states) == (2, 351)
    assert again.nbytes == sum(file.stat().st_size for file in again.path.glob("*.level"))
    for depth, (rows, ways) in enumerate(found):
        parts = list(again.read(depth))
        assert np.array_equal(np.concatenate([part[0] for part in parts]), rows)
        assert np.array_equal(np.concatenate([part[1] for part in parts]), ways)


def test_another_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "levels", monkeypatch)
    other = opened(tmp_path / "levels", "another")
    assert other.last == -1
    assert not list(other.path.glob("*.level"))


def test_one_process_only(tmp_path: Path) -> None:
    first = opened(tmp_path / "levels")
    with pytest.raises(StoreError, match="another search or command is using this store"):
        opened(tmp_path / "levels")
    first.close()
    opened(tmp_path / "levels").close()


def test_every_damaged_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a damaged level on, nothing is there; what was read before is told to be damaged."""
    written(tmp_path / "levels", monkeypatch)
    file = tmp_path / "levels" / "00001.level"
    whole, others = file.read_bytes(), (tmp_path / "levels" / "00002.level").read_bytes()
    for place in {*range(64), *range(64, len(whole), 997), *range(len(whole) - 24, len(whole))}:
        damaged = bytearray(whole)
        damaged[place] ^= 0x41
        check_lost(tmp_path / "levels", bytes(damaged), others)
    for length in (0, 1, 15, 16, 40, len(whole) - 1):
        check_lost(tmp_path / "levels", whole[:length], others)
    check_lost(tmp_path / "levels", whole + b"\0", others)


def check_lost(path: Path, damaged: bytes, others: bytes) -> None:
    (path / "00001.level").write_bytes(damaged)
    (path / "00002.level").write_bytes(others)
    found = opened(path)
    assert (found.last, found.states) == (0, 1)
    assert [file.name for file in path.glob("*.level")] == ["00000.level"]
    (path / "00001.level").write_bytes(damaged)
    with pytest.raises(StoreError, match="damaged"):
        list(found.read(1))
    found.close()


def test_what_a_killed_process_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of levels that are not whole are removed, those of somebody else stay."""
    path = tmp_path / "levels"
    written(path, monkeypatch)
    (path / "00001.part").write_bytes(b"half")
    (path / "00007.level").write_bytes((path / "00002.level").read_bytes())
    (path / "notes.txt").touch()
    before = {file.name for file in path.iterdir()}
    opened(path).close()
    assert before - {file.name for file in path.iterdir()} == {"00001.part", "00007.level"}


def test_a_level_in_the_place_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level is that of its number of moves only."""
    path = tmp_path / "levels"
    written(path, monkeypatch)
    (path / "00001.level").write_bytes((path / "00002.level").read_bytes())
    levels = opened(path)
    assert levels.last == 0
    levels.close()


def test_a_level_that_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is gone; how far the levels go, and how many states they had, stays known."""
    written(tmp_path / "levels", monkeypatch)
    levels = opened(tmp_path / "levels")
    for _ in range(2):
        levels.drop(1)
        assert (levels.last, levels.states) == (2, 351)
        files = list(levels.path.glob("*.level"))
        assert sorted(file.name for file in files) == ["00000.level", "00002.level"]
        assert levels.nbytes == sum(file.stat().st_size for file in files)
    levels.close()


def test_a_directory_in_the_place_of_a_level(tmp_path: Path) -> None:
    """Raise an error, and let others use the levels."""
    path = tmp_path / "levels"
    opened(path).close()
    (path / "00000.level").mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        opened(path)
    (path / "00000.level").rmdir()
    opened(path).close()


def test_a_size_that_no_chunk_has(tmp_path: Path) -> None:
    """Ask for no more memory than a chunk can need."""
    levels = opened(tmp_path / "levels")
    with levels.writing(0) as writer:
        writer.put(encode_chunks(*some_states(0, 1, 1)))
    file = tmp_path / "levels" / "00000.level"
    data = bytearray(file.read_bytes())
    data[16 + 8 : 16 + 12] = b"\xff" * 4
    file.write_bytes(data)
    tracemalloc.start()
    with pytest.raises(StoreError, match="the level is damaged"):
        list(levels.read(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    levels.close()


@pytest.mark.parametrize(
    ("rows", "words", "fits"), [(100, 1, True), (101, 1, False), (1, 256, True), (1, 257, False)]
)
def test_chunks_that_no_level_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, words: int, fits: bool
) -> None:
    """They are as they were written, but larger than a reader makes room for."""
    made = opened(tmp_path / "levels")
    with made.writing(0) as writer:
        writer.put(encode_chunks(*some_states(0, rows, words)))
    monkeypatch.setattr(module, "CHUNK_ROWS", 100)
    if fits:
        assert [part[1].shape for part in made.read(0)] == [(rows, words)]
    else:
        with pytest.raises(StoreError, match="the level is damaged"):
            list(made.read(0))
    made.close()
    again = opened(tmp_path / "levels")
    assert again.last == (0 if fits else -1)
    again.close()


@pytest.mark.parametrize(
    "body",
    [b"no planes", zstandard.compress(b""), zstandard.compress(b"\0" * 80)],
    ids=["none", "empty", "of one word"],
)
def test_a_body_that_is_not_what_its_chunk_says(tmp_path: Path, body: bytes) -> None:
    """Refuse two rows of two words of ways, if the checksum is right and the planes are not."""
    numbers = struct.pack("<III", 2, 2, len(body))
    checksum = struct.pack("<Q", xxhash.xxh3_64_intdigest(body + numbers))
    levels = opened(tmp_path / "levels")
    with levels.writing(0) as writer:
        writer.put([numbers + checksum + body])
    with pytest.raises(StoreError, match="the level is damaged"):
        list(levels.read(0))
    levels.close()


def test_a_level_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States that cannot be read are not taken for none."""
    written(tmp_path / "levels", monkeypatch)
    levels = opened(tmp_path / "levels")
    (tmp_path / "levels" / "00001.level").unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        list(levels.read(1))
    levels.close()


def test_no_room(tmp_path: Path) -> None:
    levels = opened(tmp_path / "levels")
    with pytest.raises(DiskFullError, match="No space left"), levels.writing(0):
        raise_no_space(levels.path)
    assert levels.last == -1
    assert not list(levels.path.glob("*.part"))


@pytest.mark.parametrize(("durable", "flushed"), [(True, 2), (False, 0)])
def test_what_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool, flushed: int
) -> None:
    """The file, and the directory with its name, unless they may be lost."""
    handles: list[int] = []
    levels = Levels(tmp_path / "levels", "a question", durable=durable)
    monkeypatch.setattr(os, "fsync", handles.append)
    with levels.writing(0) as writer:
        writer.put(encode_chunks(*some_states(0, 1, 1)))
    assert len(handles) == flushed
    levels.close()


def test_places_where_no_level_can_be(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be made"):
        opened(tmp_path / "no" / "levels")
    levels = opened(tmp_path / "levels")
    for name in ("00000.part", "00001.level"):
        (levels.path / name).mkdir()
    for depth in (0, 1):
        with pytest.raises(StoreError, match="cannot be written"), levels.writing(depth):
            pass
    assert (levels.last, levels.states) == (-1, 0)
    with pytest.raises(StoreError) as caught:
        levels.refuse(3, "it has no ways")
    where = levels.path / "00003.level"
    assert str(caught.value) == f"{where}: the level is wrong (it has no ways); remove it"
    levels.close()


def raise_no_space(path: Path) -> None:
    """Fail as a write on a full disk does."""
    with open("/dev/full", "wb", buffering=0) as full:
        module.LevelWriter(full, path).put([b"\0" * 64])
