"""Games of one pile: what is legal, boards as text and JSON, rules that cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.errors import IllegalMoveError, InputError, UsageError
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Pile
from dbmsolver.game.moves import PILE, STOCK, Move, Place
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for, rules_from
from dbmsolver.game.titles import rules_notes, rules_of_notes

HOLE, GOLF, ROW = (GAMES[name] for name in ("black_hole", "golf", "all_in_a_row"))
LEFT = "Foundations: H-Q S-Q D-Q C-Q\n"


def names(position: Position, rules: Rules) -> list[str]:
    return [f"{card_name(move.card)} {move.source.kind}" for move in position.moves(rules)]


def test_what_goes_on_the_pile() -> None:
    text = "Foundations: H-T S-T D-T C-T\nPile: KS {}\nQH JS\nJH KH\nJD QS\nQD JC QC\nKC KD\n"
    text = text.replace("JD QS", "QS JD").format("")
    wrap = rules_for("black_hole", columns=5)
    board = Deal.from_text(text, wrap).position
    # In a deck of jack, queen and king the jack follows the king: everything but kings does.
    assert names(board, wrap) == ["JS column", "JD column", "QC column"]
    assert names(board, replace(wrap, pile="ends")) == ["QC column"]


def test_ranks_go_round_in_whole_decks() -> None:
    ace, two, queen, king = map(parse_card, ("AH", "2S", "QD", "KC"))
    for card, top, round_it, plain in (
        (ace, king, True, False),
        (king, ace, True, False),
        (two, ace, True, True),
        (queen, king, True, True),
        (two, king, False, False),
        (king, king, False, False),
    ):
        assert HOLE.follows(card, top, 1) is round_it
        assert GOLF.follows(card, top, 1) is plain


def test_any_card_begins_an_empty_pile() -> None:
    board = deal_number(1, ROW)
    assert board.pile == ()
    assert len(board.moves(ROW)) == 13
    after = board.apply(board.moves(ROW)[12])
    assert after.pile == (parse_card("AS"),)
    assert all(card_name(move.card)[0] in "2K" for move in after.moves(ROW))


def test_the_stock_is_turned_as_long_as_columns_have_cards() -> None:
    board = deal_number(24, GOLF)
    assert (len(board.stock), board.pile) == (16, (parse_card("JH"),))
    turn = board.moves(GOLF)[-1]
    assert turn == Move(parse_card("TD"), STOCK, PILE)
    after = board.apply(turn)
    assert after.pile == (parse_card("JH"), parse_card("TD"))
    assert after.stock == board.stock[1:]
    won = replace(after, columns=((),) * 7, pile=(*after.pile, *sum(after.columns, ())))
    assert won.is_goal() and not won.moves(GOLF)
    won.validate(GOLF)


@pytest.mark.parametrize("name", ["black_hole", "golf", "all_in_a_row"])
def test_moves_that_no_rules_allow(name: str) -> None:
    rules = GAMES[name]
    board = deal_number(3, rules)
    top, below = board.columns[0][-1], board.columns[0][-2]
    for move in (
        Move(below, Place("column", 0), PILE),
        Move(top, Place("column", 0), Place("column", 1)),
        Move(top, Place("column", 0), Place("foundation", top & 3)),
        Move(top, STOCK, PILE),
        Move(top, Place("column", 0), STOCK),
        Move(top, Place("column", 0), PILE, count=2),
    ):
        with pytest.raises(IllegalMoveError):
            board.apply(move)
    with pytest.raises(IllegalMoveError):
        freecell = deal_number(3, GAMES["freecell"])
        freecell.apply(Move(freecell.columns[0][-1], Place("column", 0), PILE))


def test_positions_that_differ_in_what_lies_under_the_top_card() -> None:
    one = Deal.from_text("Pile: KS KD KC\nKH\n" + LEFT, HOLE).position
    other = Deal.from_text("Hole: KD KS KC\n:\nKH\n" + LEFT, HOLE).position
    third = Deal.from_text("Waste: KD KC KS\nKH\n" + LEFT, HOLE).position
    assert one.canonical() == other.canonical() != third.canonical()


@pytest.mark.parametrize(
    "game, text, message",
    [
        ("golf", "Pile: KS KH\nPile: KD\nKC\n", "line 3, column 1: a pile a second time, expect"),
        ("golf", "Stock: KS\nPile: KH KS\nKD KC", "line 3, column 10: KS is already at line 2"),
        ("golf", "Pile: KS KH KD XX", "line 2, column 16: unknown card 'XX'"),
        ("golf", "Freecells: KS\nKH KD KC", "line 2, column 12: 'KS' is one freecell too many"),
        ("black_hole", "Stock: KS\nKH KD KC", "a stock, expected none"),
        ("black_hole", "Pile: KS\nKH KD", "missing card KC, expected all 52"),
        ("freecell", "Pile: KS\nKH KD KC", "line 2, column 1: a pile, expected none in freecell"),
    ],
)
def test_bad_boards(game: str, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Deal.from_text(LEFT + text, GAMES[game], "board")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_foundations_are_the_ranks_that_a_deck_is_without() -> None:
    text = "Foundations: H-K S-Q D-Q C-Q\nPile: KS\nKD KC"
    with pytest.raises(InputError, match="foundations of different heights"):
        Deal.from_text(text, HOLE)


def test_boards_as_json() -> None:
    golf = rules_for("golf", columns=2)
    text = (
        '{"tableau piles": [["AS", "AH"], ["2S"]], "hole": "2H", "stock": ["AD", "AC", "2D", "2C"]}'
    )
    board = Deal.from_text(text, golf).position
    assert board.pile == (parse_card("KH"),)
    assert [card_name(card) for card in board.stock] == ["KC", "KD", "QC", "QD"]
    assert board.foundations == (11,) * 4
    with pytest.raises(InputError, match="'cells' has no place in golf"):
        Deal.from_text('{"tableau piles": [["AS"]], "cells": ["2S"]}', golf)


@pytest.mark.parametrize(
    "changes",
    [
        {"freecells": 1},
        {"build": "suit"},
        {"fill": "any"},
        {"moves": "runs", "build": "suit"},
        {"kings_sunk": True},
        {"columns": 18},
        {"stock": 53},
        {"pile": "both"},
    ],
)
def test_rules_that_cannot_be(changes: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        replace(HOLE, **changes)  # type: ignore[arg-type]


def test_a_stock_and_a_pile_are_for_games_of_one_pile() -> None:
    for changes in ({"stock": 4}, {"layout": "pile AS"}, {"layout": "turned 2"}):
        with pytest.raises(UsageError):
            replace(GAMES["freecell"], **changes)


@pytest.mark.parametrize("name", ["black_hole", "golf", "all_in_a_row"])
def test_rules_in_words_and_back(name: str) -> None:
    rules = GAMES[name]
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules
    pile: Pile = "ends" if rules.pile == "wrap" else "wrap"
    other = replace(rules, pile=pile, name="mine", stock=rules.stock and 3)
    assert rules_of_notes(", ".join(rules_notes(other))) == other
    plain = replace(GAMES["freecell"], freecells=0, build="none", fill="none", layout="")
    assert with_moving(plain, moving(rules)).pile == rules.pile
    with pytest.raises(UsageError):
        with_moving(plain, f"{moving(rules)} reserve")
    assert rules_from({"name": "x", "columns": 8, "freecells": 4, "build": "suit",
                       "fill": "any"}).pile == "none"  # fmt: skip
