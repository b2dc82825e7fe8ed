"""The JSON encoding of the universal format: see `universal.md` and `universal.schema.json`."""

from __future__ import annotations

import json

from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.json_text import parse
from dbmsolver.notation.formats.source import Source
from dbmsolver.notation.formats.universal import tree
from dbmsolver.notation.formats.universal_reader import TreeReader
from dbmsolver.notation.solution import Path, Solution


def write(solution: Solution, indent: int | None = 1) -> str:
    """Return the solution as JSON."""
    return json.dumps(tree(solution), indent=indent, ensure_ascii=False) + "\n"


def read(source: Source, given: Given) -> Solution:
    """Read JSON, and compare it with the given facts."""
    value, places = parse(source)

    def at(path: Path) -> tuple[int, int]:
        while path and path not in places:
            path = path[:-1]
        return source.at(places[path])

    return TreeReader(source.where, at, given).solution(value)
