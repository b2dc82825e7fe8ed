"""The check of a store of a game whose cards only leave: of one pile, or of pairs.

No move can be taken back, so it takes two things for each closed state: that what follows from it
is closed, and that its parent is, by a legal move. Then no chain of parents has a ring, and each
ends at the deal. Where the claim is a shortest solution, what follows matters only in the layers
below its length: layers are lower bounds, and no move leads to a lower one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.kernels.leaving import hash_sum, missing_from
from dbmsolver.verify.leaving_format import CODE_BYTES, Flags, Ints, LeavingFormat, Moved, Words
from dbmsolver.verify.refutation import Refuted

_UNIT = 1 << 16
"""States that are looked at together."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

Place = tuple[int, int]
"""Layer and stratum."""


class LeavingCheck(BlockwiseCheck[LeavingFormat, Place, Words]):
    """The check of one store."""

    code_bytes = CODE_BYTES
    key_words = 1
    state_bytes = 24
    length: int | None = None
    """That of the shortest solution claimed, None where the claim is that there is none."""

    def group_of(self, layer: int, stratum: int) -> Place:
        """Return layer and stratum."""
        return layer, stratum

    def near(self, group: Place) -> Iterable[Place]:
        """Return all layers and strata that moves lead to, or come from."""
        far = self.form.far
        layers = range(group[0] - 1, group[0] + 2)
        return product(layers, range(group[1] - far, group[1] + far + 1))

    def check_root(self) -> None:
        """Raise Refuted if the deal is in this part, and not closed."""
        root = np.array([self.form.root], np.uint64)
        states = self.form.take_apart(root)
        home = (self.form.root_layer, int(self.form.strata(states)[0]))
        if missing_from(root[self._in_part(root)], self.states_of(home)) >= 0:
            raise Refuted("the deal is not among the closed positions", _words(self.form.root))

    def check_block(self, group: Place, key: bytes) -> int:
        """Check the states of a block; return their digest, or raise Refuted."""
        keys, codes = self._read(key)
        for start in range(0, keys.size, _UNIT):
            some = slice(start, start + _UNIT)
            self._check(group, keys[some], codes[some].astype(np.int64))
        return int(hash_sum(keys, np.uint64(self.form.second_word(group[0]))))

    def load(self, keys: list[bytes]) -> Words:
        """Return the closed states of some blocks, in this part, in ascending order.

        Raise Refuted if one is there twice.
        """
        parts = [np.empty(0, np.uint64)]
        for key in keys:
            words = self._read(key)[0]
            _none(words[1:] == words[:-1], words, "a position is closed twice")
            parts.append(words[self._in_part(words)])
        known = np.concatenate(parts)
        known.sort()
        _none(known[1:] == known[:-1], known, "a position is closed twice")
        return known

    def _in_part(self, keys: Words) -> Flags:
        """Return a flag for each key that is of this part."""
        if self.parts == 1:
            return np.ones(keys.size, np.bool_)
        mixed = (keys ^ keys >> np.uint64(31)) * _MIX >> np.uint64(32)
        of_part: Flags = mixed % np.uint64(self.parts) == self.part
        return of_part

    def _read(self, key: bytes) -> tuple[Words, NDArray[np.uint16]]:
        """Return the keys and codes of a block; Refuted if some cannot be keys."""
        directory, body = self.read(key)
        layer = parse_closed_key(key).layer
        keys = self.form.read(directory.signatures, directory.counts, body, layer)
        if keys is None:
            raise Refuted(f"a key has more bits than it can have ({describe(key)})")
        return keys, body.codes

    def _check(self, place: Place, keys: Words, codes: Ints) -> None:
        form = self.form
        states = form.take_apart(keys)
        _none(~form.are_positions(keys, states), keys, "a closed key is no position of the deal")
        elsewhere = form.strata(states) != place[1]
        _none(elsewhere, keys, "a closed position is in another stratum's block")
        if form.layered:
            elsewhere = ~form.are_of_layer(states, place[0])
            _none(elsewhere, keys, "a closed position is in another layer's block")
        elif place[0]:
            raise Refuted("a proof has no layers", _words(int(keys[0])))
        _none(form.are_won(states), keys, "a closed position is a goal")
        self._check_parents(place, keys, states, codes)
        if self.length is None or place[0] < self.length:
            self._check_successors(place, keys, states)

    def _check_successors(self, place: Place, keys: Words, states: Ints) -> None:
        reason, relation = "a successor of a closed position is not closed", "the successor"
        for moved in self.form.successors(keys, states, place[0]):
            self._look_up(moved, place[1] + moved.strata, self.length, reason, relation)

    def _look_up(
        self, moved: Moved, stratum: int, length: int | None, reason: str, relation: str
    ) -> None:
        """Raise Refuted if others of a move, in this part and below a length, are not closed."""
        mine = self._in_part(moved.others)
        if length is not None:
            mine &= moved.layers < length
        for layer in np.unique(moved.layers[mine]).tolist():
            some = mine & (moved.layers == layer)
            others = moved.others[some]
            gone = missing_from(others, self.states_of((layer, stratum)))
            if gone >= 0:
                words = _words(int(moved.keys[some][gone])), _words(int(others[gone]))
                raise Refuted(reason, *words, relation)

    def _check_parents(self, place: Place, keys: Words, states: Ints, codes: Ints) -> None:
        form = self.form
        is_root = keys == np.uint64(form.root)
        if place[0] != form.root_layer:
            is_root[:] = False
        wrong = "a parent-move code stands for no move that can have led to the position"
        _none(is_root != (codes == form.first_code), keys, wrong)
        rest = ~is_root
        keys, states, codes = keys[rest], states[rest], codes[rest]
        unlawful, parents = form.parents(keys, states, codes, place[0])
        _none(unlawful, keys, wrong)
        reason = "the parent of a closed position, by its parent-move code, is not closed"
        relation = "its parent by the parent-move code"
        for moved in parents:
            self._look_up(moved, place[1] - moved.strata, None, reason, relation)


def _words(key: int) -> tuple[int, int, int, int]:
    return key, 0, 0, 0


def _none(wrong: Flags, keys: Words, reason: str) -> None:
    """Raise Refuted, with the first of the states that are wrong, if any is."""
    found = np.flatnonzero(wrong)
    if found.size:
        raise Refuted(reason, _words(int(keys[found[0]])))
