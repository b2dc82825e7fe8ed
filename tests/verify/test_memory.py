"""The verifier says the same with any memory, and leaves nothing behind."""

from __future__ import annotations

import errno
import os
import tempfile
import warnings
from collections import Counter
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest
from helpers.faults import check
from helpers.searching import prove
from helpers.selection import few_fast
from helpers.small_partitions import small_partitions

from dbmsolver import api
from dbmsolver.errors import DiskFullError, InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.verify import blocks, partitions, spill
from dbmsolver.verify.check import verify
from dbmsolver.verify.division import choose
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.partitions import PartitionLoader, cut, state_bytes
from dbmsolver.verify.report import Verification
from dbmsolver.verify.row_queues import RowQueues
from dbmsolver.verify.spill import Spill, mapped_zeros

BUDGETS = [2_000, 20_000, 200_000, 1_000_000]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two proofs, a shortest solution, and a proof whose states take three planes."""
    folder = tmp_path_factory.mktemp("stores")
    prove(Deal.from_number(6139, rules_for("freecell", 3)), store=folder / "proof")
    prove(Deal.from_number(146692), store=folder / "larger")
    api.solve(Deal.from_number(3), store=folder / "solve")
    rules = Rules("any suit, any fill", 6, 0, "any", "any")
    prove(Deal.from_number(7, rules), store=folder / "wide")
    return folder


def facts(report: Verification) -> list[Any]:
    return [
        report.valid,
        report.reason,
        report.states,
        report.forced,
        report.digest,
        report.strata,
        report.checked,
    ]


@pytest.mark.parametrize(
    ("name", "memory", "threads"),
    few_fast(product(["proof", "larger", "wide"], BUDGETS, [1, 3]), 7),
)
def test_any_memory(
    stores: Path, monkeypatch: pytest.MonkeyPatch, name: str, memory: int, threads: int
) -> None:
    whole = check(stores / name)
    assert whole.valid
    small_partitions(monkeypatch)
    assert facts(check(stores / name, memory=memory, threads=threads)) == facts(whole)


@pytest.mark.parametrize("memory", [200_000, 1_000_000])
def test_any_memory_with_costs(stores: Path, monkeypatch: pytest.MonkeyPatch, memory: int) -> None:
    whole = check(stores / "solve")
    small_partitions(monkeypatch)
    assert facts(check(stores / "solve", memory=memory)) == facts(whole)


def test_each_partition_is_loaded_twice_at_most(
    stores: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: Counter[int] = Counter()
    sorted_out: Counter[int] = Counter()
    load, sort_out = partitions.PartitionLoader.load, partitions.sort_out

    def counted(self: Any, number: int, *args: Any) -> Any:
        loads[number] += 1
        return load(self, number, *args)

    def counted_sorting(store: Any, form: Any, catalog: Any, plan: Any, readers: Any) -> Any:
        sorted_out[plan.split] += 1
        return sort_out(store, form, catalog, plan, readers)

    monkeypatch.setattr(partitions.PartitionLoader, "load", counted)
    monkeypatch.setattr(partitions, "sort_out", counted_sorting)
    small_partitions(monkeypatch)
    assert check(stores / "larger", memory=20_000).valid
    assert len(loads) > 50
    assert set(loads.values()) == {1, 2}
    assert set(sorted_out.values()) == {1}


def test_nothing_is_left_behind(
    stores: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    small_partitions(monkeypatch)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with warnings.catch_warnings(record=True) as said:  # of files that are left to the collector
        warnings.simplefilter("always", ResourceWarning)
        assert check(stores / "larger", memory=20_000).valid
    assert [str(one.message) for one in said] == []
    assert not list(tmp_path.iterdir())
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_a_full_disk_is_not_the_stores_fault(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    small_partitions(monkeypatch)
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DiskFullError, match="No space left"):
        check(stores / "larger", memory=20_000)


def test_phases(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbmsolver.verify.claim.INTERVAL", 0.0)
    small_partitions(monkeypatch)
    moments = list(verify(stores / "proof", memory=2_000))
    phases = list(dict.fromkeys(event.phase for event in moments))
    assert phases == ["reading the store", "dividing a signature", "checking", "looking up"]
    assert all(0 <= event.share <= 1 for event in moments)
    for phase in ("checking", "looking up"):
        shares = [event.share for event in moments if event.phase == phase]
        assert shares == sorted(shares)
    assert moments[-1].states == moments[-1].all_states


def test_a_sample_decodes_what_it_needs_only(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: set[bytes] = set()
    read = partitions.read_body

    def noted(store: Any, form: Any, key: bytes) -> Any:
        decoded.add(key)
        return read(store, form, key)

    monkeypatch.setattr(partitions, "read_body", noted)
    monkeypatch.setattr(blocks, "read_body", noted)
    report = check(stores / "larger", sample=1e-9, seed=3)
    assert report.valid, report.reason
    assert 0 < len(decoded) < report.all_blocks // 2


@pytest.mark.parametrize("memory", [2_000, 1 << 30])
def test_samples_with_any_memory(
    stores: Path, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    small_partitions(monkeypatch)
    for seed in range(3):
        report = check(stores / "proof", sample=0.3, seed=seed, memory=memory)
        assert report.valid, report.reason


@pytest.mark.parametrize("memory", [0, 3000, 1 << 20])
def test_rows_arrive(memory: int) -> None:
    random = np.random.default_rng(1)
    row_queues = RowQueues(np.array([1, 1, 5]), 2, memory)
    sent: dict[int, list[list[int]]] = {0: [], 1: [], 2: []}
    for _ in range(100):
        partition = int(random.integers(3))
        rows = random.integers(1 << 30, size=(int(random.integers(1, 9)), 4)).astype(np.uint64)
        sent[partition] += rows.tolist()
        row_queues.send(partition, rows)
    everything = sum(32 * len(rows) for rows in sent.values())
    assert everything - memory <= row_queues.spilled <= everything * (everything > memory)
    for partition, rows_sent in sent.items():
        assert row_queues.runs(partition).tolist() == sorted({row[-1] for row in rows_sent})
        batches = [batch.open() for batch in row_queues.take(partition, 10)]
        assert max(len(rows) for rows in batches) <= 10
        assert sorted(np.concatenate(batches).tolist()) == sorted(rows_sent)
        assert not row_queues.has(partition)
    row_queues.close()
    assert row_queues.spilled == 0


def test_files_of_strata_are_removed() -> None:
    """Files go of strata that no rows wait for, or of all strata from one on."""
    queues = RowQueues(np.array([1, 4, 5]), 2, 0)
    rows = np.zeros((1, 4), np.uint64)
    for close, left in ((queues.close_unused, 1), (lambda: queues.close(5), 2)):
        for partition in range(3):
            queues.send(partition, rows)
        for partition in (2, 1):
            assert [batch.open().tolist() for batch in queues.take(partition, 9)] == [[[0] * 4]]
        assert queues.spilled == 3 * rows.nbytes
        close()
        assert queues.spilled == left * rows.nbytes
        assert [batch.open().tolist() for batch in queues.take(0, 9)] == [[[0] * 4]]
        queues.close()
        assert queues.spilled == 0


def test_no_room_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room is taken at once: a page that finds none later would be a signal."""

    def refuse(file: int, size: int) -> None:
        raise OSError(errno.ENOSPC, f"no room for {size} bytes")

    monkeypatch.setattr(spill, "reserve", refuse)
    with pytest.raises(DiskFullError, match="cannot be written: no room for 4000 bytes"):
        mapped_zeros(1000, np.int32)


