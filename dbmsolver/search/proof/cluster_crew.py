"""The processors of a cluster as the crew of a proof.

A piece of work is a function without a memory (:mod:`dbmsolver.search.proof.orders`). So a process
or a machine that dies costs only what it was doing, and another one does that again. The search
alone has the store.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from dbmsolver.clusters import Connection, WorkerLostError
from dbmsolver.errors import SystemRefusedError
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.orders import BatchOrder, PieceOrder, Proof, opened, sealed
from dbmsolver.search.proof.piece_tables import Shape
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import BatchResult
from dbmsolver.search.runs import RunArrays, cut

_WORK = "dbmsolver.search.proof.orders:perform"
_EXPAND = "dbmsolver.search.proof.orders:perform_piece"
_MOST = 1024
"""Pieces of work at the same time, at most: each is waited for by a thread."""
_MOST_LOST = 10
"""The number of processes that a piece of work may end before it is given up."""
_DEADLY = (
    f"a piece of the search has ended {_MOST_LOST} processes, which happens for want of memory; "
    "expected a smaller --memory, or larger machines"
)
_LOOK_SECONDS = 2.0
_PATIENCE = 60.0
"""Seconds without any machine after which the search ends."""


class ClusterCrew:
    """All processors of a cluster, each with a process; `memory` bytes are for each machine."""

    least = 4096
    keeps_tables = False

    def __init__(self, proof: Proof, connection: Connection, memory: int) -> None:
        self.proof = proof
        self.memory = memory
        self.pool = ThreadPoolExecutor(_MOST)
        self._connection = connection

    @property
    def workers(self) -> int:
        """The number of all processors, and some more pieces of work that wait for one."""
        processors = sum(machine.processors for machine in self._connection.machines())
        return min(processors + max(processors // 4, 1), _MOST)

    def table_bytes(self, memory: int) -> int:
        """Return a third of a processor's memory, on the machine where it has the least."""
        shares = (
            min(machine.memory, self.memory) // machine.processors
            for machine in self._connection.machines()
        )
        return min(shares, default=memory) // 3

    def close_batch(
        self, groups: RunArrays, first: int, last: int, stratum: int
    ) -> Future[BatchResult]:
        """Close the signatures ``first:last`` of a stratum."""

        def work() -> BatchResult:
            done = self._closed(BatchOrder(cut(groups, first, last), stratum))
            done.first, done.last = first, last
            return done

        return self.pool.submit(work)

    def expand_piece(
        self, shape: Shape, done: PieceResult, blocks: list[Packed]
    ) -> Future[PieceResult]:
        """Close the states that follow from candidates of a piece, within the piece.

        Its table stays where it was expanded last, until another process needs it. If it gets lost,
        nothing has been done, and the result says so.
        """
        piece = done.piece
        # The piece itself stays here, with all that is waiting for it.
        alone = Piece(piece.mask, piece.value, piece.leaf, [], piece.closed, bit=piece.bit)
        blocks = [block._replace(check=None) for block in blocks]
        order = PieceOrder(
            shape.stratum, shape.signature, shape.key_words, replace(done, piece=alone), blocks
        )
        message = sealed((self.proof, order))

        def work() -> PieceResult:
            for _ in range(_MOST_LOST):
                both = self._connection.submit(_EXPAND, message, piece.away, results=2)
                try:
                    found: PieceResult = self._result(both[0])
                except WorkerLostError:
                    if piece.away is None:
                        continue
                    done.loaded = False
                    return done
                found.piece = piece
                piece.away = both[1]
                return found
            raise SystemRefusedError(_DEADLY)

        return self.pool.submit(work)

    def close(self) -> None:
        """Wait for the pieces of work that are under way."""
        self.pool.shutdown()

    def _closed(self, order: BatchOrder) -> BatchResult:
        """Return the result of an order. Runs in a thread of its own.

        An order whose worker is lost goes to another one, up to _MOST_LOST times.
        """
        message = sealed((self.proof, order))
        for _ in range(_MOST_LOST):
            try:
                done: BatchResult = self._result(self._connection.submit(_WORK, message))
                return done
            except WorkerLostError:
                continue
        raise SystemRefusedError(_DEADLY)

    def _result(self, reference: Any) -> Any:
        """Wait for the result of a reference and return it.

        Raises SystemRefusedError if there is no machine any more.
        """
        left = time.monotonic() + _PATIENCE
        while not self._connection.ready([reference], _LOOK_SECONDS):
            if self._connection.living():
                left = time.monotonic() + _PATIENCE
            elif time.monotonic() > left:
                raise SystemRefusedError("no machine of the cluster is left")
        return opened(self._connection.result(reference))
