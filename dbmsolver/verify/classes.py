"""The check of a store of classes of positions of Klondike.

Of each closed class: it is a class of the deal, in the stratum that its block says, and not won;
and what follows from it is closed. A move leads to the same stratum or to one of the next two, so
that three strata are looked at together. The theorem of docs/dominance.md says why no position of
the deal can be won then.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.class_format import CODE_BYTES, ClassFormat
from dbmsolver.verify.kernels import class_table as t
from dbmsolver.verify.kernels import classes as k
from dbmsolver.verify.kernels.class_layout import make_board
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
    """The check of one store."""

    code_bytes = CODE_BYTES
    key_words = 1
    state_bytes = 2 * 2 * _SLOTS_PER_CLASS * 8

    def group_of(self, layer: int, stratum: int) -> int:
        """Return the stratum."""
        return stratum

    def near(self, group: int) -> Iterable[int]:
        """Return a stratum and the next two."""
        return range(group, group + _REACH)

    def check_root(self) -> None:
        """Raise Refuted if the deal's class is in this part, and not closed."""
        words = self.form.root
        if not t.is_closed_in_part(
            self._tables(min(self.groups, default=0)), *map(np.uint64, words)
        ):
            raise Refuted("the deal's class is not closed", (*words, 0, 0))

    def load(self, keys: list[bytes]) -> t.Words:
        """Return the closed classes of some blocks, in this part, as a hash table."""
        states = sum(self.claimed[key] for key in keys) // self.parts
        slots = max(1 << (_SLOTS_PER_CLASS * states).bit_length(), _LEAST_SLOTS)
        while True:
            table = np.full((slots, 2), t.NONE, np.uint64)
            if self._enter_all(table, keys):
                return table
            slots *= 2

    def _enter_all(self, table: t.Words, keys: list[bytes]) -> bool:
        """Enter the classes of some blocks into a table; False if it is too small."""
        entered = 0
        for key in keys:
            directory, body = self.read(key)
            entered = t.enter(
                table, entered, self.part, self.parts, directory.signatures, directory.counts, body
            )
            if entered == t.TWICE:
                raise Refuted(f"a class is closed twice ({describe(key)})")
            if entered == t.FULL:
                return False
        return True

    def _tables(self, stratum: int) -> t.ClosedClasses:
        first, second, third = (self.states_of(other) for other in self.near(stratum))
        return t.ClosedClasses(first, second, third, self.part, self.parts)

    def check_block(self, group: int, key: bytes) -> int:
        """Check the classes of a block; return their digest, or raise Refuted."""
        directory, body = self.read(key)
        if parse_closed_key(key).layer:
            raise Refuted("a proof has no layers")
        sums, pair = np.zeros(1, np.uint64), np.zeros(4, np.uint64)
        found = k.check_classes(
            self.form.game, make_board(self.form.game), self._tables(group), directory.signatures,
            directory.counts, body, group, sums, pair,
        )  # fmt: skip
        if found != k.GOOD:
            other = "the successor" if found == k.NO_SUCCESSOR else None
            neighbour = _words(pair[:2]) if other else None
            raise Refuted(_REASONS[int(found)], _words(pair[2:]), neighbour, other)
        return int(sums[0])


def _words(words: t.Words) -> tuple[int, int, int, int]:
    """Return a class as the four words of a state that other checks have."""
    signature, key = (int(word) for word in words)
    return signature, key, 0, 0
