"""The check of a block, given its key and its deal, before it is worked with.

A checksum tells that a block is unchanged, not that it makes sense. Kernels index tables by the
numbers in a block and check nothing.
"""

from __future__ import annotations

from dbmsolver.errors import StoreError
from dbmsolver.kernels.runs import keys_fit, progress_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.storage.blocks import Runs


class Intake:
    """The check of the blocks of one deal's store."""

    def __init__(self, codec: StateCodec) -> None:
        self.codec = codec

    def __call__(self, key: bytes, runs: Runs, where: str) -> None:
        """Raise StoreError, naming ``where``, if a block with this key cannot have these states."""
        wrong = self._wrong(key, runs)
        if wrong is not None:
            raise StoreError(f"the block is wrong: {wrong}", where)

    def _wrong(self, key: bytes, runs: Runs) -> str | None:
        signatures, keys = runs.signatures, self.codec
        if not keys.are_signatures(signatures):
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
        if key[:1] == b"C" and runs.extra is not None:
            return "numbers that only pending states have"
        if not keys_fit(keys.tables, signatures, runs.counts, runs.key_words, runs.keys):
            return "keys that cannot be"
        if not keys.are_keys(runs.keys):
            return "keys that cannot be"
        if not keys.have_signatures(runs.keys, signatures, runs.counts):
            return "keys of other signatures"
        return None
