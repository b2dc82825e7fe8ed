"""Titles of deals: the game and what differs from it, and the way back from words to rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, changed
from dbmsolver.game.titles import rules_notes, rules_of_notes, title

FREECELL = GAMES["freecell"]


@pytest.mark.parametrize(
    ("game", "freecells", "columns", "words"),
    [
        ("freecell", 4, 8, "Deal 3"),
        ("freecell", 1, 8, "Deal 3 (1 freecell)"),
        ("freecell", 0, 9, "Deal 3 (9 columns, no freecells)"),
        ("bakers_game", 4, 8, "Deal 3 (bakers_game)"),
        # Fewer freecells are filled by the deal then: that is no other way to deal.
        ("eight_off", 3, 8, "Deal 3 (eight_off, 3 freecells)"),
    ],
)
def test_what_a_title_tells(game: str, freecells: int, columns: int, words: str) -> None:
    rules = changed(GAMES[game], freecells=freecells, columns=columns)
    assert title(Deal.from_number(3, rules)) == words
    assert rules_of_notes(words[len("Deal 3") :].strip(" ()")) == rules


@pytest.mark.parametrize("name", ["two\nlines", "a, b", "n" * 61, "", "\x1b[31m"])
def test_names_that_are_not_fit_to_stand_among_notes(name: str) -> None:
    """They are quoted, and say nothing that a terminal obeys."""
    note = rules_notes(replace(FREECELL, name=name))[0]
    assert note == quoted(name, 60) != name
    assert note.isprintable()


def test_games_that_nobody_knows() -> None:
    """Their rules are known where all of them are told."""
    for notes in ("zzxjoy", "zzxjoy, 8 columns, 2 freecells"):
        with pytest.raises(UsageError, match="unknown game 'zzxjoy'"):
            rules_of_notes(notes)
    own = replace(GAMES["bakers_game"], name="zzxjoy", freecells=2, columns=7)
    assert rules_of_notes(", ".join(rules_notes(own))) == own
