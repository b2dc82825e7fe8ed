"""Records made by hand, checksums and seal and all: named in one line, whatever they hold."""

from __future__ import annotations

import json
import random
import shutil
import struct
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import lmdb
import pytest
import zstandard
from helpers.searching import end_of, prove
from helpers.selection import few_fast

from dbmsolver.api import solve
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.results import Limits
from dbmsolver.search import inspect, session
from dbmsolver.storage.binding import bound, seal_of, share_of, with_content_hash
from dbmsolver.storage.store import Store
from dbmsolver.verify.check import verify

DEAL = Deal.from_number(11982)
Records = dict[bytes, bytes]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return stores with every kind of record.

    They are a proof and a search by cost begun, and a proof finished.
    """
    base = tmp_path_factory.mktemp("stores")
    prove(DEAL, store=base / "proof", max_states=20_000)
    solve(DEAL, store=base / "layers", max_states=20_000)
    prove(DEAL, store=base / "finished")
    return {path.name: path for path in base.iterdir()}


def read(path: Path) -> Records:
    with lmdb.open(str(path), readonly=True, lock=False) as environment, environment.begin() as txn:
        return dict(txn.cursor())


def write(path: Path, records: Records) -> None:
    """Make these all the records there are, with the seal they need."""
    shares = [share_of(key, value) for key, value in records.items() if key not in (b"M", b"S")]
    total = sum(shares) % (1 << 64)
    records[b"S"] = seal_of(records[b"M"], len(records), total)
    with (
        lmdb.open(str(path), map_size=1 << 30) as environment,
        environment.begin(write=True) as txn,
    ):
        for key in [key for key, _ in txn.cursor()]:
            txn.delete(key)
        for key, value in records.items():
            txn.put(key, value)


def repaired(path: Path, key: bytes, value: bytes) -> bytes:
    """Return a record's value with the checksum it needs."""
    identity = bytes.fromhex(json.loads(read(path)[b"M"])["id"])
    return bound(with_content_hash(value[8:]), identity + key)


def look_at(path: Path, finished: bool) -> list[str]:
    """Every way to look into a store; what each had to say against it."""
    position = DEAL.position
    ways: list[Callable[[], object]] = [
        lambda: inspect.status(path),
        lambda: inspect.lookup(path, position),
        lambda: end_of(verify(path)),
        lambda: end_of(session.resume(path, threads=1, limits=Limits(max_states=40_000))),
    ]
    said = []
    for way in ways:
        try:
            found = way()
        except StoreError as error:
            assert error.exit_code == 4
            said.append(str(error))
            assert "\n" not in said[-1]
        else:
            valid = getattr(found, "valid", None)
            said.append("" if valid is None else f"valid: {valid}")
    return said


def first_of(records: Records, kind: bytes) -> bytes:
    return next(key for key in records if key[:1] == kind)


KINDS = [
    ("proof", b"C"),
    ("proof", b"P"),
    ("proof", b"D"),
    ("layers", b"P"),
    ("layers", b"C"),
    ("finished", b"C"),
]


def zstd_bomb(size: int) -> bytes:
    return zstandard.ZstdCompressor().compress(bytes(size))


def mutations(rng: random.Random, value: bytes) -> bytes:
    """Return a value that somebody made of another, in one of many ways."""
    data = bytearray(value)
    way = rng.randrange(6)
    if way == 0:  # truncated
        return bytes(data[: rng.randrange(len(data))])
    if way == 1:  # extended
        return bytes(data) + rng.randbytes(rng.randrange(1, 40))
    if way == 2 and len(data) > 24:  # wild numbers in the header
        place = rng.randrange(8, 24)
        data[place] = rng.randrange(256)
        return bytes(data)
    if way == 3 and len(data) > 24:  # a header that asks for very much, and a body that has it
        return (
            bytes(data[:12])
            + struct.pack("<IQ", 1, rng.choice((1 << 24, 1 << 40, (1 << 64) - 1)))
            + zstd_bomb(1 << 26)
        )
    if way == 4 and data[24:28] == b"\x28\xb5\x2f\xfd":  # a body of chance, of the right size
        body = bytearray(zstandard.ZstdDecompressor().decompress(bytes(data[24:])))
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(body))
            body[place : place + 8] = rng.randbytes(len(body[place : place + 8]))
        return bytes(data[:24]) + zstandard.ZstdCompressor().compress(bytes(body))
    for _ in range(3):
        place = rng.randrange(len(data))
        data[place] ^= rng.randrange(1, 256)
    return bytes(data)


