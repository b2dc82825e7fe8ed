"""The full check of a proof over dominating positions: by the rules of the game and nothing else.

Let P be all positions that parking leads to from those that the stored records stand for. P is
written out, position by position. Then three things are looked at: the deal, after its safe moves,
is in P; no position in P is a goal; and from each position in P, the safe moves, where there are
any, lead to a position in P, and elsewhere every legal move does, with the safe moves that follow
it. So P holds every settled position that a line from the deal comes to, where a line makes safe
moves at once; and none is a goal. That safe moves lose nothing is argued at
:func:`dbmsolver.game.safe_moves.is_safe_home`. Nothing is assumed of records: what they are said to
cover is listed, and looked at.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.closure import Closure
from dbmsolver.verify.format import Format, root_words
from dbmsolver.verify.kernels import position_moves, position_set, record_positions
from dbmsolver.verify.kernels.board import make_board
from dbmsolver.verify.kernels.record_table import make_table
from dbmsolver.verify.position_list import PositionList
from dbmsolver.verify.refutation import Refuted, reason_of, words_of
from dbmsolver.verify.showing import position_on

Words = NDArray[np.uint64]
_UNIT = 1 << 14


class Positions(PositionList):
    """The set P of a store, in ``memory`` bytes; TooManyPositions if it needs more."""

    def __init__(self, form: Format, deal: Deal, memory: int) -> None:
        super().__init__(memory)
        self.form = form
        self.deal = deal
        self.digest = np.zeros(1, np.uint64)

    def add(self, closure: Closure) -> Iterator[Progress]:
        """Add the positions that the stored records stand for; Refuted if one is no record."""
        table, pace, read = make_table(), Pace(), 0
        for states, count in closure.states_of_all():
            done = 0
            while done < count:
                error, done, self.count = record_positions.add_positions(
                    closure.keys.tables, states, done, count, table, self.found, self.count,
                    self.digest,
                )  # fmt: skip
                if error:
                    raise Refuted(reason_of(error, "record"), words_of(states.rows[done]))
                if done < count:
                    self.grow()
            read += count
            if pace.due():
                share = read / closure.catalog.states
                yield self._progress("reading the records", share)

    def park(self) -> Iterator[Progress]:
        """Add whatever parking leads to."""
        done, pace, board = 0, Pace(), make_board()
        wanted = position_set.make_wanted()
        while done < self.count:
            most = min(done + _UNIT, self.count)
            while done < most:
                bounds = np.array([done, most, self.count])
                position_moves.park(self.form, board, self.found, wanted, bounds)
                done, self.count = int(bounds[0]), int(bounds[2])
                if done < most:
                    self.grow()
            if pace.due():
                yield self._progress("parking cards", done / self.count)

    def check(self, threads: int) -> Iterator[Progress]:
        """Check all positions; Refuted for the first that is found to be wrong."""
        first = np.array(root_words(self.form, self.deal)[:3], np.uint64)
        position_moves.settle_words(self.form, make_board(), first)
        if not position_set.contains(self.found, first):
            raise Refuted(
                "the deal is not among the positions that the closed records cover",
                self._position(first),
            )
        pace = Pace()
        done = 0
        with ThreadPoolExecutor(threads) as pool:
            # Few at a time, so that an error is told soon.
            for begin in range(0, self.count, 64 * _UNIT):
                end = min(begin + 64 * _UNIT, self.count)
                tasks = [
                    pool.submit(self._check_some, low, min(low + _UNIT, end))
                    for low in range(begin, end, _UNIT)
                ]
                for task in as_completed(tasks):
                    done += task.result()
                    if pace.due():
                        yield self._progress("checking moves", done / self.count)

    def _check_some(self, first: int, last: int) -> int:
        wrong = np.zeros((2, 3), np.uint64)
        wanted = position_set.make_wanted()
        error = position_moves.check_moves(
            self.form, make_board(), self.found, first, last, wanted, wrong
        )
        if error == position_moves.GOAL_REACHED:
            raise Refuted(
                "a closed record covers a goal: all cards are home", self._position(wrong[0])
            )
        if error:
            raise Refuted(
                "a move leads from a position that the closed records cover "
                "to one that they do not",
                self._position(wrong[0]),
                self._position(wrong[1]),
            )
        return last - first

    def _progress(self, phase: str, share: float) -> Progress:
        return Progress(phase, 0, 0, self.count, self.count, share)

    def _position(self, words: Words) -> Position:
        """Return the position of three words."""
        board = make_board()
        _, laid = position_moves.lay_position(self.form, board, words)
        return position_on(board, laid, self.form, self.deal)


def check_positions(
    deal: Deal, closure: Closure, memory: int
) -> Generator[Progress, None, Positions]:
    """Carry out the full check; ``memory`` is what positions may take."""
    positions = Positions(closure.keys.tables.cards, deal, memory)
    yield from positions.add(closure)
    yield from positions.park()
    yield from positions.check(closure.threads)
    return positions
