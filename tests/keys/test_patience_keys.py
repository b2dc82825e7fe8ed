"""Keys of Klondike and its relatives: any number is the key of one position, or is refused."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.patience_games import PATIENCE_GAMES, small_deck

from dbmsolver.errors import InputError
from dbmsolver.game.patience import Patience
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Question

DECKS = 4
NUMBERS = 60
FIELDS = [64 * word + 3 * place for word in (0, 1) for place in range(21)]
"""Where the digits of the first 42 cards begin; then those of the last ten."""
FIELDS += [128 + 3 * place for place in range(10)]


def near(key: int, random: Random) -> int:
    """Return a key with one or two digits, or a bit of any kind, changed."""
    for _ in range(random.choice((1, 1, 2))):
        shift = random.choice(FIELDS)
        key = key & ~(7 << shift) | random.randrange(8) << shift
    return key if random.random() < 0.7 else key ^ 1 << random.randrange(176)


@pytest.mark.parametrize("game", PATIENCE_GAMES)
def test_any_number_is_a_position_or_an_error(game: str) -> None:
    """Keys that are read are those that are written, and kernels are given no others."""
    random = Random(game)
    found = {True: 0, False: 0}
    for _ in range(DECKS):
        deal = small_deck(game, random)
        keys = PatienceKeys(deal, "none", "turns", Question.SOLVE)
        position = deal.position
        for _ in range(NUMBERS):
            key = keys.encode(position)
            assert keys.encode(keys.decode(key)) == key
            wrong = near(key, random)
            try:
                read = keys.decode(wrong)
            except InputError:
                found[False] += 1
            else:
                found[True] += 1
                assert isinstance(read, Patience)
                assert keys.encode(read) == wrong
                assert keys.are_states(keys.words(wrong)[np.newaxis])
            moves = position.moves(deal.rules)
            position = position.apply(random.choice(moves)) if moves else deal.position
    assert min(found.values()) > 4
