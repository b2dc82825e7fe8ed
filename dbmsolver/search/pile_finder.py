"""States of a game of one pile among the closed ones of a store, and the ways to them."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.pile import NOTHING, TOP
from dbmsolver.core.tables import PLACE_HOME
from dbmsolver.errors import StoreError
from dbmsolver.keys.piles import PileKeys
from dbmsolver.search.trace import Step
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.pile_blocks import HALF, PileIntake, Words, from_runs
from dbmsolver.storage.records import parse_closed_key, stratum_prefix
from dbmsolver.storage.store import Store

_KEPT = 1 << 23
"""States of blocks that are kept in memory."""


class PileFinder:
    """A finder of states among the closed ones of a store."""

    def __init__(self, store: Store, keys: PileKeys) -> None:
        self.store = store
        self.keys = keys
        store.check_states = PileIntake(keys)
        self._blocks: dict[bytes, tuple[Words, Words]] = {}
        self._kept = 0
        self._layers = sorted({parse_closed_key(key).layer for key in store.keys(b"C")})
        self._records: dict[tuple[int, int], list[bytes]] = {}

    def code(self, key: int) -> int | None:
        """Return the parent-move code of a closed state, None if it is not among them."""
        stratum = int(self.keys.strata(np.array([key], np.uint64))[0])
        for layer in self._layers:
            if (layer, stratum) not in self._records:
                prefix = stratum_prefix(b"C", layer, stratum)
                self._records[layer, stratum] = self.store.keys(prefix)
            for record in self._records[layer, stratum]:
                parsed = parse_closed_key(record)
                if not parsed.first <= key >> HALF <= parsed.last:
                    continue
                keys, codes = self._block(record)
                place = int(np.searchsorted(keys, np.uint64(key)))
                if place < keys.size and int(keys[place]) == key:
                    return int(codes[place])
        return None

    def _block(self, record: bytes) -> tuple[Words, Words]:
        if record not in self._blocks:
            runs = read_block(self.store, record)
            self._kept += runs.codes.size
            while self._blocks and self._kept > _KEPT:
                self._kept -= self._blocks.pop(next(iter(self._blocks)))[1].size
            self._blocks[record] = from_runs(runs), runs.codes
        return self._blocks[record]

    def steps_to(self, key: int, code: int | None = None) -> list[Step] | None:
        """Return the moves that led the search from the deal to a state; None without any.

        ``code`` is the state's own parent-move code where it is not in the store (the goal).
        StoreError if a parent is missing.
        """
        code = self.code(key) if code is None else code
        if code is None:
            return None
        steps: list[Step] = []
        while key != self.keys.root:
            steps.append((key & TOP, PLACE_HOME))
            fits = code is not None and code <= NOTHING and key & TOP != NOTHING
            if not fits or int(self.keys.tables.release[key & TOP]) == 0:
                raise StoreError(
                    "a parent is missing among the closed states", str(self.store.path)
                )
            assert code is not None
            key = self.keys.parent(key, code)
            code = self.code(key)
        if code is None:
            raise StoreError("the deal is missing among the closed states", str(self.store.path))
        return steps[::-1]
