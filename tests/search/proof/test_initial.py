"""The beginning of a search: the deal, and what an earlier run has left in the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search.candidates import Candidates, of_one_signature
from dbmsolver.search.ledger import total
from dbmsolver.search.proof.initial import (
    initial_candidates,
    stored_candidates,
    unfinished_blocks,
)
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import Runs, encode_block
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.records import Closed, layer_and_stratum, place_number
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(11982)
PLACE = place_number(2, 3)


def some(signature: int, *keys: int) -> Candidates:
    """Return candidates of a signature."""
    words = np.array(keys, np.uint64)
    return of_one_signature(PLACE, signature, 1, words, np.zeros(words.size, np.uint8))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    manifest = new_manifest(Question.PROVE, DEAL, Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as one:
        yield one


def test_candidates_of_an_earlier_run_stay_in_the_store(store: Store) -> None:
    """They are those that its last commit has left, or the store is refused."""
    pending = [some(6, 1, 2), some(7, 3)]
    for waiting, is_right in ((pending, True), (pending[:1], False)):
        with store.write() as txn:
            for one in pending if is_right else []:
                txn.put_pending(*layer_and_stratum(PLACE), one.pack())
            entry = total(one.entry for one in waiting).to_json()
            txn.put_manifest(replace(store.manifest, waiting=entry))
        recorder = Recorder(store, Question.PROVE, Limits(), resumable=True, keep_closed=True)
        found = stored_candidates(recorder)
        for one in pending:
            read = next(found)
            assert (read.stratum, read.in_memory, read.entry) == (PLACE, False, one.entry)
            assert read.load(store).keys.tolist() == one.load().keys.tolist()
        if is_right:
            assert next(found, None) is None
        else:
            with pytest.raises(StoreError, match="not what the manifest says"):
                next(found)


def test_blocks_of_large_signatures_that_are_not_done(store: Store) -> None:
    """A block of several signatures has none of these, nor has another stratum."""
    layer, stratum = layer_and_stratum(PLACE)
    with store.write() as txn:
        for low, high, at in ((6, 6, 3), (6, 6, 3), (7, 7, 3), (8, 9, 3), (6, 6, 4)):
            signatures = np.unique(np.array([low, high], np.uint64))
            keys, codes = np.zeros(signatures.size, np.uint64), np.zeros(signatures.size, np.uint8)
            runs = Runs(signatures, np.ones(signatures.size, np.int64), keys, codes, 1)
            size = signatures.size
            txn.put_closed(Closed(layer, at, low, high, size, encode_block(runs)))
    found = unfinished_blocks(store, PLACE, {7})
    assert [(signature, len(refs)) for signature, refs in found.items()] == [(6, 2)]
    for ref in found[6]:
        block = ref.block
        assert (block.layer, block.stratum, block.first, block.last) == (layer, stratum, 6, 6)
        assert block.states == ref.fetch(store).runs().codes.size == 1


def test_the_deal_is_a_candidate_of_its_own_stratum() -> None:
    codec = StateCodec(DEAL, "wkr")
    root = initial_candidates(codec)
    runs = root.load()
    assert runs.signatures.tolist() == [codec.root[0]]
    assert (runs.counts.tolist(), runs.codes.tolist()) == ([1], [codec.root_code])
    assert runs.keys.size == runs.key_words
