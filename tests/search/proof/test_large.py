"""A large signature is closed in pieces: each state once, and from every commit on again.

Its states are numbers, which a made-up kernel expands: from each, three others follow. Pieces,
their tables, queues and records are those of a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.kernels.pieces import insert_into_piece
from dbmsolver.results import Method
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef, CommitBatch, Packed
from dbmsolver.search.proof import piece_away, piece_set, piece_tables, piece_worker, pieces, worker
from dbmsolver.search.proof.kept_tables import KeptTables
from dbmsolver.search.proof.large import LargeSignature
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.piece_away import expand_whole
from dbmsolver.search.proof.piece_set import Budget
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import LargeStart, ProofWorker, WorkResult
from dbmsolver.search.proof.workers import Threads
from dbmsolver.storage.blocks import decode_block

CODEC = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
SIGNATURE = int(CODEC.root[0])
SHAPE = KeyShape(CODEC, 0, SIGNATURE, 1, False)
STATES = 1 << 15
ALL = np.arange(STATES, dtype=np.uint64)
AT_ONCE = 512
Words = NDArray[np.uint64]


def successors(keys: Words) -> Words:
    """Return what follows from some states: all follow from each, in a few moves."""
    factors = [(np.uint64(by), np.uint64(plus)) for by, plus in ((5, 1), (25, 11), (9, 77))]
    return np.concatenate([(keys * by + plus) % np.uint64(STATES) for by, plus in factors])


def some(keys: Words) -> Candidates:
    return SHAPE.candidates(keys, (keys % np.uint64(7)).astype(CODEC.code_type))


def arrays(keys: Words) -> tuple[Words, NDArray[Any]]:
    """Return states and their codes, as a sample has them."""
    runs = some(keys).load()
    return runs.keys, runs.codes


class MadeUp:
    """Kernels that expand numbers. Each state counts as one with a forced move."""

    def __init__(self, *_: Any) -> None:
        self.outgoing = np.empty(0, np.uint64)

    def close_piece(
        self,
        ws: Any,
        signature: int,
        bits: int,
        reach: tuple[int, int, int],
        piece: tuple[int, int],
    ) -> tuple[int, int, int, int]:
        head, count, most = reach
        size = min(AT_ONCE, count - head, (most - count) // 3)
        keys = successors(ws.order[head : head + size])
        mine = keys & np.uint64(piece[0]) == np.uint64(piece[1])
        inside = some(keys[mine]).load()
        new = insert_into_piece(
            CODEC.tables,
            ws,
            np.uint64(signature),
            bits,
            count,
            inside.keys,
            inside.codes,
            inside.codes.size,
        )
        self.outgoing = keys[~mine]
        return head + size, int(new), self.outgoing.size, size

    def split_other_pieces(
        self, _ws: Any, outgoing: int, _words: int, keys: Words, codes: NDArray[Any]
    ) -> tuple[int, int]:
        runs = some(self.outgoing).load()
        keys[:outgoing], codes[:outgoing] = runs.keys, runs.codes
        return outgoing, 0

    def write_runs(self, *_: Any) -> None:
        pass


class Away:
    """Workers that keep the tables of pieces, and lose one now and then."""

    least = 1
    count = 2
    keeps_tables = False

    def __init__(self) -> None:
        self.pool: Executor = ThreadPoolExecutor(1)
        self.random = Random(1)
        self.worker = ProofWorker(CODEC)
        self.tables = KeptTables()
        self.orders = 0

    def delay(self, piece: Piece) -> int:
        return 0

    def has_table(self, piece: Piece) -> bool:
        return piece.away is not None

    def expand_piece(
        self, shape: KeyShape, done: PieceResult, blocks: list[Packed]
    ) -> Future[PieceResult]:
        return self.pool.submit(self.expand, shape, done, blocks)

    def expand(self, shape: KeyShape, done: PieceResult, blocks: list[Packed]) -> PieceResult:
        piece, table = done.piece, None
        if piece.away is not None:
            table = self.tables.take(piece.away, piece)
            if table is None or self.random.random() < 0.1:
                done.loaded = False
                return done
        self.orders += 1
        table = expand_whole(shape, done, self.worker, blocks, table)
        piece.away = None
        if table is not None:
            piece.away = self.orders
            self.tables.keep(self.orders, piece, table, 1 << 30)
        return done

    def close(self) -> None:
        self.pool.shutdown()


class Books:
    """A search's records in the store, and the states that are closed."""

    def __init__(self, begun: LargeStart) -> None:
        self.batch = CommitBatch()
        self.recorder: Any = SimpleNamespace(
            batch=self.batch, store=None, threads=2, in_parallel=map, add_closed=self.add_closed
        )
        self.refs: list[BlockRef] = []
        self.closed = np.empty(0, np.uint64)
        self.note(begun.blocks)
        self.begun = [one.load().keys for one in (begun.candidates, *begun.sources)]
        self.records: dict[bytes, Words] = {}
        self.numbers = 0
        self.states = self.forced = 0

    def add_closed(self, blocks: list[Any], *, always: bool) -> list[BlockRef]:
        assert always
        refs = [BlockRef(block) for block in blocks]
        self.note(refs)
        return refs

    def note(self, refs: list[BlockRef]) -> None:
        """Note closed states, each as often as it is closed."""
        self.refs += refs
        keys = [decode_block(ref.block.data, "a block").keys for ref in refs]
        self.closed = np.concatenate([self.closed, *keys])

    def take_result(self, result: WorkResult) -> None:
        assert result.closed == []
        self.states += result.states
        self.forced += result.forced

    def commit(self, of: LargeSignature) -> None:
        """Do what a commit does; check that whatever follows from a closed state is known."""
        for key in self.batch.deletions:
            del self.records[key]
        self.batch.deletions.clear()
        for record in of.set.packed():
            self.numbers += 1
            key = b"P%d" % self.numbers
            self.records[key] = decode_block(record.data, "a record").keys
            assert record.candidates is not None
            record.candidates.record = key
        assert of.set.stored.states == sum(keys.size for keys in self.records.values())
        known = np.concatenate([self.closed, *self.begun, *self.records.values()])
        assert np.isin(successors(self.closed), known).all()


