"""The universal format as its first proposal has it, and as it was amended."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from helpers.selection import few_fast
from helpers.solutions import mid_game, plain, solved
from helpers.texts import validate

from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import automoves
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit, grouped
from dbmsolver.notation.formats import Given, InvalidError
from dbmsolver.notation.formats.universal import KNOWN, tree
from dbmsolver.notation.solution import Solution

ENCODINGS = ("universal-json", "universal-xml")


def proposal(solution: Solution) -> dict[str, Any]:
    """Return a document of the first proposal.

    It has no initial position, and `implicit` in place of `automove`.
    """
    steps = [replace(step, before=before) for step, before, _ in solution.replay()]
    whole = tree(replace(solution, steps=tuple(steps), number=None))
    del whole["format"], whole["format_version"], whole["header"]["NUM_FREECELLS"]
    del whole["solution"]["initial_position"]
    for item in whole["solution"]["moves"]:
        item["move"]["implicit"] = item["move"].pop("automove") != "NONE"
    return whole


@pytest.mark.parametrize("policy", few_fast(["none", "horne", "wkr"], 1))
def test_documents_of_the_first_proposal(policy: Any) -> None:
    solution = explicit(mid_game(solved(44), 12), policy)
    text = json.dumps(proposal(solution))
    validate(text, "universal-json")
    assert formats.detect(formats.Source(text)) == "universal-json"
    found = formats.read(text + "\n")
    found.check()
    assert found.initial == solution.initial
    assert plain(found) == plain(solution)
    made = [step.automove != "none" for step in found.steps]
    assert made == [step.automove != "none" for step in solution.steps]
    assert {step.automove for step in found.steps} <= {"none", "horne", "wkr"}
    again = formats.write(found, "universal-xml")
    validate(again, "universal-xml")
    assert formats.read(again).steps == found.steps


@pytest.mark.slow
def test_the_proposal_in_xml() -> None:
    solution = explicit(solved(44), "horne")
    steps = [replace(step, before=before) for step, before, _ in solution.replay()]
    text = formats.write(replace(solution, steps=tuple(steps), number=None), "universal-xml")
    text = re.sub(r"(?s) *<initial_position>.*</initial_position>\n", "", text)
    text = text.replace("<automove>NONE</automove>", "<implicit>false</implicit>")
    text = text.replace("<automove>Horne</automove>", "<implicit>true</implicit>")
    text = text.replace(' format_version="0.1"', "")
    validate(text, "universal-xml")
    found = formats.read(text)
    found.check()
    assert found.initial == solution.initial
    assert [step.automove for step in found.steps] == [step.automove for step in solution.steps]


def test_an_unsafe_move_home_that_is_implicit() -> None:
    solution = solved(18)
    steps = [replace(s, automove="max") if s.destination.kind == "foundation" else s
             for s in solution.steps]  # fmt: skip
    whole = proposal(replace(solution, steps=tuple(steps)))
    found = formats.read(json.dumps(whole) + "\n")
    found.check()
    assert {step.automove for step in found.steps} == {"none", "horne", "wkr", "max"}
    for name in ENCODINGS:
        text = formats.write(found, name)
        validate(text, name)
        assert formats.read(text).steps == found.steps


@pytest.mark.parametrize(
    "change, message",
    [
        ({"implicit": True}, "no automove makes this move"),
        ({"automove": "Horne"}, "false, automove says Horne, expected the same"),
        ({"implicit": "no"}, "'no', expected true or false"),
    ],
)
def test_implicit_that_cannot_be(change: dict[str, Any], message: str) -> None:
    whole = proposal(solved(18))
    index = next(i for i, step in enumerate(solved(18).steps) if step.destination.kind == "column")
    whole["solution"]["moves"][index]["move"] |= change
    with pytest.raises(InvalidError, match=message) as error:
        formats.read(json.dumps(whole) + "\n")
    assert f"moves[{index}].move.implicit: " in str(error.value)


def test_neither_automove_nor_implicit() -> None:
    whole = proposal(solved(18))
    del whole["solution"]["moves"][7]["move"]["implicit"]
    with pytest.raises(InvalidError, match=r"moves\[7\]\.move: no automove, expected automove, or"):
        formats.read(json.dumps(whole) + "\n")


def test_no_position_but_a_number() -> None:
    whole = tree(solved(18))
    del whole["solution"]["initial_position"]
    assert formats.read(json.dumps(whole) + "\n").initial == solved(18).initial
    del whole["header"]["deal_number"]
    with pytest.raises(InvalidError, match="no initial_position, and no pos_before_move"):
        formats.read(json.dumps(whole) + "\n")
    found = formats.read(json.dumps(whole) + "\n", given=Given(deal="18"))
    found.check()
    assert found.number == 18
    del whole["header"]["NUM_FREECELLS"]
    with pytest.raises(InvalidError, match="no NUM_FREECELLS"):
        formats.read(json.dumps(whole) + "\n", given=Given(deal="18"))


def test_no_moves_at_all() -> None:
    goal = solved(18).final
    whole = tree(replace(solved(18), initial=goal, steps=(), number=None))
    del whole["solution"]["initial_position"]
    found = formats.read(json.dumps(whole) + "\n")
    assert found.initial == found.final == goal


# Runs as one move


@pytest.mark.parametrize(
    ("number", "name"),
    few_fast(product([32, 86], ["universal-json", "universal-xml", "html", "moves"]), 2),
)
def test_runs(number: int, name: str) -> None:
    solution = solved(number)
    text = formats.write(solution, name, runs=True)
    validate(text, name)
    found = formats.read(text)
    found.check()
    assert max(step.count for step in found.steps) > 1
    assert len(found.moves()) <= len(solution.moves())
    if name == "moves":
        return
    for step, before, _ in found.replay():
        assert step.before == before
        if step.destination.kind == "column":
            column = before.columns[step.destination.index]
            assert step.onto == (column[-1] if column else None)
    assert found.steps == grouped(solution).steps
    assert formats.write(found, name) == text


def test_runs_keep_automoves() -> None:
    for policy in ("horne", "wkr"):
        player = explicit(solved(86), policy)  # type: ignore[arg-type]
        found = grouped(player)
        found.check()
        made = [step.card for step in player.steps if step.automove != "none"]
        assert [step.card for step in found.steps if step.automove != "none"] == made
        assert automoves(found.final, found.rules, "wkr")[0] == []


@pytest.mark.parametrize("name", ["sfn", "short"])
def test_formats_that_cannot_say_runs_or_say_them_anyway(name: str) -> None:
    with pytest.raises(UsageError, match=rf"^runs says nothing about the format {name}"):
        formats.write(solved(18), name, runs=True)


# The document


def test_the_document_says_where_every_concept_stands() -> None:
    text = (Path(__file__).parents[3] / "docs" / "solutions.md").read_text()
    table = text.split("## The universal format")[1]
    for kind in ("root", "header", "solution", "move_with_position", "move", "comment", "card"):
        for name in KNOWN[kind]:
            added = ("format", "format_version", "header", "solution", "remarks", "deal_name")
            texts = ("Plain_Text_Comment", "XHTML_Subset_Comment", "NUM_FREECELLS")
            if name not in (*added, *texts):
                assert re.search(rf"\b{name}\b", table, re.IGNORECASE), f"{kind}: {name}"
    points = re.findall(r"^\| (\d+)[a-d]? ", text, re.MULTILINE)
    assert sorted({int(point) for point in points}) == list(range(1, 13))
    for name in formats.READABLE:
        assert f"`{name}`" in text
