"""Texts of solutions that several test modules need: their schemas, and other programs' style."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dbmsolver.game.cards import card_name
from dbmsolver.game.position import Position
from dbmsolver.notation import formats
from dbmsolver.notation.solution import Solution

FOLDER = Path(formats.__file__).parent

RANKS = "0A23456789TJQK"


@cache
def json_schema() -> Any:
    """Return the schema of the universal format in JSON, made once a process that needs it."""
    import jsonschema

    return jsonschema.Draft202012Validator(
        json.loads((FOLDER / "universal.schema.json").read_text())
    )


@cache
def xml_schema() -> Any:
    """Return the schema of the universal format in XML, made once a process that needs it."""
    import xmlschema

    return xmlschema.XMLSchema(str(FOLDER / "universal.xsd"))


def validate(text: str, name: str) -> None:
    """Raise an error unless the text is valid by the schema of its format, if that has one."""
    if name == "universal-json":
        json_schema().validate(json.loads(text))
    elif name == "universal-xml":
        xml_schema().validate(text)


def board(position: Position, ten: str) -> str:
    """Return a board in that program's style.

    A freecell takes four characters, blank if it is empty.
    """
    heights = [(name, position.foundations["HSDC".index(name)]) for name in "HCDS"]
    home = "".join(f"{name}-{RANKS[height].replace('T', ten)} " for name, height in heights)
    cells = "".join(
        "    " if card is None else card_name(card).replace("T", ten).rjust(4)
        for card in position.freecells
    )
    columns = [" ".join(card_name(card).replace("T", ten) for card in c) for c in position.columns]
    return "\n".join([f"Foundations: {home}", f"Freecells:{cells}"] + [f": {c} " for c in columns])


def transcript(solution: Solution, ten: str) -> str:
    lines = ["-=-=-=-=-=-=-=-=-=-=-=-", "", board(solution.initial, ten), "", ""]
    moves = [line for line in formats.write(solution, "moves").splitlines() if line[:4] == "Move"]
    for line, (_, _, after) in zip(moves, solution.replay(), strict=True):
        lines += ["====================", "", line, "", board(after, ten), "", ""]
    lines += ["This game is solveable.", "Total number of states checked is 114."]
    return "\n".join([*lines, "This scan generated 321 states.", ""])
