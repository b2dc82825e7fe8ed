"""Boards as others write them: cards run together, suits first, glyphs, rows, arrows."""

from __future__ import annotations

import re
from itertools import zip_longest

import pytest

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.cards import CARDS, RANKS, SUITS, card_name, cards_in, parse_card
from dbmsolver.game.deals import Deal, format_board, parse_board
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES, SHIPPED

FREECELL = GAMES["freecell"]
DEAL = Deal.from_number(3)
BLOCKS = {"S": 0x1F0A0, "H": 0x1F0B0, "D": 0x1F0C0, "C": 0x1F0D0}


def glyph(card: int) -> str:
    """Return the playing card of Unicode, whose queens and kings stand behind a knight."""
    name = card_name(card)
    number = RANKS.index(name[0]) + 1
    return chr(BLOCKS[name[1]] + number + (number > 11))


def columns(spell: object, between: str) -> str:
    return "\n".join(between.join(map(spell, column)) for column in DEAL.position.columns)  # type: ignore[arg-type]


def rows_of(position: Position, width: int = 3) -> str:
    """Return the board as it lies on a table, each column so wide."""
    table = zip_longest(*position.columns)
    names = ((" " if card is None else card_name(card) for card in row) for row in table)
    return "\n".join("".join(name.ljust(width) for name in row).rstrip() for row in names)


@pytest.mark.parametrize("between", ["", " ", ",", ", ", ";"])
@pytest.mark.parametrize(
    "spell",
    [
        card_name,
        lambda card: card_name(card)[::-1],
        lambda card: card_name(card)[::-1].lower(),
        lambda card: card_name(card).replace("T", "10"),
        lambda card: card_name(card)[::-1].replace("T", "10"),
        lambda card: "♥♠♦♣"[card & 3] + card_name(card)[0],
        lambda card: card_name(card)[0] + "♡♤♢♧"[card & 3] + "\ufe0f",
        glyph,
    ],
)
def test_cards_are_read_in_any_spelling_with_anything_between_them(
    spell: object, between: str
) -> None:
    assert Deal.from_text(columns(spell, between)).position == DEAL.position


def test_the_place_of_a_card_in_a_word_is_told() -> None:
    text = format_board(DEAL.position).replace("KC 7D TC", "KC7DKC")
    with pytest.raises(InputError, match=r"line 1, column 5: KC is already at line 1, column 1"):
        Deal.from_text(text)


def test_a_knight_is_no_card() -> None:
    assert parse_card(chr(0x1F0AD)) == parse_card("QS")
    with pytest.raises(InputError, match="unknown card"):
        parse_card(chr(0x1F0AC))


def test_words_that_are_not_cards_stay_whole() -> None:
    assert cards_in("KC7X") == [(0, "KC7X")]
    assert cards_in("<KC>(7D)AS") == [(0, "<KC>"), (4, "(7D)"), (8, "AS")]


