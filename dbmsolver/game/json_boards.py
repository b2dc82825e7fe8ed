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
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import parse_card, rank, suit
from dbmsolver.game.layouts import Heights, layout_of
from dbmsolver.game.pairing import columns_of_pyramid
from dbmsolver.game.position import Position
from dbmsolver.game.positions import make_position
from dbmsolver.game.rules import Rules
from dbmsolver.game.wide import with_heights

_PILES, _CELLS, _FOUNDATIONS = "tableau piles", "cells", "foundations"
_RESERVE = "reserve"
_HOLE, _STOCK, _WASTE = "hole", "stock", "waste"
_NUMBERED = {"1": "A", "11": "J", "12": "Q", "13": "K"}
_PYRAMID, _REMOVED = "pyramid", "removed"
_EXPECTED = f"expected {_PILES}, {_CELLS}, {_RESERVE} and {_FOUNDATIONS}"


def is_json_board(text: str) -> bool:
    """Return True if a text is JSON: no other board begins as JSON does."""
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def parse_json_board(text: str, rules: Rules, where: str = "<board>") -> Position:
    """Read a board; InputError for a text that is none, or none of these rules."""
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}, column {error.colno}"
        raise InputError(f"not JSON ({error.msg}), expected a board", place) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON ({error}), expected a board", where) from None
    if (lines := _lines_of(data)) is not None:
        return parse_board("\n".join(lines), rules, where)
    if rules.has_pile:
        return _with_pile(data, rules, where)
    if rules.has_pairs:
        return _pairing(data, rules, where)
    if rules.is_wide:
        return _wide(data, rules, where)
    if rules.is_patience:
        return _patience(data, rules, where)
    place = _RESERVE if rules.reserve else _CELLS
    for name in data:
        if name not in (_PILES, place, _FOUNDATIONS):
            raise InputError(f"{quoted(name)} has no place in the games played, {_EXPECTED}", where)
    piles = [_cards(pile, where) for pile in _list(data.get(_PILES, []), _PILES, where)]
    cells = _cards(data.get(place, []), where)
    tops = _cards(data.get(_FOUNDATIONS, []), where)
    shift = _ranks_missing((*piles, cells, tops), where)
    base, heights = _home(tops, shift, rules, where)
    if len(cells) > rules.freecells:
        text = f"{len(cells)} cards in {place}, expected at most {rules.freecells}"
        raise InputError(text, where)
    _check_columns(piles, rules, where)
    freecells = [*_raised(cells, shift), *[None] * (rules.freecells - len(cells))]
    columns = _columns(piles, shift, rules)
    position = make_position(rules, columns, heights, freecells=freecells, base=base)
    position.validate(rules, where)
    return position


def _raised(cards: Iterable[int], ranks: int) -> list[int]:
    """Return cards that are `ranks` higher."""
    return [card + 4 * ranks for card in cards]


def _columns(piles: list[list[int]], ranks: int, rules: Rules) -> list[list[int]]:
    """Return the columns of a position: piles whose cards are `ranks` higher, and empty ones."""
    return [*(_raised(pile, ranks) for pile in piles), *[[]] * (rules.columns - len(piles))]


def _lines_of(data: Any) -> list[str] | None:
    """Return the lines of the board in an answer of this program; None if it is no such answer."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        return None
    deal = data.get("deal")
    board = data.get("board", deal.get("board") if isinstance(deal, dict) else None)
    return board if isinstance(board, list) and all(isinstance(x, str) for x in board) else None


def _with_pile(data: Any, rules: Rules, where: str) -> Position:
    """Return the position on a board of a game of one pile."""
    _check_names(data, (_PILES, _HOLE, _STOCK), rules, where)
    piles = [_cards(pile, where) for pile in _list(data.get(_PILES, []), _PILES, where)]
    hole = data.get(_HOLE, [])
    pile = _cards([hole] if isinstance(hole, str) else hole, where)
    stock = _cards(data.get(_STOCK, []), where)[::-1]
    lowest = _ranks_missing((*piles, pile, stock), where)
    _check_columns(piles, rules, where)
    position = make_position(
        rules,
        _columns(piles, lowest, rules),
        (lowest,) * 4,
        pile=_raised(pile, lowest),
        stock=_raised(stock, lowest),
    )
    position.validate(rules, where)
    return position


def _patience(data: Any, rules: Rules, where: str) -> Position:
    """Return the position on a board of a game of Klondike's kind."""
    held = [*[_WASTE] * bool(rules.draw), *[_RESERVE] * bool(rules.stacked)]
    names = (_PILES, _FOUNDATIONS, _STOCK, *held)
    _check_names(data, names, rules, where)
    piles, hidden = _piles_with_hidden(data, rules, where)
    stock, waste, reserve, tops = (
        _cards(data.get(name, []), where) for name in (_STOCK, _WASTE, _RESERVE, _FOUNDATIONS)
    )
    lowest = _ranks_missing((*piles, stock, waste, reserve, tops), where)
    _check_columns(piles, rules, where)
    base, heights = _home(tops, lowest, rules, where)
    position = make_position(
        rules,
        _columns(piles, lowest, rules),
        heights,
        base=base,
        stock=_raised(reversed(stock), lowest),
        waste=_raised(waste, lowest),
        hidden=[*hidden, *[0] * (rules.columns - len(piles))],
        reserve=_raised(reserve, lowest),
    )
    position.validate(rules, where)
    return position


