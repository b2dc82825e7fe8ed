"""Deals from numbers, compared with pysol-cards, and boards from text."""

import io
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysol_cards.cards import CardRenderer
from pysol_cards.deal_game import Game
from pysol_cards.random import shuffle
from pysol_cards.random_base import RandomBase

from dbmsolver.errors import InputError
from dbmsolver.game.cards import parse_card, rank
from dbmsolver.game.deals import Deal, deal_number, dealing, format_board, parse_board
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, SHIPPED, rules_for

FREECELL = GAMES["freecell"]
DEAL_1 = """\
JD KD 2S 4C 3S 6D 6S
2D KC KS 5C TD 8S 9C
9H 9S 9D TS 4S 8D 2H
JC 5S QD QH TH QS 6H
5D AD JS 4H 8H 6C
7H QC AS AC 2C 3D
7C KH AH 4D JH 8C
5H 3H 3C 7S 7D TC
"""
EDGES = [1, 2, 32000, 32001, 10**6, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**33 - 1]
PYSOL = [name for name, game in SHIPPED.items() if "pysol-cards" in game.numbers]
MIDGAME = "Foundations: H-K S-J D-K C-J\n"


def pysol_board(game: str, number: int) -> list[str]:
    text = Game(game, number, RandomBase.DEALS_MS).calc_layout_string(CardRenderer(True))
    return [line.rstrip(" -") for line in text.splitlines()]


def same_as_pysol(game: str, number: int) -> bool:
    if GAMES[game].has_pile:  # pysol-cards writes the pile as foundations, the stock as talon
        text = "\n".join(pysol_board(game, number))
        return parse_board(text, GAMES[game]) == deal_number(number, GAMES[game])
    if GAMES[game].draw:  # the stock is the talon; Whitehead's cards are not shown face up there
        text = "\n".join(pysol_board(game, number))
        text = re.sub("[<>]", "", text) if game == "whitehead" else text
        return parse_board(text, GAMES[game]) == deal_number(number, GAMES[game])
    board = format_board(deal_number(number, GAMES[game]))
    return [line.rstrip(" -") for line in board.splitlines()] == pysol_board(game, number)


WIDE_SUITS = {"spider_one_suit": "CCCC", "spider_two_suits": "CCHH"}
"""The suits of a deck of these games in the order of PySolFC: those of registerGame."""
TWO_DECKS = ("spider", "spider_one_suit", "spider_two_suits", "gypsy", "forty_thieves")


def wide_board(game: str, number: int) -> list[str]:
    """Return the board that PySolFC deals: dealRow by dealRow, as startGame of its class does."""
    suits = WIDE_SUITS.get(game, "CSHD")
    decks = 2 if game in TWO_DECKS else 1
    cards = [rank + suit for _ in range(decks) for suit in suits for rank in "A23456789TJQK"]
    stock = iter(shuffle(cards, number, RandomBase.DEALS_MS)[::-1])  # dealt from its end
    columns: list[list[str]] = [[] for _ in range(GAMES[game].columns)]

    def row(places: Iterable[int], up: bool = False) -> None:
        for place in places:
            card = next(stock)
            columns[place].append(card if up else f"<{card}>")

    every = range(len(columns))
    if game.startswith("spider_") or game == "spider":
        for _ in range(4):
            row(every)
        row((0, 3, 6, 9))
    elif game == "spiderette":
        for first in range(1, 7):
            row(every[first:])
    elif game == "scorpion":
        for down in (4, 4, 4, 0, 0, 0):
            row(every[:down])
            row(every[down:], True)
    else:
        for _ in range({"forty_thieves": 3}.get(game, 2)):
            row(every, game == "forty_thieves")
    row(every, True)
    return [f"Stock: {' '.join(stock)}", *map(" ".join, columns)]


