"""Small decks of pairing games, for tests, and breadth-first search on the readable model."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Pairs
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.positions import lay_out
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Verdict

PAIR_GAMES = [name for name, rules in GAMES.items() if rules.has_pairs]


def small_rules(random: Random, rows: int | None = None, ranks: int | None = None) -> Rules:
    """Return the rules of a pyramid of two to four rows, with a short deck."""
    rows = rows or random.randint(2, 4)
    size = rows * (rows + 1) // 2
    ranks = ranks or random.randint(-(-size // 4), -(-size // 4) + 2)
    stock = 4 * ranks - size
    turned = min(stock, random.randint(0, 1))
    home = "home " + " ".join("A23456789TJQK"[: 13 - ranks]) + "; "
    pairs: list[Pairs] = ["pyramid", "all"]
    return replace(
        GAMES["pyramid"],
        name="small",
        columns=rows,
        stock=stock,
        draw=1 if stock else 0,
        passes=random.randint(1, 3) if stock else 0,
        layout=home + "pyramid" + (f"; turned {turned}" if turned else ""),
        pairs=random.choice(pairs),
        free_stock=bool(stock) and random.random() < 0.5,
    )


def small_deck(random: Random, rows: int | None = None, ranks: int | None = None) -> Deal:
    """Return a deal of a small pyramid."""
    rules = small_rules(random, rows, ranks)
    cards = list(range(CARDS))
    random.shuffle(cards)
    return Deal(lay_out(cards, layout_of(rules.layout), rules), rules)


_PYRAMID = {Verdict.SOLVED: 106, Verdict.UNSOLVABLE: 67}
"""Seeds of small decks of some hundred states."""


def pyramid(wanted: Verdict) -> Deal:
    """Return a small pyramid with this verdict, of some hundred states."""
    return small_deck(Random(_PYRAMID[wanted]), 4, 5)
