"""The division of states of Klondike and its relatives into pieces."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.patience_games import small_deck

from dbmsolver import api
from dbmsolver.core.patience_tables import Words
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Question
from dbmsolver.search.patience.pieces import (
    Cover,
    by_hash,
    cover_of,
    divided,
    everything,
    rows_of,
    the_only,
)
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.patience_blocks import Codes, words_of
from dbmsolver.storage.store import Store


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> tuple[PatienceKeys, Words, Codes]:
    """All states of a deck, from its store."""
    path = tmp_path_factory.mktemp("states")
    deal = small_deck("klondike_by_threes", Random(576))
    assert api.prove(deal, store=path, method="every-position").states > 200
    with Store.open(path, readonly=True) as store:
        blocks = [read_block(store, key) for key in store.keys(b"C")]
    words = np.concatenate([words_of(block) for block in blocks])
    return (
        PatienceKeys(deal, "wkr", "runs", Question.PROVE),
        words,
        np.concatenate([block.codes for block in blocks]),
    )


def check_apart(covers: list[Cover], rows: Words) -> None:
    """Each state belongs to one of the pieces."""
    assert (sum(cover.holds(rows).astype(int) for cover in covers) == 1).all()


@pytest.mark.parametrize("parts", [2, 4, 32])
def test_pieces_are_divided_until_each_has_one_state(
    states: tuple[PatienceKeys, Words, Codes], parts: int
) -> None:
    keys, words, codes = states
    rows = rows_of(keys, words)
    waiting, done = [everything()], []
    while waiting:
        cover = waiting.pop()
        own = cover.holds(rows)
        if own.sum() < 2:
            done.append(cover)
            continue
        pieces = divided(cover, rows[own], codes[own], parts)
        assert 2 <= len(pieces) <= parts
        check_apart(pieces, rows[own])
        waiting += pieces
    check_apart(done, rows)


def test_a_signature_has_one_hash(states: tuple[PatienceKeys, Words, Codes]) -> None:
    """And pieces are divided by it first, into parts that are no worse than one to four."""
    keys, words, codes = states
    rows = rows_of(keys, words)
    for piece in divided(everything(), rows, codes, 4):
        assert not piece.masks[:3].any()
        assert 0.04 < piece.holds(rows).mean() < 0.7
    parts = by_hash(rows, 8)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(rows)))
    hashes = [set(rows[part, 3].tolist()) for part in parts]
    assert len(set.union(*hashes)) == sum(map(len, hashes))


def test_the_bits_of_a_signature_are_those_that_seldom_change(
    states: tuple[PatienceKeys, Words, Codes],
) -> None:
    keys, words, codes = states
    rows = rows_of(keys, words)
    values, counts = np.unique(rows[:, 3], return_counts=True)
    own = rows[:, 3] == values[counts.argmax()]
    assert own.sum() > 10
    (piece, other) = divided(everything(), rows[own], codes[own], 8)
    assert (piece.masks == other.masks).all()
    assert not piece.masks[3]
    assert np.unpackbits(piece.masks.view(np.uint8)).sum() == 1
    assert 0 < piece.holds(rows[own]).sum() < own.sum()


def test_owners_are_known_by_what_states_have_in_common(
    states: tuple[PatienceKeys, Words, Codes],
) -> None:
    keys, words, codes = states
    rows = rows_of(keys, words)
    pieces = divided(everything(), rows, codes, 8)
    parts = [rows[piece.holds(rows)] for piece in pieces]
    parts = [part for part in parts if len(part)]
    covers = [cover_of(part) for part in parts]
    for part, cover, owner in zip(parts, covers, the_only(pieces, covers), strict=True):
        assert cover.holds(part).all()
        assert owner is not None and pieces[owner].holds(part).all()
    assert the_only(pieces, [cover_of(rows)]) == [None]
    assert the_only([everything()], [cover_of(rows)]) == [0]