def pysolfc_board(game: str, number: int) -> list[str]:
    """Return the board that PySolFC deals for a Microsoft number, by the source of its games."""
    if GAMES[game].is_wide:
        return wide_board(game, number)
    if game == "russian_solitaire":  # class RussianSolitaire(Yukon) with other stacks
        return pysol_board("yukon", number)
    if game == "trigon":  # class Trigon(Klondike) with other stacks
        board = "\n".join(pysol_board("klondike", number))
        return format_board(parse_board(board, GAMES["klondike"])).splitlines()
    pysol = Game("freecell", number, RandomBase.DEALS_MS)
    pysol.deal()
    if "pyramid" in game:  # startGame: dealRow() to 28 stacks, row by row, then dealCards()
        cards = CardRenderer(True).render_l(pysol.cards)
        lines = [f"Waste: {cards[28]}", f"Stock: {' '.join(cards[29:])}", "Turns: 2"]
        starts = [row * (row + 1) // 2 for row in range(8)]
        rows = ["  ".join(cards[starts[row] : starts[row + 1]]) for row in range(7)]
        return lines + ["  " * (6 - number) + row for number, row in enumerate(rows)]
    if "challenge" in game:  # _shuffleHookMoveToTop: aces and twos are the first cards to be dealt
        low = sorted((c for c in pysol.cards if c.rank <= 2), key=lambda c: (-c.rank, c.suit))
        pysol.cards = low + [c for c in pysol.cards if c.rank > 2]
    rendered = CardRenderer(True).render_l(pysol.cards)
    if game == "canfield":  # startGame: the base, thirteen to the reserve, dealRow(reverse=1)
        base, held, row = rendered[0], rendered[1:14], rendered[14:18]
        tops = [f"{suit}-{base[0] if suit == base[1] else 0}" for suit in "HCDS"]
        lines = [f"Foundations: {' '.join(tops)}", f"Base: {base[0]}"]
        lines += [f"Reserve: {' '.join(held)}", f"Stock: {' '.join(rendered[18:])}"]
        return [*lines, *row[::-1]]
    if game in (
        "penguin",
        "opus",
    ):  # _shuffleHookMoveToTop, by the first card's rank; three go home
        base = rendered[0][0]
        same = [card for card in rendered if card[0] == base]
        home = {card[1] for card in same[:3]}
        tops = [f"{suit}-{base if suit in home else 0}" for suit in "HCDS"]
        rows = [*same[3:], *(card for card in rendered if card[0] != base)]
        lines = [f"Foundations: {' '.join(tops)}"] + ([f"Base: {base}"] if base != "A" else [])
        return [*lines, *(" ".join(rows[column::7]) for column in range(7))]
    told = game in ("bath", "somerset", "king_albert") or "challenge" in game
    in_turn = not (GAMES[game].layout or GAMES[game].is_patience)
    assert told or in_turn, f"tell pysolfc_board how PySolFC deals {game}"
    end = 52 - GAMES[game].dealt_to_freecells
    reserve = ["Freecells: " + " ".join(rendered[end:])] if end < 52 else []
    cards = iter(rendered[:end])
    rows = GAMES[game].columns
    columns: list[list[str]] = [[] for _ in range(rows)]
    if game in ("bath", "somerset"):
        # dealRow(rows=rows[i:]) six times, then rows[6:] and rows[7:]
        order = [column for row in range(8) for column in range(row, rows)]
    elif game == "king_albert":  # dealRow(rows=rows[1:]) and so on, then dealRow()
        order = [column for row in (*range(1, 9), 0) for column in range(row, rows)]
    else:  # dealRow as often as there are enough cards, then dealRowAvail
        order = [card % rows for card in range(end)]
    for column, card in zip(order, cards, strict=True):
        columns[column].append(card)
    return reserve + [" ".join(column) for column in columns]


def test_every_game_has_numbers_that_are_compared() -> None:
    """By the text of `Numbers` tests choose what they compare a layout with."""
    assert {game.numbers for game in SHIPPED.values()} == {
        "PySolFC and pysol-cards",
        "PySolFC",
        "dbmsolver",  # of no other program
    }


@pytest.mark.parametrize("game", [name for name in GAMES if SHIPPED[name].numbers == "PySolFC"])
def test_deals_as_pysolfc_does(game: str) -> None:
    for number in EDGES:
        board = format_board(deal_number(number, GAMES[game])).splitlines()
        assert board == pysolfc_board(game, number), number


@pytest.mark.parametrize("game", PYSOL)
def test_deals_as_pysol_cards_does_at_the_edges(game: str) -> None:
    for number in EDGES:
        assert same_as_pysol(game, number), number


@settings(deadline=None)
@given(
    game=st.sampled_from(PYSOL),
    number=st.one_of(
        st.integers(1, 2**31 - 1),
        st.integers(2**31, 2**32 - 1),
        st.integers(2**32, 2**33 - 1),
    ),
)
def test_deals_as_pysol_cards_does(game: str, number: int) -> None:
    assert same_as_pysol(game, number)


def test_deal_1() -> None:
    assert format_board(deal_number(1, FREECELL)) == DEAL_1


@pytest.mark.parametrize(
    "number, first, last",
    [
        (-1, "AC 3C 5C 7C 9C JC KC", "QS TS 8S 6S 4S 2S"),
        (-2, "AS KS QS JS TS 9S 8S", "7C 6C 5C 4C 3C 2C"),
    ],
)
def test_the_unnumbered_deals(number: int, first: str, last: str) -> None:
    position = deal_number(number, FREECELL)
    position.validate(FREECELL)
    lines = format_board(position).splitlines()
    assert (lines[0], lines[-1]) == (first, last)
    assert deal_number(number, GAMES["bakers_game"]) == position


@pytest.mark.parametrize("game", ["eight_off", "seahaven_towers", "forecell", "bakers_dozen"])
def test_the_unnumbered_deals_are_boards_of_eight_columns(game: str) -> None:
    with pytest.raises(InputError, match=r"^deal -1: .* expected a game that deals all cards to 8"):
        deal_number(-1, GAMES[game])


@pytest.mark.parametrize(
    "change",
    [
        {"columns": 7},
        {"columns": 9},
        {"dealt_to_freecells": 2},
        {"kings_sunk": True},
        {"layout": "backwards"},
    ],
)
def test_the_unnumbered_deals_need_all_cards_in_eight_columns(change: dict[str, Any]) -> None:
    for number in (-1, -2):
        with pytest.raises(InputError, match=rf"^deal {number}: .* that deals all cards to 8 col"):
            deal_number(number, replace(FREECELL, **change))


@pytest.mark.parametrize("number", [0, -3, 2**33, 10**30])
def test_numbers_out_of_range(number: int) -> None:
    for attempt in (deal_number, Deal.from_number):
        with pytest.raises(
            InputError, match=r"expected a number from 1 to 8589934591, or -1 or -2"
        ):
            attempt(number, FREECELL)


@settings(deadline=None)
@given(
    game=st.sampled_from(
        sorted(
            name
            for name, rules in GAMES.items()
            if not {"diagonal", "auto", "columns"} & set(rules.layout.split())
            and not (rules.only_leave or rules.is_patience or rules.is_wide)
        )
    ),
    columns=st.integers(1, 13),
    freecells=st.integers(0, 13),
    number=st.integers(1, 2**33 - 1),
)
def test_any_layout_is_dealt_evenly_and_read_back(
    game: str, columns: int, freecells: int, number: int
) -> None:
    rules = rules_for(game, freecells, columns)
    position = deal_number(number, rules)
    position.validate(rules)
    heights = [len(column) for column in position.columns]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[-1] <= 1
    dealt = sum(card is not None for card in position.freecells)
    assert dealt == min(freecells, GAMES[game].dealt_to_freecells)
    assert parse_board(format_board(position, rules), rules) == position


@given(st.integers(1, 2**33 - 1))
def test_kings_sink(number: int) -> None:
    for column in deal_number(number, GAMES["bakers_dozen"]).columns:
        kings = [rank(card) == 13 for card in column]
        assert kings == sorted(kings, reverse=True)


def test_dealing_says_whose_convention_it_is() -> None:
    for rules in GAMES.values():
        assert "Microsoft" in dealing(rules)
        numbers = SHIPPED[rules.name].numbers
        assert dealing(rules).endswith(f", numbered as by {numbers}")
    assert "PySol" not in dealing(rules_for("freecell", columns=7))
    assert "the last card to freecells" in dealing(rules_for("eight_off", freecells=1))
    assert "kings sunk" in dealing(GAMES["bakers_dozen"])
    deck = "Microsoft deck of that number (FreeCell Pro's above 2^31)"
    turn = "dealt to 8 columns in turn"
    assert dealing(rules_for("freecell", columns=7)) == f"{deck}, {turn.replace('8', '7')}"
    assert dealing(replace(FREECELL, dealt_to_freecells=2)) == (
        f"{deck}, {turn}, the last 2 cards to freecells"
    )
    assert dealing(replace(FREECELL, layout="home AH")) == (
        f"{deck}, {', '.join(layout_of('home AH').words(8))}"
    )
    assert dealing(replace(GAMES["golf"], name="my")) == (
        f"{deck}, {turn.replace('8', '7')}, the next card to the pile, the rest is the stock"
    )


# Boards


@pytest.mark.parametrize(
    "text",
    [
        DEAL_1,
        DEAL_1.rstrip("\n"),
        "\ufeff" + DEAL_1,
        DEAL_1.replace("\n", "\r\n"),
        DEAL_1.replace("\n", "\r"),
        DEAL_1.replace("T", "10"),
        DEAL_1.lower(),
        "".join(": " + line + "\n" for line in DEAL_1.splitlines()),
        "".join("  :" + line + " \n" for line in DEAL_1.splitlines()),
        "# deal 1\n\n" + DEAL_1.replace("\n", "\t# a column\n\n  # another\n"),
        DEAL_1.replace(" ", " \t "),
        DEAL_1 + "Foundations: H-0 C-0 D-0 S-0\nFreecells: - - - -\n",
        "Freecells:\nFoundations: -\n" + DEAL_1,
        DEAL_1.replace("5D AD", "FREECELLS : -\n5D AD") + "foundations:",
        "FC: * * * *\nFounds: ♥-0 ♣-0 ♦-0 ♠-0\n" + DEAL_1,
        "Decks:\nFreecell:\t\n" + DEAL_1,
        DEAL_1.translate(str.maketrans("HSDC", "♥♠♦♣")),
        DEAL_1.translate(str.maketrans("HSDC", "♡♤♢♧")).lower(),
        DEAL_1.replace("H", "♥\ufe0f").replace("T", "10"),
        "\ufeff" + DEAL_1.lower().replace("t", "10").replace(" ", "\t").replace("\n", "  \r\n"),
    ],
)
def test_spellings_of_one_board(text: str) -> None:
    assert parse_board(text, FREECELL) == deal_number(1, FREECELL)


def test_a_position_in_the_middle_of_a_game() -> None:
    text = "QC\n:\nFoundations: S-10 H-K c-J d-k\nKS JS\nFreecells: KC - qs"
    position = parse_board(text, FREECELL)
    names = [[parse_card(name) for name in column.split()] for column in ("QC", "", "KS JS")]
    assert position.columns == (*map(tuple, names), (), (), (), (), ())
    assert position.freecells == (parse_card("KC"), None, parse_card("QS"), None)
    assert position.foundations == (13, 10, 13, 11)
    assert parse_board(text.replace("10", "t"), FREECELL) == position
    assert format_board(position) == (
        "Foundations: H-K C-J D-K S-T\nFreecells: KC - QS -\nQC\n:\nKS JS\n" + ":\n" * 5
    )


def test_the_goal_is_a_board() -> None:
    text = "Foundations: H-K C-K D-K S-K\n"
    assert parse_board(text, FREECELL).is_goal()
    assert parse_board(format_board(parse_board(text, FREECELL)), FREECELL).is_goal()


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(GAMES)), st.integers(1, 10**6), st.integers(0, 10**9))
def test_what_is_printed_is_read_back(game: str, number: int, seed: int) -> None:
    rules, random = GAMES[game], Random(seed)
    position = deal_number(number, rules)
    for _ in range(60):
        assert parse_board(format_board(position, rules), rules) == position
        successors = position.successors(rules, "wkr")
        if not successors:
            break
        _, position = random.choice(successors)


