"""The games that come with the program, and rules that are told by how they differ from these."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from dbmsolver.arguments import checked_instance, checked_int
from dbmsolver.errors import UsageError, WrongValueError, quoted
from dbmsolver.game.kinds import Build, Fill, Moves
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.rules import MAX_FREECELLS, MAX_RESERVE, Rules, check_range

UNUSUAL: dict[str, Any] = {
    "moves": "single",
    "whole_suits": False,
    "reserve": False,
    "removable": False,
    "pile": "none",
    "stock": 0,
    "draw": 0,
    "passes": 0,
    "base": "ace",
    "stacked": 0,
    "pairs": "none",
    "free_stock": False,
    "packs": "",
    "row_deals": "none",
}
"""Rules that are told only where they are not as in FreeCell, and how they are there."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A game that comes with the program, in `files/`."""

    rules: Rules
    title: str
    """The game's name as people write it."""
    description: str
    numbers: str
    """The convention by which its deals are numbered."""


def _shipped() -> dict[str, Shipped]:
    """Return the games of `files/index.json`, which `tools/games.py` makes of the files beside it.

    So the files need not be parsed whenever the program starts.
    """
    path = Path(__file__).parent / "files" / "index.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Shipped(Rules(name, **entry.pop("rules")), **entry) for name, entry in entries.items()
    }


SHIPPED: dict[str, Shipped] = _shipped()
GAMES: dict[str, Rules] = {name: shipped.rules for name, shipped in SHIPPED.items()}


def _letters(text: str) -> str:
    """Return the letters and digits of a game's name, small ones: all of it that counts."""
    return re.sub(r"[\W_]+", "", text).casefold()


_NAMES = {_letters(title): name for name, game in SHIPPED.items() for title in (name, game.title)}
_HINTS = 3
"""The most games that a message suggests."""
_NEAR = 0.75
"""The likeness from which on a name is taken for a slip of another."""
_BEGINS_NEAR = 0.85
"""The same of a beginning, which is shorter, and so like more names."""


def games_beginning(text: str) -> list[str]:
    """Return the names of games that begin so, as `game_name` reads them."""
    said = _letters(text)
    return list(dict.fromkeys(name for known, name in _NAMES.items() if known.startswith(said)))


def game_name(text: str) -> str | None:
    """Return the name of the game that people mean by `Seahaven Towers` or `FreeCell`."""
    return text if text in GAMES else _NAMES.get(_letters(text))


def changed(
    rules: Rules,
    freecells: int | None = None,
    columns: int | None = None,
    build: Build | None = None,
    fill: Fill | None = None,
    moves: Moves | None = None,
) -> Rules:
    """Return the rules with the given changes: freecells, columns, build, fill, moves.

    Where fewer freecells are left than the deal fills, it fills them all, and the other cards are
    dealt to the columns. UsageError if the deal cannot be laid out so.
    """
    if freecells is not None:
        freecells = checked_int("freecells", freecells)
        check_range("freecells", freecells, 0, MAX_RESERVE if rules.reserve else MAX_FREECELLS)
        filled = min(rules.dealt_to_freecells, freecells)
        layout = layout_of(rules.layout).with_cells(filled, freecells)
        rules = replace(rules, freecells=freecells, dealt_to_freecells=filled, layout=str(layout))
    if columns is not None:
        rules = replace(rules, columns=columns)
    return replace(
        rules,
        build=rules.build if build is None else build,
        fill=rules.fill if fill is None else fill,
        moves=rules.moves if moves is None else moves,
    )


def rules_for(
    game: str | Rules,
    freecells: int | None = None,
    columns: int | None = None,
    build: Build | None = None,
    fill: Fill | None = None,
    moves: Moves | None = None,
) -> Rules:
    """Return the rules of a game, by its name or by themselves, with the changes of `changed`."""
    checked_instance("game", game, str | Rules)
    rules = GAMES.get(game_name(game) or "") if isinstance(game, str) else game
    if rules is None:
        raise unknown_game(str(game))
    return changed(rules, freecells, columns, build, fill, moves)


def unknown_game(name: str) -> UsageError:
    """Return the error for a name that is no game's, with the nearest ones.

    Those are the games whose names begin so; else those that have the text in their names; else one
    that differs by a slip, or whose name begins like it but for a slip.
    """
    said = _letters(name)
    near = games_beginning(name) if len(said) > 1 else []
    near = near or [_NAMES[known] for known in _NAMES if len(said) > 3 and said in known]
    near = near or [_NAMES[one] for one in difflib.get_close_matches(said, _NAMES, 1, _NEAR)]
    near = near or _beginning_like(said)
    named = list(dict.fromkeys(near))[:_HINTS]
    hint = f"did you mean {' or '.join(named)}? " if named else ""
    return WrongValueError(f"unknown game {quoted(name)}, {hint}expected one that `games` lists")


def _beginning_like(said: str) -> list[str]:
    """Return the games whose names begin like a text of five letters or more, the nearest first."""
    found = []
    for known, name in _NAMES.items() if len(said) > 4 else ():
        starts = {known[: len(said) + more] for more in (0, 1)}
        like = max(difflib.SequenceMatcher(None, said, start).ratio() for start in starts)
        if like >= _BEGINS_NEAR:
            found.append((-like, name))
    return [name for _, name in sorted(found)]


def usual_rules(rules: Rules, game: Rules | None = None) -> Rules:
    """Return the rules with the usual way of dealing a number.

    Name, columns, freecells, and the rules of moving stay. A number is dealt as in `game`, by
    default the shipped one of that name. It is dealt in turn where there is none, or where that
    game cannot be dealt so.
    """
    plain = replace(rules, dealt_to_freecells=0, kings_sunk=False, layout="")
    game = game or GAMES.get(rules.name)
    if game is None:
        return plain
    try:
        dealt = changed(game, rules.freecells, rules.columns)
        return replace(
            plain,
            dealt_to_freecells=dealt.dealt_to_freecells,
            kings_sunk=dealt.kings_sunk,
            layout=dealt.layout,
        )
    except UsageError:
        return plain


RULE_TYPES = {name: type(value) for name, value in asdict(GAMES["freecell"]).items()}
"""The type of each field of rules."""


def rules_from(data: Mapping[str, Any]) -> Rules:
    """Return rules by the names of their fields, as stores and certificates hold them.

    Rules written without a layout, by early versions, were dealt as the game of that name is dealt,
    if all other rules are those of the game, and in turn otherwise. TypeError or UsageError if the
    data are no rules; nothing is taken for a value of another type.
    """
    for name, value in data.items():
        kind = RULE_TYPES.get(name)
        if kind is None or type(value) is not kind:
            raise TypeError(f"{quoted(name)} is {quoted(repr(value))}")
    return _rules_of(tuple(data.items()))


@lru_cache
def _rules_of(fields: tuple[tuple[str, Any], ...]) -> Rules:
    """Return the rules that have these fields, given as names and values.

    They are kept: each commit of a search makes a manifest, with the same rules every time.
    """
    data = dict(fields)
    rules = Rules(**data)
    game = GAMES.get(rules.name)
    if "layout" not in data and game and replace(game, layout="") == rules:
        return game
    return rules


def rules_fields(rules: Rules) -> dict[str, Any]:
    """Return rules by the names of their fields, as stores and certificates hold them.

    The ways cards move are given only where they differ from FreeCell's, as in the first versions.
    """
    fields = {name: getattr(rules, name) for name in RULE_TYPES}
    for name, usual in UNUSUAL.items():
        if fields[name] == usual:
            del fields[name]
    return fields
