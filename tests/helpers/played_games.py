"""The games that the page to play on has."""

from __future__ import annotations

from dbmsolver.game.shipped import GAMES

PLAYED = {name: rules for name, rules in GAMES.items() if not (rules.has_pairs or rules.is_wide)}