HALF = MIDGAME + "QC QS\nKS KC\n"


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "no cards, expected a board of 52"),
        ("# nothing\n:\n:\n", "no cards, expected a board of 52"),
        (DEAL_1.replace("JD", "XD"), "line 1, column 1: unknown card 'XD', expected a rank"),
        (DEAL_1.replace("8S 9C", "8S 9CC"), "line 2, column 19: unknown card '9CC'"),
        ("\ufeff" + DEAL_1.replace("JD", "1D"), "line 1, column 1: unknown card '1D'"),
        (DEAL_1.replace("\n", "\r\n").replace("5H 3H", "5H 3X"), "line 8, column 4: unknown ca"),
        (DEAL_1.replace("KD", "-"), "line 1, column 4: unknown card '-'"),
        (DEAL_1.replace("JD KD", "JD : KD"), "line 1, column 4: unknown card ':'"),
        (
            DEAL_1.replace("TC\n", "JD\n"),
            "line 8, column 16: JD is already at line 1, column 1, expected each card once",
        ),
        (DEAL_1.replace("KD ", ""), "missing card KD, expected all 52"),
        (DEAL_1.replace("KD 2S ", ""), "missing cards 2S KD, expected all 52"),
        (DEAL_1[:-24], "missing cards 3H 3C 5H 7S 7D 8C and 2 more, expected all 52"),
        ("KD\n", "missing cards AH AS AD AC 2H 2S and 45 more, expected all 52"),
        (DEAL_1 + ":\n", "line 9, column 1: one column too many, expected at most 8"),
        (DEAL_1.replace(" 6S", "\n\n  6S"), "line 10, column 1: one column too many"),
        (HALF + "Freecells: - - - - -", "line 4, column 20: '-' is one freecell too many, exp"),
        (MIDGAME + "QC QS\nKS\nFreecells: - - - - KC", "line 4, column 20: 'KC' is one freecell"),
        (HALF + "Freecells: QS", "line 4, column 12: QS is already at line 2, column 4"),
        (HALF + "Freecells: 0", "line 4, column 12: unknown card '0'"),
        (HALF + "Freecells: -\n\nfreecells: -", "line 6, column 1: Freecells a second time, exp"),
        (HALF + "Foundations: H-K", "line 4, column 1: Foundations a second time, expected only"),
        (HALF + "  Foundations: H-K", "line 4, column 3: Foundations a second time, expected onl"),
        (HALF.replace("H-K", "H-14"), "line 1, column 14: impossible foundation 'H-14', expected"),
        (HALF.replace("H-K", "H--1"), "line 1, column 14: impossible foundation 'H--1'"),
        (HALF.replace("H-K", "H-"), "line 1, column 14: impossible foundation 'H-'"),
        (HALF.replace("H-K", "KX"), "line 1, column 14: unknown foundation 'KX', expected a suit"),
        (HALF.replace("H-K", "X-K"), "line 1, column 14: unknown foundation 'X-K'"),
        (HALF.replace("H-K", "-K"), "line 1, column 14: unknown foundation '-K'"),
        (HALF.replace("D-K", "H-K"), "line 1, column 22: the foundation of hearts a second time"),
        (HALF.replace("S-J", "S-Q"), "line 2, column 4: QS is on the foundation S-Q of line 1 to"),
        (HALF.replace("S-J", "S-K"), "line 2, column 4: QS is on the foundation S-K of line 1 to"),
        (HALF.replace("S-J", "S-T"), "missing card JS, expected all 52"),
        ("Fundation: H-K\n" + DEAL_1, "line 1, column 1: unknown card 'Fundation:'"),
        ("A\0 KD", "line 1, column 2: the character U+0000 is a control character"),
        ("♥1 KD", "line 1, column 1: unknown card '♥1'"),
    ],
)
def test_bad_boards(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_board(text, FREECELL, "board.txt")
    assert caught.value.exit_code == 3
    separator = ", " if message.startswith("line") else ": "
    assert str(caught.value).startswith("board.txt" + separator + message)
    assert "\n" not in str(caught.value)


def test_freecells_of_a_game_without() -> None:
    with pytest.raises(InputError, match=r"'KC' is one freecell too many, expected at most 0"):
        parse_board(MIDGAME + "QC QS KS\nFreecells: KC", GAMES["bakers_dozen"])


@given(st.text(alphabet="AKQT012-:# \r\n\tHSDCfoundatiscr.\ufeff\x85\u2028é\0", max_size=80))
def test_any_text_is_a_board_or_one_line_of_complaint(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_board(text, FREECELL)
    assert len(str(caught.value).splitlines()) == 1


def test_a_position_of_other_rules_is_not_printed() -> None:
    with pytest.raises(InputError):
        format_board(deal_number(1, FREECELL), GAMES["seahaven_towers"])


# Where boards come from


def test_load_a_number() -> None:
    assert Deal.load("1", FREECELL) == Deal(deal_number(1, FREECELL), FREECELL, 1)
    assert Deal.load("-2", FREECELL).number == -2
    assert Deal.load("007", FREECELL).name == "7"
    for source in ("0", "-3", "8589934592", "9" * 9999):
        with pytest.raises(InputError, match=r"expected a number from 1 to 8589934591") as caught:
            Deal.load(source, FREECELL)
        assert len(str(caught.value)) < 150


def test_load_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "board"
    path.write_bytes(b"\xef\xbb\xbf" + DEAL_1.replace("\n", "\r\n").encode())
    deal = Deal.load(str(path), FREECELL)
    assert deal == Deal(deal_number(1, FREECELL), FREECELL)
    assert deal.name.startswith("board-")
    reordered = "\n".join(reversed(DEAL_1.splitlines()))
    assert Deal.from_text(reordered).name == deal.name
    assert Deal.from_text(DEAL_1.replace("6D 6S", "6S 6D")).name != deal.name
    monkeypatch.chdir(tmp_path)
    path.rename("3")
    assert Deal.load("./3", FREECELL) == deal


@pytest.mark.parametrize(
    "stdin",
    [
        io.BytesIO(DEAL_1.encode()),
        io.StringIO(DEAL_1),
        io.StringIO("\ufeff" + DEAL_1),
        io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + DEAL_1.encode()), encoding="ascii"),
    ],
)
def test_load_standard_input(stdin: io.IOBase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", stdin)
    assert Deal.load("-", FREECELL).position == deal_number(1, FREECELL)


def test_standard_input_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.BytesIO()
    closed.close()
    with pytest.raises(InputError, match=r"^<stdin>: cannot be read"):
        Deal.load("-", FREECELL, closed)
    with pytest.raises(InputError, match=r"^<stdin>, line 1, column 4: not text in UTF-8"):
        Deal.load("-", FREECELL, io.TextIOWrapper(io.BytesIO(b"JD \xff"), encoding="utf-8"))
    with pytest.raises(InputError, match=r"^<stdin>, line 1, column 1: unknown card 'x'"):
        Deal.load("-", FREECELL, io.BytesIO(b"x"))
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match=r"^<stdin>: closed, expected a board"):
        Deal.load("-", FREECELL)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"\xffJD", ", line 1, column 1: not text in UTF-8, expected a board"),
        (b"\xff\xfeJ\0D\0", ": missing cards AH AS"),
        (b"\xff\xfeJ\0D", ": not text in UTF-16, which it begins like, expected a board"),
        (DEAL_1.encode() + b"\xe9", ", line 9, column 1: not text in UTF-8"),
        (b" " * (1 << 20) + b" ", ": more than 1048576 bytes, expected a board"),
        (b"\xef\xbb\xbfJD\r\n\xc3\xa9\xe9", ", line 2, column 2: not text in UTF-8"),
        (b"", ": no cards"),
        (b"JD KX", ", line 1, column 4: unknown card 'KX'"),
    ],
)
def test_bad_files(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "board"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"^{path}{message}"):
        Deal.load(str(path), FREECELL)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\), expected a board"):
        Deal.load(str(tmp_path), FREECELL)
    with pytest.raises(InputError, match=r"no such file, expected a number from 1 to .* the path"):
        Deal.load(str(tmp_path / "absent"), FREECELL)
    for source in ("", "1.5", "+3", "a\0b", "a\nb", "x" * 5000, "\udcff", "²"):
        with pytest.raises(InputError) as caught:
            Deal.load(source, FREECELL)
        assert len(str(caught.value).splitlines()) == 1
    path = tmp_path / "secret"
    path.write_text(DEAL_1)
    path.chmod(0)
    if not os.access(path, os.R_OK):
        with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
            Deal.load(str(path), FREECELL)