@pytest.mark.parametrize("fresh", [True, False], ids=["checksum repaired", "checksum wrong"])
@pytest.mark.parametrize(("name", "kind"), few_fast(KINDS, 2))
def test_changed_values(
    stores: dict[str, Path], tmp_path: Path, name: str, kind: bytes, fresh: bool
) -> None:
    rng = random.Random(f"{name} {kind!r} {fresh}")
    original = read(stores[name])
    keys = [key for key in original if key[:1] == kind]
    if not keys:
        pytest.skip("no such record")
    for number in range(4):
        path = tmp_path / str(number)
        shutil.copytree(stores[name], path)
        records = dict(original)
        key = rng.choice(keys)
        value = mutations(rng, records[key])
        records[key] = repaired(path, key, value) if fresh else value
        write(path, records)
        said = look_at(path, name == "finished")
        before, after = original[key], records[key]
        if name == "finished" and len(before) != len(after) and before[8:40] == after[8:40]:
            assert "valid: True" not in said  # cut short or too long
        shutil.rmtree(path)


def test_exchanged_blocks_of_other_sizes(stores: dict[str, Path], tmp_path: Path) -> None:
    """The block that is damaged is named, and not the number that does not fit."""
    original = read(stores["proof"])
    with Store.open(stores["proof"], readonly=True) as store:
        sizes = {key: store.states_in(key) for key in (*store.keys(b"P"), *store.keys(b"C"))}
    pending, closed = next(
        (one, other)
        for one, other in product(sizes, sizes)
        if one[:1] == b"P" and other[:1] == b"C" and sizes[one] != sizes[other]
    )
    path = tmp_path / "store"
    shutil.copytree(stores["proof"], path)
    write(path, {**original, pending: original[closed], closed: original[pending]})
    with pytest.raises(StoreError, match=r"pending block .*checksum does not match"):
        end_of(session.resume(path))


def test_exchanged_values(stores: dict[str, Path], tmp_path: Path) -> None:
    """Values under other keys, in another stratum, kind or store: all are named."""
    original = read(stores["proof"])
    foreign = read(stores["layers"])
    pending = [key for key in original if key[:1] == b"P"]
    closed = first_of(original, b"C")
    moved = pending[0][:3] + bytes([0, pending[0][4] + 1]) + pending[0][5:]
    changes: list[Records] = [
        {pending[0]: original[closed], closed: original[pending[0]]},
        {pending[0]: foreign[first_of(foreign, b"P")]},
    ]
    if len(pending) > 1:
        changes.append({pending[0]: original[pending[1]], pending[1]: original[pending[0]]})
    for number, change in enumerate(changes):
        path = tmp_path / str(number)
        shutil.copytree(stores["proof"], path)
        write(path, {**original, **change})
        with pytest.raises(StoreError, match=r"pending block .*checksum does not match"):
            end_of(session.resume(path))
    path = tmp_path / "moved"
    shutil.copytree(stores["proof"], path)
    records = {moved if key == pending[0] else key: value for key, value in original.items()}
    write(path, records)
    with pytest.raises(StoreError, match="checksum does not match"):
        end_of(session.resume(path))


