"""Messages about texts of the language: the place, the word, and the words that were expected."""

from __future__ import annotations

import difflib
import re

from lark import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from dbmsolver.errors import InputError, any_of, quoted
from dbmsolver.game.language.description import At
from dbmsolver.game.language.words import ALL, KINDS

_TERMINALS = {
    "ELEMENT": "an element",
    "DISPLAY": "a setup code",
    "ITEM": "a move item",
    "FULLSUIT": "a move item",
    "DESTINATION": "a destination",
    "MODIFIER": "a move modifier",
    "SOURCEELEMENT": "a move modifier",
    "TIMES": "a move modifier",
    "RANK_CODE": "a destination",
    "SINGLE": "a deck code",
    "SUIT": "a deck code",
    "HIGH": "a deck code",
    "MULTIPLE": "a deck code",
    "RANKS": "a deck code",
    "INITIAL": "a deal code",
    "TRIGGERED": "a deal code",
    "ROWS": "an order of dealing",
    "ORDER": "an order of dealing",
    "FINISH": "a finish code",
    "NOVALIDMOVE": "a condition",
    "NOBLANK": "a condition",
    "NAME": "a line of the header",
    "DESCRIPTION": "a line of the header",
    "NUMBERS": "a line of the header",
    "HEIGHT": "a line of the header",
    "WIDTH": "a line of the header",
    "HEADER": "a block",
    "SETUP": "a block",
    "DECK": "a block",
    "DEAL": "a block",
    "MOVE": "a block",
    "FINISH_BLOCK": "a block",
    "TRIGGERCONDITIONS": "a block",
    "BASE": "Base",
    "EXTENDS": "Extends",
    "TEXT": 'a text in quotes, as in "Klondike"',
    "NUMBER": "a number",
    "RANK": "a rank (A 2-10 J Q K)",
    "CARD": "a card, as in {AS}",
    "DEALT": "Deal",
    "UNLIMITED": "Unlimited",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "COMMA": "`,`",
    "TWO_DOTS": "`..`",
    "$END": "the end of the text",
}
"""The names of terminals in messages. KEEP, AUTO and ANY stand where others of their kind do."""

_CLOSING = {"(": "`)`", '"': '`"`', "\u201c": "`\u201d`"}
"""The first character of a quoted text, and the last one that it needs."""

_WORD = re.compile(r"[A-Za-z0-9_]+|\S")


def mistake(error: UnexpectedInput, text: str, where: str) -> InputError:
    """Return the message for a word that the parser did not expect."""
    names = expected_names(error)
    if isinstance(error, UnexpectedEOF) or (
        isinstance(error, UnexpectedToken) and error.token.type == "$END"
    ):
        line = text.count("\n") + 1
        at = At(line, len(text) - (text.rfind("\n") + 1) + 1, where)
        return InputError(f"the text ends, expected {listed(names)}", str(at))
    position = error.pos_in_stream or 0
    word, start = word_at(text, position)
    at = place_at(text, start, where)
    if word in _CLOSING and _TERMINALS["TEXT"] in names:
        text = f"{quoted(word)} begins a text that is not closed, expected {_CLOSING[word]}"
        return InputError(text, str(at))
    begun = text_that_ends_at(text, start)
    if begun is not None:
        reason = f"{quoted(text[begun])} begins a text that ends before {quoted(word)} in line"
        place = place_at(text, begun, where)
        return InputError(
            f"{reason} {at.line}, expected {_CLOSING[text[begun]]} earlier", str(place)
        )
    if word.isdigit() and _TERMINALS["NUMBER"] in names:
        return InputError(f"{quoted(word)}, expected a number of 9 digits at most", str(at))
    if isinstance(error, UnexpectedCharacters) and not re.match(r"[A-Za-z]", word):
        return InputError(f"{quoted(word)}, expected {listed(names)}", str(at))
    if word.lower() not in {known.lower() for known in ALL} and re.match("[A-Za-z]", word):
        return InputError(f"unknown word {quoted(word)}, {suggestion(word, names)}", str(at))
    return InputError(f"{quoted(word)} cannot stand here, expected {listed(names)}", str(at))


def text_that_ends_at(text: str, position: int) -> int | None:
    """Return where a text in quotes begins that has several lines and ends at a position.

    None if no such text ends there. A word right after one suggests that its closing quote is
    missing: the quote that opens the next text was taken for it.
    """
    begun = text.rfind('"', 0, max(0, position - 1))
    ends = text[:position].endswith('"') and begun >= 0
    return begun if ends and "\n" in text[begun:position] else None


def suggestion(word: str, names: list[str]) -> str:
    """Return, in words, what was expected, and the known word that is nearest to ``word``.

    It is sought among the words that fit here, and then among all words.
    """
    fitting = [known for name in names for known in KINDS.get(name, (name,))]
    lower = {known.lower(): known for known in (*ALL, *fitting)}
    near = difflib.get_close_matches(word.lower(), [known.lower() for known in fitting], 1, 0.5)
    near = near or difflib.get_close_matches(word.lower(), list(lower), 1, 0.7)
    hint = f"did you mean {lower[near[0]]}? " if near else ""
    return f"{hint}expected {listed(names, words=not near)}"


def listed(names: list[str], words: bool = True) -> str:
    """Return kinds of words in a list, each with its words, unless those would be many."""
    parts = []
    for name in names:
        kind = KINDS.get(name, ())
        show = kind and words and sum(len(KINDS.get(other, ())) for other in names) <= 16
        parts.append(f"{name} ({', '.join(kind)})" if show else name)
    return any_of(parts)


def expected_names(error: UnexpectedInput) -> list[str]:
    """Return the kinds of words that could have stood where the parser stopped."""
    terminals: set[str] = set()
    if isinstance(error, UnexpectedCharacters):
        terminals = set(error.allowed or ())
    elif isinstance(error, UnexpectedToken):
        terminals = set(error.accepts or error.expected or ())
    elif isinstance(error, UnexpectedEOF):
        terminals = set(error.expected or ())
    known = [name for terminal, name in _TERMINALS.items() if terminal in terminals]
    return list(dict.fromkeys(known)) or ["a block"]


def word_at(text: str, position: int) -> tuple[str, int]:
    """Return the whole word around a place in the text, and the place where it begins."""
    start = min(position, len(text) - 1)
    while (
        start > 0
        and re.match(r"\w", text[start], re.ASCII)
        and re.match(r"\w", text[start - 1], re.ASCII)
    ):
        start -= 1
    found = _WORD.match(text, start)
    return (found.group(), start) if found else (text[start : start + 1], start)


def place_at(text: str, position: int, where: str) -> At:
    """Return line and column of a place in the text."""
    line = text.count("\n", 0, position) + 1
    return At(line, position - (text.rfind("\n", 0, position) + 1) + 1, where)
