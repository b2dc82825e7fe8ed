"""Claims of an answer, and of a search that is under way, against the records of the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.fake_search import nearly_done
from helpers.faults import change_manifest, put_block
from helpers.searching import prove

from dbmsolver.api import solve
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.search.evidence import check_answer, check_unfinished
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.manifest import deal_of
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(10)
LOST = Deal.from_number(11982)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return stores of a proof, of a search with a solution, and of a proof under way."""
    folder = tmp_path_factory.mktemp("kept")
    stores = {name: folder / name for name in ("proof", "won", "half")}
    assert prove(LOST, store=stores["proof"]).verdict == "unsolvable"
    found = solve(DEAL, any_solution=True, store=stores["won"], max_states=5_000)
    assert found.length and not found.shortest and found.states
    assert prove(LOST, store=stores["half"], max_states=20_000).verdict == "undecided"
    return stores


@pytest.fixture
def copied(kept: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies one of the stores."""
    return lambda name: shutil.copytree(kept[name], tmp_path / name)


def checked(path: Path, check: Callable[[Store, Deal], list[str]] = check_unfinished) -> list[str]:
    with Store.open(path, readonly=True) as store:
        return check(store, deal_of(store.manifest, "here"))


def refused(
    path: Path, said: str, check: Callable[[Store, Deal], list[str]] = check_unfinished
) -> None:
    with pytest.raises(StoreError, match=f"the manifest does not fit the records: {said}"):
        checked(path, check)


def close_one(path: Path, layer: int, stratum: int) -> None:
    """Put a closed state into a store, and into its counts."""
    one = np.ones(1, np.uint64)
    runs = Runs(one, np.ones(1, np.int64), one, np.ones(1, np.uint8), 1)
    with Store.open(path) as store, store.write() as txn:
        put_block(txn, layer, stratum, runs)
        rows = [*store.manifest.strata, [layer, stratum, 1, 0]]
        txn.put_manifest(replace(store.manifest, strata=rows, states=store.manifest.states + 1))


def test_what_is_under_way_and_claims_nothing_wrong(kept: dict[str, Path]) -> None:
    assert checked(kept["won"]) == ["the solution was played and wins"]
    assert checked(kept["half"]) == []


@pytest.mark.parametrize("more", [0, 1])
def test_layers_above_a_solution_are_not_searched(copied: Callable[[str], Path], more: int) -> None:
    """That of its length may be: the others hold no shorter one."""
    path = copied("won")
    with Store.open(path, readonly=True) as store:
        length = store.manifest.length
    assert length is not None
    close_one(path, length + more, 50)
    if more:
        refused(path, f"layer {length + 1} was searched, for a solution of {length} moves")
    else:
        assert checked(path) == ["the solution was played and wins"]


def test_fewer_layers_than_are_closed(copied: Callable[[str], Path]) -> None:
    """They would leave room for shorter solutions, which were looked for."""
    path = copied("won")
    with Store.open(path, readonly=True) as store:
        layers = {row[0] for row in store.manifest.strata}
    last = max(layers)

    def without_last(manifest: dict[str, Any]) -> None:
        manifest["strata"] = [row for row in manifest["strata"] if row[0] != last]

    change_manifest(path, without_last)
    refused(path, f"the last layer with closed states is {last}, not {max(layers - {last})}")


def test_a_proof_finds_its_solution_at_its_end(copied: Callable[[str], Path]) -> None:
    path = copied("half")
    change_manifest(path, lambda manifest: manifest.update(path=[[0, 0]], length=1))
    refused(path, "a proof has no solution before its end")


def test_the_length_is_that_of_the_moves_in_the_metric(tmp_path: Path) -> None:
    """All moves of this solution are made at once, which the metric does not count."""
    path = tmp_path / "store"
    assert solve(nearly_done()[0], metric="moves", store=path).length == 0
    claims = {"verdict": "undecided", "limit": "max-states", "shortest": False}
    change_manifest(path, lambda manifest: manifest.update(claims))
    assert checked(path) == ["the solution was played and wins"]
    change_manifest(path, lambda manifest: manifest.update(length=1))
    refused(path, "its solution has 0 moves, not 1")


@pytest.mark.parametrize("kind", [b"P", b"B", b"D"])
def test_nothing_is_pending_after_an_answer(copied: Callable[[str], Path], kind: bytes) -> None:
    """Neither candidates, nor those not looked at, nor signatures done in a stratum that is not."""
    path = copied("proof")
    assert checked(path, check_answer)[0] == "nothing is pending"
    with Store.open(path) as store, store.write() as txn:
        txn.put_pending(0, 50, bytes(8), kind)
    refused(path, "unsolvable, and candidates are still pending", check_answer)
