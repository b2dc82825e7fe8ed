"""Searches in less memory than they need: the answer is the same."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache as once
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers.cost_searches import layers_of
from helpers.searching import prove
from helpers.selection import few_fast

from dbmsolver.api import solve, verify_store
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.meta import IS_CLOSED, META
from dbmsolver.kernels.shards import BUFFER, ROW, SLICES, slices_of
from dbmsolver.kernels.states import SIGNATURE
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Options, Question, Result
from dbmsolver.search import recorder
from dbmsolver.search.astar import cache, checkpoint, layers, partitions
from dbmsolver.search.astar.cache import PartitionCache
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.outcome import Outcome
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.session import run as search_events
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

SOLVED = Deal.from_number(8)
"""In 75 moves, after 45,130 states."""
EASIER = Deal.from_number(2)
"""In 75 moves, after 26,371 states; in other metrics after more than `SOLVED` in this one."""
UNSOLVABLE = Deal.from_number(1, rules_for("freecell", freecells=2))
"""After 70,882 states."""
TIGHT = 12 << 20
"""Too little for either search at once, enough for the largest stratum of one."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the partitions left to the store, brought back, and cut in two."""
    counts: Counter[str] = Counter()

    def counted(name: str) -> None:
        real = getattr(PartitionCache, name)

        def count(self: PartitionCache, *args: Any) -> Any:
            counts[name] += 1
            return real(self, *args)

        monkeypatch.setattr(PartitionCache, name, count)

    for name in ("load", "evict", "split", "cut"):
        counted(name)
    return counts


def facts(result: Result) -> tuple[Any, ...]:
    """Return the facts that must not depend on memory."""
    return result.verdict, result.length, result.shortest, result.strata, result.digest


@once
def in_plenty(deal: Deal) -> tuple[Any, ...]:
    """Return the facts of a search by one thread in plenty of memory, which many tests expect."""
    return facts(solve(deal, threads=1))


@pytest.mark.parametrize(("deal", "threads"), few_fast(product([SOLVED, UNSOLVABLE], [2, 1]), 2))
def test_solve(
    calls: Counter[str], deal: Deal, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layers, "ENOUGH", 5_000)
    plenty = solve(deal, threads=threads)
    assert calls == {"load": 1}
    tight = solve(deal, threads=threads, memory=TIGHT)
    assert facts(tight) == facts(plenty)
    assert calls["load"] > 2 and calls["evict"] and calls["split"]


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "policy"), [("runs", "wkr"), ("moves", "max")])
def test_solve_in_other_metrics(
    calls: Counter[str],
    metric: str,
    policy: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(layers, "ENOUGH", 5_000)
    how: Any = {"metric": metric, "policy": policy}
    plenty = solve(EASIER, **how)
    tight = solve(EASIER, memory=TIGHT, store=tmp_path / "store", **how)
    assert facts(tight) == facts(plenty)
    assert calls["load"] > 2 and calls["evict"] and calls["split"]
    assert verify_store(tmp_path / "store").valid


@pytest.mark.parametrize(
    ("deal", "limit"), [(EASIER, 12_000), (UNSOLVABLE, 68_000)], ids=["solved", "unsolvable"]
)
def test_solve_continued_with_less_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: Counter[str], deal: Deal, limit: int
) -> None:
    """A layer closed in one piece may not fit any more; commits come between all rounds."""
    store = tmp_path / "store"
    assert solve(deal, store=store, max_states=limit).limit == "max-states"
    calls.clear()
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    for more in (limit + 2000, None):
        tight = solve(deal, store=store, memory=TIGHT, max_states=more)
        with Store.open(store) as opened:
            stored = sum(opened.states_in(key) for key in opened.keys(b"C"))
            assert stored == sum(row[2] + row[3] for row in opened.manifest.strata)
    assert facts(tight) == in_plenty(deal)
    if deal is UNSOLVABLE:  # cut before it came back, not only when it grew
        assert calls["cut"] > calls["split"]


