"""Texts whose foundations begin with a rank that the deal gives, beside freecells."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.printing import format_description

from dbmsolver.errors import InputError
from dbmsolver.game.language.explaining import explain
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import text_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.titles import rules_notes, rules_of_notes

TEXT = text_of("penguin")
HOME = "Foundation {Base}{Base}{Base}"
KINGS = "Tableau ValidStack Rank[K] OnBlank"


def changed(*pairs: tuple[str, str]) -> str:
    """Return Penguin's text with some words for others."""
    text = TEXT
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def read(text: str) -> Rules:
    """Return the rules of a text; what is printed of it gives the same game."""
    game = parse(text, "p.game")
    assert parse(format_description(game)) == game
    rules = understand(game, "p").playable("p", "p.game")
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules
    return rules


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        ([], {}),
        ([("Cyclic", "Ranks[13]")], {"base": "deal"}),
        ([("Cyclic", "Cyclic Ranks[9]")], {"layout": "home A 2 3 4; bases 3"}),
        ([(HOME, "Foundation {Base}"), ("{Base} Rows", "{base}{Base}{BASE} Rows")],
         {"layout": "bases 1"}),
        ([(HOME, "Foundation {Base}{Base}{Base}{Base}"), ("{Base} Rows", "Rows")],
         {"layout": "bases 4"}),
        ([(KINGS, "Tableau ValidStack Any OnBlank")], {"fill": "any"}),
        ([(KINGS, "")], {"fill": "none"}),
        ([(KINGS, "Tableau Rank[K] OnBlank")], {}),
        ([("Reserve Face[7]", ""), ("Reserve SingleCard Any OnBlank", "")], {"freecells": 0}),
    ],
)  # fmt: skip
def test_rules(pairs: list[tuple[str, str]], wanted: dict[str, object]) -> None:
    assert read(changed(*pairs)) == replace(GAMES["penguin"], **wanted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(HOME, "")], "Deal: expected one {Base} or more for it"),
        ([(HOME, "Foundation {1}")], "{1}: expected one {Base} or more"),
        ([(HOME, "Foundation {Base,Base}{Base}")], "{Base, Base}: expected one {Base} or more"),
        ([("{Base} Rows", "Rows")], "expected four {Base} in all"),
        ([(HOME, "Foundation {Base}{Base}"), ("{Base} Rows", "{Base}{Base} Rows"),
          ("DropStack[7]", "DropStack[1]")], "expected four {Base} in all"),
        ([("{Base} Rows", "{Base}")], "expected cards for the Tableau in Rows"),
        ([("{Base} Rows", "{Base} Rows[6]")], "expected cards for the Tableau in Rows"),
        ([("{Base} Rows", "{Base} Rows RightToLeft")], "expected cards for the Tableau in Rows"),
        ([("{Base} Rows", "{Base} Rows KingsSunk")], "expected four {Base} in all"),
        ([("{Base} Rows", "{Base} Rows Reserve {49}")], "expected no cards for it beside a base"),
        ([(" Keep Base[Deal]", " Keep")], "Cyclic: the king is the highest card"),
        ([(" Keep Base[Deal]", " Keep Base[5]")], "Base[5]: foundations begin with the ace or"),
        ([("Cyclic", "KingHigh")], "KingHigh: the rank before the base is the highest"),
        ([("SingleCard SameSuit Ascending", "Rank[A] OnBlank Foundation SingleCard SameSuit "
           "Ascending")], "Base[Deal] says what foundations begin with"),
        ([("Tableau ValidStack SameSuit", "Tableau ValidStack AltColor")], "columns built by suit"),
        ([("SameSuit Descending", "SameSuit Descending ThroughReserve"),
          (KINGS, f"{KINGS} ThroughReserve")], "columns built by suit whose runs move"),
    ],
)  # fmt: skip
def test_what_is_not_played(pairs: list[tuple[str, str]], message: str) -> None:
    found = understand(parse(changed(*pairs), "p.game"), "p")
    assert any(message in str(problem) for problem in found.problems)
    with pytest.raises(InputError, match=r"^p\.game"):
        found.playable("p", "p.game")


def test_a_base_is_no_card_of_other_games() -> None:
    for name, old in (("freecell", "Tableau Rows"), ("canfield", "Foundation {1}")):
        text = text_of(name).replace(old, f"{old.split()[0]} {{Base}} Rows")
        assert text != text_of(name)
        with pytest.raises(InputError, match="expected"):
            read(text)


def test_ranks_are_explained_as_counted_from_the_base() -> None:
    game = parse(TEXT, "p.game")
    said = [text for _, text in explain(game, understand(game, "p"))]
    wanted = "a run of cards that begins with a card of the rank before the base to an empty place"
    assert wanted in said