def test_all_names_are_read_either_way() -> None:
    for card in range(52):
        name = RANKS[card // 4] + SUITS[card % 4]
        assert parse_card(name) == parse_card(name[::-1]) == card


def test_foundations_with_the_rank_first() -> None:
    whole = format_board(DEAL.position)
    without = whole.replace("AH", "").replace("2H", "")
    for word in ("H-2", "2-H", "2H", "2♥", "♥-2"):
        position = Deal.from_text(f"Foundations: {word}\n{without}").position
        assert position.foundations == (2, 0, 0, 0)
    # Freecell Solver takes the word for nothing, and writes it so.
    assert Deal.from_text(f"Foundations: 2-H\n{whole}").position == DEAL.position
    for text in (f"Foundations: H-2\n{whole}", f"Foundations: 2-H\n{whole.replace('AH', '')}"):
        with pytest.raises(InputError, match="is on the foundation H-2"):
            Deal.from_text(text)


def test_rows_are_not_taken_for_columns() -> None:
    text = rows_of(DEAL.position)
    with pytest.raises(InputError, match=r"the shape of rows, expected .* each column; a colon"):
        Deal.from_text(text)
    assert Deal.from_text(text, rows=True).position == DEAL.position
    as_columns = "\n".join(f": {line}" for line in text.splitlines())
    assert len(Deal.from_text(as_columns).position.columns[0]) == 8


@pytest.mark.parametrize("name", GAMES)
def test_rows_of_every_game(name: str) -> None:
    """A fresh deal as it lies on the table is read with rows, and never as columns in silence."""
    rules = GAMES[name]
    deal = Deal.from_number(7, rules)
    if any(getattr(deal.position, "hidden", ())):
        return
    board = format_board(deal.position)
    if rules.has_pairs:  # its board has rows
        assert Deal.from_text(board, rules, rows=True).position == deal.position
        return
    head = "".join(line + "\n" for line in board.splitlines() if ":" in line and line != ":")
    text = head + rows_of(deal.position)
    assert Deal.from_text(text, rules, rows=True).position == deal.position
    if SHIPPED[name].rules.layout.endswith("auto"):
        return  # cards that went home leave gaps that are not those of its shape
    if rules.base != "ace":
        return  # the base is gone from the rows, so their shape is that of no whole deal
    longest = max(map(len, deal.position.columns))
    if longest != rules.columns or rules.off_columns:
        with pytest.raises(InputError):
            Deal.from_text(text, rules)


def test_a_row_beside_base_and_reserve_is_not_taken_for_a_column() -> None:
    rules = GAMES["canfield"]
    position = Deal.from_number(7, rules).position
    lines = format_board(position).splitlines()
    board = "\n".join([*lines[:-4], " ".join(lines[-4:])])
    with pytest.raises(InputError, match="the lines have the shape of rows"):
        Deal.from_text(board, rules)
    assert Deal.from_text(board, rules, rows=True).position == position


@pytest.mark.parametrize("width", [3, 4, 5])
def test_rows_with_gaps_are_read_by_where_cards_stand(width: int) -> None:
    columns = [list(column) for column in DEAL.position.columns]
    columns[0] += [columns[2].pop(), columns[2].pop()]
    position = Position(tuple(map(tuple, columns)), (None,) * 4, (0, 0, 0, 0))
    assert Deal.from_text(rows_of(position, width), rows=True).position == position
    table = zip_longest(*position.columns)
    tabs = "\n".join("\t".join("" if c is None else card_name(c) for c in row) for row in table)
    assert Deal.from_text(tabs, rows=True).position == position


def test_tabs_tell_where_cards_stand_even_where_widths_could() -> None:
    """Three empty places of one character are as wide as one card and its tab."""
    columns = [list(column) for column in DEAL.position.columns]
    for place in range(3):
        while len(columns[place]) > 1:
            columns[3 + place].append(columns[place].pop())
    position = Position(tuple(map(tuple, columns)), (None,) * 4, (0, 0, 0, 0))
    table = zip_longest(*position.columns)
    tabs = "\n".join("\t".join("" if c is None else card_name(c) for c in row) for row in table)
    assert Deal.from_text(tabs, rows=True).position == position


def test_tabs_before_and_behind_rows_say_nothing() -> None:
    rows = "\n".join(f"\t{line}\t" for line in rows_of(DEAL.position).splitlines())
    assert Deal.from_text(rows, rows=True).position == DEAL.position


def test_lines_that_grow_are_columns() -> None:
    """Rows of a fresh deal never do."""
    lines = rows_of(DEAL.position).splitlines()
    for place in (0, 1):
        grown = [*lines[:place], lines[-1], *lines[place:-1]]
        lengths = [len(column) for column in Deal.from_text("\n".join(grown)).position.columns]
        assert lengths == [*[8] * place, 4, *[8] * (6 - place), 0]


def test_rows_that_cannot_be_placed() -> None:
    wide = rows_of(DEAL.position, 6)
    lines = rows_of(DEAL.position).splitlines()
    begun = ["   " + lines[0], *lines[1:]]
    for wrong in (wide, "\n".join(begun), "\n".join(lines[::-1])):
        with pytest.raises(InputError, match="line 1, column 1: rows with gaps, and columns that"):
            Deal.from_text(wrong, rows=True)
    with pytest.raises(InputError, match="line 2, column 4: 'KD' lies below a gap"):
        Deal.from_text("AS\n7C\tKD", rows=True)
    with pytest.raises(InputError, match="line 1, column 1: a column, expected rows"):
        Deal.from_text(":\n" + "\n".join(lines), rows=True)
    uneven = "\n".join(line.replace(" ", "   ", 1) for line in lines)
    assert Deal.from_text(uneven, rows=True).position == DEAL.position
    lines = rows_of(DEAL.position).splitlines()
    lines[-1] = " " + lines[-1]
    with pytest.raises(InputError, match="line 1, column 1: rows with gaps, and columns that"):
        Deal.from_text("\n".join(lines), rows=True)
    lines = rows_of(DEAL.position).splitlines()
    lines[1], lines[-1] = lines[-1], lines[1]
    with pytest.raises(InputError, match="lies below a gap"):
        Deal.from_text("\n".join(lines), rows=True)
    with pytest.raises(InputError, match="a column, expected rows"):
        Deal.from_text(": KC 7D", rows=True)
    with pytest.raises(UsageError, match=r"^rows says nothing about a number"):
        Deal.load("3", rows=True)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Freecells:  3S      JC    ", "3S - JC -"),
        ("Freecells:      3♠ 10c", "- 3S TC -"),
        ("Freecells:              3S  JC", "3S JC - -"),
        ("Freecells: 3S      JC", "3S - JC -"),
        ("Freecells: 3S JC QC", "3S JC QC -"),
        ("Freecells: 3S    JC", "3S JC - -"),
        ("FC:  -   3S", "- 3S - -"),
        ("Freecells:        ", "- - - -"),
    ],
)
def test_freecells_in_four_characters_each(line: str, found: str) -> None:
    """Blanks say which are empty where the line has the form that Freecell Solver gives it."""
    held = [name for name in found.split() if name != "-"]
    rest = [name for name in map(card_name, range(CARDS)) if name not in held]
    text = "\n".join([line, *(": " + " ".join(rest[start::8]) for start in range(8))])
    freecells = Deal.from_text(text).position.freecells
    assert ["-" if card is None else card_name(card) for card in freecells] == found.split()