def test_a_search_goes_on_in_the_layer_that_it_was_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No layer below is loaded again: what waited for it has been closed."""
    store = tmp_path / "store"
    before = solve(EASIER, store=store, max_states=12_000)
    loaded: list[int] = []
    real = Partition.distribute

    def watched(self: Partition, *args: Any) -> None:
        loaded.append(self.closed)
        real(self, *args)

    monkeypatch.setattr(Partition, "distribute", watched)
    with Store.open(store) as opened:
        assert opened.manifest.known > before.states + before.forced  # those that wait, too
    after = solve(EASIER, store=store, threads=1)
    assert before.at_least and loaded and min(loaded) == before.at_least - 1
    assert facts(after) == in_plenty(EASIER)


def test_too_little_memory(tmp_path: Path) -> None:
    """A stratum that does not fit ends the search, which goes on where there is more."""
    store = tmp_path / "store"
    result = solve(UNSOLVABLE, store=store, memory=1 << 20)
    assert (result.verdict, result.limit) == ("undecided", "memory")
    assert facts(solve(UNSOLVABLE, store=store)) == in_plenty(UNSOLVABLE)


def test_prove() -> None:
    plenty, tight = prove(UNSOLVABLE), prove(UNSOLVABLE, memory=TIGHT)
    assert plenty.verdict == "unsolvable"
    assert facts(tight) == facts(plenty)


@pytest.mark.parametrize(("memory", "divided"), [(16 << 20, False), (64 << 20, True)])
def test_states_are_divided_where_there_is_room_for_it(
    monkeypatch: pytest.MonkeyPatch, memory: int, divided: bool
) -> None:
    """Until then one thread searches, and the answer is the same."""
    monkeypatch.setattr(layers, "ENOUGH", 20_000)
    asked: list[int] = []
    divide = Partition.divide

    def watched(self: Partition, *how: Any) -> None:
        asked.append(len(self.queues or ()))
        divide(self, *how)

    monkeypatch.setattr(Partition, "divide", watched)
    assert facts(solve(EASIER, threads=2, memory=memory)) == in_plenty(EASIER)
    assert asked == [1] * divided


def test_many_threads_in_little_memory() -> None:
    """There are no more shards than memory has room for."""
    result = solve(Deal.from_number(28), threads=256, memory=64 << 20)
    assert facts(result) == facts(solve(Deal.from_number(28), threads=1))


@pytest.mark.parametrize("threads", [1, 2])
def test_little_room_for_what_leaves_a_shard(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Rounds end early then, and what they leave waits for the next one."""
    expected = in_plenty(EASIER)
    monkeypatch.setattr(layers, "ENOUGH", 5_000)
    monkeypatch.setattr(partitions, "_OUTGOING", BUFFER + 300)
    assert facts(solve(EASIER, threads=threads)) == expected


@pytest.mark.parametrize(
    ("states", "signatures", "divided"),
    [(37_000, 1, True), (38_000, 1, False), (38_000, 1000, True), (90_000, 1000, False)],
)
def test_no_share_takes_more_than_half_of_its_room(
    states: int, signatures: int, divided: bool
) -> None:
    tables = StateCodec(SOLVED, "wkr").tables
    partition, memory = Partition(0, 1 << 30, tables), 1 << 23
    (queue,) = partition.open(1, memory)
    rows = np.zeros((states, ROW), np.uint64)
    rows[:, SIGNATURE] = np.arange(states) % signatures
    queue.add_closed(rows)
    assert partition.can_be_divided(2, memory) == divided


def pieces(monkeypatch: pytest.MonkeyPatch, rows: int) -> list[int]:
    """Load and write so many rows in one go; return a list that gets the steps without a search."""
    monkeypatch.setattr(cache, "MOST_PART", rows)
    monkeypatch.setattr(checkpoint, "MOST_PART", rows)
    monkeypatch.setattr(layers, "MOST_PART", rows)
    monkeypatch.setattr(partitions, "MOST_PART", rows)
    without: list[int] = []
    step = AStarSearch.step

    def watched(self: AStarSearch) -> Outcome | None:
        before, outcome = self.evaluated, step(self)
        if self.evaluated == before:
            without.append(self.layer)
        return outcome

    monkeypatch.setattr(AStarSearch, "step", watched)
    return without


