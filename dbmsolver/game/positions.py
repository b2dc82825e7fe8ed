"""The class of position for a game's rules, and how positions of it are made and dealt.

Boards, deals and files say where cards lie. This module knows which class has which places.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.layouts import Heights, Layout
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Home, Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.wide import Wide, home_of

Cards = Sequence[int]


def kind_of_position(rules: Rules) -> type[Position]:
    """Return the class of the positions of games by these rules."""
    if rules.is_wide:
        return Wide
    if rules.has_pairs:
        return Pairing
    if rules.has_pile:
        return OnePile
    return Patience if rules.is_patience else Position


def based(first: Cards, home: Heights) -> tuple[Base, Heights]:
    """Return the base, and the foundations' heights.

    ``first`` are the cards of the base's rank that the deal puts home; without any the base is the
    ace. ``home`` are the heights before: ranks that are home in all suits.
    """
    if not first:
        return ACE, home
    heights = list(home)
    for card in first:
        heights[suit(card)] += 1
    hearts, spades, diamonds, clubs = heights
    return Base(rank(first[0]), 1 + min(home)), (hearts, spades, diamonds, clubs)


def lay_out(deck: Cards, layout: Layout, rules: Rules) -> Position:
    """Return the position dealt from a shuffled deck.

    The columns are dealt first, then the cards turned up on the pile or the waste, then the stock.
    In games without a stock the cards left after the columns go to freecells.
    """
    filled = rules.stock + (layout.turned if rules.has_pile else 0)
    first, reserve, dealt = layout.taken_apart(deck)
    columns, rest, home = layout.arrange(dealt, rules.columns, filled or rules.dealt_to_freecells)
    freecells: list[int | None] = [None] * rules.freecells
    if not filled:
        for cell, card in zip(layout.cells or range(len(rest)), rest, strict=True):
            freecells[cell] = card
    base, heights = based(first, home)
    turned, stock = rest[: layout.turned], rest[layout.turned :]
    return make_position(
        rules,
        columns,
        heights,
        freecells=freecells,
        base=base,
        pile=(*layout.pile, *turned),
        stock=stock,
        waste=turned,
        hidden=layout.hidden,
        reserve=reserve,
        home=home_of(rules, min(home)),
    )


def make_position(
    rules: Rules,
    columns: Sequence[Cards],
    foundations: Heights,
    *,
    freecells: Sequence[int | None] = (),
    base: Base = ACE,
    pile: Cards = (),
    stock: Cards = (),
    waste: Cards = (),
    hidden: Cards = (),
    turns: int | None = None,
    reserve: Cards = (),
    removed: Cards = (),
    home: Home | None = None,
) -> Position:
    """Return a position of the class for these rules, without checking it.

    The arguments are the fields of the classes; those that the class lacks are ignored. Without
    ``hidden`` all cards lie face up. ``turns`` says how often the waste may still be turned over;
    without it, as often as at the start. Wide games (:attr:`Rules.is_wide`) need ``home``, and
    their ``foundations`` are the ranks missing from the deck.
    """
    kind = kind_of_position(rules)
    piles = tuple(map(tuple, columns))
    laid = piles, tuple(freecells), foundations, base
    if kind is Position:
        return Position(*laid)
    if kind is OnePile:
        return OnePile(*laid, pile=tuple(pile), stock=tuple(stock))
    down = tuple(hidden) or (0,) * len(piles)
    turned = tuple(stock), tuple(waste), down, rules.turns if turns is None else turns
    if kind is Patience:
        return Patience(*laid, *turned, reserve=tuple(reserve))
    if kind is Pairing:
        whole = rules.pairs == "all"
        return Pairing(*laid, *turned, removed=tuple(removed), whole=whole)
    assert home is not None
    return Wide(*laid, *turned, home=home)
