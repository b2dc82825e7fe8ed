"""The sources of deals: numbers, files, standard input."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass, fields
from typing import IO, Any

from dbmsolver.arguments import (
    checked_choice,
    checked_instance,
    checked_int,
    checked_path,
    checked_text,
)
from dbmsolver.errors import InputError, UsageError, WrongTypeError, quoted
from dbmsolver.game.bases import Base
from dbmsolver.game.boards import format_board, parse_board, shown_board
from dbmsolver.game.cards import rank
from dbmsolver.game.decks import (
    DIGITS,
    deal_as,
    deck_of_digits,
    is_deck,
    lay_klondike,
    parse_deck,
)
from dbmsolver.game.json_boards import is_json_board, parse_json_board
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.numbers import MAX_NUMBER, NUMBERS, Numbers, shuffled, shuffled_packs
from dbmsolver.game.packs import new_deck
from dbmsolver.game.position import Position
from dbmsolver.game.positions import kind_of_position, lay_out
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, SHIPPED
from dbmsolver.game.showing import picture
from dbmsolver.game.texts import read_path, read_stream
from dbmsolver.game.titles import title

__all__ = ["Deal", "deal_number", "dealing", "format_board", "parse_board"]

MAX_BOARD_BYTES = 1 << 20
"""The size limit of a board file, comments included: a longer file is of another kind."""

_EXPECTED = f"a number from 1 to {MAX_NUMBER}, or -1 or -2"


def dealing(rules: Rules) -> str:
    """Return, in words, the way a number is dealt under these rules, and whose convention it is."""
    cells = rules.dealt_to_freecells
    parts = ["Microsoft deck of that number (FreeCell Pro's above 2^31)"]
    if rules.kings_sunk:
        parts.append("kings sunk and dealt from the other end")
    parts += layout_of(rules.layout).words(rules.columns)
    if cells:
        parts.append("the last card" if cells == 1 else f"the last {cells} cards")
        parts[-1] += " to freecells"
    if rules.stock:
        parts.append("the rest is the stock")
    if rules == GAMES.get(rules.name):
        parts.append(f"numbered as by {SHIPPED[rules.name].numbers}")
    return ", ".join(parts)


def deal_number(number: int, rules: Rules, numbers: Numbers = "microsoft") -> Position:
    """Deal a number: Microsoft's, continued above 2^31 as FreeCell Pro does, or -1 or -2.

    With `numbers` it is one of another program.

    All games take the same deck for a number: Microsoft's ("ms3" of PySol FC and pysol-cards). They
    lay it out card after card to the columns in turn, the last ones to freecells, unless they have
    a layout of their own (`layouts`). In games that sink kings (Baker's Dozen) the kings are sunk
    first, and the deck is dealt from the other end.

    -1 and -2 are boards of eight columns, so they need rules that deal all cards to eight columns.
    """
    if rules.features.has_whole_columns and (
        rules.packs or numbers not in ("microsoft", "pysolfc", "pysol")
    ):
        if numbers not in ("microsoft", "pysolfc"):
            text = f"{rules.name}: {numbers} has no numbers for such a deal"
            raise UsageError(f"{text}, expected microsoft or pysolfc")
        deck = shuffled_packs(number, new_deck(rules.packs), numbers)
        return lay_out(deck, layout_of(rules.layout), rules)
    if numbers not in ("microsoft", "pysolfc", "pysol"):
        return deal_as(number, rules, numbers)
    if number in (-1, -2) and numbers == "microsoft":
        plain = not (rules.dealt_to_freecells or rules.kings_sunk or rules.layout or rules.stock)
        if rules.columns != 8 or not plain:
            raise InputError(
                f"{rules.name} with {rules.describe()} has no such deal, "
                "expected a game that deals all cards to 8 columns",
                f"deal {number}",
            )
        deck = _unnumbered_deck(number)
    else:
        deck = shuffled(number, numbers)
    if rules.kings_sunk:
        deck = _sink_kings(deck[::-1], rules.columns)
    layout = layout_of(rules.layout)
    if rules.off_columns and not rules.layout:
        text = f"{rules.name} has no such deal: nothing says which cards go to base and reserve"
        raise InputError(text, f"deal {number}")
    if rules.has_pairs and layout.order != "pyramid":
        text = f"{rules.name} has no such deal: nothing says how its pyramid is dealt"
        raise InputError(text, f"deal {number}")
    return lay_out(deck, layout, rules)


def _unnumbered_deck(number: int) -> list[int]:
    """Return Microsoft's deal -1 or -2, row by row; neither can be won with four freecells.

    -1 has the odd ranks from ace to king in four columns, and queen, ten, ... two in the others. -2
    has ace, king, queen, ... eight in four columns, and seven down to two in the others.
    """
    if number == -1:
        left, right, suits = (1, 3, 5, 7, 9, 11, 13), (12, 10, 8, 6, 4, 2), (3, 2, 0, 1)
    else:
        left, right, suits = (1, 13, 12, 11, 10, 9, 8), (7, 6, 5, 4, 3, 2), (1, 0, 2, 3)
    ranks = [r for pair in zip(left, right, strict=False) for r in pair] + [left[-1]]
    return [((r - 1) << 2) + s for r in ranks for s in suits]


def _sink_kings(deck: list[int], columns: int) -> list[int]:
    """Exchange each king with the lowest card of its column that is none, as PySol does."""
    deck = list(deck)
    for king in [i for i, card in enumerate(deck) if rank(card) == 13]:
        for below in range(king % columns, king, columns):
            if rank(deck[below]) != 13:
                deck[king], deck[below] = deck[below], deck[king]
                break
    return deck


_KINDS: dict[str, Any] = {
    "turns": int | None,
    "base": Base,
    "whole": bool,
}
"""The types of those fields of positions that are not all tuples."""


@dataclass(frozen=True)
class Deal:
    """A position to start from, with its rules, and its number if it has one."""

    position: Position
    rules: Rules
    number: int | None = None

    @classmethod
    def from_number(cls, number: int, rules: Rules = GAMES["freecell"]) -> Deal:
        """Deal a number; see `deal_number`. UsageError if it is no number of a deal."""
        number = checked_int("number", number)
        checked_instance("rules", rules, Rules)
        return cls(deal_number(number, rules), rules, number)

    @classmethod
    def from_text(
        cls,
        text: str,
        rules: Rules = GAMES["freecell"],
        where: str = "<board>",
        *,
        rows: bool = False,
    ) -> Deal:
        """Read a board: text, as of `boards`, JSON, as of `json_boards`, or a deck, as of `decks`.

        With `rows` the lines of the text are the rows of cards as they lie on a table.
        """
        checked_text("text", text)
        checked_instance("rules", rules, Rules)
        if not rows and is_json_board(text):
            return cls(parse_json_board(text, rules, where), rules)
        if not rows and is_deck(text):
            return cls(parse_deck(text, rules, where), rules)
        return cls(parse_board(text, rules, where, rows=rows), rules)

    @classmethod
    def load(
        cls,
        source: str,
        rules: Rules = GAMES["freecell"],
        stdin: IO[Any] | None = None,
        *,
        numbers: Numbers = "microsoft",
        rows: bool = False,
    ) -> Deal:
        """Return the deal that DEAL means on the command line.

        A file whose name is a number can be given as ./NAME. `numbers` says whose number it is, of
        `numbers.NUMBERS`; `rows` that the lines of a board are rows, as of `from_text`.
        """
        source = str(checked_path("source", source)) if not isinstance(source, str) else source
        checked_instance("rules", rules, Rules)
        checked_choice("numbers", numbers, NUMBERS)
        if re.fullmatch(r"-?[0-9]+", source):
            if rows:
                raise UsageError("rows says nothing about a number, expected a board")
            if len(source) == DIGITS and numbers == "microsoft":
                where = "the deck"
                return cls(lay_klondike(deck_of_digits(source, where), rules, where), rules)
            # Not int() at once: it refuses thousands of digits with an error of its own.
            if len(source) > 100:
                raise InputError(f"no such number, expected {_EXPECTED}", f"deal {source[:20]}...")
            if numbers != "microsoft":
                return cls(deal_number(int(source), rules, numbers), rules)
            return cls.from_number(int(source), rules)
        if numbers != "microsoft":
            raise UsageError(f"numbers {numbers}, but {quoted(source)}, expected a number")
        if source == "-":
            stream = stdin if stdin is not None else sys.stdin
            text = read_stream(stream, "<stdin>", "a board", MAX_BOARD_BYTES)
            return cls.from_text(text, rules, "<stdin>", rows=rows)
        expected = f"{_EXPECTED}, the path of a board, or - for stdin"
        text, where = read_path(source, "a board", MAX_BOARD_BYTES, expected)
        return cls.from_text(text, rules, where, rows=rows)

    def validate(self, where: str) -> None:
        """Raise InputError if the rules do not allow the position.

        Raise UsageError if a field has the wrong type, as a program may make a deal of anything.
        `where` is the name of the deal in messages.
        """
        checked_instance("rules", self.rules, Rules)
        kind, given = kind_of_position(self.rules), type(self.position)
        if given is not kind:
            text = f"position is a {given.__name__}, expected a {kind.__name__}"
            raise WrongTypeError(f"{text}, as {self.rules.name} has")
        for field in fields(self.position):
            expected = _KINDS.get(field.name, tuple)
            checked_instance(field.name, getattr(self.position, field.name), expected)
        for column in self.position.columns:
            checked_instance("a column", column, tuple)
        for number, place in (
            *self.position.lying(),
            *((n, "home") for n in self.position.foundations),
        ):
            if type(number) is not int:
                raise WrongTypeError(f"{number!r} in {place}, expected a number")
        self.position.validate(self.rules, where)

    def __str__(self) -> str:
        """Return the deal's name and its board, for people."""
        return f"{title(self)}\n{shown_board(self.position, self.rules)}".rstrip("\n")

    def _repr_svg_(self) -> str | None:
        """Return a picture of the board, which notebooks show."""
        return picture(self.position, title(self), self.rules)

    def check_number(self, where: str) -> None:
        """Raise InputError, naming `where`, if the deal is not that of its number."""
        if self.number is None:
            return
        if type(self.number) is not int or self.position != deal_number(self.number, self.rules):
            raise InputError(f"its board is not that of deal {self.number}", where)

    @property
    def name(self) -> str:
        """The number, or "board-" and a digest of the position: short, and fit for file names."""
        if self.number is not None:
            return str(self.number)
        digest = hashlib.blake2b(repr(self.position.canonical()).encode(), digest_size=4)
        return f"board-{digest.hexdigest()}"
