"""Shortest solutions of Klondike's kind in less memory than their states need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.crashes import crash_until_done
from helpers.layered import counts, no_dives
from helpers.patience_games import DRAWN_GAMES, small_deck

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.shards import SLICES
from dbmsolver.results import Limit, Limits, Options, Question, Verdict
from dbmsolver.search import recorder, session
from dbmsolver.search.astar import layers, partitions
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.partitions import Partition

LITTLE = 330_000
"""Memory for some hundred states beside the smallest hash table."""
CUT = (163, 407, 445)
"""Decks whose partitions are cut in that memory, between strata and within one."""


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the partitions that are cut, between strata or within one."""
    found: Counter[str] = Counter()
    real = PartitionCache.cut

    def cut(self: PartitionCache, partition: Partition, middle: int) -> None:
        found["within" if middle % SLICES else "between"] += 1
        real(self, partition, middle)

    monkeypatch.setattr(PartitionCache, "cut", cut)
    monkeypatch.setattr(partitions, "_FIRST_SLOTS", 1 << 10)
    no_dives(monkeypatch)
    monkeypatch.setattr(layers, "ENOUGH", 200)
    return found


def decks(seed: str, least: int, most: int, numbers: Iterable[int]) -> Any:
    """Yield small decks with so many states, what to ask about them, and the answer."""
    for number in numbers:
        random = Random(f"{seed} {number}")
        deal = small_deck(random.choice(DRAWN_GAMES), random, ranks=(4, 7))
        policy = random.choice(POLICIES)
        asked: dict[str, Any] = {"policy": policy, "metric": random.choice(OF_PATIENCE)}
        asked["any_solution"] = random.random() < 0.3
        plenty = api.solve(deal, max_states=most, **asked)
        if plenty.limit is None and plenty.states >= least:
            yield deal, asked, plenty


def compare(
    seed: str, number: int, most: int, cuts: Counter[str], numbers: Iterable[int] = count()
) -> None:
    """Compare decks searched in little memory with the same in plenty."""
    compared = 0
    for deal, asked, plenty in decks(seed, most // 4, most, numbers):
        for threads in (1, 2):
            little = api.solve(deal, memory=LITTLE, threads=threads, **asked)
            if little.limit == Limit.MEMORY:  # a slice of a stratum does not fit
                continue
            assert counts(little) == counts(plenty), (deal, asked, threads)
            compared += 1
        if compared >= number and min(cuts["within"], cuts["between"]) > number:
            return
    raise AssertionError(f"{compared} compared, {cuts}")


def test_small_decks(cuts: Counter[str]) -> None:
    compare("little", 3, 3000, cuts, CUT)


@pytest.mark.slow
def test_many_small_decks(cuts: Counter[str]) -> None:
    compare("very little", 5, 8000, cuts)


@pytest.mark.parametrize(
    ("seed", "number"), [("g", 2), pytest.param("e", 5, marks=pytest.mark.slow)]
)
def test_crashes_between_which_the_memory_changes(
    seed: str, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cuts: Counter[str]
) -> None:
    """Partitions that are cut within a stratum are continued as a whole, and cut anew."""
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    deal: Deal
    deal, asked, plenty = next(decks(seed, 1000, 4000, [number]))
    options = Options(store=tmp_path, policy=asked["policy"], metric=asked["metric"])
    random = Random(seed)

    def begin() -> Any:
        memory = random.choice((LITTLE, 2 * LITTLE, 1 << 30))
        return session.run(Question.SOLVE, deal, options, Limits(memory=memory))

    crashes, result = 0, None
    while result is None or result.limit == Limit.MEMORY:
        result, more = crash_until_done(begin, 1)
        crashes += more
    assert crashes > 2 and cuts
    assert counts(result) == counts(plenty)
    assert faults.check(tmp_path).valid


def test_a_search_goes_on_in_the_memory_that_it_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed states that fit no shard as a whole are loaded in parts."""
    no_dives(monkeypatch)
    deal = Deal.from_number(38, rules_for("klondike_by_threes"))
    little: dict[str, Any] = {"memory": 2 << 20, "threads": 1}
    begun = api.solve(deal, store=tmp_path, max_states=28_000, **little)
    assert begun.limit == Limit.MAX_STATES
    assert begun.states < 29_591
    result = api.solve(deal, store=tmp_path, **little)
    assert (result.verdict, result.states) == (Verdict.UNSOLVABLE, 29_591)
