"""Wins that are tidied: safe moves are made at once, and nothing is done that changes nothing."""

from __future__ import annotations

from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.tidying import tidied

DEAL = Deal.from_text(
    """\
    Foundations: H-J C-J D-J S-J
    KC QC
    KS QS
    KD QD
    KH QH
    """,
    GAMES["freecell"],
)
"""Cards go home in any order, and all of it is safe."""


def moves_home(*columns: int) -> list[Move]:
    """Return moves home of the top cards of columns, by their numbers from 0."""
    position, moves = DEAL.position, []
    for column in columns:
        card = position.columns[column][-1]
        moves.append(Move(card, Place("column", column), Place("foundation", card % 4)))
        position = position.apply(moves[-1])
    return moves


def test_the_lowest_suit_goes_home_first() -> None:
    made = tidied(DEAL.position, moves_home(0, 0, 1, 1, 2, 2, 3, 3), DEAL.rules, "wkr")
    names = [card_name(move.card) for move in made]
    assert names == ["QH", "KH", "QS", "KS", "QD", "KD", "QC", "KC"]


def test_moves_that_do_not_win_stay() -> None:
    """Others would win no more than they do, though a safe move is left out."""
    deal = Deal.from_text("Foundations: H-J C-K D-Q S-K\nQH KH KD\n", GAMES["freecell"])
    king = deal.position.columns[0][-1]
    parked = [Move(king, Place("column", 0), Place("freecell", 0))]
    assert tidied(deal.position, parked, deal.rules, "wkr") == parked
