"""Shipped games with one change: other rules, or all that cannot be played and nothing else.

`tests/data/games/one-change.json` has the rows of each game: what stands in its text, what takes
its place, and what of the rules differs then, or every problem.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import text_of
from dbmsolver.game.shipped import GAMES

FILE = Path(__file__).parents[2] / "data" / "games" / "one-change.json"
ROWS = [(game, *row) for game, rows in json.loads(FILE.read_text()).items() for row in rows]


@pytest.mark.parametrize(("game", "old", "new", "found"), ROWS)
def test_one_change(game: str, old: str, new: str, found: dict[str, Any] | list[str]) -> None:
    text = text_of(game)
    assert old in text
    changed = understand(parse(text.replace(old, new, 1), "my.game"), "my")
    if changed.rules is None:
        assert [str(problem) for problem in changed.problems] == found
        return
    assert not changed.problems
    names = {field.name for field in fields(changed.rules)} - {"name"}
    values = {name: (getattr(changed.rules, name), getattr(GAMES[game], name)) for name in names}
    assert {name: after for name, (after, before) in values.items() if after != before} == found
