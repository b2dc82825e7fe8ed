"""A search by cost layers in progress: what it tells, and the checks of its commits."""

from __future__ import annotations

import threading
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.cost_searches import begun

from dbmsolver.api import solve
from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.kernels.meta import IS_CLOSED, META
from dbmsolver.kernels.shards import NO_CEILING, ROW, SLICES
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Question
from dbmsolver.search.astar import layers
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.astar.partitions import Partition, ShardQueue
from dbmsolver.search.astar.rounds import Round
from dbmsolver.search.astar.workers import ShardWorkers
from dbmsolver.search.outcome import Exhausted, LeftOpen, NoneShorter
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import encoded
from dbmsolver.storage.blocks import encode_block, read_block
from dbmsolver.storage.records import parse_pending_key
from dbmsolver.storage.store import Store

CODEC = StateCodec(Deal.from_number(1), "wkr")
LOOKED_AT = 300
"""States that a search has looked at before a test looks into it."""


def test_states_are_told_before_they_are_counted(tmp_path: Path) -> None:
    """A commit changes nothing of what is told."""
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (queue,) = search.checkpoint.queues
        rows = queue.states(np.arange(len(queue.rows)))
        closed = int(((rows[:, META] & IS_CLOSED) != 0).sum())
        told = search.report()
        assert told.states + told.forced == closed > 100
        search.commit()
        after = search.report()
        assert after.states + after.forced == closed
        assert (after.layer, after.pending) == (told.layer, told.pending)
        assert after.evaluated == told.evaluated == search.evaluated == len(rows)


@pytest.mark.parametrize(("kind", "phase"), [(b"C", "search"), (b"A", "look ahead")])
def test_the_phase_that_is_told(tmp_path: Path, kind: bytes, phase: str) -> None:
    with begun(CODEC, tmp_path, LOOKED_AT, kind=kind) as search:
        assert search.report().phase == phase


def test_a_search_ends_when_its_effort_is_used_up(tmp_path: Path) -> None:
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        search.effort = effort = search.evaluated
        while (outcome := search.step()) is None:
            assert search.evaluated == effort
        assert outcome == LeftOpen()
        assert search.evaluated > effort


def test_states_of_searches_before_are_told_but_are_no_effort(tmp_path: Path) -> None:
    before = 100_000
    with begun(CODEC, tmp_path, LOOKED_AT, before) as search:
        (queue,) = search.checkpoint.queues
        looked_at = len(queue.rows)
        assert search.evaluated == before + looked_at
        search.effort = effort = 100 * looked_at
        while (outcome := search.step()) is None:
            assert search.evaluated <= before + effort
        assert outcome == LeftOpen()
        assert search.evaluated > before + effort


def test_a_thread_that_is_lent_does_no_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are fewer rounds, so that a step takes no longer."""
    used: list[tuple[int, int]] = []

    class Noted(ShardWorkers):
        def __init__(self, *how: Any) -> None:
            super().__init__(*how)
            self.rounds = how[4]

        def work(self, pool: Executor, threads: int) -> None:
            used.append((threads, self.rounds))
            super().work(pool, threads)

    monkeypatch.setattr(layers, "ShardWorkers", Noted)
    monkeypatch.setattr(layers, "ENOUGH", 1000)
    with begun(CODEC, tmp_path, LOOKED_AT, threads=2) as search:
        for is_back, how in ((lambda: False, (1, 1)), (None, (2, 2))):
            search.lend_thread(is_back)
            used.clear()
            while not used:
                assert search.step() is None
            assert used == [how]


def test_a_step_ends_with_the_round_in_which_a_lent_thread_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[int] = []
    work_on = Round.work_on

    def noted(self: Round, queue: ShardQueue) -> None:
        rounds.append(queue.number)
        work_on(self, queue)

    monkeypatch.setattr(Round, "work_on", noted)
    monkeypatch.setattr(layers, "ENOUGH", 1000)
    monkeypatch.setattr(layers, "_PARALLEL", 0)
    with begun(CODEC, tmp_path, LOOKED_AT, threads=2) as search:
        while search.shards == 1:
            assert search.step() is None
        search.lend_thread(lambda: len(rounds) >= 3)
        rounds.clear()
        while len(rounds) < 3:
            assert search.step() is None
        assert len(rounds) == 3
        search.lend_thread(None)
        rounds.clear()
        while len(rounds) <= 3:
            rounds.clear()
            assert search.step() is None


def test_states_are_divided_in_the_middle_of_a_layer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closed states that are not counted yet are counted before that."""
    with begun(CODEC, tmp_path, LOOKED_AT, threads=2) as search:
        (partition,) = search.partitions
        (queue,) = partition.queues or ()
        partition.high = NO_CEILING - 1
        other = Partition(NO_CEILING - 1, NO_CEILING, CODEC.tables)
        search.partitions.append(other)
        while not queue.uncounted:
            assert search.step() is None
        nothing = np.empty((0, ROW), np.uint64)
        other.candidates = {layer: [nothing] for layer in (search.layer, *partition.layers)}
        monkeypatch.setattr(layers, "ENOUGH", 0)
        while search.shards == 1:
            assert search.step() is None
        search.commit()
        rows = [queue.states(np.arange(len(queue.rows))) for queue in search.checkpoint.queues]
        closed = sum(int(((some[:, META] & IS_CLOSED) != 0).sum()) for some in rows)
        assert search.statistics.closed == closed > 100


