"""Blocks that a worker makes of what it has closed."""

from __future__ import annotations

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.results import Method
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.worker import ProofWorker, WorkResult
from dbmsolver.storage.blocks import decode_block

CODEC = Proof(Deal.from_number(11982), "wkr", Method.EVERY_POSITION).keys()
SIGNATURE = int(CODEC.root[0])


@pytest.mark.parametrize(
    "keys", [[1, 2, 4, 7], [3, 5], [2, 8], []], ids=["both", "ones", "zeros", "none"]
)
@pytest.mark.parametrize("bit", [None, 0])
def test_blocks_are_divided_by_a_bit(keys: list[int], bit: int | None) -> None:
    """Each has states with one value of it; states that were forced are counted once."""
    worker, result = ProofWorker(CODEC), WorkResult()
    worker.workspace.order[: len(keys)] = keys[::-1]
    forced = min(len(keys), 3)
    worker.flush_order(SIGNATURE, 1, len(keys), forced, 0, result, bit)
    assert (result.states, result.forced) == (len(keys), forced)
    blocks = [decode_block(block.data, "a block").keys.tolist() for block in result.closed]
    if bit is None:
        assert blocks == [keys] * bool(keys)
        assert result.sides == []
    else:
        sides = sorted({key & 1 for key in keys})
        assert blocks == [[key for key in keys if key & 1 == side] for side in sides]
        assert result.sides == sides
