"""The records that a commit writes and removes, its notes once it is done, and its blocks read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.searching import prove

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Commit, Limits, Question, Report
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef, CommitBatch, NewRecord
from dbmsolver.search.ledger import Entry, entry_of_one
from dbmsolver.search.recorder import COMMIT_SECONDS, Recorder
from dbmsolver.storage.blocks import Runs, decode_block, encode_block, read_block
from dbmsolver.storage.records import (
    BlockKey,
    Closed,
    number_of,
    parse_closed_key,
    parse_pending_key,
)
from dbmsolver.storage.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store that a search has begun, without the records of that search."""
    deal = Deal.from_number(1, rules_for("freecell", 2))
    prove(deal, store=tmp_path / "store", max_states=50)
    with Store.open(tmp_path / "store") as opened:
        with opened.write() as txn:
            for kind in (b"C", b"P", b"D"):
                txn.delete_all(kind)
        yield opened


def runs(*signatures: int) -> Runs:
    """Return a state of each of these signatures."""
    words = np.array(signatures, np.uint64)
    size = words.size
    return Runs(words, np.ones(size, np.int64), words.copy(), np.ones(size, np.uint8), 1)


def block(first: int, last: int, kind: bytes = b"C") -> BlockRef:
    """Return a block of two states of layer 5 and stratum 7, not yet stored."""
    data = encode_block(runs(first, last))
    return BlockRef(Closed(5, 7, first, last, 2, data), kind=kind)


def commit(store: Store, batch: CommitBatch) -> int:
    """Write a batch; return the bytes of its blocks."""
    with store.write() as txn:
        return batch.write(txn, 0, 9)


def test_blocks_are_stored_under_what_they_hold(store: Store) -> None:
    closed, ahead = block(3, 4), block(5, 6, b"A")
    batch = CommitBatch(blocks=[closed, ahead])
    size = len(closed.block.data) + len(ahead.block.data)
    assert batch.block_bytes == size
    in_memory = closed.fetch(store)
    assert in_memory.where == "closed states in memory"
    assert in_memory.runs().signatures.tolist() == [3, 4]

    assert commit(store, batch) == size
    assert store.keys(b"C") == [closed.key]
    assert store.keys(b"A") == [ahead.key]
    assert closed.key is not None and ahead.key is not None
    assert parse_closed_key(closed.key) == BlockKey(5, 7, 3, 4, number_of(closed.key))
    for ref, signatures in ((closed, [3, 4]), (ahead, [5, 6])):
        assert (ref.block.data, ref.block.states) == (b"", 2)
        packed = ref.fetch(store)
        assert packed.where == store.where(ref.key or b"")
        assert packed.runs().signatures.tolist() == signatures


