"""Pieces of a big signature: what each holds, its table, and the tree that says which key belongs where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.hashing import EMPTY
from dbmsolver.core.pieces import load_table, route, table_keys
from dbmsolver.core.workspace import BURST
from dbmsolver.search.journal import BlockRef
from dbmsolver.search.proof.chunks import PieceCandidates
from dbmsolver.search.proof.closing import count_flips
from dbmsolver.state import StateCodec
from dbmsolver.storage.blocks import most_states

FILL = 0.75
"""A table is full at this share of its slots."""
SMALLEST_BITS = 16

_PART = 1 << 18
"""Slots whose keys are taken out of a table at a time."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What all pieces of a signature share: how its keys are kept in tables."""

    codec: StateCodec
    signature: int
    key_words: int
    compact: bool

    @classmethod
    def of(cls, codec: StateCodec, signature: int, words: int, key_bits: int) -> Shape:
        """The shape for a signature whose states take ``key_bits`` bits."""
        # A slot's own number stands for what does not fit into its word, in the smallest table, too.
        fits = key_bits <= 64 + SMALLEST_BITS
        compact = words > 1 and codec.tables.planes == 2 and fits
        return cls(codec, signature, words, compact)

    @property
    def slot_bytes(self) -> int:
        """Memory of a table slot."""
        return 10 if self.compact else 8 * self.key_words


@dataclass(eq=False, slots=True)
class Table:
    """A hash table of local keys in ``2**bits`` slots; ``held`` of them are taken."""

    shape: Shape
    bits: int
    slots: NDArray[np.uint64]
    steps: NDArray[np.uint16]
    held: int = 0

    @classmethod
    def empty(cls, shape: Shape, bits: int) -> Table:
        """A cleared table."""
        width = 1 if shape.compact else shape.key_words
        slots = np.full(width << bits, EMPTY, np.uint64)
        return cls(shape, bits, slots, np.empty((1 << bits) * shape.compact, np.uint16))

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        return self.slots.nbytes + self.steps.nbytes

    @property
    def capacity(self) -> int:
        """How many keys it may hold before it counts as full; a burst more always fits."""
        return int(FILL * (1 << self.bits)) - BURST

    def load(self, keys: NDArray[np.uint64], mask: int, value: int) -> bool:
        """Insert those of ``keys`` that belong to a piece; whether they fit."""
        loaded = int(
            load_table(
                self.shape.codec.tables,
                np.uint64(self.shape.signature),
                self.slots,
                self.steps,
                self.bits,
                keys,
                self.shape.key_words,
                np.uint64(mask),
                np.uint64(value),
                self.capacity + BURST - self.held,
            )
        )
        if loaded < 0:
            return False
        self.held += loaded
        return True

    def parts(self) -> Iterator[NDArray[np.uint64]]:
        """All keys in it, some at a time; an array is good until the next is asked for."""
        words = self.shape.key_words
        step = min(_PART, 1 << self.bits)
        keys = np.empty(words * step, np.uint64)
        for first in range(0, 1 << self.bits, step):
            used = table_keys(
                self.shape.codec.tables,
                np.uint64(self.shape.signature),
                self.slots,
                self.steps,
                self.bits,
                words,
                first,
                first + step,
                keys,
            )
            yield keys[:used]


@dataclass(eq=False, slots=True)
class Piece:
    """The keys of a signature with ``piece word & mask == value``."""

    mask: int
    value: int
    leaf: int  # its node in the tree
    blocks: list[BlockRef]
    closed: int = 0
    inbox: list[PieceCandidates] = field(default_factory=list)
    flight: list[PieceCandidates] = field(default_factory=list)  # being worked on
    opened: list[PieceCandidates] = field(default_factory=list)  # in the table, not expanded
    table: Table | None = None
    busy: bool = False
    full: bool = False
    used: int = 0

    @property
    def work(self) -> int:
        """How many candidates wait."""
        return sum(chunk.size for chunk in (*self.inbox, *self.opened))

    @property
    def chunks(self) -> list[PieceCandidates]:
        """All candidates, those being worked on included."""
        return [*self.inbox, *self.flight, *self.opened]

    @property
    def loose(self) -> list[PieceCandidates]:
        """The candidates in the inbox that are not packed."""
        return [chunk for chunk in self.inbox if chunk.packed is None]

    def evict(self) -> None:
        """Give up the table; what was in it and not expanded becomes candidates again."""
        self.table = None
        self.full = False
        self.inbox += self.opened
        self.opened = []


