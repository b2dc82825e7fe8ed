"""Faults of disks and stores: a clear end, nothing damaged used or left."""

from __future__ import annotations

import resource
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lmdb
import pytest
from helpers.searching import prove
from helpers.selection import few_fast

from dbmsolver.api import solve
from dbmsolver.errors import DiskFullError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Commit, Report, Result
from dbmsolver.search import inspect, recorder, session
from dbmsolver.storage import environment
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.transaction import Transaction

DEAL = Deal.from_number(11982)
STATES = 61_643


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which temporary stores are made; nothing may be left there."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the stores that tests get copies of."""
    path = tmp_path_factory.mktemp("originals")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorder, "COMMIT_SECONDS", 0.0)
        assert prove(DEAL, store=path / "begun", max_states=30_000).verdict == "undecided"
    assert solve(Deal.from_number(3), store=path / "finished").length == 73
    return path


@pytest.fixture
def begun(originals: Path, tmp_path: Path) -> Path:
    """Return a store with about half of a proof, in several commits."""
    return Path(shutil.copytree(originals / "begun", tmp_path / "store"))


@pytest.fixture
def finished(originals: Path, tmp_path: Path) -> Path:
    """Return a store with a solution."""
    return Path(shutil.copytree(originals / "finished", tmp_path / "finished"))


def change(path: Path, kinds: bytes, how: Callable[[bytes], bytes | None]) -> list[bytes]:
    """Change all records of some kinds behind the program's back; their keys."""
    changed = []
    with (
        lmdb.open(str(path), map_size=1 << 30) as environment,
        environment.begin(write=True) as txn,
    ):
        for key, value in list(txn.cursor()):
            if key[:1] in kinds:
                changed.append(key)
                new = how(value)
                if new is None:
                    txn.delete(key)
                else:
                    txn.put(key, new)
    assert changed
    return changed


