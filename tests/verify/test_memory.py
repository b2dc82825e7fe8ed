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
from unittest.mock import Mock

import numpy as np
import pytest
from helpers.faults import check, few_at_once
from helpers.searching import prove
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import DiskFullError, SystemRefusedError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.storage.records import BlockKey, closed_key
from dbmsolver.verify import closure, temporary, windows
from dbmsolver.verify.check import verify
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.report import Verification
from dbmsolver.verify.temporary import mapped_zeros
from dbmsolver.verify.windows import Catalog

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
    few_at_once(monkeypatch, whole.states)
    assert facts(check(stores / name, memory=memory, threads=threads)) == facts(whole)


@pytest.mark.parametrize("memory", [200_000, 1_000_000])
def test_any_memory_with_costs(stores: Path, monkeypatch: pytest.MonkeyPatch, memory: int) -> None:
    whole = check(stores / "solve")
    few_at_once(monkeypatch, whole.states)
    assert facts(check(stores / "solve", memory=memory)) == facts(whole)


@pytest.mark.parametrize(
    ("name", "much"), [("proof", 400_000), ("larger", 400_000), ("solve", 800_000)]
)
def test_windows(stores: Path, monkeypatch: pytest.MonkeyPatch, name: str, much: int) -> None:
    """With much memory each state is read twice; with little, with its stratum's neighbours."""
    read: Counter[bytes] = Counter()

    def noted(store: Any, width: int, key: bytes) -> Any:
        read[key] += 1
        return read_block(store, width, key)

    read_block = closure.read_block
    monkeypatch.setattr(closure, "read_block", noted)
    assert check(stores / name).valid
    assert set(read.values()) == {2}
    counts = []
    for memory in (much, much // 4, much // 16):
        read.clear()
        assert check(stores / name, memory=memory, threads=1).valid
        counts.append(read.total())
    assert counts == sorted(counts) and counts[0] < counts[2]


def test_nothing_is_left_behind(
    stores: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary, "TemporaryFile", made := Mock(wraps=temporary.TemporaryFile))
    few_at_once(monkeypatch)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with warnings.catch_warnings(record=True) as said:  # of files that are left to the collector
        warnings.simplefilter("always", ResourceWarning)
        assert check(stores / "proof", memory=4_000).valid
    assert made.call_count > 1
    assert [str(one.message) for one in said] == []
    assert not list(tmp_path.iterdir())
    assert len(list(Path("/proc/self/fd").iterdir())) == opened


def test_a_full_disk_is_not_the_stores_fault(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    few_at_once(monkeypatch)
    monkeypatch.setattr(temporary, "reserve", full)
    with pytest.raises(DiskFullError, match="No space left"):
        check(stores / "larger", memory=20_000)


@pytest.mark.parametrize("memory", [2_000, 1 << 30])
def test_progress(stores: Path, monkeypatch: pytest.MonkeyPatch, memory: int) -> None:
    monkeypatch.setattr("dbmsolver.verify.report.INTERVAL", 0.0)
    moments = list(verify(stores / "proof", memory=memory))
    phases = list(dict.fromkeys(event.phase for event in moments))
    assert phases == ["reading", "checking"]
    shares = [event.share for event in moments]
    assert shares == sorted(shares) and shares[-1] == 1.0
    states = [event.states for event in moments]
    assert states == sorted(states)
    assert states[-1] == moments[-1].all_states


def test_a_sample_reads_what_it_needs_only(stores: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little memory has windows of few strata: those of the blocks that are chosen."""
    read: set[bytes] = set()

    def noted(store: Any, width: int, key: bytes) -> Any:
        read.add(key)
        return read_block(store, width, key)

    read_block = closure.read_block
    monkeypatch.setattr(closure, "read_block", noted)
    report = check(stores / "larger", sample=1e-9, seed=3, memory=20_000)
    assert report.valid, report.reason
    assert 0 < len(read) < report.all_blocks // 2


@pytest.mark.parametrize("memory", [2_000, 1 << 30])
def test_samples_with_any_memory(
    stores: Path, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    few_at_once(monkeypatch)
    for seed in range(3):
        report = check(stores / "proof", sample=0.3, seed=seed, memory=memory)
        assert report.valid, report.reason


def test_no_room_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room is taken at once: a page that finds none later would be a signal."""

    def refuse(file: int, size: int) -> None:
        raise OSError(errno.ENOSPC, f"no room for {size} bytes")

    monkeypatch.setattr(temporary, "reserve", refuse)
    with pytest.raises(DiskFullError, match="cannot be written: no room for 4000 bytes"):
        mapped_zeros(1000, np.int32)


def test_no_place_for_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> NoReturn:
        raise OSError(errno.EACCES, "no place")

    monkeypatch.setattr(temporary, "TemporaryFile", refuse)
    with pytest.raises(DiskFullError, match="a temporary file cannot be written: no place"):
        mapped_zeros(1000, np.int32)


def test_files() -> None:
    zeros = mapped_zeros(1000, np.int32)
    zeros[7] = 5
    assert zeros.sum() == 5


def catalog_of(sizes: dict[int, int], counted: int) -> Catalog:
    """Return the catalogue of a store with these states in its strata, in blocks of five or less.

    So many states were counted.
    """
    blocks: dict[bytes, int] = {}
    for stratum, states in sizes.items():
        for first in range(0, states, 5):
            key = closed_key(b"C", BlockKey(0, stratum, first, first, len(blocks)))
            blocks[key] = min(5, states - first)

    def claimed(store: Any, width: int, key: bytes) -> tuple[int, int]:
        return blocks[key], 9 * blocks[key]

    store: Any = SimpleNamespace(
        keys=lambda kind: sorted(blocks),
        manifest=SimpleNamespace(states=counted, forced=0),
    )
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(windows, "claimed_by", claimed)
        return Catalog(store, 1)


SIZES = {3: 4, 4: 10, 5: 12, 6: 6, 8: 7, 9: 1}


@pytest.mark.parametrize(
    ("lift", "memory", "wanted"),
    [
        (2, 40, [([3, 4, 5, 6, 8, 9], 1)]),
        (2, 39, [([3, 4, 5, 6], 1), ([8, 9], 1)]),
        (2, 32, [([3, 4, 5], 1), ([6, 8, 9], 1)]),
        (2, 28, [([3], 1), ([4, 5], 1), ([6, 8, 9], 1)]),
        (2, 27, [([3], 1), ([4], 2), ([5, 6, 8, 9], 1)]),
        (2, 9, [([3], 3), ([4], 4), ([5], 2), ([6], 2), ([8, 9], 1)]),
        (0, 12, [([3], 1), ([4], 1), ([5], 1), ([6], 1), ([8, 9], 1)]),
        (14, 39, [([3], 2), ([4, 5, 6, 8, 9], 1)]),
        (None, 1000, [([3, 4, 5, 6, 8, 9], 1)]),
        (None, 13, [([3, 4, 5, 6, 8, 9], 4)]),
    ],
)
def test_plans_of_windows(
    lift: int | None, memory: int, wanted: list[tuple[list[int], int]]
) -> None:
    """As many strata as fit with those that moves lead to; else the fewest parts that fit."""
    catalog = catalog_of(SIZES, 40)
    plans = [*catalog.windows({*SIZES}, lift, 1, memory)]
    assert [(plan.checked, plan.parts) for plan in plans] == wanted
    for plan in plans:
        last = max(SIZES) if lift is None else plan.checked[-1] + lift
        near = [stratum for stratum in SIZES if plan.checked[0] <= stratum <= last]
        assert [block.stratum for block in plan.blocks] == sorted(
            stratum for stratum in near for _ in range(0, SIZES[stratum], 5)
        )
        number = 0
        for block in plan.blocks:
            assert plan.firsts[block.key] == number
            number += block.states
        assert plan.states == number == sum(SIZES[stratum] for stratum in near)
        for stratum in near:
            first, last = plan.ranges[stratum]
            assert last - first == SIZES[stratum]
            assert first == sum(SIZES[one] for one in near if one < stratum)


def test_windows_of_some_strata() -> None:
    plans = [*catalog_of(SIZES, 40).windows({4, 9}, 2, 1, 30)]
    assert [(plan.checked, plan.states) for plan in plans] == [([4], 28), ([9], 1)]


def test_far_more_states_than_were_counted() -> None:
    """Twice as many, and 65,536 more, may be an error that the check itself finds."""
    assert catalog_of({1: 65_556}, 10).states == 65_556
    with pytest.raises(Refuted) as caught:
        catalog_of({1: 65_557}, 10)
    assert caught.value.reason == "blocks claim 65,557 states, and 10 were counted"


def test_more_states_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "MOST_STATES", 32)
    assert [*catalog_of(SIZES, 40).windows({3, 4}, 2, 1, 999)]
    with pytest.raises(SystemRefusedError, match="40 states are too many to be numbered"):
        [*catalog_of(SIZES, 40).windows({3, 9}, 2, 1, 999)]
