"""Candidates on their way: parcels of runs, gathered again by signature when their stratum's turn comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.runs import copy_runs, progress_of, sort_runs, widths_of
from dbmsolver.errors import InternalError
from dbmsolver.search.tallies import Tally, weigh
from dbmsolver.state import StateCodec
from dbmsolver.storage.blocks import Runs, read_block, split
from dbmsolver.storage.store import Store


@dataclass(eq=False, slots=True)
class Candidates:
    """Candidates for signatures of one stratum, all of the same key width: in memory, in the store, or both.

    Its directory (signatures, how many candidates each, key words) stays in memory.  ``tally`` is its entry in the books.
    """

    stratum: int
    states: int
    runs: Runs | None
    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    key_words: int
    tally: Tally
    record: bytes | None = None

    @classmethod
    def of(cls, stratum: int, runs: Runs, record: bytes | None = None) -> Candidates:
        """A parcel of these runs."""
        counts = runs.counts
        tally = weigh(runs.signatures, counts)
        return cls(
            stratum, runs.codes.size, runs, runs.signatures, counts, runs.key_words, tally, record
        )

    def sort(self) -> Runs:
        """Make the candidates ready for a block: sorted, without duplicates within each run."""
        assert self.runs is not None
        runs = sorted_runs(self.runs)
        if weigh(runs.signatures) != weigh(self.signatures) or not runs.counts.all():
            raise InternalError("a parcel has lost signatures when it was sorted")
        self.runs, self.signatures, self.counts = runs, runs.signatures, runs.counts
        self.states, self.tally = runs.codes.size, weigh(runs.signatures, runs.counts)
        return runs

    def load(self, store: Store) -> Runs:
        """The candidates, from memory or from the store."""
        if self.runs is not None:
            return self.runs
        assert self.record is not None
        return read_block(store, self.record)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return 16 * self.signatures.size + (0 if self.runs is None else self.runs.nbytes)

    def spill(self, record: bytes | None = None) -> None:
        """Leave the candidates to the store, where they have a record."""
        self.record = record or self.record
        assert self.record is not None
        self.runs = None


@dataclass(eq=False, slots=True)
class SignatureCandidates:
    """The candidates of one signature in a parcel, which keeps them until they are wanted."""

    parcel: Candidates
    store: Store
    signature: int

    @property
    def size(self) -> int:
        """How many they are."""
        parcel = self.parcel
        return int(parcel.counts[parcel.signatures == np.uint64(self.signature)].sum())

    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        """Keys and codes, loaded."""
        wanted = np.array([self.signature], np.uint64)
        runs = select(self.parcel.load(self.store), wanted)
        return runs.keys, runs.codes

    @property
    def nbytes(self) -> int:
        """Memory it takes, beyond the parcel's own."""
        return 0

    @property
    def record(self) -> None:
        """It has none: the parcel's goes when its stratum is closed."""


class RunArrays(NamedTuple):
    """Runs anywhere in two arrays: run i is ``keys[words[i]:]``, ``codes[offsets[i]:]``, ``counts[i]`` states."""

    signatures: NDArray[np.uint64]
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]
    word_offsets: NDArray[np.int64]
    keys: NDArray[np.uint64]
    codes: NDArray[Any]


def make_candidates(codec: StateCodec, runs: RunArrays) -> list[Candidates]:
    """Copy a kernel's runs into parcels, each of one stratum and key width, none too large for a block."""
    if not runs.signatures.size:
        return []
    strata = progress_of(codec.tables, runs.signatures, codec.locked)
    widths = widths_of(codec.tables, runs.signatures)
    parcels = []
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
            parcels += [Candidates.of(int(stratum), part) for part in split(moved)]
    return parcels


def sorted_runs(runs: Runs) -> Runs:
    """The same candidates sorted and without duplicates within each run, as blocks need them."""
    ordered = _chosen(runs, np.argsort(runs.signatures, kind="stable"))
    counts, keys, codes = sort_runs(ordered.counts, runs.key_words, ordered.keys, ordered.codes)
    return Runs(ordered.signatures, counts, keys, codes, runs.key_words)


