"""Checks that read block by block: each block is checked once in each part, with what is near it.

A made-up check notes what it is asked for. Nothing is asked of the states in its blocks.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable
from threading import Lock
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import pytest
import zstandard

from dbmsolver.errors import StoreError
from dbmsolver.storage.binding import bound, with_content_hash
from dbmsolver.storage.records import BlockKey, closed_key, parse_closed_key
from dbmsolver.verify.blockwise import BlockwiseCheck
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.sample import sampled

BLOCKS = ((0, 0, 3), (0, 1, 5), (1, 1, 2), (1, 4, 11), (2, 4, 1), (2, 3, 6))
"""Layer, stratum and states of each block."""
STATES = 28
IDENTITY = bytes(range(8))
DIGEST = (1 << 64) - 5
"""The digest that each block is said to have."""


def block(key: bytes, states: int) -> bytes:
    """Return a block of one signature, 1, whose states have only zeros."""
    body = zstandard.compress(struct.pack("<QQ", 1, states) + bytes(9 * states))
    rest = struct.pack("<BBBBIQ", 6, 1, 1, 0, 1, states) + body
    return bound(with_content_hash(rest), IDENTITY + key)


def stored(*more: tuple[int, int, int], counted: int = STATES) -> Any:
    """Return what a check sees of a store with the blocks, and perhaps more."""
    data = {}
    for number, (layer, stratum, states) in enumerate((*BLOCKS, *more)):
        key = closed_key(b"C", BlockKey(layer, stratum, 1, 1, number))
        data[key] = block(key, states)
    return SimpleNamespace(
        path="store",
        manifest=SimpleNamespace(states=counted - 1, forced=1, id=IDENTITY.hex()),
        keys=lambda prefix: list(data),
        read=data.__getitem__,
    )


class States:
    """The states of some blocks, as long as they are in memory."""

    def __init__(self, keys: list[bytes]) -> None:
        self.keys = keys


class Noted(BlockwiseCheck[None, int, States]):
    """A check by strata; the next stratum is near."""

    code_bytes, key_words, state_bytes = 1, 1, 100

    def __init__(self, *args: Any, **more: Any) -> None:
        self.roots: list[int] = []
        self.loads: list[tuple[int, int]] = []
        self.checks: Counter[tuple[int, bytes]] = Counter()
        self.there: WeakSet[States] = WeakSet()
        self.most_there = 0
        self.guard = Lock()
        super().__init__(*args, **more)

    def group_of(self, layer: int, stratum: int) -> int:
        return stratum

    def near(self, group: int) -> Iterable[int]:
        return group, group + 1

    def load(self, keys: list[bytes]) -> States:
        strata = {parse_closed_key(key).stratum for key in keys}
        self.loads.append((self.part, min(strata, default=-1)))
        states = States(keys)
        self.there.add(states)
        self.most_there = max(self.most_there, len(self.there))
        return states

    def check_root(self) -> None:
        self.roots.append(self.part)

    def check_block(self, group: int, key: bytes) -> int:
        after = self.states_of(group + 1).keys
        assert {parse_closed_key(other).stratum for other in after} <= {group + 1}
        with self.guard:
            self.checks[self.part, key] += 1
        return DIGEST


@pytest.mark.parametrize("threads", [1, 2, 9])
@pytest.mark.parametrize("parts", [1, 3])
def test_each_block_is_checked_once_in_each_part(threads: int, parts: int) -> None:
    """States are counted in the first part; groups stay in memory for those before them."""
    # Strata 3 and 4 have most states together, 18, of 100 bytes each.
    check = Noted(stored(), None, threads, 1 << 20 if parts == 1 else 0)
    check.parts = parts
    list(check.run())
    assert check.roots == list(range(parts))
    assert check.checks == Counter((part, key) for part in range(parts) for key in check.keys)
    assert check.loads == [
        (part, stratum) for part in range(parts) for stratum in (0, 1, -1, 3, 4, -1)
    ]
    assert check.most_there == 2
    assert check.counts == {(layer, stratum): states for layer, stratum, states in BLOCKS}
    assert check.states == check.all_states == STATES
    assert check.digest == -5 * len(BLOCKS) % (1 << 64)


@pytest.mark.parametrize(
    ("memory", "threads", "parts"),
    [
        # The largest block has 115 bytes; four times that for each thread, and for one more.
        (1800 + 920, 1, 1),
        (1799 + 920, 1, 2),
        (900 + 920, 1, 2),
        (899 + 920, 1, 3),
        (1800 + 1380, 2, 1),
        (1799 + 1380, 2, 2),
        (1200, 1, 6),  # a fourth part of the memory at least
        (1200, 9, 6),
        (0, 1, 8),  # 256 bytes at least
    ],
)
def test_parts_fit_into_the_memory(memory: int, threads: int, parts: int) -> None:
    assert Noted(stored(), None, threads, memory).parts == parts


def test_a_sample_of_blocks() -> None:
    """Only these are checked, and counted."""
    check = Noted(stored(), None, 2, 1 << 20, 0.5, 3)
    assert (check.whole, len(check.chosen)) == (False, 3)
    assert check.chosen == sampled(check.keys, 0.5, 3) != sampled(check.keys, 0.5, 0)
    list(check.run())
    assert check.checks == Counter((0, key) for key in check.chosen)
    assert check.states == sum(check.claimed[key] for key in check.chosen)
    assert check.digest == -15 % (1 << 64)
    assert Noted(stored(), None, 2, 1 << 20).whole


def test_no_states_of_a_part_are_left_in_the_next() -> None:
    """Where all groups are near each other, too, they are loaded anew."""

    class Near(Noted):
        def near(self, group: int) -> Iterable[int]:
            return range(7)

    check = Near(stored(), None, 1, 1 << 20)
    check.parts = 3
    list(check.run())
    assert check.loads == [(part, stratum) for part in range(3) for stratum in (0, 1, -1, 3, 4, -1)]


def test_far_more_states_than_were_counted() -> None:
    """Twice as many, and 65,536 more, may be an error that the check itself finds."""
    for more, fits in ((65_536, True), (65_537, False)):
        store = stored((9, 9, more - STATES + 20), counted=10)
        if fits:
            assert Noted(store, None, 1, 1 << 30).all_states == 65_556
            continue
        with pytest.raises(Refuted) as caught:
            Noted(store, None, 1, 1 << 30)
        assert caught.value.reason == "blocks claim 65,557 states, and 10 were counted"


def test_an_error_in_any_block_ends_the_check() -> None:
    """Also one of the last blocks, which are waited for at the end of their group."""

    class Failing(Noted):
        wrong = 0

        def check_block(self, group: int, key: bytes) -> int:
            if key == self.keys[self.wrong]:
                raise Refuted("it is wrong")
            return super().check_block(group, key)

    for number in range(len(BLOCKS)):
        for threads in (1, 9):
            check = Failing(stored(), None, threads, 1 << 20)
            check.wrong = number
            with pytest.raises(Refuted, match="it is wrong"):
                list(check.run())


def test_keys_of_another_width() -> None:
    class Wide(Noted):
        key_words = 3

    check = Noted(stored(), None, 1, 1 << 20)
    directory, body = check.read(check.keys[0])
    assert (directory.counts.tolist(), body.words) == ([3], 1)
    wide = Wide(stored(), None, 1, 1 << 20)
    with pytest.raises(StoreError, match="the block's keys have a width that cannot be"):
        wide.read(wide.keys[0])
