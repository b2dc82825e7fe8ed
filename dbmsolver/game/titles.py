"""Titles of deals: a number or name, and the rules that differ from those of the game."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Protocol

from dbmsolver.errors import quoted
from dbmsolver.game.kinds import (
    BASE_FILL_WORDS,
    BASE_WORDS,
    BUILD_WORDS,
    FILL_WORDS,
    FREE_STOCK_WORDS,
    MOVES_WORDS,
    PAIRS_WORDS,
    PILE_WORDS,
    REMOVABLE_WORDS,
    RESERVE_WORDS,
    ROW_DEALS_WORDS,
    WHOLE_SUITS_WORDS,
    Fill,
    draw_words,
    fill_words,
    passes_words,
    stacked_words,
    stock_words,
)
from dbmsolver.game.packs import deck_of_words, deck_words
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for, usual_rules

_MOVING: dict[str, dict[Any, str]] = {
    "moves": dict(MOVES_WORDS),
    "whole_suits": WHOLE_SUITS_WORDS,
    "reserve": RESERVE_WORDS,
    "removable": REMOVABLE_WORDS,
    "pile": dict(PILE_WORDS),
    "base": dict(BASE_WORDS),
    "pairs": dict(PAIRS_WORDS),
    "free_stock": FREE_STOCK_WORDS,
    "row_deals": dict(ROW_DEALS_WORDS),
}
"""Rules that are told where they are not as in FreeCell, or in the game of that name."""
_COUNTED = ("stock", "draw", "passes", "stacked", "packs")
_COUNT = re.compile(r"([0-9]{1,2}|no) (column|freecell|freecells filled by the deal)s?")
_STOCK = re.compile(r"no stock|a stock of ([0-9]{1,2}) cards?")
_DRAW = re.compile(r"no waste|([0-9]{1,2}) cards? turned at once")
_PASSES = re.compile(r"any number of passes|([0-9]{1,2}) pass(?:es)?")
_STACKED = re.compile(r"no stack in reserve|([0-9]{1,2}) cards? stacked in reserve .*")
_LAYOUT = "layout "
_IN_TURN = "cards dealt in turn"
_SUNK = {True: "kings sunk when dealt", False: "kings dealt as they come"}


class Named(Protocol):
    """A deal: what has a name, and rules."""

    @property
    def name(self) -> str:
        """The number, or another short name."""

    @property
    def rules(self) -> Rules:
        """The rules that it is played by."""


def title(deal: Named) -> str:
    """Return a deal's title: `Deal 3`, `Deal 3 (bakers_game, 3 freecells)`.

    All rules that differ from FreeCell's, or from the game's, are in it.
    """
    notes = ", ".join(rules_notes(deal.rules))
    return f"Deal {deal.name} ({notes})" if notes else f"Deal {deal.name}"


def rules_notes(rules: Rules) -> list[str]:
    """Return the game, unless it is FreeCell, and the rules that differ from the game's.

    Of a game that nobody knows, all rules are told.
    """
    game = GAMES.get(rules.name)
    notes = [] if rules.name == "freecell" else [_printable(rules.name)]
    if game is None or rules.columns != game.columns:
        notes.append(_counted(rules.columns, "column"))
    if game is None or rules.freecells != game.freecells:
        notes.append(_counted(rules.freecells, "freecell"))
    if game is None or rules.build != game.build:
        notes.append(BUILD_WORDS[rules.build])
    if game is None or rules.fill != game.fill:
        notes.append(fill_words(rules.fill, rules.base))
    plain = game or Rules("", 1, 0, "any", "any")
    notes += [
        words[getattr(rules, key)]
        for key, words in _MOVING.items()
        if getattr(rules, key) != getattr(plain, key)
    ]
    if rules.stock != plain.stock:
        notes.append(stock_words(rules.stock))
    if rules.draw != plain.draw:
        notes.append(draw_words(rules.draw))
    if rules.passes != plain.passes:
        notes.append(passes_words(rules.passes))
    if rules.stacked != plain.stacked:
        notes.append(stacked_words(rules.stacked))
    if rules.packs != plain.packs:
        notes.append(deck_words(rules.packs))
    usual = usual_rules(rules)
    if rules.dealt_to_freecells != usual.dealt_to_freecells:
        notes.append(f"{rules.dealt_to_freecells or 'no'} freecells filled by the deal")
    if rules.kings_sunk != usual.kings_sunk:
        notes.append(_SUNK[rules.kings_sunk])
    if rules.layout != usual.layout:
        notes.append(f"{_LAYOUT}{rules.layout}" if rules.layout else _IN_TURN)
    return notes


def _filling(fill: Fill) -> tuple[str, str]:
    """Return what empty columns take in words: with aces first, and with a base."""
    return FILL_WORDS[fill], BASE_FILL_WORDS[fill]


def rules_of_notes(text: str) -> Rules:
    """Return the rules that the notes of a title speak of, given without their parentheses.

    UsageError for a game that nobody knows.
    """
    name, counts = "freecell", dict[str, int]()
    changes: dict[str, Any] = {}
    for note in text.split(", ") if text else ():
        if found := _COUNT.fullmatch(note):
            counts[found[2]] = 0 if found[1] == "no" else int(found[1])
        elif note in BUILD_WORDS.values():
            changes["build"] = next(key for key, words in BUILD_WORDS.items() if words == note)
        elif fill := next((fill for fill in FILL_WORDS if note in _filling(fill)), None):
            changes["fill"] = fill
        elif key := next((key for key, words in _MOVING.items() if note in words.values()), None):
            changes[key] = next(each for each, words in _MOVING[key].items() if words == note)
        elif found := _STOCK.fullmatch(note):
            changes["stock"] = int(found[1] or 0)
        elif found := _DRAW.fullmatch(note):
            changes["draw"] = int(found[1] or 0)
        elif found := _PASSES.fullmatch(note):
            changes["passes"] = int(found[1] or 0)
        elif found := _STACKED.fullmatch(note):
            changes["stacked"] = int(found[1] or 0)
        elif (deck := deck_of_words(note)) is not None:
            changes["packs"] = deck
        elif note in _SUNK.values():
            changes["kings_sunk"] = note == _SUNK[True]
        elif note == _IN_TURN or note.startswith(_LAYOUT):
            changes["layout"] = "" if note == _IN_TURN else note.removeprefix(_LAYOUT)
        else:
            name = note
    if name in GAMES:
        changes = {"build": GAMES[name].build, "fill": GAMES[name].fill, **changes}
        counts = {"column": GAMES[name].columns, "freecell": GAMES[name].freecells, **counts}
    elif not (counts.keys() >= {"column", "freecell"} and changes.keys() >= {"build", "fill"}):
        rules_for(name)
    build, fill = changes.pop("build"), changes.pop("fill")
    plain = GAMES.get(name, Rules(name, 1, 0, "any", "any"))
    how = {key: changes.pop(key, getattr(plain, key)) for key in (*_MOVING, *_COUNTED)}
    known = usual_rules(Rules(name, counts["column"], counts["freecell"], build, fill, **how))
    if "freecells filled by the deal" in counts:
        changes["dealt_to_freecells"] = counts["freecells filled by the deal"]
    return replace(known, **changes)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number or 'no'} {what}s"


def _printable(name: str) -> str:
    """Return a game's name, fit to stand among notes."""
    return name if re.fullmatch(r"[\w -]{1,60}", name) else quoted(name, 60)
