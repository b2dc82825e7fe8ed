"""Lower bounds of a deal's solutions: a length that no solution falls short of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dbmsolver.kernels.layers import insert_candidates
from dbmsolver.kernels.meta import META
from dbmsolver.kernels.shards import BURST, NO_CEILING, ROW, make_shard
from dbmsolver.kits.choice import AnyKeys, are_leaving, are_of_patience, are_wide
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Question, Verdict
from dbmsolver.search.rows import layers_of
from dbmsolver.storage.manifest import Manifest

_SLOTS = 1 << 13


def least_of(manifest: Manifest, codec: AnyKeys, layers: Iterable[int]) -> int | None:
    """Return a length that no solution of the deal falls short of.

    None for a proof and for a deal without a solution. ``layers`` are those with closed states.
    Layers are closed in ascending order. So none below the last one holds the goal.
    """
    if manifest.question != Question.SOLVE or manifest.verdict == Verdict.UNSOLVABLE:
        return None
    if manifest.shortest:
        return manifest.length
    closed = max(layers, default=0)
    if closed:
        return closed
    if are_of_patience(codec):
        from dbmsolver.kits.klondike.bound import bound_of, make_weights
        from dbmsolver.kits.klondike.tables import make_board

        root = codec.words(codec.root)
        return int(bound_of(codec.tables, codec.bounds, root, make_board(), make_weights()))
    if are_wide(codec):
        return codec.least
    return codec.least if are_leaving(codec) else least_length(codec)


def least_length(codec: StateCodec) -> int:
    """Return the lower bound of the deal itself."""
    shard = make_shard(codec.tables, 2 * BURST, _SLOTS, 2 * BURST)
    root = np.zeros((1, ROW), np.uint64)
    root[0] = [*codec.root, codec.root_code]
    # All of the bound is worked out for what a layer this high holds.
    insert_candidates(codec.tables, codec.bounds, shard, NO_CEILING, 1, codec.locked, root, 0)
    return int(layers_of(shard.rows[:1, META], 1)[0])
