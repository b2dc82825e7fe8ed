"""The states of a divided signature, sorted out by piece into a temporary file.

Its blocks hold states of all pieces.  Each is decoded once; a piece is read from the file then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Readers, read_run
from dbmsolver.verify.catalog import Catalog, PartitionPlan
from dbmsolver.verify.division import check_size
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.pieces import sort_by_piece
from dbmsolver.verify.refutation import key_refuted
from dbmsolver.verify.spill import Spill

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Pieces:
    """The file, and where in it the states of each block and piece are.

    ``offsets`` int64[blocks] in bytes, ``starts`` int64[blocks, pieces + 1] in states.
    """

    spill: Spill
    width: int
    offsets: Ints
    starts: Ints

    @property
    def states(self) -> Ints:
        """States of each piece."""
        result: Ints = np.diff(self.starts, axis=1).sum(axis=0)
        return result

    def read(
        self,
        piece: int,
        number: int,
        at: int,
        planes: NDArray[np.uint64],
        codes: NDArray[np.uint16],
    ) -> int:
        """Write a piece's states of a block, from state ``at`` on; return their number.

        The block is the ``number``-th of the run.
        """
        first, last = self.starts[number, piece : piece + 2].tolist()
        count: int = last - first
        offset = int(self.offsets[number])
        planes_end = offset + 8 * self.width * int(self.starts[number, -1])
        if count:
            part = planes[self.width * at : self.width * (at + count)]
            self.spill.read_into(offset + 8 * self.width * first, part)
            self.spill.read_into(planes_end + 2 * first, codes[at : at + count])
        return count

    def close(self) -> None:
        """Remove the file."""
        self.spill.close()


def sort_out(
    store: Store, form: Form, catalog: Catalog, plan: PartitionPlan, readers: Readers
) -> Pieces:
    """Read all blocks of a divided run, and write its states by piece."""
    count = int(catalog.index.pieces[plan.split])
    blocks = plan.records.shape[0]
    starts = np.zeros((blocks, count + 1), np.int64)
    spill = Spill()

    def sort_block(number: int) -> int:
        return _sort_block(store, form, catalog, plan, plan.records[number], starts[number], spill)

    try:
        offsets = np.array(list(readers.map(sort_block, range(blocks))), np.int64)
    except BaseException:
        spill.close()
        raise
    pieces = Pieces(spill, form.planes, offsets, starts)
    check_size(int(pieces.states.max()))
    return pieces


def _sort_block(
    store: Store,
    form: Form,
    catalog: Catalog,
    plan: PartitionPlan,
    record: Ints,
    starts: Ints,
    spill: Spill,
) -> int:
    run, block, first, count = record.tolist()
    place = catalog.blocks[block]
    signature = catalog.index.signatures[run]
    error, planes, codes = read_run(store, form, place.key, signature, first, count)
    if error:
        raise key_refuted(error, place, int(signature))
    sorted_planes, sorted_codes = np.empty_like(planes), np.empty_like(codes)
    sort_by_piece(
        catalog.index, np.int64(plan.split), form.planes, planes, codes,
        np.empty(count, np.int16), starts, sorted_planes, sorted_codes,
    )  # fmt: skip
    data = np.concatenate([sorted_planes.view(np.uint8), sorted_codes.view(np.uint8)])
    return spill.write(data)