@pytest.mark.parametrize("stored", few_fast([True, False], 1))
def test_a_search_is_left_while_it_makes_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stored: bool
) -> None:
    """Partitions leave memory and come back in many steps; a search may end after each."""
    expected = in_plenty(SOLVED)
    monkeypatch.setattr(layers, "ENOUGH", 5_000)
    without = pieces(monkeypatch, 1_000)
    random = Random("left")
    options = Options(threads=2, store=tmp_path / "store" if stored else None)
    for _ in range(3):
        steps = search_events(Question.SOLVE, SOLVED, options, Limits(memory=TIGHT))
        last = len(without) + random.randrange(100)
        while len(without) <= last:
            next(steps)
        steps.close()
    tight = solve(SOLVED, threads=2, memory=TIGHT, store=options.store)
    assert facts(tight) == expected


@pytest.mark.parametrize("stored", [False, True])
def test_candidates_that_are_written_leave_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stored: bool
) -> None:
    monkeypatch.setattr(layers, "ENOUGH", 5_000)
    sizes: list[tuple[int, int]] = []
    real = Checkpoint.write_out

    def watched(self: Checkpoint, partition: Partition) -> Iterator[None]:
        before = partition.candidate_bytes
        yield from real(self, partition)
        sizes.append((before, partition.candidate_bytes))

    monkeypatch.setattr(Checkpoint, "write_out", watched)
    solve(SOLVED, memory=TIGHT * 2 // 3, store=tmp_path / "store" if stored else None)
    assert any(before for before, _ in sizes) and not any(after for _, after in sizes)


def test_candidates_come_from_the_store_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn waits for the one before: a partition that is cut writes anew what was not looked at.

    Each half would have as many as the whole had, and would be cut again.
    """
    monkeypatch.setattr(layers, "GIVEN_PART", 1 << 40)  # a record at a time
    waiting: list[int] = []
    real = Checkpoint.rows

    def watched(self: Checkpoint, key: bytes, partition: Partition) -> Any:
        if key.startswith(b"P"):
            waiting.append(sum(queue.work for queue in partition.queues or ()))
        return real(self, key, partition)

    monkeypatch.setattr(Checkpoint, "rows", watched)
    tight = solve(UNSOLVABLE, memory=TIGHT // 2, threads=1, store=tmp_path / "store")
    assert facts(tight) == in_plenty(UNSOLVABLE)
    assert len(waiting) > 100 and not any(waiting)
    assert verify_store(tmp_path / "store").valid


def test_rows_that_are_not_stored_are_found_by_layer() -> None:
    """Closed and open ones, until they are marked; and all rows are counted by slice."""
    states = StateCodec(UNSOLVABLE, "wkr")
    with tempfile.TemporaryDirectory() as base:
        manifest = new_manifest(Question.SOLVE, UNSOLVABLE, Options())
        with Store.create(Path(base), manifest, durable=False) as store:
            of_run = Recorder(
                store, Question.SOLVE, Limits(), resumable=False, keep_closed=True, threads=1
            )
            search = AStarSearch(states, of_run, 1, 1 << 28)
            while search.evaluated < 30_000:
                assert search.step() is None
            (queue,) = search.checkpoint.queues
            search.close()
    rows = queue.states(np.arange(len(queue.rows)))
    layer = layers_of(rows[:, META], 1)
    for closed in (True, False):
        wanted = np.flatnonzero(((rows[:, META] & IS_CLOSED) != 0) == closed)
        assert wanted.size > 1000
        found = list(queue.unstored(1, closed=closed))
        assert all((layer[numbers] == of).all() for of, numbers in found)
        assert [of for of, _ in found] == sorted({of for of, _ in found})
        assert sorted(np.concatenate([numbers for _, numbers in found])) == wanted.tolist()
        queue.mark_stored(wanted[10:])
        rest = np.concatenate([numbers for _, numbers in queue.unstored(1, closed=closed)])
        assert sorted(rest) == wanted[:10].tolist()
    counts = np.zeros(200 * SLICES, np.int64)
    queue.count_slices(states.locked, counts)
    slices = slices_of(states.tables, rows, states.locked)
    assert (counts == np.bincount(slices, minlength=counts.size)).all()
