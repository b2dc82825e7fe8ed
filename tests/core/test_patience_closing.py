"""Klondike and its relatives: sets of states, and what is counted of a state."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.patience_games import small_deck

from dbmsolver.core.patience_closing import (
    bring_forward,
    insert,
    larger,
    make_set,
    room_of,
)
from dbmsolver.core.patience_strata import signatures
from dbmsolver.core.patience_tables import HOME, PER_WORD, TURNS_SHIFT, WASTE_SHIFT, Words
from dbmsolver.core.tables import CARDS
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Question
from dbmsolver.storage.patience_blocks import Codes, progress_of, strata_of


def some_states(count: int, seed: int) -> tuple[Words, Codes]:
    """Return as many different states, all digits of which are less than 7, and their codes."""
    random = np.random.default_rng(seed)
    words = np.zeros((count, 3), np.uint64)
    for card in range(CARDS):
        digits = random.integers(0, HOME + 1, count).astype(np.uint64)
        words[:, card // PER_WORD] |= digits << np.uint64(3 * (card % PER_WORD))
    words[:, 2] |= random.integers(0, 64, count).astype(np.uint64) << np.uint64(WASTE_SHIFT)
    words[:, 2] |= random.integers(0, 64, count).astype(np.uint64) << np.uint64(TURNS_SHIFT)
    return words, np.arange(count).astype(np.uint16)


@pytest.mark.parametrize("room", [*range(1, 14), 3 << 10, 5000])
def test_room_of_a_set(room: int) -> None:
    """There is room for what was asked for, and a slot more than states."""
    states = make_set(room)
    assert room_of(states) == room
    words, codes = some_states(room, room)
    insert(states, words, codes)
    assert states.counts[0] == room < states.slots.size
    insert(states, words, codes[::-1].copy())
    assert states.counts[0] == room
    assert (states.words == words).all() and (states.codes == codes).all()


def test_a_set_that_grows_holds_the_same_states() -> None:
    words, codes = some_states(6000, 1)
    states, copied = make_set(3, 4), 0
    for first in range(0, 6000, 3):
        while states.counts[0] + 3 > room_of(states):
            before = states.words
            states = larger(states, 2 * int(room_of(states)), 4)
            copied += states.words is not before
        insert(states, words[first : first + 3], codes[first : first + 3])
    assert 0 < copied < 8
    size = int(states.counts[0])
    assert size == 6000
    assert (states.words[:size] == words).all() and (states.codes[:size] == codes).all()
    insert(states, words[::-1].copy(), codes)  # all are found
    assert states.counts[0] == size


@pytest.mark.parametrize(("done", "number"), [(0, 1), (0, 500), (200, 400), (999, 0), (300, 350)])
def test_what_was_met_last_comes_next(done: int, number: int) -> None:
    words, codes = some_states(1000, number)
    states = make_set(1000)
    insert(states, words, codes)
    states.counts[1] = done
    bring_forward(states, number)
    order = np.arange(1000)
    order[done : done + number] = np.arange(1000 - number, 1000)
    order[1000 - number :] = np.arange(done, done + number)
    assert (states.words == words[order]).all() and (states.codes == codes[order]).all()
    assert states.counts.tolist() == [1000, done]
    insert(states, words, codes)  # all are found where they are now
    assert states.counts[0] == 1000


def test_strata_signatures_and_progress() -> None:
    """Kernels count in words at once as one counts card by card."""
    random = Random("strata")
    for game in ("klondike", "klondike_by_threes", "canfield", "yukon"):
        keys = PatienceKeys(small_deck(game, random), "wkr", "turns", Question.SOLVE)
        words, _ = some_states(200, 2)
        found = np.zeros(200, np.uint64)
        signatures(keys.tables, words, found)
        bits = keys.tables.bits.tolist()
        for state, signature, stratum, progress in zip(
            words.tolist(), found.tolist(), strata_of(keys, words), progress_of(keys, words),
            strict=True,
        ):  # fmt: skip
            digits = [state[card // PER_WORD] >> 3 * (card % PER_WORD) & 7 for card in range(CARDS)]
            moved = [bit for bit, digit in zip(bits, digits, strict=True) if bit >= 0 and digit]
            upper = state[2] >> WASTE_SHIFT << CARDS & (1 << 64) - 1
            assert signature == upper | sum(1 << bit for bit in moved)
            assert stratum == len(moved)
            assert progress == stratum + digits.count(HOME)
