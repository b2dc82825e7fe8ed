"""Pieces of a large signature: the states of each, and the tree that finds the piece of a key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.pieces import BIT, CHILD, route
from dbmsolver.search.candidates import Candidates, load_together
from dbmsolver.search.commits import BlockRef
from dbmsolver.search.portions import in_groups
from dbmsolver.search.proof.closing import count_flips
from dbmsolver.search.proof.piece_tables import KeyShape, Table, piece_words
from dbmsolver.storage.blocks import most_states

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
        """The candidates in the queue that are not packed."""
        return [one for one in self.queue if one.packed is None]

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


@dataclass(frozen=True, slots=True)
class Routes:
    """A tree of ``pieces`` as it was at some time (``rows``, as :func:`route` reads them)."""

    rows: NDArray[np.int64]
    key_words: int
    pieces: int

    def leaves(self) -> list[int]:
        """Return the number of each piece's node in the tree, in the order of the pieces."""
        nodes = np.flatnonzero(self.rows[:, BIT] < 0).tolist()
        return sorted(nodes, key=lambda node: int(self.rows[node, CHILD]))

    def sort(self, keys: NDArray[np.uint64], codes: NDArray[Any]) -> Sorted:
        """Return candidates of the signature, sorted by piece."""
        return Sorted(*route(keys, codes, self.key_words, self.rows, self.pieces))


class Tree:
    """A binary tree of tested bits, pieces at its leaves, which finds the piece of a key."""

    def __init__(self, shape: KeyShape, root: Piece) -> None:
        self.shape = shape
        self.rows = [[-1, 0, 0]]
        self.pieces = [root]

    @property
    def pending(self) -> int:
        """Candidates waiting in all pieces."""
        return sum(piece.work for piece in self.pieces)

    @property
    def candidate_bytes(self) -> int:
        """Memory that the candidates of all pieces take."""
        return sum(one.nbytes for piece in self.pieces for one in piece.candidates)

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
        words = self.shape.key_words
        self.deliver(piece.queue)
        for one in piece.opened:
            runs = one.load()
            keys, codes = runs.keys, runs.codes
            sides = (piece_words(words, keys) >> np.uint64(bit)) & np.uint64(1)
            for side, child in enumerate(children):
                chosen = np.flatnonzero(sides == side)
                if chosen.size:
                    rows = keys.reshape(-1, words)[chosen].reshape(-1)
                    child.opened.append(self.shape.candidates(rows, codes[chosen]))
        return children

    def routes(self) -> Routes:
        """Return the tree as it is now, for another thread to sort candidates by."""
        numbers = {piece.leaf: number for number, piece in enumerate(self.pieces)}
        rows = [[-1, numbers[node], 0] if row[0] < 0 else row for node, row in enumerate(self.rows)]
        return Routes(np.array(rows, np.int64), self.shape.key_words, len(self.pieces))

    def deliver(self, candidates: list[Candidates]) -> None:
        """Put candidates into the queues of their pieces.

        Many are divided at a time: dividing a few takes as long, and leaves as many lists.
        """
        routes = self.routes()
        for some in in_groups(candidates, lambda one: one.states, DIVIDED_AT_ONCE):
            self.add(routes, routed_to(self.shape, routes.sort(*load_together(some))))

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


def routed_to(shape: KeyShape, candidates: Sorted) -> list[Routed]:
    """Return copies of candidates that are sorted by piece, each small enough to share a block."""
    words = shape.key_words
    keys, codes, ends = candidates
    most = max(1, most_states(8 * words + codes.itemsize) // 4)
    found = []
    start = 0
    for number, end in enumerate(ends.tolist()):
        for first in range(start, end, most):
            last = min(first + most, end)
            mine = keys[words * first : words * last].copy()
            found.append((number, shape.candidates(mine, codes[first:last].copy())))
        start = end
    return found


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
