"""Orders: pieces of work for other processes, and the functions that do them.

The functions have no memory. An order holds all that is to be known: the deal, closed states,
candidates. The result is newly closed states and the candidates that they lead to. So an order can
be given to any process, and to another one when nothing comes back.

Both are sent as bytes with a checksum. Candidates are packed by the process that finds them.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.keys.choice import keys_of, states_of
from dbmsolver.keys.states import StateCodec
from dbmsolver.process import reuse_freed_memory
from dbmsolver.results import Method, Question
from dbmsolver.search.candidates import pack_by_stratum
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.piece_away import expand_whole
from dbmsolver.search.proof.piece_tables import Shape, Table
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.worker import BatchResult, ProofWorker
from dbmsolver.search.runs import RunArrays
from dbmsolver.storage.binding import CHECKSUM, is_intact, with_content_hash
from dbmsolver.storage.intake import intake_of


class Proof(NamedTuple):
    """The parts that all orders of a proof have in common."""

    deal: Deal
    policy: Policy
    method: Method

    def keys(self) -> StateCodec:
        """Return the keys of the proof's states."""
        keys = keys_of(self.deal, self.policy, self.method, question=Question.PROVE)
        return states_of(keys)


class SentTable(NamedTuple):
    """The table of a piece, on its way from one process to another."""

    bits: int
    slots: NDArray[np.uint64]
    steps: NDArray[np.uint16]
    held: int


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """Signatures of a stratum, to be closed."""

    groups: RunArrays
    stratum: int

    def perform(self, worker: ProofWorker) -> BatchResult:
        """Close the signatures. The result counts them from 0."""
        done = worker.close_batch(self.groups, 0, self.groups.counts.size, self.stratum)
        done.result.candidates = pack_by_stratum(done.result.candidates)
        return done


@dataclass(frozen=True, slots=True)
class PieceOrder:
    """A piece of a large signature, to be expanded.

    `blocks` are its closed states; there are none where its table is sent.
    """

    stratum: int
    signature: int
    key_words: int
    done: PieceResult
    blocks: list[Packed]

    def perform(self, worker: ProofWorker, sent: SentTable | None) -> SentTable | None:
        """Expand the piece and write the result to `done`. Takes and returns the table."""
        shape = Shape.of(worker.codec, self.stratum, self.signature, self.key_words)
        check = intake_of(worker.codec)
        blocks = [block._replace(check=check if block.key else None) for block in self.blocks]
        table = None
        if sent is not None:
            # Copies: what is sent belongs to all, and cannot be changed.
            table = Table(
                shape, sent.bits, sent.slots.copy(), sent.steps.copy(), sent.held, is_cleared=True
            )
        table = expand_whole(shape, self.done, worker, blocks, table)
        if table is None:
            return None
        return SentTable(table.bits, table.slots, table.steps, table.held)


def sealed(content: Any) -> bytes:
    """Return the content of a message as bytes with a checksum."""
    return with_content_hash(pickle.dumps(content, pickle.HIGHEST_PROTOCOL))


def opened(message: bytes) -> Any:
    """Return the content of a message made by :func:`sealed`; InternalError if it was damaged."""
    if not is_intact(message, None):
        raise InternalError("a message of the cluster is not as it was sent")
    return pickle.loads(memoryview(message)[CHECKSUM.size :])


_last: tuple[Proof, ProofWorker] | None = None
"""The proof of the last order, with scratch memory and tables of the deal, for the next order."""


def perform(message: bytes) -> bytes:
    """Close the signatures of an order. The message is (the proof, a BatchOrder).

    Returns the result. Both are bytes as :func:`sealed` makes them.
    """
    proof, order = opened(message)
    return sealed(order.perform(_worker(proof)))


def perform_piece(message: bytes, table: SentTable | None) -> tuple[bytes, SentTable | None]:
    """Expand the piece of an order. The message is (the proof, a PieceOrder), sealed.

    Takes the piece's table, if there is one. Returns the result, sealed, and the table.
    """
    proof, order = opened(message)
    table = order.perform(_worker(proof), table)
    return sealed(order.done), table


def _worker(proof: Proof) -> ProofWorker:
    """Return the scratch memory of this process for a proof."""
    global _last
    if _last is None or _last[0] != proof:
        reuse_freed_memory()
        _last = proof, ProofWorker(proof.keys())
    return _last[1]
