"""A check that parent-move codes lead to the deal: no chain of parents is a ring."""

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


class ChainChecks:
    """The chains of parents of partitions and of divided signatures, until they are followed.

    Threads of the pool follow them. The chains of one signature may take ``memory`` bytes; larger
    ones are in a file. That is fast, too, as a chain seldom leads from one piece to another.
    """

    def __init__(self, catalog: Catalog, memory: int, pool: Executor) -> None:
        self.catalog = catalog
        self.memory = memory
        self.pool = pool
        self._divided: dict[int, Chains] = {}
        self._following: list[Future[int | None]] = []

    def of_partition(self, partition: int, is_checked: bool) -> Chains:
        """Return the chains to write the parents of a partition's states to.

        ``is_checked`` is True while its states are checked, False while rows are delivered later.
        """
        plan = self.catalog.partitions[partition]
        if plan.split >= 0:
            return self._of_split(plan.split, partition - plan.piece, plan.states)
        if not is_checked:
            # Later rows are no parents of the partition's own states: these were looked up at once.
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
        """Begin to follow the chains of the divided signatures of all strata from this one on."""
        for split in list(self._divided):
            if self.catalog.stratum_of(split) >= lowest:
                self.follow(self._divided.pop(split))

    def follow(self, chains: Chains) -> None:
        """Begin to follow chains."""
        if chains.parents.size:
            self._following.append(self.pool.submit(_lost, chains))

    def lost(self, wait: bool) -> int | None:
        """Return the number, in the store, of a state whose parents are a ring; None without one.

        With ``wait``, wait until all chains have been followed.
        """
        for task in [task for task in self._following if wait or task.done()]:
            self._following.remove(task)
            lost = task.result()
            if lost is not None:
                return lost
        return None


def _lost(chains: Chains) -> int | None:
    lost = int(follow_chains(chains.parents))
    return None if lost < 0 else chains.base + lost
