"""The full check of a proof over classes: all positions of the deal are listed by the rules alone.

It does not rely on the theorem that all positions of a class lead to the same classes.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.process import anonymous_memory
from dbmsolver.verify.claim import Progress
from dbmsolver.verify.kernels import patience_positions as k
from dbmsolver.verify.patience_format import PatienceFormat
from dbmsolver.verify.positions import TooManyPositions, WrongPosition
from dbmsolver.verify.report import Verification

Rows = NDArray[np.uint64]
Index = NDArray[np.int32]
_STEPS = 1 << 15
_FIRST = 1 << 14
_ROW_BYTES, _SLOT_BYTES = 24, 4
_BYTES = 2 * (_ROW_BYTES + 2 * 2 * _SLOT_BYTES)
"""Memory for each position, while the arrays become larger."""


def count_positions(
    deal: Deal, policy: Policy, memory: int, report: Verification
) -> Generator[Progress, None, int]:
    """List all positions that safe moves home leave; return their number.

    TooManyPositions if they need more than ``memory`` bytes, WrongPosition for one that is won.
    """
    form = PatienceFormat(deal, policy, None)
    most = min(max(memory // _BYTES, _FIRST), (1 << 31) - 1)
    rows: Rows = np.empty((_FIRST, 3), np.uint64)
    index: Index = np.full(4 * _FIRST, -1, np.int32)
    k.begin(rows, index, form.root)
    head, count, found = 0, 1, k.MORE
    while found in (k.MORE, k.FULL):
        if found == k.FULL:
            if 2 * rows.shape[0] > most:
                raise TooManyPositions(f"more than {count:,} positions")
            rows, index = _larger(rows, count)
        found, head, count = k.list_positions(
            form.digits, form.board, rows, index, head, count, _STEPS
        )
        report.peak_memory = max(report.peak_memory, anonymous_memory())
        yield Progress("listing positions", 0, 0, head, count, head / count)
    if found == k.WON:
        words = tuple(int(word) for word in rows[head])
        won = form.position(words)
        assert won is not None
        raise WrongPosition("the moves of the game lead to a win", won)
    return int(count)


def _larger(rows: Rows, count: int) -> tuple[Rows, Index]:
    """Return arrays of twice the size with the same positions."""
    larger = np.empty((2 * rows.shape[0], 3), np.uint64)
    index = np.full(4 * larger.shape[0], -1, np.int32)
    k.enter_all(rows, np.int64(count), larger, index)
    return larger, index
