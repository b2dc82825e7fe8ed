"""The sweep: from the deal forward, one move at a time, with the number of ways to each state.

Level g holds all states that g moves lead to and that can be part of a solution of the length asked
for: g and the lower bound of the moves to come do not exceed it. Every legal move is made, as the
moves that a search may leave out are parts of other sequences. The ways to a state are the sum of
the ways to the states before it. When the length is that of a shortest solution, the ways to the
goal are the shortest sequences: a sequence of that length passes through no state later than it
could, so no state on it was left out.

States of levels before are known and left out, as far as there is memory for them: a detour to them
is no part of a shortest solution. Which are known makes no difference to the ways to the goal.

A level that does not fit into memory is made in parts, each of which looks at the whole level
before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress

import numpy as np

from dbmsolver.errors import InternalError
from dbmsolver.kits.cards.bound import make_bound_tables
from dbmsolver.kits.cards.possible_states import are_positions
from dbmsolver.kits.cards.sweep import (
    MOST_PARTS,
    ROWS,
    STATE,
    Index,
    Level,
    empty_level,
    enter_all,
    remember,
    slots_for,
    sweep,
)
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.storage.levels import Levels, LevelWriter, Words, encode_chunks

_STATE_BYTES = 8 * STATE + 32
"""Memory of a state in a level, without its ways: the row, and slots of the table."""
_SCRATCH = 6 << 20
"""Memory of a thread's scratch arrays and chunks."""
_SERIAL = 100_000
"""The size of a level below which a second thread costs more than it saves."""
_FIRST_ROOM = 1 << 12
_FIRST_KNOWN = 1 << 14
"""States that can be known at first."""
_SECONDS = 0.1
"""Time between two looks at what happens outside."""
_SAFE_BITS = 54
"""A state has fewer than 2**8 states before it. While the highest word of all ways is below two to
this power, their sums do not overflow."""

Part = tuple[int, int]


class _Ended(Exception):
    """A part is given up, because the sweep is."""


