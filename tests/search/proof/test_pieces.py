"""Pieces of a signature: a split divides all that waits, and nothing is lost or told twice."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from helpers.made_up_pieces import CODEC
from numpy.typing import NDArray

from dbmsolver.search.candidates import Candidates
from dbmsolver.search.proof import pieces
from dbmsolver.search.proof.closing import FLIP_SAMPLE
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.pieces import Piece, Tree, routed_to, split_bit


def states(candidates: Iterable[Candidates], words: int) -> set[tuple[int, ...]]:
    """Return each candidate's key, word by word, and its code; no two may be the same."""
    found = []
    for one in candidates:
        runs = one.load()
        rows = zip(runs.keys.reshape(-1, words).tolist(), runs.codes.tolist(), strict=True)
        found += [(*key, code) for key, code in rows]
    assert len(found) == len(set(found))
    return set(found)


@pytest.mark.parametrize("words", [1, 3])
def test_a_split_divides_candidates_and_opened_states(words: int) -> None:
    """The bit is one of the key, or of the second word of a wide one."""
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), words)
    random = np.random.default_rng(words)
    keys = random.integers(0, 1 << 40, (200, words), np.uint64)
    codes = np.arange(200, dtype=np.uint8)
    waiting, opened = slice(0, 120), slice(120, 200)

    def some(part: slice) -> Candidates:
        return shape.candidates(keys[part].reshape(-1), codes[part])

    root = Piece(0, 0, 0, [], queue=[some(waiting)], opened=[some(opened)], used=7)
    tree = Tree(shape, root)
    whole = states([some(slice(0, 200))], words)
    assert root.work == 200
    bits = keys[:, words // 2] >> np.uint64(5) & np.uint64(1)
    tree.split(root, 5)
    low, high = tree.pieces
    for value, piece in enumerate((low, high)):
        assert (piece.mask, piece.value, piece.used) == (1 << 5, value << 5, 7)
        for candidates, part in ((piece.queue, waiting), (piece.opened, opened)):
            mine = np.flatnonzero(bits[part] == value)
            expected = shape.candidates(keys[part][mine].reshape(-1), codes[part][mine])
            assert states(candidates, words) == states([expected], words)
    assert sum(piece.work for piece in tree.pieces) == 200
    assert states([*low.candidates, *high.candidates], words) == whole


PLACES = [np.array(places, np.uint64) for places in ([5, 9, 40, 41], [0, 7, 33, 63], [2, 3, 60])]
"""Bits of each word in which keys differ."""


def wide_keys(states: int, seed: int) -> NDArray[np.uint64]:
    """Return different keys of three words, which differ in some bits only: uint64[states, 3]."""
    random = np.random.default_rng(seed)
    numbers = random.choice(1 << 11, states, replace=False).astype(np.uint64)
    rows = np.zeros((states, 3), np.uint64)
    for word, places in enumerate(PLACES):
        rows[:, word] = random.integers(1 << 63, dtype=np.uint64)
        for place in places:
            rows[:, word] &= ~(np.uint64(1) << place)
            rows[:, word] |= (numbers & np.uint64(1)) << place
            numbers >>= np.uint64(1)
    return rows


@pytest.mark.parametrize("alone", [1, 1 << 12])
@pytest.mark.parametrize("selected", [False, True])
def test_packed_keys_find_their_pieces(
    monkeypatch: pytest.MonkeyPatch, alone: int, selected: bool
) -> None:
    """By bits in which the packed keys differ or not; lists that are small are unpacked."""
    monkeypatch.setattr(pieces, "DIVIDED_ALONE", alone)
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 3)
    tree = Tree(shape, Piece(0, 0, 0, []))
    for bit in (0, 33, 4, 63, 50, 7):
        for piece in list(tree.pieces):
            tree.split(piece, bit)
    rows, codes = wide_keys(2000, 1), np.arange(2000).astype(np.uint8)
    given = shape.candidates(rows.reshape(-1), codes).with_packed_keys()
    assert given.packed_runs is not None and given.packed_runs.packed_words == 1
    some = given.select(given.signatures) if selected else given
    tree.deliver([some])
    assert sum(piece.work for piece in tree.pieces) == 2000
    for piece in tree.pieces:
        mine = np.flatnonzero(rows[:, 1] & np.uint64(piece.mask) == np.uint64(piece.value))
        found = [one.load() for one in piece.queue]
        keys = [word for runs in found for word in runs.keys.tolist()]
        assert keys == rows[mine].reshape(-1).tolist()
        assert [code for runs in found for code in runs.codes.tolist()] == codes[mine].tolist()
    packed = [one for piece in tree.pieces for one in piece.queue if one.packed_runs is not None]
    assert len(packed) == (16 if alone == 1 else 0)
    assert len([piece for piece in tree.pieces if piece.queue]) == 16


