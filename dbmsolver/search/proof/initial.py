"""The beginning of a search: the deal, or the states that an earlier run has left in the store."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

import numpy as np

from dbmsolver.errors import StoreError
from dbmsolver.kernels.runs import local_key, progress_of
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.commits import BlockRef
from dbmsolver.search.ledger import NOTHING, Entry
from dbmsolver.search.portions import by_threads
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import (
    Closed,
    layer_and_stratum,
    parse_closed_key,
    parse_pending_key,
    place_number,
    stratum_prefix,
)
from dbmsolver.storage.store import Store


def stored_candidates(recorder: Recorder) -> Iterator[Candidates]:
    """Yield the pending candidates, those of one record at a time.

    They are checked, and stay in the store. Raises StoreError at the end if they are not those of
    the last commit. Each of the recorder's threads reads one record at a time.
    """
    store = recorder.store

    def read(key: bytes) -> Candidates:
        layer, stratum, _ = parse_pending_key(key)
        place = place_number(layer, stratum)
        candidates = Candidates.of(place, read_block(store, key), record=key)
        candidates.leave_memory()
        return candidates

    found = NOTHING
    each: Callable[..., Iterable[Candidates]] = recorder.in_parallel
    for candidates in by_threads(each, recorder.threads, read, store.keys(b"P")):
        found = found.plus(candidates.entry)
        yield candidates
    if found != Entry.from_json(store.manifest.waiting):
        raise StoreError("what is pending is not what the manifest says", str(store.path))


def done_signatures(store: Store) -> list[int]:
    """Return the signatures that are done in the lowest stratum with pending candidates."""
    done: list[int] = []
    for key in store.keys(b"D"):
        done += np.frombuffer(store.done(key), np.uint64).tolist()
    return done


def unfinished_blocks(
    store: Store, stratum: int, done: Container[int]
) -> dict[int, list[BlockRef]]:
    """Return blocks of the large signatures of a stratum that are begun and not ``done``."""
    result: dict[int, list[BlockRef]] = {}
    for key in store.keys(stratum_prefix(b"C", *layer_and_stratum(stratum))):
        parsed = parse_closed_key(key)
        if parsed.first != parsed.last or parsed.first in done:
            continue
        states = read_block(store, key).codes.size  # decoded, so that a damaged one is named
        block = Closed(parsed.layer, parsed.stratum, parsed.first, parsed.last, states, b"")
        result.setdefault(parsed.first, []).append(BlockRef(block, key=key))
    return result


def initial_candidates(codec: StateCodec) -> Candidates:
    """Return the deal's own state as a candidate."""
    root = [np.uint64(value) for value in codec.root]
    signature = np.array(root[:1], np.uint64)
    key = local_key(codec.tables, *root)
    stratum = int(progress_of(codec.tables, signature, codec.locked)[0])
    code = np.array([codec.root_code], codec.code_type)
    return Candidates.of(stratum, Runs(signature, np.array([1], np.int64), key, code, key.size))
