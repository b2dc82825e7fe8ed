"""Orders: pieces of work for other processes, and the functions that do them.

An order holds all that is to be known: the deal, closed states, candidates. The result is newly
closed states and the candidates that they lead to. So an order can be given to any process, and to
another one when nothing comes back. A process keeps the tables of pieces that it has expanded: an
order for one of these needs no closed states.

Orders and results are sent as bytes with a checksum. Candidates of a large signature have packed
keys (:mod:`dbmsolver.kernels.packing`) on their way, and in the memory of the search.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from io import BytesIO
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.kernels.runs import RunArrays
from dbmsolver.kits.choice import are_wide, keys_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.process import reuse_freed_memory
from dbmsolver.results import Method, Question
from dbmsolver.search.candidates import Candidates, pack_by_stratum
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof.kept_tables import KeptTables
from dbmsolver.search.proof.piece_away import expand_whole
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.worker import BatchResult, ProofWorker
from dbmsolver.storage.binding import CHECKSUM, content_hash, is_intact
from dbmsolver.storage.intake import Intake

_MEMORY = 1 << 30
"""Bytes that each process is taken to have when it chooses how much freed memory to keep."""
Message = NDArray[np.uint8]
"""The bytes of an order or of a result: a checksum (8 bytes) and the pickled content."""


class Proof(NamedTuple):
    """The parts that all orders of a proof have in common."""

    deal: Deal
    policy: Policy
    method: Method

    def keys(self) -> StateCodec:
        """Return the keys of the proof's states."""
        keys = keys_of(self.deal, self.policy, self.method, question=Question.PROVE)
        assert not are_wide(keys)  # their searches are in memory
        return keys


@dataclass(frozen=True, slots=True)
class BatchOrder:
    """Signatures of a stratum, to be closed."""

    groups: RunArrays
    stratum: int

    def perform(self, worker: ProofWorker, tables: KeptTables) -> BatchResult:
        """Close the signatures. The result counts them from 0."""
        tables.begin(None)
        done = worker.close_batch(self.groups, 0, self.groups.counts.size, self.stratum)
        done.result.candidates = pack_by_stratum(done.result.candidates)
        return done


@dataclass(frozen=True, slots=True)
class PieceOrder:
    """A piece of a large signature, to be expanded.

    Its table was left in the same process by the order with the number `left_by`. Where that is
    None, it is made of `blocks`, the piece's closed states. The order leaves the table by its own
    `number`; all tables of the process may take `table_bytes`.
    """

    stratum: int
    signature: int
    key_words: int
    done: PieceResult
    blocks: list[Packed]
    left_by: int | None
    number: int
    table_bytes: int

    def perform(self, worker: ProofWorker, tables: KeptTables) -> PieceAnswer:
        """Expand the piece.

        Where the table is not here any more, nothing is done, and the result says so.
        """
        done, piece, given = self.done, self.done.piece, list(self.done.rest)
        tables.begin((self.stratum, self.signature))
        shape = KeyShape.of(worker.codec, self.stratum, self.signature, self.key_words)
        table = None
        if self.left_by is not None:
            table = tables.take(self.left_by, piece)
            if table is None:
                done.loaded = False
                return PieceAnswer.of(done, given, has_table=False)
        check = Intake(worker.codec)
        blocks = [block._replace(check=check if block.key else None) for block in self.blocks]
        table = expand_whole(shape, done, worker, blocks, table)
        if table is not None:
            tables.keep(self.number, piece, table, self.table_bytes)
        return PieceAnswer.of(done, given, has_table=table is not None)


@dataclass(frozen=True, slots=True)
class PieceAnswer:
    """The answer to an order to expand a piece.

    The order's lists of candidates are taken from the end. The first `untouched` of them were not
    begun, and are not sent back: the driver has them. `done.rest` has the other candidates that are
    left.
    """

    done: PieceResult
    untouched: int
    has_table: bool

    @classmethod
    def of(cls, done: PieceResult, given: list[Candidates], *, has_table: bool) -> PieceAnswer:
        """Return the answer with this result; `given` are the order's lists of candidates."""
        pairs = zip(done.rest, given, strict=False)
        untouched = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        done.rest = with_packed_keys(done.rest[untouched:])
        done.opened = with_packed_keys(done.opened)
        return cls(done, untouched, has_table)

    def result(self, given: list[Candidates]) -> PieceResult:
        """Return the result for those who have the order's lists of candidates."""
        self.done.rest = given[: self.untouched] + self.done.rest
        return self.done


def sealed(content: Any) -> Message:
    """Return the content of a message as bytes with a checksum."""
    # A message may have a hundred megabytes. It is not copied to put the checksum before it, and
    # Ray, which copies bytes when they arrive, lets an array be read where it is.
    message = BytesIO()
    message.write(bytes(CHECKSUM.size))
    pickle.dump(content, message, pickle.HIGHEST_PROTOCOL)
    with message.getbuffer() as view:
        CHECKSUM.pack_into(view, 0, content_hash(view))
    return np.frombuffer(message.getbuffer(), np.uint8)


def opened(message: Message) -> Any:
    """Return the content of a message made by :func:`sealed`; InternalError if it was damaged."""
    if not is_intact(message.data, None):
        raise InternalError("a message of the cluster is not as it was sent")
    return pickle.loads(message.data[CHECKSUM.size :])


def with_packed_keys(candidates: list[Candidates]) -> list[Candidates]:
    """Return lists of candidates with packed keys, where that saves bytes of a message."""
    return [one.with_packed_keys() for one in candidates]


def begin(kept: dict[str, Any], message: Message) -> Message:
    """Make the scratch memory for a proof. The message is the proof, sealed; so is the answer."""
    _worker(kept, opened(message))
    return sealed(None)


def perform(kept: dict[str, Any], message: Message) -> Message:
    """Do an order. The message is (the proof, the order), sealed; the result is sealed, too."""
    proof, order = opened(message)
    return sealed(order.perform(*_worker(kept, proof)))


def _worker(kept: dict[str, Any], proof: Proof) -> tuple[ProofWorker, KeptTables]:
    """Return the scratch memory and the tables that a process keeps for a proof."""
    if kept.get("proof") != proof:
        reuse_freed_memory(_MEMORY)
        kept["worker"] = ProofWorker(proof.keys()), KeptTables()
        kept["proof"] = proof
    found: tuple[ProofWorker, KeptTables] = kept["worker"]
    return found
