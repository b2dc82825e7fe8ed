"""The skeleton of checks of stores that are read block by block, without partitions.

Closed states are in groups: by stratum, or by layer and stratum. A group is in memory, together
with those that its moves lead to, while its blocks are checked.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import ClassVar, Generic, TypeVar

from dbmsolver.errors import StoreError, UndecidedError
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


FormT = TypeVar("FormT")
GroupT = TypeVar("GroupT", int, tuple[int, int])
StatesT = TypeVar("StatesT")


class BlockwiseCheck(Generic[FormT, GroupT, StatesT]):
    """A check of one store, block by block, by a deal's ``form``.

    ``length`` is that of the shortest solution claimed, None where the claim is that there is none.
    ``layered`` says whether the states are those of a search for a shortest solution. ``sample`` is
    the share of blocks whose states are checked, chosen at random by ``seed``. ``memory`` are the
    bytes that the check may take: UndecidedError if it needs more. ``code_bytes`` is the width of
    codes, ``key_words`` that of local keys, ``state_bytes`` what a state takes while states are
    looked up among others.
    """

    code_bytes: ClassVar[int]
    key_words: ClassVar[int]
    state_bytes: ClassVar[int]

    def __init__(
        self,
        store: Store,
        form: FormT,
        length: int | None,
        layered: bool,
        sample: float | None = None,
        seed: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.store = store
        self.form = form
        self.length = length
        self.layered = layered
        self.keys = store.keys(b"C")
        self.groups: dict[GroupT, list[bytes]] = {}
        for key in self.keys:
            place = parse_closed_key(key)
            self.groups.setdefault(self.group_of(place.layer, place.stratum), []).append(key)
        self.chosen = sampled(self.keys, sample, seed)
        self.whole = sample is None
        self.counts: dict[tuple[int, int], int] = {}
        self.digest = 0
        self.all_states = 0
        self._loaded: dict[GroupT, StatesT] = {}
        claims = [claimed_by(store, self.code_bytes, key) for key in self.keys]
        self._check_counts(sum(states for states, _ in claims))
        if memory is not None:
            self._check_memory(claims, memory)

    def group_of(self, layer: int, stratum: int) -> GroupT:
        """Return the group that states of a layer and stratum are in."""
        raise NotImplementedError

    def near(self, group: GroupT) -> Iterable[GroupT]:
        """Return the groups that are in memory while one of them is checked, itself among them."""
        raise NotImplementedError

    def load(self, keys: list[bytes]) -> StatesT:
        """Return the states of a group's blocks; raise Refuted if one is there twice."""
        raise NotImplementedError

    def check_root(self) -> None:
        """Raise Refuted if the deal is not closed."""
        raise NotImplementedError

    def check_blocks(self, group: GroupT) -> Iterator[tuple[bytes, int, int]]:
        """Check the blocks of a group that are chosen: yield each block, its states and digest.

        Of blocks that are not chosen, too, but with any digest. Raise Refuted for a wrong state.
        """
        raise NotImplementedError

    def run(self) -> Generator[Progress, None, None]:
        """Check everything, or raise Refuted."""
        self.check_root()
        pace, done = Pace(), 0
        last = max((parse_closed_key(key).stratum for key in self.keys), default=0)
        for group in sorted(self.groups):
            for key, states, digest in self.check_blocks(group):
                done += 1
                self.all_states += states
                place = parse_closed_key(key)
                if key in self.chosen:
                    row = (place.layer, place.stratum)
                    self.counts[row] = self.counts.get(row, 0) + states
                    self.digest = (self.digest + digest) & 0xFFFFFFFFFFFFFFFF
                if pace.due():
                    share = done / len(self.keys)
                    yield Progress("checking", place.stratum, last, self.states, 0, share)

    @property
    def states(self) -> int:
        """States checked."""
        return sum(self.counts.values())

    def states_of(self, group: GroupT) -> StatesT:
        """Return the states of a group, which stay in memory until `keep_near` drops them."""
        if group not in self._loaded:
            self._loaded[group] = self.load(self.groups.get(group, []))
        return self._loaded[group]

    def keep_near(self, group: GroupT) -> None:
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

    def _check_counts(self, states: int) -> None:
        """Raise Refuted if blocks claim far more states than were counted; unpack none of these."""
        manifest = self.store.manifest
        counted = manifest.states + manifest.forced
        if states > 2 * counted + _FEW:
            raise Refuted(f"blocks claim {states:,} states, and {counted:,} were counted")

    def _check_memory(self, claims: list[tuple[int, int]], memory: int) -> None:
        """Raise UndecidedError if the check needs more memory: nothing is unpacked before."""
        states: dict[GroupT, int] = {}
        for key, (number, _) in zip(self.keys, claims, strict=True):
            place = parse_closed_key(key)
            group = self.group_of(place.layer, place.stratum)
            states[group] = states.get(group, 0) + number
        together = (sum(states.get(other, 0) for other in self.near(group)) for group in states)
        block = max((size for _, size in claims), default=0)
        needed = self.state_bytes * max(together, default=0) + _BLOCK_TIMES * block
        if needed > memory:
            raise UndecidedError(
                f"the check needs {-(-needed >> 20)}M of memory, expected --memory of so much",
                str(self.store.path),
            )