def test_later_splits_find_the_piece_of_a_key() -> None:
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1)
    keys, codes = np.arange(64, dtype=np.uint64), np.arange(64, dtype=np.uint8)
    tree = Tree(shape, Piece(0, 0, 0, []))
    tree.split(tree.pieces[0], 4)
    tree.split(tree.pieces[1], 0)
    tree.deliver([shape.candidates(keys, codes)])
    for piece in tree.pieces:
        mine = [(key, key) for key in range(64) if key & piece.mask == piece.value]
        assert states(piece.queue, 1) == set(mine)
    masks = sorted((piece.mask, piece.value) for piece in tree.pieces)
    assert masks == [(16, 0), (17, 16), (17, 17)]


def test_what_an_earlier_tree_has_divided() -> None:
    """Lists for pieces that are still there stay as they are; others are divided anew."""
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1)
    tree = Tree(shape, Piece(0, 0, 0, []))
    tree.split(tree.pieces[0], 4)
    low, high = tree.pieces
    earlier = tree.routes()
    keys, codes = np.arange(64, dtype=np.uint64), np.arange(64, dtype=np.uint8)
    given = routed_to(shape, [earlier.sort(keys, codes)])
    assert [earlier.leaves()[number] for number, _ in given] == [low.leaf, high.leaf]
    tree.split(low, 0)  # the pieces that are left have other numbers now
    tree.add(earlier, given)
    assert high.queue == [given[1][1]] and sum(piece.work for piece in tree.pieces) == 64
    for piece in tree.pieces:
        mine = [(key, key) for key in range(64) if key & piece.mask == piece.value]
        assert states(piece.queue, 1) == set(mine)


def test_states_that_are_not_expanded_wait_again_without_their_table() -> None:
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1)
    one, other = (
        shape.candidates(np.array([key], np.uint64), np.zeros(1, np.uint8)) for key in (3, 5)
    )
    piece = Piece(0, 0, 0, [], queue=[one], opened=[other], full=True)
    piece.evict()
    assert (piece.queue, piece.opened, piece.full) == ([one, other], [], False)


@pytest.mark.parametrize(("most", "lists"), [(1 << 18, [1, 1]), (20, [2, 2]), (1, [4, 4])])
def test_many_candidates_are_divided_at_a_time(
    monkeypatch: pytest.MonkeyPatch, most: int, lists: list[int]
) -> None:
    """A group ends with those that make it large enough."""
    monkeypatch.setattr(pieces, "DIVIDED_AT_ONCE", most)
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), 1)
    keys, codes = np.arange(40, dtype=np.uint64), np.arange(40, dtype=np.uint8)
    some = [shape.candidates(keys[at : at + 10], codes[at : at + 10]) for at in range(0, 40, 10)]
    tree = Tree(shape, Piece(0, 0, 0, []))
    tree.split(tree.pieces[0], 0)
    tree.deliver(some)
    assert [len(piece.queue) for piece in tree.pieces] == lists
    waiting = [one for piece in tree.pieces for one in piece.queue]
    assert states(waiting, 1) == states(some, 1)


@pytest.mark.parametrize("words", [1, 3])
def test_a_piece_is_split_where_states_differ(monkeypatch: pytest.MonkeyPatch, words: int) -> None:
    """Some of a large sample are looked at, and a bit that all of them have divides nothing."""
    looked_at: list[int] = []

    def count_flips(
        _codec: object, _signature: int, keys: NDArray[np.uint64], codes: NDArray[np.uint8], of: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        rows = keys.reshape(-1, of)
        assert len(rows) == codes.size
        assert keys.flags.c_contiguous and codes.flags.c_contiguous
        looked_at.append(codes.size)
        of_piece = rows[:, of // 2]
        ones = [int((of_piece >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
        flips = np.zeros(64, np.int64)
        flips[7] = codes.size // 3  # the only bit in which states differ evenly
        return np.array(ones), flips

    monkeypatch.setattr(pieces, "count_flips", count_flips)
    shape = KeyShape.of(CODEC, 0, int(CODEC.root[0]), words)
    rows = np.zeros((50_000, words), np.uint64)
    rows[:, words // 2] = 1 << 3
    rows[::7, words // 2] |= np.uint64(1 << 9)
    rows[20_000:, words // 2] |= np.uint64(1 << 7)
    codes = np.zeros(50_000, np.uint8)
    bit = split_bit(shape, Piece(0, 0, 0, []), rows.reshape(-1), codes, np.zeros(64))
    assert bit == 7
    assert FLIP_SAMPLE <= looked_at[0] < 2 * FLIP_SAMPLE
