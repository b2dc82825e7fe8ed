"""Looking up states of Klondike and its relatives among a store's closed ones, and ways to them."""

from __future__ import annotations

import numpy as np

from dbmsolver.core.blocks import find_key
from dbmsolver.core.patience_strata import signatures
from dbmsolver.errors import StoreError
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.search.trace import Step
from dbmsolver.keys.turning import with_turns
from dbmsolver.storage.blocks import Runs, read_block, read_checked_block
from dbmsolver.storage.patience_blocks import WORDS, PatienceIntake, strata_of
from dbmsolver.storage.records import number_of, parse_closed_key, stratum_prefix
from dbmsolver.storage.store import Store

_KEPT = 1 << 19
"""States of blocks that are kept in memory."""


class PatienceFinder:
    """Looks states up among the closed ones of a store."""

    def __init__(self, store: Store, keys: PatienceKeys) -> None:
        self.store = store
        self.keys = keys
        store.check_states = PatienceIntake(keys)
        self._blocks: dict[bytes, Runs] = {}
        self._kept = 0
        self._checked: set[bytes] = set()
        self._near = 0
        self._layers = sorted({parse_closed_key(key).layer for key in store.keys(b"C")})
        self._records: dict[tuple[int, int], list[bytes]] = {}

    def code(self, key: int) -> int | None:
        """Return the parent-move code of a closed state; None if it is not among them."""
        words = self.keys.words(key)
        stratum = int(strata_of(self.keys, words[None, :])[0])
        found = np.zeros(1, np.uint64)
        signatures(self.keys.tables, words[None, :], found)
        # The parent of a state is in its layer or one not far below, and was closed before it.
        for layer in sorted(self._layers, key=lambda layer: abs(layer - self._near)):
            for record in self._of(layer, stratum):
                parsed = parse_closed_key(record)
                if not parsed.first <= int(found[0]) <= parsed.last:
                    continue
                runs = self._block(record)
                run = int(np.searchsorted(runs.signatures, found[0]))
                if run == runs.signatures.size or runs.signatures[run] != found[0]:
                    continue
                end = int(runs.counts[: run + 1].sum())
                start = end - int(runs.counts[run])
                place = int(find_key(runs.keys[WORDS * start : WORDS * end], WORDS, *words))
                if place >= 0:
                    self._near = layer
                    return int(runs.codes[start + place])
        return None

    def _of(self, layer: int, stratum: int) -> list[bytes]:
        if (layer, stratum) not in self._records:
            prefix = stratum_prefix(b"C", layer, stratum)
            keys = self.store.keys(prefix)
            self._records[layer, stratum] = sorted(keys, key=number_of, reverse=True)
        return self._records[layer, stratum]

    def _block(self, record: bytes) -> Runs:
        if record in self._blocks:
            return self._blocks[record]
        if record in self._checked:
            runs = read_checked_block(self.store, record)
        else:
            runs = read_block(self.store, record)
            self._checked.add(record)
        self._kept += runs.codes.size
        while self._blocks and self._kept > _KEPT:
            self._kept -= self._blocks.pop(next(iter(self._blocks))).codes.size
        self._blocks[record] = runs
        return runs

    def steps_to(self, key: int, code: int | None = None) -> list[Step] | None:
        """Return the steps by which the search came from the deal to a state.

        None if it did not come there. ``code`` is the state's own parent-move code where it is not
        in the store (the goal). StoreError if a parent is missing. Turns of the stock are steps.
        """
        where = str(self.store.path)
        code = self.code(key) if code is None else code
        if code is None:
            return None
        plays: list[Step] = []
        while key != self.keys.root:
            if code is None or not self.keys.is_code(code):
                raise StoreError("a parent is missing among the closed states", where)
            plays.append((self.keys.card_of(code), self.keys.place(key, code)))
            key = self.keys.parent(key, code)
            code = self.code(key)
            if len(plays) > 1_000_000:
                raise StoreError("the parent-move codes run in a circle", where)
        if code is None:
            raise StoreError("the deal is missing among the closed states", where)
        steps = with_turns(self.keys.deal, plays[::-1])
        if steps is None:
            raise StoreError("a move of the records is not legal", where)
        return steps

    def is_closed(self, position: Position) -> bool:
        """Return whether :meth:`closed_before` finds a closed position."""
        return self.closed_before(position) is not None

    def closed_before(self, position: Position) -> int | None:
        """Return the key of a closed position from which turning the stock alone leads to this.

        It may be the position itself. None if there is none.
        """
        assert isinstance(position, Patience)
        for key in self.keys.before_turning(position):
            if self.code(key) is not None:
                return key
        return None
