"""Pieces of a large signature: the states of each, and the tree that finds the piece of a key."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.pieces import BIT, CHILD, route
from dbmsolver.search.candidates import Candidates, load_together
from dbmsolver.search.commits import BlockRef
from dbmsolver.search.packed_runs import PackedRuns
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.closing import FLIP_SAMPLE, count_flips
from dbmsolver.search.proof.piece_tables import KeyShape, Table, piece_word, piece_words
from dbmsolver.storage.blocks import most_states
from dbmsolver.storage.store import Store

DIVIDED_ALONE = 1 << 12
"""A list with packed keys and at least this many candidates is divided as it is."""
DIVIDED_AT_ONCE = 1 << 18
"""Candidates that are divided among pieces at a time, about: they are copied twice."""
_PURE = 0.02
"""The cost of a bit that no block has both values of, as a share of one that all have both of."""


@dataclass(eq=False, slots=True)
class Piece:
    """The keys of a signature with ``piece word & mask == value``."""

    mask: int
    value: int
    leaf: int  # its node in the tree
    blocks: list[BlockRef]
    closed: int = 0
    queue: list[Candidates] = field(default_factory=list)
    in_work: list[Candidates] = field(default_factory=list)  # being worked on
    opened: list[Candidates] = field(default_factory=list)  # in the table, not expanded
    table: Table | None = None
    busy: bool = False
    full: bool = False
    used: int = 0
    bit: int | None = None  # that it will be split by
    away: Any = None  # where its table is, if that is in another process

    @property
    def work(self) -> int:
        """The number of candidates and opened states that wait."""
        return sum(one.states for one in (*self.queue, *self.opened))

    @property
    def candidates(self) -> list[Candidates]:
        """All candidates, those being worked on included."""
        return [*self.queue, *self.in_work, *self.opened]

    @property
    def loose(self) -> list[Candidates]:
        """The candidates in the queue that are not in blocks."""
        return [one for one in self.queue if one.block is None]

    def evict(self) -> None:
        """Give up the table; states in it that are not expanded become candidates again."""
        self.table = self.away = None
        self.full = False
        self.queue += self.opened
        self.opened = []


Routed = tuple[int, Candidates]
"""A piece's number, and candidates for it."""


class Sorted(NamedTuple):
    """Keys and codes of candidates, sorted by piece, and the ends of the pieces among them."""

    keys: NDArray[np.uint64]
    codes: NDArray[Any]
    ends: NDArray[np.int64]

    def part(self, number: int, words: int) -> tuple[NDArray[np.uint64], NDArray[Any]] | None:
        """Return the keys, of ``words`` words, and codes for a piece; None if there are none."""
        first, last = int(self.ends[number - 1]) if number else 0, int(self.ends[number])
        if first == last:
            return None
        return self.keys[words * first : words * last], self.codes[first:last]


