"""The place values that a card can have by the rules of a game."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dbmsolver.kernels.states import SUITS, Words
from dbmsolver.kits.cards.tables import (
    FILL_ANY,
    FILL_KINGS,
    KING,
    PARENT_KINDS,
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


@cache
def parent_of(game: Game, card: int, number: int) -> int | None:
    """Return the parent of that number that a card may be put on; None if there is none."""
    kind, rise = PARENT_KINDS[game.build][number], game.rises[number]
    if game.round_from and card // SUITS == KING:
        return SUITS * (game.round_from - 1) + (card ^ kind) % SUITS
    return (card ^ kind) + SUITS * rise if 0 <= card // SUITS + rise <= KING else None


def loose_values(game: Game, kinds: tuple[int, ...], card: int, dealt: int) -> frozenset[int]:
    """Place values that a loose card can have in a deal: by the rules, or where it was dealt.

    The two differ for a card in a reserve, to which none comes back. A card that is home is loose
    only where it may come back from there.
    """
    values = place_values(game, kinds, card, dealt)
    if game.removable and card // 4 >= game.kept_rank:
        values = values | {PLACE_HOME}
    return values | {dealt} if dealt < PLACE_LOCKED else values


@cache
def place_values(game: Game, kinds: tuple[int, ...], card: int, dealt: int) -> frozenset[int]:
    """Place values that a loose card can have in this game, but for the foundation."""
    if ace_is_forced(game, card):
        return frozenset({dealt} if dealt < PLACE_LOCKED else ())
    values = {index for index in range(len(kinds)) if parent_of(game, card, index) is not None}
    if game.freecells:
        values.add(PLACE_FREECELL)
    if fills(game, card):
        values.add(PLACE_BOTTOM)
    return frozenset(values)
