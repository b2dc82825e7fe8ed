"""Candidates: states that were reached, to be closed unless they are known already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError
from dbmsolver.kernels.runs import RunArrays, copy_runs, progress_of, sort_runs, widths_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.ledger import Entry, entry_of
from dbmsolver.search.packed_runs import PackedRuns
from dbmsolver.search.runs import are_among, gather, select_runs, sorted_runs
from dbmsolver.storage.blocks import Runs, decode_block, encode_block, read_checked_block, split
from dbmsolver.storage.store import Store

OWN_LIST = 1 << 16
"""When lists are merged, a signature with at least this many candidates gets a list of its own."""


@dataclass(eq=False, slots=True)
class Candidates:
    """Candidates of one stratum, grouped by signature, with keys of `key_words` words.

    There is at least one place where all of them are: in memory as `runs`, `packed_runs`, or a
    `block`; in the store, as `record`; or in the list `whole`, of which these are those of some
    signatures. The number of candidates of each signature (`signatures`, `counts`) is always in
    memory.

    `stored` is how many the record holds, where they were packed without being sorted here: fewer
    than `states` if there are duplicates.
    """

    stratum: int
    key_words: int
    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    states: int
    runs: Runs | None = None
    packed_runs: PackedRuns | None = None
    block: bytes | None = None
    record: bytes | None = None
    whole: Candidates | None = None
    stored: int = 0
    is_sorted: bool = False
    _entry: Entry | None = None

    @classmethod
    def of(cls, stratum: int, runs: Runs, record: bytes | None = None) -> Candidates:
        """Return candidates in memory; with a record, they are in the store, too."""
        states = runs.codes.size
        return cls(
            stratum, runs.key_words, runs.signatures, runs.counts, states, runs, record=record
        )

    @property
    def entry(self) -> Entry:
        """Their entry in the ledger."""
        if self._entry is None:
            self._entry = entry_of(self.signatures, self.counts)
        return self._entry

    @property
    def nbytes(self) -> int:
        """Memory they take, in bytes."""
        block = 0 if self.block is None else len(self.block)
        arrays = sum(part.nbytes for part in (self.runs, self.packed_runs) if part is not None)
        return 16 * self.signatures.size + block + arrays

    @property
    def state_bytes(self) -> int:
        """Memory that one of them takes once it is loaded, in bytes."""
        return 8 * self.key_words + 2  # a code has two bytes at most

    @property
    def loaded_bytes(self) -> int:
        """Memory that they take once they are loaded, in bytes."""
        return self.states * self.state_bytes

    @property
    def is_new(self) -> bool:
        """True if the list is as a worker has made it: in memory only, not sorted, not a block."""
        arrays = self.runs is not None or self.packed_runs is not None
        return arrays and self.record is None and not self.is_sorted

    @property
    def in_memory(self) -> bool:
        """True if the candidates are in memory."""
        return any(part is not None for part in (self.runs, self.packed_runs, self.block))

    def load(self, store: Store | None = None) -> Runs:
        """Return the candidates, from where they are; those in memory need no store.

        Records of earlier runs have been checked when this run has read what is pending.
        """
        if self.runs is not None:
            return self.runs
        if self.packed_runs is not None:
            return self.packed_runs.unpacked()
        if self.block is not None:
            return decode_block(self.block, "memory")
        if self.whole is not None:
            return select_runs(self.whole.load(store), self.signatures)
        assert self.record is not None and store is not None
        return read_checked_block(store, self.record)

    def select(self, wanted: NDArray[np.uint64]) -> Candidates:
        """Return the candidates of some signatures, which are sorted.

        They stay where they are until they are loaded.
        """
        chosen = np.flatnonzero(are_among(self.signatures, wanted))
        counts = self.counts[chosen]
        return Candidates(
            self.stratum,
            self.key_words,
            self.signatures[chosen],
            counts,
            int(counts.sum()),
            whole=self,
        )

    def sort(self) -> None:
        """Sort candidates in memory by signature and key, and drop duplicates.

        Those in a block are sorted already.
        """
        if self.block is not None or self.is_sorted:
            return
        sorted_ones: Runs | PackedRuns
        if self.runs is not None:
            self.runs = sorted_ones = sorted_runs(self.runs)
        else:
            assert self.packed_runs is not None
            self.packed_runs = sorted_ones = self.packed_runs.sorted()
        signatures, counts = sorted_ones.signatures, sorted_ones.counts
        if entry_of(signatures) != entry_of(self.signatures) or not counts.all():
            raise InternalError("candidates have lost signatures when they were sorted")
        self.signatures, self.counts = signatures, counts
        self.states, self.is_sorted, self._entry = sorted_ones.codes.size, True, None

    def pack(self) -> bytes:
        """Return candidates in memory as a block, sorted, without duplicates.

        The candidates themselves stay as they are, so another thread may be working on them.
        """
        if self.block is not None:
            return self.block
        runs = self.load()
        return encode_block(runs if self.is_sorted else sorted_runs(runs))

    def with_packed_keys(self) -> Candidates:
        """Return the same candidates with packed keys; these, where that saves no memory."""
        packed = None if self.runs is None else PackedRuns.of(self.runs)
        return self if packed is None else replace(self, runs=None, packed_runs=packed)

    def with_own_arrays(self) -> Candidates:
        """Return the same candidates in arrays of their own, so that they leave memory alone.

        Their keys are packed where that saves memory.
        """
        packed = self.with_packed_keys()
        if packed is not self or self.runs is None:
            return packed
        runs = replace(self.runs, keys=self.runs.keys.copy(), codes=self.runs.codes.copy())
        return replace(self, runs=runs)

    @property
    def packed_keys(self) -> PackedRuns | None:
        """The candidates with packed keys; None if they are not so in memory."""
        if self.packed_runs is None and self.whole is not None:
            return self.whole.packed_runs if self.whole.states == self.states else None
        return self.packed_runs

    def part(self, packed: PackedRuns) -> Candidates:
        """Return a list of some of these candidates, in the order they have here."""
        return Candidates(
            self.stratum,
            self.key_words,
            packed.signatures,
            packed.counts,
            packed.codes.size,
            packed_runs=packed,
            is_sorted=self.is_sorted,
        )

    def leave_memory(self) -> None:
        """Give up those in memory."""
        self.runs = self.packed_runs = self.block = None


def load_together(
    candidates: list[Candidates], store: Store | None = None
) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """Load candidates of one signature; return an array of their keys, and one of their codes."""
    parts = [group.load(store) for group in candidates]
    keys = np.concatenate([runs.keys for runs in parts])
    return keys, np.concatenate([runs.codes for runs in parts])


def together(candidates: list[Candidates]) -> Runs:
    """Return the states of several lists together, sorted, without duplicates.

    All of them have keys of the same width.
    """
    # A function of its own, so that nothing but the result is in memory when it is encoded.
    words = candidates[0].key_words
    runs = gather([one.load() for one in candidates], np.empty(0, np.uint64))
    counts, keys, codes = sort_runs(runs.counts, words, runs.keys, runs.codes)
    return Runs(runs.signatures, counts, keys, codes, words)


def merged(candidates: list[Candidates]) -> list[Candidates]:
    """Merge lists of the same stratum and key width; return sorted lists without duplicates.

    All are in memory. A signature with at least OWN_LIST candidates gets a list of its own, or
    several, so that it can be loaded alone. InternalError if a signature is lost.
    """
    runs = together(candidates)
    known = np.unique(np.concatenate([one.signatures for one in candidates]))
    if entry_of(runs.signatures) != entry_of(known) or not runs.counts.all():
        raise InternalError("candidates have lost signatures when they were merged")
    found = []
    for part in (part for some in _apart(runs) for part in split(some)):
        one = Candidates.of(candidates[0].stratum, part)
        one.is_sorted = True
        found.append(one.with_own_arrays())
    return found


def _apart(runs: Runs) -> list[Runs]:
    """Split runs into groups, in their order.

    Each run of at least OWN_LIST states is a group alone; smaller runs side by side are one group.
    """
    large = np.flatnonzero(runs.counts >= OWN_LIST)
    bounds = np.unique(np.concatenate(([0, runs.counts.size], large, large + 1)))
    ends = np.concatenate(([0], np.cumsum(runs.counts)))
    parts = []
    for first, last in pairwise(bounds.tolist()):
        states = slice(int(ends[first]), int(ends[last]))
        words = slice(states.start * runs.key_words, states.stop * runs.key_words)
        parts.append(
            Runs(
                runs.signatures[first:last],
                runs.counts[first:last],
                runs.keys[words],
                runs.codes[states],
                runs.key_words,
            )
        )
    return parts


def pack_together(candidates: list[Candidates]) -> list[Candidates]:
    """Pack candidates of one stratum and key width into as few blocks as hold them; return these.

    Duplicates are dropped.
    """
    found = []
    for part in split(together(candidates)):
        one = Candidates.of(candidates[0].stratum, part)
        one.block, one.runs = encode_block(part), None
        found.append(one)
    return found


def without(candidates: list[Candidates], gone: list[Candidates]) -> list[Candidates]:
    """Return lists of candidates without those that are gone, in their order.

    There may be thousands of both, so they are not compared one by one.
    """
    numbers = {id(one) for one in gone}
    return [one for one in candidates if id(one) not in numbers]


def by_stratum_and_width(candidates: Iterable[Candidates]) -> list[list[Candidates]]:
    """Group lists of candidates by stratum and key width; return the groups."""
    found: dict[tuple[int, int], list[Candidates]] = {}
    for one in candidates:
        found.setdefault((one.stratum, one.key_words), []).append(one)
    return list(found.values())


def pack_by_stratum(candidates: list[Candidates]) -> list[Candidates]:
    """Return candidates packed together with those of the same stratum and key width.

    None of them is there twice then.
    """
    return [packed for some in by_stratum_and_width(candidates) for packed in pack_together(some)]


def sorted_by_stratum(candidates: list[Candidates]) -> list[Candidates]:
    """Return candidates merged with those of the same stratum and key width."""
    return [one for some in by_stratum_and_width(candidates) for one in merged(some)]


def of_one_signature(
    stratum: int, signature: int, words: int, keys: NDArray[np.uint64], codes: NDArray[Any]
) -> Candidates:
    """Return candidates in memory, all of one signature.

    ``keys`` are uint64[words * states].
    """
    states = codes.size
    signatures = np.array([signature], np.uint64)
    return Candidates.of(
        stratum, Runs(signatures, np.array([states], np.int64), keys, codes, words)
    )


def make_candidates(codec: StateCodec, runs: RunArrays) -> list[Candidates]:
    """Return copies of a kernel's runs, by stratum and key width, none too large for a block."""
    if not runs.signatures.size:
        return []
    strata = progress_of(codec.tables, runs.signatures, codec.locked)
    widths = widths_of(codec.tables, runs.signatures)
    found = []
    for stratum in np.unique(strata):
        for width in (1, 3):
            chosen = np.flatnonzero((strata == stratum) & (widths == width))
            if not chosen.size:
                continue
            counts = runs.counts[chosen]
            ends = np.cumsum(counts)
            states = int(ends[-1])
            new_keys = np.empty(states * width, np.uint64)
            new_codes = np.empty(states, runs.codes.dtype)
            starts = ends - counts
            copy_runs(
                counts,
                widths[chosen],
                runs.offsets[chosen],
                runs.word_offsets[chosen],
                runs.keys,
                runs.codes,
                starts,
                starts * width,
                new_keys,
                new_codes,
            )
            moved = Runs(runs.signatures[chosen], counts, new_keys, new_codes, width)
            found += [Candidates.of(int(stratum), part) for part in split(moved)]
    return found