def test_the_ends_of_a_search(tmp_path: Path) -> None:
    """No end is told while states are left, unless a solution as short as theirs is known."""
    before = threading.enumerate()
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        with pytest.raises(InternalError, match="states are left"):
            search.end(Exhausted())
        search.ceiling = search.layer
        assert search.step() == NoneShorter()
        assert search.end(NoneShorter()) == NoneShorter()
        assert search.checkpoint.each is map
        assert [one for one in threading.enumerate() if one not in before] == []


def test_the_ceiling_falls_to_the_layer_that_is_being_closed(tmp_path: Path) -> None:
    """The rest of it is not closed, nor is the layer after it."""
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (queue,) = search.checkpoint.queues
        while not queue.work:
            assert search.step() is None
        search.ceiling, closed = search.layer, queue.uncounted
        assert search.step() == NoneShorter()
        assert search.end(NoneShorter()) == NoneShorter()
        assert queue.uncounted == 0 and search.statistics.closed >= closed > 0
        assert max(layer for layer, _ in search.statistics.strata) == search.layer


def test_no_layer_is_closed_from_the_ceiling_on(tmp_path: Path) -> None:
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (partition,) = search.partitions
        search.ceiling = min(layer for layer in partition.layers if layer > search.layer)
        while (outcome := search.step()) is None:
            assert search.layer < search.ceiling
        assert outcome == NoneShorter()
        assert search.layer < search.ceiling
        assert partition.closed == search.layer
        assert search.end(outcome) == outcome


