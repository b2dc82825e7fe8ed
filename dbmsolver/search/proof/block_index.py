"""The pieces that the blocks of a continued large signature belong to.

The run before closed piece by piece, so each of its blocks holds states of one piece, but nothing
says of which. One pass over the blocks finds the bits that are the same in all keys of a block.
Split by those bits, a piece needs few of the blocks; split by others, it would need them all, and
so would every other piece.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.search.commits import BlockRef, Packed
from dbmsolver.search.proof.piece_tables import KeyShape, block_states, piece_words
from dbmsolver.storage.store import Store

_SAMPLE = 100_000
"""States taken from all blocks together, to choose bits by."""


class Span(NamedTuple):
    """The bits that are one in a key of a block at least, and those that are zero in one."""

    ones: int
    zeros: int


class Summary(NamedTuple):
    """The summary of a block that was read: its span, and some of its keys and codes."""

    span: Span
    keys: NDArray[np.uint64]
    codes: NDArray[Any]


class BlockIndex:
    """The spans of blocks; blocks that are not known may hold anything."""

    def __init__(self) -> None:
        self.spans: dict[BlockRef, Span] = {}

    def may_hold(self, ref: BlockRef, bit: int, side: int) -> bool:
        """Return True if a block may hold a key with this bit."""
        span = self.spans.get(ref)
        return span is None or bool((span.ones if side else span.zeros) >> bit & 1)

    def mixed(self, blocks: list[BlockRef]) -> NDArray[np.float64]:
        """Return for each bit the share of states in blocks that have both values of it.

        The shape is (64,). Blocks that are not known are left out.
        """
        known = [ref for ref in blocks if ref in self.spans]
        if not known:
            return np.ones(64)
        states = np.array([ref.block.states for ref in known], np.float64)
        both = np.array([self.spans[ref].ones & self.spans[ref].zeros for ref in known], np.uint64)
        bits = (both[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        share: NDArray[np.float64] = states @ bits.astype(np.float64) / max(states.sum(), 1.0)
        return share

    def states(self, blocks: list[BlockRef], mask: int) -> int:
        """Estimate how many states a piece holds.

        All its keys have the same value of each bit of the mask. The blocks are those that may hold
        states of the piece. A bit of which a block has both values halves the block's count.
        """
        total = 0
        for ref in blocks:
            span = self.spans.get(ref)
            both = mask if span is None else mask & span.ones & span.zeros
            total += ref.block.states >> both.bit_count()
        return total


def read_index(
    shape: KeyShape, blocks: list[BlockRef], store: Store, pool: Executor, threads: int
) -> Iterator[tuple[BlockRef, Summary]]:
    """Read all blocks, by all threads, and yield what is kept of each."""
    some = max(1, _SAMPLE // max(len(blocks), 1))
    ahead: deque[tuple[BlockRef, Future[Summary]]] = deque()
    for ref in blocks:
        ahead.append((ref, pool.submit(_summary, shape, ref.fetch(store), some)))
        if len(ahead) > threads:
            first, future = ahead.popleft()
            yield first, future.result()
    for last, future in ahead:
        yield last, future.result()


def _summary(shape: KeyShape, block: Packed, some: int) -> Summary:
    keys, codes = block_states(shape, block)
    words = shape.key_words
    compared = piece_words(words, keys)
    span = Span(int(np.bitwise_or.reduce(compared)), int(np.bitwise_or.reduce(~compared)))
    chosen = np.linspace(0, codes.size - 1, min(some, codes.size)).astype(np.int64)
    return Summary(span, keys.reshape(-1, words)[chosen].reshape(-1), codes[chosen])
