"""Moves and trees as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.errors import InputError
from dbmsolver.game.moves import PILE, RESERVE, STOCK, WASTE, Place
from dbmsolver.notation.steps import Step
from dbmsolver.play.codes import Branch, code_of, codes_of, read_line, read_tree

PLACES = [
    *(Place("column", index) for index in range(17)),
    *(Place("freecell", index) for index in range(16)),
    *(Place("foundation", suit) for suit in range(4)),
    *(PILE, STOCK, WASTE, RESERVE),
]
STEPS = st.builds(Step, st.sampled_from(PLACES), st.sampled_from(PLACES), st.integers(1, 52))


@given(st.lists(STEPS, max_size=20))
def test_lines_come_back(steps: list[Step]) -> None:
    assert read_line(codes_of(steps)) == steps


def written(children: dict[int, list[int]], steps: list[Step], parent: int = 0) -> str:
    """Return what follows a move, as the page writes it."""
    text = ""
    while children.get(parent):
        main, *others = children[parent]
        text += code_of(steps[main - 1])
        text += "".join(
            f"({code_of(steps[other - 1])}{written(children, steps, other)})" for other in others
        )
        parent = main
    return text


@given(st.lists(st.tuples(STEPS, st.integers(0, 30)), max_size=30))
def test_trees_come_back(rows: list[tuple[Step, int]]) -> None:
    children: dict[int, list[int]] = {}
    steps, lines = [], {0: ""}
    for number, (step, parent) in enumerate(rows, start=1):
        steps.append(step)
        parent %= number
        children.setdefault(parent, []).append(number)
        lines[number] = lines[parent] + code_of(step)
    found = {0: ""}
    for number, (parent, step) in enumerate(read_tree(written(children, steps)), start=1):
        assert parent < number
        found[number] = found[parent] + code_of(step)
    assert sorted(found.values()) == sorted(lines.values())


def test_the_order_is_that_of_the_text() -> None:
    places = [Place("column", index) for index in range(4)]
    a, b, c, d = (Step(one, Place("freecell", 0)) for one in places)
    assert read_tree("AaBa(CaDa)Da") == [
        *(Branch(0, a), Branch(1, b), Branch(1, c), Branch(3, d), Branch(2, d)),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("A", "character 1"),
        ("AaB", "character 3"),
        ("Aa0", "character 3"),
        ("Av", "character 1"),
        ("(Aa)", "a branch before any move"),
        ("Aa)", "not begun"),
        ("Aa(Ba", "without an end"),
        ("Aa\nBa", "character 3"),
    ],
)
def test_what_is_no_tree(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_tree(text)


def test_a_line_has_no_branches() -> None:
    with pytest.raises(InputError, match="branches"):
        read_line("Aa(Ba)")