def flipped(value: bytes) -> bytes:
    return (
        value[: len(value) // 2]
        + bytes([value[len(value) // 2] ^ 4])
        + value[len(value) // 2 + 1 :]
    )


def truncated(value: bytes) -> bytes:
    return value[: len(value) // 2]


def headless(value: bytes) -> bytes:
    return value[:5]


@pytest.mark.parametrize("how", [flipped, truncated, headless])
def test_damaged_pending_blocks_are_named(begun: Path, how: Callable[[bytes], bytes]) -> None:
    change(begun, b"PB", how)
    with pytest.raises(
        StoreError, match=r"store: pending block \d+ of layer 0, stratum \d+: .*damaged"
    ):
        prove(DEAL, store=begun)


@pytest.mark.parametrize("how", [flipped, truncated, headless])
def test_damaged_closed_blocks_are_named(tmp_path: Path, how: Callable[[bytes], bytes]) -> None:
    """Layers need their closed states to go on."""
    path = tmp_path / "store"
    assert solve(DEAL, store=path, max_states=20_000).limit == "max-states"
    change(path, b"C", how)
    with pytest.raises(
        StoreError, match=r"store: closed block \d+ of layer \d+, stratum \d+.*damaged"
    ):
        solve(DEAL, store=path)


@pytest.mark.parametrize("how", [flipped, truncated, headless])
def test_damaged_blocks_on_the_way_back(finished: Path, how: Callable[[bytes], bytes]) -> None:
    deal = Deal.from_number(3)
    moves = solve(deal, store=finished).moves
    position = deal.position
    for move in moves[:20]:
        position = position.apply(move)
    assert inspect.lookup(finished, position) is not None
    change(finished, b"C", how)
    with pytest.raises(StoreError, match=r"closed block \d+ of layer \d+, stratum \d+.*damaged"):
        inspect.lookup(finished, position)


@pytest.mark.parametrize("how", [flipped, truncated, headless])
def test_status_of_a_damaged_store_is_no_crash(begun: Path, how: Callable[[bytes], bytes]) -> None:
    change(begun, b"PB", how)
    try:
        inspect.status(begun)
    except StoreError as error:
        assert str(begun) in str(error)


def test_missing_parents_are_noticed(finished: Path) -> None:
    deal = Deal.from_number(3)
    position = deal.position
    for move in solve(deal, store=finished).moves[:40]:
        position = position.apply(move)
    change(finished, b"C", lambda value: value)  # they are there
    with (
        lmdb.open(str(finished), map_size=1 << 30) as environment,
        environment.begin(write=True) as txn,
    ):
        keys = [key for key, _ in txn.cursor() if key[:1] == b"C"]
        for key in keys[: len(keys) // 2]:
            txn.delete(key)
    try:
        assert inspect.lookup(finished, position) is None
    except StoreError as error:
        assert "missing" in str(error)


@pytest.mark.parametrize(
    "manifest",
    [
        b"",
        b"\xff\xfe",
        b"[1, 2]",
        b'"text"',
        b"{}",
        b'{"format": 1}',
        b'{"format": 2}',
        b'{"format": 1, "question": "prove", "verdict": null}',
        b'{"format": 1, "question": "prove", "verdict": null, "deal": 3, "rules": {}}',
    ],
)
def test_damaged_manifests(begun: Path, manifest: bytes) -> None:
    change(begun, b"M", lambda _: manifest)
    asks: list[Callable[[], Any]] = [
        lambda: prove(DEAL, store=begun),
        lambda: next(session.resume(begun)),
        lambda: inspect.status(begun),
        lambda: inspect.lookup(begun, DEAL.position),
        lambda: inspect.deal(begun),
    ]
    for ask in asks:
        with pytest.raises(StoreError) as caught:
            ask()
        assert str(begun) in str(caught.value) and "\n" not in str(caught.value)


def test_flipped_bits_of_manifests(begun: Path) -> None:
    """A manifest that still reads is not believed if it is not what was written."""
    change(begun, b"M", lambda value: value.replace(b'"states":', b'"states":1'))
    with pytest.raises(StoreError, match="manifest is damaged"):
        prove(DEAL, store=begun)


@pytest.mark.parametrize("kinds", [b"P", b"C"])
def test_missing_records_are_noticed(begun: Path, kinds: bytes) -> None:
    """Without a block of candidates a proof would be wrong and look right."""
    change(begun, kinds, lambda _: None)
    with pytest.raises(StoreError, match="records are missing"):
        prove(DEAL, store=begun)


def test_a_store_that_was_only_just_begun(tmp_path: Path) -> None:
    """A process may be killed between making the environment and its first transaction."""
    path = tmp_path / "store"
    path.mkdir()
    with lmdb.open(str(path)):
        pass
    (path / "writer.lock").touch()
    assert prove(DEAL, store=path).verdict == prove(DEAL).verdict


def test_seals_that_are_cut_short(begun: Path) -> None:
    change(begun, b"S", lambda value: value[:-1])
    with pytest.raises(StoreError, match="manifest is damaged"):
        prove(DEAL, store=begun)


def test_foreign_environments(tmp_path: Path) -> None:
    for number, make in enumerate((_other_lmdb, _no_lmdb, _empty_file)):
        path = tmp_path / f"foreign{number}"
        path.mkdir()
        make(path)
        before = {file.name: file.read_bytes() for file in path.iterdir()}
        for _ in range(2):  # the first refusal leaves nothing open
            with pytest.raises(StoreError, match=str(path)):
                prove(DEAL, store=path)
            with pytest.raises(StoreError, match=str(path)):
                inspect.status(path)
        after = {file.name: file.read_bytes() for file in path.iterdir() if file.name in before}
        assert after == before


def _other_lmdb(path: Path) -> None:
    with lmdb.open(str(path), lock=False) as environment, environment.begin(write=True) as txn:
        txn.put(b"some", b"thing")


def _no_lmdb(path: Path) -> None:
    (path / "data.mdb").write_bytes(b"not LMDB" * 1000)


def _empty_file(path: Path) -> None:
    (path / "data.mdb").write_bytes(b"")


def test_places_where_no_store_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    full = tmp_path / "full"
    full.mkdir()
    (full / "letter").write_text("Dear")
    for path in (tmp_path / "file", tmp_path / "file" / "store", full, Path("/proc/self/store")):
        with pytest.raises(StoreError, match=str(path)):
            prove(DEAL, store=path)
    assert [file.name for file in full.iterdir()] == ["letter"]


# Full disks.


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception, after: int) -> None:
    """Let the commits after the first few fail."""
    real = Transaction.put_manifest
    calls = [0]

    def put_manifest(self: Transaction, manifest: Manifest) -> None:
        calls[0] += 1
        if calls[0] > after:
            raise error
        real(self, manifest)

    monkeypatch.setattr(Transaction, "put_manifest", put_manifest)


@pytest.mark.parametrize("question", ["prove", "solve"])
@pytest.mark.parametrize("after", few_fast([2, 3, 6], 1))
@pytest.mark.parametrize(
    "error",
    [
        lmdb.Error("mdb_txn_commit: No space left on device"),
        lmdb.DiskError("mdb_txn_commit: No space left on device"),
        lmdb.MapFullError("mdb_put: MDB_MAP_FULL: Environment mapsize limit reached"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_full_disk(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    error: Exception,
    after: int,
) -> None:
    path = tmp_path / "store"
    ask = solve if question == "solve" else prove
    with monkeypatch.context() as patch:
        patch.setattr(recorder, "COMMIT_SECONDS", 0.0)
        failing(patch, error, after)
        result = ask(DEAL, store=path)
        assert (result.verdict, result.limit) == ("undecided", "disk full")
    result = ask(DEAL, store=path)  # there is room again
    assert (result.verdict, result.states) == ("unsolvable", STATES)


def test_map_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "store"
    with monkeypatch.context() as patch:
        patch.setattr(environment, "MAP_SIZE", 256 << 10)
        result = prove(DEAL, store=path)
        assert (result.verdict, result.limit) == ("undecided", "disk full")
    assert prove(DEAL, store=path).states == STATES


def test_file_size_limit(tmp_path: Path) -> None:
    """A real refusal of the system to let the file grow."""
    path = tmp_path / "store"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200 << 10, before[1]))
    try:
        result = prove(DEAL, store=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (result.verdict, result.limit) == ("undecided", "disk full")
    assert prove(DEAL, store=path).states == STATES


def test_max_disk(tmp_path: Path) -> None:
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    path = tmp_path / "store"
    result = prove(deal, store=path, max_disk=1 << 16)
    assert (result.verdict, result.limit) == ("undecided", "max-disk")
    assert prove(deal, store=path).states == 534_206


# Nothing is left behind.


@pytest.mark.parametrize("question", ["prove", "solve"])
def test_temporary_stores_are_removed(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    ask: Callable[..., Result] = solve if question == "solve" else prove
    assert ask(DEAL).verdict == "unsolvable"
    assert ask(DEAL, max_states=100).limit == "max-states"
    for error in (KeyboardInterrupt(), InternalError("wrong"), ZeroDivisionError()):

        def fail(event: Report | Commit, error: BaseException = error) -> None:
            assert list(temporary.iterdir())
            raise error

        with pytest.raises(type(error)):
            ask(DEAL, progress=fail)
    with monkeypatch.context() as patch:
        failing(patch, lmdb.Error("No space left on device"), 0)
        with pytest.raises(DiskFullError):
            ask(DEAL)
    assert list(temporary.iterdir()) == []
