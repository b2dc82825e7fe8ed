"""The check of a block, given its key and its deal, before it is worked with.

A checksum tells that a block is unchanged, not that it makes sense. Kernels index tables by the
numbers in a block and check nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dbmsolver.errors import StoreError
from dbmsolver.kernels.runs import keys_fit, progress_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Method
from dbmsolver.storage.blocks import Runs

if TYPE_CHECKING:
    from dbmsolver.kits.klondike.keys import PatienceKeys


def intake_of(keys: StateCodec | PatienceKeys) -> Callable[[bytes, Runs, str], None]:
    """Return the check of the blocks of a deal's store; its arguments are those of `Intake`."""
    if keys.rules.is_patience and keys.method == Method.EVERY_POSITION:
        from dbmsolver.storage.patience_blocks import PatienceIntake

        of_positions: Any = getattr(keys, "keys", keys)  # those of a proof's states have them
        return PatienceIntake(of_positions)
    assert isinstance(keys, StateCodec)
    return Intake(keys)


class Intake:
    """The check of the blocks of one deal's store."""

    def __init__(self, codec: StateCodec) -> None:
        self.codec = codec
        self._fields = codec.most_in_fields()
        self._used = sum(mask << shift for shift, mask, _ in self._fields)

    def __call__(self, key: bytes, runs: Runs, where: str) -> None:
        """Raise StoreError, naming ``where``, if a block with this key cannot have these states."""
        wrong = self._wrong(key, runs)
        if wrong is not None:
            raise StoreError(f"the block is wrong: {wrong}", where)

    def _wrong(self, key: bytes, runs: Runs) -> str | None:
        signatures, keys = runs.signatures, self.codec
        before_goal = keys.before_goal(signatures)
        if (before_goal & ~np.uint64(self._used)).any():
            return "signatures that cannot be"
        for shift, mask, most in self._fields:
            if (((before_goal >> np.uint64(shift)) & np.uint64(mask)) > np.uint64(most)).any():
                return "signatures that cannot be"
        stratum = int.from_bytes(key[1:5] if keys.layered_strata else key[3:5], "big")
        if (progress_of(keys.tables, signatures, keys.locked) != stratum).any():
            return "signatures of another stratum"
        if key[:1] in (b"C", b"A"):
            first, last = (int.from_bytes(key[place : place + 8], "big") for place in (5, 13))
            if int(signatures.min()) != first or int(signatures.max()) != last:
                return "signatures that its key does not name"
        if runs.codes.dtype != keys.code_type or int(runs.codes.max()) >= keys.codes:
            return "parent-move codes that cannot be"
        if not keys_fit(keys.tables, signatures, runs.counts, runs.key_words, runs.keys):
            return "keys that cannot be"
        return None if keys.are_keys(runs.keys) else "keys that cannot be"
