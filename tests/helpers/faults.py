"""Runs of the verifier, and ways to spoil a store, for its tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dbmsolver.errors import StoreError
from dbmsolver.storage.blocks import Runs, encode_block, read_block
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.records import Closed, parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify import closure, report
from dbmsolver.verify.check import verify
from dbmsolver.verify.report import Progress, Verification
from helpers.searching import end_of


def check(path: Path, **options: Any) -> Verification:
    """Run the verifier to its end."""
    return end_of(verify(path, **options))


def events_of(path: Path, **options: Any) -> list[Progress]:
    """Run the verifier to its end; return all the progress that it can tell."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(report, "INTERVAL", 0.0)
        return list(verify(path, **options))


def check_in_parts(path: Path, **options: Any) -> Verification:
    """Run the verifier with usual and with little memory, which come to the same answer.

    Thousands of states get more of it, as the check of each part reads all blocks.
    """
    report = check(path, **options)
    small = check(path, memory=max(1 << 13, 8 * report.states), **options)
    assert small.valid == report.valid, (small.reason, report.reason)
    if report.valid:
        for name in ("states", "all_states", "digest", "strata", "checked"):
            assert getattr(small, name) == getattr(report, name)
    return report


def few_at_once(monkeypatch: pytest.MonkeyPatch, of: int = 0) -> None:
    """Let threads of the verifier read few states of a block at a time.

    Of a store of thousands of states, which has larger blocks, it is a few hundredths of one.
    """
    monkeypatch.setattr(closure, "_AT_ONCE", max(7, of // 500))


def closed_keys(path: Path) -> list[bytes]:
    """Keys of the store's closed blocks."""
    with Store.open(path, readonly=True) as store:
        return store.keys(b"C")


def closed_states(path: Path) -> list[tuple[bytes, int]]:
    """Every closed state: its block, and its number there."""
    with Store.open(path, readonly=True) as store:
        sizes = [(key, read_block(store, key).codes.size) for key in store.keys(b"C")]
    return [(key, number) for key, size in sizes for number in range(size)]


def change_block(path: Path, key: bytes, change: Callable[[Runs], Runs | None]) -> None:
    """Replace a block by what ``change`` makes of it, checksum and all."""
    with Store.open(path) as store:
        place = parse_closed_key(key)
        runs = change(read_block(store, key))
        with store.write() as txn:
            txn.delete(key)
            if runs is not None:
                put_block(txn, place.layer, place.stratum, runs)


def put_block(txn: Any, layer: int, stratum: int, runs: Runs) -> None:
    """Write a block as the search does."""
    first, last = int(runs.signatures.min()), int(runs.signatures.max())
    data = encode_block(runs)
    txn.put_closed(Closed(layer, stratum, first, last, runs.codes.size, data))


def without(runs: Runs, number: int) -> Runs | None:
    """Return the block without a state."""
    if runs.codes.size == 1:
        return None
    run = int(np.searchsorted(np.cumsum(runs.counts), number, side="right"))
    counts = runs.counts.copy()
    counts[run] -= 1
    words = slice(runs.key_words * number, runs.key_words * (number + 1))
    kept = counts > 0
    return replace(
        runs,
        signatures=runs.signatures[kept],
        counts=counts[kept],
        keys=np.delete(runs.keys, np.r_[words]),
        codes=np.delete(runs.codes, number),
    )


def with_code(runs: Runs, number: int, code: int) -> Runs:
    """Return the block with another parent-move code for a state."""
    codes = runs.codes.copy()
    codes[number] = code
    return replace(runs, codes=codes)


def with_key(runs: Runs, number: int, key: int) -> Runs:
    """Return the block with another (narrow) local key for a state, sorted again."""
    keys, codes = runs.keys.copy(), runs.codes.copy()
    keys[number] = key
    ends = np.cumsum(runs.counts)
    run = int(np.searchsorted(ends, number, side="right"))
    part = slice(int(ends[run] - runs.counts[run]), int(ends[run]))
    order = np.argsort(keys[part])
    keys[part], codes[part] = keys[part][order], codes[part][order]
    return replace(runs, keys=keys, codes=codes)


def insert(path: Path, layer: int, form: Any, signature: int, key: int, code: int = 0) -> None:
    """Add a block of one state with a narrow key."""
    signatures = np.array([signature], np.uint64)
    codes = np.array([code], np.uint8 if form.code_bytes == 1 else np.uint16)
    runs = Runs(signatures, np.array([1]), np.array([key], np.uint64), codes, 1)
    with Store.open(path) as store, store.write() as txn:
        put_block(txn, layer, int(form.form.progress(signatures)[0]), runs)


class _Forged(Manifest):
    """A manifest that nobody has checked."""

    def __init__(self, real: Manifest, members: dict[str, Any]) -> None:
        for one in fields(real):
            object.__setattr__(self, one.name, getattr(real, one.name))
        object.__setattr__(self, "members", members)

    def to_json(self) -> bytes:
        members: dict[str, Any] = getattr(self, "members")  # noqa: B009  # the fields are frozen
        return json.dumps(members).encode()


def change_manifest(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the manifest in place."""
    with Store.open(path) as store:
        members = json.loads(store.manifest.to_json())
        change(members)
        with store.write() as txn:
            txn.put_manifest(_Forged(store.manifest, members))


__all__ = ["StoreError"]


def make_counts_fit(path: Path) -> None:
    """Let the manifest say what is in the store, as one who means to deceive would.

    Then only the states can tell.
    """
    report = check(path)

    def fit(manifest: dict[str, Any]) -> None:
        manifest["states"], manifest["forced"] = report.states, report.forced
        manifest["strata"] = [list(row) for row in report.strata]
        manifest["digest"] = report.digest or manifest["digest"]

    change_manifest(path, fit)