def test_endless_files_are_left_soon() -> None:
    with pytest.raises(InputError, match=r"^/dev/zero: more than 1048576 bytes"):
        Deal.load("/dev/zero", FREECELL)


def test_fewer_columns_and_freecells_than_the_rules_have() -> None:
    rules = Rules("test", 13, 6, "any", "any")
    position = parse_board(MIDGAME + "QC QS KS\nFreecells: - KC", rules)
    assert isinstance(position, Position)
    assert (len(position.columns), len(position.freecells)) == (13, 6)


def test_cells_that_cards_only_leave_are_a_reserve_where_a_board_is_shown() -> None:
    rules = GAMES["king_albert"]
    deal = Deal.from_number(24, rules)
    shown, stored = format_board(deal.position, rules), format_board(deal.position)
    assert shown.startswith("Reserve: 7C JD 9D 2H QD 3D AS\n") and shown in f"{deal}\n"
    assert stored == shown.replace("Reserve:", "Freecells:")
    assert parse_board(shown, rules) == parse_board(stored, rules) == deal.position
    late = "Foundations: H-Q C-K D-K S-Q\nReserve: - KS - KH - - -\n"
    assert format_board(parse_board(late, rules), rules) == late + 9 * ":\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Reserve: - - - - - - - KS",
            "line 1, column 24: 'KS' is one card of the reserve too many",
        ),
        (
            "Reserve: KS\nFreecells: QS",
            "line 2, column 1: the reserve a second time, expected only",
        ),
    ],
)
def test_bad_reserves(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_board(text, GAMES["king_albert"])


def test_a_reserve_is_refused_where_cards_go_to_the_cells() -> None:
    with pytest.raises(InputError, match="a reserve, expected none in freecell"):
        parse_board("Reserve: KS\nQS", FREECELL)