@dataclass(frozen=True, slots=True)
class Routes:
    """A tree of ``pieces`` as it was at some time (``rows``, as :func:`route` reads them)."""

    rows: NDArray[np.int64]
    key_words: int
    pieces: int

    @classmethod
    def by_bit(cls, bit: int, key_words: int) -> Routes:
        """Return the division of keys by the value of one bit of their piece word."""
        return cls(np.array([[bit, 1, 2], [-1, 0, 0], [-1, 1, 0]]), key_words, 2)

    def leaves(self) -> list[int]:
        """Return the number of each piece's node in the tree, in the order of the pieces."""
        nodes = np.flatnonzero(self.rows[:, BIT] < 0).tolist()
        return sorted(nodes, key=lambda node: int(self.rows[node, CHILD]))

    def sort(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> Sorted:
        """Return candidates of the signature, sorted by piece."""
        words = self.key_words
        return Sorted(*route(keys, codes, words, piece_word(words), self.rows, self.pieces))

    def divide(
        self, shape: KeyShape, candidates: list[Candidates], store: Store | None = None
    ) -> list[Routed]:
        """Return candidates of a signature, of which these are the pieces, as lists for each piece.

        Large lists are divided without unpacking their keys. Small ones are unpacked and divided
        together: to divide a few candidates takes as long as many, and makes as many lists.
        """
        found, rest = [], []
        for one in candidates:
            packed = one.packed_keys
            if packed is not None and one.states >= DIVIDED_ALONE:
                found += [(number, one.part(part)) for number, part in self._parts_of(packed)]
            else:
                rest.append(one)
        for some in in_groups(rest, lambda one: one.states, DIVIDED_AT_ONCE):
            found += routed_to(shape, [self.sort(*load_together(some, store))])
        return found

    def _parts_of(self, packed: PackedRuns) -> Iterator[tuple[int, PackedRuns]]:
        """Yield states of the signature for each piece, with its number. Their keys stay packed."""
        tree, word = packed.tree_of_packed(self.rows, piece_word(self.key_words))
        words = packed.packed_words
        divided = Sorted(*route(packed.keys, packed.codes, words, word, tree, self.pieces))
        for number in range(self.pieces):
            part = divided.part(number, words)
            if part is not None:
                keys, codes = (array.copy() for array in part)
                counts = np.array([codes.size], np.int64)
                yield number, replace(packed, counts=counts, keys=keys, codes=codes)


class Tree:
    """A binary tree of tested bits, pieces at its leaves, which finds the piece of a key."""

    def __init__(self, shape: KeyShape, root: Piece) -> None:
        self.shape = shape
        self.rows = [[-1, 0, 0]]
        self.pieces = [root]

    def split(self, piece: Piece, bit: int) -> tuple[Piece, Piece]:
        """Replace a piece by two that differ in ``bit`` and divide its candidates."""
        mask = piece.mask | 1 << bit
        node = len(self.rows)
        self.rows[piece.leaf] = [bit, node, node + 1]
        self.rows += [[-1, 0, 0], [-1, 0, 0]]

        def made(value: int, leaf: int) -> Piece:
            blocks = list(piece.blocks)
            return Piece(mask, value, leaf, blocks, used=piece.used, away=piece.away)

        children = made(piece.value, node), made(piece.value | 1 << bit, node + 1)
        self.pieces.remove(piece)
        self.pieces += children
        sides = Routes.by_bit(bit, self.shape.key_words)
        for side, mine in sides.divide(self.shape, piece.queue):
            children[side].queue.append(mine)
        for side, mine in sides.divide(self.shape, piece.opened):
            children[side].opened.append(mine)
        return children

    def routes(self) -> Routes:
        """Return the tree as it is now, for another thread to sort candidates by."""
        numbers = {piece.leaf: number for number, piece in enumerate(self.pieces)}
        rows = [[-1, numbers[node], 0] if row[0] < 0 else row for node, row in enumerate(self.rows)]
        return Routes(np.array(rows, np.int64), self.shape.key_words, len(self.pieces))

    def deliver(self, candidates: list[Candidates]) -> None:
        """Put candidates into the queues of their pieces."""
        routes = self.routes()
        self.add(routes, routes.divide(self.shape, candidates))

    def add(self, routes: Routes, routed: list[Routed]) -> None:
        """Put candidates into the queues of their pieces.

        ``routed`` has them as ``routes`` divide them, which may be those of an earlier tree. The
        candidates of a piece that has been split since then are divided again.
        """
        pieces = {piece.leaf: piece for piece in self.pieces}
        leaves = routes.leaves()
        divided_anew = []
        for number, candidates in routed:
            piece = pieces.get(leaves[number])
            if piece is None:
                divided_anew.append(candidates)
            else:
                piece.queue.append(candidates)
        if divided_anew:
            self.deliver(divided_anew)


def routed_to(shape: KeyShape, candidates: list[Sorted]) -> list[Routed]:
    """Return copies of candidates as lists for each piece, small enough for a quarter of a block.

    The given ones are sorted by piece already, all of them by the same pieces.
    """
    found = []
    for number in range(candidates[0].ends.size if candidates else 0):
        parts = [part for one in candidates if (part := one.part(number, shape.key_words))]
        if parts:
            keys, codes = parts[0]
            if len(parts) > 1:
                keys = np.concatenate([keys for keys, _ in parts])
                codes = np.concatenate([codes for _, codes in parts])
            found += [(number, one) for one in _lists(shape, keys, codes)]
    return found


def _lists(shape: KeyShape, keys: NDArray[np.uint64], codes: NDArray[Any]) -> Iterator[Candidates]:
    """Yield copies of candidates in lists that are small enough for a quarter of a block.

    Their keys are packed where that saves memory.
    """
    words = shape.key_words
    most = max(1, most_states(8 * words + codes.itemsize) // 4)
    for first in range(0, codes.size, most):
        last = min(first + most, codes.size)
        mine = shape.candidates(keys[words * first : words * last], codes[first:last])
        yield mine.with_own_arrays()


def split_bit(
    shape: KeyShape,
    piece: Piece,
    keys: NDArray[np.uint64],
    codes: NDArray[Any],
    mixed: NDArray[np.float64],
) -> int | None:
    """Return the bit to split a piece by; None if none divides it.

    It seldom changes along a move, cuts evenly, and few of the piece's blocks have both of its
    values: ``mixed`` has the share of those for each of 64 bits. ``keys`` and ``codes`` are a
    sample of the signature's states.
    """
    words = shape.key_words
    inside = (piece_words(words, keys) & np.uint64(piece.mask)) == np.uint64(piece.value)
    if int(inside.sum()) >= 100:
        keys = keys.reshape(-1, words)[inside].reshape(-1)
        codes = codes[inside]
    step = max(codes.size // FLIP_SAMPLE, 1)
    # Copies: kernels are compiled for arrays whose values lie side by side.
    keys, codes = keys.reshape(-1, words)[::step].copy().reshape(-1), codes[::step].copy()
    ones, flips = count_flips(shape.codec, shape.signature, keys, codes, words)
    share = ones / max(codes.size, 1)
    smaller_side = np.minimum(share, 1 - share)
    free = np.array([not piece.mask >> bit & 1 for bit in range(64)])
    for least in (0.2, 0.05, 0.0):
        usable = np.flatnonzero(free & (smaller_side > least))
        if usable.size:
            cost = (flips[usable] + 1) / (smaller_side[usable] * codes.size)
            return int(usable[np.argmin(cost * (mixed[usable] + _PURE))])
    return None
