"""Closing one stratum of a proof.

Small signatures are closed in batches, each batch by one worker; large ones one after
the other, by all workers together. Where the candidates of the stratum take too much memory,
its signatures are closed in several passes.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.runs import RunArrays
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef
from dbmsolver.search.ledger import Entry, entry_of, total
from dbmsolver.search.proof.initial import unfinished_blocks
from dbmsolver.search.proof.large import LargeSignature
from dbmsolver.search.proof.piece_set import Budget
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.proof_state import ProofState
from dbmsolver.search.proof.small import SmallSignatures
from dbmsolver.search.proof.worker import SMALL, BatchResult, LargeStart
from dbmsolver.search.runs import are_among, gather
from dbmsolver.storage.blocks import Runs, split

SURELY_LARGE = 4 * SMALL
"""Candidates of one signature that it is not worth trying to close in one go."""


class StratumClosing:
    """The current stratum of a proof while it is closed.

    `unfinished` are blocks of large signatures that an earlier run began; `large_starts` are the
    large signatures found in the current pass, to be closed after the small ones.
    """

    def __init__(self, search: ProofState) -> None:
        self.search = search
        self.recorder = search.recorder
        self.stratum = search.stratum
        self.ledger = search.ledger
        self.candidates = search.strata[search.stratum]
        self.skip = np.unique(np.array(search.done, np.uint64))
        self.unfinished: dict[int, list[BlockRef]] = {}
        if self.recorder.resumable:
            self.unfinished = unfinished_blocks(self.recorder.store, self.stratum, set(search.done))
        self.large_starts: list[LargeStart] = []
        self._small: SmallSignatures | None = None
        limit = search.memory // 4
        self._alone, self._passes = signature_groups(self.candidates, self.skip, limit)
        if _size(self.candidates) > limit or (self._alone and self.recorder.resumable):
            # A commit between two passes sorts, and drops duplicates: these must not be due then.
            search.merge([search.stratum])
            self.candidates = search.strata[search.stratum]
            self._alone, self._passes = signature_groups(self.candidates, self.skip, limit)
        if _size(self.candidates) > limit:
            search.spill([one for one in self.candidates if one.in_memory])
        self.ledger.open_stratum(_without(self.candidates, self.skip))

    @property
    def share(self) -> float | None:
        """The share of the small signatures that is done; None while a large one is closed."""
        return None if self._small is None else self._small.share

    def step(self) -> bool:
        """Do a piece of work; return True, without work, if all signatures are closed.

        Signatures that are surely large, by the number of their candidates, come first. Then, pass
        after pass, the small ones are closed, and those that turn out to be large.
        """
        while True:
            if self.search.large is not None:
                if not self.search.large.step():
                    return False
                self._finish_large(self.search.large)
            elif self._small is not None:
                if not self._small.step():
                    return False
                self.large_starts += self._small.resumed
                self._small = None
            elif self._alone:
                self._begin_large(self._start_alone(self._alone.pop(0)))
            elif self.large_starts:
                self._begin_large(self.large_starts.pop())
            elif self._passes:
                self._begin_pass(self._passes.pop(0))
            else:
                return True

    def end(self) -> None:
        """Wait for the work that is under way, and take its results."""
        if self._small is not None:
            self._small.end()
        if self.search.large is not None:
            self.search.large.end()

    # Candidates.

    def _parts(self, wanted: NDArray[np.uint64] | None) -> list[Runs]:
        """Load and return the stratum's candidates, or those of the signatures in `wanted`."""
        parts = self.candidates
        if wanted is not None:
            parts = [part for one in parts if (part := one.select(wanted)).states]
        load = partial(Candidates.load, store=self.recorder.store)
        loaded = list(self.recorder.in_parallel(load, parts))
        if wanted is None and not self.recorder.resumable:
            # The copies made of them are enough.
            for one in self.candidates:
                one.leave_memory()
        return loaded

    def _start_alone(self, wanted: NDArray[np.uint64]) -> LargeStart:
        """Return the start of a signature with many candidates, loaded one part at a time."""
        parts = [one.select(wanted) for one in self.candidates]
        parts = [part for part in parts if part.states]
        self.ledger.distribute(wanted, np.array([sum(part.states for part in parts)], np.int64))
        first = max(parts, key=lambda part: part.states)
        start = LargeStart.of(first, first.load(self.recorder.store))
        start.sources = [part for part in parts if part is not first]
        return start

    # Small signatures.

    def _begin_pass(self, wanted: NDArray[np.uint64] | None) -> None:
        """Begin with the signatures of a pass. Large ones join `large_starts`."""
        groups = gather(self._parts(wanted), self.skip, self.search.workers.pool)
        self.ledger.distribute(groups.signatures, groups.counts)
        take, search = partial(self._take_batch, groups), self.search
        self._small = SmallSignatures(
            search.codec, groups, self.unfinished, self.stratum, search.workers, take
        )

    def _take_batch(self, groups: RunArrays, batch: BatchResult) -> None:
        """Keep the result of a batch."""
        large = {start.signature for start in batch.large}
        signatures = groups.signatures[batch.first : batch.last].tolist()
        done = [signature for signature in signatures if signature not in large]
        self.search.done += done
        self.ledger.close(done)
        self.large_starts += batch.large
        for start in batch.large:
            if start.begun and start.candidates.states:
                # The next commit has those of its states that are closed; what follows from them
                # is pending until the signature is closed.
                for part in split(start.candidates.load()):
                    self.search.add(Candidates.of(self.stratum, part))
        self._separate_blocks(batch)
        self.search.take_result(batch.result)

    def _separate_blocks(self, batch: BatchResult) -> None:
        """Keep the blocks of large signatures by their start, even where only counts are kept."""
        starts = {start.signature: start for start in batch.large}
        others = []
        for block in batch.result.closed:
            start = starts.get(block.first) if block.first == block.last else None
            if start is None:
                others.append(block)
            else:
                start.blocks += self.recorder.add_closed([block], always=True)
        batch.result.closed = others

    # Large signatures.

    def _begin_large(self, start: LargeStart) -> None:
        """Begin with a large signature, which all workers close."""
        search = self.search
        start.blocks = self.unfinished.get(start.signature, []) + start.blocks
        budget = Budget(
            search.memory,
            search.workers.table_bytes(search.memory),
            search.threads,
            lambda: search.candidate_bytes,
        )
        words = start.candidates.key_words
        shape = KeyShape.of(search.codec, self.stratum, start.signature, words)
        search.large = LargeSignature(
            shape, self.recorder, start, budget, search.workers, search.take_result
        )

    def _finish_large(self, large: LargeSignature) -> None:
        """Note that a large signature is closed."""
        if not self.recorder.keep_closed:
            for ref in large.set.blocks:
                self.recorder.batch.drop(ref)
        self.search.large = None
        self.search.done.append(large.shape.signature)
        self.ledger.close([large.shape.signature])


