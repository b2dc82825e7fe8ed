"""Words for the things that a file of a game was understood to say."""

from __future__ import annotations

import pytest

from dbmsolver.game.language.explaining import explain
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import load_description


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("golf", ["Wastepile: a stack of 1 card", "Stock: a stack of 16 cards"]),
        ("canfield", ["Reserve: a stack of 13 cards", "Tableau: stacks of 1, 1, 1, 1"]),
    ],
)
def test_one_stack_is_not_several(game: str, said: list[str]) -> None:
    description, _ = load_description(game)
    words = [text for _, text in explain(description, understand(description, game))]
    assert words[words.index(said[0]) :][:2] == said
