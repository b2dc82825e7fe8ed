"""Moves and trees of moves as short text: what the page's address holds, and what it sends.

A move is two letters and a number: where the cards come from, where they go, and how many they are
if there are more than one. `A` to `Q` are columns, `a` to `p` freecells; the other places are in
`_OTHERS`. A tree of moves is written as chess players do: `AaBb(BcCd)Ce` is a game of `Aa`, `Bb`
and `Ce`, in which `Bc` and `Cd` were tried in the place of `Bb`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.moves import PILE, RESERVE, STOCK, WASTE, Move, Place
from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.notation.steps import Step

_OTHERS = {
    **{letter: Place("foundation", suit) for suit, letter in enumerate("wxyz")},
    "r": PILE,
    "s": STOCK,
    "t": WASTE,
    "u": RESERVE,
}
_PLACES = {
    **{chr(ord("A") + index): Place("column", index) for index in range(MAX_COLUMNS)},
    **{chr(ord("a") + index): Place("freecell", index) for index in range(16)},
    **_OTHERS,
}
_LETTERS = {place: letter for letter, place in _PLACES.items()}
_MOVE = re.compile(r"([A-Ra-pr-uw-z])([A-Ra-pr-uw-z])([1-9][0-9]?)?")
_WORD = re.compile(rf"{_MOVE.pattern}|[()]")


def code_of(move: Move | Step) -> str:
    """Return a move as text."""
    count = "" if move.count == 1 else str(move.count)
    return f"{_LETTERS[move.source]}{_LETTERS[move.destination]}{count}"


def codes_of(moves: Iterable[Move | Step]) -> str:
    """Return moves that follow each other as text."""
    return "".join(map(code_of, moves))


class Branch(NamedTuple):
    """A move of a tree, and the number of the move before it: 0 for the start, then from 1."""

    parent: int
    step: Step


def read_tree(text: str) -> list[Branch]:
    """Return the moves of a tree, in the order of the text; InputError for another text."""
    found: list[Branch] = []
    last = 0
    waiting: list[int] = []
    at = 0
    while at < len(text):
        word = _WORD.match(text, at)
        if not word:
            raise InputError(
                f"{quoted(text[at:])} is no move, expected letters of two places, as in Ab",
                f"moves, character {at + 1}",
            )
        if word[0] == "(":
            if not last:
                raise InputError("a branch before any move, expected a move", "moves")
            waiting.append(last)
            last = found[last - 1].parent
        elif word[0] == ")":
            if not waiting:
                raise InputError("an end of a branch that was not begun, expected a move", "moves")
            last = waiting.pop()
        else:
            found.append(Branch(last, _step(word)))
            last = len(found)
        at = word.end()
    if waiting:
        raise InputError("a branch without an end, expected )", "moves")
    return found


def read_line(text: str) -> list[Step]:
    """Return moves that follow each other; InputError for another text."""
    tree = read_tree(text)
    if "(" in text:
        raise InputError("branches, expected moves that follow each other", "moves")
    return [branch.step for branch in tree]


def _step(word: re.Match[str]) -> Step:
    return Step(_PLACES[word[1]], _PLACES[word[2]], int(word[3] or 1))
