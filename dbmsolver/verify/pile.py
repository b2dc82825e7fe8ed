"""The check of a store of a game of one pile.

Every move puts a card on the pile, so it takes two things for each closed state: that what follows
from it is closed, and that its parent is, by a legal move. Then no chain of parents has a ring, and
each ends at the deal. Where the claim is a shortest solution, what follows matters only
in the layers below its length: each card in a column makes one move, so layers are lower bounds.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from dbmsolver.errors import StoreError
from dbmsolver.storage.records import describe
from dbmsolver.verify.blocks import read_block
from dbmsolver.verify.blockwise import BlockwiseCheck, Place
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.kernels.pile import hash_sum, missing_from, unpack_keys
from dbmsolver.verify.pile_format import CODE_BYTES, FIRST, Flags, Ints, PileFormat, Taken, Words
from dbmsolver.verify.refutation import Refuted

_UNIT = 1 << 16
"""States that are looked at together."""


class PileStates(NamedTuple):
    """Closed states, in ascending order."""

    keys: Words
    codes: Ints


class PileCheck(BlockwiseCheck[PileFormat, Place, PileStates]):
    """The check of one store; :meth:`run` carries it out, or raises Refuted."""

    code_bytes = CODE_BYTES
    state_bytes = 64

    def most_together(self, states: dict[Place, int]) -> int:
        """Return the most states that a layer and stratum and all next to it have."""
        near = (-1, 0, 1)
        return max(
            (
                sum(states.get((layer + x, stratum + y), 0) for x in near for y in near)
                for layer, stratum in states
            ),
            default=0,
        )

    def run(self) -> Generator[Progress, None, None]:
        """Check everything."""
        pace = Pace()
        root = np.array([self.form.root], np.uint64)
        taken = self.form.take(root)
        home = (self._layer(taken), int(self.form.strata(taken)[0]))
        if missing_from(root, self._states(home).keys) >= 0:
            reason = "the deal is not among the closed positions"
            raise Refuted(reason, _words(self.form.root))
        done = 0
        for place in sorted(self.blocks):
            near = range(place[0] - 1, place[0] + 2), range(place[1] - 1, place[1] + 2)
            for old in [
                old for old in self.loaded if old[0] not in near[0] or old[1] not in near[1]
            ]:
                del self.loaded[old]
            everything = self._states(place)
            self.all_states += everything.keys.size
            for key in self.blocks[place]:
                done += 1
                if key in self.chosen:
                    self._check_block(place, key)
                if pace.due():
                    share = done / len(self.keys)
                    last = max(stratum for _, stratum in self.blocks)
                    yield Progress("checking", place[1], last, self.states, 0, share)

    def _layer(self, taken: Taken) -> int:
        """Return the layer of the first of some states; 0 in a proof."""
        return int(self.form.layers(taken)[0]) if self.layered else 0

    def _states(self, place: Place) -> PileStates:
        """Return all closed states of a layer and stratum; raise Refuted if one is there twice."""
        if place not in self.loaded:
            parts = [self._read(key) for key in self.blocks.get(place, [])]
            keys = np.concatenate([part.keys for part in parts] or [np.empty(0, np.uint64)])
            codes = np.concatenate([part.codes for part in parts] or [np.empty(0, np.int64)])
            order = np.argsort(keys, kind="stable")
            keys, codes = keys[order], codes[order]
            twice = np.flatnonzero(keys[1:] == keys[:-1])
            if twice.size:
                raise Refuted("a position is closed twice", _words(int(keys[twice[0]])))
            self.loaded[place] = PileStates(keys, codes)
        return self.loaded[place]

    def _read(self, key: bytes) -> PileStates:
        directory, body = read_block(self.store, CODE_BYTES, key)
        if body.words != 1:
            raise StoreError(
                "the block's keys have a width that cannot be",
                f"{self.store.path}: {describe(key)}",
            )
        keys = np.empty(body.states, np.uint64)
        cut, bits = self.form.cut, self.form.local_bits
        if not unpack_keys(directory.signatures, directory.counts, body, cut, bits, keys):
            raise Refuted(f"a key has more bits than it can have ({describe(key)})")
        return PileStates(keys, body.codes.astype(np.int64))

    def _check_block(self, place: Place, key: bytes) -> None:
        keys, codes = self._read(key)
        for start in range(0, keys.size, _UNIT):
            self._check(place, keys[start : start + _UNIT], codes[start : start + _UNIT])
        self.count(key, keys.size, int(hash_sum(keys)))

    def _check(self, place: Place, keys: Words, codes: Ints) -> None:
        form = self.form
        taken = form.take(keys)
        _none(~form.are_positions(keys, taken), keys, "a closed key is no position of the deal")
        _none(
            form.strata(taken) != place[1], keys, "a closed position is in another stratum's block"
        )
        if self.layered:
            _none(
                form.layers(taken) != place[0],
                keys,
                "a closed position is in another layer's block",
            )
        elif place[0]:
            raise Refuted("a proof has no layers", _words(int(keys[0])))
        _none(form.are_won(taken), keys, "a closed position is a goal")
        self._check_parents(place, keys, codes, taken)
        if self.length is None or place[0] < self.length:
            self._check_successors(place, keys, taken)

    def _check_successors(self, place: Place, keys: Words, taken: Taken) -> None:
        layer, stratum = place
        for number, (left, pile) in enumerate(zip(taken.left, self.form.piles, strict=True)):
            if not pile:
                continue
            cards = np.array([-8, *pile], np.int64)[left]
            moves = left > 0
            following = layer
            if number < self.form.columns:
                moves &= self.form.may_go_on(cards, taken.top)
            elif self.layered:
                following += 1
                if self.length is not None and following >= self.length:
                    continue
            before = keys[moves]
            after = self.form.without(before, number, cards[moves])
            place = following, stratum + self.form.is_counted(number)
            gone = missing_from(after, self._states(place).keys)
            if gone >= 0:
                raise Refuted(
                    "a successor of a closed position is not closed",
                    _words(int(before[gone])),
                    _words(int(after[gone])),
                    "the successor",
                )

    def _check_parents(self, place: Place, keys: Words, codes: Ints, taken: Taken) -> None:
        form = self.form
        is_root = keys == np.uint64(form.root)
        wrong = "a parent-move code stands for no move that can have led to the position"
        _none(is_root != (codes == FIRST), keys, wrong)
        rest = ~is_root
        keys, codes, tops = keys[rest], codes[rest], taken.top[rest]
        source = form.source[tops]
        turned = source == form.columns
        _none((codes > FIRST) | ~(turned | form.may_go_on(tops, codes)), keys, wrong)
        parents = form.before(keys, tops, codes)
        layer, stratum = place
        first = source < form.first
        below = (layer, stratum), (layer, stratum - 1), (layer - self.layered, stratum - 1)
        for some, before in zip((~turned & ~first, first, turned), below, strict=True):
            if not some.any():
                continue
            gone = missing_from(parents[some], self._states(before).keys)
            if gone >= 0:
                raise Refuted(
                    "the parent of a closed position, by its parent-move code, is not closed",
                    _words(int(keys[some][gone])),
                    _words(int(parents[some][gone])),
                    "its parent by the parent-move code",
                )


def _words(key: int) -> tuple[int, int, int, int]:
    return key, 0, 0, 0


def _none(wrong: Flags, keys: Words, reason: str) -> None:
    """Raise Refuted, with the first of the states that are wrong, if any is."""
    found = np.flatnonzero(wrong)
    if found.size:
        raise Refuted(reason, _words(int(keys[found[0]])))
