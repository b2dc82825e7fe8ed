"""A piece that another process expands: its table, what it counts, and what it sends."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from helpers.made_up_pieces import (
    BITS,
    CODEC,
    SHAPE,
    SIGNATURE,
    closed,
    packed,
    result_for,
    some,
    worker_of,
)

from dbmsolver.search.candidates import Candidates
from dbmsolver.search.proof import piece_away, piece_tables
from dbmsolver.search.proof.piece_away import expand_whole
from dbmsolver.search.proof.piece_tables import KeyShape, Table
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece, Tree


@pytest.fixture(autouse=True)
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a table of 14 bits be the smallest: it is full with 8,192 states."""
    monkeypatch.setattr(piece_tables, "SMALLEST_BITS", BITS)
    monkeypatch.setattr(piece_away, "WHOLE_SECONDS", 60.0)


def test_a_table_is_made_of_the_states_of_the_piece() -> None:
    """The blocks may hold those of others. A table that was kept needs no blocks."""
    piece = Piece(1, 1, 0, [])
    done = result_for(piece, some(range(1, 101, 2)))
    blocks = [packed(range(30)), packed(range(50, 71))]
    table = expand_whole(SHAPE, done, worker_of(20_000), blocks, None)
    assert table is not None
    known = [*range(1, 30, 2), *range(51, 71, 2)]
    assert closed(done) == [key for key in range(1, 101, 2) if key not in known]
    assert table.held == done.closed == 50
    again = result_for(piece, some(range(1, 201, 2)))
    assert expand_whole(SHAPE, again, worker_of(20_000), [], table) is table
    assert closed(again) == list(range(101, 201, 2))
    assert table.held == again.closed == 100


def test_opened_states_are_not_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One group is expanded before time is up."""
    monkeypatch.setattr(piece_away, "WHOLE_SECONDS", 1e-9)
    done = result_for(Piece(0, 0, 0, []), some(range(100)))
    table = expand_whole(SHAPE, done, worker_of(20_000, at_once=16), [], None)
    assert table is not None
    assert (table.held, done.closed, done.put_back) == (100, 16, 84)
    assert closed(done) == list(range(16))


@pytest.mark.parametrize(("largest", "taken"), [(14, 8192), (15, 16_000)])
def test_a_table_grows_up_to_the_largest(largest: int, taken: int) -> None:
    """Candidates without room are left, and told."""
    done = result_for(Piece(0, 0, 0, []), some(range(16_000)), largest_bits=largest)
    table = expand_whole(SHAPE, done, worker_of(50_000), [], Table.empty(SHAPE, BITS))
    assert table is not None
    assert table.bits == largest
    assert closed(done) == list(range(taken))
    assert (table.held, done.closed, done.taken) == (taken, taken, taken)
    assert sum(one.states for one in done.rest) == 16_000 - taken
    assert done.full == (taken < 16_000)


@pytest.mark.parametrize(("largest", "fits"), [(14, False), (15, True)])
def test_blocks_of_more_states_than_were_known_of(largest: int, fits: bool) -> None:
    """The table that is made of them grows, or is not made: then nothing is done."""
    waiting = some(range(10))
    done = result_for(Piece(0, 0, 0, []), waiting, largest_bits=largest)
    blocks = [packed(range(5, 5000)), packed(range(5000, 9000))]
    table = expand_whole(SHAPE, done, worker_of(50_000), blocks, None)
    assert done.full == (not fits)
    assert closed(done) == (list(range(5)) if fits else [])
    if table is None:
        assert not fits and done.rest == [waiting]
    else:
        assert table.bits == 15
        assert table.held == done.closed == 9000


def sent_to_others(words: int, *found: Iterable[int]) -> list[tuple[int, Candidates]]:
    """Return what an expansion sends to the pieces of even and of odd keys."""
    shape = KeyShape.of(CODEC, 0, SIGNATURE, words)
    piece = Piece(0, 0, 0, [])
    tree = Tree(shape, piece)
    tree.split(piece, 0)
    routes = tree.routes()
    done = PieceResult.to(tree.pieces[0], routes, 16)
    for keys in found:
        runs = some(keys, words).load()
        done.for_others.append(routes.sort(runs.keys, runs.codes))
    expand_whole(shape, done, worker_of(20_000, words), [], None)
    assert done.for_others == []
    assert all(one.is_sorted for _, one in done.routed)
    return done.routed


def test_what_is_for_other_pieces_is_sent_once() -> None:
    """It is brought together by piece; the last one has its part, too."""
    routed = sent_to_others(1, [1, 3, 3, 2], [3, 5])
    sent = [(number, one.load().keys.tolist()) for number, one in routed]
    assert sent == [(0, [2]), (1, [1, 3, 5])]


def test_wide_keys_for_other_pieces_are_packed() -> None:
    routed = sent_to_others(3, range(0, 1000, 3), range(0, 1000, 2))
    assert [(number, one.packed_runs is not None) for number, one in routed] == [
        (0, True),
        (1, False),
    ]
    for number, one in routed:
        keys = [key for key in range(1000) if not key % 2 * (key % 3) and key % 2 == number]
        runs = one.load()
        assert runs.keys.tolist() == [key for key in keys for _ in range(3)]
        assert runs.codes.tolist() == [key % 7 for key in keys]


@pytest.mark.parametrize("words", [1, 3])
def test_what_is_for_other_signatures_is_sent_once(words: int) -> None:
    done = result_for(Piece(0, 0, 0, []))
    done.result.candidates = [some([4, 2], words), some([2, 1], words), some(range(300), words)]
    done.result.candidates[2].stratum = 1
    expand_whole(SHAPE, done, worker_of(20_000), [], None)
    one, other = done.result.candidates
    assert (one.stratum, other.stratum) == (0, 1)
    assert one.is_sorted and other.is_sorted and (other.packed_runs is not None) == (words == 3)
    assert np.array_equal(one.load().keys, np.repeat(np.array([1, 2, 4], np.uint64), words))
    assert np.array_equal(other.load().keys, np.repeat(np.arange(300, dtype=np.uint64), words))
