"""A finder of states among the closed ones of a search by cost layers, in memory and store."""

from __future__ import annotations

from dbmsolver.kits.states import State
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.trace import Finder


class LoadedFinder(Finder):
    """A finder that asks the partitions in memory before the store."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        super().__init__(checkpoint.recorder.store, checkpoint.codec, checkpoint.kind)
        self.queues = checkpoint.queues

    def code(self, state: State) -> int | None:
        """Return the parent-move code of a closed state, None if it is not among them."""
        for queue in self.queues:
            code = queue.code_of(state)
            if code is not None:
                return code
        return super().code(state)