class Sweep:
    """A sweep for solutions of ``length`` moves, in steps.

    ``codec`` is that of the deal, without forced moves. ``levels`` may hold the first levels
    already. ``memory`` is bytes. With ``keep`` all levels are kept, otherwise only the last.
    """

    def __init__(
        self, codec: StateCodec, length: int, levels: Levels, threads: int, memory: int, keep: bool
    ) -> None:
        self.codec = codec
        self.length = length
        self.levels = levels
        self.keep = keep
        self.bound = make_bound_tables(codec.tables, codec.columns)
        used = np.uint64(sum(mask << shift for shift, mask, _ in codec.most_in_fields()))
        self._signatures = (np.uint64(codec.root.signature), used)
        self.threads = threads
        memory = max(memory - threads * _SCRATCH, memory // 2)
        self.memory = memory - memory // 4
        self._known = np.zeros((_FIRST_KNOWN, STATE), np.uint64)
        self._most_known = memory // 4
        self.depth = 0
        self._size = 1  # of the last level
        self._remembered = 0
        self._words = 1
        self._ended = False
        self._unknown: list[int] = []  # levels whose states are to be remembered
        self._begun = False
        self._pool = ThreadPoolExecutor(threads)
        self._writing = ExitStack()
        self._writer: LevelWriter | None = None
        self._waiting: list[Part] = []
        self._running: dict[Future[list[bytes] | None], Part] = {}

    @property
    def states(self) -> int:
        """States of all levels made so far."""
        return self.levels.states

    @property
    def room(self) -> int:
        """States that a level can hold. A level that grows is there twice for a moment."""
        return max(_FIRST_ROOM, self.memory * 2 // (self.threads * self._bytes * 3))

    @property
    def _bytes(self) -> int:
        return _STATE_BYTES + 8 * self._words

    def step(self) -> bool:
        """Go on for a moment; return True once the last level is made.

        OutOfBudget where the memory does not suffice, DiskFullError where the disk does not.
        """
        if not self._begun:
            self._begin()
        if self._unknown:
            self._look_at(self._unknown.pop(0))
        elif self.depth == self.length:
            return True
        else:
            self._make_level()
        return False

    def _begin(self) -> None:
        """Write the level of the deal, unless levels were made before."""
        self._begun = True
        if self.levels.last < 0:
            with self.levels.writing(0) as writer:
                root = np.array([self.codec.root], np.uint64)
                writer.put(encode_chunks(root, np.ones((1, 1), np.uint64)))
        self.depth = self.levels.last
        self._unknown = list(range(self.depth + 1)) if self.keep else [self.depth]

    def close(self) -> None:
        """End the threads; a level that is not whole is missing."""
        self._ended = True
        self._pool.shutdown()
        with suppress(_Ended):
            self._writing.__exit__(_Ended, _Ended(), None)

    def ways(self) -> int:
        """Return the number of sequences that lead to the goal; the last level is made."""
        found = list(self.levels.read(self.length))
        if len(found) != 1 or found[0][0].shape[0] != 1:
            raise InternalError("the shortest sequences do not end in one position")
        state, ways = found[0][0][0], found[0][1][0]
        if int(state[0]) != self.codec.goal:
            raise InternalError("the shortest sequences do not end at the goal")
        return sum(int(word) << (64 * place) for place, word in enumerate(ways))

    def _look_at(self, depth: int) -> None:
        """Find the states of a level and the words that their ways need; remember the states."""
        self._size, highest = 0, 0
        for rows, ways in self.levels.read(depth):
            if not are_positions(self.codec.tables, *self._signatures, rows):
                self.levels.refuse(depth, "states that cannot be")
            self._know(rows)
            self._words = max(self._words, ways.shape[1])
            self._size += rows.shape[0]
            if ways.shape[1] == self._words:
                highest = max(highest, int(ways[:, -1].max()))
        if highest >> _SAFE_BITS:
            self._words += 1

    def _know(self, rows: Words) -> None:
        """Remember states, in more memory where much of it is in use."""
        self._remembered += rows.shape[0]
        while (
            self._remembered > self._known.shape[0] // 2
            and 2 * self._known.nbytes + self._known.nbytes // 2 <= self._most_known
        ):
            known = np.zeros((2 * self._known.shape[0], STATE), np.uint64)
            remember(known, self._known)
            self._known = known
        remember(self._known, rows)

    def _make_level(self) -> None:
        """Make some parts of the next level, and look at it when all are made."""
        if self._writer is None:
            self._writer = self._writing.enter_context(self.levels.writing(self.depth + 1))
            self._waiting = [(part, self._parts()) for part in range(self._parts())]
        while self._waiting and len(self._running) < self.threads:
            part = self._waiting.pop()
            self._running[self._pool.submit(self._make_part, *part)] = part
        done, _ = wait(self._running, _SECONDS, FIRST_COMPLETED)
        for future in done:
            part = self._running.pop(future)
            chunks = future.result()
            if chunks is None:
                self._waiting += _halves(part)
            else:
                self._writer.put(chunks)
        if self._waiting or self._running:
            return
        self._writer = None
        self._writing.close()
        if not self.keep:
            self.levels.drop(self.depth)
        self.depth += 1
        self._look_at(self.depth)

    def _parts(self) -> int:
        """Return the number of parts of the next level: it may be twice as large as the last."""
        parts = 1
        least = self.threads if self._size > _SERIAL else 1
        while parts < least or parts * self.room < 2 * self._size:
            parts *= 2
        return parts

    def _make_part(self, part: int, parts: int) -> list[bytes] | None:
        """Return the chunks of one part of the next level; None if the part is too large."""
        if parts > MOST_PARTS:
            raise OutOfBudget
        first_room = max(_FIRST_ROOM, 2 * self._size // parts)
        level = empty_level(min(self.room, first_room), self._words)
        left = self.length - self.depth - 1
        constants = (self.codec.tables, self.bound)
        known = self._known
        for rows, ways in self._sources():
            first = 0
            while first < rows.shape[0]:
                if self._ended:
                    raise _Ended
                first = sweep(
                    *constants,
                    level,
                    known,
                    self.codec.locked,
                    rows,
                    ways,
                    first,
                    left,
                    (part, parts),
                )
                if first < rows.shape[0]:
                    if level.rows.shape[0] >= self.room:
                        return None
                    level = _grown(level, min(self.room, 2 * level.rows.shape[0]))
        count = int(level.state[ROWS])
        return encode_chunks(level.rows[:count], level.ways[:count])

    def _sources(self) -> Iterator[tuple[Words, Words]]:
        """Yield the last level; ways have as many words as those of the next."""
        for rows, ways in self.levels.read(self.depth):
            missing = self._words - ways.shape[1]
            yield rows, np.pad(ways, ((0, 0), (0, missing))) if missing else ways


def _halves(part: Part) -> list[Part]:
    """Return the two parts that a part consists of."""
    number, parts = part
    return [(number, 2 * parts), (number + parts, 2 * parts)]


def _grown(level: Level, states: int) -> Level:
    """Return a copy of the level with room for ``states`` states."""
    count = int(level.state[ROWS])
    rows = np.empty((states, STATE), np.uint64)
    ways = np.zeros((states, level.ways.shape[1]), np.uint64)
    rows[:count], ways[:count] = level.rows[:count], level.ways[:count]
    grown = level._replace(rows=rows, ways=ways, table=np.zeros(slots_for(states), np.uint64))
    enter_all(Index(rows[:count], grown.table, level.moves))
    return grown
