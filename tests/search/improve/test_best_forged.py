"""The best solution in the manifest of an unfinished search is played before it is believed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.faults import change_manifest

from dbmsolver import Deal, StoreError, open_store, solve
from dbmsolver.search import session

DEAL = Deal.from_number(10)


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("kept") / "store"
    result = solve(DEAL, any_solution=True, store=store, max_states=20_000)
    assert result.length and not result.shortest and result.states
    return store


def shorten(manifest: dict[str, Any]) -> None:
    del manifest["path"][-1]
    manifest["length"] -= 1


def swap(manifest: dict[str, Any]) -> None:
    path = manifest["path"]
    path[0], path[-1] = path[-1], path[0]


def shortest(manifest: dict[str, Any]) -> None:
    """Say that it is proven, while candidates are pending."""
    manifest.update(verdict="solved", shortest=True, limit=None)


def another_length(manifest: dict[str, Any]) -> None:
    manifest["length"] -= 5


def another_layer(manifest: dict[str, Any]) -> None:
    """Say that more layers are closed, and so that no solution is as short as it might be."""
    manifest["strata"].append([manifest["length"] - 1, 50, 0, 0])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (shorten, "cards are not home"),
        (swap, "cannot be played"),
        (shortest, "candidates are still pending"),
        (another_length, "its length cannot be"),
        (another_layer, "the last layer with closed states"),
    ],
)
def test_forged(
    unfinished: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    store = tmp_path / "store"
    shutil.copytree(unfinished, store)
    change_manifest(store, change)
    for use in (
        lambda: solve(DEAL, store=store),
        lambda: solve(DEAL, any_solution=True, store=store),
        lambda: list(session.resume(store)),
        lambda: open_store(store).status(),
        lambda: open_store(store).answer(),
    ):
        with pytest.raises(StoreError, match=words):
            use()


def test_what_is_unfinished_claims_nothing(unfinished: Path) -> None:
    with pytest.raises(StoreError, match="claims nothing"):
        open_store(unfinished).certificate()
    assert open_store(unfinished).answer().shortest is False
