"""What the checks of games have in common that are searched without signatures and planes."""

from __future__ import annotations

from typing import Generic, TypeVar

from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify.sample import sampled

Place = tuple[int, int]
"""Layer and stratum."""


FormT = TypeVar("FormT")
WhereT = TypeVar("WhereT")
StatesT = TypeVar("StatesT")


class BlockwiseCheck(Generic[FormT, WhereT, StatesT]):
    """A check of one store, block by block, by a deal's ``form``.

    ``length`` is that of the shortest solution claimed, None where the claim is that there is none.
    ``layered`` says whether the states are those of a search for a shortest solution. ``sample`` is
    the share of blocks whose states are checked, chosen at random by ``seed``.
    """

    def __init__(
        self,
        store: Store,
        form: FormT,
        length: int | None,
        layered: bool,
        sample: float | None = None,
        seed: int | None = None,
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
