"""The kernels that close signatures, as one thread of a proof calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels import exhaust
from dbmsolver.kernels.runs import RunArrays
from dbmsolver.kernels.workspace import BURST, Output, Workspace, make_workspace
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.proof.broken import broken

Words = NDArray[np.uint64]

FLIP_SAMPLE = 1_000
"""States, about that many, that are expanded to see which bits seldom change."""


class Kernels:
    """Kernels of one thread, with scratch memory of their own.

    They have room for ``candidates`` candidates that leave a signature.
    """

    def __init__(self, codec: StateCodec, candidates: int) -> None:
        self.tables = codec.tables
        self.space = exhaust.make_space(codec.tables, codec.closed_as_records, candidates)

    def close_batch(
        self, ws: Workspace, out: Output, groups: RunArrays, first: int, last: int, limit: int
    ) -> int:
        """Close the signatures ``first:last``; return the index of the first that is not closed."""
        reached = int(
            exhaust.exhaust_batch(self.tables, ws, self.space, out, groups, first, last, limit)
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

        Returns (head, count, candidates that left, forced states).
        """
        mask, value = (np.uint64(word) for word in piece)
        head, count, outgoing, _, forced = exhaust.close_piece(
            self.tables, ws, self.space, np.uint64(signature), bits, *reach, mask, value
        )
        if head < 0:
            raise broken()
        return head, count, outgoing, forced

    def write_runs(self, ws: Workspace, out: Output, outgoing: int) -> None:
        """Append the candidates that left the signature to the output."""
        exhaust.write_runs(ws, self.space, out, outgoing)

    def split_other_pieces(
        self, ws: Workspace, outgoing: int, words: int, keys: Words, codes: NDArray[Any]
    ) -> tuple[int, int]:
        """Move candidates for other pieces to ``keys`` and ``codes``.

        Returns how many there were, and how many are left.
        """
        found, rest = exhaust.split_other_pieces(ws, self.space, outgoing, words, keys, codes)
        return found, rest


def count_flips(
    codec: StateCodec, signature: int, keys: Words, codes: NDArray[Any], words: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count how often each bit of the piece word is set, and changed by a move, in some states."""
    ones, flips = np.zeros(64, np.int64), np.zeros(64, np.int64)
    ws = make_workspace(words, 1, BURST, codec.code_type)
    space = exhaust.make_space(codec.tables, codec.closed_as_records, BURST)
    exhaust.count_flips(
        codec.tables, ws, space, np.uint64(signature), keys, codes, words, ones, flips
    )
    return ones, flips
