"""The check of a store of classes of positions of Klondike.

Of each closed class: it is a class of the deal, in the stratum that its block says, and not won;
and what follows from it is closed. A move leads to the same stratum or to one of the next two, so
that three strata are looked at together. The theorem of docs/dominance.md says why no position of
the deal can be won then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

import numpy as np

from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.class_format import CODE_BYTES, ClassFormat
from dbmsolver.verify.kernels import class_table as t
from dbmsolver.verify.kernels import classes as k
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
    """The check of one store by some threads."""

    code_bytes = CODE_BYTES
    key_words = 1
    state_bytes = 2 * 2 * _SLOTS_PER_CLASS * 8
    threads = 1

    def group_of(self, layer: int, stratum: int) -> int:
        """Return the stratum."""
        return stratum

    def near(self, group: int) -> Iterable[int]:
        """Return a stratum and the next two."""
        return range(group, group + _REACH)

    def check_root(self) -> None:
        """Raise Refuted if the deal's class is not closed."""
        words = self.form.root
        lowest = min(self.groups, default=0)
        if not t.holds(self.states_of(lowest), *map(np.uint64, words)):
            raise Refuted("the deal's class is not closed", (*words, 0, 0))

    def check_blocks(self, group: int) -> Iterator[tuple[bytes, int, int]]:
        """Check the classes of a stratum: yield each block, its classes and digest."""
        self.keep_near(group)
        tables = t.ClosedClasses(*(self.states_of(stratum) for stratum in self.near(group)))
        boards: SimpleQueue[LaidClass] = SimpleQueue()
        for _ in range(self.threads):
            boards.put(make_board(self.form.game))
        with ThreadPoolExecutor(self.threads) as pool:
            for key, checked in self._checks(pool, group, tables, boards):
                yield key, *checked.result()

    def load(self, keys: list[bytes]) -> t.Words:
        """Return the closed classes of some blocks as a hash table."""
        states = sum(self.store.states_in(key) for key in keys)
        slots = max(1 << (_SLOTS_PER_CLASS * states).bit_length(), _LEAST_SLOTS)
        table = np.full((slots, 2), t.NONE, np.uint64)
        for key in keys:
            directory, body = self.read(key)
            if not t.enter(table, directory.signatures, directory.counts, body):
                raise Refuted(f"a class is closed twice ({describe(key)})")
        return table

    def _checks(
        self,
        pool: ThreadPoolExecutor,
        stratum: int,
        tables: t.ClosedClasses,
        boards: SimpleQueue[LaidClass],
    ) -> Iterator[tuple[bytes, Future[tuple[int, int]]]]:
        """Yield (key, check) for each block of a stratum; the checks run in the pool."""
        ahead: list[tuple[bytes, Future[tuple[int, int]]]] = []
        for key in self.groups[stratum]:
            ahead.append((key, pool.submit(self._check, key, stratum, tables, boards)))
            if len(ahead) > self.threads:
                yield ahead.pop(0)
        yield from ahead

    def _check(
        self, key: bytes, stratum: int, tables: t.ClosedClasses, boards: SimpleQueue[LaidClass]
    ) -> tuple[int, int]:
        """Check the classes of a block if it is chosen; return their number and digest."""
        directory, body = self.read(key)
        if parse_closed_key(key).layer:
            raise Refuted("a proof has no layers")
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


def _words(words: t.Words) -> tuple[int, int, int, int]:
    """Return a class as the four words of a state that other checks have."""
    signature, key = (int(word) for word in words)
    return signature, key, 0, 0
