"""Proof by exhaustion: every reachable state, strata ascending, each signature closed once.

Candidates only ever lead to higher strata, or stay in their signature.  So when a stratum's turn comes all its candidates
are there, and its signatures are independent of each other: small ones are closed in batches, one thread each; big ones
by all threads together, in pieces.

What the store holds of it, and why that is enough to continue, is said in :mod:`dbmsolver.search.journal`; whether everything
that became pending was taken, the books say (:mod:`dbmsolver.search.tallies`).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.results import Commit, Report
from dbmsolver.search.candidates import (
    Candidates,
    RunArrays,
    SignatureCandidates,
    gather,
    passes,
    select,
)
from dbmsolver.search.journal import BlockRef, Journal, LimitReached
from dbmsolver.search.proof.chunks import PieceCandidates
from dbmsolver.search.proof.initial import stored_candidates, unfinished_blocks
from dbmsolver.search.proof.large import LargeSignature
from dbmsolver.search.proof.small import SmallSignatures
from dbmsolver.search.proof.worker import BatchResult, LargeStart, ProofWorker, WorkResult
from dbmsolver.search.tallies import NOTHING, Books, Tally, total, weigh
from dbmsolver.state import StateCodec
from dbmsolver.storage.blocks import Runs, split
from dbmsolver.storage.transaction import Transaction


class GoalReached(Exception):
    """A position with every card home was met: the deal can be solved.  ``code`` is its parent-move code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class ProofSearch:
    """A proof in progress; :meth:`run` carries it to its end."""

    def __init__(self, codec: StateCodec, journal: Journal, threads: int, memory: int) -> None:
        self.codec = codec
        self.journal = journal
        self.threads = threads
        self.memory = memory
        self.strata: dict[int, list[Candidates]] = {}
        self.stratum = 0
        self.done: list[int] = []
        self.large: LargeSignature | None = None
        self.workers = [ProofWorker(codec) for _ in range(threads)]
        self.last_stratum = 52 + codec.locked
        self.books = Books()

    def run(self) -> Iterator[Report | Commit]:
        """Close strata until nothing is pending.  Raises GoalReached, LimitReached, or what stops a run from outside.

        Whether it comes to its end or is stopped, everything finished until then is committed; after an error
        nothing is.
        """
        self.strata, self.done = stored_candidates(self.journal.store)
        for parcels in self.strata.values():
            self.books.make(total(parcel.tally for parcel in parcels))
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while self.strata:
                    self.stratum = min(self.strata)
                    if self.stratum == self.last_stratum:
                        # Only the goal has all cards home.  A run that met it may have been killed before it said so.
                        goal = self.strata[self.stratum][0].load(self.journal.store)
                        raise GoalReached(int(goal.codes[0]))
                    yield from self._close_stratum(pool)
            except (GoalReached, LimitReached, KeyboardInterrupt, GeneratorExit):
                self.commit()
                raise
        self.books.compare(NOTHING)
        self.commit()

    def commit(self) -> Commit:
        """Commit what is finished and, in resumable runs, what is pending."""
        large = self.large
        stored: list[tuple[PieceCandidates, bytes]] = []

        def more(txn: Transaction) -> dict[str, Any]:
            txn.delete_all(b"D")
            held = total(parcel.tally for parcel in pending)
            if self.journal.resumable:
                if self.done:
                    txn.put_done(0, self.stratum, np.array(self.done, np.uint64).tobytes())
                if large is not None:
                    held = held.plus(large.put_pending(txn, stored))
            return {"waiting": held.to_json()}

        pending = [parcel for parcels in self.strata.values() for parcel in parcels]
        self.books.compare(total(parcel.tally for parcel in pending))
        with self.books.packing(pending):
            unit = self.journal.commit(0, self.stratum, pending, more)
        for chunk, record in stored:
            chunk.record = record
        return unit

    # A stratum.

    def _close_stratum(self, pool: ThreadPoolExecutor) -> Iterator[Report | Commit]:
        parcels = self.strata[self.stratum]
        unfinished: dict[int, list[BlockRef]] = {}
        if self.journal.resumable:
            unfinished = unfinished_blocks(self.journal.store, self.stratum, set(self.done))
        skip = np.array(self.done, np.uint64)
        groups_of_signatures = passes(parcels, skip, self.memory // 4)
        if len(groups_of_signatures) > 1:
            self._spill([parcel for parcel in parcels if parcel.runs is not None])
        self.books.open_stratum(_without(parcels, skip))
        for wanted in groups_of_signatures:
            large_starts: list[LargeStart] = []
            if wanted is not None and wanted.size == 1:
                large_starts.append(self._start_alone(parcels, wanted))
            else:
                groups = gather(self._parts(parcels, wanted), skip)
                self.books.hand_out(groups.signatures, groups.counts)
                yield from self._close_small(pool, groups, unfinished, large_starts)
                del groups
            while large_starts:
                start = large_starts.pop()
                yield from self._close_large(pool, start, unfinished.get(start.signature, []))
        self.books.close_stratum(total(parcel.tally for parcel in parcels))
        for parcel in parcels:
            self.journal.delete(parcel.record)
        del self.strata[self.stratum]
        self.done = []
        if self.journal.due():
            yield self.commit()

    def _parts(self, parcels: list[Candidates], wanted: NDArray[np.uint64] | None) -> list[Runs]:
        """The stratum's candidates, or those for the signatures in ``wanted``."""
        store = self.journal.store
        if wanted is None:
            parts = [parcel.load(store) for parcel in parcels]
            if not self.journal.resumable:
                for parcel in parcels:
                    parcel.runs = None
            return parts
        return [
            select(parcel.load(store), wanted)
            for parcel in parcels
            if np.isin(parcel.signatures, wanted).any()
        ]

    def _start_alone(self, parcels: list[Candidates], wanted: NDArray[np.uint64]) -> LargeStart:
        """A signature with too many candidates to bring them together: they stay in their parcels until they are wanted."""
        signature = int(wanted[0])
        parts = [
            SignatureCandidates(parcel, self.journal.store, signature)
            for parcel in parcels
            if np.isin(parcel.signatures, wanted).any()
        ]
        self.books.hand_out(wanted, np.array([sum(part.size for part in parts)], np.int64))
        first = max(parts, key=lambda part: part.size)
        keys, codes = first.arrays()
        rest = [part for part in parts if part is not first]
        return LargeStart(signature, first.parcel.key_words, 0, keys, codes, sources=rest)

    def _relieve(self) -> None:
        """Leave candidates of higher strata to the store when they take more than a quarter of the memory."""
        if self._candidate_bytes() <= self.memory // 4:
            return
        self._spill(
            [
                parcel
                for stratum, parcels in self.strata.items()
                for parcel in parcels
                if stratum > self.stratum and parcel.runs is not None
            ]
        )

    def _spill(self, parcels: list[Candidates]) -> None:
        with self.books.packing(parcels):
            self.journal.spill(parcels)

    def _close_small(
        self,
        pool: ThreadPoolExecutor,
        groups: RunArrays,
        unfinished: dict[int, list[BlockRef]],
        large_starts: list[LargeStart],
    ) -> Iterator[Report | Commit]:
        """Close these signatures but for big ones, which join ``large_starts``."""
        small = SmallSignatures(self.codec, groups, unfinished, self.stratum)
        take = partial(self._take_batch, groups, large_starts)
        # Closed before anything is committed: its end takes in what the other threads still have.
        with closing(small.run(pool, self.workers, take)) as shares:
            for share in shares:
                yield from self._pause(share)
        large_starts += small.resumed

    def _take_batch(
        self, groups: RunArrays, large_starts: list[LargeStart], batch: BatchResult
    ) -> None:
        large = {start.signature for start in batch.large}
        signatures = groups.signatures[batch.first : batch.last].tolist()
        done = [signature for signature in signatures if signature not in large]
        self.done += done
        self.books.done(done)
        large_starts += batch.large
        self._hold_starts(batch.large)
        self._blocks_of_starts(batch)
        self._take_result(batch.result)

    def _blocks_of_starts(self, batch: BatchResult) -> None:
        for start in batch.large:
            start.blocks = [
                ref
                for block in batch.result.closed
                if block.first == block.last == start.signature
                for ref in self.journal.add_closed([block], always=True)
            ]
        large = {start.signature for start in batch.large}
        batch.result.closed = [
            block
            for block in batch.result.closed
            if not (block.first == block.last and block.first in large)
        ]

    def _hold_starts(self, large_starts: list[LargeStart]) -> None:
        """Keep the opened states of big signatures as pending parcels until they are closed.

        The next commit takes their closed states so far; what follows from these must be there too.
        """
        for start in large_starts:
            states = start.codes.size - start.closed
            if start.closed == 0 or not states:
                continue
            runs = Runs(
                np.array([start.signature], np.uint64),
                np.array([states], np.int64),
                start.keys[start.key_words * start.closed :],
                start.codes[start.closed :],
                start.key_words,
            )
            for part in split(runs):
                self._add(Candidates.of(self.stratum, part))

    def _close_large(
        self, pool: ThreadPoolExecutor, start: LargeStart, blocks: list[BlockRef]
    ) -> Iterator[Report | Commit]:
        blocks = blocks + start.blocks
        self.large = LargeSignature(
            self.codec,
            self.journal,
            start,
            self.stratum,
            self.memory,
            self.threads,
            blocks,
            self._take_result,
            self._candidate_bytes,
        )
        # Closed before anything is committed: its end takes in what the other threads still have.
        with closing(self.large.run(pool, self.workers)) as visits:
            for _ in visits:
                yield from self._pause()
        if not self.journal.keep_closed:
            for ref in {
                id(ref): ref for piece in self.large.pieces for ref in piece.blocks
            }.values():
                self.journal.drop(ref)
        self.large = None
        self.done.append(start.signature)
        self.books.done([start.signature])

    # Shared.

    def _candidate_bytes(self) -> int:
        """Memory that parcels of candidates take."""
        return sum(parcel.nbytes for parcels in self.strata.values() for parcel in parcels)

    def _take_result(self, result: WorkResult) -> None:
        self.journal.count(0, self.stratum, result.states, result.forced, result.digest)
        self.journal.add_closed(result.closed)
        for parcel in result.candidates:
            self._add(parcel)
        # Not before all of them are pending: a commit follows.
        for parcel in result.candidates:
            if parcel.stratum == self.last_stratum:
                assert parcel.runs is not None
                raise GoalReached(int(parcel.runs.codes[0]))

    def _add(self, parcel: Candidates) -> None:
        self.books.make(parcel.tally)
        self.strata.setdefault(parcel.stratum, []).append(parcel)

    def _pause(self, share: float | None = None) -> Iterator[Report | Commit]:
        """Between two pieces of work: limits, commits, reports."""
        self.journal.check_limits()
        self._relieve()
        pending = sum(parcel.states for parcels in self.strata.values() for parcel in parcels)
        if self.large is not None:
            pending += self.large.pending
        if self.journal.due():
            yield self.commit()
        yield self.journal.report(
            layer=None,
            stratum=self.stratum,
            last_stratum=self.last_stratum,
            pending=pending,
            share=share,
        )


def _without(parcels: list[Candidates], skip: NDArray[np.uint64]) -> Tally:
    """The tally of a stratum's candidates, but for these signatures."""
    if not skip.size:
        return total(parcel.tally for parcel in parcels)
    wanted = [~np.isin(parcel.signatures, skip) for parcel in parcels]
    return total(
        weigh(parcel.signatures[mine], parcel.counts[mine])
        for parcel, mine in zip(parcels, wanted, strict=True)
    )
