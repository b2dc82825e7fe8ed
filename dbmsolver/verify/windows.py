"""Windows: the strata of a store that are in memory together."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from dbmsolver.errors import SystemRefusedError
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import claimed_by
from dbmsolver.verify.kernels.closed_set import MOST_STATES
from dbmsolver.verify.refutation import Refuted

_FEW = 1 << 16
"""Blocks may claim this many states beyond twice those counted; then the check itself says what is
wrong."""


class StoredBlock(NamedTuple):
    """A closed block: its key in the store, its layer and stratum, and its states."""

    key: bytes
    layer: int
    stratum: int
    states: int


@dataclass(frozen=True)
class Window:
    """Strata that are in memory together, and the parts that their states are divided into.

    The states of all ``blocks`` are numbered in this order: ``firsts`` has the first number of each
    block, by its key, and ``ranges`` the first number of each stratum, and the next one after it.
    The states of the strata ``checked`` are checked.
    """

    checked: list[int]
    parts: int
    blocks: list[StoredBlock]
    firsts: dict[bytes, int]
    ranges: dict[int, tuple[int, int]]
    states: int


class Catalog:
    """The closed blocks of a store, by what their keys and headers say.

    ``code_bytes`` are the bytes of a parent-move code. Refuted if blocks claim far more states than
    were counted: none of these is unpacked.
    """

    def __init__(self, store: Store, code_bytes: int) -> None:
        self.blocks: list[StoredBlock] = []
        self.strata: dict[int, list[StoredBlock]] = {}
        self._states: Counter[int] = Counter()
        """By stratum."""
        self.largest = 0
        """Bytes of the largest block's body."""
        for key in store.keys(b"C"):
            states, size = claimed_by(store, code_bytes, key)
            place = parse_closed_key(key)
            self.blocks.append(StoredBlock(key, place.layer, place.stratum, states))
            self.strata.setdefault(place.stratum, []).append(self.blocks[-1])
            self._states[place.stratum] += states
            self.largest = max(self.largest, size)
        self.states = self._states.total()
        counted = store.manifest.states + store.manifest.forced
        if self.states > 2 * counted + _FEW:
            raise Refuted(f"blocks claim {self.states:,} states, and {counted:,} were counted")

    def windows(
        self, strata: set[int], lift: int | None, state_bytes: int, memory: int
    ) -> Iterator[Window]:
        """Yield windows that check some strata, in ascending order, in as few windows as may be.

        Moves lead ``lift`` strata upwards at most, None for any number. A state takes
        ``state_bytes`` in memory. SystemRefusedError for more states than can be numbered.
        """
        left = sorted(strata)
        highest = max(self.strata)
        while left:
            number = len(left) if lift is None else 1
            last = highest if lift is None else left[0] + lift
            needed = state_bytes * self._states_between(left[0], last)
            while number < len(left) and lift is not None:
                more = state_bytes * self._states_between(left[0], left[number] + lift)
                if more > memory:
                    break
                last, needed, number = left[number] + lift, more, number + 1
            yield self._window(left[:number], last, max(-(-needed // memory), 1))
            del left[:number]

    def sample(self, share: float | None, seed: int | None) -> set[StoredBlock]:
        """Return a ``share`` of the blocks, at least one if there are any; all if it is None.

        They are chosen by ``seed``.
        """
        if share is None or not self.blocks:
            return set(self.blocks)
        number = min(len(self.blocks), max(1, round(share * len(self.blocks))))
        return set(random.Random(seed).sample(self.blocks, number))

    def _states_between(self, first: int, last: int) -> int:
        """Return the states of the strata from ``first`` to ``last``."""
        return sum(self._states[stratum] for stratum in range(first, last + 1))

    def _window(self, checked: list[int], last: int, parts: int) -> Window:
        blocks: list[StoredBlock] = []
        firsts, ranges, states = {}, {}, 0
        for stratum in range(checked[0], last + 1):
            begin = states
            for block in self.strata.get(stratum, ()):
                blocks.append(block)
                firsts[block.key] = states
                states += block.states
            ranges[stratum] = begin, states
        if states > MOST_STATES:
            raise SystemRefusedError(f"{states:,} states are too many to be numbered")
        return Window(checked, parts, blocks, firsts, ranges, states)
