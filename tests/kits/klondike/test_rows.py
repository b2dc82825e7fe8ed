"""Rows of Klondike's kind as shards hold them, against the keys and the moves of positions."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.kernels import patience_states, patience_words
from helpers.patience_games import PATIENCE_GAMES, small_deck

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels.hooks import as_held, holds
from dbmsolver.kernels.meta import BOUND_SHIFT, CODE_AND_G, IS_CLOSED, IS_STORED, META
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kernels.shards import (
    SLICES,
    count_slices,
    hold_closed,
    make_shard,
    read_rows,
    slices_of,
)
from dbmsolver.kernels.states import SIGNATURE
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.rows import NARROW, WIDE
from dbmsolver.kits.klondike.strata import STOCK_SHIFT, WON
from dbmsolver.kits.klondike.tables import (
    HOME,
    PER_WORD,
    TURNS_SHIFT,
    WASTE_SHIFT,
    make_board,
    make_found,
)
from dbmsolver.kits.states import State
from dbmsolver.results import Question


def signature_of_digits(keys: PatienceKeys, state: State) -> int:
    """Return the signature of a state, card by card."""
    digits = [state[1 + card // PER_WORD] >> 3 * (card % PER_WORD) & 7 for card in range(CARDS)]
    if digits == [HOME] * CARDS:
        return int(WON)
    bits = zip(digits, keys.game.bits.tolist(), strict=True)
    cards = sum(1 << bit for digit, bit in bits if digit and bit >= 0)
    return int(cards | state.high >> WASTE_SHIFT << STOCK_SHIFT)


def test_rows_hold_states_and_moves_lead_to_no_lower_slice() -> None:
    """Rows are read as they were held; a move stays in its slice, or leads to a higher stratum."""
    random = Random("rows")
    board, found = make_board(), make_found()
    stayed = risen = 0
    widths = set()
    for _ in range(40):
        deal, policy = small_deck(random.choice(PATIENCE_GAMES), random), random.choice(POLICIES)
        keys = PatienceKeys(deal, policy, random.choice(OF_PATIENCE), Question.SOLVE)
        state = keys.root
        for _ in range(12):
            count = int(moves_of(keys.game, patience_words(state), board, found))
            after = patience_states(keys, found.words[:count])
            reached = [state, *after]
            signatures = [signature_of_digits(keys, one) for one in reached]
            assert signatures == [one.signature for one in reached], deal
            metas = [
                random.getrandbits(64) & int(CODE_AND_G)
                | random.randrange(1 << 11) << int(BOUND_SHIFT)
                for _ in reached
            ]
            rows = np.array([[*s, meta] for s, meta in zip(reached, metas, strict=True)], np.uint64)
            shard = make_shard(keys.tables, len(rows), 16, 16)
            widths.add(shard.rows.shape[1])
            hold_closed(keys.tables, rows, shard.rows, 0)
            again = np.zeros_like(rows)
            read_rows(keys.tables, shard.rows, np.arange(len(rows), dtype=np.uint32), again)
            rows[:, META] |= IS_CLOSED | IS_STORED
            assert (again == rows).all(), deal
            slices = slices_of(keys.tables, rows, 0)
            sizes = np.zeros(256 * SLICES, np.int64)
            count_slices(keys.tables, shard.rows, 0, sizes)
            assert (sizes == np.bincount(slices, minlength=sizes.size)).all(), deal
            won = np.array([keys.position(one).is_goal() for one in reached])
            strata = progress_of(keys.tables, rows[:, SIGNATURE].copy(), keys.locked)
            assert (slices[~won] // SLICES == strata[~won]).all(), deal
            assert ((slices == slices[0]) | (slices // SLICES > slices[0] // SLICES)).all(), deal
            stayed += int((slices[1:] == slices[0]).sum())
            risen += int((slices[1:] != slices[0]).sum())
            if not after:
                break
            state = random.choice(after)
            if keys.position(state).is_goal():
                break
    assert stayed > 50 and risen > 50 and widths == {NARROW, WIDE}


@kernel
def is_taken_for(t, rows, index, off, low, high):  # type: ignore[no-untyped-def]
    """Return True if a row has this state."""
    return holds(t, rows, index, as_held(t, np.uint64(0), off, low, high))


@pytest.mark.parametrize("game", ["klondike", "yukon", "canfield"])
def test_no_state_is_taken_for_another(game: str) -> None:
    """States that differ in the place of one card, in the waste or in the turns left."""
    deal = Deal.from_number(
        1, replace(GAMES[game], passes=2) if game == "klondike" else GAMES[game]
    )
    keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
    t, words = keys.tables, patience_words(keys.root)
    shard = make_shard(t, 1, 16, 16)
    hold_closed(t, np.array([[*keys.root, 0]], np.uint64), shard.rows, 0)
    assert is_taken_for(t, shard.rows, 0, *words)
    changes = [(card // PER_WORD, 3 * (card % PER_WORD)) for card in range(CARDS)]
    if deal.rules.stock:
        changes += [(2, WASTE_SHIFT), (2, TURNS_SHIFT)]
    for word, shift in changes:
        other = words.copy()
        other[word] ^= np.uint64(1 << shift)
        assert not is_taken_for(t, shard.rows, 0, *other), (word, shift)
