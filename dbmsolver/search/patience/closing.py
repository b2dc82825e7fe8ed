"""The common part of both searches of Klondike and its relatives: the set that is being closed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import numpy as np

from dbmsolver.core.patience_bound import make_weights
from dbmsolver.core.patience_closing import (
    WON,
    close_layer,
    digest_of,
    make_candidates,
    whole_piece,
)
from dbmsolver.core.patience_tables import Words, make_board, make_found
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.search.commits import BlockRef, NewRecord
from dbmsolver.search.in_memory import SearchInMemory
from dbmsolver.search.outcome import GoalMet
from dbmsolver.search.patience import sets
from dbmsolver.search.patience.sets import Waiting, by_stratum, closed_block, records_of
from dbmsolver.search.patience_finder import PatienceFinder
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.tallies import Tally, weigh
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.patience_blocks import Codes
from dbmsolver.storage.records import Closed

_TOGETHER = 1 << 13
"""States from which on several threads pack them."""
WaitingT = TypeVar("WaitingT")


class PatienceClosing(SearchInMemory[PatienceKeys, WaitingT]):
    """A search in progress.

    ``current`` is the set that is being closed, with the closed states that have to be known; the
    first ``recorded`` states of it are closed, and counted.
    """

    def __init__(
        self,
        keys: PatienceKeys,
        recorder: Recorder,
        memory: int,
    ) -> None:
        super().__init__(keys, recorder, memory)
        self.current = Waiting()
        self.recorded = 0
        self.goal: tuple[Words, int] | None = None
        self.piece = whole_piece()
        self._out = make_candidates(sets.OUT)
        self._board, self._weights, self._found = make_board(), make_weights(), make_found()

    def path(self, goal: GoalMet) -> list[Step] | None:
        """Return the steps from the deal to the goal."""
        assert self.goal is not None
        words, code = self.goal
        finder = PatienceFinder(self.recorder.store, self.keys)
        return finder.steps_to(int(words[0]) | int(words[1]) << 64 | int(words[2]) << 128, code)

    def _has_goal(self) -> bool:
        return self.goal is not None

    def _expand(self) -> int:
        """Expand some states of the set; return why it ended, as :func:`close_layer` does.

        The goal may be met.
        """
        states, met = self.current.states, self.current.size
        keys, out, board, found = self.keys, self._out, self._board, self._found
        reason = close_layer(
            keys.tables, keys.bounds, states, out, board, self._weights, found, self.place[0],
            self.piece, self._at_once(),
        )  # fmt: skip
        self.books.make(sets.weigh_states(self.current.words(met)))
        if reason == WON:
            last = int(self._out.count[0]) - 1
            self.goal = self._out.words[last].copy(), int(self._out.codes[last])
            states.counts[1] += 1  # whose other successors no longer matter
        return int(reason)

    def _expanded(self) -> int:
        return self.recorder.statistics.closed + int(self.current.states.counts[1]) - self.recorded

    def _record(self, done: int | None = None) -> list[tuple[BlockRef, Words]]:
        """Count the expanded states and put them into the batch; return blocks of them.

        Each block has its states beside it.

        With ``done``, only the first ``done`` states of the set are taken.
        """
        if done is None:
            done = int(self.current.states.counts[1])
        layer, refs = self.place[0], []
        words = self.current.words(self.recorded, done)
        codes = self.current.codes(self.recorded, done)
        parts = list(by_stratum(self.keys, words, codes))

        def packed(part: tuple[int, Words, Codes]) -> Closed:
            return closed_block(self.keys, layer, *part)

        blocks: Iterator[Closed] = map(packed, parts)
        if self.recorder.threads > 1 and len(words) > _TOGETHER:
            blocks = self.recorder.in_parallel(packed, parts)
        for (stratum, own, _), block in zip(parts, blocks, strict=True):
            tally = Tally(len(own), int(digest_of(own)))
            self.recorder.statistics.count(layer, stratum, tally.states, 0, tally.sum)
            self.books.take(tally)
            refs += [(ref, own) for ref in self.recorder.add_closed([block], always=True)]
        self.recorded = done
        return refs

    def _tally_of(self, runs: Runs) -> Tally:
        return weigh(runs.signatures, runs.counts)

    def _records_of_goal(self) -> list[NewRecord]:
        """Return the record of the goal, once it is met.

        Nothing else is written then: a run that is continued has met the goal, too.
        """
        assert self.goal is not None
        words, code = self.goal
        codes = np.array([code], np.uint16)
        found = records_of(self.keys, self.place[0], words[None, :], codes)
        return [record for record, _ in found]
