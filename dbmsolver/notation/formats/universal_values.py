"""Values of the universal format's tree, each checked: numbers, texts, cards, places."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from dbmsolver.errors import quoted
from dbmsolver.game.cards import SUIT_NAMES, SUITS
from dbmsolver.game.moves import COLUMNS, PILE, REMOVED, RESERVE, STOCK, WASTE, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats.source import InvalidError
from dbmsolver.notation.formats.universal import KNOWN
from dbmsolver.notation.solution import Path

Value = TypeVar("Value")

MAX_TEXT = 100_000
"""Characters of a comment or remark."""


def shown(value: Any) -> str:
    """Return a value, fit to stand in a message: text in quotes, others as JSON, cut short."""
    return quoted(value) if isinstance(value, str) else f"{json.dumps(value):.40}"


class ValueReader:
    """A reader of the values of one tree; `at` gives line and column of a path in its text.

    A value that is not of the kind that is asked for is an InvalidError, with its place.
    """

    def __init__(self, where: str, at: Callable[[Path], tuple[int, int]]) -> None:
        self.where = where
        self.at = at
        self.extra: dict[Path, dict[str, Any]] = {}
        """Unknown fields, by the path of the object that has them."""
        self.rules = GAMES["freecell"]
        """The rules that positions must fit, which the header says."""

    def place_of(self, path: Path) -> str:
        """Return the file, line and column of a path, in words."""
        line, column = self.at(path)
        return f"{self.where}, line {line}, column {column}"

    def fail(self, path: Path, message: str, advice: str | None = None) -> NoReturn:
        """Raise InvalidError for the value at a path."""
        name = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        what = f"{name.lstrip('.')}: " if name else ""
        raise InvalidError(f"{what}{message}", self.place_of(path), advice)

    def object(self, value: Any, path: Path, kind: str, optional: Sequence[str] = ()) -> Any:
        """Check that all fields are there, and keep unknown ones."""
        if not isinstance(value, dict):
            self.fail(path, f"expected an object with {', '.join(KNOWN[kind])}")
        known = KNOWN[kind]
        for name in known:
            if name not in value and name not in optional:
                self.fail(path, f"no {name}, expected {', '.join(known)}")
        unknown = {name: content for name, content in value.items() if name not in known}
        if unknown:
            self.extra[path] = unknown
        return value

    def integer(self, value: Any, path: Path, low: int, high: int) -> int:
        """Return a number from ``low`` to ``high``."""
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fail(path, f"{shown(value)}, expected a number from {low} to {high}")
        return value

    def flag(self, value: Any, path: Path) -> bool:
        """Return a value that is true or false."""
        if not isinstance(value, bool):
            self.fail(path, f"{shown(value)}, expected true or false")
        return value

    def text(self, value: Any, path: Path, limit: int = MAX_TEXT) -> str:
        """Return a text of at most ``limit`` characters."""
        if not isinstance(value, str) or len(value) > limit:
            self.fail(path, f"{shown(value)}, expected text of at most {limit} characters")
        return value

    def items(self, value: Any, path: Path, most: int) -> list[Any]:
        """Return a list of at most ``most`` items."""
        if not isinstance(value, list) or len(value) > most:
            self.fail(path, f"expected a list of at most {most}")
        return value

    def choice(self, value: Any, path: Path, choices: dict[Value, str]) -> Value:
        """Return the meaning of a name, one of ``choices``: meanings with their names."""
        for meaning, name in choices.items():
            if value == name:
                return meaning
        names = ", ".join(choices.values())
        self.fail(path, f"{shown(value)}, expected one of {names}")

    def cards(self, value: Any, path: Path, hidden: bool = False) -> tuple[int, ...]:
        """Return a list of cards, which may be ``hidden`` in games with cards face down."""
        listed = self.items(value, path, 104)
        return tuple(
            int(self.card(card, (*path, i), hidden=hidden) or 0) for i, card in enumerate(listed)
        )

    def hidden_in(self, columns: Any, path: Path) -> tuple[int, ...]:
        """Return how many cards of each column lie face down."""
        return tuple(
            self.hidden(item["cards"], (*path, "columns", index, "cards"))
            for index, item in enumerate(columns)
        )

    def hidden(self, value: Any, path: Path) -> int:
        """Return how many cards of a column, the deepest ones, lie face down."""
        down = [card["is_hidden"] for card in value]
        count = int(sum(down))
        if any(down[count:]):
            self.fail((*path, down.index(True, count)), "face down on a card face up")
        return count

    def card(self, value: Any, path: Path, empty: bool = False, hidden: bool = False) -> int | None:
        """Return a card; with ``empty`` it may be None, for no card.

        With ``hidden`` it may lie face down, in games with such cards.
        """
        self.object(value, path, "card", ("rank", "suit", "deck"))
        allowed = hidden and self.rules.features.hides_cards
        if self.flag(value["is_hidden"], (*path, "is_hidden")) and not allowed:
            self.fail((*path, "is_hidden"), "a hidden card, expected all cards in sight")
        if "deck" in value:
            self.integer(value["deck"], (*path, "deck"), 0, max(self.rules.suit_packs) - 1)
        if self.flag(value["is_empty"], (*path, "is_empty")):
            if not empty:
                self.fail((*path, "is_empty"), "no card, expected one")
            return None
        for name in ("rank", "suit"):
            if name not in value:
                self.fail(path, f"no {name}, expected rank and suit of the card")
        height = self.integer(value["rank"], (*path, "rank"), 1, 13)
        return (height - 1) * 4 + self.suit(value["suit"], (*path, "suit"))

    def suit(self, value: Any, path: Path) -> int:
        """Return the index of a suit."""
        return self.choice(value, path, dict(enumerate(SUITS)))

    def foundation(self, value: Any, path: Path) -> int:
        """Return the suit of a foundation that the game has."""
        self.object(value, path, "foundation_id")
        own = self.suit(value["suit"], (*path, "suit"))
        most = self.rules.suit_packs[own] - 1
        if most < 0:
            self.fail((*path, "suit"), f"no {SUIT_NAMES[own]} in the deck")
        self.integer(value["deck"], (*path, "deck"), 0, most)
        return own

    def place(self, value: Any, path: Path) -> Place:
        """Return a place that the game has."""
        self.object(value, path, "place", KNOWN["place"])
        named = [name for name in KNOWN["place"] if name in value]
        if len(named) != 1:
            self.fail(
                path,
                "expected one of col, freecell and foundation, or pile, stock, waste, reserve, "
                "removed and columns",
            )
        name = named[0]
        at = (*path, name)
        if name == "foundation":
            return Place("foundation", self.foundation(value[name], at))
        if name == "reserve":
            if not self.rules.stacked:
                self.fail(at, "there is no reserve")
            self.integer(value[name], at, 0, 0)
            return RESERVE
        if name == "removed":
            if not self.rules.has_pairs:
                self.fail(at, "no card is removed")
            self.integer(value[name], at, 0, 0)
            return REMOVED
        if name == "columns":
            if self.rules.row_deals == "none":
                self.fail(at, "no cards are dealt onto the columns")
            self.integer(value[name], at, 0, 0)
            return COLUMNS
        if name in ("pile", "stock", "waste"):
            there = self.rules.has_pile and name != "waste"
            there = there or (self.rules.row_deals != "none" and name == "stock")
            if not (there or (self.rules.draw and name != "pile")):
                self.fail(at, f"there is no {name}")
            self.integer(value[name], at, 0, 0)
            return {"pile": PILE, "stock": STOCK, "waste": WASTE}[name]
        if name == "col":
            return Place("column", self.integer(value[name], at, 0, self.rules.columns - 1))
        if not self.rules.freecells:
            self.fail(at, "there are no freecells")
        return Place("freecell", self.integer(value[name], at, 0, self.rules.freecells - 1))
