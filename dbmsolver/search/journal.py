"""The journal of a run: counts, time, memory and disk, and what the next commit will write.

Work is handed in as it is finished; :meth:`Journal.commit` makes all of it durable in one transaction.

**What the store holds.**  From the transaction that says "search" on, in which the deal itself is pending, every commit
leaves a state from which the search is complete: whatever follows from a closed state is closed or pending, and so is the
deal.  Closed states, the counts that include them, what follows from them, and the removal of what they came from are one
transaction.

A spill (:meth:`Journal.spill`) between two commits makes room in memory and changes nothing of that.  What it writes came
from states that are not yet closed in the store; it is scratch until the next commit takes it over.  The manifest's
``next`` says so: records with a number from there on belong to no commit, and a run that is continued removes them
(:meth:`Journal.abandoned`), for it makes them again from what is pending.  So the store of a run that was killed is that
of its last commit, and nothing is counted twice.

An error in the middle of a piece of work (a full disk, a damaged block, too little memory) is followed by no further
commit: what memory holds may be half of a step, and the last commit stands.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from dbmsolver.process import anonymous_memory
from dbmsolver.results import Commit, Limit, Limits, Question, Report
from dbmsolver.search.candidates import Candidates
from dbmsolver.storage.blocks import Runs, decode_block, encode_block
from dbmsolver.storage.records import Closed, parse_pending_key
from dbmsolver.storage.store import Store
from dbmsolver.storage.transaction import Transaction

COMMIT_SECONDS = 5.0
"""Time between commits, and so about what a crash can cost."""
_MASK = (1 << 64) - 1
Item = TypeVar("Item")
Product = TypeVar("Product")


class LimitReached(Exception):
    """A limit ends the run: not an error, the reason of an ``undecided`` verdict."""

    def __init__(self, limit: Limit) -> None:
        super().__init__(limit)
        self.limit: Limit = limit


class Packed(NamedTuple):
    """A block yet to be decoded: its bytes, what to call it, what it is bound to."""

    data: bytes
    where: str
    place: bytes | None
    key: bytes = b""
    check: Callable[[bytes, Runs, str], None] | None = None

    def runs(self) -> Runs:
        """Its states; StoreError, naming it, if it is damaged."""
        runs = decode_block(self.data, self.where, self.place)
        if self.check is not None:
            self.check(self.key, runs, self.where)
        return runs


@dataclass(eq=False, slots=True)
class BlockRef:
    """A block of closed states: its bytes until they are committed, then its key."""

    block: Closed
    key: bytes | None = None
    data: bytes | None = None
    kind: bytes = b"C"

    def fetch(self, store: Store) -> Packed:
        """The block, from memory or from the store."""
        if self.data is not None:
            return Packed(self.data, "closed states in memory", None)
        assert self.key is not None
        where, place = store.where(self.key), store.place(self.key)
        return Packed(store.read(self.key), where, place, self.key, store.check_states)


@dataclass(eq=False)
class Journal:
    """Bookkeeping of one run on one store.

    ``durable`` stores are committed every few seconds with all that is pending, so that a run can be continued;
    temporary ones only take closed states.
    """

    store: Store
    question: Question
    limits: Limits
    resumable: bool
    keep_closed: bool
    threads: int = 1
    states: int = 0
    forced: int = 0
    evaluated: int = 0
    digest: int = 0
    strata: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    closed_bytes: int = 0
    peak_memory: int = 0
    earlier_seconds: float = 0.0
    unit: int = 0

    def __post_init__(self) -> None:
        self.started = time.monotonic()
        self.last_commit = self.started
        self._blocks: list[BlockRef] = []
        self._deletions: list[bytes] = []
        self.checked = 0.0
        self.earlier_seconds = self.store.manifest.seconds
        self.peak_memory = self.store.manifest.peak_memory
        self.recall()

    def recall(self) -> None:
        """Count what the store has: what its last commit counted."""
        manifest = self.store.manifest
        self.states = manifest.states
        self.forced = manifest.forced
        self.evaluated = manifest.evaluated
        self.digest = int(manifest.digest, 16)
        self.closed_bytes = manifest.closed_bytes
        self.strata = {(row[0], row[1]): [row[2], row[3]] for row in manifest.strata}

    @property
    def elapsed(self) -> float:
        """Seconds spent on the store so far, earlier runs included."""
        return self.earlier_seconds + time.monotonic() - self.started

    def add_closed(
        self, blocks: Iterable[Closed], *, always: bool = False, kind: bytes = b"C"
    ) -> list[BlockRef]:
        """Take blocks of closed states for the next commit (``always``: even where only counts are kept)."""
        refs = [BlockRef(block, data=block.data, kind=kind) for block in blocks]
        if self.keep_closed or always:
            self._blocks += refs
            self.closed_bytes += sum(len(ref.block.data) for ref in refs)
        return refs

    def count(self, layer: int, stratum: int, states: int, forced: int, digest: int) -> None:
        """Count closed states (``states`` includes the forced ones)."""
        self.states += states - forced
        self.forced += forced
        self.evaluated += states
        self.digest = (self.digest + digest) & _MASK
        row = self.strata.setdefault((layer, stratum), [0, 0])
        row[0] += states - forced
        row[1] += forced

    def delete(self, key: bytes | None) -> None:
        """Remove a record with the next commit."""
        if key is not None:
            self._deletions.append(key)

    def drop(self, ref: BlockRef) -> None:
        """Remove a block of closed states, committed or not."""
        if ref.key is not None:
            self._deletions.append(ref.key)
        else:
            self._blocks.remove(ref)

    def due(self) -> bool:
        """Whether it is time for a commit."""
        return time.monotonic() - self.last_commit > COMMIT_SECONDS

    def check_limits(self) -> None:
        """Raise LimitReached if a limit is; cheap enough to be called after every piece of work."""
        limits = self.limits
        now = time.monotonic()
        if limits.max_states is not None and self.states + self.forced >= limits.max_states:
            raise LimitReached(Limit.MAX_STATES)
        if limits.max_time is not None and now - self.started >= limits.max_time:
            raise LimitReached(Limit.MAX_TIME)
        if now - self.checked > 0.05:
            self.checked = now
            self.peak_memory = max(self.peak_memory, anonymous_memory())
            if limits.max_disk is not None and self.disk() > limits.max_disk:
                raise LimitReached(Limit.MAX_DISK)

    def disk(self) -> int:
        """Bytes that the store takes, with what the next commit will add."""
        waiting = sum(len(ref.block.data) for ref in self._blocks)
        return self.store.size() + waiting

    def commit(
        self,
        layer: int,
        stratum: int,
        pending: Sequence[Candidates] = (),
        extra: Callable[[Transaction], dict[str, Any] | None] | None = None,
        **manifest: Any,
    ) -> Commit:
        """Write everything handed in since the last commit, in one transaction.

        ``pending`` parcels without a record get one if the run is to be resumable; ``extra`` may write more into the
        transaction, and returns what it adds to the manifest; keyword arguments go into the manifest, too.
        """
        counts: dict[str, Any] = {
            "states": self.states,
            "forced": self.forced,
            "evaluated": self.evaluated,
            "digest": f"{self.digest:016x}",
            "seconds": round(self.elapsed, 3),
            "peak_memory": self.peak_memory,
            "closed_bytes": self.closed_bytes,
            "strata": [[*key, *row] for key, row in sorted(self.strata.items())],
        }
        written = []
        size = 0
        with self.store.write() as txn:
            for key in self._deletions:
                txn.delete(key)
            for ref in self._blocks:
                written.append((ref, txn.put_closed(ref.block, ref.kind)))
                size += len(ref.block.data)
            stored = []
            if self.resumable:
                for parcel, data in self._packed(pending):
                    stored.append((parcel, txn.put_pending(layer, parcel.stratum, data)))
                    size += len(data)
            if extra is not None:
                manifest |= extra(txn) or {}
            numbers = {"next": self.store.numbers}
            txn.put_manifest(replace(self.store.manifest, **counts | manifest | numbers))
        for ref, key in written:
            ref.key, ref.data = key, None
            ref.block = ref.block._replace(data=b"")
        for parcel, key in stored:
            parcel.record = key
        self._blocks = []
        self._deletions = []
        now = time.monotonic()
        self.unit += 1
        unit = Commit(
            number=self.unit,
            layer=layer or None,
            stratum=stratum,
            states=self.states,
            forced=self.forced,
            pending=sum(parcel.states for parcel in pending),
            bytes=size,
            seconds=round(now - self.last_commit, 3),
        )
        self.last_commit = now
        return unit

    def spill(self, parcels: Sequence[Candidates]) -> None:
        """Write parcels that have no record yet, and free their memory.

        The records are scratch until the next commit, see above.
        """
        with self.store.write() as txn:
            stored = [
                (parcel, txn.put_pending(0, parcel.stratum, data))
                for parcel, data in self._packed(parcels)
            ]
        for parcel, key in stored:
            parcel.record = key
        for parcel in parcels:
            parcel.spill()

    def abandoned(self) -> list[bytes]:
        """Records that a run has left behind which ended before a commit took them over."""
        following = self.store.manifest.next
        return [key for key in self.store.keys(b"P") if parse_pending_key(key)[2] >= following]

    def in_parallel(
        self, work: Callable[[Item], Product], items: Sequence[Item]
    ) -> Iterator[Product]:
        """What ``work`` makes of each item, in their order; the threads that search are idle meanwhile."""
        with ThreadPoolExecutor(self.threads) as pool:
            yield from pool.map(work, items)

    def _packed(self, parcels: Sequence[Candidates]) -> Iterator[tuple[Candidates, bytes]]:
        """Those parcels that are in memory only, with their blocks."""
        loose = [one for one in parcels if one.record is None and one.runs is not None]
        return zip(loose, self.in_parallel(_pack, loose), strict=True)

    def report(
        self,
        *,
        layer: int | None,
        stratum: int,
        last_stratum: int,
        pending: int,
        look_ahead: bool = False,
        share: float | None = None,
    ) -> Report:
        """A snapshot for progress displays."""
        memory = anonymous_memory()
        self.peak_memory = max(self.peak_memory, memory)
        return Report(
            question=self.question,
            phase="look ahead" if look_ahead else "search",
            layer=layer,
            stratum=stratum,
            last_stratum=last_stratum,
            states=self.states,
            forced=self.forced,
            evaluated=self.evaluated,
            pending=pending,
            memory=memory,
            disk=self.disk(),
            closed_bytes=self.closed_bytes,
            elapsed=self.elapsed,
            share=share,
        )


def _pack(parcel: Candidates) -> bytes:
    return encode_block(parcel.sort())
