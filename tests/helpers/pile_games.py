"""Small decks of games of one pile, for tests."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Verdict

_GOLF = {Verdict.SOLVED: 9, Verdict.UNSOLVABLE: 54}
"""Seeds of small decks of some hundred states."""

PILE_GAMES = [name for name, rules in GAMES.items() if rules.has_pile]


def small_deck(game: str, random: Random) -> Deal:
    """Two to five ranks in two to six columns, with a pile and a stock where the game has them.

    The lower ranks are not in the deck. Ranks go round as in the game, or not: where they do, most
    small decks can be won.
    """
    rules = GAMES[game]
    columns, ranks = random.randint(2, 6), random.randint(2, 5)
    cards = list(range(CARDS - 4 * ranks, CARDS))
    random.shuffle(cards)
    pile = [cards.pop()] if "pile" in rules.layout or "turned" in rules.layout else []
    stock = [cards.pop() for _ in range(random.randint(0, 6) if rules.stock else 0)]
    position = OnePile(
        tuple(tuple(cards[index::columns]) for index in range(columns)),
        (),
        (13 - ranks,) * 4,
        pile=tuple(pile),
        stock=tuple(stock),
    )
    own = replace(rules, columns=columns, layout="", stock=len(stock))
    return Deal(position, replace(own, pile=random.choice((rules.pile, "ends"))))


def golf(wanted: Verdict) -> Deal:
    """Return a small deck of Golf with this verdict, of some hundred states."""
    return small_deck("golf", Random(_GOLF[wanted]))