def test_blocks_of_memory_are_checked_for_damage(store: Store) -> None:
    ref = block(3, 4)
    data = ref.block.data
    ref.block = ref.block._replace(data=data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(StoreError, match="closed states in memory: the block is damaged"):
        ref.fetch(store).runs()


def test_what_states_may_be_is_asked_for_blocks_of_other_runs(store: Store) -> None:
    asked: list[tuple[bytes, list[int], str]] = []

    def check(key: bytes, found: Runs, where: str) -> None:
        asked.append((key, found.signatures.tolist(), where))
        raise StoreError("the block is wrong", where)

    store.check_states = check
    ref = block(3, 4)
    assert ref.fetch(store).runs().codes.size == 2  # of memory: this run has made it
    commit(store, CommitBatch(blocks=[ref]))
    assert ref.fetch(store).runs().codes.size == 2  # of the store: this run has written it
    assert not asked
    store.close()
    with Store.open(store.path) as again:
        again.check_states = check
        with pytest.raises(StoreError, match="the block is wrong"):
            ref.fetch(again).runs()
        assert ref.key is not None
        assert asked == [(ref.key, [3, 4], again.where(ref.key))]


def test_pending_candidates_get_their_records(store: Store) -> None:
    """Layer, stratum and kind are in the key; the entries are added to what waits already."""
    candidates = Candidates.of(7, runs(3, 4))
    first = NewRecord(5, 7, candidates.pack(), entry=candidates.entry, candidates=candidates)
    other = NewRecord(6, 8, encode_block(runs(5, 6)), b"B", entry=entry_of_one(5, 2))
    size = len(first.data) + len(other.data)
    batch = CommitBatch(pending=iter([first, other]), waiting=Entry(10, 1), fields={"forced": 3})
    assert commit(store, batch) == size
    assert (first.data, other.data) == (b"", b"")
    assert store.keys(b"P") == [first.key] == [candidates.record]
    assert store.keys(b"B") == [other.key]
    assert parse_pending_key(first.key)[:2] == (5, 7)
    assert parse_pending_key(other.key)[:2] == (6, 8)
    assert read_block(store, first.key).signatures.tolist() == [3, 4]
    waiting = Entry(10, 1).plus(candidates.entry).plus(entry_of_one(5, 2))
    assert batch.fields == {"forced": 3, "waiting": waiting.to_json()}


def test_what_waits_stays_as_it_is(store: Store) -> None:
    record = NewRecord(5, 7, encode_block(runs(3)), entry=entry_of_one(3, 1))
    as_it_is, nothing = CommitBatch(pending=[record]), CommitBatch(waiting=Entry(0, 0))
    commit(store, as_it_is)
    commit(store, nothing)
    assert (as_it_is.fields, nothing.fields) == ({}, {"waiting": [0, "0" * 16]})


def test_done_signatures_are_listed_by_stratum(store: Store) -> None:
    commit(store, CommitBatch())
    assert store.keys(b"D") == []
    done = np.array([3, 1 << 63], np.uint64).tobytes()
    commit(store, CommitBatch(done=done))
    (key,) = store.keys(b"D")
    assert parse_pending_key(key)[:2] == (0, 9)
    assert store.done(key) == done


def test_what_is_removed(store: Store) -> None:
    """Single records, committed blocks, blocks that were never committed, and whole kinds."""
    kept, dropped, never, later = block(3, 4), block(5, 6), block(7, 8), block(8, 9)
    records = [NewRecord(5, 7, encode_block(runs(one))) for one in (3, 4)]
    aside = NewRecord(5, 7, encode_block(runs(5)), b"B")
    commit(store, CommitBatch(blocks=[kept, dropped], pending=[*records, aside], done=bytes(8)))

    batch = CommitBatch(blocks=[never, later], cleared=[b"D", b"B"])
    batch.drop(never)
    batch.drop(dropped)
    batch.delete(records[0].key)
    batch.delete(None)
    commit(store, batch)
    assert store.keys(b"C") == [kept.key, later.key]
    assert store.keys(b"P") == [records[1].key]
    assert store.keys(b"D") == store.keys(b"B") == []


def test_what_is_cleared_goes_before_what_is_written(store: Store) -> None:
    commit(store, CommitBatch(done=bytes(8)))
    commit(store, CommitBatch(cleared=[b"D"], done=bytes(16)))
    (key,) = store.keys(b"D")
    assert store.done(key) == bytes(16)


def test_numbers_of_removed_records_are_not_given_again(store: Store) -> None:
    """A record that no commit has taken over is told by its number, also after the next start."""
    ref = block(3, 4)
    commit(store, CommitBatch(blocks=[ref]))
    assert ref.key is not None
    with store.write() as txn:
        txn.delete(ref.key)
        txn.put_manifest(replace(store.manifest, next=store.numbers))
    assert store.numbers == number_of(ref.key) + 1
    store.close()
    with Store.open(store.path) as again:
        assert not again.wrote(ref.key)
        other = block(5, 6)
        commit(again, CommitBatch(blocks=[other]))
        assert other.key is not None
        assert number_of(other.key) == store.numbers
        assert again.wrote(other.key)


def recorder_of(store: Store, *, keep_closed: bool = True) -> Recorder:
    return Recorder(store, Question.PROVE, Limits(), resumable=True, keep_closed=keep_closed)


@pytest.mark.parametrize("keep_closed", [True, False])
@pytest.mark.parametrize("always", [True, False])
def test_which_closed_states_are_kept(store: Store, keep_closed: bool, always: bool) -> None:
    """Write blocks with `always` alone where only counts are kept; they count for nothing."""
    recorder = recorder_of(store, keep_closed=keep_closed)
    before = recorder.statistics.closed_bytes
    closed = block(3, 4).block
    (ref,) = recorder.add_closed([closed], always=always, kind=b"A")
    assert ref.fetch(store).runs().signatures.tolist() == [3, 4]
    written = len(closed.data) if keep_closed or always else 0
    assert recorder.batch.block_bytes == written
    assert recorder.disk() == store.size() + written
    counted = len(closed.data) if keep_closed else 0
    assert recorder.statistics.closed_bytes == before + counted
    assert recorder.commit(0, 7).bytes == written
    assert store.keys(b"A") == ([ref.key] if written else [])
    assert store.keys(b"C") == []
    assert store.manifest.closed_bytes == before + counted


def test_commits_and_reports_tell_what_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit is due some seconds after the one before, and tells the seconds between them."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("dbmsolver.search.recorder.time", clock)
    recorder = recorder_of(store)
    counted = recorder.statistics
    counted.peak_memory = 0
    counted.count(3, 7, 11, 2, 0)
    counted.evaluated += 5
    states, forced, evaluated = counted.states, counted.forced, counted.evaluated
    assert evaluated not in (states, states + forced)
    now[0] += COMMIT_SECONDS
    assert not recorder.due()
    now[0] += 1
    assert recorder.due()
    first = recorder.commit(0, 7, pending=9)
    assert first == Commit(1, None, 7, states, forced, 9, 0, COMMIT_SECONDS + 1)
    assert not recorder.due()
    assert store.manifest.next == store.numbers
    assert store.manifest.peak_memory == counted.peak_memory > 0
    assert store.manifest.history[-1][1:] == [0, 7, states, forced]
    now[0] += 2.5
    recorder.add_closed([block(3, 4).block])
    size = recorder.batch.block_bytes
    said = recorder.report(
        phase="look ahead", layer=3, stratum=7, last_stratum=8, pending=9, share=0.5
    )
    assert (said.memory > 0, said.elapsed > 0) == (True, True)
    assert replace(said, memory=0, elapsed=0.0) == Report(
        Question.PROVE, "look ahead", states, evaluated, 0, store.size() + size, 0.0,
        3, 7, 8, forced, 9, counted.closed_bytes, 0.5,
    )  # fmt: skip
    assert (counted.closed_bytes >= size, recorder.report().phase) == (True, "search")
    assert recorder.commit(3, 7) == Commit(2, 3, 7, states, forced, 0, size, 2.5)


@pytest.mark.parametrize(
    ("taken", "until_next"), [(0.0, 5), (0.5, 5), (2.0, 20), (6.0, 60), (600.0, 60)]
)
def test_long_commits_come_less_often(
    store: Store, monkeypatch: pytest.MonkeyPatch, taken: float, until_next: int
) -> None:
    """Ten times what one takes lies before the next one, but a minute at most."""
    now = [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("dbmsolver.search.recorder.time", clock)
    recorder = recorder_of(store)

    def packed() -> Iterator[NewRecord]:
        now[0] += taken
        yield from ()

    recorder.batch.pending = packed()
    recorder.commit(0, 7)
    now[0] += until_next
    assert not recorder.due()
    now[0] += 0.001
    assert recorder.due()
    recorder.commit(0, 7)
    now[0] += COMMIT_SECONDS + 0.001
    assert recorder.due()


def test_closed_states_that_are_cleared(store: Store) -> None:
    """Remove those of before, and write those of the batch."""
    recorder = recorder_of(store)
    recorder.add_closed([block(3, 4).block])
    assert recorder.commit(0, 7).number == 1
    (later,) = recorder.add_closed([block(5, 6).block])
    recorder.clear_closed()
    assert recorder.commit(0, 7).number == 2
    assert store.keys(b"C") == [later.key]
    assert store.manifest.closed_bytes == len(store.read(later.key or b""))


def test_candidates_that_are_spilled_belong_to_no_commit_yet(store: Store) -> None:
    """Abandon their records if the run ends; let the next commit take them over."""
    recorder = recorder_of(store)
    recorder.commit(0, 7)
    spilled, packed = Candidates.of(7, runs(4, 3)), Candidates.of(8, runs(5))
    packed.block, packed.runs = packed.pack(), None
    recorder.spill([spilled, packed])
    keys = [spilled.record, packed.record]
    assert not spilled.in_memory and not packed.in_memory
    assert recorder.abandoned() == store.keys(b"P") == keys
    assert [parse_pending_key(key or b"")[:2] for key in keys] == [(0, 7), (0, 8)]
    assert spilled.load(store).signatures.tolist() == [3, 4]
    recorder.commit(0, 7)
    assert recorder.abandoned() == []
    assert store.keys(b"P") == keys


def test_candidates_that_have_a_record_are_not_packed_again(store: Store) -> None:
    """Pack those in memory alone: others have a record, or are among those of a group."""
    recorder = recorder_of(store)
    new, stored = Candidates.of(7, runs(4, 3)), Candidates.of(7, runs(5), record=b"P")
    (record,) = recorder.packed([stored, stored.select(np.array([5], np.uint64)), new])
    assert (record.layer, record.stratum, record.candidates) == (0, 7, new)
    assert record.entry == entry_of_one(3, 1).plus(entry_of_one(4, 1))


def test_duplicates_are_counted_no_more_once_they_are_packed(store: Store) -> None:
    """Enter what a record holds, not what was handed over, into the manifest."""
    signatures, counts = np.array([9, 4], np.uint64), np.array([3, 2], np.int64)
    keys = np.array([6, 6, 5, 8, 8], np.uint64)
    twice = Candidates.of(7, Runs(signatures, counts, keys, np.ones(5, np.uint8), 1))
    assert twice.nbytes == 16 * 2 + twice.load().nbytes
    (record,) = recorder_of(store).packed([twice])
    assert record.entry == twice.entry == entry_of_one(9, 2).plus(entry_of_one(4, 1))
    assert (twice.states, twice.signatures.tolist(), twice.counts.tolist()) == (3, [4, 9], [1, 2])
    assert decode_block(record.data, "memory").keys.tolist() == [8, 5, 6]
    packed = replace(twice, block=record.data, runs=None)
    assert packed.nbytes == 16 * 2 + len(record.data)


@pytest.mark.parametrize(("states", "forced"), [(1, 1), (2, 0), (1, 0)])
def test_no_block_has_more_states_than_are_closed(store: Store, states: int, forced: int) -> None:
    """A run believes the blocks that it has written itself; of others it looks at their headers."""
    ref = block(3, 4)
    commit(store, CommitBatch(blocks=[ref]))
    with store.write() as txn:
        txn.put_manifest(replace(store.manifest, states=states, forced=forced))
    assert ref.key is not None
    assert read_block(store, ref.key).codes.size == 2
    store.close()
    with Store.open(store.path) as again:
        if states + forced == 2:
            assert read_block(again, ref.key).codes.size == 2
            return
        with pytest.raises(StoreError, match="2 states, of 1 that are closed"):
            read_block(again, ref.key)


def test_states_of_blocks_that_another_run_has_written_are_checked(store: Store) -> None:
    """Pending ones may be more than are closed."""
    asked: list[tuple[bytes, list[int], str]] = []

    def check(key: bytes, found: Runs, where: str) -> None:
        asked.append((key, found.signatures.tolist(), where))

    closed, pending = block(3, 4), NewRecord(5, 7, encode_block(runs(5, 6, 7)))
    commit(store, CommitBatch(blocks=[closed], pending=[pending]))
    with store.write() as txn:
        txn.put_manifest(replace(store.manifest, states=2, forced=0))
    assert closed.key is not None
    blocks = {closed.key: [3, 4], pending.key: [5, 6, 7]}
    store.check_states = check
    for key in blocks:
        read_block(store, key)
    assert not asked
    store.close()
    for readonly in (True, False):
        with Store.open(store.path, readonly=readonly) as again:
            again.check_states = check
            for key in blocks:
                read_block(again, key)
            assert asked == [(key, held, again.where(key)) for key, held in blocks.items()]
        asked.clear()
