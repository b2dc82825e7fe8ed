"""A finder of states among the closed ones of a search by cost layers, in memory and store."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from dbmsolver.kernels.closed_rows import closed_code
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.trace import Finder
from dbmsolver.storage.store import Store


class LoadedFinder:
    """A :class:`Finder` that asks the partitions in memory before the store."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    @property
    def codec(self) -> StateCodec:
        """The keys of the deal."""
        return self.checkpoint.codec

    @property
    def store(self) -> Store:
        """The store of the search."""
        return self.checkpoint.recorder.store

    def code(self, state: State) -> int | None:
        """Return the parent-move code of a closed state, None if it is not among them."""
        wanted = np.array([[*state, 0]], np.uint64)
        for queue in self.checkpoint.queues:
            code = int(closed_code(queue.tables, queue.shard.rows, queue.shard.table, wanted))
            if code >= 0:
                return code
        return self._stored.code(state)

    @cached_property
    def _stored(self) -> Finder:
        return Finder(self.store, self.codec, self.checkpoint.kind)
