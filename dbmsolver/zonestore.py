"""What the store has of a search by cost layers: closed states, what waits, and commits of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dbmsolver.blocks import Runs, encode_block
from dbmsolver.core.digest import digest_runs
from dbmsolver.core.shards import IS_CLOSED, IS_STORED
from dbmsolver.journal import Journal
from dbmsolver.keys import Keys
from dbmsolver.results import Unit
from dbmsolver.rows import encoded, layers_of, packed, unpacked
from dbmsolver.store import Closed, parse_closed_key, parse_pending_key
from dbmsolver.zones import NO_CEILING, Rows, Zone


class ZoneStore:
    """The zones of a search, and what the store has of them.

    ``kind`` is the kind of record that closed states are stored as, ``layer`` the one being closed.
    """

    def __init__(self, keys: Keys, journal: Journal, weight: int, kind: bytes) -> None:
        self.keys = keys
        self.journal = journal
        self.weight = weight
        self.kind = kind
        self.layer = 0
        self.zones = [Zone(0, NO_CEILING)]

    def restore(self) -> None:
        """Give the one zone of the beginning what is pending in the store, or the deal itself."""
        store = self.journal.store
        everything = self.zones[0]
        if self.kind == b"C":
            for key in store.keys(b"P"):
                everything.candidates.setdefault(parse_pending_key(key)[0], []).append(key)
            # These records go with the next commit.
            for key in store.keys(b"B"):
                layer = parse_pending_key(key)[0]
                everything.candidates.setdefault(layer, []).append(self.rows(key))
        if not everything.candidates and not self.journal.states:
            root = np.array([[*self.keys.root, self.keys.root_code]], np.uint64)
            everything.candidates[0] = [root]

    def rows(self, key: bytes) -> Rows:
        """The rows of a block in the store."""
        return unpacked(self.keys, self.journal.store.block(key))

    def closed_records(self, zone: Zone) -> dict[bytes, int]:
        """The keys of a zone's blocks of closed states, and how many each holds."""
        store = self.journal.store
        return {
            key: store.states_in(key)
            for key in store.keys(self.kind)
            if zone.low <= parse_closed_key(key).stratum < zone.high
        }

    def find_candidates(self, zone: Zone) -> None:
        """Make a zone's candidates those that the store has for its strata, for layers not yet closed.

        There may be more than need be: states that have been closed since, which will be found to be duplicates.
        """
        zone.candidates = {}
        for key in self.journal.store.keys(b"P"):
            layer, stratum, _ = parse_pending_key(key)
            if layer > zone.closed and zone.low <= stratum < zone.high:
                zone.candidates.setdefault(layer, []).append(key)

    def flush(self) -> None:
        """Hand the states expanded since the last time to the journal."""
        fresh = [part.fresh_closed() for zone in self.zones for part in zone.parts or ()]
        rows = [closed for closed in fresh if closed.shape[0]]
        if not rows:
            return
        evaluated = self.journal.evaluated
        for stratum, runs in packed(self.keys, np.concatenate(rows)):
            digest = digest_runs(
                self.keys.tables, runs.signatures, runs.counts, runs.keys, runs.words
            )
            assert runs.extra is not None
            forced = int((runs.extra >> 15).sum())
            self.journal.count(self.layer, stratum, runs.codes.size, forced, int(digest))
            closed = Runs(runs.signatures, runs.counts, runs.keys, runs.codes, runs.words)
            block = Closed(
                self.layer,
                stratum,
                int(runs.signatures[0]),
                int(runs.signatures[-1]),
                runs.codes.size,
                encode_block(closed),
            )
            self.journal.add_closed([block], kind=self.kind)
        self.journal.evaluated = evaluated  # they were counted when they were looked at

    def commit(self) -> Unit:
        """Commit what is finished and, in resumable runs, what is pending."""
        self.flush()
        journal = self.journal

        def more(txn: Any) -> None:
            txn.delete_all(b"B")
            if not journal.resumable:
                return
            for zone in self.zones:
                self._put_waiting(txn, zone)
                # What has not been looked at is written anew each time.
                for layer, rows in self._not_looked_at(zone):
                    for block in encoded(self.keys, rows):
                        txn.put_pending(layer, *block, kind=b"B")

        return journal.commit(self.layer, 0, (), more)

    def leave(self, zone: Zone) -> None:
        """See to it that all that is closed and all that waits in a zone is in the store."""
        self.commit()
        with self.journal.store.write() as txn:
            self._put_waiting(txn, zone)
            chunks = list(self._not_looked_at(zone))
            for layer, waiting in zone.candidates.items():
                zone.candidates[layer] = [key for key in waiting if isinstance(key, bytes)]
            for layer, rows in chunks:
                for stratum, data in encoded(self.keys, rows):
                    key = txn.put_pending(max(layer, self.layer), stratum, data)
                    if zone.parts is None or layer > self.layer:
                        zone.candidates.setdefault(max(layer, self.layer), []).append(key)

    def _put_waiting(self, txn: Any, zone: Zone) -> None:
        """Write rows looked at, or reached with fewer moves, since the last time, each under its layer."""
        for part in zone.parts or ():
            rows = part.rows
            fresh = np.flatnonzero((rows[:, 4] & (IS_CLOSED | IS_STORED)) == 0)
            new = rows[fresh]
            rows[fresh, 4] |= IS_STORED
            layers = layers_of(new, self.weight)
            for layer in np.unique(layers).tolist():
                for block in encoded(self.keys, new[layers == layer]):
                    txn.put_pending(layer, *block)

    def _not_looked_at(self, zone: Zone) -> Iterator[tuple[int, Rows]]:
        """Candidates in a zone that are nowhere but in memory, each chunk with its layer."""
        for part in zone.parts or ():
            for rows in part.inbox:
                yield self.layer, rows
        for layer, chunks in zone.candidates.items():
            for chunk in chunks:
                if not isinstance(chunk, bytes):
                    yield layer, chunk
