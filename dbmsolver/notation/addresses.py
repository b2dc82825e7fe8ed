"""Names of rules and deals in addresses of the page that is played on."""

from __future__ import annotations

from typing import Any

from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_fields

PORT = 5252
"""The port of that page unless it was asked for another: links to it name it."""


def rules_name(rules: Rules) -> str | dict[str, Any]:
    """Return the name of a shipped game, or all fields of other rules."""
    return rules.name if GAMES.get(rules.name) == rules else rules_fields(rules)


def deal_name(deal: Deal) -> dict[str, Any]:
    """Return a deal's game, with its number or its board."""
    name: dict[str, Any] = {"game": rules_name(deal.rules)}
    if deal.number is None:
        return name | {"board": format_board(deal.position)}
    return name | {"number": deal.number}
