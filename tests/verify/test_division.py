"""Divisions of a signature by some bits of its states: pieces that fit, and few of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dbmsolver.errors import SystemRefusedError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.verify.division import check_size, choose
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.kernels.partition import MOST_STATES
from dbmsolver.verify.kernels.pieces import MOST_BITS

FORM = make_format(Deal.from_number(1), "wkr")
NO_CODES = FORM.code_card.size
"""A code that no card has."""


def states(words: np.ndarray) -> np.ndarray:
    """Return the planes of states whose first plane is given; the other one is 0."""
    return np.stack([words.astype(np.uint64), np.zeros(words.size, np.uint64)], axis=1)


def bits_of(words: np.ndarray, chosen: list[int]) -> np.ndarray:
    return np.stack([words.astype(np.int64) >> bit & 1 for bit in chosen])


@pytest.mark.parametrize("most", [1, 3, 20, 80, 400])
@pytest.mark.parametrize("seed", range(4))
def test_pieces_fit(seed: int, most: int) -> None:
    random = np.random.default_rng(seed)
    words = np.unique(random.integers(0, 1 << 20, 300) & 0b1011_0111_0110_1111_0101)
    random.shuffle(words)
    codes = np.full(words.size, NO_CODES, np.uint16)
    division = choose(FORM, states(words).ravel(), codes, most)
    number = int(division.bits[0])
    chosen = division.bits[1 : 1 + number].tolist()
    assert len(set(chosen)) == number and division.cards == sum(1 << bit for bit in chosen)
    assert all(0 < (words >> bit & 1).sum() < words.size for bit in chosen)
    # No more bits than it takes to have cells of a quarter of a piece.
    enough = [
        np.unique(bits_of(words, chosen[:some]), axis=1, return_counts=True)[1].max()
        <= max(most // 4, 1)
        for some in range(1, number + 1)
    ]
    assert enough == [False] * (number - 1) + [True]
    assert division.cells[0] == 0 and division.cells[1 << number :].sum() == 0
    cells = division.cells[: 1 << number].tolist()
    assert all(0 <= other - one <= 1 for one, other in pairwise(cells))
    assert cells[-1] == division.pieces - 1
    orders = (range(number), range(number - 1, -1, -1))
    sizes = []
    for order in orders:
        cell = sum(bits_of(words, [chosen[bit]])[0] << place for place, bit in enumerate(order))
        sizes.append(np.bincount(division.cells[cell], minlength=division.pieces))
    held = min(sizes, key=lambda found: found.max())
    assert held.sum() == words.size and held.max() <= most and held.min() > 0
    assert all(one + other > most // 2 for one, other in pairwise(held.tolist()))


def test_cards_that_seldom_move_divide() -> None:
    """Bits of cards that codes name come last, those that few states differ in after these."""
    words = np.arange(1 << 10)
    busy = FORM.code_card[:3].tolist()
    codes = np.full(words.size, NO_CODES, np.uint16)
    codes[:4] = [0, 0, 1, 2]
    division = choose(FORM, states(words).ravel(), codes, 4 << 7)
    bits = division.bits[1 : 1 + int(division.bits[0])].tolist()
    assert not {*bits} & {*busy}
    lopsided = np.where(np.arange(1 << 10) < 9, 1, 0) | words & 0b1110
    division = choose(FORM, states(lopsided).ravel(), np.full(1 << 10, NO_CODES, np.uint16), 520)
    assert sorted(division.bits[1 : 1 + int(division.bits[0])].tolist()) == [1, 2, 3]


def test_bits_of_the_third_plane_divide() -> None:
    """States that take three planes may differ in the last one only."""
    form = make_format(Deal.from_number(7, Rules("wide", 6, 0, "any", "any")), "wkr")
    assert form.planes == 3
    planes = np.zeros((16, 3), np.uint64)
    planes[:, 2] = range(16)
    division = choose(form, planes.ravel(), np.full(16, form.code_card.size, np.uint16), 4)
    bits = division.bits[1 : 1 + int(division.bits[0])].tolist()
    assert sorted(bits) == [128, 129, 130, 131] and division.cards == 0b1111
    assert np.bincount(division.cells[:16]).tolist() == [4, 4, 4, 4]


def test_more_pieces_than_can_be() -> None:
    words = np.arange(1 << MOST_BITS)
    codes = np.full(words.size, NO_CODES, np.uint16)
    with pytest.raises(UsageError, match="would take 65,536 pieces: expected more --memory"):
        choose(FORM, states(words).ravel(), codes, 1)
    assert choose(FORM, states(words).ravel(), codes, 2).pieces == 1 << (MOST_BITS - 1)


def test_a_piece_that_is_too_large() -> None:
    check_size(MOST_STATES)
    with pytest.raises(
        SystemRefusedError, match=f"{MOST_STATES + 1:,} states differ in too little"
    ):
        check_size(MOST_STATES + 1)
