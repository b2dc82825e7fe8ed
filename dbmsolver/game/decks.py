"""Decks: cards in the order in which they are dealt, and how other programs lay them out.

Klondike-Solver, KSolve and MinimalKlondike write a deck of Klondike as 156 digits, three for each
card: two for the rank, 01 to 13, one for the suit, 1 to 4 for clubs, diamonds, hearts, spades. In
files of theirs a line `Game: 37547` or `Ran: 1` is the number of a deal. Rows are dealt from left
to right, the rest is the stock, and what comes first is turned first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, cycle

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.numbers import Numbers, shuffled
from dbmsolver.game.position import Position
from dbmsolver.game.positions import based, lay_out, make_position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shapes import dealt_lengths
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.texts import LINE_END, WHICH_GAME

DIGITS = 3 * CARDS
"""The number of digits of a deck."""

_SUITS = (3, 2, 0, 1)
"""Our suits in the order of the digits: clubs, diamonds, hearts, spades."""
_LINE = re.compile(
    rf"\s*(?:(?:deal|deck)\s*:\s*)?(?P<deck>[0-9]{{{DIGITS}}})\s*"
    r"|\s*(?P<name>game|ran)\s*:\s*(?P<number>[0-9]{1,12})\s*",
    re.IGNORECASE | re.ASCII,
)
_NAMES: dict[str, Numbers] = {"game": "klondike-solver", "ran": "ksolve"}


def is_deck(text: str) -> bool:
    """Return True if the first line of a text that is no comment is a deck, or names one."""
    first = next(iter(_lines(text)), None)
    return first is not None and _LINE.fullmatch(first[1]) is not None


def parse_deck(text: str, rules: Rules, where: str) -> Position:
    """Deal the deck that a text has; InputError for what is none, or for several."""
    (number, line), *others = _lines(text)
    place = f"{where}, line {number}"
    if others:
        said = f"more after the deck of line {number}, expected one deal in a file"
        raise InputError(said, f"{where}, line {others[0][0]}")
    position = deal_of_line(line, rules, place)
    assert position is not None
    return position


def deal_of_line(line: str, rules: Rules, where: str) -> Position | None:
    """Deal the deck that a line has, as digits or as a number; None if it has none."""
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    if match["deck"]:
        return lay_klondike(deck_of_digits(match["deck"], where), rules, where)
    return deal_as(int(match["number"]), rules, _NAMES[match["name"].lower()])


def deck_of_digits(digits: str, where: str) -> list[int]:
    """Return the cards that 156 digits name; InputError for what is none."""
    deck: list[int] = []
    for start in range(0, DIGITS, 3):
        ranks, suits = int(digits[start : start + 2]), int(digits[start + 2])
        if not (1 <= ranks <= 13 and 1 <= suits <= 4):
            text = f"{digits[start : start + 3]} at digit {start + 1} of the deck is no card"
            expected = "expected a rank from 01 to 13 and a suit from 1 to 4"
            raise InputError(f"{text}, {expected}", where)
        card = 4 * (ranks - 1) + _SUITS[suits - 1]
        if card in deck:
            text = f"{card_name(card)} at digit {start + 1} of the deck is there already"
            raise InputError(f"{text}, expected each card once", where)
        deck.append(card)
    return deck


def deal_as(number: int, rules: Rules, numbers: Numbers) -> Position:
    """Deal a number as another program does, which lays its decks out in its own way."""
    deck = shuffled(number, numbers)
    where = f"deal {number}"
    if numbers == "solvitaire":
        return _lay_as_solvitaire(deck, rules, where)
    return lay_klondike(deck, rules, where)


def lay_klondike(deck: Sequence[int], rules: Rules, where: str) -> Position:
    """Lay a deck of Klondike out; InputError for a game with another shape."""
    layout = layout_of(rules.layout)
    if rules.is_patience and not rules.off_columns and rules.stock == 24:
        plain = layout_of(GAMES["klondike_left_to_right"].layout)
        if dealt_lengths(rules) == list(range(1, 8)):
            return lay_out(deck, replace(plain, hidden=layout.hidden), rules)
    text = f"a deck of Klondike, which {rules.name} is not"
    expected = "expected klondike, klondike_by_threes, or another game of seven columns and a"
    raise InputError(f"{text}, {expected} stock of 24 cards", where, WHICH_GAME)


def _lay_as_solvitaire(deck: Sequence[int], rules: Rules, where: str) -> Position:
    """Lay a deck out as Solvitaire does: cells, stock and reserve first, then the columns.

    The first card of a foundation or a pile that the deal gives is the last one of the deck. The
    stock is built up, so what comes first is turned last. Rows that are one column shorter each are
    dealt from right to left, others from left to right.
    """
    layout = layout_of(rules.layout)
    odd = layout.base and not rules.is_patience
    if odd or layout.first or layout.auto or rules.kings_sunk or layout.turned > 1:
        raise UsageError(f"{rules.name}: Solvitaire has no seeds for such a deal, expected others")
    cards = [card for card in deck if card not in (*layout.home, *layout.pile)]
    single = [cards.pop()] if layout.turned or layout.base else []

    def taken(number: int) -> list[int]:
        some = cards[:number]
        del cards[:number]
        return some

    cells: list[int | None] = [*taken(rules.dealt_to_freecells)]
    stock, reserve = taken(rules.stock)[::-1], taken(rules.stacked)
    lengths = dealt_lengths(rules)
    columns = _rows(cards, rules.columns, diagonal=False)
    if sorted(map(len, columns)) != sorted(lengths):
        columns = _rows(cards, rules.columns, diagonal=True)
    found = list(map(len, columns))
    if not layout.hidden:  # then the order of columns makes no difference
        lengths, found = sorted(lengths), sorted(found)
    if found != lengths:
        text = f"{rules.name}: Solvitaire deals columns of other lengths"
        raise InputError(f"{text}, expected another game, or other numbers", where)
    cells += [None] * (rules.freecells - len(cells))
    base, heights = based(single if layout.base else [], layout.heights)
    return make_position(
        rules,
        columns,
        heights,
        freecells=cells,
        base=base,
        pile=(*layout.pile, *single),
        stock=stock,
        hidden=layout.hidden,
        reserve=reserve,
    )


def _rows(cards: Sequence[int], columns: int, diagonal: bool) -> list[list[int]]:
    """Lay cards out row by row; with `diagonal`, first rows that each leave out one column more."""
    diagonals = [range(columns - 1, row - 1, -1) for row in range(columns)] if diagonal else []
    places = chain(chain.from_iterable(diagonals), cycle(range(columns)))
    laid: list[list[int]] = [[] for _ in range(columns)]
    for card, column in zip(cards, places, strict=False):
        laid[column].append(card)
    return laid


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that say something, with their numbers, comments taken away."""
    lines = enumerate(re.split(LINE_END, text.removeprefix("\ufeff")), start=1)
    return [(n, line.partition("#")[0]) for n, line in lines if line.partition("#")[0].strip()]
