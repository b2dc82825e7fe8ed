"""The place values that a card can have by the rules of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.kernels.states import Words
from dbmsolver.kits.cards.tables import (
    FILL_ANY,
    FILL_KINGS,
    KING,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    POLICY_NONE,
    Game,
)


def words_array(values: Any) -> Words:
    """Return numbers, nested in any way, as an array of uint64."""
    return np.array(values, dtype=np.uint64)


def fills(game: Game, card: int) -> bool:
    """Return True if the card may go to an empty column."""
    return game.fill == FILL_ANY or (game.fill == FILL_KINGS and card // 4 == KING)


def ace_is_forced(game: Game, card: int) -> bool:
    """Return True if the card is an ace that goes home the moment it is free, by the policy.

    Where columns go round, kings are put on it.
    """
    return card // 4 == 0 and game.policy != POLICY_NONE and not game.round_from


def loose_values(game: Game, card: int, dealt: int) -> frozenset[int]:
    """Place values that a loose card can have in a deal: by the rules, or where it was dealt.

    The two differ for a card in a reserve, to which none comes back. A card that is home is loose
    only where it may come back from there.
    """
    values = place_values(game, card, dealt)
    if game.removable and card // 4 >= game.kept_rank:
        values = values | {PLACE_HOME}
    return values | {dealt} if dealt < PLACE_LOCKED else values


def place_values(game: Game, card: int, dealt: int) -> frozenset[int]:
    """Place values that a loose card can have in this game, but for the foundation."""
    if ace_is_forced(game, card):
        return frozenset({dealt} if dealt < PLACE_LOCKED else ())
    values = {index for index, parent in enumerate(game.parents[card]) if parent is not None}
    if game.freecells:
        values.add(PLACE_FREECELL)
    if fills(game, card):
        values.add(PLACE_BOTTOM)
    return frozenset(values)
