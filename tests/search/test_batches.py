"""Cuts of work: signatures into batches, deals into calls of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.search.proof import many_deals, small
from dbmsolver.search.proof.deal_dives import SMALL, Batch
from dbmsolver.search.proof.dives import LARGE, SCHEDULE
from dbmsolver.search.proof.many_deals import ManyDeals
from dbmsolver.search.proof.small import SmallSignatures


def batches_by_words(
    counts: list[int], unfinished: set[int], size: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Ranges of numbers that end once they have `size` candidates, or before what is unfinished."""
    ranges: list[list[int]] = [[]]
    for number in range(len(counts)):
        if number in unfinished:
            ranges.append([])
            continue
        ranges[-1].append(number)
        if sum(counts[one] for one in ranges[-1]) >= size:
            ranges.append([])
    found = [(some[0], some[-1] + 1) for some in ranges if some]
    return found, sorted(unfinished)


def test_batches_of_signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures that are unfinished are told by their numbers."""
    monkeypatch.setattr(small, "widths_of", lambda *_: [1])
    monkeypatch.setattr(small, "start_of", lambda stratum, signature, keys, *_: keys)
    random = Random(5)
    for _ in range(500):
        counts = [random.choice((1, 5, 100)) for _ in range(random.randint(1, 40))]
        share = random.choice((0.0, 0.1, 0.6, 1.0))
        unfinished = {number for number in range(len(counts)) if random.random() < share}
        workers, least, most = random.randint(1, 3), random.choice((1, 9)), random.choice((30, 999))
        monkeypatch.setattr(small, "_LARGEST_BATCH", most)
        groups: Any = SimpleNamespace(
            signatures=np.arange(100, 100 + len(counts), dtype=np.uint64),
            counts=np.array(counts, np.int64),
            run=lambda number, _: (number, None),
        )
        several: Any = SimpleNamespace(count=workers, least=least)
        begun = {100 + one for one in unfinished}
        nothing: Any = None
        codec: Any = SimpleNamespace(tables=None)
        signatures = SmallSignatures(codec, groups, begun, 3, several, nothing)
        size = min(most, max(least, sum(counts) // (8 * workers)))
        found = list(signatures._batches()), signatures.resumed
        assert found == batches_by_words(counts, unfinished, size)


def test_small_dives_for_batches_and_large_ones_for_a_deal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole schedule is made for what stays open, and each step once."""
    made: list[tuple[int, int, list[Any]]] = []

    class Diver:
        def __init__(self, *_: object) -> None:
            pass

        def dive(self, batch: Batch, steps: list[Any]) -> None:
            made.append((batch.first, batch.deals, list(steps)))
            for number in range(batch.deals):
                if (batch.first + number) % 50:
                    batch.results[number] = (0, 7, 5, 2)  # won

    monkeypatch.setattr(many_deals, "DealDiver", Diver)
    rules = rules_for("freecell")
    deal = Deal.from_number(1, rules)
    many = ManyDeals(deal, "wkr", 1, 1 << 24)

    def some() -> Iterator[Deal]:
        for _ in range(200):
            yield deal

    found = dict(many.run(some()))
    assert sorted(found) == list(range(200))
    assert {place for place, one in found.items() if one.outcome == "open"} == {0, 50, 100, 150}
    assert {one.evaluated for place, one in found.items() if place % 50} == {5}
    whole = [*SCHEDULE, *LARGE]
    few = [step for step in whole if step[1] < SMALL]
    batches = [(first, deals) for first, deals, steps in made if steps == few]
    assert batches == [(0, 4), (4, 8), (12, 16), (28, 32), (60, 64), (124, 64), (188, 12)]
    alone = [(first, deals) for first, deals, steps in made if steps == whole[len(few) :]]
    assert sorted(alone) == [(0, 1), (50, 1), (100, 1), (150, 1)]
    assert len(made) == len(batches) + len(alone)
    assert all(limit != SMALL for _, limit in whole)
