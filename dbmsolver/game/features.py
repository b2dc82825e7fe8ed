"""The features of the families of games, a row for each family.

A feature is something that some families have and others lack. The rules of a game name its family
(:attr:`dbmsolver.game.rules.Rules.family`). Code that depends on a feature asks for the feature,
and not for the family.
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.game.kinds import Family, Metric

OF_PATIENCE: tuple[Metric, ...] = ("turns", "runs", "plays")
"""The metrics of Klondike and its relatives, the usual one first."""


class Features(NamedTuple):
    """The features of the games of one family; by default, those of FreeCell."""

    metrics: tuple[Metric, ...] = ()
    """The metrics, the usual one first. Without any, the rules of the game say which it has."""
    has_stores: bool = True
    """A search can write a store, and a certificate can be made from the store."""
    is_dealt_in_turn: bool = True
    """If a game has no layout of its own, cards are dealt one to each column, row after row."""
    counts_forced: bool = True
    """Searches have a separate count of the states with a safe move home, the forced ones."""
    has_safe_moves: bool = True
    """Some moves home are safe, unless cards come back, or go home by whole suits only."""
    has_records: bool = False
    """Proofs may be over dominating positions, where the rules of the game allow it."""
    has_classes: bool = False
    """Proofs may be over classes of positions, where the rules of the game allow it."""
    has_words: bool = True
    """Formats that were made for FreeCell can write every move and place of the family's games."""
    has_whole_columns: bool = False
    """The key of a state holds whole columns, as several cards may have the same rank and suit.

    A suit may have several foundations, too.
    """
    hides_cards: bool = False
    """Cards of columns may lie face down."""
    moves_parts: bool = False
    """Formats may write several moves of runs as one move of all their cards together."""
    moves_many: bool = False
    """A move may take more than 13 cards."""
    unplayed: str = ""
    """The games that the page of `play` refuses, in words for a message; empty if it takes all."""
    uncounted: str = ""
    """The features because of which shortest solutions are not counted, as text for a message.

    Empty if they are counted.
    """


_CARDS = Features()
_PATIENCE = Features(
    metrics=OF_PATIENCE,
    is_dealt_in_turn=False,
    counts_forced=False,
    has_words=False,
    hides_cards=True,
    moves_many=True,
    uncounted="a stock, cards face down or cards that come back",
)
FEATURES: dict[Family, Features] = {
    "cards": _CARDS._replace(has_records=True),
    "runs": _CARDS._replace(moves_parts=True),
    "two-way": _CARDS,
    "pile": Features(is_dealt_in_turn=False, has_safe_moves=False),
    "pairs": Features(
        metrics=("turns",),
        is_dealt_in_turn=False,
        has_safe_moves=False,
        has_words=False,
        moves_many=True,
        unplayed="pairing games",
    ),
    "patience": _PATIENCE._replace(has_classes=True),
    "canfield": _PATIENCE,
    "wide": Features(
        metrics=("turns",),
        has_stores=False,
        is_dealt_in_turn=False,
        has_safe_moves=False,
        has_words=False,
        has_whole_columns=True,
        hides_cards=True,
        moves_parts=True,
        moves_many=True,
        unplayed="games of two decks, or whose stock is dealt onto columns,",
        uncounted="several packs, or a stock dealt onto columns",
    ),
}
"""The features of each family."""
