"""Searches by cost layers that are under way, for tests that look into them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.meta import BOUND_MASK, BOUND_SHIFT, G_MASK, G_SHIFT
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.rows import Rows
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store


@contextmanager
def begun(
    codec: StateCodec,
    folder: Path,
    least: int,
    before: int = 0,
    *,
    threads: int = 1,
    **settings: Any,
) -> Iterator[AStarSearch]:
    """Yield a search that has looked at ``least`` states or more.

    Other searches have looked at ``before`` states; ``settings`` are those of `AStarSearch`.
    """
    manifest = new_manifest(Question.SOLVE, codec.deal, Options())
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(
            store, Question.SOLVE, Limits(), resumable=False, keep_closed=True, threads=threads
        )
        recorder.statistics.evaluated = before
        search = AStarSearch(codec, recorder, threads, 1 << 26, **settings)
        while search.evaluated < before + least:
            assert search.step() is None
        yield search
        search.close()


def layers_of(meta: Rows, weight: int) -> NDArray[np.int64]:
    """Return the layer, g + ``weight`` * h, of rows that have been looked at, by their meta."""
    g = ((meta >> G_SHIFT) & G_MASK).astype(np.int64)
    return g + weight * ((meta >> BOUND_SHIFT) & BOUND_MASK).astype(np.int64)