def signature_groups(
    candidates: list[Candidates], skip: NDArray[np.uint64], limit: int
) -> tuple[list[NDArray[np.uint64]], list[NDArray[np.uint64] | None]]:
    """Return large signatures, each to be closed alone, and groups of the others.

    Alone, in an array of its own, is each signature whose candidates take more than `limit` bytes,
    or which has enough candidates to be surely large: its candidates need not be brought together.
    The candidates of a group take about `limit` bytes. [None] stands for a group of all signatures
    that are not in `skip`.
    """
    many = sum(one.states for one in candidates) > SURELY_LARGE
    if _size(candidates) <= limit and not many:
        return [], [None]
    signatures = np.concatenate([one.signatures for one in candidates])
    counts = np.concatenate([one.counts for one in candidates])
    sizes = np.concatenate([one.counts * one.state_bytes for one in candidates])
    wanted = ~np.isin(signatures, skip)
    unique, places = np.unique(signatures[wanted], return_inverse=True)
    totals = np.bincount(places, weights=sizes[wanted])
    large = (totals > limit) | (np.bincount(places, weights=counts[wanted]) > SURELY_LARGE)
    alone = list(unique[large].reshape(-1, 1))
    unique, totals = unique[~large], totals[~large]
    groups: list[NDArray[np.uint64] | None] = []
    first = 0
    gathered = 0.0
    for index, size in enumerate(totals.tolist()):
        if gathered + size > limit:
            groups.append(unique[first:index])
            first, gathered = index, 0.0
        gathered += size
    if first < unique.size:
        groups.append(unique[first:])
    return alone, groups


def _size(candidates: list[Candidates]) -> int:
    """Return the memory that candidates take, or would take once they are loaded, in bytes."""
    return sum(one.loaded_bytes for one in candidates)


def _without(candidates: list[Candidates], skip: NDArray[np.uint64]) -> Entry:
    """Return the entry of a stratum's candidates, without those in ``skip``, which is sorted."""
    if not skip.size:
        return total(one.entry for one in candidates)
    wanted = [~are_among(one.signatures, skip) for one in candidates]
    return total(
        entry_of(one.signatures[mine], one.counts[mine])
        for one, mine in zip(candidates, wanted, strict=True)
    )