class Tree:
    """Which piece a key belongs to: a binary tree of tested bits, pieces at its leaves."""

    def __init__(self, words: int, root: Piece) -> None:
        self.key_words = words
        self.rows = [[-1, 0, 0]]
        self.pieces = [root]

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces."""
        return sum(piece.work for piece in self.pieces)

    @property
    def chunk_bytes(self) -> int:
        """Memory that they take."""
        return sum(chunk.nbytes for piece in self.pieces for chunk in piece.chunks)

    def split(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Replace a piece by two that differ in ``bit`` and share its candidates out between them."""
        mask = piece.mask | 1 << bit
        node = len(self.rows)
        self.rows[piece.leaf] = [bit, node, node + 1]
        self.rows += [[-1, 0, 0], [-1, 0, 0]]
        children = (
            Piece(mask, piece.value, node, list(piece.blocks), used=piece.used),
            Piece(mask, piece.value | 1 << bit, node + 1, list(piece.blocks), used=piece.used),
        )
        self.pieces.remove(piece)
        self.pieces += children
        for chunk in piece.inbox:
            self.deliver(*chunk.arrays())
        for chunk in piece.opened:
            keys, codes = chunk.arrays()
            sides = (piece_words(self.key_words, keys) >> np.uint64(bit)) & np.uint64(1)
            for side, child in enumerate(children):
                chosen = np.flatnonzero(sides == side)
                if chosen.size:
                    rows = keys.reshape(-1, self.key_words)[chosen].reshape(-1)
                    child.opened.append(PieceCandidates.of(rows, codes[chosen]))
        return children

    def deliver(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> None:
        """Put candidates into the inboxes of their pieces."""
        words = self.key_words
        numbers = {piece.leaf: number for number, piece in enumerate(self.pieces)}
        rows = np.array(
            [[-1, numbers[node], 0] if row[0] < 0 else row for node, row in enumerate(self.rows)],
            np.int64,
        )
        keys, codes, ends = route(keys, codes, words, rows, len(self.pieces))
        # Some of these are packed into one block.
        most = max(1, most_states(8 * words + codes.itemsize) // 4)
        start = 0
        for piece, end in zip(self.pieces, ends.tolist(), strict=True):
            for first in range(start, end, most):
                last = min(first + most, end)
                mine = keys[words * first : words * last].copy()
                piece.inbox.append(PieceCandidates.of(mine, codes[first:last].copy()))
            start = end


def split_bit(
    shape: Shape, piece: Piece, keys: NDArray[np.uint64], codes: NDArray[Any]
) -> int | None:
    """The bit to split a piece by: one that seldom changes along a move and cuts evenly; None if none cuts.

    ``keys`` and ``codes`` are a sample of the signature's states.
    """
    words = shape.key_words
    inside = (piece_words(words, keys) & np.uint64(piece.mask)) == np.uint64(piece.value)
    if int(inside.sum()) >= 100:
        keys = keys.reshape(-1, words)[inside].reshape(-1)
        codes = codes[inside]
    ones, flips = count_flips(shape.codec, shape.signature, keys, codes, words)
    share = ones / max(codes.size, 1)
    balance = np.minimum(share, 1 - share)
    free = np.array([not piece.mask >> bit & 1 for bit in range(64)])
    for least in (0.2, 0.05, 0.0):
        usable = np.flatnonzero(free & (balance > least))
        if usable.size:
            cost = (flips[usable] + 1) / (balance[usable] * codes.size)
            return int(usable[np.argmin(cost)])
    return None


def piece_words(words: int, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The word of each key that decides its piece: the first, the second of wide keys."""
    return keys[words > 1 :: words]
