"""Transactions of a store: changes that are committed together, and the seal over all records."""

from __future__ import annotations

from collections.abc import Callable

import lmdb

from dbmsolver.errors import InternalError
from dbmsolver.storage.binding import SEAL, bound, seal_of, share_of
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.records import (
    MANIFEST,
    SEAL_KEY,
    BlockKey,
    Closed,
    closed_key,
    describe,
    pending_key,
)

_MASK = (1 << 64) - 1


class Transaction:
    """A transaction of a store; see :meth:`dbmsolver.storage.store.Store.write`.

    ``total`` is the sum modulo 2**64 of the shares of all records; ``next_number`` returns a
    number that no record has had.
    """

    def __init__(
        self,
        txn: lmdb.Transaction,
        manifest: Manifest,
        total: int,
        next_number: Callable[[], int],
    ) -> None:
        self._txn = txn
        self.manifest = manifest
        self.total = total
        self._next_number = next_number
        self._id = bytes.fromhex(manifest.id)

    def _put_bound(self, key: bytes, data: bytes) -> None:
        data = bound(data, self._id + key)
        self.total = (self.total + share_of(key, data)) & _MASK
        self._txn.put(key, data)

    def put_closed(self, block: Closed, kind: bytes = b"C") -> bytes:
        """Store a block of closed states; returns its key."""
        key_fields = BlockKey(
            block.layer, block.stratum, block.first, block.last, self._next_number()
        )
        key = closed_key(kind, key_fields)
        self._put_bound(key, block.data)
        return key

    def put_pending(self, layer: int, stratum: int, data: bytes, kind: bytes = b"P") -> bytes:
        """Store a block of candidates; returns its key."""
        key = pending_key(kind, layer, stratum, self._next_number())
        self._put_bound(key, data)
        return key

    def delete(self, key: bytes) -> None:
        """Remove a record; InternalError if there is none."""
        value = self._txn.get(key)
        if value is None:
            raise InternalError(f"no record to remove: {describe(key)}")
        self._forget(key, value)
        self._txn.delete(key)

    def delete_all(self, prefix: bytes) -> None:
        """Remove every record whose key begins with ``prefix``."""
        cursor = self._txn.cursor()
        found = cursor.set_range(prefix)
        while found and bytes(cursor.key()).startswith(prefix):
            self._forget(bytes(cursor.key()), cursor.value())
            found = cursor.delete()

    def _forget(self, key: bytes, value: bytes | memoryview) -> None:
        """Take a record's share out of the sum."""
        self.total = (self.total - share_of(key, value)) & _MASK

    def put_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest."""
        self.manifest = manifest

    def seal(self) -> None:
        """Write the manifest and the seal over it and all records: the last change of all."""
        manifest = self.manifest.to_json()
        self._txn.put(MANIFEST, manifest)
        self._txn.put(SEAL_KEY, bytes(SEAL.size))  # the seal counts itself
        self._txn.put(SEAL_KEY, seal_of(manifest, self._txn.stat()["entries"], self.total))
