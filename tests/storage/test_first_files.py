"""Stores whose process was stopped before their first commit, at each step of making the files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.searching import prove

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.storage.environment import Environment

DEAL = Deal.from_number(11982, rules_for("freecell", 0))


def only_the_lock(path: Path) -> None:
    (path / "data.mdb").unlink()
    (path / "lock.mdb").unlink()


def no_data(path: Path) -> None:
    (path / "data.mdb").unlink()


def no_page(path: Path) -> None:
    os.truncate(path / "data.mdb", 0)


def one_page(path: Path) -> None:
    os.truncate(path / "data.mdb", (path / "data.mdb").stat().st_size // 2)


def no_record(path: Path) -> None:
    """Nothing is taken away."""


@pytest.fixture
def first_files(tmp_path: Path) -> Path:
    """Return a store with the files that there are just before the first commit."""
    path = tmp_path / "store"
    path.mkdir()
    Environment(path, durable=True, new=True).close()
    assert {"data.mdb", "lock.mdb", "writer.lock"} == {file.name for file in path.iterdir()}
    return path


@pytest.mark.parametrize("left", [only_the_lock, no_data, no_page, one_page, no_record])
def test_a_search_begins_there(first_files: Path, left: Callable[[Path], None]) -> None:
    left(first_files)
    undisturbed = prove(DEAL, store=first_files.with_name("other"))
    assert prove(DEAL, store=first_files).digest == undisturbed.digest


@pytest.mark.parametrize("left", [no_data, no_page, one_page])
def test_files_of_nobody_are_left_alone(first_files: Path, left: Callable[[Path], None]) -> None:
    """Without a lock of ours, somebody else has made them."""
    left(first_files)
    (first_files / "writer.lock").unlink()
    before = {file.name: file.read_bytes() for file in first_files.iterdir()}
    with pytest.raises(StoreError, match="store"):
        prove(DEAL, store=first_files)
    after = {file.name: file.read_bytes() for file in first_files.iterdir()}
    assert {name: after[name] for name in before} == before


def test_a_store_that_was_cut_after_its_first_commit_is_damaged(tmp_path: Path) -> None:
    """Its first meta page tells of a commit."""
    store = tmp_path / "store"
    prove(DEAL, store=store)
    page = os.sysconf("SC_PAGE_SIZE")
    for first in (0, page):  # the newer of the two meta pages may be either
        copy = tmp_path / f"copy-{first}"
        shutil.copytree(store, copy)
        whole = (store / "data.mdb").read_bytes()
        (copy / "data.mdb").write_bytes(whole[first : first + page])
        with pytest.raises(StoreError, match="damaged"):
            prove(DEAL, store=copy)


def test_a_store_of_one_commit_is_not_made_anew(first_files: Path) -> None:
    """Its first meta page tells of no commit, as only the second was written."""
    records = Environment(first_files, durable=True, new=True)
    with records.write() as txn:
        txn.put(b"P", b"value")
    records.close()
    again = Environment(first_files, durable=True, new=True)
    assert (again.entries(), again.get(b"P")) == (1, b"value")
    again.close()
