"""The catalogue of a store: all its states, in partitions of the size that is wanted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.searching import end_of, prove

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.storage.store import Store
from dbmsolver.verify import division
from dbmsolver.verify.blocks import Readers
from dbmsolver.verify.catalog import Catalog, PartitionPlan, read_catalog
from dbmsolver.verify.format_of_deal import make_format

DEAL = Deal.from_number(6139, rules_for("freecell", 3))


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("proof")
    prove(DEAL, store=path)
    return path


def catalog_of(path: Path, partition_states: int) -> Catalog:
    with ThreadPoolExecutor(2) as pool, Store.open(path, readonly=True) as store:
        form, readers = make_format(DEAL, "wkr"), Readers(pool, 1 << 30)
        return end_of(read_catalog(store, form, partition_states, True, readers))


@pytest.mark.parametrize("most", [1, 7, 30, 100, 1000])
def test_partitions(proof: Path, most: int) -> None:
    catalog = catalog_of(proof, most)
    assert catalog.states == sum(block.states for block in catalog.blocks)
    strata = catalog.strata.tolist()
    assert strata == sorted(strata) == [plan.stratum for plan in catalog.partitions]
    seen: list[int] = []
    total = 0
    for number, plan in enumerate(catalog.partitions):
        assert plan.states == plan.records[:, 3].sum()
        if plan.piece:
            assert plan.split == catalog.partitions[number - 1].split >= 0
            continue
        assert catalog.bases[number] == total
        total += plan.states
        seen += plan.runs.tolist()
        assert (catalog.index.split[plan.runs] == plan.split).all()
        assert (catalog.index.partition[plan.runs] == number).all()
        assert set(plan.records[:, 0].tolist()) == set(plan.runs.tolist())
        signatures = catalog.index.signatures[plan.runs]
        assert (np.diff(signatures.astype(object)) > 0).all()
        # A signature that is too large is divided, and is in no partition with others.
        assert (plan.split >= 0) == (plan.states > most and plan.runs.size == 1)
        assert plan.states < 2 * most or plan.runs.size == 1
    assert total == catalog.states
    assert sorted(seen) == list(range(catalog.index.signatures.size))
    whole = [plan for plan in catalog.partitions if not plan.piece]
    for one, other, third in zip(whole, whole[1:], whole[2:], strict=False):
        if one.stratum == third.stratum and max(one.split, other.split, third.split) < 0:
            assert one.states + other.states + third.states > most
    for one, other in pairwise(whole):
        assert one.stratum <= other.stratum


def by_run(plans: list[PartitionPlan]) -> list[PartitionPlan]:
    """Return plans of one run each in the order in which they are divided."""
    return sorted(plans, key=lambda plan: int(plan.runs[0]))


@pytest.mark.parametrize("looked_at", [1 << 18, 4])
def test_divisions_have_pieces_enough(
    proof: Path, monkeypatch: pytest.MonkeyPatch, looked_at: int
) -> None:
    """They are no larger than is wanted on average, also where few states tell the sizes."""
    most, choose = 4, division.choose
    samples: list[tuple[int, int]] = []

    def noted(form: Any, planes: Any, codes: Any, planned: int) -> division.Division:
        samples.append((codes.size, planned))
        return choose(form, planes, codes, planned)

    monkeypatch.setattr(division, "_SAMPLE", looked_at)
    monkeypatch.setattr(division, "choose", noted)
    catalog = catalog_of(proof, most)
    divided = [plan for plan in catalog.partitions if plan.split >= 0 and not plan.piece]
    assert max(plan.states for plan in divided) >= 4 * most
    for (size, planned), plan in zip(samples, by_run(divided), strict=True):
        step = max(1, plan.states // looked_at)
        assert abs(size - plan.states / step) <= plan.records.shape[0]  # one in so many, by block
        assert planned == 1 or planned * plan.states < most * size  # sizes are not known for sure
    for plan in divided:
        pieces = int(catalog.index.pieces[plan.split])
        assert plan.states / most <= pieces <= plan.states
