"""The rules in a JSON text of the shape that Solvitaire (Blake and Gent) reads.

Each rule is checked when it is asked for; what is left out has the default of that program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.texts import read_json

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
"""The rules that a text may leave out, with their values where it does."""


_FIRST = re.compile(r"[\ufeff\s]*The rules of '(?P<name>[^'\n]*)' are as follows:[ \t\r]*(?=\n|\{)")
_LAST = re.compile(r"\}\s*(?P<words>To see the default values of the JSON fields[^\n]*)\s*$")
"""The words that Solvitaire prints before and after the rules of a game that it knows."""


def is_json(text: str) -> bool:
    """Return True if a text has JSON rules rather than the language.

    They begin with a brace, or with the line that Solvitaire prints before them.
    """
    return text.lstrip("\ufeff \t\r\n").startswith("{") or _FIRST.match(text) is not None


def _described(text: str) -> tuple[str | None, str]:
    """Return the name of the game that Solvitaire describes, None if not said, and its rules.

    Its own words are left out. All else stays in its line and column.
    """
    name = None
    if first := _FIRST.match(text):
        name = first["name"]
        text = re.sub(r"[^\n]", " ", first[0]) + text[first.end() :]
    if last := _LAST.search(text):
        text = text[: last.start("words")]
    return name, text


def _members(text: str, where: str) -> dict[str, Any]:
    members = read_json(text, "rules", where)
    if not isinstance(members, dict):
        raise InputError("expected an object with rules", where)
    return members


class JsonRules:
    """The rules of a text, one by one; InputError, naming the place, for what cannot be.

    ``name`` is that of the game, where Solvitaire's words before the rules say it.
    """

    def __init__(self, text: str, where: str) -> None:
        self.where = where
        self.name, rules = _described(text)
        self.members: Mapping[str, Any] = _members(rules, where)
        for name, value in self.members.items():
            if name not in DEFAULTS:
                self.fail(name, f"no rule, expected one of {', '.join(DEFAULTS)}")
            default = DEFAULTS[name]
            if isinstance(default, dict):
                if not isinstance(value, dict):
                    self.fail(name, f"{json.dumps(value):.40}, expected an object")
                for key in value:
                    if key not in default:
                        self.fail(
                            f"{name}: {key}", f"no rule, expected one of {', '.join(default)}"
                        )

    def fail(self, path: str, message: str) -> NoReturn:
        """Refuse the rules for the value at a path."""
        raise InputError(f"{path}: {message}", self.where)

    def value(self, group: str, name: str | None = None) -> Any:
        """Return a rule, or its default; InputError unless it is of the default's type."""
        value = self.members.get(group, DEFAULTS[group])
        default, path = DEFAULTS[group], group
        if name is not None:
            value, default, path = value.get(name, default[name]), default[name], f"{group}: {name}"
        if type(value) is not type(default):
            kind = {bool: "true or false", int: "a number", str: "a text", list: "a list"}
            self.fail(path, f"{json.dumps(value):.40}, expected {kind[type(default)]}")
        if type(value) is int and not 0 <= value <= 1000:
            self.fail(path, f"{value}, expected a number from 0 to 1000")
        return value

    def choice(self, group: str, name: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
        """Return a rule that is one of the words known; InputError for another word."""
        value: str = self.value(group, name)
        if value not in known:
            self.fail(f"{group}: {name}", f"{quoted(value)}, expected {' or '.join(known)}")
        return value

    def refuse(self, group: str, name: str | None = None, beside: str = "") -> None:
        """Refuse anything but the default; ``beside`` says with which other rule, if any."""
        value = self.value(group, name)
        default = DEFAULTS[group] if name is None else DEFAULTS[group][name]
        if value != default:
            path = group if name is None else f"{group}: {name}"
            shown = " ".join(filter(None, (json.dumps(value), "is not played", beside)))
            self.fail(path, f"{shown}, expected {json.dumps(default)}")

    def ranks(self) -> int:
        """Return the number of ranks of the deck: 1 to 13."""
        ranks: int = self.value("max rank")
        if not 1 <= ranks <= 13:
            self.fail("max rank", f"{ranks}, expected a number from 1 to 13")
        return ranks

    def count(self, group: str, least: int) -> int:
        """Return the number of piles or cells; InputError if it is less than ``least``."""
        value: int = self.value(group, "count")
        if value < least:
            self.fail(f"{group}: count", f"{value}, expected a number from {least} on")
        return value
