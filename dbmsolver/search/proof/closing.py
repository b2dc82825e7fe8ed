"""The kernels that close signatures, as one thread of a proof calls them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels import exhaust
from dbmsolver.kernels.insertion import LEAST_BITS
from dbmsolver.kernels.runs import RunArrays
from dbmsolver.kernels.workspace import BUFFER, Output, Workspace, make_workspace
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.proof.broken import broken

Words = NDArray[np.uint64]

_NOTHING = np.empty(0, np.uint64)
FLIP_SAMPLE = 1_000
"""States, about that many, that are expanded to see which bits seldom change."""


class Kernels:
    """Kernels of one thread, with scratch memory of their own.

    They have room for ``candidates`` candidates that leave a signature.
    """

    def __init__(self, codec: StateCodec, candidates: int) -> None:
        self.tables = codec.tables
        self.space = codec.make_space(candidates)

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
    """Count, for each bit of the piece word, how often it is set and how often a move changes it.

    ``keys`` (uint64) and ``codes`` describe states of one signature; each key has ``words`` words.
    Returns two arrays (int64[64]): the number of these states in which the bit is set, and the
    number of their successors of the same signature in which it is another one.
    """
    kernels = Kernels(codec, BUFFER)
    ws = make_workspace(words, 1, BUFFER, codec.code_type)
    inside, inside_codes = np.empty(words * BUFFER, np.uint64), np.empty(BUFFER, codec.code_type)
    piece_word = int(words > 1)
    own, changed = keys[piece_word::words], [_NOTHING]
    reach = 0, 1, BUFFER + 1
    nowhere = 0, 1  # a piece that no state is in, so all candidates leave
    for index, code in enumerate(codes):
        ws.order[:words] = keys[words * index : words * (index + 1)]
        ws.order_codes[0] = code
        _, _, outgoing, _ = kernels.close_piece(ws, signature, LEAST_BITS, reach, nowhere)
        found, _ = kernels.split_other_pieces(ws, outgoing, words, inside, inside_codes)
        changed.append(inside[: words * found][piece_word::words] ^ own[index])
    return _count_bits(own), _count_bits(np.concatenate(changed))


def _count_bits(words: Words) -> NDArray[np.int64]:
    """Return how many of the words have each of 64 bits."""
    octets = np.ascontiguousarray(words, "<u8").view(np.uint8)
    bits = np.unpackbits(octets, bitorder="little").reshape(-1, 64)
    counts: NDArray[np.int64] = bits.sum(0, dtype=np.int64)
    return counts
