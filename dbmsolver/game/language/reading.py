"""From a text of the language to a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from lark import Lark, Token, Tree, UnexpectedInput

from dbmsolver.errors import InputError
from dbmsolver.game.language.description import (
    BASE,
    At,
    Dealt,
    Deck,
    Description,
    Header,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
    Word,
)
from dbmsolver.game.language.mistakes import mistake
from dbmsolver.game.language.words import canonical

GRAMMAR = Path(__file__).with_name("grammar.lark")

MOST = 1000
"""The largest number that a text may have where something is counted."""

Node = Tree[Token]


@cache
def _parser() -> Lark:
    return Lark(GRAMMAR.read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=False)


def parse(text: str, where: str = "<game>") -> Description:
    """Read a game.

    InputError for a text that is none of the language: one line with the place and the words that
    were expected. Whether the game can be played is not looked at.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise mistake(error, text, where) from None
    return _Builder(where).description(tree)


class _Builder:
    """The parts of a description, made of the parser's tree."""

    def __init__(self, where: str) -> None:
        self.where = where

    def at(self, token: Token) -> At:
        return At(token.line or 1, token.column or 1, self.where)

    def word(self, token: Token) -> Word:
        return Word.standing(canonical(str(token)), self.at(token))

    def fail(self, message: str, token: Token) -> NoReturn:
        raise InputError(message, str(self.at(token)))

    def description(self, tree: Node) -> Description:
        makers: dict[str, tuple[str, Callable[[Node], Any]]] = {
            "extends": ("extends", lambda node: self.text(_tokens(node)[-1])),
            "header": ("header", self.header),
            "setup": ("setup", lambda node: tuple(map(self.setup_line, _trees(node)))),
            "deck": ("deck", self.deck),
            "deal": ("deal", lambda node: tuple(map(self.phase, _trees(node)))),
            "move": ("moves", lambda node: tuple(map(self.move_line, _trees(node)))),
            "finish": ("finish", lambda node: tuple(map(self.word, _tokens(node)[1:]))),
            "trigger": ("triggers", lambda node: tuple(map(self.condition, _trees(node)))),
        }
        found: dict[str, Any] = {}
        for node in _trees(tree):
            name, make = makers[node.data]
            if name in found:
                head = _tokens(node)[0]
                self.fail(f"{canonical(str(head))} a second time, expected each block once", head)
            found[name] = make(node)
        return Description(**found)

    def header(self, node: Node) -> Header:
        values: dict[str, Any] = {}
        for line in _trees(node):
            head, value = _tokens(line)
            if line.data in values:
                self.fail(f"{canonical(str(head))} a second time, expected it once", head)
            number = line.data in ("height", "width")
            values[line.data] = int(value) if number else self.text(value)
        return Header(**values)

    def text(self, token: Token) -> Word:
        """Return a text without its quotes; spaces and line ends become one space."""
        text = " ".join(str(token)[1:-1].split())
        if not text or not text.isprintable():
            self.fail("an empty or unprintable text, expected one to read", token)
        return Word.standing(text, self.at(token))

    def setup_line(self, node: Node) -> SetupLine:
        element, display, *marks = _tokens(node)
        if len(marks) > 1:
            self.fail("Keep a second time, expected it once", marks[1])
        counts, bases = _named(node, "count"), _named(node, "base")
        if len(bases) > 1:
            self.fail("Base a second time, expected it once", _tokens(bases[1])[0])
        return SetupLine(
            self.word(element),
            self.word(display),
            self.count(counts[0]) if counts else 1,
            bool(marks),
            self.base(bases[0]) if bases else None,
        )

    def base(self, node: Node) -> Word:
        token = _tokens(node)[-1]
        if token.type == "DEALT":
            return Word.standing("Deal", self.at(token))
        return Word.standing(self.rank(token), self.at(token))

    def rank(self, token: Token) -> str:
        name = str(token).upper()
        if name in ("T", "10"):
            return "10"
        if name not in {*"A23456789JQK"}:
            self.fail(f"{name} is no rank, expected one of A 2-10 J Q K", token)
        return name

    def count(self, node: Node, least: int = 1) -> int:
        token = _tokens(node)[-1]
        number = int(token)
        if not least <= number <= MOST:
            self.fail(f"{token}, expected a number from {least} to {MOST}", token)
        return number

    def deck(self, node: Node) -> Deck:
        found = Deck(at=self.at(_tokens(node)[0]))
        for code in _trees(node):
            token = _tokens(code)[0]
            count = self.count(code.children[-1]) if isinstance(code.children[-1], Tree) else 1
            word = canonical(str(token))
            if code.data == "suit_cards":
                again = word in dict(found.suits)
                found = replace(found, suits=(*found.suits, (self.word(token), count)))
            else:
                field = {"deck_code": "decks", "multiple": "decks"}.get(code.data, code.data)
                again = getattr(found, field) is not None
                value: Any = self.word(token) if code.data == "high" else count
                found = replace(found, **{field: value})
            if again:
                self.fail(f"{word} says again what is said already, expected it once", token)
            if found.ranks is not None and found.ranks > 13:
                self.fail(f"{found.ranks} ranks, expected 1 to 13", token)
        return found

    def phase(self, node: Node) -> Phase:
        head = _tokens(node)[0]
        times = _named(node, "times")
        dealt = tuple(map(self.dealt, _named(node, "dealt")))
        said = self.times(times[0]) if times else 1
        return Phase(node.data == "triggered", said or None, dealt, at=self.at(head))

    def times(self, node: Node) -> int:
        """Return a number of times; 0 for `Unlimited`."""
        token = _tokens(node)[-1]
        return 0 if token.type == "UNLIMITED" else self.count(node)

    def dealt(self, node: Node) -> Dealt:
        stacks = tuple(
            tuple(self.entry(entry) for entry in _trees(stack)) for stack in _named(node, "stack")
        )
        found = Dealt(self.word(_tokens(node)[0]), stacks)
        fields = {
            "Diagonal": "diagonal",
            "RightToLeft": "right_to_left",
            "KingsSunk": "kings_sunk",
            "Auto": "auto",
        }
        for order in (*_named(node, "rows"), *_named(node, "order")):
            token = _tokens(order)[0]
            word = canonical(str(token))
            field = fields.get(word, "rows")
            said = getattr(found, field)
            if said is not None and said is not False:  # 0 rows are as many as there are
                self.fail(f"{word} a second time, expected it once", token)
            counts = _named(order, "count")
            value: Any = (self.count(counts[0]) if counts else 0) if field == "rows" else True
            found = replace(found, **{field: value})
        return found

    def entry(self, node: Node) -> StackEntry:
        kinds = ("NUMBER", "CARD", "BASE")
        tokens = [token for token in _tokens(_trees(node)[0]) if token.type in kinds]
        first, last = tokens[0], tokens[1] if len(tokens) > 1 else None
        at = self.at(first)
        if first.type == "BASE":
            return StackEntry(BASE, face_down=node.data == "face_down", at=at)
        if first.type == "CARD":
            name = str(first).upper().replace("10", "T")
            return StackEntry(name, face_down=node.data == "face_down", at=at)
        if last is not None and not int(first) < int(last):
            self.fail(f"{first}..{last}, expected the lower number first", first)
        if int(first) < 1 or int(last or first) > MOST:
            self.fail(f"{first}, expected cards counted from 1 to {MOST}", first)
        return StackEntry(
            int(first), None if last is None else int(last), node.data == "face_down", at=at
        )

    def move_line(self, node: Node) -> MoveLine:
        items = _named(node, "item")
        item = self.word(_tokens(items[0])[0]) if items else None
        counts = _named(items[0], "count") if items else []
        line = MoveLine(self.word(_tokens(node)[0]), item, self.count(counts[0]) if counts else 1)
        for code in _trees(node):
            if code.data != "item":
                line = self.with_code(line, code)
        return line

    def with_code(self, line: MoveLine, node: Node) -> MoveLine:
        token = _tokens(node)[0]
        word = self.word(token)
        again = word in line.destinations or word in line.modifiers
        if node.data == "source":
            source = self.word(_tokens(node)[2])
            again = source in line.sources
            line = replace(line, sources=(*line.sources, source))
        elif node.data == "times_through":
            again = line.times is not None
            line = replace(line, times=self.times(_named(node, "times")[0]))
        elif node.data == "only_rank":
            rank = Word.standing(self.rank(_tokens(node)[2]), self.at(token))
            line = replace(line, rank=rank, destinations=(*line.destinations, word))
        elif node.data == "sum":
            total = self.count(_named(node, "count")[0])
            line = replace(line, sum=total, destinations=(*line.destinations, word))
        elif node.data == "modifier":
            line = replace(line, modifiers=(*line.modifiers, word))
        elif node.data == "any" and line.item is None and not line.destinations:
            text = "is the item where it stands first, and no destination"
            self.fail(f"Any {text}, expected it right behind {line.element}", token)
        else:
            line = replace(line, destinations=(*line.destinations, word))
        if again:
            self.fail(f"{word} a second time in one line, expected it once", token)
        return line

    def condition(self, node: Node) -> Word:
        return self.word(_tokens(node)[2 if node.data == "no_blank" else 0])


def _tokens(node: Node) -> list[Token]:
    return [child for child in node.children if isinstance(child, Token)]


def _trees(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child, Tree)]


def _named(node: Node, *names: str) -> Sequence[Node]:
    return [child for child in _trees(node) if child.data in names]
