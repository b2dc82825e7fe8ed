"""Many numbered deals at once, as the kernels of dives read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.layouts import layout_of
from dbmsolver.game.numbers import DECK, MAX_NUMBER
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.records.dives_of_deals import LaidDeal


def numbers_laid_out(numbers: Sequence[int], rules: Rules) -> LaidDeal | None:
    """Return the deals of these numbers, as `laid_out` has them.

    None where one of them is no number of a shuffled deck, or where the place of a card depends on
    what card it is.
    """
    if rules.layout or rules.kings_sunk or rules.off_columns:
        return None
    if not rules.features.is_dealt_in_turn:
        return None
    if not all(1 <= number <= MAX_NUMBER for number in numbers):
        return None
    cells = rules.dealt_to_freecells
    columns, rest, _ = layout_of(rules.layout).arrange(range(CARDS), rules.columns, cells)
    order = [*(place for column in columns for place in column), *rest]
    lengths = np.array([*map(len, columns), len(rest)], np.uint8)
    cards = shuffled_decks(np.array(numbers, np.uint64))[:, order]
    return LaidDeal(np.ascontiguousarray(cards), np.tile(lengths, (len(numbers), 1)))


def shuffled_decks(numbers: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the cards (uint8[numbers, 52]) in the order in which each number deals them.

    `game.deals` says how; here all decks lose a card at the same time.
    """
    each = np.arange(numbers.size)
    left = np.repeat(np.array(DECK, np.uint8)[:, None], numbers.size, axis=1)
    dealt = np.empty((numbers.size, CARDS), np.uint8)
    high = np.where((numbers >= 2**31) & (numbers < 2**32), 0x8000, 0).astype(np.uint64)
    more = (numbers >= 2**32).astype(np.uint64)
    seen = np.where(numbers < 2**31, 0x7FFF, 0xFFFF).astype(np.uint64)
    state = numbers
    for size in range(CARDS, 0, -1):
        state = state * np.uint64(214013) + np.uint64(2531011)  # of which 32 bits count
        random = ((state >> np.uint64(16) & seen) | high) + more
        chosen = (random % np.uint64(size)).astype(np.int64)
        dealt[:, CARDS - size] = left[chosen, each]
        left[chosen, each] = left[size - 1]
    return dealt