def test_the_ceiling_falls_while_a_partition_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its layer is not closed then."""
    monkeypatch.setattr(layers, "MOST_PART", 0)
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (partition,) = search.partitions
        rows = search.checkpoint.queues[0].states(np.arange(5))
        partition.candidates = {layer: [rows, rows] for layer in partition.layers}
        search.commit()
        before = search.layer
        while search.layer == before:
            evaluated = search.evaluated
            assert search.step() is None
        assert partition.candidates[search.layer] and search.evaluated == evaluated
        search.ceiling = search.layer
        assert search.step() is None  # the other part is loaded
        assert search.step() == NoneShorter()
        assert search.evaluated == evaluated


@pytest.mark.parametrize(("threads", "shards"), [(1, 1), (3, 4), (256, 16)])
def test_shards_are_as_many_as_memory_has_room_for(
    tmp_path: Path, threads: int, shards: int
) -> None:
    """One for each thread, in four megabytes each or more."""
    with begun(CODEC, tmp_path, 1, threads=threads) as search:
        assert search.most_shards == shards


def test_no_commit_without_a_candidate_that_was_received(tmp_path: Path) -> None:
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (queue,) = search.checkpoint.queues
        search.commit()
        queue.receive(np.zeros((3, ROW), np.uint64))
        queue.incoming.clear()
        with pytest.raises(InternalError, match="internal check failed"):
            search.commit()
        queue.received -= 3


def test_nothing_is_left_at_the_end(tmp_path: Path) -> None:
    """Neither states that were looked at, nor candidates, nor states that a commit knew of."""
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        one = search.checkpoint
        one.flush()
        rows = one.queues[0].states(np.arange(len(one.queues[0].rows)))
        left = int(((rows[:, META] & IS_CLOSED) == 0).sum())
        with pytest.raises(InternalError, match=f"{left} states are left"):
            one.check_none_lost()
        fresh = Checkpoint(CODEC, search.recorder, 1, b"C")
        fresh.known = closed = search.statistics.closed
        fresh.check_none_lost()
        fresh.known += 1
        with pytest.raises(InternalError, match=f"{closed} of at least {closed + 1} closed"):
            fresh.check_none_lost()
        fresh.layer = fresh.ceiling = 80
        fresh.check_none_lost()  # commits before it fell may have known of more
        fresh.partitions[0].open(1, 1 << 20)
        fresh.partitions[0].distribute(rows[:7])
        fresh.check_none_lost()  # they are of the layer of the solution that is known
        fresh.layer -= 1
        with pytest.raises(InternalError, match="7 states are left"):
            fresh.check_none_lost()


def test_a_search_that_goes_on_knows_of_what_was_known(tmp_path: Path) -> None:
    """States that get lost between two runs are missed in the end."""
    solve(CODEC.deal, store=tmp_path / "store", max_states=1000, threads=1)
    with Store.open(tmp_path / "store") as store:
        recorder = Recorder(store, Question.SOLVE, Limits(), resumable=True, keep_closed=True)
        checkpoint = Checkpoint(CODEC, recorder, 1, b"C")
        checkpoint.restore()
        assert checkpoint.known == store.manifest.known > 1000
        with pytest.raises(InternalError, match=f"of at least {checkpoint.known} closed"):
            checkpoint.check_none_lost()


def test_of_a_record_a_partition_takes_what_is_its_own(tmp_path: Path) -> None:
    """A stratum that is cut in two has records with candidates of both parts."""
    cut = 0
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        (queue,) = search.checkpoint.queues
        store = search.recorder.store
        for stratum, block in encoded(CODEC, queue.states(np.arange(len(queue.rows)))):
            with store.write() as txn:
                key = txn.put_pending(70, stratum, block)
            first, middle = stratum * SLICES, stratum * SLICES + SLICES // 2
            whole = search.checkpoint.rows(key, Partition(0, NO_CEILING, CODEC.tables))
            shares = [
                search.checkpoint.rows(key, Partition(low, low + SLICES // 2, CODEC.tables))
                for low in (first, middle)
            ]
            assert sorted(np.concatenate(shares).tolist()) == sorted(whole.tolist())
            cut += all(map(len, shares))
    assert cut


def test_candidates_that_are_not_looked_at_are_written_anew(tmp_path: Path) -> None:
    """A commit replaces those of the one before it; there are none once all are looked at."""
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        rows = search.checkpoint.queues[0].states(np.arange(7))
        store = search.recorder.store
        recorder = Recorder(store, Question.SOLVE, Limits(), resumable=True, keep_closed=True)
        checkpoint = Checkpoint(CODEC, recorder, 1, b"C")
        (partition,) = checkpoint.partitions
        (queue,) = partition.open(1, 1 << 20)
        partition.distribute(rows)
        for _ in range(2):
            checkpoint.commit()
            written = [checkpoint.rows(key, partition) for key in store.keys(b"B")]
            states = np.concatenate(written)[:, :META]
            assert sorted(states.tolist()) == sorted(rows[:, :META].tolist())
        queue.incoming.clear()
        queue.looked_at += 7
        checkpoint.commit()
        assert not store.keys(b"B") and not store.keys(b"P")


def test_a_run_that_ends_before_its_first_step_leaves_all_that_waits(tmp_path: Path) -> None:
    """Records of candidates that were not looked at are written anew by each commit."""

    def waiting(store: Store) -> int:
        return sum(store.states_in(key) for key in [*store.keys(b"B"), *store.keys(b"P")])

    assert solve(CODEC.deal, store=tmp_path, max_states=1).limit == "max-states"
    with Store.open(tmp_path) as store:
        with store.write() as txn:
            key = store.keys(b"P")[0]
            layer, stratum, _ = parse_pending_key(key)
            txn.put_pending(layer, stratum, encode_block(read_block(store, key)), b"B")
            txn.delete(key)
        before = waiting(store)
        recorder = Recorder(
            store, Question.SOLVE, Limits(), resumable=True, keep_closed=True, threads=1
        )
        search = AStarSearch(CODEC, recorder, 1, 1 << 26)
        assert search.end(LeftOpen()) == LeftOpen()
        assert waiting(store) == before > 100
