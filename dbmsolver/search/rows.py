"""Rows of the layered kernels as blocks of the store, and back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.runs import RunArrays, pack_rows, unpack_rows
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.candidates import make_candidates
from dbmsolver.storage.blocks import Runs, encode_block

Rows = NDArray[np.uint64]
"""States as kernels of cost layers have them (:mod:`dbmsolver.kernels.shards`): uint64[*, ROW]."""


def packed(codec: StateCodec, rows: Rows) -> Iterator[tuple[int, Runs]]:
    """Yield rows as (stratum, runs), by stratum and key width.

    ``extra`` of the runs is g, with a flag in its highest bit for forced states.
    """
    every = np.arange(rows.shape[0], dtype=np.uint32)
    arrays = RunArrays(*pack_rows(codec.tables, rows, every))
    for candidates in make_candidates(codec, arrays):
        runs = candidates.runs
        assert runs is not None
        yield (
            candidates.stratum,
            Runs(
                runs.signatures,
                runs.counts,
                runs.keys,
                (runs.codes & 0xFFFF).astype(codec.code_type),
                runs.key_words,
                (runs.codes >> 16).astype(np.uint16),
            ),
        )


def encoded(codec: StateCodec, rows: Rows) -> list[tuple[int, bytes]]:
    """Return pending rows as (stratum, block)."""
    if not rows.shape[0]:
        return []
    return [(stratum, encode_block(runs)) for stratum, runs in packed(codec, rows)]


def unpacked(codec: StateCodec, runs: Runs) -> Rows:
    """Return the rows of a block's runs; g is 0 where the block does not say it."""
    costs = np.zeros(runs.codes.size, np.uint16)
    if runs.extra is not None:
        costs = runs.extra & np.uint16(0x7FFF)
    rows: Rows = unpack_rows(
        codec.tables, runs.signatures, runs.counts, runs.keys, runs.codes, costs, runs.key_words
    )
    return rows
