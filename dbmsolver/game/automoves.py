"""Automoves: the moves to foundations that a game makes by itself after a move of the player.

Two policies have names in the field, and their rules for a card of rank r are

`horne`  both foundations of the other colour are >= r-1, or r <= 2. The rule of the first FreeCell
         for Windows, and the same as the search's.
`wkr`    `horne`, or both foundations of the other colour are >= r-2 and the other one of the
         card's own colour is >= r-3. The search's rule of that name is the second half alone: it
         keeps back a card such as the 5H, clubs and spades at 4, diamonds at 0. Nothing is lost
         by that in a search, but a game that is played with these automoves would move the card.

Both are safe: see `safe_moves.is_safe_home`. Games built by suit or by any suit have no such
tradition; for them both halves come from the rules of the search.

A third one is met in programs and in collections of solutions: `max` makes every move home that is
possible, safe or not. There are deals that it makes unsolvable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import has_safe_moves, is_safe_home

Automove = Literal["none", "horne", "wkr", "max"]
AUTOMOVES: tuple[Automove, ...] = get_args(Automove)


def moves_home(position: Position, card: int, rules: Rules, policy: Automove) -> bool:
    """Return True if a game with these automoves moves the free card to its foundation."""
    counted, heights = position.counted(card), position.foundations
    return goes_home(counted, heights, rules, policy, position.lowest)


def goes_home(
    card: int, foundations: Sequence[int], rules: Rules, policy: Automove, lowest: int = 1
) -> bool:
    """Return True if a game with these automoves moves the free card to its foundation.

    `card` and `lowest` are as for `is_safe_home`.
    """
    if foundations[card & 3] != card >> 2 or not has_safe_moves(rules):
        return False
    if policy == "max":
        return True
    if policy == "wkr" and is_safe_home(rules, card, foundations, "horne", lowest):
        return True
    return is_safe_home(rules, card, foundations, policy, lowest)


def automoves(position: Position, rules: Rules, policy: Automove) -> tuple[list[Move], Position]:
    """Return the automoves of a position, and the position after them.

    Their order makes no difference to that position.
    """
    moves: list[Move] = []
    while policy != "none":
        for card, source in position.available():
            own = source.kind not in ("waste", "reserve")
            if own and moves_home(position, card, rules, policy):
                move = Move(card, source, Place("foundation", card & 3))
                break
        else:
            break
        moves.append(move)
        position = position.apply(move)
    return moves, position