def passes(
    parcels: list[Candidates], skip: NDArray[np.uint64], limit: int
) -> list[NDArray[np.uint64] | None]:
    """Cut a stratum's signatures into groups whose candidates take about ``limit`` bytes each; None: all at once.

    A signature with more candidates than that makes a group of its own.
    """
    size = sum(parcel.states * (8 * parcel.key_words + 1) for parcel in parcels)
    if size <= limit:
        return [None]
    signatures = np.concatenate([parcel.signatures for parcel in parcels])
    sizes = np.concatenate([parcel.counts * (8 * parcel.key_words + 1) for parcel in parcels])
    wanted = ~np.isin(signatures, skip)
    unique, places = np.unique(signatures[wanted], return_inverse=True)
    totals = np.bincount(places, weights=sizes[wanted])
    groups: list[NDArray[np.uint64] | None] = []
    first = 0
    gathered = 0.0
    for index, total in enumerate(totals.tolist()):
        if gathered and gathered + total > limit:
            groups.append(unique[first:index])
            first, gathered = index, 0.0
        gathered += total
    if first < unique.size:
        groups.append(unique[first:])
    return groups


def select(runs: Runs, wanted: NDArray[np.uint64]) -> Runs:
    """Those runs whose signature is among ``wanted``."""
    return _chosen(runs, np.flatnonzero(np.isin(runs.signatures, wanted)))


def _chosen(runs: Runs, chosen: NDArray[np.int64]) -> Runs:
    """A copy of these runs, in this order."""
    counts = runs.counts[chosen]
    starts = (np.cumsum(runs.counts) - runs.counts)[chosen]
    places = np.cumsum(counts) - counts
    keys = np.empty(int(counts.sum()) * runs.key_words, np.uint64)
    codes = np.empty(int(counts.sum()), runs.codes.dtype)
    widths = np.full(chosen.size, runs.key_words, np.int64)
    copy_runs(
        counts,
        widths,
        starts,
        starts * runs.key_words,
        runs.keys,
        runs.codes,
        places,
        places * runs.key_words,
        keys,
        codes,
    )
    return Runs(runs.signatures[chosen], counts, keys, codes, runs.key_words)


def gather(parts: list[Runs], skip: NDArray[np.uint64]) -> RunArrays:
    """Bring the runs of each signature together, narrow ones first, but for the signatures in ``skip``."""
    parts = [part for part in parts if part.signatures.size] or parts[:1]
    sources = np.repeat(np.arange(len(parts)), [part.signatures.size for part in parts])
    signatures = np.concatenate([part.signatures for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    widths = np.repeat([part.key_words for part in parts], [part.signatures.size for part in parts])
    offsets = np.concatenate([np.cumsum(part.counts) - part.counts for part in parts])
    wanted = np.flatnonzero(~np.isin(signatures, skip))
    order = wanted[np.lexsort((signatures[wanted], widths[wanted]))]
    to_offsets = np.cumsum(counts[order]) - counts[order]
    to_words = np.cumsum(counts[order] * widths[order]) - counts[order] * widths[order]
    keys = np.empty(int((counts[order] * widths[order]).sum()), np.uint64)
    codes = np.empty(int(counts[order].sum()), parts[0].codes.dtype)
    for number, part in enumerate(parts):
        mine = np.flatnonzero(sources[order] == number)
        chosen = order[mine]
        copy_runs(
            counts[chosen],
            widths[chosen],
            offsets[chosen],
            offsets[chosen] * part.key_words,
            part.keys,
            part.codes,
            to_offsets[mine],
            to_words[mine],
            keys,
            codes,
        )
    ordered = signatures[order]
    first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    if not ordered.size:
        first = np.empty(0, np.int64)
    total = np.append(to_offsets, codes.size)
    return RunArrays(
        signatures=ordered[first],
        counts=np.diff(np.append(total[first], codes.size)),
        offsets=to_offsets[first],
        word_offsets=to_words[first],
        keys=keys,
        codes=codes,
    )
