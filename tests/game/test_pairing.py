"""Pairing games: what is legal, boards as text and JSON, rules that cannot be."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from helpers.pair_games import PAIR_GAMES, small_deck

from dbmsolver.errors import IllegalMoveError, InputError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Pairs
from dbmsolver.game.library import FILES
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.moves import REMOVED, STOCK, WASTE, Move, Place
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.titles import rules_notes, rules_of_notes

PYRAMID, RELAXED = GAMES["pyramid"], GAMES["relaxed_pyramid"]
LEFT = "Foundations: H-T S-T D-T C-T\n"
"""A deck of jack, queen and king: queens make pairs with jacks."""
SMALL = replace(
    PYRAMID, name="small", columns=3, stock=6, layout="home A 2 3 4 5 6 7 8 9 T; pyramid"
)


def card(name: str) -> int:
    return parse_card(name)


def names(position: Position, rules: Rules) -> list[str]:
    return [str(move) for move in position.moves(rules)]


def small(text: str, rules: Rules = SMALL) -> Position:
    return Deal.from_text(LEFT + text, rules).position


BOARD = "Waste: JH\nStock: QH KH JD KC KS\n    QS\n  JS  QC\nJC  QD  KD\n"


def test_what_is_free() -> None:
    board = small(BOARD)
    assert board.columns == (
        (card("QS"), card("JS"), card("JC")),
        (card("QC"), card("QD")),
        (card("KD"),),
    )
    # In the second row nothing is free; the waste makes pairs with the pyramid, and the stock.
    assert names(board, SMALL) == [
        "KD from column 3 removed",
        "JC from column 1 and QD removed",
        "JC from column 1 and QH removed",
        "JH from waste and QD removed",
        "JH from waste and QH removed",
        "QH from stock to waste",
    ]
    closed = replace(SMALL, free_stock=False)
    assert not [move for move in board.moves(closed) if card("QH") in (move.card, move.other)][:-1]


def test_a_card_is_free_when_both_that_cover_it_are_gone() -> None:
    board = small(BOARD)
    for name, freed in (("QD", False), ("KD", True)):
        move = next(m for m in board.moves(SMALL) if card(name) in (m.card, m.other))
        board = board.apply(move)
        free = [place for one, place in board.available() if one == card("QC")]
        assert free == ([Place("column", 1)] if freed else [])
    assert board.apply(next(m for m in board.moves(SMALL) if m.card == card("JS"))).columns[0] == (
        card("QS"),
    )


def test_the_stock_is_turned_and_turned_over() -> None:
    measure = measure_of(SMALL, "none")
    board = small(BOARD)
    length = 0
    for passes in range(3):
        for _ in range(len(board.stock)):
            (turn,) = [
                m for m in board.moves(SMALL) if m.source == STOCK and m.destination == WASTE
            ]
            board, length = board.apply(turn), length + measure.cost(turn)
        over = [move for move in board.moves(SMALL) if move.destination == STOCK]
        assert len(over) == (passes < 2)
        for move in over:
            assert (move.count, measure.cost(move)) == (6, 0)
            board = board.apply(move)
            assert not board.waste and len(board.stock) == 6
    assert length == 5 + 6 + 6


@pytest.mark.parametrize("rules", [SMALL, replace(SMALL, pairs="pyramid")])
def test_when_it_is_won(rules: Rules) -> None:
    text = "Removed: KH KC JD QD JC QC JH QH JS QS\nWaste: KS\n{}KD\n"
    board = Deal.from_text(LEFT + text.format(""), replace(rules, columns=3)).position
    assert not board.is_goal() and board.left == (2 if rules.pairs == "all" else 1)
    (move,) = [move for move in board.moves(rules) if move.card == card("KD")]
    board = board.apply(move)
    assert board.is_goal() == (rules.pairs == "pyramid")
    if board.is_goal():
        assert not board.moves(rules)
    else:
        (king,) = board.moves(rules)[:1]
        assert board.apply(king).is_goal()


def test_moves_that_no_rules_allow() -> None:
    board = small(BOARD)
    queen, jack, king = card("QD"), card("JC"), card("KD")
    at = Place("column", 1)
    for move in (
        Move(card("QC"), at, REMOVED, other=jack),  # covered
        Move(queen, Place("column", 0), REMOVED, other=jack),  # elsewhere
        Move(queen, at, REMOVED, other=card("JS")),  # the other one is covered
        Move(queen, at, REMOVED, other=queen),
        Move(queen, at, REMOVED, count=2),
        Move(king, Place("column", 2), Place("foundation", king & 3)),
        Move(king, Place("column", 2), WASTE),
        Move(card("JH"), WASTE, STOCK),  # there is a stock
        Move(card("KH"), STOCK, WASTE),
    ):
        with pytest.raises(IllegalMoveError):
            board.apply(move)


def test_ranks_that_make_pairs() -> None:
    for one, other, fits in (
        ("AS", "QH", True),
        ("6S", "7S", True),
        ("KS", "KH", False),
        ("5S", "7S", False),
    ):
        assert PYRAMID.is_pair(card(one), card(other), 1) is fits
    # In a deck of twelve ranks the sixth one makes pairs with itself: it is played as sevens.
    assert PYRAMID.is_pair(card("7S"), card("7H"), 2)
    assert not PYRAMID.is_pair(card("7S"), card("7S"), 2)


@pytest.mark.parametrize("game", PAIR_GAMES)
def test_random_games_keep_what_they_must(game: str) -> None:
    for seed in range(20):
        random = Random(seed)
        deal = Deal.from_number(seed + 1, GAMES[game]) if seed < 4 else small_deck(random)
        position, rules, measure = deal.position, deal.rules, Measure(deal.rules, "none", "turns")
        while moves := position.moves(rules):
            move = random.choice(moves)
            after = position.apply(move)
            after.validate(rules)
            text = format_board(after, rules)
            read = Deal.from_text(text, rules).position
            assert read == replace(after, turns=read.turns)  # type: ignore[attr-defined]
            assert after.turns == read.turns or not (after.stock or after.waste)
            gone = len(after.removed) - len(position.removed)  # type: ignore[attr-defined]
            assert gone == (move.destination == REMOVED) * (1 + (move.other is not None))
            assert position.left - after.left <= gone
            assert measure.cost(move) == (move.destination != STOCK)
            position = after
        assert isinstance(position, Pairing)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KD\nQS JS KC\n", "line 3, column 1: 3 cards in row 2 of the pyramid, expected 2, -- for"),
        (": KD QS\n", "line 2, column 1: a column, expected the rows of a pyramid"),
        ("QS\nJS QC\nJC QD KD\nKS KC KH JH\n", "line 5, column 1: one row too many"),
        ("QS\nJS --\nJC QD KD\n", "line 4, column 4: QD covers a place where no card is"),
        ("QS\n-- JS\n-- QD KD\n", "line 4, column 4: QD covers a place where no card is"),
        ("Turns: 1\nTurns: 1\nQS\n", "line 3, column 1: expected one line with one number, as in"),
        ("Removed: KS JS\nQS\n", "JS is removed without a card that it makes a pair with"),
        ("Turns: 3\nQS\n", "3 turns of the waste, expected at most 2"),
        ("Stock: KS KD KH KC JS JD JH\nQS\n", "7 cards in stock and waste, expected at most 6"),
        ("Pile: KS\nQS\n", "9 cards are missing"),
    ],
)
def test_bad_boards(text: str, message: str) -> None:
    rest = [name for name in (r + s for r in "JQK" for s in "HSDC") if name not in text]
    if "Removed: KS JS" in text:
        text = text.replace("KS JS", "KS JS " + " ".join(n for n in rest if n[0] == "K"))
        rest = [name for name in rest if name[0] != "K"]
        text = f"Stock: {' '.join(rest[:6])}\n{text}"
    elif text.startswith("Turns"):
        text += f"{rest[0]} {rest[1]}\n{' '.join(rest[2:5])}\nStock: {' '.join(rest[5:])}\n"
    elif text.startswith("Stock"):
        text += f"{rest[0]} {rest[1]}\n{' '.join(rest[2:4])} --\n"
    if text.startswith("Pile"):
        with pytest.raises(InputError):
            small(text)
        return
    with pytest.raises(InputError) as caught:
        small(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_boards_of_other_games() -> None:
    with pytest.raises(InputError, match="removed cards, expected none in golf"):
        Deal.from_text("Removed: KS\nKD KC\n", GAMES["golf"])
    with pytest.raises(InputError, match="removed cards a second time"):
        Deal.from_text("Removed: KS\nRemoved: KD\n", PYRAMID)
    text = format_board(deal_number(1, PYRAMID))
    for name in ("klondike", "freecell"):
        with pytest.raises(InputError):
            Deal.from_text(text, GAMES[name])


def test_boards_as_json() -> None:
    text = (
        '{"pyramid": [["2S"], ["AS", "2C"], ["AC", null, "3D"]], "waste": ["AH"], '
        '"stock": ["3S", "3C", "2H"], "removed": ["2D", "AD", "3H"]}'
    )
    board = Deal.from_text(text, SMALL).position
    assert isinstance(board, Pairing)
    assert [card_name(one) for one in board.stock] == ["QH", "KC", "KS"]
    assert list(map(len, board.columns)) == [3, 1, 1]
    assert (board.foundations, board.turns, board.whole) == ((10,) * 4, 2, True)
    text = (
        '{"pyramid": [["2S"], ["AS", "2C"], ["AC", null, "AH"]], "stock": ["2H"], '
        '"removed": ["3H", "3S", "3D", "3C", "2D", "AD"]}'
    )
    late = Deal.from_text(text, SMALL).position
    assert [card_name(one) for one in late.stock] == ["QH"]
    for wrong, message in (
        ('{"pyramid": [["2S", "AS"]]}', "at most 3 rows of 1, 2, 3"),
        ('{"pyramid": [["2S"]], "hole": []}', "'hole' has no place in small"),
        ('{"pyramid": "2S"}', "expected a list"),
    ):
        with pytest.raises(InputError, match=message):
            Deal.from_text(wrong, SMALL)


@pytest.mark.parametrize(
    "changes",
    [
        {"freecells": 1},
        {"build": "suit"},
        {"fill": "any"},
        {"moves": "runs", "build": "suit"},
        {"columns": 6},
        {"columns": 8},
        {"stock": 23},
        {"draw": 3},
        {"passes": 0},
        {"passes": 17},
        {"pairs": "both"},
        {"pairs": "none"},
        {"pile": "wrap"},
        {"removable": True},
    ],
)
def test_rules_that_cannot_be(changes: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        replace(PYRAMID, **changes)  # type: ignore[arg-type]


def test_a_pyramid_is_for_pairing_games() -> None:
    for changes in ({"layout": "pyramid"}, {"free_stock": True}):
        with pytest.raises(UsageError):
            replace(GAMES["freecell"], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", PAIR_GAMES)
def test_rules_in_words_and_back(name: str) -> None:
    rules = GAMES[name]
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules
    pairs: Pairs = "all" if rules.pairs == "pyramid" else "pyramid"
    other = replace(rules, pairs=pairs, name="mine", passes=2, free_stock=False)
    assert rules_of_notes(", ".join(rules_notes(other))) == other
    plain = replace(GAMES["freecell"], freecells=0, build="none", fill="none", layout="", columns=7)
    moved = with_moving(plain, moving(other))
    assert (moved.pairs, moved.passes, moved.free_stock) == (pairs, 2, False)
    for wrong in (f"{moving(rules)} reserve", "pairs-both", "pairs-all stock-24"):
        with pytest.raises(UsageError):
            with_moving(plain, wrong)


def test_numbers_need_a_layout() -> None:
    with pytest.raises(InputError, match="nothing says how its pyramid is dealt"):
        deal_number(1, replace(PYRAMID, layout="", name="mine"))


def test_metrics() -> None:
    assert measure_of(PYRAMID, "wkr").metric == "turns"
    for metric in ("cards", "runs", "moves", "plays"):
        with pytest.raises(UsageError, match=f"^metric {metric} in pyramid, expected turns$"):
            measure_of(PYRAMID, "wkr", metric)  # type: ignore[arg-type]


TEXT = (FILES / "pyramid.game").read_text(encoding="utf-8")
REMOVALS = "    Remove Any[2] Sum[13]\n    Remove SingleCard Rank[K]\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Sum[13]", "Sum[12]", "line 29, column 5: Pyramid cannot be played: Sum[12]: expected"),
        ("Times[3]", "Times[Unlimited]", "Times[Unlimited]: expected 1 to 16 times"),
        (" Times[3]", "", "Stock: it is not said how often"),
        ("Pyramid[7]", "Pyramid[8]", "Tableau[8]: expected at most 7"),
        ("Pyramid[7]", "DropStack[7]", "DropStack: expected one of Pyramid for it"),
        (
            "    Remove TopStack",
            "    Remove TopStack\n    Reserve Face",
            "Reserve: in a game of pairs",
        ),
        ("{30..52}", "{30..51}", "52 cards in the deck, and 51 are dealt, expected all"),
        ("{29}", "{30}", "expected the cards from 29 on"),
        ("Rows[7]", "Diagonal", "expected Rows[7] for a pyramid"),
        (REMOVALS, "    Remove Any[2] Sum[13]\n", "expected Remove Any[2] Sum[13], and Remove"),
        ("SingleStack", "AllInFoundation", "expected TableauEmpty or SingleStack"),
        ("KingHigh", "Cyclic", "Cyclic: the king is the highest card"),
        ("Rank[K]", "Rank[K] SourceElement[Stock]", "SourceElement: "),
        ("    Stock TopStack\n", "", "expected both Stock and Wastepile, or neither"),
    ],
)
def test_files_that_are_not_played(old: str, new: str, message: str) -> None:
    from dbmsolver.game.language.reading import parse
    from dbmsolver.game.language.understanding import understand

    assert old in TEXT
    found = understand(parse(TEXT.replace(old, new), "my.game"), "my")
    with pytest.raises(InputError) as caught:
        found.playable("Pyramid", "my.game")
    problems = "; ".join(f"{one.at}: Pyramid cannot be played: {one}" for one in found.problems)
    assert message in problems
    assert "\n" not in str(caught.value)


def test_variants_in_words_of_the_language() -> None:
    from dbmsolver.game.language.reading import parse
    from dbmsolver.game.language.understanding import understand

    places = "SourceElement[Tableau] SourceElement[Wastepile]"
    text = TEXT.replace("Sum[13]", f"Sum[13] {places}").replace("Rank[K]", f"Rank[K] {places}")
    rules = understand(parse(text, "my.game"), "my").playable("my", "my.game")
    assert rules == replace(PYRAMID, free_stock=False)
    over = "    Stock FullStack OnBlank SourceElement[Wastepile] Times[3]\n"
    rules = understand(parse(TEXT.replace(over, ""), "my.game"), "my").playable("my", "my.game")
    assert rules == replace(PYRAMID, passes=1)
    text = TEXT.replace("Sum[13]", "Sum[7]").replace("KingHigh", "Ranks[7]")
    text = text.replace("        Wastepile {29}\n        Stock {30..52}\n", "")
    text = "\n".join(
        line for line in text.splitlines() if "Stock " not in line or "Stack" not in line
    )
    text = "\n".join(line for line in text.splitlines() if "Wastepile" not in line)
    rules = understand(parse(text, "my.game"), "my").playable("my", "my.game")
    assert (rules.stock, rules.draw, rules.passes, rules.columns) == (0, 0, 0, 7)
    assert rules_for(rules).layout == "home A 2 3 4 5 6; pyramid"
