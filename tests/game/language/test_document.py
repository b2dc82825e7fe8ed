"""docs/games.md shows the language as it is."""

from __future__ import annotations

import re
from pathlib import Path

from dbmsolver.game.language.reading import GRAMMAR
from dbmsolver.game.language.words import ALL
from dbmsolver.game.library import load_rules, text_of

TEXT = (Path(__file__).parents[3] / "docs" / "games.md").read_text(encoding="utf-8")


def test_the_grammar_is_the_parser_s() -> None:
    (shown,) = re.findall(r"```lark\n(.*?)```", TEXT, re.DOTALL)
    assert shown == GRAMMAR.read_text(encoding="utf-8")


def test_every_word_is_explained() -> None:
    words = set(re.findall(r"`([A-Za-z]+)", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))
    assert set(ALL) - {"Hearts", "Diamonds", "Clubs"} <= words


def test_the_examples_are_games(tmp_path: Path) -> None:
    two_cells, eight_off = re.findall(r"```\n((?:Extends|#).*?)```", TEXT, re.DOTALL)
    assert eight_off == text_of("eight_off")
    path = tmp_path / "two.game"
    path.write_text(two_cells)
    rules = load_rules(str(path))
    assert (rules.name, rules.freecells, rules.fill) == ("two_cells", 2, "kings")
