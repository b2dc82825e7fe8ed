"""Boards as text.

    # a comment, to the end of its line
    Foundations: H-2 C-A D-0 S-0
    Freecells: 3D - 7D
    JD KD 2S 4C 3S 6D 6S
    : 2D KC KS 5C TD 8S 9C
    :

One line per column, the first card deepest, with or without a colon before it; a colon alone is an
empty column. Foundations say how far each suit is home: the rank on top, 0 for none; those not
mentioned are empty, and so is `-`. Freecells may be left away at the end; `*` is an empty one, too.
Both lines may stand anywhere, or nowhere. Blank lines mean nothing. Columns not mentioned are
empty. Cards and suits can be written as `10H`, `th` or `T♥`, and the two lines can begin as in
Freecell Solver's boards: Founds, Found, Decks, Deck; FC, Freecell.

Games of one pile have two other lines, and no freecells:

    Pile: AS 2H
    Stock: 9C QD 3S

The pile's last card is on top, the stock's first one is turned next. The pile may be called Hole or
Waste, the stock Talon. As other programs write it, the pile may stand in the line of foundations:
Foundations: AS. Where that says H-8 C-8 D-8 S-8, these low ranks are not in a short deck.

`Talon: 5H ==> 3D 4D <==`, as Klondike-Solver writes it, has the waste before the arrow, its top
first, and the stock behind it.

Cards may be run together, or have commas between them: KC7DTC, KC,7D. The suit may come first (H5,
♥5), in the line of foundations, too: A-H. Freecell Solver takes such a word for nothing, so where
that card and those below it are in the columns, nothing is home. Playing cards of Unicode are read.

Klondike and its relatives have a line `Waste:` in the place of `Pile:`, and cards that lie face
down in angle brackets or in parentheses: <JD> <KD> 2S. Where the stock is not gone through any
number of times, `Turns: 1` says how often the waste may still be turned over; without that line it
is as often as in the beginning.

Where the deck has several packs of a suit, the line of foundations has a word for each foundation
of it that is not empty: `H-K H-5 S-A`. Cards that are alike are written alike.

In pairing games the lines without a name are the rows of the pyramid, from the top down, `--` for
each place whose card is gone. `Waste:`, `Stock:` and `Turns:` are as in Klondike; `Removed:` has
the removed cards, in any order.

Where the deal gives the rank with which foundations begin, `Base: J` says it; in a short deck its
lowest rank follows, as in `Base: J 9`. Without that line it is the ace. Foundations say the rank on
top all the same. `Reserve:` has the cards of a reserve that is one stack, the last one on top.

Where cards only leave the freecells, these are a reserve: `Reserve:` stands for `Freecells:`. Both
are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

from dbmsolver.arguments import checked_instance
from dbmsolver.errors import InputError, quoted
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import (
    CARDS,
    RANKS,
    SUIT_NAMES,
    SUITS,
    card_name,
    parse_card,
    rank,
    suit,
)
from dbmsolver.game.home_words import HEIGHTS, parse_home
from dbmsolver.game.layouts import Heights, layout_of
from dbmsolver.game.pairing import columns_of_pyramid
from dbmsolver.game.position import Home, Position, Pyramid
from dbmsolver.game.positions import make_position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shapes import (
    ADVICE,
    COLUMNS,
    cells_of,
    columns_of_rows,
    is_shape_of_rows,
    words_of,
)
from dbmsolver.game.texts import LINE_END, WHICH_GAME
from dbmsolver.game.wide import with_heights

LABEL = re.compile(
    r"\s*(?:(?:(?P<home>foundations?|founds?|decks?)|(?P<cells>freecells?|fc)"
    r"|(?P<pile>pile|hole|waste)|(?P<stock>stock|talon)"
    r"|(?P<turns>turns)|(?P<base>base)|(?P<reserve>reserve)|(?P<removed>removed))\s*)?:",
    re.ASCII | re.IGNORECASE,
)
"""The beginning of a board's line: the name of a place, or a column's colon."""

GONE = "--"
"""The word for a place of a pyramid whose card is gone."""
_PILED = ("pile", "stock", "reserve", "removed")
_STRANGE_END = re.compile(r"[\v\f\x1c-\x1e\x85\u2028\u2029]")
"""A character that some programs show as the end of a line, and others as a blank."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""A character that nobody sees and that is no blank."""
_FOUNDATION_ORDER = (0, 3, 2, 1)  # H C D S, the order that programs of the field print


