"""The parts common to the checks of games that are searched without signatures and planes."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from dbmsolver.errors import UndecidedError
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import claimed_by
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.sample import sampled

Place = tuple[int, int]
"""Layer and stratum."""
_FEW = 1 << 16
"""States that may be too many for the counts: the check itself says where, not the counts."""
_BLOCK_TIMES = 4
"""The memory that a block takes while it is read, in sizes of its body."""


FormT = TypeVar("FormT")
WhereT = TypeVar("WhereT")
StatesT = TypeVar("StatesT")


class BlockwiseCheck(Generic[FormT, WhereT, StatesT]):
    """A check of one store, block by block, by a deal's ``form``.

    ``length`` is that of the shortest solution claimed, None where the claim is that there is none.
    ``layered`` says whether the states are those of a search for a shortest solution. ``sample`` is
    the share of blocks whose states are checked, chosen at random by ``seed``. ``memory`` are the
    bytes that the check may take: UndecidedError if it needs more. ``code_bytes`` is the width of
    codes, ``state_bytes`` what a state takes while states are looked up among others.
    """

    code_bytes: ClassVar[int]
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
        self.blocks: dict[Place, list[bytes]] = {}
        for key in self.keys:
            place = parse_closed_key(key)
            self.blocks.setdefault((place.layer, place.stratum), []).append(key)
        self.chosen = sampled(self.keys, sample, seed)
        self.whole = sample is None
        self.tally: dict[Place, int] = {}
        self.digest = 0
        self.all_states = 0
        self.loaded: dict[WhereT, StatesT] = {}
        claims = [claimed_by(store, self.code_bytes, key) for key in self.keys]
        self._check_counts(sum(states for states, _ in claims))
        if memory is not None:
            self._check_memory(claims, memory)

    def _check_counts(self, states: int) -> None:
        """Raise Refuted if blocks claim far more states than were counted; unpack none of these."""
        manifest = self.store.manifest
        counted = manifest.states + manifest.forced
        if states > 2 * counted + _FEW:
            raise Refuted(f"blocks claim {states:,} states, and {counted:,} were counted")

    def _check_memory(self, claims: list[tuple[int, int]], memory: int) -> None:
        """Raise UndecidedError if the check needs more memory: nothing is unpacked before."""
        states: dict[Place, int] = {}
        for key, (number, _) in zip(self.keys, claims, strict=True):
            place = parse_closed_key(key)
            row = (place.layer, place.stratum)
            states[row] = states.get(row, 0) + number
        block = max((size for _, size in claims), default=0)
        needed = self.state_bytes * self.most_together(states) + _BLOCK_TIMES * block
        if needed > memory:
            raise UndecidedError(
                f"the check needs {-(-needed >> 20)}M of memory, expected --memory of so much",
                str(self.store.path),
            )

    def most_together(self, states: dict[Place, int]) -> int:
        """Return how many states are in memory at once; ``states`` counts those of each place.

        A place is a layer and a stratum.
        """
        raise NotImplementedError

    @property
    def states(self) -> int:
        """States checked."""
        return sum(self.tally.values())

    def count(self, key: bytes, states: int, digest: int) -> None:
        """Count a block whose states have been checked."""
        place = parse_closed_key(key)
        row = (place.layer, place.stratum)
        self.tally[row] = self.tally.get(row, 0) + states
        self.digest = (self.digest + digest) & 0xFFFFFFFFFFFFFFFF
