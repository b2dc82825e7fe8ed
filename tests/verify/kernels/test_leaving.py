"""Keys of games whose cards only leave: one that is missing is not found."""

from __future__ import annotations

import numpy as np

from dbmsolver.verify.kernels.leaving import missing_from


def test_a_key_above_all_others_is_missing() -> None:
    """Look at no key after the last one, whatever lies there in memory."""
    keys = np.array([2, 3, 5, 7], np.uint64)
    for size in range(5):
        assert missing_from(keys, keys[:size]) == (size if size < 4 else -1)
    assert missing_from(keys[::2].copy(), keys) == -1
    assert missing_from(np.array([2, 4], np.uint64), keys) == 1
