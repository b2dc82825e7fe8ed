"""Tables of pieces that a process keeps from one order to the next."""

from __future__ import annotations

from dbmsolver.search.proof.piece_tables import Table, rebuilt
from dbmsolver.search.proof.pieces import Piece


class KeptTables:
    """The tables of some pieces of a large signature, those used last at the end.

    A table is known by the number of the order that has left it here. Nobody asks for a table by
    that number after another process has expanded the piece, so none is used that lacks states.
    """

    def __init__(self) -> None:
        self._signature: tuple[int, int] | None = None
        self._tables: dict[tuple[int, int, int], Table] = {}

    def begin(self, signature: tuple[int, int] | None) -> None:
        """Give up the tables of other signatures than this one, which its stratum precedes."""
        if signature != self._signature:
            self._tables.clear()
            self._signature = signature

    def take(self, number: int, piece: Piece) -> Table | None:
        """Return the table of a piece and keep it no more; return None if it is not here.

        ``number`` is that of the order that left the table. If that order expanded a larger piece,
        which has been split since, the table is divided, and the part of other pieces is kept.
        """
        for left_by, mask, value in self._tables:
            if left_by == number and piece.mask & mask == mask and piece.value & mask == value:
                break
        else:
            return None
        table = self._tables.pop((number, mask, value))
        while mask != piece.mask:
            bit = (piece.mask & ~mask).bit_length() - 1
            side = piece.value >> bit & 1
            halves = rebuilt(table, mask, value, bit)
            mask |= 1 << bit
            self._tables[number, mask, value | (1 - side) << bit] = halves[1 - side]
            value |= side << bit
            table = halves[side]
        return table

    def keep(self, number: int, piece: Piece, table: Table, most: int) -> None:
        """Keep the table of a piece; those not used for long go until all take `most` bytes."""
        self._tables[number, piece.mask, piece.value] = table
        size = sum(one.nbytes for one in self._tables.values())
        while size > most:
            oldest = next(iter(self._tables))
            size -= self._tables.pop(oldest).nbytes
