"""The kinds of positions that games have, chosen by their rules and made in one place.

Boards, deals and files in all formats say where cards lie; which kind of position has such places
is known here.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.layouts import Heights
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.wide import Home, Wide

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
