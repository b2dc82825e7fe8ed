"""Chains of parents, followed while the check goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dbmsolver.verify.chains import NO_CHAINS, ChainChecks, Chains

NO_CATALOG: Any = None
"""Chains that are followed need none."""
PIECES: Any = SimpleNamespace(
    partitions=[
        SimpleNamespace(split=split, piece=piece, states=states)
        for split, piece, states in ((0, 0, 9), (0, 1, 9), (-1, 0, 5), (1, 0, 7), (1, 1, 7))
    ],
    bases=np.array([0, 4, 9, 14, 18]),
    stratum_of=lambda split: 3 + split,
)
"""Two divided signatures of two pieces each, and a partition between them."""


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


@pytest.mark.parametrize("is_checked", [True, False])
def test_pieces_of_a_signature_share_their_chains(is_checked: bool) -> None:
    """Parents of a divided signature may be in another piece; else they are looked up at once."""
    with ThreadPoolExecutor(1) as pool:
        checks = ChainChecks(PIECES, 1 << 20, pool)
        chains = [checks.of_partition(number, is_checked) for number in range(5)]
        for first, states, base in ((0, 9, 0), (3, 7, 14)):
            assert chains[first] is chains[first + 1]
            assert (chains[first].parents.size, chains[first].base) == (states, base)
            assert chains[first].parents.dtype == np.int32
        if is_checked:
            assert (chains[2].parents.size, chains[2].base) == (5, 9)
        else:
            assert chains[2] is NO_CHAINS
        chains[0].parents[:] = [1, 0, 0, 0, 0, 0, 0, 0, 0]
        chains[3].parents[:] = [0, 3, 2, 0, 0, 0, 0]
        checks.end(4)
        assert checks.lost(wait=True) == 15
        checks.end(3)
        assert checks.lost(wait=True) == 0


def test_large_chains_are_in_a_file() -> None:
    with ThreadPoolExecutor(1) as pool:
        for memory, in_file in ((36, False), (35, True)):
            parents = ChainChecks(PIECES, memory, pool).of_partition(0, True).parents
            assert isinstance(parents, np.memmap) == in_file


def test_chains_are_waited_for_at_the_end() -> None:
    """Chains that threads have not followed yet are left for later, until they are asked for."""
    late: Any = SimpleNamespace(
        submit=lambda work, chains: SimpleNamespace(done=lambda: False, result=lambda: work(chains))
    )
    checks = ChainChecks(NO_CATALOG, 1 << 20, late)
    checks.follow(Chains(np.array([2, 1], np.int32), 3))
    assert checks.lost(wait=False) is None
    assert checks.lost(wait=True) == 3
