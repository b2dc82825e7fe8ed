"""Divisions of a signature with more states than fit into memory, into pieces.

A few bits of a state's planes make its *cell*; a piece is a range of cells. Most successors should
be in the piece of the state they come from. So the bits are those of cards that seldom move: cards
that few parent-move codes name. (If they are badly chosen, more rows travel; nothing else.)
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import SystemRefusedError, UsageError
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Readers, read_run
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.partition import MOST_STATES, RunIndex
from dbmsolver.verify.kernels.pieces import MOST_BITS, count_cells, count_ones

Ints = NDArray[np.int64]
_SAMPLE = 1 << 18
_MARGIN = 0.85
"""The share of a piece's largest size that is planned for: sizes are those of a sample."""


@dataclass(frozen=True, slots=True)
class Division:
    """The bits that make cells, and the piece of each cell.

    See :class:`dbmsolver.verify.kernels.partition.RunIndex`.
    """

    bits: Ints
    cards: int
    cells: NDArray[np.int16]
    pieces: int


def divide(
    store: Store,
    form: Form,
    signature: np.uint64,
    keys: list[bytes],
    records: Ints,
    partition_states: int,
    last: int,
    readers: Readers,
) -> Generator[Progress, None, Division]:
    """Divide the run of a signature into pieces of ``partition_states`` states or less.

    It is in the blocks ``keys`` as ``records`` say. A piece may be larger where no bit divides it.
    """
    total = int(records[:, 3].sum())
    step = max(1, total // _SAMPLE)
    samples = []
    pace = Pace()

    def take(number: int) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
        return _sample(store, form, signature, step, keys[number], records[number])

    for done, sample in enumerate(readers.map(take, range(len(keys))), start=1):
        samples.append(sample)
        if pace.due():
            stratum = parse_closed_key(keys[0]).stratum
            yield Progress("dividing a signature", stratum, last, 0, 0, done / len(keys))
    planes = np.concatenate([planes for planes, _ in samples])
    codes = np.concatenate([codes for _, codes in samples])
    share = _MARGIN * partition_states / total
    return choose(form, planes, codes, max(1, int(share * codes.size)))


def _sample(
    store: Store, form: Form, signature: np.uint64, step: int, key: bytes, record: Ints
) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """Return planes and codes of one state in ``step``; none if they cannot be read."""
    _, block, first, count = record.tolist()
    error, planes, codes = read_run(store, form, key, signature, first, count)
    if error:  # which is found again, and reported, when the states are to be checked
        return np.empty(0, np.uint64), np.empty(0, np.uint16)
    chosen = np.arange(block % step, count, step)  # not the first of each
    return planes.reshape(count, form.planes)[chosen].ravel(), codes[chosen]


def choose(
    form: Form, planes: NDArray[np.uint64], codes: NDArray[np.uint16], most: int
) -> Division:
    """Return a division by which no piece has more than about ``most`` of these states."""
    moved = form.moves_of_bits(codes)
    ones = np.zeros(192, np.int64)
    count_ones(form.planes, planes, ones)
    varying = np.flatnonzero((ones > 0) & (ones < codes.size))
    lopsided = np.minimum(ones, codes.size - ones)[varying] * 64 < codes.size
    order = varying[np.lexsort((varying & 63, moved[varying], lopsided))]
    bits = np.zeros(1 + MOST_BITS, np.int64)
    counts = np.zeros(1 << MOST_BITS, np.int64)
    for number, bit in enumerate(order[:MOST_BITS].tolist(), start=1):
        bits[0], bits[number] = number, bit
        counts[:] = 0
        count_cells(_alone(bits), 0, form.planes, planes, counts)
        if counts.max() <= max(most // 4, 1):
            break
    piece = held = 0
    numbers = []
    for count in counts[: 1 << int(bits[0])].tolist():
        if held and held + count > most:
            piece, held = piece + 1, 0
        held += count
        numbers.append(piece)
    if piece > np.iinfo(np.int16).max:
        raise UsageError(f"a signature would take {piece + 1:,} pieces: expected more --memory")
    cells = np.zeros(1 << MOST_BITS, np.int16)
    cells[: len(numbers)] = numbers
    cards = 0
    for bit in bits[1 : 1 + int(bits[0])].tolist():
        cards |= 1 << (bit & 63)
    return Division(bits, cards, cells, piece + 1)


def check_size(states: int) -> None:
    """Raise SystemRefusedError for a piece that is too big for any partition."""
    if states > MOST_STATES:
        raise SystemRefusedError(f"{states:,} states differ in too little to be divided")


def _alone(bits: Ints) -> RunIndex:
    """Return an index with this division only."""
    none, single = np.empty(0, np.int64), np.ones(1, np.int64)
    return RunIndex(
        np.empty(0, np.uint64), none, none, none, single, np.zeros(1, np.uint64),
        bits.reshape(1, -1), np.zeros((1, 1 << MOST_BITS), np.int16),
    )  # fmt: skip
