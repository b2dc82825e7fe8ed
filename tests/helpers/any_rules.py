"""Small decks under rules drawn at random, field by field, of FreeCell's and of Klondike's kind."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, get_args

from dbmsolver.errors import DbmError, UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import FILLS, METRICS, MOVES, Bases, Build, Fill, Moves
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from helpers.naive_search import fewest_moves


def any_deck(random: Random) -> Deal:
    """Return two to four ranks in one to five columns; the ranks below are home.

    Rules that do not go together are drawn again.
    """
    while True:
        try:
            return _deck(random, random.choice((_of_freecells_kind, _of_klondikes_kind))(random))
        except DbmError:
            continue


def _of_freecells_kind(random: Random) -> Rules:
    fields: dict[str, Any] = {
        "freecells": random.choice((0, 0, 1, 2, 3)),
        "fill": random.choice(FILLS),
        "moves": random.choice((*MOVES, "single")),
        "whole_suits": random.random() < 0.25,
        "reserve": random.random() < 0.2,
        "removable": random.random() < 0.35,
    }
    return _rules(random, **fields)


def _of_klondikes_kind(random: Random) -> Rules:
    draw = random.choice((0, 1, 1, 2, 3))
    fields: dict[str, Any] = {
        "freecells": 0,
        "fill": random.choice(get_args(Fill)),
        "moves": random.choice(get_args(Moves)),
        "removable": random.random() < 0.5,
        "draw": draw,
        "passes": random.choice((0, 0, 1, 2, 3)) if draw else 0,
        "stock": random.randint(0, 6) if draw else 0,
        "stacked": random.choice((0, 0, 1, 3, 4)),
    }
    return _rules(random, **fields)


def _rules(random: Random, **fields: Any) -> Rules:
    base = random.choice(("ace", *get_args(Bases)))
    build = random.choice(get_args(Build))
    return Rules("any", random.randint(1, 5), build=build, base=base, **fields)


def _deck(random: Random, rules: Rules) -> Deal:
    """Return a deck for the rules; an error if no position of theirs is drawn."""
    lowest = 14 - random.randint(2, 4)
    cards = list(range(4 * (lowest - 1), CARDS))
    random.shuffle(cards)
    base, home = any_base(random, rules, cards, lowest)
    if rules.base == "ace":
        home = _unevenly(random, cards, home)
    if not rules.is_patience:
        filled = rules.freecells if rules.reserve else random.randint(0, rules.freecells)
        filled = min(filled, len(cards))
        cells = [cards.pop() if number < filled else None for number in range(rules.freecells)]
        start = Position(_columns(cards, rules.columns), tuple(cells), home, base=base)
    else:
        stock = [cards.pop() for _ in range(min(rules.stock, len(cards)))]
        waste = [stock.pop(0) for _ in range(random.choice((0, 0, 1, 2))) if stock]
        reserve = [cards.pop() for _ in range(rules.stacked) if len(cards) > rules.columns]
        rules = replace(rules, stock=len(stock) + len(waste), stacked=len(reserve))
        columns = _columns(cards, rules.columns)
        most = [max(0, len(column) - 1) for column in columns]
        start = Patience(
            columns,
            (),
            home,
            stock=tuple(stock),
            base=base,
            waste=tuple(waste),
            hidden=tuple(random.choice((0, random.randint(0, number))) for number in most),
            turns=random.randint(0, rules.passes - 1) if rules.passes else None,
            reserve=tuple(reserve),
        )
    start.validate(rules)
    return Deal(start, rules)


def any_base(
    random: Random, rules: Rules, cards: list[int], lowest: int
) -> tuple[Base, tuple[int, int, int, int]]:
    """Return what foundations begin with, and their heights, in a deck without ranks below one.

    Where the deal gives the base, it is any rank, and some cards of it are home: they are taken
    away from ``cards``.
    """
    base, heights = ACE, [lowest - 1] * 4
    if rules.base != "ace":
        base = Base(random.randint(lowest, 13), lowest)
        for card in [card for card in cards if rank(card) == base.rank][: random.randint(0, 4)]:
            cards.remove(card)
            heights[suit(card)] += 1
    hearts, spades, diamonds, clubs = heights
    return base, (hearts, spades, diamonds, clubs)


def _unevenly(
    random: Random, cards: list[int], home: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Put up to two more cards of each suit home; return the heights."""
    more = [random.choice((0, 0, 0, 1, 2)) for _ in home]
    for index, (height, number) in enumerate(zip(home, more, strict=True)):
        for place in range(height, height + number):
            cards.remove(4 * place + index)
    hearts, spades, diamonds, clubs = (
        height + number for height, number in zip(home, more, strict=True)
    )
    return hearts, spades, diamonds, clubs


def _columns(cards: list[int], columns: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(cards[index::columns]) for index in range(columns))


def small_question(random: Random, most: int) -> tuple[Deal, Measure, int | None]:
    """Return a small deck, a measure, and the length of a shortest solution; None without one.

    The length is that of the readable model, which meets at most ``most`` positions. It knows no
    safe moves, and leaves nothing out.
    """
    while True:
        deal = any_deck(random)
        measure = any_measure(random, deal.rules)
        plain = measure if measure.has_free_moves else measure._replace(policy="none")
        truth = fewest_moves(deal, plain, most)
        if truth is not None:
            return deal, measure, truth[0]


def any_measure(random: Random, rules: Rules) -> Measure:
    """Return one of the measures that the game has."""
    while True:
        try:
            return measure_of(rules, random.choice(AUTOMOVES), random.choice(METRICS))
        except UsageError:
            continue
