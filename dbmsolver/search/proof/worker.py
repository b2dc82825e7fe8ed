"""Work of one thread of a proof: kernel calls, and blocks and candidates made of their output."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.digest import digest_runs
from dbmsolver.kernels.runs import RunArrays
from dbmsolver.kernels.sorting import sort_states
from dbmsolver.kernels.workspace import (
    CLOSED_FORCED,
    CLOSED_STATES,
    USED_RUNS,
    USED_SIGNATURES,
    USED_STATE_WORDS,
    USED_STATES,
    USED_WIDTH,
    make_output,
    make_workspace,
)
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.candidates import Candidates, make_candidates, of_one_signature
from dbmsolver.search.commits import BlockRef
from dbmsolver.search.proof.closing import Kernels
from dbmsolver.search.proof.pieces import Routes
from dbmsolver.storage.blocks import Runs, encode_block, split
from dbmsolver.storage.records import Closed, layer_and_stratum

SMALL = 1 << 17
"""Signatures of up to about this many states are closed in one go, larger ones in pieces."""
_ORDER = 1 << 20
_SLOTS = 16 * SMALL  # four times the states, three words each where keys are wide
_OUTGOING = 1 << 20
_SIGNATURES = 1 << 14
SAMPLE = 50_000
"""States of a large signature that are looked at when it is cut into pieces."""
Sample = tuple[NDArray[np.uint64], NDArray[Any]]
"""Keys and parent-move codes of some states of a signature."""


@dataclass(eq=False, slots=True)
class WorkResult:
    """The product of a piece of work."""

    closed: list[Closed] = field(default_factory=list)
    sides: list[int] = field(default_factory=list)
    """The value of a bit in all keys of each closed block, where blocks were divided by one."""
    candidates: list[Candidates] = field(default_factory=list)
    states: int = 0
    forced: int = 0
    digest: int = 0

    def add_closed(
        self,
        tables: Any,
        runs: Runs,
        stratum: int,
        forced: int,
    ) -> None:
        """Encode sorted closed states and count them."""
        digest = digest_runs(tables, runs.signatures, runs.counts, runs.keys, runs.key_words)
        self.digest += int(digest)
        self.states += runs.codes.size
        self.forced += forced
        for part in split(runs):
            first, last = int(part.signatures.min()), int(part.signatures.max())
            block = encode_block(part)
            place = layer_and_stratum(stratum)
            self.closed.append(Closed(*place, first, last, part.codes.size, block))


@dataclass(eq=False, slots=True)
class LargeStart:
    """The start of a signature that turned out to be large.

    `candidates` are to be closed, and so are those in `sources`, which stay where they are until
    there is room. `blocks` are its closed states. `sample` are keys and codes of some of its
    states.
    """

    signature: int
    candidates: Candidates
    sample: Sample
    begun: bool = False
    """True if some of its states were closed just now: the candidates follow from these."""
    blocks: list[BlockRef] = field(default_factory=list)
    sources: list[Candidates] = field(default_factory=list)

    @classmethod
    def of(cls, candidates: Candidates, runs: Runs) -> LargeStart:
        """Return the start of a signature with these candidates; `runs` are the same, loaded."""
        words = runs.key_words
        sample = runs.keys[: words * SAMPLE].copy(), runs.codes[:SAMPLE].copy()
        return cls(int(candidates.signatures[0]), candidates, sample)


@dataclass(eq=False, slots=True)
class BatchResult:
    """Signatures ``first:last`` of a stratum's groups are done, but for those in ``large``."""

    first: int
    last: int
    result: WorkResult
    large: list[LargeStart]


