"""The two ways to close signatures: of positions of cards, and of records.

Classes, and positions of all games but those of cards, are closed as records are.

Each thread of a proof has kernels of its own: they hold its scratch memory, and all of them are
called alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core import exhaust, pieces, records
from dbmsolver.core.runs import RunArrays
from dbmsolver.core.workspace import OTHER_PIECES, Output, Workspace
from dbmsolver.keys.states import StateCodec
from dbmsolver.search.proof.broken import broken

Words = NDArray[np.uint64]


class PositionKernels:
    """Closes signatures whose states are positions."""

    def __init__(self, codec: StateCodec) -> None:
        self.tables = codec.tables

    def close_batch(
        self, ws: Workspace, out: Output, groups: RunArrays, first: int, last: int, limit: int
    ) -> int:
        """Close the signatures ``first:last``; return the index of the first that is not closed."""
        return int(exhaust.exhaust_batch(self.tables, ws, out, groups, first, last, limit))

    def close_piece(
        self,
        ws: Workspace,
        signature: int,
        bits: int,
        reach: tuple[int, int, int],
        piece: tuple[int, int],
    ) -> tuple[int, int, int, int]:
        """Close a piece, from ``reach``: (head, count, room).

        Returns (head, count, candidates that left, forced states).
        """
        mask, value = (np.uint64(word) for word in piece)
        head, count, outgoing, _, forced = exhaust.close_piece(
            self.tables, ws, np.uint64(signature), bits, *reach, mask, value
        )
        return head, count, outgoing, forced

    def write_runs(self, ws: Workspace, out: Output, signature: int, outgoing: int) -> None:
        """Append the candidates that left the signature to the output."""
        exhaust.write_runs(self.tables, ws, out, np.uint64(signature), outgoing)

    def split_other_pieces(
        self, ws: Workspace, outgoing: int, words: int, keys: Words, codes: NDArray[Any]
    ) -> tuple[int, int]:
        """Move candidates for other pieces to ``keys`` and ``codes``.

        Returns how many there were, and how many are left.
        """
        found, rest = pieces.split_other_pieces(ws, outgoing, OTHER_PIECES, words, keys, codes)
        return found, rest


class RecordKernels:
    """Closes signatures of states of which a move may lead to any later signature."""

    def __init__(self, codec: StateCodec, candidates: int) -> None:
        self.tables = codec.tables
        self.space = records.make_record_space(codec.tables, candidates)

    def close_batch(
        self, ws: Workspace, out: Output, groups: RunArrays, first: int, last: int, limit: int
    ) -> int:
        """Close the signatures ``first:last``; return the index of the first that is not closed."""
        reached = int(
            records.exhaust_batch(self.tables, ws, self.space, out, groups, first, last, limit)
        )
        if reached < 0:
            raise broken()
        return reached

    def close_piece(
        self,
        ws: Workspace,
        signature: int,
        bits: int,
        reach: tuple[int, int, int],
        piece: tuple[int, int],
    ) -> tuple[int, int, int, int]:
        """Close a piece, from ``reach``: (head, count, room).

        Returns (head, count, candidates that left, 0).
        """
        mask, value = (np.uint64(word) for word in piece)
        head, count, outgoing, _ = records.close_piece(
            self.tables, ws, self.space, np.uint64(signature), bits, *reach, mask, value
        )
        if head < 0:
            raise broken()
        return head, count, outgoing, 0

    def write_runs(self, ws: Workspace, out: Output, signature: int, outgoing: int) -> None:
        """Append the candidates that left the signature to the output."""
        records.write_runs(ws, self.space, out, outgoing)

    def split_other_pieces(
        self, ws: Workspace, outgoing: int, words: int, keys: Words, codes: NDArray[Any]
    ) -> tuple[int, int]:
        """Move candidates for other pieces to ``keys`` and ``codes``.

        Returns how many there were, and how many are left.
        """
        found, rest = records.split_other_pieces(ws, self.space, outgoing, words, keys, codes)
        return found, rest


Kernels = PositionKernels | RecordKernels

FLIP_SAMPLE = 2_000
"""Records that are expanded to see which bits seldom change."""


def kernels_of(codec: StateCodec, candidates: int) -> Kernels:
    """Return kernels for one thread.

    They have room for ``candidates`` candidates that leave a signature.
    """
    if codec.closed_as_records:
        return RecordKernels(codec, candidates)
    return PositionKernels(codec)


def count_flips(
    codec: StateCodec, signature: int, sample: Words, codes: NDArray[Any], words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count how often each bit of the piece word is set, and changed by a move, in a sample."""
    ones, flips = np.zeros(64, np.int64), np.zeros(64, np.int64)
    word = np.uint64(signature)
    if codec.closed_as_records:
        space = records.make_record_space(codec.tables, 0)
        some = sample[: words * FLIP_SAMPLE]
        records.count_flips(codec.tables, space, word, some, words, ones, flips)
    else:
        pieces.count_flips(codec.tables, word, sample, codes, words, ones, flips)
    return ones, flips
