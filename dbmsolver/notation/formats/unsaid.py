"""The things of a game that formats made for FreeCell and its relatives have no words for."""

from __future__ import annotations

from dbmsolver.errors import UsageError
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.rules import Rules


def check_things(rules: Rules, form: str, words: str = "words") -> None:
    """Raise UsageError if a game has things that a format has no words for, or letters."""
    if not rules.features.has_words:
        raise UsageError(f"{rules.name}: {form} has no {words} for {_things(rules)}")


def check_wide(rules: Rules, form: str, words: str = "words") -> None:
    """Raise UsageError, as `check_things`, for games that are played over whole columns."""
    if rules.features.has_whole_columns:
        check_things(rules, form, words)


def _things(rules: Rules) -> str:
    things = []
    if max(rules.suit_packs) > 1:
        things.append("cards that are alike")
    elif rules.packs:
        things.append("a deck of other cards")
    if rules.row_deals != "none":
        things.append("a stock dealt onto columns")
    elif rules.stock:
        things += ["stock", "waste"]
    if rules.has_pairs:
        things.append("pairs")
    if rules.stacked:
        things.append("a stacked reserve")
    if any(layout_of(rules.layout).hidden):
        things.append("cards face down")
    *others, last = things or ["moves of any group of cards"]
    return f"{', '.join(others)} and {last}" if others else last
