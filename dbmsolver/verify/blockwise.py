"""The skeleton of checks of stores that are read block by block.

Closed states are in groups: by stratum, or by layer and stratum. A group is in memory, together
with those that its moves lead to, while its blocks are checked. Where these are too many for the
memory, a hash divides all states into *parts*, and the check is made once for each part: every time
all states are laid out, but only those of the part are in memory, and what leads to another part is
passed over. So each state is looked up in one of the passes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import ClassVar, Generic, TypeVar

from dbmsolver.errors import StoreError
from dbmsolver.storage.records import describe, parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Directory, claimed_by, read_block
from dbmsolver.verify.claim import Pace, Progress
from dbmsolver.verify.kernels.blocks import Body
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.sample import sampled

_FEW = 1 << 16
"""States that may be too many for the counts: the check itself says where, not the counts."""
_BLOCK_TIMES = 4
"""The memory that a block takes while it is read, in sizes of its body."""
_LEAST_MEMORY = 1 << 8
"""The memory of states that a pass has at least, in bytes."""


FormT = TypeVar("FormT")
GroupT = TypeVar("GroupT", int, tuple[int, int])
StatesT = TypeVar("StatesT")


class BlockwiseCheck(ABC, Generic[FormT, GroupT, StatesT]):
    """A check of one store that reads one block after the other.

    ``form`` describes the keys of the deal. ``sample`` is the share of blocks whose states are
    checked; ``seed`` decides which ones. ``memory`` bytes are for states and for blocks that are
    being read. A subclass says how many bytes a parent-move code has (``code_bytes``), how many
    words a local key has (``key_words``), and how many bytes a state takes in the table in which
    states are looked up (``state_bytes``).
    """

    code_bytes: ClassVar[int]
    key_words: ClassVar[int]
    state_bytes: ClassVar[int]

    def __init__(
        self,
        store: Store,
        form: FormT,
        threads: int,
        memory: int,
        sample: float | None = None,
        seed: int | None = None,
    ) -> None:
        self.store = store
        self.form = form
        self.threads = threads
        self.keys = store.keys(b"C")
        self.groups: dict[GroupT, list[bytes]] = {}
        for key in self.keys:
            place = parse_closed_key(key)
            self.groups.setdefault(self.group_of(place.layer, place.stratum), []).append(key)
        self.chosen = sampled(self.keys, sample, seed)
        self.whole = sample is None
        self.counts: Counter[tuple[int, int]] = Counter()
        self.digest = 0
        self._loaded: dict[GroupT, StatesT] = {}
        self._lock = Lock()
        claims = [claimed_by(store, self.code_bytes, key) for key in self.keys]
        self.claimed = {key: states for key, (states, _) in zip(self.keys, claims, strict=True)}
        self.all_states = sum(self.claimed.values())
        self._check_counts()
        self.part, self.parts = 0, self._parts(memory, max((size for _, size in claims), default=0))

    @abstractmethod
    def group_of(self, layer: int, stratum: int) -> GroupT:
        """Return the group that states of a layer and stratum are in."""

    @abstractmethod
    def near(self, group: GroupT) -> Iterable[GroupT]:
        """Return the groups that are in memory while one of them is checked, itself among them."""

    @abstractmethod
    def load(self, keys: list[bytes]) -> StatesT:
        """Return the states of a group's blocks, in this part; Refuted if one is there twice."""

    @abstractmethod
    def check_root(self) -> None:
        """Raise Refuted if the deal is in this part, and not closed."""

    @abstractmethod
    def check_block(self, group: GroupT, key: bytes) -> int:
        """Check the states of a block; return their digest, or raise Refuted."""

    def run(self) -> Generator[Progress, None, None]:
        """Check everything, or raise Refuted."""
        pace, done, all_blocks = Pace(), 0, len(self.chosen) * self.parts
        last = max((parse_closed_key(key).stratum for key in self.keys), default=0)
        with ThreadPoolExecutor(self.threads) as pool:
            for part in range(self.parts):
                self.part = part
                self._loaded.clear()
                self.check_root()
                for group in sorted(self.groups):
                    self._keep_near(group)
                    for key, digest in self._check_group(pool, group):
                        done += 1
                        place = parse_closed_key(key)
                        if part == 0:
                            self.counts[place.layer, place.stratum] += self.claimed[key]
                            self.digest = (self.digest + digest) & 0xFFFFFFFFFFFFFFFF
                        if pace.due():
                            share = done / all_blocks
                            yield Progress("checking", place.stratum, last, self.states, 0, share)

    def _check_group(self, pool: ThreadPoolExecutor, group: GroupT) -> Iterator[tuple[bytes, int]]:
        """Check the chosen blocks of a group by all threads: yield each block and its digest."""
        keys = [key for key in self.groups[group] if key in self.chosen]
        if keys:
            self.states_of(group)  # no state is there twice
        ahead: list[tuple[bytes, Future[int]]] = []
        for key in keys:
            ahead.append((key, pool.submit(self.check_block, group, key)))
            if len(ahead) > self.threads:
                first, checked = ahead.pop(0)
                yield first, checked.result()
        for key, checked in ahead:
            yield key, checked.result()

    @property
    def states(self) -> int:
        """States checked."""
        return self.counts.total()

    def states_of(self, group: GroupT) -> StatesT:
        """Return the states of a group in this part, which stay in memory for those near it."""
        with self._lock:
            if group not in self._loaded:
                self._loaded[group] = self.load(self.groups.get(group, []))
            return self._loaded[group]

    def _keep_near(self, group: GroupT) -> None:
        """Drop the states of all groups that are not near one."""
        for old in set(self._loaded).difference(self.near(group)):
            del self._loaded[old]

    def read(self, key: bytes) -> tuple[Directory, Body]:
        """Return the signatures and states of a block; StoreError if they cannot be."""
        directory, body = read_block(self.store, self.code_bytes, key)
        if body.words != self.key_words:
            where = f"{self.store.path}: {describe(key)}"
            raise StoreError("the block's keys have a width that cannot be", where)
        return directory, body

    def _check_counts(self) -> None:
        """Raise Refuted if blocks claim far more states than were counted; unpack none of these."""
        manifest = self.store.manifest
        states, counted = self.all_states, manifest.states + manifest.forced
        if states > 2 * counted + _FEW:
            raise Refuted(f"blocks claim {states:,} states, and {counted:,} were counted")

    def _parts(self, memory: int, block: int) -> int:
        """Return the number of parts; the largest block has ``block`` bytes."""
        states: Counter[GroupT] = Counter()
        for group, keys in self.groups.items():
            states[group] = sum(self.claimed[key] for key in keys)
        together = (sum(states[other] for other in self.near(group)) for group in states)
        needed = self.state_bytes * max(together, default=0)
        blocks = _BLOCK_TIMES * block * (self.threads + 1)
        there = max(memory - blocks, memory // 4, _LEAST_MEMORY)
        return max(-(-needed // there), 1)
