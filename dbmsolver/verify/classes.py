"""The check of a store of classes of positions of Klondike.

Of each closed class: it is a class of the deal, in the stratum that its block says, and not won;
and what follows from it is closed. A move leads to the same stratum or to one of the next two, so
that three strata are looked at together. The theorem of docs/dominance.md says why no position of
the deal can be won then.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np

from dbmsolver.errors import StoreError
from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blocks import Directory, read_block
from dbmsolver.verify.blockwise import BlockwiseCheck, Place
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.class_format import CODE_BYTES, ClassFormat
from dbmsolver.verify.kernels import class_table as t
from dbmsolver.verify.kernels import classes as k
from dbmsolver.verify.kernels.blocks import Body
from dbmsolver.verify.kernels.class_layout import LaidClass, make_board
from dbmsolver.verify.refutation import Refuted

_REASONS = {
    k.BAD_CLASS: "a closed key is no class of the deal",
    k.WRONG_STRATUM: "a closed class is in another stratum's block",
    k.WON: "a closed class is won",
    k.NO_SUCCESSOR: "a successor of a closed class is not closed, or is won",
}
_SLOTS_PER_CLASS = 2
_LEAST_SLOTS = 64
_REACH = 3
"""Strata that are in memory together."""


class ClassCheck(BlockwiseCheck[ClassFormat, int, t.Words]):
    """The check of one store by some threads; :meth:`run` carries it out, or raises Refuted."""

    code_bytes = CODE_BYTES
    state_bytes = 2 * 2 * _SLOTS_PER_CLASS * 8
    threads = 1

    def most_together(self, states: dict[Place, int]) -> int:
        """Return the most classes that three strata that follow each other have."""
        strata: dict[int, int] = {}
        for (_, stratum), number in states.items():
            strata[stratum] = strata.get(stratum, 0) + number
        return max(
            (sum(strata.get(at + step, 0) for step in range(_REACH)) for at in strata), default=0
        )

    def run(self) -> Generator[Progress, None, None]:
        """Check everything."""
        pace, done = Pace(), 0
        strata = sorted({parse_closed_key(key).stratum for key in self.keys})
        words = self.form.root
        if not strata or not t.holds(self._table(strata[0]), *map(np.uint64, words)):
            raise Refuted("the deal's class is not closed", (*words, 0, 0))
        boards: SimpleQueue[LaidClass] = SimpleQueue()
        for _ in range(self.threads):
            boards.put(make_board(self.form.game))
        with ThreadPoolExecutor(self.threads) as pool:
            for stratum in strata:
                tables = self._tables(stratum)
                for key, checked in self._checks(pool, stratum, tables, boards):
                    states, digest = checked.result()
                    done += 1
                    self.all_states += states
                    if key in self.chosen:
                        self.count(key, states, digest)
                    if pace.due():
                        share = done / len(self.keys)
                        yield Progress("checking", stratum, strata[-1], self.states, 0, share)

    def _blocks(self, stratum: int) -> list[bytes]:
        """Return the blocks of a stratum."""
        return [key for key in self.keys if parse_closed_key(key).stratum == stratum]

    def _tables(self, stratum: int) -> t.ClosedClasses:
        """Return the closed classes of a stratum and of the next two; drop those of lower ones."""
        for old in [old for old in self.loaded if old < stratum]:
            del self.loaded[old]
        first, second, third = (self._table(stratum + step) for step in range(_REACH))
        return t.ClosedClasses(first, second, third)

    def _table(self, stratum: int) -> t.Words:
        """Return the closed classes of a stratum as a hash table."""
        if stratum not in self.loaded:
            states = sum(self.store.states_in(key) for key in self._blocks(stratum))
            slots = max(1 << (_SLOTS_PER_CLASS * states).bit_length(), _LEAST_SLOTS)
            table = np.full((slots, 2), t.NONE, np.uint64)
            for key in self._blocks(stratum):
                directory, body = self._read(key)
                if not t.enter(table, directory.signatures, directory.counts, body):
                    raise Refuted(f"a class is closed twice ({describe(key)})")
            self.loaded[stratum] = table
        return self.loaded[stratum]

    def _checks(
        self,
        pool: ThreadPoolExecutor,
        stratum: int,
        tables: t.ClosedClasses,
        boards: SimpleQueue[LaidClass],
    ) -> Iterator[tuple[bytes, Future[tuple[int, int]]]]:
        """Yield (key, check) for each block of a stratum; the checks run in the pool."""
        ahead: list[tuple[bytes, Future[tuple[int, int]]]] = []
        for key in self._blocks(stratum):
            ahead.append((key, pool.submit(self._check, key, stratum, tables, boards)))
            if len(ahead) > self.threads:
                yield ahead.pop(0)
        yield from ahead

    def _check(
        self, key: bytes, stratum: int, tables: t.ClosedClasses, boards: SimpleQueue[LaidClass]
    ) -> tuple[int, int]:
        """Check the classes of a block if it is chosen; return their number and digest."""
        directory, body = self._read(key)
        if key not in self.chosen:
            return body.states, 0
        sums, pair = np.zeros(1, np.uint64), np.zeros(4, np.uint64)
        board = boards.get()
        try:
            found = k.check_classes(
                self.form.game, board, tables, directory.signatures, directory.counts, body,
                stratum, sums, pair,
            )  # fmt: skip
        finally:
            boards.put(board)
        if found != k.GOOD:
            other = "the successor" if found == k.NO_SUCCESSOR else None
            neighbour = _words(pair[:2]) if other else None
            raise Refuted(_REASONS[int(found)], _words(pair[2:]), neighbour, other)
        return body.states, int(sums[0])

    def _read(self, key: bytes) -> tuple[Directory, Body]:
        """Return the signatures and states of a block; StoreError if they cannot be."""
        directory, body = read_block(self.store, CODE_BYTES, key)
        if body.words != 1:
            where = f"{self.store.path}: {describe(key)}"
            raise StoreError("the block's keys have a width that cannot be", where)
        if parse_closed_key(key).layer:
            raise Refuted("a proof has no layers")
        return directory, body


def _words(words: t.Words) -> tuple[int, int, int, int]:
    """Return a class as the four words of a state that other checks have."""
    signature, key = (int(word) for word in words)
    return signature, key, 0, 0
