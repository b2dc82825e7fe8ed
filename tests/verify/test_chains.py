"""Chains of parents, followed while the check goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from dbmsolver.verify.chains import NO_CHAINS, ChainChecks, Chains

NO_CATALOG: Any = None
"""Chains that are followed need none."""


@pytest.mark.parametrize(
    ("rings", "lost"),
    [([], None), ([(0, [0, 1])], None), ([(0, [2, 1])], 0), ([(0, [0, 1]), (7, [0, 3, 2])], 8)],
)
def test_rings(rings: list[tuple[int, list[int]]], lost: int | None) -> None:
    """The state in a ring is told by its number in the store, the first one's, 0, as well."""
    with ThreadPoolExecutor(1) as pool:
        checks = ChainChecks(NO_CATALOG, 1 << 20, pool)
        checks.follow(NO_CHAINS)
        for base, parents in rings:
            checks.follow(Chains(np.array(parents, np.int32), base))
        assert checks.lost(wait=True) == lost
        assert checks.lost(wait=True) is None
