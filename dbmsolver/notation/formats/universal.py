"""The universal solitaire solutions format as a tree of plain values, and back.

The tree is what the JSON encoding writes down; the XML encoding says the same with elements. What
each field means is told in `universal.md`, beside the schemas.
"""

from __future__ import annotations

from typing import Any

from dbmsolver.game.automoves import Automove
from dbmsolver.game.bases import ACE
from dbmsolver.game.cards import SUITS, rank, suit
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.moves import Place
from dbmsolver.game.moving import moving
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import usual_rules
from dbmsolver.notation.solution import Path, Solution
from dbmsolver.notation.steps import NO_CARD, Comment, Step

FORMAT = "universal-solitaire-solution"
FORMAT_VERSION = "0.1"

BUILDS: dict[Build, str] = {
    "any": "RANK",
    "suit": "SUIT",
    "alternate": "ALTERNATE_COLOR",
    "none": "NONE",
    "colour": "SAME_COLOR",
    "other": "OTHER_SUIT",
    "suit-both": "SUIT_UP_OR_DOWN",
}
FILLS: dict[Fill, str] = {
    "kings": "KINGS_ONLY",
    "none": "NONE",
    "any": "ANY_CARD",
    "waste": "WASTE_ONLY",
}
AUTOMOVE_NAMES: dict[Automove, str] = {
    "none": "NONE",
    "horne": "Horne",
    "wkr": "WKR",
    "max": "MAX",
}

SUIT_ORDER = "HCDS"
"""The order of the source's text, in which foundations are written."""

KNOWN: dict[str, tuple[str, ...]] = {
    "root": ("format", "format_version", "header", "solution"),
    "header": (
        "NUM_DECKS", "NUM_MOVES", "NUM_COLUMNS", "NUM_FREECELLS", "MAX_RANK", "variant",
        "sequences_are_built_by", "empty_stacks_filled_by", "sequence_move", "deal_number",
        "cards_move", "deal_name", "remarks",
    ),
    "solution": ("initial_position", "moves", "final_position"),
    "move_with_position": ("pos_before_move", "move"),
    "move": (
        "source", "dest", "num_cards", "source_card", "dest_card", "automove", "implicit",
        "comment",
    ),
    "comment": ("Plain_Text_Comment", "XHTML_Subset_Comment", "originator", "ID"),
    "place": (
        "col", "freecell", "foundation", "pile", "stock", "waste", "reserve", "removed", "columns",
    ),
    "foundation_id": ("deck", "suit"),
    "position": (
        "foundations", "freecells", "columns", "pile", "stock", "waste", "turns", "base",
        "lowest", "reserve", "removed",
    ),
    "foundation": ("foundation", "rank"),
    "column": ("len", "cards"),
    "card": ("is_empty", "is_hidden", "rank", "suit", "deck"),
}  # fmt: skip
"""The fields of every kind of object; others are unknown, and kept."""


def decks_of(rules: Rules) -> int:
    """Return the number of decks: the packs of the suit that has most of them."""
    return max(rules.suit_packs)


def tree(solution: Solution) -> dict[str, Any]:
    """Return the solution as plain values."""
    rules = solution.rules
    header: dict[str, Any] = {
        "NUM_DECKS": decks_of(rules),
        "NUM_MOVES": len(solution.steps),
        "NUM_COLUMNS": rules.columns,
        "NUM_FREECELLS": rules.freecells,
        "MAX_RANK": 13,
        "variant": rules.name,
        "sequences_are_built_by": BUILDS[rules.build],
        "empty_stacks_filled_by": FILLS[rules.fill],
        "sequence_move": "LIMITED",
    }
    if rules.has_runs:
        header["sequence_move"] = "UNLIMITED"
    if moving(rules) != "single":
        header["cards_move"] = moving(rules)
    if solution.number is not None and usual_rules(rules) == rules:
        header["deal_number"] = solution.number
    if solution.tag:
        header["deal_name"] = solution.tag
    if solution.remarks:
        header["remarks"] = list(solution.remarks)
    whole = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "header": header,
        "solution": {
            "initial_position": _position(solution.initial, rules),
            "moves": [_step(step, rules) for step in solution.steps],
            "final_position": _position(solution.final, rules),
        },
    }
    for path, fields in solution.extra.items():
        _keep(whole, path, dict(fields))
    return whole


