"""Deals, rules, moves and counts as JSON, for all answers for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dbmsolver.game.boards import format_board
from dbmsolver.game.cards import SUITS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import UNUSUAL, rules_fields


def deal_data(deal: Deal) -> dict[str, Any]:
    """Return a deal for JSON."""
    return {"number": deal.number, "name": deal.name, "board": board_data(deal.position)}


def board_data(position: Position) -> list[str]:
    """Return a board for JSON: its lines."""
    return format_board(position).splitlines()


def rules_data(rules: Rules) -> dict[str, Any]:
    """Return rules for JSON."""
    return {
        "game": rules.name,
        "columns": rules.columns,
        "freecells": rules.freecells,
        "build": rules.build,
        "fill": rules.fill,
        "dealt_to_freecells": rules.dealt_to_freecells,
        "kings_sunk": rules.kings_sunk,
        "layout": rules.layout,
        **{key: value for key, value in rules_fields(rules).items() if key in UNUSUAL},
    }


def move_data(move: Move) -> dict[str, Any]:
    """Return a move for JSON; columns and freecells count from 0."""
    return {
        "card": card_name(move.card),
        "source": _place_data(move.source),
        "destination": _place_data(move.destination),
        "forced": move.forced,
        **({"count": move.count} if move.count > 1 else {}),
        **({} if move.other is None else {"other": card_name(move.other)}),
    }


def _place_data(place: Place) -> dict[str, Any]:
    if place.kind == "foundation":
        return {"kind": place.kind, "suit": SUITS[place.index]}
    return {"kind": place.kind, "index": place.index}


def strata_data(strata: Iterable[Sequence[int]]) -> list[dict[str, int]]:
    """Return rows of (layer, stratum, states, forced) for JSON."""
    names = ("layer", "stratum", "states", "forced")
    return [dict(zip(names, row, strict=True)) for row in strata]


def history_data(history: Iterable[Sequence[int]]) -> list[dict[str, int | float]]:
    """Return rows of (milliseconds, layer, stratum, states, forced) for JSON."""
    names = ("layer", "stratum", "states", "forced")
    return [{"seconds": row[0] / 1000, **dict(zip(names, row[1:], strict=True))} for row in history]


def dump_json(data: Mapping[str, Any]) -> str:
    """Return JSON as this program writes it: a line for each member, and each text of a list."""
    lines = []
    for name, value in data.items():
        if isinstance(value, list) and value and not isinstance(value[0], int):
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            text = f"[\n{rows}\n  ]"
        else:
            text = json.dumps(value)
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
