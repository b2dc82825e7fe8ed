"""Boards as JSON, as rules-driven solvers read them: `{"tableau piles": [["4C", "3C"], ...]}`.

Piles are columns, the deepest card first. Ranks may be numbers, as in "12S". `cells` are cards in
freecells, `reserve` those that only leave them, `foundations` the cards on top of them; those not
mentioned hold what the game's deal puts there. In a short deck the highest rank stands for the
king, the next one for the queen, and so on: see docs/games.md.

In games of one pile `hole` is the card on it, or a list of its cards, and `stock` the stock; of
both the last card is on top.

In Klondike and its relatives small letters are cards face down, as in "3d", where the deal has such
cards; `stock` is as above, and so is `waste`.
Where the deck has several packs, `foundations` are the cards on top of all foundations that are not
empty.
In pairing games `pyramid` are its rows, from the top down, null for each card that is gone; `waste`
and `stock` are as above, and `removed` has the removed cards.
The answers that commands print with --json have a board line by line, and are read, too.

Where the deal gives the base of the foundations, `foundations` are the cards that are it; the last
card of `reserve` is the one that may be played.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import parse_card, rank, suit
from dbmsolver.game.layouts import Heights, layout_of
from dbmsolver.game.moves import Place
from dbmsolver.game.pairing import columns_of_pyramid
from dbmsolver.game.position import Position
from dbmsolver.game.positions import kind_of_position, make_position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import UNUSUAL
from dbmsolver.game.texts import WHICH_GAME, read_json
from dbmsolver.game.validity import note_place
from dbmsolver.game.wide import with_heights

_PILES, _CELLS, _FOUNDATIONS = "tableau piles", "cells", "foundations"
_RESERVE = "reserve"
_HOLE, _STOCK, _WASTE = "hole", "stock", "waste"
_NUMBERED = {"1": "A", "11": "J", "12": "Q", "13": "K"}
_PYRAMID, _REMOVED = "pyramid", "removed"


_TOLD = ("freecells", "columns", "build", "fill")
"""Rules that every answer with rules tells."""


def of_board(where: str) -> str:
    """Return the place of a board that a JSON text has as a list of lines.

    ``where`` is the text's. Messages name the board's line behind it.
    """
    return f"{where}, the board"


def is_json_board(text: str) -> bool:
    """Return True if a text is JSON: no other board begins as JSON does."""
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def parse_json_board(text: str, rules: Rules, where: str = "<board>") -> Position:
    """Read a board; InputError for a text that is none, or none of these rules."""
    data = read_json(text, "a board", where)
    if (lines := _lines_of(data)) is not None:
        _check_rules(data.get("rules"), rules, where)
        return parse_board("\n".join(lines), rules, of_board(where))
    _check_names(data, _names_of(rules), rules, where)
    laid, hidden = (_pyramid if rules.has_pairs else _piles)(data, rules, where)
    of_cells = _RESERVE if rules.reserve else _CELLS
    if isinstance(data.get(_HOLE), str):
        data[_HOLE] = [data[_HOLE]]
    places = (of_cells, _HOLE, _STOCK, _WASTE, _RESERVE, _REMOVED, _FOUNDATIONS)
    # A reserve may be cells.
    held = {name: _cards(data.get(name, []), where, name) for name in places}
    cells, pile, stock, waste, reserve, removed, tops = (held[name] for name in places)
    given = {str(Place("column", index)): cards for index, cards in enumerate(laid)} | held
    lowest = _ranks_missing(given.values(), where)
    if len(cells) > rules.freecells:
        text = f"{len(cells)} cards in {of_cells}, expected at most {rules.freecells}"
        raise InputError(text, where)
    if len(laid) > rules.columns:
        text = f"{len(laid)} {_PILES}, expected at most {rules.columns}"
        raise InputError(text, where)
    base, heights, home = ACE, layout_of(rules.layout).heights, None
    if rules.features.has_whole_columns:
        told = ((suit(card), rank(card) + lowest) for card in tops)
        home = with_heights(rules, told, where)
    else:
        base, heights = _home(tops, lowest, rules, where)
        if lowest:
            _check_once(given, where)  # as they are written: from here on their ranks are higher
    empty = rules.columns - len(laid)
    position = make_position(
        rules,
        [*(_raised(column, lowest) for column in laid), *[[]] * empty],
        heights,
        freecells=[*_raised(cells, lowest), *[None] * (rules.freecells - len(cells))],
        base=base,
        pile=_raised(pile, lowest),
        stock=_raised(reversed(stock), lowest),
        waste=_raised(waste, lowest),
        hidden=[*hidden, *[0] * empty],
        reserve=_raised(reserve, lowest),
        removed=_raised(removed, lowest),
        home=home,
    )
    position.validate(rules, where)
    return position


def _names_of(rules: Rules) -> list[str]:
    """Return the names of the places that a game has."""
    if rules.has_pairs:
        return [_PYRAMID, _STOCK, _WASTE, _REMOVED]
    if rules.has_pile:
        return [_PILES, _HOLE, _STOCK]
    if rules.features.hides_cards:
        held = [_WASTE] * bool(rules.draw) + [_RESERVE] * bool(rules.stacked)
        return [_PILES, _FOUNDATIONS, _STOCK, *held]
    return [_PILES, _RESERVE if rules.reserve else _CELLS, _FOUNDATIONS]


def _raised(cards: Iterable[int], ranks: int) -> list[int]:
    """Return cards that are `ranks` higher."""
    return [card + 4 * ranks for card in cards]


def _lines_of(data: Any) -> list[str] | None:
    """Return the lines of the board in an answer of this program; None if it is no such answer."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        return None
    deal = data.get("deal")
    board = data.get("board", deal.get("board") if isinstance(deal, dict) else None)
    return board if isinstance(board, list) and all(isinstance(x, str) for x in board) else None


