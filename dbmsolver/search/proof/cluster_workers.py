"""The processors of a cluster as the workers of a proof.

A piece of work is an order (:mod:`dbmsolver.search.proof.orders`). The search alone has the store,
and every order can be given to any process. So a process or a machine that dies costs only what it
was doing, and the tables that it kept: another one does that again, and makes them again.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Literal, NamedTuple

from dbmsolver.clusters import Connection, WorkerLostError
from dbmsolver.errors import SystemRefusedError
from dbmsolver.kernels.runs import RunArrays
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.cluster_members import MOST, Member, Members
from dbmsolver.search.proof.orders import (
    BatchOrder,
    PieceAnswer,
    PieceOrder,
    Proof,
    sealed,
    with_packed_keys,
)
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.search.proof.worker import BatchResult
from dbmsolver.search.runs import cut

_MOST_LOST = 10
"""The number of processes that a piece of work may end before it is given up."""
_DEADLY = (
    f"a piece of the search has ended {_MOST_LOST} processes, which happens for want of memory; "
    "expected a smaller --memory, or larger machines"
)
_WORTH_MOVING = 16
"""A piece goes to an idle process, which makes its table anew, if one state is waiting for so many
closed ones at least. Else it waits for the process that has its table."""


class TableOwner(NamedTuple):
    """The place of a piece's table: a process, and the number of the order that left it there."""

    member: Member
    left_by: int


class ClusterWorkers:
    """All processors of a cluster, each with a process; `memory` bytes are for each machine."""

    least = 4096
    keeps_tables: Literal[False] = False
    waiting = 0  # `count` has those that wait

    def __init__(self, proof: Proof, connection: Connection, memory: int) -> None:
        self.proof = proof
        self.memory = memory
        self.pool = ThreadPoolExecutor(2 * MOST)
        self._connection = connection
        self._members = Members(connection, sealed(proof), self.pool)
        self._numbers = count()

    @property
    def count(self) -> int:
        """The number of all processors, and some more pieces of work that wait for one."""
        processors = sum(machine.processors for machine in self._connection.machines())
        return min(processors + max(processors // 4, 1), MOST)

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
        """Close the signatures ``first:last`` of a stratum.

        An order whose process is lost goes to another one, up to _MOST_LOST times.
        """
        self._members.recruit()

        def work() -> BatchResult:
            message = sealed((self.proof, BatchOrder(cut(groups, first, last), stratum)))
            for _ in range(_MOST_LOST):
                try:
                    done: BatchResult = self._members.result(self._members.take(), message)
                except WorkerLostError:
                    continue
                done.first, done.last = first, last
                return done
            raise SystemRefusedError(_DEADLY)

        return self.pool.submit(work)

    def delay(self, piece: Piece) -> int | None:
        """Return how many pieces of work are before the next one for a piece; None for too many."""
        home = self._home(piece)
        return self._members.delay() if home is None else self._members.delay_of(home.member)

    def has_table(self, piece: Piece) -> bool:
        """Return True if the table of a piece is where the piece is to be expanded next."""
        home = self._home(piece)
        if home is None:
            return False
        if piece.work * _WORTH_MOVING < piece.closed:
            return True
        fewest = self._members.delay()
        return fewest is None or home.member.orders <= fewest

    def expand_piece(
        self, shape: KeyShape, done: PieceResult, blocks: list[Packed]
    ) -> Future[PieceResult]:
        """Close the states that follow from candidates of a piece, within the piece.

        Its table stays where it was expanded last. If it gets lost, nothing has been done, and the
        result says so.
        """
        self._members.recruit()
        piece = done.piece
        home: TableOwner | None = piece.away
        # The piece itself stays here, with all that is waiting for it.
        alone = Piece(piece.mask, piece.value, piece.leaf, [], piece.closed, bit=piece.bit)
        given = done.rest
        order = PieceOrder(
            shape.stratum,
            shape.signature,
            shape.key_words,
            replace(
                done,
                piece=alone,
                rest=with_packed_keys(given),
                opened=with_packed_keys(done.opened),
            ),
            [block._replace(check=None) for block in blocks],
            None if home is None else home.left_by,
            next(self._numbers),
            2 * self.table_bytes(self.memory),
        )
        member = None if home is None else home.member
        if member is not None:
            self._members.give(member)

        def work() -> PieceResult:
            message = sealed((self.proof, order))
            for _ in range(_MOST_LOST):
                mine = member or self._members.take()
                try:
                    answer: PieceAnswer = self._members.result(mine, message)
                except WorkerLostError:
                    if member is None:
                        continue
                    done.loaded = False
                    return done
                piece.away = TableOwner(mine, order.number) if answer.has_table else None
                expanded = answer.result(given)
                expanded.piece = piece
                return expanded
            raise SystemRefusedError(_DEADLY)

        return self.pool.submit(work)

    def close(self) -> None:
        """Wait for the pieces of work that are under way."""
        self._members.close()
        self.pool.shutdown()

    @staticmethod
    def _home(piece: Piece) -> TableOwner | None:
        """Return the place of a piece's table; None if there is none, or its process is lost."""
        home: TableOwner | None = piece.away
        return None if home is None or home.member.lost else home
