"""Tables of pieces: what is loaded and read back, and where candidates are sent."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.pieces import copy_keys, load_table, route
from dbmsolver.kernels.runs import key_bits, local_key, widths_of
from dbmsolver.kits.states import StateCodec

BITS = 10


def some_keys(codec: StateCodec, signature: np.uint64, random: Random) -> Any:
    """Return keys of a signature, (uint64[*, words]), all different."""
    words = [[random.getrandbits(64) for _ in range(3)] for _ in range(400)]
    states = np.array(words, np.uint64) & np.array(codec.tables.varying, np.uint64)
    keys = np.array([local_key(codec.tables, signature, *state) for state in states])
    return np.unique(keys, axis=0)


def signatures(codec: StateCodec, words: int, compact: bool) -> np.uint64:
    """Return a signature of a deal with keys of so many words, few of them or many."""
    random = Random(words + compact)
    tables = codec.tables
    while True:
        signature = 0
        dealt = codec.root.signature
        for shift, mask in zip(
            tables.column_shift.tolist(), tables.column_mask.tolist(), strict=True
        ):
            signature |= random.randint(0, (dealt >> shift) & mask) << shift
        word = np.uint64(signature)
        fits = key_bits(tables, word) <= 64 + BITS and tables.planes == 2
        if int(widths_of(tables, np.array([word]))[0]) == words and (words == 1 or fits == compact):
            return word


@pytest.mark.parametrize(
    ("game", "words", "compact"),
    [("freecell", 1, False), ("freecell", 3, False), ("somerset", 3, True), ("somerset", 3, False)],
)
def test_what_is_loaded_is_read_back(game: str, words: int, compact: bool) -> None:
    """Only the keys of the piece, each once, and none if there are too many."""
    random = Random(game)
    codec = StateCodec(Deal.from_number(7, GAMES[game]), "wkr")
    signature = signatures(codec, words, compact)
    keys = some_keys(codec, signature, random)
    piece_word = keys[:, 1 if words > 1 else 0]
    bits = [
        1 << bit for bit in range(64) if len(set(((piece_word >> np.uint64(bit)) & 1).tolist())) > 1
    ]
    mask = np.uint64(bits[0] | bits[-1])
    for value in {int(word & mask) for word in piece_word}:
        mine = {
            tuple(key)
            for key, word in zip(keys.tolist(), piece_word, strict=True)
            if word & mask == value
        }
        slots = np.full((1 if compact else words) << BITS, EMPTY, np.uint64)
        steps = np.zeros(compact << BITS, np.uint16)
        twice = np.concatenate([keys, keys]).reshape(-1)
        place = (codec.tables, signature, slots, steps, BITS)
        assert load_table(*place, twice, words, mask, np.uint64(value), len(mine)) == len(mine)
        found = np.array(sorted(mine), np.uint64).reshape(-1)
        none = np.uint64(0)
        assert load_table(*place, found, words, none, none, 0) == 0  # each is there
        assert copy_keys(*place, words, none, none, slots, steps, 0) == len(mine)
        if not compact:
            rows = slots.reshape(-1, words).tolist()
            assert sorted(tuple(row) for row in rows if row[0] != EMPTY) == sorted(mine)
        slots[:] = EMPTY
        assert load_table(*place, twice, words, mask, np.uint64(value), len(mine) - 1) == -1


@pytest.mark.parametrize(
    ("game", "words", "compact"),
    [("freecell", 1, False), ("freecell", 3, False), ("somerset", 3, True), ("somerset", 3, False)],
)
@pytest.mark.parametrize("to_bits", [BITS - 1, BITS, BITS + 2])
def test_keys_of_a_piece_are_copied(game: str, words: int, compact: bool, to_bits: int) -> None:
    """Keys of each value of some bits, and all, go from one table to another, or are counted."""
    codec = StateCodec(Deal.from_number(7, GAMES[game]), "wkr")
    signature = signatures(codec, words, compact)
    keys = some_keys(codec, signature, Random(game))
    place = (codec.tables, signature)
    none = np.uint64(0)
    empty = np.full((1 if compact else words) << to_bits, EMPTY, np.uint64)
    table = np.full((1 if compact else words) << BITS, EMPTY, np.uint64)
    steps = np.zeros(compact << BITS, np.uint16)
    source = (*place, table, steps, BITS)
    assert load_table(*source, keys.reshape(-1), words, none, none, 400) == len(keys)
    piece_word = keys[:, 1 if words > 1 else 0]
    differing = int(np.bitwise_or.reduce(piece_word) ^ np.bitwise_and.reduce(piece_word))
    bits = [bit for bit in range(64) if differing >> bit & 1]
    agreed = next(bit for bit in range(64) if not differing >> bit & 1)
    for mask in (
        0,
        1 << bits[0],
        1 << bits[-1] | 1 << bits[1],
        1 << agreed,
        1 << agreed | 1 << bits[2],
    ):
        total = 0
        for number in range(4):
            value = sum(
                (number >> n & 1) << bit
                for n, bit in enumerate(b for b in range(64) if mask >> b & 1)
            )
            if number >= 1 << mask.bit_count():
                continue
            mine = keys[piece_word & np.uint64(mask) == np.uint64(value)]
            other, other_steps = empty.copy(), np.zeros(compact << to_bits, np.uint16)
            piece = (np.uint64(mask), np.uint64(value))
            assert copy_keys(*source, words, *piece, other, other_steps, 0) == len(mine)
            assert (other == EMPTY).all()
            assert copy_keys(*source, words, *piece, other, other_steps, to_bits) == len(mine)
            target = (*place, other, other_steps, to_bits)
            assert load_table(*target, mine.reshape(-1), words, none, none, 0) == 0
            taken = np.count_nonzero(other[:: 1 if compact else words] != EMPTY)
            assert taken == len(mine)
            total += len(mine)
        assert total == len(keys)


@pytest.mark.parametrize("words", [1, 3])
def test_candidates_are_sorted_by_piece(words: int) -> None:
    """Candidates of one piece keep their order, and their codes."""
    random = np.random.default_rng(words)
    tree = np.array(
        [[5, 1, 2], [-1, 2, 0], [0, 3, 4], [-1, 0, 0], [63, 5, 6], [-1, 3, 0], [-1, 1, 0]]
    )
    keys = random.integers(0, 1 << 64, (300, words), np.uint64, endpoint=False)
    codes = np.arange(300).astype(np.uint16)
    pieces: list[list[int]] = [[], [], [], []]
    for number, key in enumerate(keys.tolist()):
        word = key[1 if words > 1 else 0]
        if not word >> 5 & 1:
            pieces[2].append(number)
        elif not word & 1:
            pieces[0].append(number)
        else:
            pieces[1 if word >> 63 else 3].append(number)
    new_keys, new_codes, ends = route(keys.reshape(-1), codes, words, int(words > 1), tree, 4)
    order = [number for piece in pieces for number in piece]
    assert new_codes.tolist() == order
    assert new_keys.reshape(-1, words).tolist() == keys[order].tolist()
    assert ends.tolist() == np.cumsum([len(piece) for piece in pieces]).tolist()
