"""The JSON rules of rules-driven solvers, in the shape that Solvitaire (Blake and Gent) reads.

What a text says becomes a description of the language, with the same checks; what is left out has
the defaults of that program. Features that the language has no words for are refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.cards import is_card
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    Entry,
    MoveLine,
    Phase,
    SetupLine,
)

DEFAULTS: dict[str, Any] = {
    "tableau piles": {
        "count": 8,
        "build policy": "any-suit",
        "spaces policy": "any",
        "diagonal deal": False,
        "move built group": "no",
        "move built group policy": "same-as-build",
        "face up cards": "all",
    },
    "foundations": {
        "present": True,
        "initial cards": "none",
        "base card": "A",
        "removable": False,
        "only complete pile moves": False,
    },
    "hole": {"present": False, "base card": "AS", "build loops": True},
    "cells": {"count": 0, "pre-filled": 0},
    "stock": {"size": 0, "deal type": "waste", "deal count": 1, "redeal": False},
    "reserve": {"size": 0, "stacked": False},
    "accordion": {"size": 0, "moves": [], "build policies": []},
    "sequences": {"count": 0, "direction": "L", "build policy": "same-suit", "fixed suit": False},
    "max rank": 13,
    "two decks": False,
}
"""What a rules text leaves out."""

_TABLEAU = ("Tableau",)
_BUILDS = {"any-suit": "AnySuit", "red-black": "AltColor", "same-suit": "SameSuit"}
_GROUPS_PLAYED = ("no", "yes")
_GROUP_POLICIES = ("same-as-build", "red-black", "same-suit", "any-suit", "no-build")
_GROUPS = ("no", "yes", "partial-if-card-above-buildable", "whole-pile", "maximal-group")


def is_json(text: str) -> bool:
    """Whether a text is JSON rather than one of the language: it begins with a brace."""
    return text.lstrip("\ufeff \t\r\n").startswith("{")


def parse_json(text: str, where: str = "<game>") -> Description:
    """Read rules; InputError, naming the place, for what they cannot say or is not supported."""
    return _Reader(_members(text, where), where).description()


def _members(text: str, where: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise InputError(f"{quoted(name)} twice in one object, expected it once", where)
            found[name] = value
        return found

    try:
        members = json.loads(text.removeprefix("\ufeff"), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}, column {error.colno}"
        raise InputError(f"not JSON ({error.msg}), expected rules", place) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON ({error}), expected rules", where) from None
    if not isinstance(members, dict):
        raise InputError("expected an object with rules", where)
    return members


class _Reader:
    """Takes the rules apart, and refuses what is not supported."""

    def __init__(self, members: Mapping[str, Any], where: str) -> None:
        self.where = where
        self.members = members
        for name, value in members.items():
            if name not in DEFAULTS:
                self.fail(name, f"no rule, expected one of {', '.join(DEFAULTS)}")
            default = DEFAULTS[name]
            if isinstance(default, dict):
                if not isinstance(value, dict):
                    self.fail(name, f"{value!r:.40}, expected an object")
                for key in value:
                    if key not in default:
                        self.fail(
                            f"{name}: {key}", f"no rule, expected one of {', '.join(default)}"
                        )

    def fail(self, path: str, message: str) -> NoReturn:
        raise InputError(f"{path}: {message}", self.where)

    def value(self, group: str, name: str | None = None) -> Any:
        """A rule, or its default; checked to be of the default's type."""
        value = self.members.get(group, DEFAULTS[group])
        default, path = DEFAULTS[group], group
        if name is not None:
            value, default, path = value.get(name, default[name]), default[name], f"{group}: {name}"
        if type(value) is not type(default):
            kind = {bool: "true or false", int: "a number", str: "a text", list: "a list"}
            self.fail(path, f"{value!r:.40}, expected {kind[type(default)]}")
        if type(value) is int and not 0 <= value <= 1000:
            self.fail(path, f"{value}, expected a number from 0 to 1000")
        return value

    def choice(self, group: str, name: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
        value: str = self.value(group, name)
        if value not in known:
            self.fail(f"{group}: {name}", f"{quoted(value)}, expected {' or '.join(known)}")
        return value

    def refuse(self, group: str, name: str | None = None) -> None:
        """Refuse anything but the default."""
        value = self.value(group, name)
        default = DEFAULTS[group] if name is None else DEFAULTS[group][name]
        if value != default:
            path = group if name is None else f"{group}: {name}"
            self.fail(path, f"{json.dumps(value)} is not played, expected {json.dumps(default)}")

    def description(self) -> Description:
        for group in ("accordion", "sequences"):
            for name in ("size", "count"):
                if name in DEFAULTS[group]:
                    self.refuse(group, name)
        if self.value("hole", "present"):
            return self.with_hole()
        self.refuse("foundations", "present")
        self.refuse("foundations", "base card")
        self.refuse("tableau piles", "face up cards")
        self.refuse("stock", "size")
        self.refuse("reserve", "stacked")
        self.refuse("two decks")
        group = self.choice("tableau piles", "move built group", _GROUPS)
        if group not in _GROUPS_PLAYED:
            text = f'{json.dumps(group)} is not played, expected "no" or "yes"'
            self.fail("tableau piles: move built group", text)
        if self.value("foundations", "only complete pile moves") and group == "no":
            text = 'expected "yes" for complete piles to be moved'
            self.fail("tableau piles: move built group", text)
        if self.value("reserve", "size") and self.value("cells", "count"):
            self.fail("reserve: size", "a reserve beside cells is not played, expected 0")
        ranks = self.ranks()
        return Description(
            setup=tuple(self.setup()),
            deck=Deck(1, (), "KingHigh", None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt(ranks))),),
            moves=tuple(self.moves(ranks)),
            finish=("AllInFoundation",),
        )

    def ranks(self) -> int:
        ranks: int = self.value("max rank")
        if not 1 <= ranks <= 13:
            self.fail("max rank", f"{ranks}, expected a number from 1 to 13")
        return ranks

    def with_hole(self) -> Description:
        """A game of one pile: nothing but a tableau, the hole, and a stock that is dealt to it."""
        self.check_hole()
        ranks, stock = self.ranks(), self.value("stock", "size")
        lines = [
            MoveLine("Wastepile", "SingleCard", 1, ("AnySuit",), modifiers=(way,), sources=_TABLEAU)
            for way in ("Ascending", "Descending")
        ]
        setup = [
            SetupLine("Tableau", "DropStack", self.count("tableau piles", 1)),
            SetupLine("Wastepile", "TopStack", 1),
        ]
        if stock:
            setup.append(SetupLine("Stock", "BackStack", 1))
            lines.append(MoveLine("Wastepile", "SingleCard", 1, ("Any",), sources=("Stock",)))
        high = "Cyclic" if self.value("hole", "build loops") else "KingHigh"
        return Description(
            setup=tuple(setup),
            deck=Deck(1, (), high, None if ranks == 13 else ranks),
            deal=(Phase(False, 1, tuple(self.dealt_to_hole(4 * ranks, stock))),),
            moves=tuple(lines),
            finish=("TableauEmpty",),
        )

    def check_hole(self) -> None:
        """Refuse what is not played with a hole."""
        if self.value("foundations", "present"):
            self.fail("foundations: present", "true is not played with a hole, expected false")
        for group, name in (
            ("tableau piles", "move built group"),
            ("tableau piles", "face up cards"),
            ("cells", "count"),
            ("reserve", "size"),
            ("stock", "deal count"),
            ("stock", "redeal"),
            ("two decks", None),
        ):
            self.refuse(group, name)
        build = self.choice("tableau piles", "build policy", {**_BUILDS, "no-build": ""})
        if build != "no-build":
            text = f'"{build}" is not played with a hole, expected "no-build"'
            self.fail("tableau piles: build policy", text)
        if self.value("stock", "size") and self.value("stock", "deal type") != "hole":
            self.fail("stock: deal type", 'expected "hole" for a stock beside a hole')

    def dealt_to_hole(self, cards: int, stock: int) -> list[Dealt]:
        """What each element gets of so many cards, `stock` of them left in the stock."""
        base = self.value("hole", "base card")
        if base != "random" and not is_card(base):
            text = f'{quoted(base)}, expected a card, as in "AS", or "random"'
            self.fail("hole: base card", text)
        if stock >= cards:
            self.fail("stock: size", f"{stock}, expected fewer than the {cards} cards")
        named = base != "random"
        last = cards - stock  # before the stock; a named card has no number
        first = last if named else last + 1
        diagonal = self.value("tableau piles", "diagonal deal")
        lines = [
            Dealt("Tableau", rows=None if diagonal else 0, diagonal=diagonal),
            Dealt("Wastepile", ((Entry(base if named else last),),)),
        ]
        if stock:
            lines.append(Dealt("Stock", ((Entry(first, first + stock - 1),),)))
        return lines

    def setup(self) -> list[SetupLine]:
        build = self.choice("tableau piles", "build policy", {**_BUILDS, "no-build": ""})
        removable = self.value("foundations", "removable")
        group = self.value("tableau piles", "move built group")
        if removable and group != "no" and build in ("any-suit", "red-black"):
            text = "cards that come back from the foundations are played only where single cards"
            self.fail("foundations: removable", f"{text} move, expected false")
        lines = [
            SetupLine("Tableau", "DropStack", self.count("tableau piles", 1)),
            SetupLine("Foundation", "TopStack", 4, keep=not removable),
        ]
        if cells := self.count("cells", 0) or self.value("reserve", "size"):
            lines.append(SetupLine("Reserve", "Face", cells))
        return lines

    def count(self, group: str, least: int) -> int:
        value: int = self.value(group, "count")
        if value < least:
            self.fail(f"{group}: count", f"{value}, expected a number from {least} on")
        return value

    def dealt(self, ranks: int) -> list[Dealt]:
        filled, cells = self.value("cells", "pre-filled"), self.value("cells", "count")
        if filled > cells:
            self.fail("cells: pre-filled", f"{filled}, expected at most the {cells} cells")
        filled = filled or self.value("reserve", "size")
        diagonal = self.value("tableau piles", "diagonal deal")
        lines = [Dealt("Tableau", rows=None if diagonal else 0, diagonal=diagonal)]
        cards = 4 * ranks
        initial = self.choice("foundations", "initial cards", ("none", "one", "all"))
        if initial == "one":
            self.fail("foundations: initial cards", '"one" is not played, expected "none" or "all"')
        if initial == "all":
            cards -= 4
            stacks = tuple((Entry(name),) for name in ("AH", "AS", "AD", "AC"))
            lines.append(Dealt("Foundation", stacks))
        if filled:
            numbers = range(cards - filled + 1, cards + 1)
            lines.append(Dealt("Reserve", tuple((Entry(number),) for number in numbers)))
        return lines

    def moves(self, ranks: int) -> list[MoveLine]:
        item, lines = self.building()
        spaces: dict[str, Callable[[], MoveLine | None]] = {
            "any": lambda: MoveLine("Tableau", item, destinations=("Any", "OnBlank")),
            "kings": lambda: MoveLine("Tableau", item, destinations=("Rank", "OnBlank"), rank="K"),
            "no-build": lambda: None,
        }
        line = spaces[self.choice("tableau piles", "spaces policy", spaces)]()
        if line is not None:
            lines.append(line)
        if self.value("cells", "count"):
            lines.append(MoveLine("Reserve", "SingleCard", destinations=("Any", "OnBlank")))
        if self.value("foundations", "only complete pile moves"):
            return [*lines, MoveLine("Foundation", "FullSuit", destinations=("OnBlank",))]
        lines.append(
            MoveLine(
                "Foundation", "SingleCard", destinations=("SameSuit",), modifiers=("Ascending",)
            )
        )
        lines.append(MoveLine("Foundation", destinations=("Rank", "OnBlank"), rank="A"))
        return lines

    def building(self) -> tuple[str, list[MoveLine]]:
        """What one move takes, as an item, and the lines that say what is put on cards."""
        build = self.choice("tableau piles", "build policy", {**_BUILDS, "no-build": ""})
        runs = self.value("tableau piles", "move built group") == "yes"
        policy = self.choice("tableau piles", "move built group policy", _GROUP_POLICIES)
        item = "ValidStack" if runs else "SingleCard"
        if build == "no-build":
            return "SingleCard", []
        line = MoveLine("Tableau", item, destinations=(_BUILDS[build],), modifiers=("Descending",))
        if not runs or policy in ("same-as-build", build):
            return item, [line]
        if (build, policy) != ("any-suit", "same-suit"):
            text = f'"{policy}" is not played with "{build}", expected "same-as-build"'
            self.fail("tableau piles: move built group policy", text)
        held = MoveLine("Tableau", item, destinations=("SameSuit",), modifiers=("Descending",))
        return item, [held, replace(line, modifiers=("Descending", "NotValid"))]