def _keep(whole: Any, path: Path, fields: dict[str, Any]) -> None:
    """Put unknown fields back into the object that they were read from, if it is still there."""
    for key in path:
        try:
            whole = whole[key]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(whole, dict):
        whole.update({key: value for key, value in fields.items() if key not in whole})


def _step(step: Step, rules: Rules) -> dict[str, Any]:
    move: dict[str, Any] = {
        "source": _place(step.source),
        "dest": _place(step.destination),
        "num_cards": step.count,
    }
    if step.card is not None:
        move["source_card"] = _card(step.card)
    if step.onto is not None:
        move["dest_card"] = _card(None if step.onto == NO_CARD else step.onto)
    move["automove"] = AUTOMOVE_NAMES[step.automove]
    if step.comment is not None:
        move["comment"] = _comment(step.comment)
    if step.before is None:
        return {"move": move}
    return {"pos_before_move": _position(step.before, rules), "move": move}


def _comment(comment: Comment) -> dict[str, Any]:
    kind = "XHTML_Subset_Comment" if comment.xhtml else "Plain_Text_Comment"
    return {kind: comment.text, "originator": comment.originator, "ID": comment.identifier}


def _place(place: Place) -> dict[str, Any]:
    if place.kind == "foundation":
        return {"foundation": {"deck": 0, "suit": SUITS[place.index]}}
    if place.kind in ("pile", "stock", "waste", "reserve", "removed", "columns"):
        return {place.kind: place.index}
    return {"col" if place.kind == "column" else "freecell": place.index}


def _card(card: int | None, hidden: bool = False) -> dict[str, Any]:
    if card is None:
        return {"is_empty": True, "is_hidden": False}
    return {"is_empty": False, "is_hidden": hidden, "rank": rank(card), "suit": SUITS[suit(card)]}


def _tops(position: Position, index: int) -> tuple[int, ...]:
    """Return the ranks on top of a suit's foundations, 0 for none."""
    return tuple(0 if top is None else rank(top) for top in position.tops_home(index))


def _position(position: Position, rules: Rules) -> dict[str, Any]:
    value: dict[str, Any] = {
        "foundations": [
            {"foundation": {"deck": deck, "suit": name}, "rank": top}
            for name in SUIT_ORDER
            for deck, top in enumerate(_tops(position, SUITS.index(name)))
        ],
        "freecells": [_card(card) for card in position.freecells],
        "columns": [
            {
                "len": len(column),
                "cards": [_card(card, depth < hidden) for depth, card in enumerate(column)],
            }
            for column, hidden in zip(position.columns, position.hidden, strict=True)
        ],
    }
    if position.base != ACE:
        value["base"], value["lowest"] = position.base
    elif position.lowest > 1 and position.pyramid is None:
        value["lowest"] = position.lowest
    if position.has_waste:
        face_down = position.pyramid is None
        value["stock"] = [_card(card, face_down) for card in position.stock]
        if rules.draw or not rules.features.has_whole_columns:
            value["waste"] = [_card(card) for card in position.waste]
        if position.turns is not None:
            value["turns"] = position.turns
        if position.reserve:
            value["reserve"] = [_card(card) for card in position.reserve]
    if position.pyramid is not None:
        value["removed"] = [_card(card) for card in position.removed]
    if position.pile is not None:
        value["pile"] = [_card(card) for card in position.pile]
        value["stock"] = [_card(card) for card in position.stock]
    return value
