"""Commits: batches of records that one transaction writes.

Every commit is one transaction of the store. These rules make a store complete after each of them,
so that a search can be continued after a crash and ends with the same answer and the same counts:

* From the transaction that says "search" on, the deal itself is pending or closed. That transaction
  makes it pending (:mod:`dbmsolver.search.session`).
* Whatever follows from a closed state is closed or pending. So a batch holds the closed states, the
  counts that include them, what follows from them, and the removal of the candidates they came
  from.
* Records that are written between two commits, to free memory (:meth:`~dbmsolver.search.recorder.
  Recorder.spill`), come from states that are not yet closed in the store. They are scratch until
  the next commit takes them over: the manifest's `next` is the number of the first record that
  belongs to no commit. A run that is continued removes such records and makes them again.
* An error in the middle of a piece of work (a full disk, a damaged block) is followed by no commit:
  memory may hold half of a step. The last commit stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dbmsolver.search.candidates import Candidates
from dbmsolver.search.ledger import NOTHING, Entry
from dbmsolver.storage.binding import with_content_hash
from dbmsolver.storage.blocks import Runs, decode_block
from dbmsolver.storage.records import Closed
from dbmsolver.storage.store import Store
from dbmsolver.storage.transaction import Transaction


class Packed(NamedTuple):
    """A block that is not yet decoded: its bytes, its name in messages, what it is bound to."""

    data: bytes
    where: str
    place: bytes | None
    key: bytes = b""
    check: Callable[[bytes, Runs, str], None] | None = None

    def runs(self) -> Runs:
        """Return its states; StoreError, naming it, if it is damaged."""
        runs = decode_block(self.data, self.where, self.place)
        if self.check is not None:
            self.check(self.key, runs, self.where)
        return runs


@dataclass(eq=False, slots=True)
class BlockRef:
    """A block of closed states: with its bytes until it is written, then with its record's key."""

    block: Closed
    key: bytes | None = None
    kind: bytes = b"C"

    def fetch(self, store: Store) -> Packed:
        """Return the block, from memory or from the store.

        States that this process has written are not checked again, as in :func:`read_block`.
        """
        if self.key is None:
            return Packed(self.block.data, "closed states in memory", None)
        where, address = store.where(self.key), store.record_address(self.key)
        check = None if store.wrote(self.key) else store.check_states
        return Packed(store.read(self.key), where, address, self.key, check)


@dataclass(eq=False, slots=True)
class NewRecord:
    """A block of pending candidates on its way into the store.

    `entry` says what it adds to the manifest's `waiting`. `key` is its key once it is written.
    `candidates` are those that get the record when the transaction is committed.
    """

    layer: int
    stratum: int
    data: bytes
    kind: bytes = b"P"
    entry: Entry = NOTHING
    candidates: Candidates | None = None
    key: bytes = b""


@dataclass(eq=False, slots=True)
class CommitBatch:
    """The changes of the next transaction. Searches fill it while they work and hand it over.

    `cleared` are kinds of records of which all go. `pending` may be made while it is written, so
    that not all blocks are in memory at once. `done` are the signatures of the current stratum that
    are closed. `waiting` is the entry of the pending candidates that have a record already; None
    leaves the manifest's entry as it is. `fields` are put into the manifest.
    """

    blocks: list[BlockRef] = field(default_factory=list)
    deletions: list[bytes] = field(default_factory=list)
    cleared: list[bytes] = field(default_factory=list)
    pending: Iterable[NewRecord] = ()
    done: bytes = b""
    waiting: Entry | None = None
    fields: dict[str, Any] = field(default_factory=dict)

    def delete(self, key: bytes | None) -> None:
        """Remove a record, if there is one."""
        if key is not None:
            self.deletions.append(key)

    def drop(self, ref: BlockRef) -> None:
        """Remove a block of closed states, committed or not."""
        if ref.key is not None:
            self.deletions.append(ref.key)
        else:
            self.blocks.remove(ref)

    @property
    def block_bytes(self) -> int:
        """Size of the blocks of closed states."""
        return sum(len(ref.block.data) for ref in self.blocks)

    def write(self, txn: Transaction, layer: int, stratum: int) -> int:
        """Write all of it but the manifest; return the bytes of the blocks.

        Blocks and candidates get the keys of their records, and blocks give up their bytes. Where
        the transaction fails, the run ends (:meth:`~dbmsolver.storage.store.Store.write`).
        """
        for key in self.deletions:
            txn.delete(key)
        for kind in self.cleared:
            txn.delete_all(kind)
        written = 0
        for ref in self.blocks:
            written += len(ref.block.data)
            ref.key = txn.put_closed(ref.block, ref.kind)
            ref.block = ref.block._replace(data=b"")
        for record in self.pending:
            written += len(record.data)
            record.key = txn.put_pending(record.layer, record.stratum, record.data, record.kind)
            record.data = b""
            if record.candidates is not None:
                record.candidates.record = record.key
            if self.waiting is not None:
                self.waiting = self.waiting.plus(record.entry)
        if self.done:
            txn.put_pending(layer, stratum, with_content_hash(self.done), b"D")
        if self.waiting is not None:
            self.fields["waiting"] = self.waiting.to_json()
        return written
