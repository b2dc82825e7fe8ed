"""A check that parent-move codes lead to the deal: the chains of each signature have ends."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.verify.catalog import Catalog
from dbmsolver.verify.kernels.chains import follow_chains
from dbmsolver.verify.spill import mapped_zeros


class Chains(NamedTuple):
    """Parents of the states of one signature, or of one partition.

    The states are those from number ``base`` in the store on; see
    :mod:`dbmsolver.verify.kernels.chains`.
    """

    parents: NDArray[Any]
    base: int


NO_CHAINS = Chains(np.empty(0, np.int32), 0)


class ChainBook:
    """The chains of parents that are kept until threads of the pool have followed them.

    They are those of partitions and of divided signatures. Those of one signature may take
    ``memory`` bytes; larger ones are in a file, in which a chain rarely leads far: from piece to
    piece it goes seldom.
    """

    def __init__(self, catalog: Catalog, memory: int, pool: Executor) -> None:
        self.catalog = catalog
        self.memory = memory
        self.pool = pool
        self._divided: dict[int, Chains] = {}
        self._following: list[Future[int]] = []

    def of_partition(self, partition: int, turn: bool) -> Chains:
        """Return the chains that note the parents of a partition's states, in its turn or after."""
        plan = self.catalog.partitions[partition]
        if plan.split >= 0:
            return self._of_split(plan.split, partition - plan.piece, plan.states)
        if not turn:
            # Rows that come later bring no parents of the partition's own states: those were
            # there to be looked up.
            return NO_CHAINS
        return Chains(np.zeros(plan.states, np.int32), int(self.catalog.bases[partition]))

    def _of_split(self, split: int, first: int, states: int) -> Chains:
        if split not in self._divided:
            kind = np.int32 if states < (1 << 31) - 1 else np.int64
            large = states * np.dtype(kind).itemsize > self.memory
            make: Any = mapped_zeros if large else np.zeros
            self._divided[split] = Chains(make(states, kind), int(self.catalog.bases[first]))
        return self._divided[split]

    def end(self, lowest: int) -> None:
        """Follow the chains of the divided signatures of all strata from this one on."""
        for split in list(self._divided):
            if self.catalog.stratum_of(split) >= lowest:
                self.follow(self._divided.pop(split))

    def follow(self, chains: Chains) -> None:
        """Have chains followed."""
        if chains.parents.size:
            self._following.append(self.pool.submit(_lost, chains))

    def lost(self, wait: bool) -> int:
        """Return the number of a state whose parents lead round in a ring; -1 for none.

        The number is that in the store. ``wait`` until all chains have been followed.
        """
        for task in [task for task in self._following if wait or task.done()]:
            self._following.remove(task)
            lost = task.result()
            if lost >= 0:
                return lost
        return -1


def _lost(chains: Chains) -> int:
    lost = int(follow_chains(chains.parents))
    return lost if lost < 0 else chains.base + lost
