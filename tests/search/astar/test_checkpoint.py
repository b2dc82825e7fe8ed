"""The commits of a search by cost layers: they write each state once, for a layer to come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from helpers.cost_searches import begun, layers_of

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.meta import IS_CLOSED, META
from dbmsolver.kernels.shards import SLICES, slices_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Question
from dbmsolver.search.astar import checkpoint as checkpoints
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.astar.partitions import Partition
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import Rows
from dbmsolver.storage.records import parse_closed_key, parse_pending_key
from dbmsolver.storage.store import Store

CODEC = StateCodec(Deal.from_number(1), "wkr")
LOOKED_AT = 300


def states_of(search: AStarSearch) -> Rows:
    """Return all states that a search has looked at; it has one shard."""
    (queue,) = search.checkpoint.queues
    return queue.states(np.arange(len(queue.rows)))


def open_layers(search: AStarSearch) -> list[int]:
    """Return the layers of a search's states that are not closed, in ascending order."""
    rows = states_of(search)
    is_open = (rows[:, META] & IS_CLOSED) == 0
    return sorted(layers_of(rows[is_open, META], 1).tolist())


@contextmanager
def committed(
    folder: Path, *, resumable: bool = True, kind: bytes = b"C"
) -> Iterator[tuple[AStarSearch, Checkpoint]]:
    """Yield a search that is under way, and a checkpoint that writes its states."""
    with begun(CODEC, folder, LOOKED_AT) as search:
        store = search.recorder.store
        recorder = Recorder(store, Question.SOLVE, Limits(), resumable=resumable, keep_closed=True)
        checkpoint = Checkpoint(CODEC, recorder, 1, kind)
        checkpoint.partitions[:] = search.partitions
        checkpoint.layer = search.layer
        yield search, checkpoint


def stored(store: Store, kind: bytes) -> int:
    """Return how many states the store has records of."""
    return sum(store.states_in(key) for key in store.keys(kind))


def pending_layers(store: Store, kind: bytes) -> set[int]:
    """Return the layers that records of candidates wait for."""
    return {parse_pending_key(key)[0] for key in store.keys(kind)}


def test_a_search_that_is_not_resumed_keeps_what_it_has_in_memory(tmp_path: Path) -> None:
    """A partition that leaves memory is written, once; of others nothing is."""
    with committed(tmp_path, resumable=False) as (search, checkpoint):
        recorder, statistics, store = (
            checkpoint.recorder,
            checkpoint.statistics,
            search.recorder.store,
        )
        (partition,) = search.partitions
        waiting = states_of(search)[:7]
        partition.candidates = {search.layer + 1: [waiting]}
        checkpoint.commit()
        assert recorder.unwritten == statistics.closed > 100
        assert not any(store.keys(kind) for kind in (b"C", b"P", b"B"))
        left = len(open_layers(search))
        for _ in range(2):
            list(checkpoint.write_out(partition))
            assert recorder.unwritten == 0
            assert stored(store, b"C") == statistics.closed
            assert stored(store, b"P") == left + len(waiting)
            assert not store.keys(b"B")


def test_a_state_is_written_once(tmp_path: Path) -> None:
    with committed(tmp_path) as (search, checkpoint):
        left, store = len(open_layers(search)), checkpoint.recorder.store
        for _ in range(2):
            checkpoint.commit()
            assert stored(store, b"C") == checkpoint.statistics.closed > 100
            assert stored(store, b"P") == left > 100
            assert checkpoint.recorder.unwritten == 0
            assert store.manifest.known == checkpoint.known == checkpoint.statistics.closed + left
        checkpoint.known = known = 10_000  # to a run before
        checkpoint.commit()
        assert store.manifest.known == known


@pytest.mark.parametrize("resumable", [True, False])
def test_nothing_waits_for_a_layer_that_is_past(tmp_path: Path, resumable: bool) -> None:
    """A search that goes on begins with the layer that was being closed."""
    with committed(tmp_path, resumable=resumable) as (search, checkpoint):
        layers, store = open_layers(search), checkpoint.recorder.store
        checkpoint.layer = current = sorted(set(layers))[1]
        (partition,) = checkpoint.partitions
        partition.candidates = {current - 1: [states_of(search)[:7]]}
        list(checkpoint.write_out(partition))
        assert stored(store, b"P") == len(layers) + 7
        assert pending_layers(store, b"P") == {max(layer, current) for layer in layers}


def test_what_waits_for_the_ceiling_is_not_written(tmp_path: Path) -> None:
    with committed(tmp_path) as (search, checkpoint):
        layers = open_layers(search)
        checkpoint.ceiling = middle = sorted(set(layers))[1]
        checkpoint.commit()
        store = checkpoint.recorder.store
        below = [layer for layer in layers if layer < middle]
        assert stored(store, b"P") == len(below) > 0
        assert pending_layers(store, b"P") == set(below)