def start(blocks: list[BlockRef], pending: list[Words]) -> LargeStart:
    """Return the start of the signature, with a sample of its states."""
    first, *others = [some(keys) for keys in pending]
    found = LargeStart.of(first, some(ALL[::16]).load())
    found.blocks = [BlockRef(ref.block) for ref in blocks]
    found.sources = [one.select(one.signatures) for one in others]
    return found


@pytest.fixture(autouse=True)
def numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels expand numbers, for a moment each time, in small tables."""

    def count_flips(_codec: Any, _signature: int, keys: Words, *_: Any) -> Any:
        ones = [int((keys >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
        return np.array(ones), np.zeros(64, np.int64)

    monkeypatch.setattr(pieces, "count_flips", count_flips)
    monkeypatch.setattr(worker, "Kernels", MadeUp)
    monkeypatch.setattr(piece_tables, "SMALLEST_BITS", 13)
    monkeypatch.setattr(piece_set, "FIRST_PIECES", 1)
    monkeypatch.setattr(piece_worker, "EXPAND_SECONDS", 0.0)
    monkeypatch.setattr(piece_away, "WHOLE_SECONDS", 0.005)


def signature(
    books: Books, begun: LargeStart, workers: Any, memory: int = 1 << 30, table: int = 8 << 14
) -> LargeSignature:
    """Return a signature whose tables have room for 8,192 states, or take so many bytes."""
    budget = Budget(memory, table, 2, lambda: 0)
    return LargeSignature(SHAPE, books.recorder, begun, budget, workers, books.take_result)


def check_closed(begun: LargeStart, workers: Any, memory: int = 1 << 30) -> LargeSignature:
    """Check that each state is closed once, and that nothing is missing at any commit or left."""
    books = Books(begun)
    before = books.closed.size
    of = signature(books, begun, workers, memory)
    assert [piece.closed for piece in of.set.pieces] == ([before] if before else [0, 0])
    while not of.step():
        books.commit(of)
        assert all(piece.table is None or piece.table.bits <= 14 for piece in of.set.pieces)
    workers.close()
    books.commit(of)
    assert books.records == {}
    assert (of.set.pending, of.set.outstanding) == (0, 0)
    assert (np.sort(books.closed) == ALL).all()
    assert (books.states, books.forced) == (STATES - before, STATES - before)
    for ref, span in of.set.index.spans.items():
        keys = decode_block(ref.block.data, "a block").keys
        assert not int(np.bitwise_or.reduce(keys)) & ~span.ones
        assert not int(np.bitwise_or.reduce(~keys)) & ~span.zeros
    return of


def threads() -> Threads:
    return Threads(CODEC, 2)


LITTLE = 400_000
"""A memory in which tables are given up, and candidates wait for room."""
WORKERS = pytest.mark.parametrize("make", [threads, Away])


@WORKERS
@pytest.mark.parametrize("memory", [1 << 30, LITTLE])
def test_each_state_is_closed_once(make: Callable[[], Any], memory: int) -> None:
    of = check_closed(start([], [ALL[:1]]), make(), memory)
    assert len(of.set.pieces) >= 8
    assert of.set.largest_bits == 14
    if make is threads and memory > LITTLE:
        assert sum(piece.closed for piece in of.set.pieces) == STATES
    known = [ref for piece in of.set.pieces for ref in piece.blocks if ref in of.set.index.spans]
    assert bool(known) == (make is Away)


@pytest.mark.parametrize("memory", [1 << 30, LITTLE])
@WORKERS
@pytest.mark.parametrize("steps", [1, 12])
def test_a_run_goes_on_from_any_commit(make: Callable[[], Any], steps: int, memory: int) -> None:
    """Another one has closed some of the states; what it did after its last commit is lost."""
    begun = start([], [ALL[:1]])
    books, workers = Books(begun), make()
    of = signature(books, begun, workers)
    for _ in range(steps):
        assert not of.step()
    books.commit(of)
    again = start(books.refs, list(books.records.values()))
    of.end()
    workers.close()
    check_closed(again, make(), memory)


@WORKERS
def test_the_end_waits_for_what_is_under_way(make: Callable[[], Any]) -> None:
    """On a busy machine a thread may be done before anybody looks, and so may all: then again."""
    for _ in range(20):
        begun = start([], [ALL[:1]])
        books, workers = Books(begun), make()
        of = signature(books, begun, workers)
        while not of.step() and not (
            len(of.set.pieces) >= 8 and any(one.busy for one in of.set.pieces)
        ):
            pass
        if any(piece.busy for piece in of.set.pieces):
            break
    assert any(piece.busy for piece in of.set.pieces)
    of.end()
    assert not any(piece.busy or piece.in_work for piece in of.set.pieces)
    books.commit(of)
    check_closed(start(books.refs, list(books.records.values())), workers)


def test_a_sample_of_few_states_does_not_replace_a_better_one() -> None:
    """An expansion may end with one state. It tells of no bit that it divides a piece."""
    begun, workers = start([], [ALL[:1]]), threads()
    pieces = signature(Books(begun), begun, workers).set
    workers.close()
    (first, second) = pieces.pieces
    for sample in (ALL[:1], ALL[3:5]):
        pieces.take_sample(*arrays(sample))
        assert pieces.sample[1].size == STATES // 16
        assert pieces.best_bit(first) is not None
        assert pieces.best_bit(second) is not None
    pieces.take_sample(*arrays(ALL[:400]))
    assert (pieces.sample[0] == ALL[:400]).all()


def test_a_table_that_turns_out_too_small_for_closed_states_is_made_anew() -> None:
    """A table is made for what a piece is thought to have closed, which may be too little."""
    begun = start([], [ALL[:1]])
    books, workers = Books(begun), threads()
    of = signature(books, begun, workers, table=8 << 16)
    while max(piece.closed for piece in of.set.pieces) < 13_000:
        assert not of.step()
    of.end()
    piece = max(of.set.pieces, key=lambda one: one.closed)
    assert piece.work
    piece.evict()
    piece.closed = 0
    while not of.step():
        books.commit(of)
    workers.close()
    assert (np.sort(books.closed) == ALL).all()


class Failing(Away):
    """Workers without room for a file from some order on."""

    def expand(self, shape: KeyShape, done: PieceResult, blocks: list[Packed]) -> PieceResult:
        if self.orders == 9:
            raise OSError("no room")
        return super().expand(shape, done, blocks)


def test_work_that_fails_is_told_and_left_pending() -> None:
    begun = start([], [ALL[:1]])
    books, workers = Books(begun), Failing()
    of = signature(books, begun, workers)
    with pytest.raises(OSError, match="no room"):
        while not of.step():
            pass
    of.end()
    books.commit(of)
    workers.close()
    assert books.states == books.closed.size > 0
    check_closed(start(books.refs, list(books.records.values())), Away())


class Noting(Away):
    """Workers that note how many candidates they are given, and find nothing new."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[list[int]] = []

    def expand(self, shape: KeyShape, done: PieceResult, blocks: list[Packed]) -> PieceResult:
        self.given.append([one.states for one in done.rest])
        done.taken, done.rest = sum(self.given[-1]), []
        return done