def test_a_card_twice_in_wide_freecells_has_its_place() -> None:
    with pytest.raises(InputError, match="line 1, column 21: 3S is already at line 1, column 13"):
        Deal.from_text("Freecells:  3S      3S\n")


def test_what_is_too_many_names_the_options_that_say_otherwise() -> None:
    with pytest.raises(InputError, match="at most 8 in freecell") as raised:
        Deal.from_text(format_board(DEAL.position) + "\n:\n")
    assert raised.value.advice == "--game or --columns says otherwise"
    with pytest.raises(InputError, match="at most 4 in freecell") as raised:
        Deal.from_text("Freecells: - - - - -\n")
    assert raised.value.advice == "--game or --freecells says otherwise"
    for text in ("Talon: KC", "Turns: 1", "Base: 3", "Reserve: KC"):
        with pytest.raises(InputError, match="expected none in freecell") as raised:
            Deal.from_text(text)
        assert raised.value.advice == "--game says which game it is"


def test_a_pile_in_the_line_of_foundations_is_of_cards() -> None:
    rules = GAMES["golf"]
    board = format_board(Deal.from_number(3, rules).position)
    (pile,) = re.findall("Pile: (.*)", board)
    assert parse_board(board.replace("Pile:", "Foundations:"), rules) == parse_board(board, rules)
    for wrong in (f"H-0 {pile}", f"{pile} H-0"):
        with pytest.raises(InputError, match="unknown card 'H-0'"):
            parse_board(board.replace(f"Pile: {pile}", f"Foundations: {wrong}"), rules)


def test_a_talon_with_arrows_has_waste_and_stock() -> None:
    rules = GAMES["klondike"]
    deal = Deal.from_number(5, rules)
    board = format_board(deal.position)
    stock = board.splitlines()[0].removeprefix("Stock: ").split()
    arrows = f"Talon: {stock[1]} {stock[0]} ==> {' '.join(stock[2:])} <=="
    said = f"Waste: {stock[0]} {stock[1]}\nStock: {' '.join(stock[2:])}"
    for text, same in ((arrows, said), (f"Talon: ==> {' '.join(stock)} <==", board)):
        body = "\n".join(board.splitlines()[1:])
        expected = Deal.from_text(same if same == board else f"{same}\n{body}", rules)
        assert Deal.from_text(f"{text}\n{body}", rules).position == expected.position


@pytest.mark.parametrize(
    "text, game, message",
    [
        ("Waste: AS", "freecell", "a waste, expected none in freecell"),
        ("Hole: AS\nHole: 2S", "golf", "a hole a second time, expected only that of line 1"),
        ("Pile: AS\nWaste: 2S", "klondike", "a waste beside the pile of line 1, which is the same"),
        ("Waste: 2S\nTalon: AS ==> 3S <==", "klondike", "a waste a second time"),
    ],
)
def test_messages_name_places_as_the_text_does(text: str, game: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_board(text, GAMES[game])
    assert message in str(raised.value)
