"""Beams for any solution of a wide game, several of them at once where there are threads.

The outcome is that of the first beam of the schedule that finds a solution, so it does not depend
on the threads.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np

from dbmsolver.game.moves import Move
from dbmsolver.kits.wide.beam import (
    ENDED,
    GIVEN_UP,
    GOING_ON,
    KEPT,
    bytes_of,
    make_beam,
    next_level,
    replay,
)
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.tables import ROW_WORDS, make_board
from dbmsolver.search.wide.plans import BeamPlan

_LEVELS = 1500
"""The states that a beam keeps, for each of its width, if memory allows."""
_LEAST_LEVELS = 300
"""The same in little memory: a beam without room for these is not made."""
_PAUSE = 0.1
"""Seconds between two looks at limits and signals."""


class PlannedBeam:
    """A beam, to be made by a thread; it keeps at most ``most`` states."""

    def __init__(self, keys: WideKeys, plan: BeamPlan, most: int) -> None:
        self.keys = keys
        self.plan = plan
        self.weights = np.array(plan.weights, np.int64)
        self.beam = make_beam(keys.tables, keys.root, plan.width, most)
        self.result = ENDED

    @property
    def kept(self) -> int:
        """The number of states that were kept; another thread may ask."""
        return int(self.beam.state[KEPT])

    def run(self, stop: threading.Event) -> None:
        """Make the beam, or the beginning of it until it has to stop."""
        result = GOING_ON
        while result == GOING_ON and not stop.is_set():
            result = int(next_level(self.keys.tables, self.beam, self.plan.shape, self.weights))
        self.result = GIVEN_UP if result == GOING_ON else result

    def moves(self) -> list[Move]:
        """Return the moves of the solution that was found."""
        numbers, number = [], self.result
        while number:
            numbers.append(int(self.beam.moves[number]))
            number = int(self.beam.parents[number])
        rows = np.zeros((len(numbers) + 1, ROW_WORDS), np.uint64)
        sizes = np.zeros(len(numbers) + 1, np.int64)
        way = np.array(numbers[::-1], np.int64)
        replay(self.keys.tables, make_board(self.keys.tables), way, self.keys.root, rows, sizes)
        return self.keys.moves_along(
            [row[:size] for row, size in zip(rows, sizes.tolist(), strict=True)]
        )


def threads_for(keys: WideKeys, schedule: Sequence[BeamPlan], threads: int, memory: int) -> int:
    """Return how many threads make beams at once: so few that most beams fit into their shares."""
    widths = sorted(plan.width for plan in schedule)
    middle = widths[len(widths) // 2]
    enough = bytes_of(keys.tables, middle, _LEAST_LEVELS * middle)
    return max(1, min(threads, memory // enough))


def most_kept(keys: WideKeys, plan: BeamPlan, memory: int) -> int:
    """Return how many states a beam may keep in ``memory`` bytes; 0 if it does not fit."""
    room = (memory - bytes_of(keys.tables, plan.width, 0)) // 8
    return min(room, _LEVELS * plan.width) if room >= _LEAST_LEVELS * plan.width else 0


class Beams:
    """The beams of a schedule, made by some threads.

    ``memory`` is in bytes, for all threads; where it is little, fewer threads share it, and a beam
    that does not fit into a share is left out. All of them together keep at most ``most`` states,
    if that is not None: one thread makes them then.
    """

    def __init__(
        self,
        keys: WideKeys,
        schedule: Sequence[BeamPlan],
        threads: int,
        memory: int,
        most: int | None,
    ) -> None:
        self.keys = keys
        self.threads = threads_for(keys, schedule, threads, memory) if most is None else 1
        self.memory = memory
        self.most = most
        self.left = [plan for plan in schedule if most_kept(keys, plan, memory // self.threads) > 0]
        self._begun: list[tuple[PlannedBeam, Future[None]]] = []  # in the order of the schedule
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(self.threads)
        self.judged = 0
        """The number of states that the beams that were returned have kept."""

    @property
    def kept(self) -> int:
        """The number of states that all beams so far have kept."""
        return self.judged + sum(beam.kept for beam, _ in self._begun)

    @property
    def are_over(self) -> bool:
        """True if no beam is left."""
        return not self.left and not self._begun

    def step(self) -> PlannedBeam | None:
        """Make beams for a moment; return the next of the schedule, if it is made.

        Beams that were not begun may be taken out of ``left`` between two steps.
        """
        if not self._is_first_made():
            while self.left and len(self._running()) < self.threads:
                if not self._begin():
                    self.left.clear()
            wait(self._running(), _PAUSE, FIRST_COMPLETED)
        if not self._is_first_made():
            return None
        beam, task = self._begun.pop(0)
        task.result()
        self.judged += beam.kept
        return beam

    def _is_first_made(self) -> bool:
        return bool(self._begun) and self._begun[0][1].done()

    def _running(self) -> list[Future[None]]:
        return [task for _, task in self._begun if not task.done()]

    def close(self) -> None:
        """End the beams early, and their threads."""
        self._stop.set()
        self._pool.shutdown()

    def _begin(self) -> bool:
        """Begin the next beam; return False if no more states may be kept."""
        plan = self.left.pop(0)
        most = most_kept(self.keys, plan, self.memory // self.threads)
        if self.most is not None:
            most = min(most, self.most - self.kept)
            if most < 1:
                return False
        beam = PlannedBeam(self.keys, plan, most)
        self._begun.append((beam, self._pool.submit(beam.run, self._stop)))
        return True