def test_a_thread_takes_two_million_candidates_at_most() -> None:
    """The others wait for the next one; those that are more alone are taken."""
    begun = start([], [ALL[:0]])
    books, workers = Books(begun), Noting()
    of = signature(books, begun, workers)
    many = [3 << 19, 1 << 19, 1, 3 << 20, 5]
    signatures = np.array([SIGNATURE], np.uint64)
    of.set.pieces[0].queue = [Candidates(0, 1, signatures, np.array([n]), n) for n in many]
    of.set.outstanding = sum(many)
    while not of.step():
        pass
    workers.close()
    assert workers.given == [[3 << 19, 1 << 19], [1, 5], [3 << 20]]


def test_candidates_that_wait_for_room_come_when_nothing_else_is_left() -> None:
    """Memory has no room for them at any time."""
    begun = start([], [ALL[:0]])
    begun.sources = [some(ALL[:700]), some(ALL[700:1000])]
    books, workers = Books(begun), Noting()
    of = signature(books, begun, workers, 1)
    of.set.outstanding = 1000
    while not of.step():
        pass
    workers.close()
    assert sum(sum(given) for given in workers.given) == 1000


def test_candidates_that_are_lost_are_told() -> None:
    begun = start([], [ALL[:1]])
    books, workers = Books(begun), Noting()
    of = signature(books, begun, workers)
    of.set.outstanding += 3
    with pytest.raises(InternalError, match="3 states of a large signature were lost"):
        while not of.step():
            pass
    workers.close()
