"""The readable model of wide games: Spider and its kin."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from helpers.wide_games import WIDE_GAMES, small_deck

from dbmsolver.errors import DbmError, IllegalMoveError, InputError, UsageError
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.json_boards import parse_json_board
from dbmsolver.game.moves import COLUMNS, STOCK, WASTE, Move, Place
from dbmsolver.game.packs import cards_of, deck_of_words, deck_words, new_deck, packs_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.notation.pictures.board import describe, draw_board

SHORT = Rules(
    "short", 3, 0, "any", "any", layout="home A 2 3 4 5 6 7 8 9 T J", moves="suit-runs",
    whole_suits=True, packs="2H 1S", stock=3, row_deals="full-rows",
)  # fmt: skip


def board(text: str, rules: Rules = SHORT) -> Wide:
    position = parse_board(text, rules)
    assert isinstance(position, Wide)
    return position


HOME = "Foundations: H-J H-J S-J\n"
START = board(HOME + "Stock: QS KH QH\nKS\n<QH>\nKH\n".replace("<QH>", "QH"))


def told(position: Wide, rules: Rules = SHORT) -> set[str]:
    return {str(move) for move in position.moves(rules)}


def test_moves_of_a_small_spider() -> None:
    assert told(START) == {
        "QH from column 2 to column 1",
        "QH from column 2 to column 3",
        "3 cards dealt from stock to columns",
    }
    moved = START.apply(Move(parse_card("QH"), Place("column", 1), Place("column", 2)))
    # No row is dealt while a column is empty, unless the rules say so.
    assert "KS from column 1 to column 2" in told(moved)
    assert not any("dealt" in text for text in told(moved))
    assert any("dealt" in text for text in told(moved, replace(SHORT, row_deals="rows")))
    # A suit is whole from the king to the lowest rank of the deck.
    assert "KH and 1 on it from column 3 to foundation of hearts" in told(moved)
    home = moved.apply(Move(parse_card("KH"), Place("column", 2), Place("foundation", 0), count=2))
    assert home.home == ((13, 11), (11,), (), ())
    assert (home.left, home.columns[2]) == (4, ())


def test_a_row_is_dealt_from_the_left() -> None:
    after = START.apply(Move(parse_card("QS"), STOCK, COLUMNS, count=3))
    assert format_board(after) == HOME + "KS QS\nQH KH\nKH QH\n"
    rules = replace(SHORT, stock=2, row_deals="rows")
    short = board(HOME + "Stock: QS KH\nKS QH\nQH\nKH\n", rules)
    after = short.apply(short.moves_of_stock(rules)[0])
    assert format_board(after) == HOME + "KS QH QS\nQH KH\nKH\n"


def test_a_run_of_two_suits_does_not_move() -> None:
    position = board(HOME + "Stock: QS KH QH\nKS QH\nKH\n:\n")
    assert "KS and 1 on it from column 1 to column 3" not in told(position)
    assert "QH from column 1 to column 2" in told(position)


def test_cards_face_down_are_turned_up() -> None:
    position = board(HOME + "Stock: KH QS QH\n<KS> QH\nKH\n:\n")
    assert position.hidden == (1, 0, 0)
    after = position.apply(Move(parse_card("QH"), Place("column", 0), Place("column", 1)))
    assert (after.hidden, after.columns[0]) == ((0, 0, 0), (parse_card("KS"),))


def test_foundations_of_alike_suits_are_in_order() -> None:
    rules = replace(GAMES["gypsy"], name="g", layout="")
    position = replace(deal_number(1, GAMES["gypsy"]), home=((2, 2), (0, 0), (0, 0), (0, 0)))
    card = parse_card("2H")
    after = position.apply(Move(card, Place("foundation", 0), Place("column", 3)))
    assert isinstance(after, Wide)
    assert after.home[0] == (2, 1)
    assert after.tops_home(0) == [card, parse_card("AH")]
    assert after.tops_home(1) == [None, None]
    assert after.is_next_home(card) and after.is_next_home(parse_card("3H"))
    assert not after.is_next_home(parse_card("4H"))
    moves = [move for move in after.moves(rules) if move.card == card]
    assert Move(card, Place("column", 3), Place("foundation", 0)) in moves


def test_positions_that_are_the_same() -> None:
    """Columns may be exchanged where no cards, or the same cards, are dealt onto them."""
    alike = board(HOME + "Stock: QH KH QH\nKS\nQS\nKH\n")
    exchanged = board(HOME + "Stock: QH KH QH\nKH\nQS\nKS\n")
    other = board(HOME + "Stock: QH KH QH\nQS\nKS\nKH\n")
    assert alike.canonical_for(SHORT) == exchanged.canonical_for(SHORT)
    assert alike.canonical_for(SHORT) != other.canonical_for(SHORT)
    turned = replace(SHORT, row_deals="none", draw=1, passes=1)
    assert alike.canonical_for(turned) == other.canonical_for(turned)


@pytest.mark.parametrize("game", WIDE_GAMES)
def test_random_games_keep_all_cards(game: str) -> None:
    random, rules = Random(game), GAMES[game]
    position = deal_number(8, rules)
    for _ in range(120):
        position.validate(rules)
        assert isinstance(position, Wide)
        assert parse_board(format_board(position), rules) == position
        data = {
            "tableau piles": [
                [
                    card_name(card).lower() if n < down else card_name(card)
                    for n, card in enumerate(column)
                ]
                for column, down in zip(position.columns, position.hidden, strict=True)
            ],
            "stock": [card_name(card) for card in reversed(position.stock)],
            "foundations": [
                card_name(4 * (height - 1) + suit)
                for suit, heights in enumerate(position.home)
                for height in heights
                if height
            ],
        }
        if rules.draw:
            data["waste"] = [card_name(card) for card in position.waste]
        import json

        assert parse_json_board(json.dumps(data), rules) == position
        ways = position.successors(rules, "none")
        if not ways:
            break
        position = random.choice(ways)[1]
    assert "<svg" in draw_board(position, "x") and "Column 1" in describe(position)


def test_small_decks_are_valid_and_read_back() -> None:
    random = Random(4)
    for _ in range(200):
        deal = small_deck(random)
        deal.position.validate(deal.rules)
        assert parse_board(format_board(deal.position), deal.rules) == deal.position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KS\nQH\nKH\n" + HOME, "missing cards QH QS KH, expected all 39"),
        (HOME + "Stock: QS KH QH\nKS KS\nQH\nKH\n", "KS 2 times, expected 1 in the deck"),
        (HOME.replace("S-J", "S-Q") + "Stock: KH QH\nKS\nQH\nKH\n", "a foundation of S with 12"),
        (HOME.replace("S-J", "S-J S-J") + "Stock: QS KH QH\nKS\nQH\nKH\n", "2 foundations of spad"),
        (
            HOME + "Stock: QS KH QH KS\nQH\nKH\n:\n",
            "4 cards in stock and waste, expected at most 3",
        ),
        (HOME + "Waste: QS\nStock: KH QH\nKS\nQH\nKH\n", "a waste, expected none in short"),
        (HOME + "Stock: QS KH QH\nKS\nQH\nKH\n:\n", "one column too many"),
        (HOME + "Stock: QS KH QH\n<KS>\nQH\nKH\n", "column 1: 1 of 1 cards face down"),
        ("", "no cards, expected a board of 39"),
    ],
)
def test_boards_that_are_none(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_board(text, SHORT)


@pytest.mark.parametrize(
    "move",
    [
        Move(parse_card("KS"), Place("column", 1), Place("column", 0)),
        Move(parse_card("QH"), Place("column", 1), Place("column", 1)),
        Move(parse_card("QH"), Place("column", 1), Place("column", 7)),
        Move(parse_card("KH"), Place("column", 2), Place("foundation", 0)),
        Move(parse_card("QS"), STOCK, COLUMNS, count=2),
        Move(parse_card("KH"), STOCK, COLUMNS, count=3),
        Move(parse_card("QS"), STOCK, WASTE, count=2),
        Move(parse_card("QS"), WASTE, Place("column", 0)),
        Move(parse_card("JH"), Place("foundation", 0), Place("column", 0)),
    ],
)
def test_moves_that_are_none(move: Move) -> None:
    with pytest.raises(IllegalMoveError):
        START.apply(move)


def test_packs() -> None:
    assert packs_of("8S") == (0, 8, 0, 0)
    assert (packs_of(""), deck_words("")) == ((1, 1, 1, 1), "one whole deck")
    assert Counter(cards_of("4H 4C")) == Counter({c: 4 for c in range(52) if c % 4 in (0, 3)})
    for text in ("", "8S", "4H 4C", "2H 2S 2D 2C", "1D", "1H 2S"):
        assert deck_of_words(deck_words(text)) == text
        assert Counter(new_deck(text)) == Counter(cards_of(text))
    assert deck_of_words("three whole decks") is None
    for text in ("9S", "8S 1H", "1H 1S 1D 1C", "2S 2H", "S8", "2H  2S", "4H 5C"):
        with pytest.raises(UsageError, match="expected"):
            packs_of(text)


@pytest.mark.parametrize(
    "change",
    [
        {"freecells": 1},
        {"kings_sunk": True},
        {"stacked": 1},
        {"base": "deal"},
        {"build": "suit-both"},
        {"fill": "waste"},
        {"moves": "columns"},
        {"draw": 1, "passes": 1},
        {"draw": 1, "row_deals": "none", "passes": 2},
        {"removable": True},
        {"moves": "groups", "build": "none", "whole_suits": False},
        {"layout": "home A 2 3 4 5 6 7 8 9 T JH"},
        {"layout": "auto"},
        {"packs": "9H"},
        {"row_deals": "columns"},
        {"stock": 105},
    ],
)
def test_rules_that_cannot_be(change: dict[str, object]) -> None:
    with pytest.raises(DbmError, match="expected"):
        replace(SHORT, **change)  # type: ignore[arg-type]


def test_numbers_are_those_of_one_or_two_decks() -> None:
    rules = GAMES["spider"]
    assert deal_number(5, rules, "pysolfc") == deal_number(5, rules)
    assert deal_number(40_000, rules, "pysolfc") != deal_number(40_000, rules)
    for numbers in ("pysol", "solvitaire", "ksolve"):
        with pytest.raises(UsageError, match=f"spider: {numbers} has no numbers"):
            deal_number(5, rules, numbers)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no such number"):
        Deal.from_number(0, rules)
