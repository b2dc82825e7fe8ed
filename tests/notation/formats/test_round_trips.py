"""Written solutions can be read, and say the same; from every format to every other."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from helpers.selection import few_fast
from helpers.solutions import mid_game, plain, random_game, rows, solved
from helpers.texts import validate
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import FORMATS, Source
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment

FOLDER = Path(formats.__file__).parent
ALL = few_fast(rows(), 3)
EXACT = [name for name in FORMATS if name != "sfn"]
SUPERMOVES = ["universal-json", "universal-xml", "moves", "html"]


def again(solution: Solution, name: str, policy: Policy = "horne") -> Solution:
    """Write, recognize and read; writing what was read gives the same text."""
    text = formats.write(solution, name, policy)
    validate(text, name)
    assert formats.detect(Source(text)) == name
    found = formats.read(text)
    assert formats.write(found, name, policy) == text
    assert found.rules == solution.rules
    assert found.number == solution.number
    assert found.initial == solution.initial
    assert found.final == solution.final
    return found


@pytest.mark.parametrize("number, cells", ALL)
@pytest.mark.parametrize("name", EXACT)
def test_exact_formats(number: int, cells: int, name: str) -> None:
    found = again(solved(number, cells), name)
    found.check()
    assert plain(found) == plain(solved(number, cells))


@pytest.mark.parametrize("number, cells", ALL)
@pytest.mark.parametrize("policy", ["horne", "wkr"])
def test_notation(number: int, cells: int, policy: Policy) -> None:
    found = again(solved(number, cells), "sfn", policy)
    found.check()
    assert found.steps == explicit(solved(number, cells), policy, as_short=True).steps


@pytest.mark.parametrize("number, cells", ALL[::6])
@pytest.mark.parametrize("policy", ["horne", "wkr"])
@pytest.mark.parametrize("name", SUPERMOVES)
def test_supermoves_and_automoves(number: int, cells: int, policy: Policy, name: str) -> None:
    solution = explicit(solved(number, cells), policy)
    found = again(solution, name)
    found.check()
    assert [step.count for step in found.steps] == [step.count for step in solution.steps]
    if name != "moves":  # which cannot say who makes a move
        assert found.steps == solution.steps


@pytest.mark.slow
@pytest.mark.parametrize("number", few_fast([*range(1, 7), 44, 84, 86, 99], 3))
def test_chain_through_all_formats(number: int) -> None:
    names = list(FORMATS)
    Random(number).shuffle(names)
    solution = explicit(solved(number), "wkr", as_short=True)
    for before, after in pairwise([*names, "sfn"]):
        found = formats.read(formats.write(solution, before, "wkr"))
        solution = formats.read(formats.write(found, after, "wkr"))
    assert formats.write(solution, "sfn", "wkr") == formats.write(solved(number), "sfn", "wkr")
    solution.check()


@pytest.mark.parametrize("number, cells", few_fast([(5, 4), (3, 2), (44, 4)], 1))
@pytest.mark.parametrize("moves", [1, 20, 50, 75])
@pytest.mark.parametrize("name", FORMATS)
def test_mid_game_starts(number: int, cells: int, moves: int, name: str) -> None:
    rest = mid_game(solved(number, cells), moves)
    found = again(rest, name)
    found.check()
    if name != "sfn":
        assert plain(found) == plain(rest)


@pytest.mark.parametrize("name", FORMATS)
def test_comments_tags_and_remarks(name: str) -> None:
    solution = solved(4)
    steps = list(solution.steps)
    steps[0] = replace(steps[0], comment=Comment("said at the start", False, "me", "c1"))
    steps[50] = replace(steps[50], comment=Comment("a <em>b</em> &amp; c", True, "you", "c2"))
    whole = replace(solution, steps=tuple(steps), tag="a tag", remarks=("one", "and two"))
    found = again(whole, name)
    found.check()
    said = [step.comment for step in found.steps if step.comment]
    if name.startswith("universal") or name == "html":
        assert found == whole
    else:
        assert [comment.text for comment in said] == ["said at the start", "a b & c"]
    assert found.remarks == whole.remarks
    assert found.tag == "a tag"


EXTRA = {
    (): {"added": [1, {"deep": None}], "{urn:other}note": {"xml": '<note xmlns="urn:other"/>'}},
    ("header",): {"author": 'me & "you"\u0001', "@{urn:other}mark": "a<b"},
    ("solution",): {"seconds": 1.5},
    ("solution", "moves", 3): {"when": "now"},
    ("solution", "moves", 3, "move"): {"undone": True},
    ("solution", "moves", 3, "move", "source"): {"x": 1},
    ("solution", "initial_position", "columns", 2): {"note": "third"},
    ("solution", "initial_position", "columns", 2, "cards", 1): {"worn": False},
}


@pytest.mark.parametrize("path", [["universal-json", "universal-xml", "html", "universal-json"]])
def test_unknown_fields_are_kept(path: list[str]) -> None:
    solution = replace(solved(2), extra=EXTRA)
    for name in path:
        text = formats.write(solution, name)
        validate(text, name)
        solution = formats.read(text)
        assert solution.extra == EXTRA


@pytest.mark.parametrize("name", few_fast(["universal-json", "universal-xml", "html"], 1))
def test_positions_before_moves_are_kept(name: str) -> None:
    solution = explicit(solved(86), "horne")
    steps = [replace(step, before=before) for step, before, _ in solution.replay()]
    whole = replace(solution, steps=tuple(steps))
    found = again(whole, name)
    assert found == whole
    found.check()


RULES = [
    *(rules for rules in GAMES.values() if not rules.has_runs),  # see test_games_with_runs.py
    rules_for("freecell", freecells=0),
    rules_for("freecell", freecells=2, columns=11),
]


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 2**33 - 1),
    st.sampled_from(RULES),
    st.integers(0, 10**6),
    st.integers(0, 40),
    st.sampled_from(["none", "horne", "wkr"]),
    st.sampled_from(EXACT),
)
def test_random_games(
    number: int, rules: object, seed: int, length: int, policy: Policy, name: str
) -> None:
    game = random_game(number, rules, seed, length, policy)  # type: ignore[arg-type]
    assert plain(again(game, name)) == plain(game)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 2**33 - 1),
    st.sampled_from([rules_for("freecell", freecells=n) for n in (4, 3, 0)]),
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.sampled_from(["horne", "wkr"]),
)
# Its last two moves can be made in another order, with as many moves.
@example(35, rules_for("freecell"), 35, 34, "horne")
def test_random_games_in_notation(
    number: int, rules: object, seed: int, length: int, policy: Policy
) -> None:
    game = random_game(number, rules, seed, length, policy)  # type: ignore[arg-type]
    if game.final != game.initial:
        assert again(game, "sfn", policy).steps == explicit(game, policy, as_short=True).steps


def test_the_document_shows_valid_examples() -> None:
    text = (FOLDER / "universal.md").read_text()
    examples = []
    for name, language in (("universal-json", "json"), ("universal-xml", "xml")):
        example = text.split(f"```{language}\n")[1].split("```")[0]
        validate(example, name)
        examples.append(formats.read(example))
        examples[-1].check()
    assert examples[0] == examples[1]


def test_the_document_names_every_field() -> None:
    from dbmsolver.notation.formats.universal import KNOWN

    text = (FOLDER / "universal.md").read_text()
    for kind, names in KNOWN.items():
        for name in names:
            assert f"`{name}`" in text, f"{kind}: {name}"
