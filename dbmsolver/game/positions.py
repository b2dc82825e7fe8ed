"""The kinds of positions that games have, chosen by their rules, made and dealt in one place.

Boards, deals and files in all formats say where cards lie; which kind of position has such places
is known here.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.layouts import Heights, Layout
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.wide import Home, Wide, home_of

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
    """Return the base that these cards give, the ace without any, and heights with them home."""
    if not first:
        return ACE, home
    heights = list(home)
    for card in first:
        heights[suit(card)] += 1
    hearts, spades, diamonds, clubs = heights
    return Base(rank(first[0]), 1 + min(home)), (hearts, spades, diamonds, clubs)


def lay_out(deck: Cards, layout: Layout, rules: Rules) -> Position:
    """Return the position that a shuffled deck is dealt to.

    After the columns come the card or cards that are turned to the pile or to the waste, then the
    stock; in games without these, the freecells.
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
    """Return a position of the kind that the rules have; nothing is looked at.

    The places are those of the kinds of positions. Places that the kind does not have are left out.
    Without ``hidden`` all cards lie face up. ``turns`` is the number that is left; without it, the
    waste may be turned over as often as in the beginning. Wide games have ``home``, and there
    ``foundations`` are the ranks that the deck is without.
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