def test_another_list_of_done_signatures(stores: dict[str, Path], tmp_path: Path) -> None:
    """A list from elsewhere, whose checksum is not that of its place, names its record."""
    shutil.copytree(stores["proof"], tmp_path / "store")
    records = read(tmp_path / "store")
    key = b"D" + bytes(4) + (1 << 20).to_bytes(8, "big")
    good = repaired(tmp_path / "store", key, bytes(8) + struct.pack("<2Q", 3, 4))
    odd = repaired(tmp_path / "store", key, bytes(8) + bytes(12))
    for value in (good[:-1] + b"\x01", b"\x01" + good[1:], good + bytes(1), odd):
        write(tmp_path / "store", {**records, key: value})
        with (
            Store.open(tmp_path / "store", readonly=True) as store,
            pytest.raises(StoreError, match=r"done block 1048576 of .*: the record is damaged"),
        ):
            store.done(key)
    write(tmp_path / "store", {**records, key: good})
    with Store.open(tmp_path / "store", readonly=True) as store:
        assert store.done(key) == struct.pack("<2Q", 3, 4)


def test_one_record_in_place_of_another(stores: dict[str, Path], tmp_path: Path) -> None:
    """As many records as there were, but not the same: the seal's sum tells."""
    shutil.copytree(stores["proof"], tmp_path / "store")
    original = read(stores["proof"])
    pending = first_of(original, b"P")
    with lmdb.open(str(tmp_path / "store"), map_size=1 << 30) as env, env.begin(write=True) as txn:
        txn.delete(pending)
        txn.put(pending[:-8] + bytes([0, 1, 0, 0, 0, 0, 0, 0]), b"12345678")
    with pytest.raises(StoreError, match="exchanged"):
        Store.open(tmp_path / "store")


@pytest.mark.parametrize(
    "key", [b"X", b"", b"C12", b"P" + bytes(11), b"P" + bytes(4) + b"\xff" * 8, b"D" + bytes(40)]
)
def test_keys_that_cannot_be(stores: dict[str, Path], tmp_path: Path, key: bytes) -> None:
    if not key:
        key = b"Z" * 400
    shutil.copytree(stores["proof"], tmp_path / "store")
    write(tmp_path / "store", {**read(stores["proof"]), key: bytes(40)})
    said = look_at(tmp_path / "store", False)
    assert all("a record that cannot be" in text for text in said), said


WILD: list[Any] = [
    None,
    -1,
    1 << 70,
    1.5,
    "x",
    "",
    [],
    {},
    [[1]],
    {"a": 1},
    True,
    [1, 2],
    "\ud800",
    float("inf"),
]


VITAL = ("format", "id", "question", "rules", "policy", "states", "forced", "digest", "phase")


@pytest.mark.parametrize("name", few_fast(["proof", "finished"], 1))
def test_wild_manifests(stores: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Every field with every kind of value, and without one."""
    path = tmp_path / name
    shutil.copytree(stores[name], path)
    original = read(path)
    manifest = json.loads(original[b"M"])
    for field in manifest:
        for wild in WILD:
            if wild == manifest[field]:
                continue
            records = {**original, b"M": json.dumps({**manifest, field: wild}).encode()}
            write(path, records)
            for way in (inspect.status, lambda path: end_of(verify(path, sample=0.01))):
                try:
                    found = way(path)
                except StoreError as error:
                    assert "\n" not in str(error)
                else:
                    assert field not in VITAL or not getattr(found, "valid", False), field


@pytest.mark.parametrize(
    "value", [b"", b"{", b"[]", b"[" * 100_000, b"\xff\xfe", b"{}", b"null", b"1" * 10_000]
)
def test_manifests_that_are_none(stores: dict[str, Path], tmp_path: Path, value: bytes) -> None:
    shutil.copytree(stores["proof"], tmp_path / "store")
    write(tmp_path / "store", {**read(stores["proof"]), b"M": value})
    assert all(look_at(tmp_path / "store", False))
