"""Pieces of a big signature: what each holds, its table, and the tree that says which key belongs where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.hashing import EMPTY
from dbmsolver.core.pieces import count_flips, load_table, route, table_keys
from dbmsolver.core.workspace import BURST
from dbmsolver.journal import BlockRef
from dbmsolver.keys import Keys
from dbmsolver.parcels import sorted_runs
from dbmsolver.store import Runs, decode_block, encode_block

FILL = 0.75
"""A table is full at this share of its slots."""
SMALLEST_BITS = 16

_COMPACT_BITS = 64 + SMALLEST_BITS
_EVERYTHING = np.uint64(0)


@dataclass(eq=False, slots=True)
class Chunk:
    """Candidates of one piece: local keys and parent-move codes, as arrays or, to save memory, as a block."""

    size: int
    keys: NDArray[np.uint64] | None
    codes: NDArray[Any] | None
    packed: bytes | None = None

    @classmethod
    def of(cls, keys: NDArray[np.uint64], codes: NDArray[Any]) -> Chunk:
        """A chunk of these arrays."""
        return cls(codes.size, keys, codes)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        if self.packed is not None:
            return len(self.packed)
        assert self.keys is not None and self.codes is not None
        return self.keys.nbytes + self.codes.nbytes

    def arrays(self) -> tuple[NDArray[np.uint64], NDArray[Any]]:
        """Keys and codes."""
        if self.packed is not None:
            runs = decode_block(self.packed, "memory")
            return runs.keys, runs.codes
        assert self.keys is not None and self.codes is not None
        return self.keys, self.codes


def pack_chunks(signature: int, words: int, chunks: list[Chunk]) -> Chunk:
    """One packed chunk of several, sorted and without duplicates."""
    arrays = [chunk.arrays() for chunk in chunks]
    keys = np.concatenate([keys for keys, _ in arrays])
    codes = np.concatenate([codes for _, codes in arrays])
    runs = sorted_runs(
        Runs(np.array([signature], np.uint64), np.array([codes.size]), keys, codes, words)
    )
    return Chunk(runs.codes.size, None, None, encode_block(runs))


@dataclass(frozen=True, slots=True)
class Shape:
    """What all pieces of a signature share: how its keys are kept in tables."""

    keys: Keys
    signature: int
    words: int
    compact: bool

    @classmethod
    def of(cls, keys: Keys, signature: int, words: int, key_bits: int) -> Shape:
        """The shape for a signature whose states take ``key_bits`` bits."""
        compact = words > 1 and keys.tables.planes == 2 and key_bits <= _COMPACT_BITS
        return cls(keys, signature, words, compact)

    @property
    def slot_bytes(self) -> int:
        """Memory of a table slot."""
        return 10 if self.compact else 8 * self.words


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
        width = 1 if shape.compact else shape.words
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
                self.shape.keys.tables,
                np.uint64(self.shape.signature),
                self.slots,
                self.steps,
                self.bits,
                keys,
                self.shape.words,
                np.uint64(mask),
                np.uint64(value),
                self.capacity + BURST - self.held,
            )
        )
        if loaded < 0:
            return False
        self.held += loaded
        return True

    def keys(self) -> NDArray[np.uint64]:
        """All keys in it."""
        keys = np.empty(self.shape.words * self.held, np.uint64)
        table_keys(
            self.shape.keys.tables,
            np.uint64(self.shape.signature),
            self.slots,
            self.steps,
            self.bits,
            self.shape.words,
            keys,
        )
        return keys


@dataclass(eq=False, slots=True)
class Piece:
    """The keys of a signature with ``piece word & mask == value``."""

    mask: int
    value: int
    leaf: int  # its node in the tree
    blocks: list[BlockRef]
    closed: int = 0
    inbox: list[Chunk] = field(default_factory=list)
    flight: list[Chunk] = field(default_factory=list)  # being worked on
    opened: list[Chunk] = field(default_factory=list)  # in the table, not expanded
    table: Table | None = None
    busy: bool = False
    full: bool = False
    used: int = 0

    @property
    def work(self) -> int:
        """How many candidates wait."""
        return sum(chunk.size for chunk in (*self.inbox, *self.opened))

    @property
    def chunks(self) -> list[Chunk]:
        """All candidates, those being worked on included."""
        return [*self.inbox, *self.flight, *self.opened]

    def evict(self) -> None:
        """Give up the table; what was in it and not expanded becomes candidates again."""
        self.table = None
        self.full = False
        self.inbox += self.opened
        self.opened = []


class Tree:
    """Which piece a key belongs to: a binary tree of tested bits, pieces at its leaves."""

    def __init__(self, root: Piece) -> None:
        self.rows = [[-1, 0, 0]]
        self.pieces = [root]

    def split(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Replace a piece by two empty ones that differ in ``bit``."""
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
        return children

    def deliver(self, words: int, keys: NDArray[np.uint64], codes: NDArray[Any]) -> None:
        """Put candidates into the inboxes of their pieces."""
        numbers = {piece.leaf: number for number, piece in enumerate(self.pieces)}
        rows = np.array(
            [
                [-1, numbers[node], 0] if row[0] < 0 else row
                for node, row in enumerate(self.rows)
            ],
            np.int64,
        )
        keys, codes, ends = route(keys, codes, words, rows, len(self.pieces))
        start = 0
        for piece, end in zip(self.pieces, ends.tolist(), strict=True):
            if end > start:
                mine = keys[words * start : words * end].copy()
                piece.inbox.append(Chunk.of(mine, codes[start:end].copy()))
            start = end


def best_bit(
    shape: Shape, piece: Piece, keys: NDArray[np.uint64], codes: NDArray[Any]
) -> int | None:
    """The bit to split a piece by: one that seldom changes along a move and cuts evenly; None if none cuts.

    ``keys`` and ``codes`` are a sample of the signature's states.
    """
    words = shape.words
    inside = (piece_words(words, keys) & np.uint64(piece.mask)) == np.uint64(piece.value)
    if int(inside.sum()) >= 100:
        keys = keys.reshape(-1, words)[inside].reshape(-1)
        codes = codes[inside]
    ones = np.zeros(64, np.int64)
    flips = np.zeros(64, np.int64)
    signature = np.uint64(shape.signature)
    count_flips(shape.keys.tables, signature, keys, codes, words, ones, flips)
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