def parse_board(text: str, rules: Rules, where: str = "<board>", *, rows: bool = False) -> Position:
    """Read a board; with `rows`, one whose lines are the rows of cards as they lie on a table.

    Raises InputError for a text that is no board, or none of these rules. The error is one line,
    with the number of the text's line and of the character in it.
    """
    reader = _BoardReader(rules, where)
    for number, line in enumerate(re.split(LINE_END, text.removeprefix("\ufeff")), start=1):
        reader.read_line(number, line.partition("#")[0], rows)
    reader.lay_rows()
    return reader.position()


def format_board(position: Position, rules: Rules | None = None) -> str:
    """Return the position as text that `parse_board` reads back as the same position.

    Foundations and freecells are mentioned if there is a card in them. With `rules` the position is
    checked to be one of them, and freecells that cards only leave are called a reserve. Without, as
    stores and formats have it, they are freecells.
    """
    checked_instance("position", position, Position)
    if rules is not None:
        position.validate(checked_instance("rules", rules, Rules))
    return shown_board(position, rules)


def shown_board(position: Position, rules: Rules | None) -> str:
    """Return the same as `format_board`, for a position that is known to be one of the rules."""
    lines = []
    home = home_words(position)
    if home and not position.names_empty_foundations:
        lines.append(f"Foundations: {home}")
    elif home:
        cards = [(SUITS[s], position.top_home(s)) for s in _FOUNDATION_ORDER]
        tops = [f"{name}-{'0' if card is None else card_name(card)[0]}" for name, card in cards]
        lines.append("Foundations: " + " ".join(tops))
    if any(card is not None for card in position.freecells):
        cells = ["-" if card is None else card_name(card) for card in position.freecells]
        name = "Reserve" if rules is not None and rules.reserve else "Freecells"
        lines.append(f"{name}: {' '.join(cells)}")
    if position.base != ACE:
        lowest = f" {RANKS[position.lowest - 1]}" if position.lowest > 1 else ""
        lines.append(f"Base: {RANKS[position.base.rank - 1]}{lowest}")
    if (pyramid := position.pyramid) is None:
        lines += _lines_of_columns(position)
    else:
        lines += _pairing_lines(position, pyramid)
    return "".join(line + "\n" for line in lines)


def home_words(position: Position) -> str:
    """Return the foundations that are not empty, as the line of them has it."""
    return " ".join(
        f"{SUITS[index]}-{card_name(top)[0]}"
        for index in _FOUNDATION_ORDER
        for top in position.tops_home(index)
        if top is not None
    )


def _named(name: str) -> str:
    """Return what the line of a board with this name holds, in words."""
    return "removed cards" if name == "removed" else f"a {name}"


def _lines_of_columns(position: Position) -> list[str]:
    """Return the lines for pile, reserve, waste, stock and columns."""
    lines = []
    if position.pile is not None:
        lines.append("Pile: " + (" ".join(map(card_name, position.pile)) or "-"))
    held = {"Reserve": position.reserve, "Waste": position.waste, "Stock": position.stock}
    lines += [f"{name}: {' '.join(map(card_name, cards))}" for name, cards in held.items() if cards]
    if position.turns is not None:
        lines.append(f"Turns: {position.turns}")
    for column, hidden in zip(position.columns, position.hidden, strict=True):
        names = [f"<{card_name(card)}>" for card in column[:hidden]]
        names += map(card_name, column[hidden:])
        lines.append(" ".join(names) or ":")
    return lines


def _pairing_lines(position: Position, pyramid: Pyramid) -> list[str]:
    """Return the lines for waste, stock, removed cards and pyramid of a pairing game."""
    held = {"Waste": position.waste, "Stock": position.stock, "Removed": position.removed}
    lines = [f"{name}: {' '.join(map(card_name, cards))}" for name, cards in held.items() if cards]
    if position.turns is not None and (position.stock or position.waste or position.turns):
        lines.append(f"Turns: {position.turns}")
    for number, row in enumerate(pyramid, start=1):
        names = (GONE if card is None else card_name(card) for card in row)
        lines.append(2 * (len(position.columns) - number) * " " + "  ".join(names))
    return lines


class _Piled(NamedTuple):
    """Cards of the pile, of the stock or of another such place, as the text has them."""

    line: int
    said: str
    """The text's word for the place."""
    cards: tuple[int, ...]


