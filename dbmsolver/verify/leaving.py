"""The check of a store of a game whose cards only leave: of one pile, or of pairs.

No move can be taken back, so it takes two things for each closed state: that what follows from it
is closed, and that its parent is, by a legal move. Then no chain of parents has a ring, and each
ends at the deal. Where the claim is a shortest solution, what follows matters only in the layers
below its length: layers are lower bounds, and no move leads to a lower one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.kernels.leaving import hash_sum, missing_from
from dbmsolver.verify.leaving_format import CODE_BYTES, Flags, Ints, LeavingFormat, Moved, Words
from dbmsolver.verify.refutation import Refuted

_UNIT = 1 << 16
"""States that are looked at together."""


Place = tuple[int, int]
"""Layer and stratum."""


class LeavingStates(NamedTuple):
    """Closed states, in ascending order."""

    keys: Words
    codes: Ints


class LeavingCheck(BlockwiseCheck[LeavingFormat, Place, LeavingStates]):
    """The check of one store."""

    code_bytes = CODE_BYTES
    key_words = 1
    state_bytes = 64

    def group_of(self, layer: int, stratum: int) -> Place:
        """Return layer and stratum."""
        return layer, stratum

    def near(self, group: Place) -> Iterable[Place]:
        """Return all layers and strata that moves lead to, or come from."""
        far = self.form.far
        layers = range(group[0] - 1, group[0] + 2)
        return product(layers, range(group[1] - far, group[1] + far + 1))

    def check_root(self) -> None:
        """Raise Refuted if the deal is not closed."""
        root = np.array([self.form.root], np.uint64)
        fields = self.form.take_apart(root)
        home = (self.form.root_layer, int(self.form.strata(fields)[0]))
        if missing_from(root, self.states_of(home).keys) >= 0:
            reason = "the deal is not among the closed positions"
            raise Refuted(reason, _words(self.form.root))

    def check_blocks(self, group: Place) -> Iterator[tuple[bytes, int, int]]:
        """Check the states of a layer and stratum: yield each block, its states and digest."""
        self.keep_near(group)
        self.states_of(group)
        second = np.uint64(self.form.second_word(group[0]))
        for block in self.groups[group]:
            keys, codes = self._read(block)
            if block in self.chosen:
                for start in range(0, keys.size, _UNIT):
                    some = slice(start, start + _UNIT)
                    self._check(group, keys[some], codes[some])
            yield block, keys.size, int(hash_sum(keys, second))

    def load(self, keys: list[bytes]) -> LeavingStates:
        """Return the closed states of some blocks; raise Refuted if one is there twice."""
        parts = [self._read(key) for key in keys]
        words = np.concatenate([part.keys for part in parts] or [np.empty(0, np.uint64)])
        codes = np.concatenate([part.codes for part in parts] or [np.empty(0, np.int64)])
        order = np.argsort(words, kind="stable")
        words, codes = words[order], codes[order]
        twice = np.flatnonzero(words[1:] == words[:-1])
        if twice.size:
            raise Refuted("a position is closed twice", _words(int(words[twice[0]])))
        return LeavingStates(words, codes)

    def _read(self, key: bytes) -> LeavingStates:
        directory, body = self.read(key)
        layer = parse_closed_key(key).layer
        keys = self.form.read(directory.signatures, directory.counts, body, layer)
        if keys is None:
            raise Refuted(f"a key has more bits than it can have ({describe(key)})")
        return LeavingStates(keys, body.codes.astype(np.int64))

    def _check(self, place: Place, keys: Words, codes: Ints) -> None:
        form = self.form
        fields = form.take_apart(keys)
        _none(~form.are_positions(keys, fields), keys, "a closed key is no position of the deal")
        _none(
            form.strata(fields) != place[1], keys, "a closed position is in another stratum's block"
        )
        if self.layered:
            _none(
                ~form.are_of_layer(fields, place[0]),
                keys,
                "a closed position is in another layer's block",
            )
        elif place[0]:
            raise Refuted("a proof has no layers", _words(int(keys[0])))
        _none(form.are_won(fields), keys, "a closed position is a goal")
        self._check_parents(place, keys, codes, fields)
        if self.length is None or place[0] < self.length:
            self._check_successors(place, keys, fields)

    def _check_successors(self, place: Place, keys: Words, fields: Any) -> None:
        for moved in self.form.successors(keys, fields, place[0]):
            if self.length is not None:
                useful = moved.layers < self.length
                keys_below, others = moved.keys[useful], moved.others[useful]
                moved = Moved(keys_below, others, moved.layers[useful], moved.strata)
            gone = self._missing(moved, place[1] + moved.strata)
            if gone is not None:
                raise Refuted(
                    "a successor of a closed position is not closed",
                    _words(gone[0]),
                    _words(gone[1]),
                    "the successor",
                )

    def _missing(self, moved: Moved, stratum: int) -> tuple[int, int] | None:
        """Return the keys of a move that leads to a state that is not closed; None without one."""
        for layer in np.unique(moved.layers).tolist():
            some = moved.layers == layer
            others = moved.others[some]
            gone = missing_from(others, self.states_of((layer, stratum)).keys)
            if gone >= 0:
                return int(moved.keys[some][gone]), int(others[gone])
        return None

    def _check_parents(self, place: Place, keys: Words, codes: Ints, fields: Any) -> None:
        form = self.form
        is_root = keys == np.uint64(form.root)
        if place[0] != form.root_layer:
            is_root[:] = False
        wrong = "a parent-move code stands for no move that can have led to the position"
        _none(is_root != (codes == form.first_code), keys, wrong)
        rest = ~is_root
        keys, codes = keys[rest], codes[rest]
        for moved in form.parents(keys, form.take_apart(keys), codes, place[0]):
            if moved is None:
                raise Refuted(wrong, _words(int(keys[0])))
            gone = self._missing(moved, place[1] - moved.strata)
            if gone is not None:
                raise Refuted(
                    "the parent of a closed position, by its parent-move code, is not closed",
                    _words(gone[0]),
                    _words(gone[1]),
                    "its parent by the parent-move code",
                )


def _words(key: int) -> tuple[int, int, int, int]:
    return key, 0, 0, 0


def _none(wrong: Flags, keys: Words, reason: str) -> None:
    """Raise Refuted, with the first of the states that are wrong, if any is."""
    found = np.flatnonzero(wrong)
    if found.size:
        raise Refuted(reason, _words(int(keys[found[0]])))