def _wide(data: Any, rules: Rules, where: str) -> Position:
    """Return the position on a board of a wide game."""
    names = (_PILES, _FOUNDATIONS, _STOCK, *[_WASTE] * bool(rules.draw))
    _check_names(data, names, rules, where)
    piles, hidden = _piles_with_hidden(data, rules, where)
    stock, waste, tops = (
        _cards(data.get(name, []), where) for name in (_STOCK, _WASTE, _FOUNDATIONS)
    )
    lowest = _ranks_missing((*piles, stock, waste, tops), where)
    _check_columns(piles, rules, where)
    position = make_position(
        rules,
        _columns(piles, lowest, rules),
        layout_of(rules.layout).heights,
        stock=_raised(reversed(stock), lowest),
        waste=_raised(waste, lowest),
        hidden=[*hidden, *[0] * (rules.columns - len(piles))],
        home=with_heights(rules, ((suit(card), rank(card) + lowest) for card in tops), where),
    )
    position.validate(rules, where)
    return position


def _piles_with_hidden(data: Any, rules: Rules, where: str) -> tuple[list[list[int]], list[int]]:
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


def _pairing(data: Any, rules: Rules, where: str) -> Position:
    """Return the position on a board of a pairing game."""
    _check_names(data, (_PYRAMID, _STOCK, _WASTE, _REMOVED), rules, where)
    rows = [_list(row, "a row", where) for row in _list(data.get(_PYRAMID, []), _PYRAMID, where)]
    if len(rows) > rules.columns or any(len(row) != n for n, row in enumerate(rows, start=1)):
        _fail(f"expected at most {rules.columns} rows of 1, 2, 3 ... cards in {_PYRAMID}", where)
    cards = [_cards([card for card in row if card is not None], where) for row in rows]
    stock, waste, removed = (
        _cards(data.get(name, []), where) for name in (_STOCK, _WASTE, _REMOVED)
    )
    lowest = _ranks_missing((*cards, stock, waste, removed), where)
    found = {name: _card(name, where) + 4 * lowest for row in rows for name in row if name}
    position = make_position(
        rules,
        columns_of_pyramid([[found.get(name) for name in row] for row in rows], rules.columns),
        (lowest,) * 4,
        stock=_raised(reversed(stock), lowest),
        waste=_raised(waste, lowest),
        removed=_raised(removed, lowest),
    )
    position.validate(rules, where)
    return position


def _home(tops: list[int], lowest: int, rules: Rules, where: str) -> tuple[Base, Heights]:
    """Return the base and the foundations' heights, by the cards on top of them.

    ``lowest`` is how many ranks the deck is short of. A foundation without a card has what the
    game's deal puts there.
    """
    base = _base(tops, lowest, where) if rules.base != "ace" else ACE
    short = lowest if rules.base != "ace" or rules.is_patience else 0
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
            raise InputError(f"{quoted(name)} has no place in {rules.name}, {expected}", where)


def _ranks_missing(places: Iterable[list[int]], where: str) -> int:
    """Return how many ranks the deck is short of; InputError where no place has a card."""
    cards = [card for place in places for card in place]
    if not cards:
        raise InputError("no cards, expected a board", where)
    return 13 - max(map(rank, cards))


def _check_columns(piles: list[list[int]], rules: Rules, where: str) -> None:
    if len(piles) > rules.columns:
        text = f"{len(piles)} tableau piles, expected at most {rules.columns}"
        raise InputError(text, where)


def _list(value: Any, what: str, where: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(f"{what}: {json.dumps(value):.40}, expected a list", where)
    return value


def _cards(value: Any, where: str) -> list[int]:
    cards = _list(value, "cards", where)
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
