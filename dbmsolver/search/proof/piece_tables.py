"""Hash tables for the closed states of a signature that is closed in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.pieces import copy_keys, load_table
from dbmsolver.kernels.runs import key_bits
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.candidates import Candidates, of_one_signature
from dbmsolver.search.commits import Packed

FILL = 0.75
"""A table is full at this share of its slots."""
SMALLEST_BITS = 16
LARGEST_BITS = 23
"""Sizes of tables, as logarithms of their numbers of slots."""


@dataclass(frozen=True, slots=True)
class KeyShape:
    """The layout of a signature's keys in tables, which all its pieces share."""

    codec: StateCodec
    stratum: int
    signature: int
    key_words: int
    compact: bool

    @classmethod
    def of(cls, codec: StateCodec, stratum: int, signature: int, words: int) -> KeyShape:
        """Return the shape for a signature whose keys have ``words`` words each."""
        bits = int(key_bits(codec.tables, np.uint64(signature)))
        # A slot's own number stands for what does not fit into its word, in the smallest table,
        # too.
        fits = bits <= 64 + SMALLEST_BITS
        compact = words > 1 and codec.tables.planes == 2 and fits
        return cls(codec, stratum, signature, words, compact)

    @property
    def slot_bytes(self) -> int:
        """Memory of a table slot."""
        return 10 if self.compact else 8 * self.key_words

    def candidates(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> Candidates:
        """Return these keys and codes as candidates of the signature."""
        return of_one_signature(self.stratum, self.signature, self.key_words, keys, codes)

    def largest_bits(self, share: int) -> int:
        """Return the size of the largest table in `share` bytes: the logarithm of its slots."""
        return min(LARGEST_BITS, max(SMALLEST_BITS, (share // self.slot_bytes).bit_length() - 1))

    def bits_for(self, states: int, largest: int) -> int:
        """Return the size of a table in which ``states`` states leave room, up to `largest`.

        Sizes are logarithms of numbers of slots.
        """
        bits = SMALLEST_BITS
        while FILL * (1 << bits) < states + 2 * BUFFER and bits < largest:
            bits += 1
        return bits


@dataclass(eq=False, slots=True)
class Table:
    """A hash table of local keys, ``2**bits`` slots in ``memory``; ``held`` of them are taken."""

    shape: KeyShape
    bits: int
    memory: NDArray[np.uint64]
    steps: NDArray[np.uint16]
    held: int = 0
    is_cleared: bool = False

    @classmethod
    def empty(cls, shape: KeyShape, bits: int) -> Table:
        """Return a table without keys."""
        width = 1 if shape.compact else shape.key_words
        memory = np.empty(width << bits, np.uint64)
        return cls(shape, bits, memory, np.empty((1 << bits) * shape.compact, np.uint16))

    @property
    def slots(self) -> NDArray[np.uint64]:
        """The slots. The thread that asks first marks all as free: that is slow in new memory."""
        if not self.is_cleared:
            self.memory.fill(EMPTY)
            self.is_cleared = True
        return self.memory

    @property
    def nbytes(self) -> int:
        """The memory that the table takes."""
        return self.memory.nbytes + self.steps.nbytes

    @property
    def capacity(self) -> int:
        """The number of keys at which it counts as full; a full buffer more always fits."""
        return int(FILL * (1 << self.bits)) - BUFFER

    @property
    def is_full(self) -> bool:
        """True if the table holds as many keys as it may."""
        return self.held >= self.capacity

    def load(self, keys: NDArray[np.uint64], mask: int, value: int) -> bool:
        """Insert those of ``keys`` that belong to a piece; return True if they fit."""
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
                self.capacity + BUFFER - self.held,
            )
        )
        if loaded < 0:
            return False
        self.held += loaded
        return True

    def copy_to(self, other: Table | None, mask: int, value: int) -> int:
        """Copy the keys of one piece to another table, and return how many they are.

        The piece is that of ``mask`` and ``value``. The other table has room for its keys. If it is
        None, keys are counted and not copied.
        """
        target = self if other is None else other
        found = int(
            copy_keys(
                self.shape.codec.tables,
                np.uint64(self.shape.signature),
                self.slots,
                self.steps,
                self.bits,
                self.shape.key_words,
                np.uint64(mask),
                np.uint64(value),
                target.slots,
                target.steps,
                0 if other is None else other.bits,
            )
        )
        if other is not None:
            other.held += found
        return found


def rebuilt(table: Table, mask: int, value: int, bit: int | None) -> list[Table]:
    """Return a table of twice the slots or, with ``bit``, one for each of the two new pieces.

    `mask` and `value` are those of the piece whose table it is.
    """
    shape = table.shape
    if bit is None:
        larger = Table.empty(shape, table.bits + 1)
        table.copy_to(larger, 0, 0)
        return [larger]
    pieces = [(mask | 1 << bit, value | side << bit) for side in (0, 1)]
    ones = table.copy_to(None, *pieces[1])
    halves = []
    for count, piece in zip((table.held - ones, ones), pieces, strict=True):
        bits = table.bits
        while bits > SMALLEST_BITS and count + 4 * BUFFER < 0.6 * (1 << (bits - 1)):
            bits -= 1
        half = Table.empty(shape, bits)
        table.copy_to(half, *piece)
        halves.append(half)
    return halves


def piece_word(words: int) -> int:
    """Return the number of the word that decides a key's piece: the first, the second of wide keys.

    Keys have ``words`` words.
    """
    return int(words > 1)


def piece_words(words: int, keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the word of each key that decides its piece."""
    return keys[piece_word(words) :: words]


def block_states(shape: KeyShape, block: Packed) -> tuple[NDArray[np.uint64], NDArray[Any]]:
    """Return the keys and codes of a signature's states in a block."""
    runs = block.runs()
    if runs.signatures.size == 1:
        return runs.keys, runs.codes
    ends = np.cumsum(runs.counts)
    run = int(np.flatnonzero(runs.signatures == np.uint64(shape.signature))[0])
    end = int(ends[run])
    start = end - int(runs.counts[run])
    words = runs.key_words
    return runs.keys[words * start : words * end], runs.codes[start:end]
