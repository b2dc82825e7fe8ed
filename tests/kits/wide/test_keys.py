"""Keys of wide games: positions that no game from the deal leads to, and steps told apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from dbmsolver.errors import InputError, InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import COLUMNS, Move, Place
from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.kits.wide.keys import WideKeys, place_of
from dbmsolver.kits.wide.tables import row_words


def spider() -> tuple[WideKeys, Wide]:
    """Return the keys of a deal of Spider, and its position."""
    deal = Deal.from_number(1, GAMES["spider"])
    assert isinstance(deal.position, Wide)
    return WideKeys(deal), deal.position


def test_a_stock_that_is_not_the_deals() -> None:
    keys, start = spider()
    for stock in (start.stock[::-1], start.stock[:-1], (*start.stock, start.stock[0])):
        with pytest.raises(InputError, match="the stock lies otherwise than it was dealt"):
            keys.row(replace(start, stock=stock))
    keys.row(replace(start, stock=start.stock[1:]))


def test_cards_face_down_that_are_not_the_deals() -> None:
    """They lie in another order, or are more than a column was dealt."""
    keys, start = spider()
    first, *others = start.columns
    down, *rest = start.hidden
    turned = (*first[:down][::-1], *first[down:])
    assert turned != first
    more = (*first, first[0])
    for position in (
        replace(start, columns=(turned, *others)),
        replace(start, columns=(more, *others), hidden=(down + 1, *rest)),
    ):
        with pytest.raises(InputError, match="column 1: its cards face down are not those of the"):
            keys.row(position)
    keys.row(replace(start, columns=(more, *others)))


def test_rows_that_no_move_leads_to() -> None:
    keys, start = spider()
    moves = start.moves(keys.rules)[:1]
    rows = [keys.root, keys.row(start.apply(moves[0]))]
    assert keys.moves_along(rows) == moves
    for path, number in (([keys.root, keys.root], 1), ([*rows, rows[1]], 2)):
        with pytest.raises(InternalError, match=f"move {number} of the solution found is not"):
            keys.moves_along(path)


def test_rows_have_room_for_cards_that_come_back() -> None:
    """In the middle of a game most cards are home: all of them may come back to the columns."""
    text = "Foundations: H-K H-K C-K C-K D-K D-J S-K S-K\nWaste: KD\nStock: QD\n"
    rules = GAMES["forty_thieves"]
    deal = Deal.from_text(text, rules)
    assert isinstance(deal.position, Wide)
    keys, cards = WideKeys(deal), rules.deck
    columns = tuple(cards[index::10] for index in range(10))
    empty = tuple((0,) * len(heights) for heights in deal.position.home)
    most = replace(deal.position, columns=columns, home=empty, waste=(), stock=())
    assert most.left == len(cards) == 104
    assert keys.row(most).size <= row_words(keys.tables)


def test_moves_have_steps_of_their_own() -> None:
    """Two moves of a card from or to different places, or with other cards, are two steps."""
    places = [
        *(Place("column", index) for index in range(MAX_COLUMNS)),
        *(Place("foundation", index) for index in range(4)),
        *(Place("stock", 0), Place("waste", 0), COLUMNS),
    ]
    moves = [
        Move(0, source, destination, count=count)
        for source, destination, count in product(places, places, (1, 2, 13))
    ]
    assert len(set(map(place_of, moves))) == len(moves)
