"""The rank with which foundations begin, and ranks that are counted from it.

In most games foundations begin with the ace. In Canfield and Penguin the deal puts cards on their
foundations, and their rank is the *base* of all four: after the king follows the ace. Cards are
what they are in every position; where rules ask for ranks, they ask for those that are counted from
the base. So the base counts as the lowest rank of the deck, the rank before it as the king does
elsewhere.

A short deck is the upper end of a whole one, whose lower ranks are home from the start: ranks go
round from the king to the lowest rank of the deck.
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.game.cards import rank, suit


class Base(NamedTuple):
    """The rank with which foundations begin, and the lowest rank of the deck."""

    rank: int = 1
    lowest: int = 1

    def counted(self, card: int) -> int:
        """Return the card of its suit whose rank is that of `card` counted from the base.

        The base itself counts as the lowest rank. Cards that are not in the deck stay what they
        are, and so do all where the base is the lowest rank.
        """
        if self.rank == self.lowest or rank(card) < self.lowest:
            return card
        turned = (rank(card) - self.rank) % (14 - self.lowest)
        return 4 * (self.lowest + turned - 1) + suit(card)

    def card(self, counted: int) -> int:
        """Return the card that counts as this one: the inverse of `counted`."""
        if self.rank == self.lowest or rank(counted) < self.lowest:
            return counted
        turned = (rank(counted) + self.rank - 2 * self.lowest) % (14 - self.lowest)
        return 4 * (self.lowest + turned - 1) + suit(counted)

    def height(self, index: int, top: int) -> int:
        """Return the height of a foundation of that suit with this rank on top; 0 for none."""
        return rank(self.counted(4 * (top - 1) + index)) if top else 0


ACE = Base()
"""Foundations that begin with the ace, or with the lowest rank of a short deck."""