@dataclass
class _BoardReader:
    """The board as far as it is read, and the place in the text of each card."""

    rules: Rules
    where: str
    columns: list[tuple[int, ...]] = field(default_factory=list)
    freecells: list[int | None] | None = None
    heights: dict[int, int] = field(default_factory=dict)
    homes: list[tuple[int, int]] = field(default_factory=list)
    """The suit and height of each foundation, where a suit has several."""
    foundations_line: int | None = None
    freecells_line: int | None = None
    piled: dict[str, _Piled] = field(default_factory=dict)
    """The pile, the stock and their like, by the names that `make_position` has for them."""
    seen: dict[int, tuple[int, int]] = field(default_factory=dict)
    home: dict[int, tuple[int, int]] = field(default_factory=dict)
    hidden: list[int] = field(default_factory=list)
    """Cards face down in each column."""
    turns: int | None = None
    base: Base | None = None
    turned: set[int] = field(default_factory=set)
    """Suits whose foundation is written with its rank before the dash."""
    rows: list[tuple[int, str]] = field(default_factory=list)
    pyramid: list[list[int | None]] = field(default_factory=list)
    """The rows of a pyramid."""
    unmarked: bool = True
    """True if no line of a column begins with a colon."""

    def read_line(self, number: int, line: str, rows: bool = False) -> None:
        """Take one line, its comment removed; with `rows`, lines of cards are kept as rows."""
        label = LABEL.match(line)
        words = words_of(line, number, label.end() if label else 0)
        at = (number, len(line) - len(line.lstrip()) + 1)
        if strange := _STRANGE_END.search(line.rstrip(), at[1] - 1):
            text = f"the character U+{ord(strange[0]):04X} ends no line here, expected a line feed"
            self.fail(text, (number, strange.start() + 1))
        if control := _CONTROL.search(line):
            text = f"the character U+{ord(control[0]):04X} is a control character, expected cards"
            self.fail(text, (number, control.start() + 1))
        if label and label["home"]:
            if self.foundations_line is not None:
                first = self.foundations_line
                self.fail(f"Foundations a second time, expected only those of line {first}", at)
            self.foundations_line = number
            self.read_foundations(words)
        elif label and (label["cells"] or (label["reserve"] and self.rules.reserve)):
            if self.freecells_line is not None:
                first = self.freecells_line
                name = "the reserve" if self.rules.reserve else "Freecells"
                self.fail(f"{name} a second time, expected only those of line {first}", at)
            self.freecells_line = number
            most = self.rules.freecells
            self.read_freecells(cells_of(line, number, label.end(), most))
        elif label and any(label[name] for name in _PILED):
            name = next(name for name in _PILED if label[name])
            self.read_cards(name, words, at, label[name].lower())
        elif label and label["base"]:
            self.read_base(words, at)
        elif label and label["turns"]:
            self.read_turns(words, at)
        elif self.rules.has_pairs and label:
            self.fail("a column, expected the rows of a pyramid, from the top down", at)
        elif self.rules.has_pairs:
            self.read_row(words, at)
        elif rows and label:
            self.fail("a column, expected rows of cards, as asked for", at)
        elif rows and words:
            self.rows.append((number, line))
        elif label or words:
            self.unmarked = self.unmarked and not label
            self.read_column(words, at)

    def lay_rows(self) -> None:
        """Read the columns that rows make; or refuse columns that have the shape of rows."""
        if self.rows:
            for words in columns_of_rows(self.rows, self.fail):
                self.read_column(words, words[0][1])
        elif self.unmarked and is_shape_of_rows(list(map(len, self.columns)), self.rules):
            raise InputError(f"the lines have the shape of rows, {COLUMNS}", self.where, ADVICE)

    def read_foundations(self, words: list[tuple[str, tuple[int, int]]]) -> None:
        if self.rules.has_pile and any("-" not in word for word, _ in words):
            self.read_cards("pile", words, words[0][1], "pile")
            return
        for word, at in words:
            if word == "-":
                continue
            index, height, turned = parse_home(word, self.place(at))
            if self.rules.features.has_whole_columns:
                self.homes.append((index, height))
                continue
            if index in self.heights:
                text = f"the foundation of {SUIT_NAMES[index]} a second time"
                self.fail(f"{text}, expected each suit once", at)
            self.heights[index] = height
            if turned:
                self.turned.add(index)
            self.home[index] = at

    def read_cards(
        self, name: str, words: list[tuple[str, tuple[int, int]]], at: tuple[int, int], said: str
    ) -> None:
        """Read the cards of the pile, of the stock, or of the reserve, which the text calls `said`.

        A text may have other names for them than this program, and messages have those of the text.
        """
        there = self.rules.has_pile or self.rules.draw
        if name == "stock":
            there = there or self.rules.row_deals != "none"
        held = {"reserve": self.rules.stacked, "removed": self.rules.has_pairs}
        if not held.get(name, there):
            text = f"{_named(said)}, expected none in {self.rules.name}"
            self.fail(text, at, WHICH_GAME)
        name = "waste" if self.rules.draw and name == "pile" else name
        arrows = [index for index, (word, _) in enumerate(words) if word == "==>"]
        if name == "stock" and arrows and words[-1][0] == "<==":
            waste, words = words[: arrows[0]], words[arrows[0] + 1 : -1]
            if waste:
                self.read_cards("pile", waste[::-1], at, "waste")
        if name in self.piled:
            before = self.piled[name]
            if before.said != said:
                text = f"{_named(said)} beside the {before.said} of line {before.line}"
                self.fail(f"{text}, which is the same, expected one of them", at)
            text = f"{_named(said)} a second time, expected only that of line {before.line}"
            self.fail(text, at)
        cards = tuple(self.read_card(word, place) for word, place in words if word != "-")
        self.piled[name] = _Piled(at[0], said, cards)

    def read_freecells(self, words: list[tuple[str, tuple[int, int]]]) -> None:
        self.freecells = []
        for word, at in words:
            if len(self.freecells) == self.rules.freecells:
                name = "card of the reserve" if self.rules.reserve else "freecell"
                text = f"{quoted(word)} is one {name} too many"
                text = f"{text}, expected at most {self.rules.freecells} in {self.rules.name}"
                self.fail(text, at, "--game or --freecells says otherwise")
            self.freecells.append(None if word in ("-", "*") else self.read_card(word, at))

    def read_column(self, words: list[tuple[str, tuple[int, int]]], at: tuple[int, int]) -> None:
        if len(self.columns) == self.rules.columns:
            text = f"one column too many, expected at most {self.rules.columns} in"
            self.fail(f"{text} {self.rules.name}", at, "--game or --columns says otherwise")
        column: list[int] = []
        hidden = 0
        for number, (word, place) in enumerate(words):
            down = re.fullmatch(r"<([^<>]*)>|\(([^()]*)\)", word)
            if down and not self.rules.features.hides_cards:
                self.fail(f"{quoted(word)} is face down, expected every card face up", place)
            if down and hidden < number:
                self.fail(f"{quoted(word)} is face down on a card face up", place)
            hidden += bool(down)
            column.append(self.read_card(down[1] or down[2] or "" if down else word, place))
        self.columns.append(tuple(column))
        self.hidden.append(hidden)

    def read_row(self, words: list[tuple[str, tuple[int, int]]], at: tuple[int, int]) -> None:
        """Read a row of a pyramid."""
        number = len(self.pyramid) + 1
        if not words:
            return
        if number > self.rules.columns:
            self.fail(f"one row too many, expected at most {self.rules.columns}", at)
        if len(words) != number:
            text = f"{len(words)} cards in row {number} of the pyramid"
            self.fail(f"{text}, expected {number}, {GONE} for each that is gone", at)
        row = [None if word == GONE else self.read_card(word, place) for word, place in words]
        for index, card in enumerate(row):
            above = self.pyramid[-1][max(0, index - 1) : index + 1] if self.pyramid else []
            if card is not None and None in above:
                text = f"{card_name(card)} covers a place where no card is"
                self.fail(f"{text}, expected a card there", words[index][1])
        self.pyramid.append(row)

    def read_turns(self, words: list[tuple[str, tuple[int, int]]], at: tuple[int, int]) -> None:
        """Read how often the waste may still be turned over."""
        if not self.rules.passes:
            self.fail(f"turns, expected none in {self.rules.name}", at, WHICH_GAME)
        number = words[0][0] if len(words) == 1 else ""
        if self.turns is not None or not re.fullmatch("[0-9]{1,2}", number, re.ASCII):
            self.fail("expected one line with one number, as in Turns: 1", at)
        self.turns = int(number)

    def read_base(self, words: list[tuple[str, tuple[int, int]]], at: tuple[int, int]) -> None:
        """Read the rank with which foundations begin, and the lowest rank of a short deck."""
        if self.rules.base == "ace":
            self.fail(f"a base, expected none in {self.rules.name}", at, WHICH_GAME)
        ranks = [HEIGHTS.get(word.upper() if word.isascii() else "", 0) for word, _ in words]
        if self.base is not None or not 1 <= len(ranks) <= 2 or not all(ranks):
            self.fail("expected one line with a rank, or with the lowest rank, too: Base: J 9", at)
        self.base = Base(ranks[0], ranks[1] if len(ranks) > 1 else 1)
        if self.base.rank < self.base.lowest:
            self.fail("a base below the lowest rank, expected a rank of the deck", at)

    def read_card(self, word: str, at: tuple[int, int]) -> int:
        card = parse_card(word, self.place(at))
        if card in self.seen and not self.rules.features.has_whole_columns:
            line, character = self.seen[card]
            first = f"already at line {line}, column {character}"
            self.fail(f"{card_name(card)} is {first}, expected each card once", at)
        self.seen[card] = at
        return card

    def position(self) -> Position:
        """Return the position on the board, once all lines are read."""
        if self.rules.features.has_whole_columns:
            return self._wide()
        for index in self.turned:
            if {4 * r + index for r in range(self.heights[index])} <= self.seen.keys():
                self.heights[index] = 0
        if self.rules.base != "ace":
            self.count_from_base()
        base = self.base or ACE
        for card in sorted(self.seen):
            height = self.heights.get(suit(card), 0)
            if rank(card) < base.lowest:
                name = RANKS[base.lowest - 1]
                text = f"{card_name(card)} is below {name}, which the line of the base says is the"
                self.fail(f"{text} lowest rank", self.seen[card])
            if rank(base.counted(card)) <= height:
                top = base.card(4 * (height - 1) + suit(card))
                name = f"{SUITS[suit(card)]}-{RANKS[rank(top) - 1]}"
                text = f"{card_name(card)} is on the foundation {name} of line"
                line = self.home[suit(card)][0]
                self.fail(f"{text} {line} too, expected each card once", self.seen[card])
        if not self.seen and not any(self.heights.values()):
            raise InputError(f"no cards, expected a board of {CARDS}", self.where)
        freecells = list(self.freecells or ())
        freecells += [None] * (self.rules.freecells - len(freecells))
        hearts, spades, diamonds, clubs = (self.heights.get(index, 0) for index in range(4))
        return self.laid((hearts, spades, diamonds, clubs), freecells)

    def laid(
        self, heights: Heights, freecells: Sequence[int | None] = (), home: Home | None = None
    ) -> Position:
        """Return the position with what was read, and these foundations and freecells."""
        empty = self.rules.columns - len(self.columns)
        columns = (*self.columns, *[()] * empty)
        if self.rules.has_pairs:
            columns = columns_of_pyramid(self.pyramid, self.rules.columns)
        pile, stock, waste, reserve, removed = (
            self.piled[name].cards if name in self.piled else ()
            for name in ("pile", "stock", "waste", "reserve", "removed")
        )
        turns = self.turns
        if turns is None and self.rules.has_pairs and not waste and not stock:
            turns = 0  # with nothing to turn, the number is told where it is not 0
        position = make_position(
            self.rules,
            columns,
            heights,
            freecells=freecells,
            base=self.base or ACE,
            pile=pile,
            stock=stock,
            waste=waste,
            hidden=(*self.hidden, *[0] * (len(columns) - len(self.hidden))),
            turns=turns,
            reserve=reserve,
            removed=removed,
            home=home,
        )
        position.validate(self.rules, self.where)
        return position

    def count_from_base(self) -> None:
        """Turn the ranks on top of the foundations into heights."""
        base = self.base or ACE
        tops = [self.heights.get(index, 0) for index in range(4)]
        self.heights = {
            index: base.height(index, top) or base.lowest - 1 for index, top in enumerate(tops)
        }

    def _wide(self) -> Position:
        """Return the position on a board of a wide game."""
        if not self.seen and not self.homes:
            cards = len(self.rules.deck)
            raise InputError(f"no cards, expected a board of {cards}", self.where)
        home = with_heights(self.rules, self.homes, self.where)
        return self.laid(layout_of(self.rules.layout).heights, home=home)

    def place(self, at: tuple[int, int]) -> str:
        return f"{self.where}, line {at[0]}, column {at[1]}"

    def fail(self, message: str, at: tuple[int, int], advice: str | None = None) -> NoReturn:
        raise InputError(message, self.place(at), advice)