def _check_rules(said: Any, rules: Rules, where: str) -> None:
    """Raise InputError if an answer is about other rules than these.

    Other names of the same rules are no contradiction: a file may have any. Rules that no answer
    has are not looked at.
    """
    if not isinstance(said, dict):
        return
    told = {key: said[key] for key in _TOLD if key in said}
    if len(told) == len(_TOLD):  # an answer leaves out what is usual
        told |= {key: said.get(key, usual) for key, usual in UNUSUAL.items()}
    for key, value in told.items():
        wanted = getattr(rules, key)
        if value == wanted:
            continue
        if said.get("game", rules.name) != rules.name:
            key, value, wanted = "game", said["game"], rules.name
        text = f"the text says {quoted(str(value))} for {key}, the rules asked for say"
        raise InputError(f"{text} {quoted(str(wanted))}, expected the same", where)


def _piles(data: Any, rules: Rules, where: str) -> tuple[list[list[int]], list[int]]:
    """Return the piles of a board, and how many cards of each lie face down.

    Those are written with small letters, where the deal has any.
    """
    given = [_list(pile, "a pile", where) for pile in _list(data.get(_PILES, []), _PILES, where)]
    piles = [_cards(pile, where) for pile in given]
    hides = any(layout_of(rules.layout).hidden)
    down = [[hides and card[-1:].islower() for card in pile] for pile in given]
    hidden = [sum(pile) for pile in down]
    if any(any(pile[count:]) for pile, count in zip(down, hidden, strict=True)):
        raise InputError("a card face down on a card face up, expected none", where)
    return piles, hidden


def _pyramid(data: Any, rules: Rules, where: str) -> tuple[list[list[int]], list[int]]:
    """Return the columns of a pyramid, whose rows a board has; all cards lie face up."""
    rows = [_list(row, "a row", where) for row in _list(data.get(_PYRAMID, []), _PYRAMID, where)]
    if len(rows) > rules.columns or any(len(row) != n for n, row in enumerate(rows, start=1)):
        _fail(f"expected at most {rules.columns} rows of 1, 2, 3 ... cards in {_PYRAMID}", where)
    cards = [[None if card is None else _cards([card], where)[0] for card in row] for row in rows]
    columns = columns_of_pyramid(cards, rules.columns)
    return list(map(list, columns)), [0] * len(columns)


def _home(tops: list[int], lowest: int, rules: Rules, where: str) -> tuple[Base, Heights]:
    """Return the base and the foundations' heights, by the cards on top of them.

    ``lowest`` is how many ranks the deck is short of. A foundation without a card has what the
    game's deal puts there.
    """
    base = _base(tops, lowest, where) if rules.base != "ace" else ACE
    beside_cells = kind_of_position(rules) is Position and rules.base == "ace"
    short = 0 if beside_cells else lowest
    heights = [max(short, height) for height in layout_of(rules.layout).heights]
    for card in tops:
        heights[suit(card)] = rank(base.counted(card + 4 * lowest))
    hearts, spades, diamonds, clubs = heights
    return base, (hearts, spades, diamonds, clubs)


def _base(tops: list[int], lowest: int, where: str) -> Base:
    """Return the base, by the cards on the foundations; InputError unless these are of one rank."""
    ranks = {rank(card) for card in tops}
    if len(ranks) != 1:
        text = "expected cards of one rank, with which foundations begin"
        raise InputError(f"{_FOUNDATIONS}: {text}", where)
    return Base(ranks.pop() + lowest, 1 + lowest)


def _check_names(data: Any, names: Sequence[str], rules: Rules, where: str) -> None:
    """Raise InputError if a board has a name that is none of ``names``."""
    for name in data:
        if name not in names:
            expected = f"expected {', '.join(names[:-1])} and {names[-1]}"
            text = f"{quoted(name)} has no place in {rules.name}, {expected}"
            raise InputError(text, where, WHICH_GAME)


def _ranks_missing(places: Iterable[list[int]], where: str) -> int:
    """Return how many ranks the deck is short of; InputError where no place has a card."""
    cards = [card for place in places for card in place]
    if not cards:
        raise InputError("no cards, expected a board", where)
    return 13 - max(map(rank, cards))


def _check_once(given: Mapping[str, Iterable[int]], where: str) -> None:
    """Raise InputError if a card lies in two places."""
    seen: dict[int, str] = {}
    for place, cards in given.items():
        for card in cards:
            note_place(seen, card, place, where)


def _list(value: Any, what: str, where: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(f"{what}: {json.dumps(value):.40}, expected a list", where)
    return value


def _cards(value: Any, where: str, what: str = "cards") -> list[int]:
    cards = _list(value, what, where)
    for card in cards:
        if not isinstance(card, str):
            _fail(f'{json.dumps(card):.40}, expected a card, as in "TD"', where)
    return [_card(card, where) for card in cards]


def _card(name: str, where: str) -> int:
    """Read a card, whose rank may be a number from 1 to 13, too, as in "12S"."""
    letter = _NUMBERED.get(name[:-1])
    return parse_card(name if letter is None else letter + name[-1:], where)


def _fail(message: str, where: str) -> NoReturn:
    raise InputError(message, where)
