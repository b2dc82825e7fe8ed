"""Canfield's rules on the readable model: the base, the reserve, whole columns that move."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dbmsolver.errors import IllegalMoveError, InputError, UsageError
from dbmsolver.game.bases import Base
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import RESERVE, STOCK, Move, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

CANFIELD = GAMES["canfield"]
SMALL = replace(CANFIELD, columns=3, layout="", stock=6, stacked=3)
"""Three columns, with decks of the ranks from jack to king."""
BOARD = """\
Foundations: H-T C-Q D-T S-T
Base: Q J
Reserve: KH JS
Stock: QH KS KD JC
KC QD
JH
QS JD
"""
"""One of these: counted from the base, the jack is the highest rank."""
COLUMN = {"KC and 1 on it from column 1 to column 2", "KC and 1 on it from column 1 to column 3"}
HOME = "QD from column 1 to foundation of diamonds"
ROUND = "JS from reserve to column 1"


def board(text: str = BOARD, rules: Rules = SMALL) -> Patience:
    """Return the position of a text."""
    position = parse_board(text, rules)
    assert isinstance(position, Patience)
    return position


def names(position: Position, rules: Rules = SMALL) -> set[str]:
    """Return the moves of cards, without those of the stock."""
    return {str(move) for move in position.moves(rules) if STOCK not in move[1:3]}


def column(position: Patience, index: int) -> str:
    """Return the cards of a column."""
    return " ".join(map(card_name, position.columns[index]))


def whole(position: Patience, source: int, destination: int) -> Patience:
    """Return the position after a whole column has moved."""
    cards = position.columns[source]
    places = Place("column", source), Place("column", destination)
    return position.apply(Move(cards[0], *places, count=len(cards)))


def test_a_deal_begins_with_its_base() -> None:
    deal = Deal.from_number(1, CANFIELD)
    position = deal.position
    assert isinstance(position, Patience)
    assert position.base == Base(11) and position.foundations == (0, 0, 1, 0)
    held = " ".join(map(card_name, position.reserve))
    assert held == "2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC"
    assert (len(position.stock), [len(cards) for cards in position.columns]) == (34, [1] * 4)
    assert position.top_home(2) == parse_card("JD") and position.top_home(0) is None


@pytest.mark.parametrize(
    ("change", "moves"),
    [
        ({}, {HOME, ROUND, *COLUMN}),
        ({"base": "deal"}, {HOME, *COLUMN}),
        ({"moves": "single"}, {HOME, ROUND}),
        ({"moves": "columns"}, {HOME, ROUND, *COLUMN}),
        ({"build": "suit"}, {HOME, "JD from column 3 to column 1"}),
        ({"removable": True}, {HOME, ROUND, *COLUMN}),
    ],
)
def test_moves(change: dict[str, Any], moves: set[str]) -> None:
    rules = replace(SMALL, **change)
    assert names(board(rules=rules), rules) == moves


def test_parts_of_columns() -> None:
    text = BOARD.replace("JH\n", "JH KS\n").replace("QH KS", "QH")
    part = "QD from column 1 to column 2"
    assert part in names(board(text))
    assert part not in names(board(text), replace(SMALL, moves="columns"))


def test_the_reserve_fills_columns() -> None:
    position = whole(board(), 0, 1)
    assert (column(position, 0), column(position, 1)) == ("JS", "JH KC QD")
    assert position.reserve == (parse_card("KH"),)
    position = whole(position, 0, 1)
    assert (column(position, 0), position.reserve) == ("KH", ())
    assert position.is_home(parse_card("QC")) and not position.is_home(parse_card("KC"))
    position = whole(position, 0, 1)
    assert (column(position, 0), column(position, 1)) == ("", "JH KC QD JS KH")
    fills = {move for move in names(position) if move.endswith("to column 1")}
    assert fills == {"KH from column 2 to column 1", "JD from column 3 to column 1"}
    waste = replace(SMALL, fill="waste")
    assert not {move for move in names(position, waste) if move.endswith("to column 1")}
    turned = position.apply(position.moves_of_stock(SMALL)[0])
    assert "KD from waste to column 1" in names(turned, waste)


def test_the_card_that_fills_does_not_move_by_itself() -> None:
    position = board()
    with pytest.raises(IllegalMoveError, match="is not free to move"):
        position.apply(Move(parse_card("KH"), RESERVE, Place("column", 1)))
    played = position.apply(Move(parse_card("JS"), RESERVE, Place("column", 0)))
    assert (column(played, 0), played.reserve) == ("KC QD JS", (parse_card("KH"),))


@pytest.mark.parametrize(("base", "policy", "forced"), [
    ("deal", "wkr", True), ("deal", "none", False), ("round", "wkr", False),
    ("round", "horne", False),
])  # fmt: skip
def test_a_base_that_takes_the_last_rank_does_not_go_home_by_itself(
    base: Any, policy: Policy, forced: bool
) -> None:
    rules = replace(SMALL, base=base)
    move = board(rules=rules).forced(rules, policy)
    assert (move is not None) == forced
    if move is not None:
        assert str(move) == HOME


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("JH\n", ":\n", "an empty column beside a reserve that fills it"),
        ("KH JS\nStock:", "KH JS QH KS\nStock: # ", "4 cards in the reserve, expected at most 3"),
        ("Base: Q J", "Base: T J", "a base below the lowest rank"),
        ("Base: Q J", "Base: Q J T", "expected one line with a rank"),
        ("Base: Q J", "Base: Q X", "expected one line with a rank"),
        ("Base: Q J", "Base: Q Q", "below Q, which the line of the base says is the lowest rank"),
        ("H-T", "H-9", "foundations below T, expected ranks below the deck home"),
        ("KC QD", "KC QD QC", "QC is on the foundation C-Q of line 1 too"),
        (
            "Reserve: KH JS",
            "Reserve: KH JS\nReserve: JS",
            "a reserve a second time, expected only that of line 3",
        ),
        ("Reserve: KH JS", "Reserve: KH JS\nBase: Q J", "expected one line with a rank"),
        ("Base: Q J", "Base: Q \N{FULLWIDTH LATIN CAPITAL LETTER J}", "expected one line with a"),
        ("Base: Q J", "Base:", "expected one line with a rank"),
        ("Base: Q J", "Base: 0 J", "expected one line with a rank"),
        ("Base: Q J", "Base: Q 0", "expected one line with a rank"),
        ("JH\n", "JH <QH>\n", "'<QH>' is face down on a card face up"),
        ("JH\n", "JH JH\n", "board.txt, line 6, column 4: JH is already at line 6, column 1"),
        ("QS JD", "QS", "board.txt: missing card JD"),
    ],
)
def test_boards_that_are_none(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_board(BOARD.replace(old, new), SMALL, "board.txt")
    assert message in str(caught.value)


def test_other_games_have_neither_base_nor_reserve() -> None:
    for line in ("Base: J", "Reserve: JH"):
        with pytest.raises(InputError, match="expected none in klondike"):
            parse_board(line, GAMES["klondike"])
    deal = Deal.from_number(1, GAMES["klondike"])
    assert isinstance(deal.position, Patience)
    for change in ({"base": Base(2)}, {"reserve": (0,)}):
        with pytest.raises(InputError, match=r"a base|in the reserve"):
            replace(deal.position, **change).validate(deal.rules)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("game", "change", "message"),
    [
        ("freecell", {"base": "deal"}, "expected a game with a waste"),
        ("freecell", {"stacked": 3}, "expected a game with a waste"),
        ("freecell", {"fill": "waste"}, "expected a game with a waste"),
        ("freecell", {"moves": "columns"}, "expected a game with a waste"),
        ("yukon", {"stacked": 3}, "a game of groups without a waste"),
        ("canfield", {"fill": "kings"}, "no empty columns that take kings only"),
        ("canfield", {"moves": "groups"}, "expected no moves of groups"),
        ("canfield", {"stacked": 12}, "the deal puts 14 cards on a foundation and into the"),
        ("canfield", {"layout": "base 1; reserve 2 3"}, "puts 3 cards on a foundation"),
        ("canfield", {"layout": "home AH; base 1; reserve 2"}, "the deal puts 2 cards"),
        ("canfield", {"base": "king"}, "unknown base"),
        ("canfield", {"columns": 5}, "leaves one of 5 columns empty, beside a reserve"),
    ],
)
def test_rules_that_are_none(game: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        replace(GAMES[game], **change)
    assert message in str(caught.value)


def test_no_number_is_dealt_where_nothing_says_how() -> None:
    rules = replace(CANFIELD, layout="")
    with pytest.raises(InputError, match="nothing says which cards go to base and reserve"):
        Deal.from_number(1, rules)


def test_cards_come_back_but_not_those_that_the_deck_is_without() -> None:
    rules = replace(SMALL, removable=True)
    position = board(BOARD.replace("KS KD", "KS").replace("QS JD", "QS JD KD"), rules)
    back = {move for move in names(position, rules) if "from foundation" in move}
    assert back == {"QC from foundation of clubs to column 3"}
    with pytest.raises(IllegalMoveError):
        position.apply(Move(parse_card("TH"), Place("foundation", 0), Place("column", 1)))


@pytest.mark.parametrize(
    ("line", "base"),
    [
        ("Base: J J", Base(11, 11)),
        ("Base: q j", Base(12, 11)),
        ("Base: K", Base(13)),
        ("Base: 10", Base(10)),
    ],
)
def test_lines_of_the_base(line: str, base: Base) -> None:
    """The deck's lowest rank is the ace where the line does not say it."""
    rules = replace(CANFIELD, layout="", stock=0, stacked=0)
    home = base.lowest - 1
    low = [card for card in range(4 * home, 52) if card // 4 != base.rank - 1]
    board = f"{line}\nFoundations: "
    board += " ".join(f"{name}-{line.split()[1]}" for name in "HSDC") + "\n"
    board += "Stock: " + " ".join(map(card_name, low))
    rules = replace(rules, stock=len(low))
    position = parse_board(board, rules)
    assert isinstance(position, Patience)
    assert (position.base, position.foundations) == (base, (base.lowest,) * 4)
    assert parse_board(format_board(position, rules), rules) == position


def test_foundations_that_hold_nothing_are_those_of_the_deck() -> None:
    """A foundation without its base, in a whole deck and in a short one."""
    assert board(BOARD).foundations == (10, 10, 10, 11)
    assert board(BOARD.replace("H-T", "H-0")).foundations == (10, 10, 10, 11)
    assert board(BOARD.replace("H-T ", "")).foundations == (10, 10, 10, 11)


def test_cards_face_down_in_either_brackets() -> None:
    text = BOARD.replace("JH\n", "<JH> KS\n").replace("QH KS", "QH")
    rules = replace(SMALL, columns=3)
    for spelled in (text, text.replace("<JH>", "(JH)"), text.replace("<JH>", "(jh)")):
        position = board(spelled, rules)
        assert position.hidden == (0, 1, 0)
        assert column(position, 1) == "JH KS"