class ProofWorker:
    """One thread's scratch memory and the kernel calls that use it."""

    def __init__(self, codec: StateCodec) -> None:
        self.codec = codec
        self.tables = codec.tables
        self.workspace = make_workspace(_ORDER, _SLOTS, _OUTGOING, codec.code_type)
        self.output = make_output(_ORDER, _OUTGOING, _SIGNATURES, codec.code_type)
        self.kernels = Kernels(codec, _OUTGOING)

    def close_batch(self, groups: RunArrays, first: int, last: int, stratum: int) -> BatchResult:
        """Close the signatures ``first:last`` of a stratum."""
        done = BatchResult(first, last, WorkResult(), [])
        out = self.output
        index = first
        while index < last:
            out.used[:] = 0
            reached = self.kernels.close_batch(self.workspace, out, groups, index, last, SMALL)
            if out.used[USED_SIGNATURES] == 0:
                done.large.append(self._too_large(groups, reached, stratum, done.result))
                reached += 1
            else:
                self._collect_closed(stratum, done.result)
            self.collect_candidates(done.result)
            index = reached
        return done

    def _collect_closed(self, stratum: int, result: WorkResult) -> None:
        out = self.output
        states = int(out.used[USED_STATES])
        words = int(out.used[USED_STATE_WORDS])
        signatures = int(out.used[USED_SIGNATURES])
        counts = out.closed[:signatures, CLOSED_STATES].copy()
        runs = Runs(
            out.signatures[:signatures],
            counts,
            out.keys[:words],
            out.codes[:states],
            int(out.used[USED_WIDTH]),
        )
        result.add_closed(
            self.tables, runs, stratum, int(out.closed[:signatures, CLOSED_FORCED].sum())
        )

    def collect_candidates(self, result: WorkResult) -> None:
        """Make candidates of the runs in the output."""
        out = self.output
        runs = int(out.used[USED_RUNS])
        result.candidates += make_candidates(
            self.codec,
            RunArrays(
                out.run_signatures[:runs],
                out.run_counts[:runs],
                out.run_offsets[:runs],
                out.run_words[:runs],
                out.run_keys,
                out.run_codes,
            ),
        )

    def _too_large(
        self, groups: RunArrays, index: int, stratum: int, result: WorkResult
    ) -> LargeStart:
        """Keep the closed states of a signature that grew too big; return its start."""
        ws, out = self.workspace, self.output
        signature = int(groups.signatures[index])
        words = int(out.used[USED_WIDTH])
        _, head, count, outgoing, _, forced = (int(value) for value in out.partial)
        if count == 0:
            keys, codes = groups.run(index, words)
            return start_of(stratum, signature, keys, codes, words)
        keys = ws.order[words * head : words * count].copy()
        candidates = of_one_signature(
            stratum, signature, words, keys, ws.order_codes[head:count].copy()
        )
        some = min(count, SAMPLE)
        sample = ws.order[: words * some].copy(), ws.order_codes[:some].copy()
        start = LargeStart(signature, candidates, sample, begun=True)
        self.kernels.write_runs(ws, out, outgoing)
        self.flush_order(signature, words, head, forced, stratum, result)
        return start

    def flush_order(
        self,
        signature: int,
        words: int,
        states: int,
        forced: int,
        stratum: int,
        result: WorkResult,
        bit: int | None = None,
    ) -> None:
        """Sort the first ``states`` states of the workspace, all closed, into a block.

        Where a bit of the piece word is given, there are two blocks, one for each of its values.
        """
        if not states:
            return
        ws, out = self.workspace, self.output
        sort_states(ws.order, ws.order_codes, out.keys, out.codes, states, words)
        runs = Runs(
            np.array([signature], np.uint64),
            np.array([states], np.int64),
            out.keys[: words * states],
            out.codes[:states],
            words,
        )
        if bit is None:
            result.add_closed(self.tables, runs, stratum, forced)
            return
        for side, part in enumerate(_divided(runs, bit)):
            if part.codes.size:
                result.add_closed(self.tables, part, stratum, forced)
                result.sides += [side] * (len(result.closed) - len(result.sides))
                forced = 0


def _divided(runs: Runs, bit: int) -> Iterator[Runs]:
    """Yield the states of one signature with either value of a bit of the piece word."""
    words = runs.key_words
    keys, codes, ends = Routes.by_bit(bit, words).sort(runs.keys, runs.codes)
    for first, last in pairwise([0, *ends.tolist()]):
        count = np.array([last - first], np.int64)
        part = keys[words * first : words * last]
        yield Runs(runs.signatures, count, part, codes[first:last], words)


def start_of(
    stratum: int, signature: int, keys: NDArray[np.uint64], codes: NDArray[Any], words: int
) -> LargeStart:
    """Return the start of a large signature of which only candidates in memory are known."""
    candidates = of_one_signature(stratum, signature, words, keys, codes)
    return LargeStart.of(candidates, candidates.load())
