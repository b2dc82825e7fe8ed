"""Closed states are found in memory and, once their partition has left it, in the store."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.cost_searches import begun

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.meta import CODE_MASK, IS_CLOSED, META
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.search.astar.finder import LoadedFinder

CODEC = StateCodec(Deal.from_number(1), "wkr")


@pytest.mark.parametrize("kind", [b"C", b"A"])
def test_codes_of_closed_states(tmp_path: Path, kind: bytes) -> None:
    with begun(CODEC, tmp_path, 300, kind=kind) as search:
        (partition,) = search.partitions
        (queue,) = search.checkpoint.queues
        rows = queue.states(np.arange(len(queue.rows)))
        codes = {
            State(*state): meta & int(CODE_MASK) if meta & int(IS_CLOSED) else None
            for *state, meta in rows.tolist()
        }
        assert META == 4 and 100 < sum(code is not None for code in codes.values()) < len(codes)
        finder = LoadedFinder(search.checkpoint)
        assert {state: finder.code(state) for state in codes} == codes
        list(search.checkpoint.write_out(partition))
        partition.unload()
        finder = LoadedFinder(search.checkpoint)
        assert {state: finder.code(state) for state in codes} == codes
