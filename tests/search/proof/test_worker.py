"""Blocks that a worker makes of what it has closed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.kernels.workspace import USED_WIDTH
from dbmsolver.results import Method
from dbmsolver.search.proof import worker
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


def test_what_is_kept_of_large_signatures_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's memory is used for the next signature, and theirs is not taken yet."""
    monkeypatch.setattr(worker, "SAMPLE", 4)
    sent: list[int] = []
    one = ProofWorker(CODEC)
    found = {0: ([9, 2, 4, 7, 1], 3), 1: ([5, 6, 8], 2)}
    """The states of each signature, and how many of them are closed."""

    def close_batch(ws: Any, out: Any, _groups: Any, index: int, _last: int, _most: int) -> int:
        assert not out.used.any()
        keys, head = found[index]
        ws.order[:] = ws.order_codes[:] = 0
        ws.order[: len(keys)] = keys
        ws.order_codes[: len(keys)] = range(10 * index, 10 * index + len(keys))
        out.partial[:] = (0, head, len(keys), 30 + index, 0, 1)
        out.used[USED_WIDTH] = 1
        return index

    kernels: Any = SimpleNamespace(
        close_batch=close_batch, write_runs=lambda *state: sent.append(state[2])
    )
    one.kernels = kernels
    signatures = np.array([SIGNATURE, SIGNATURE], np.uint64)
    groups: Any = SimpleNamespace(signatures=signatures)
    done = one.close_batch(groups, 0, 2, 3)
    assert [start.signature for start in done.large] == signatures.tolist()
    assert sent == [30, 31]
    assert all(start.begun for start in done.large)
    left = [start.candidates.load() for start in done.large]
    assert [runs.keys.tolist() for runs in left] == [[7, 1], [8]]
    assert [runs.codes.tolist() for runs in left] == [[3, 4], [12]]
    samples = [[part.tolist() for part in start.sample] for start in done.large]
    assert samples == [[[9, 2, 4, 7], [0, 1, 2, 3]], [[5, 6, 8], [10, 11, 12]]]
    closed = [decode_block(block.data, "a block") for block in done.result.closed]
    assert [runs.keys.tolist() for runs in closed] == [[2, 4, 9], [5, 6]]
    assert (done.result.states, done.result.forced) == (5, 2)