def test_candidates_that_a_shard_has_stay_with_it(tmp_path: Path) -> None:
    """Candidates of higher layers are named by their records, and leave memory."""
    with committed(tmp_path) as (search, checkpoint):
        (partition,) = checkpoint.partitions
        (queue,) = checkpoint.queues
        rows, layer = states_of(search), search.layer
        checkpoint.commit()
        before = set(checkpoint.recorder.store.keys(b"P"))
        queue.receive(rows[:5])
        partition.candidates = {layer + 1: [rows[5:8], b"a record that there is"]}
        list(checkpoint.write_out(partition))
        new = [key for key in checkpoint.recorder.store.keys(b"P") if key not in before]
        assert {parse_pending_key(key)[0] for key in new} == {layer, layer + 1}
        assert partition.candidates == {
            layer + 1: [
                b"a record that there is",
                *(key for key in new if parse_pending_key(key)[0] == layer + 1),
            ]
        }
        assert [len(some) for some in queue.incoming] == [5]
        queue.incoming.clear()
        queue.looked_at += 5


def test_candidates_are_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part ends with the batch that makes it large enough; records that there are stay."""
    monkeypatch.setattr(checkpoints, "MOST_PART", 10)
    with begun(CODEC, tmp_path, LOOKED_AT) as search:
        rows, layer = states_of(search), search.layer + 1
        partition = Partition(0, SLICES, CODEC.tables)
        known = b"a record that there is"
        partition.candidates = {layer: [known, *(rows[at : at + 6] for at in range(0, 30, 6))]}
        sizes = []
        for _ in search.checkpoint.write_out(partition):
            sizes.append(stored(search.recorder.store, b"P"))
        assert sizes == [12, 24, 30]
        assert partition.candidates == {layer: [known, *search.recorder.store.keys(b"P")]}


@pytest.mark.parametrize("most", [1, 1 << 20])
def test_layers_with_few_rows_share_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Closed rows come first, then open ones, each layer's in a part of its own."""
    monkeypatch.setattr(checkpoints, "MOST_PART", most)
    with committed(tmp_path, resumable=False) as (search, checkpoint):
        rows, store = states_of(search), checkpoint.recorder.store
        is_closed = (rows[:, META] & IS_CLOSED) != 0
        parts = [
            set(layers_of(rows[chosen, META], 1).tolist()) for chosen in (is_closed, ~is_closed)
        ]
        assert len(parts[1]) > 1
        (partition,) = search.partitions
        commits = [
            (stored(store, b"C"), stored(store, b"P")) for _ in checkpoint.write_out(partition)
        ]
        assert len(commits) == (2 if most > 1 else sum(map(len, parts)))
        assert commits[-1] == (is_closed.sum(), (~is_closed).sum())


def test_small_batches_are_encoded_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record ends with the batch that makes it large enough; the last one has what is left."""
    monkeypatch.setattr(checkpoints, "ENCODED_AT_ONCE", 10)
    with committed(tmp_path) as (search, checkpoint):
        rows, store = states_of(search), checkpoint.recorder.store
        strata = slices_of(CODEC.tables, rows, CODEC.locked) // SLICES
        rows = rows[strata == np.bincount(strata).argmax()][:30]
        (partition,) = checkpoint.partitions
        partition.candidates = {search.layer + 1: [rows[at : at + 6] for at in range(0, 30, 6)]}
        for _ in range(2):  # they are written anew each time
            checkpoint.commit()
            keys = store.keys(b"B")
            assert [store.states_in(key) for key in keys] == [12, 12, 6]
            found = np.concatenate([checkpoint.rows(key, partition) for key in keys])
            assert sorted(found[:, :META].tolist()) == sorted(rows[:, :META].tolist())


def test_a_partition_finds_what_is_its_own_in_the_store(tmp_path: Path) -> None:
    """Closed states of its strata, and candidates for the layers that are to be closed there."""
    with committed(tmp_path) as (search, checkpoint):
        layers = open_layers(search)
        checkpoint.commit()
        store = checkpoint.recorder.store
        closed = [parse_closed_key(key).stratum for key in store.keys(b"C")]
        waiting = {key: parse_pending_key(key) for key in store.keys(b"P")}
        stratum = sorted(closed)[len(closed) // 2]
        assert min(closed) < stratum < max(closed)
        low, done = stratum * SLICES, layers[0]
        partition = Partition(low, low + SLICES, CODEC.tables, closed=done)
        partition.candidates = {1: [b"a record of before"]}
        assert list(checkpoint.closed_records(partition)) == [
            key for key in store.keys(b"C") if parse_closed_key(key).stratum == stratum
        ]
        checkpoint.find_candidates(partition)
        assert sorted(key for keys in partition.candidates.values() for key in keys) == sorted(
            key for key, (layer, of, _) in waiting.items() if layer > done and of == stratum
        )


def test_a_look_ahead_tells_the_proof_of_no_states(tmp_path: Path) -> None:
    """They are no part of the proof, which would miss them in the end."""
    with committed(tmp_path, resumable=False, kind=b"A") as (_, checkpoint):
        checkpoint.commit()
        assert checkpoint.statistics.closed > 100
        assert checkpoint.recorder.store.manifest.known == 0
