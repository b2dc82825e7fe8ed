"""The check of a store of Klondike and its relatives.

Of each closed state: it is a position of the deal, in the stratum that its block says, and not won;
what follows from it is closed; its parent is closed, and leads to it by a legal move; and chains of
parents end at the deal. Moves lead to the same stratum or
to the next one, so that three strata are looked at together. Where the claim is a shortest
solution, what follows matters only where moves made and the lower bound are less than the length
claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.kernels import digit_check as k
from dbmsolver.verify.kernels.chains import follow_chains
from dbmsolver.verify.kernels.digits import Ints, Words, hash_sum, unpack
from dbmsolver.verify.patience_format import CODE_BYTES, FIRST, PatienceFormat
from dbmsolver.verify.refutation import Refuted

_UNIT = 1 << 14
"""States that are looked at together."""
_REASONS = {
    k.BAD_KEY: "a closed key is no position of the deal",
    k.WRONG_STRATUM: "a closed position is in another stratum's block",
    k.WON: "a closed position is a goal",
    k.NO_SUCCESSOR: "a successor of a closed position is not closed",
    k.NO_PARENT: "the parent of a closed position is not closed, or does not lead to it",
    k.WRONG_LAYER: "a closed position is in another layer's block",
}


class PatienceStates(NamedTuple):
    """Closed states in ascending order, with codes and layers."""

    words: Words
    codes: Ints
    layers: Ints

    def cut(self, first: int, last: int) -> PatienceStates:
        """Return the states ``first:last``."""
        return PatienceStates(
            self.words[first:last], self.codes[first:last], self.layers[first:last]
        )


class PatienceCheck(BlockwiseCheck[PatienceFormat, int, PatienceStates]):
    """The check of one store."""

    code_bytes = CODE_BYTES
    key_words = 3
    state_bytes = 200

    def group_of(self, layer: int, stratum: int) -> int:
        """Return the stratum, whatever the layer."""
        return stratum

    def near(self, group: int) -> Iterable[int]:
        """Return a stratum and its neighbours."""
        return range(group - 1, group + 2)

    def check_root(self) -> None:
        """Raise Refuted if the deal is not closed."""
        root = self.form.root
        known = self.states_of(min(self.groups, default=0))
        if not ((known.words == root).all(axis=1) & (known.codes == FIRST)).any():
            raise Refuted("the deal is not among the closed positions", _words(root))

    def check_blocks(self, group: int) -> Iterator[tuple[bytes, int, int]]:
        """Check the states of a stratum: yield each block, its states and digest."""
        self.keep_near(group)
        known = _in_order([self.states_of(stratum) for stratum in self.near(group)])
        chains: list[tuple[Ints, Ints]] = []
        for key in self.groups[group]:
            part = self._read(key)
            if key in self.chosen:
                for start in range(0, part.codes.size, _UNIT):
                    some = part.cut(start, start + _UNIT)
                    chains.append(self._check(some, group, known))
            yield key, part.codes.size, int(hash_sum(part.words))
        if self.whole and not self.layered:  # layers have rings in no case: moves made fall
            _check_rings(known, chains)

    def load(self, keys: list[bytes]) -> PatienceStates:
        """Return the closed states of some blocks; raise Refuted if one is there twice."""
        return _in_order([self._read(key) for key in keys])

    def _read(self, key: bytes) -> PatienceStates:
        directory, body = self.read(key)
        words = np.empty((body.states, 3), np.uint64)
        if not unpack(directory.signatures, directory.counts, body, words):
            raise Refuted(f"a key does not fit its signature ({describe(key)})")
        layer = parse_closed_key(key).layer
        if bool(layer) != self.layered:
            raise Refuted("a proof has no layers, and a search for a shortest solution has")
        layers = np.full(body.states, layer if self.layered else -1, np.int64)
        return PatienceStates(words, body.codes.astype(np.int64), layers)

    def _check(
        self, some: PatienceStates, stratum: int, known: PatienceStates
    ) -> tuple[Ints, Ints]:
        """Check states; return their places and their parents' among the known ones."""
        form = self.form
        parents, pair = np.empty(some.codes.size, np.int64), np.zeros(3, np.uint64)
        first = np.flatnonzero(some.codes & 63 == FIRST)
        for number in first.tolist():
            if (some.words[number] != form.root).any() or some.codes[number] != FIRST:
                raise Refuted(
                    "a closed position is said to be the deal", _words(some.words[number])
                )
        states = k.CheckedStates(some.words, some.codes, some.layers, parents)
        wanted = k.Wanted(stratum, -1 if self.length is None else self.length)
        among = k.KnownStates(known.words, known.layers)
        found, number = k.check(form.digits, form.boards, among, states, wanted, pair)
        if found != k.GOOD:
            other = {k.NO_SUCCESSOR: "the successor", k.NO_PARENT: "the parent"}.get(int(found))
            neighbour = _words(pair) if other else None
            raise Refuted(_REASONS[int(found)], _words(some.words[number]), neighbour, other)
        places = np.empty(some.codes.size, np.int64)
        k.places(among, some.words, places)
        return places, parents


def _in_order(parts: list[PatienceStates]) -> PatienceStates:
    """Return states in order; raise Refuted if one is there twice."""
    words = np.concatenate([part.words for part in parts] or [np.empty((0, 3), np.uint64)])
    codes = np.concatenate([part.codes for part in parts] or [np.empty(0, np.int64)])
    layers = np.concatenate([part.layers for part in parts] or [np.empty(0, np.int64)])
    order = np.lexsort((words[:, 0], words[:, 1], words[:, 2]))
    words = words[order]
    twice = np.flatnonzero((words[1:] == words[:-1]).all(axis=1))
    if twice.size:
        raise Refuted("a position is closed twice", _words(words[twice[0]]))
    return PatienceStates(words, codes[order], layers[order])


def _check_rings(known: PatienceStates, chains: list[tuple[Ints, Ints]]) -> None:
    """Raise Refuted if parents within a stratum lead round and round."""
    own = np.zeros(known.codes.size + 1, np.bool_)
    for places, _ in chains:
        own[places] = True
    following = np.zeros(known.codes.size, np.int64)
    for places, parents in chains:
        following[places] = np.where((parents >= 0) & own[parents], parents + 1, 0)
    lost = int(follow_chains(following))
    if lost >= 0:
        state = _words(known.words[lost])
        raise Refuted("the parents of a closed position lead in a ring", state)


def _words(words: Words) -> tuple[int, int, int, int]:
    first, second, third = (int(word) for word in words)
    return first, second, third, 0
