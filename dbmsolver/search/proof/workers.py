"""Workers that close signatures: threads of this process, or processes of a cluster.

A search hands out pieces of work, and gets a Future for the result of each. Only the order and its
result pass between the two; the search alone has the store.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dbmsolver.kernels.runs import RunArrays
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.piece_worker import PieceResult, expand_piece
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import BatchResult, ProofWorker

if TYPE_CHECKING:
    from dbmsolver.search.proof.cluster_workers import ClusterWorkers


Workers: TypeAlias = "Threads | ClusterWorkers"
"""Workers that close signatures."""


class Threads:
    """Threads of this process, each with its scratch memory.

    `least` candidates are worth a piece of work, `count` pieces of work should be there at the same
    time, and `waiting` batches beside those that are being closed. The threads of `pool` also do
    work that is not handed out.
    """

    keeps_tables: Literal[True] = True
    """True if the tables of pieces stay in this process, from one piece of work to the next."""

    def __init__(self, codec: StateCodec, threads: int) -> None:
        self.least = codec.worth_a_batch
        self.count = threads
        # A thread has its next batch at once; one thread alone has the processor to itself.
        self.waiting = int(threads > 1)
        self.pool = ThreadPoolExecutor(threads)
        self._idle: SimpleQueue[ProofWorker] = SimpleQueue()
        for _ in range(threads):
            self._idle.put(ProofWorker(codec))

    def table_bytes(self, memory: int) -> int:
        """Return a third of each thread's share."""
        return memory // (3 * self.count)

    def close_batch(
        self, groups: RunArrays, first: int, last: int, stratum: int
    ) -> Future[BatchResult]:
        """Let a thread close the signatures ``first:last`` of a stratum.

        If these are all of it, they are closed here, before this method returns: the caller could
        only wait, and for a small stratum a thread's help takes longer than the work.
        """

        def close(worker: ProofWorker) -> BatchResult:
            return worker.close_batch(groups, first, last, stratum)

        if last - first == groups.counts.size:
            return self._do_here(close)
        return self.pool.submit(self._by_worker, close)

    def delay(self, piece: Piece) -> int:
        """Return 0: work for any piece is for any thread."""
        return 0

    def expand_piece(
        self, shape: KeyShape, done: PieceResult, blocks: list[Packed]
    ) -> Future[PieceResult]:
        """Close what follows from candidates of a piece within it.

        The result is `done`, which names the candidates. The piece's closed states are in its
        table; where there is none yet, or it is empty, they are in `blocks`.
        """

        def expand(worker: ProofWorker) -> PieceResult:
            expand_piece(shape, done, worker, blocks)
            done.divide(shape)
            return done

        return self.pool.submit(self._by_worker, expand)

    def _do_here(self, work: Callable[[ProofWorker], BatchResult]) -> Future[BatchResult]:
        """Do a piece of work in the caller's thread.

        Return a completed Future with its result, or with the error that it raised.
        """
        future: Future[BatchResult] = Future()
        try:
            future.set_result(self._by_worker(work))
        except Exception as error:
            future.set_exception(error)
        return future

    def _by_worker(self, work: Callable[[ProofWorker], Any]) -> Any:
        """Do a piece of work; there are as many workers as threads."""
        worker = self._idle.get_nowait()
        try:
            return work(worker)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown()