def test_no_place_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> NoReturn:
        raise OSError(errno.EACCES, "no place")

    monkeypatch.setattr(spill, "TemporaryFile", refuse)
    for make in (Spill, lambda: mapped_zeros(1000, np.int32)):
        with pytest.raises(DiskFullError, match="a temporary file cannot be written: no place"):
            make()


def check_spill(*sizes: int) -> None:
    """Check that arrays of these sizes are read back as they were written."""
    file = Spill()
    arrays = [np.arange(size, dtype=np.uint64) for size in sizes]
    offsets = [file.write(array) for array in arrays]
    for offset, array in zip(offsets, arrays, strict=True):
        found = np.zeros_like(array)
        file.read_into(offset, found)
        assert found.tolist() == array.tolist()
    file.close()


def test_a_system_that_writes_and_reads_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Linux does from two GiB on: what is left follows."""
    write, read = os.pwrite, os.preadv
    monkeypatch.setattr(os, "pwrite", lambda file, data, place: write(file, data[:7], place))
    monkeypatch.setattr(
        os, "preadv", lambda file, buffers, place: read(file, [buffers[0][:5]], place)
    )
    check_spill(9, 4)


def test_a_file_that_ends_too_early() -> None:
    """It is told, and not waited for."""
    file = Spill()
    file.write(np.arange(3))
    with pytest.raises(InternalError, match="ends before what was written to it"):
        file.read_into(16, np.zeros(2, np.int64))
    file.close()


def test_files() -> None:
    check_spill(5, 0, 1000)
    zeros = mapped_zeros(1000, np.int32)
    zeros[7] = 5
    assert zeros.sum() == 5


@pytest.mark.parametrize("most", [1, 10, 100, 5000])
def test_pieces_are_no_larger_than_planned(most: int) -> None:
    """States with a few bits each, some of which say little."""
    form = make_format(Deal.from_number(3), "wkr")
    random = np.random.default_rng(2)
    words = random.integers(1 << 12, size=(3000, 2)).astype(np.uint64)
    words[:, 0] &= np.uint64(0x0F0)
    planes = np.unique(words, axis=0)
    division = choose(form, planes.ravel(), np.zeros(planes.shape[0], np.uint16), most)
    bits = division.bits[1 : 1 + division.bits[0]]
    cells = np.zeros(planes.shape[0], np.int64)
    for bit in bits.tolist():
        word = planes[:, bit // 64] >> np.uint64(bit % 64)
        cells = 2 * cells + (word & np.uint64(1)).astype(np.int64)
    sizes = np.bincount(division.cells[cells], minlength=division.pieces)
    assert sizes.size == division.pieces
    assert sizes.max() <= most
    assert division.cards == sum({1 << (bit & 63) for bit in bits.tolist()})
    assert (division.pieces == 1) == (most == 5000)


@pytest.mark.parametrize(
    ("free", "wanted", "left"),
    [
        (0, set(), [1, 2, 3]),
        (1, set(), [2, 3]),
        (40, set(), [2, 3]),
        (41, set(), [3]),
        (41, {2}, [2]),
        (41, {1, 2}, [1, 2]),
        (999, {3}, [3]),
    ],
)
def test_room_for_another_partition(free: int, wanted: set[int], left: list[int]) -> None:
    """The first that were loaded go, as few as will do; the wanted ones stay.

    ``free`` are the bytes that are lacking when the other one is loaded, too.
    """
    form = make_format(Deal.from_number(3), "wkr")
    nothing: Any = None
    plans: Any = SimpleNamespace(partitions=[SimpleNamespace(split=-1, states=10)] * 4)
    sizes = {1: 40, 2: 50, 3: 60}
    memory = sum(sizes.values()) + 10 * state_bytes(form) - free
    loader = PartitionLoader(nothing, form, plans, memory, costs=False)
    there: Any = {number: SimpleNamespace(nbytes=size) for number, size in sizes.items()}
    loader.resident.update(there)
    loader.make_room(0, wanted)
    assert list(loader.resident) == left


def test_cuts() -> None:
    segments = np.array([[0, 0, 5, 0], [1, 5, 1, 0], [2, 6, 10, 1]])
    parts = list(cut(segments, 4))
    assert [int(part[:, 2].sum()) for part in parts] == [4, 4, 4, 4]
    numbers = [
        n for part in parts for _, first, count, _ in part for n in range(first, first + count)
    ]
    assert numbers == list(range(16))
