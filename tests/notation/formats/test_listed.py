"""Many solutions in one text, as `solve --all` writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dbmsolver.errors import InputError
from dbmsolver.game.shipped import GAMES, rules_fields
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.formats.listed import each_listed, format_of_list

BOARD = ["Foundations: H-K C-K D-K S-J", "QS", "KS", *[":"] * 6]
TITLE = "Deal board-1: solved in 2 card moves, shortest; {} such solutions"
MEMBERS: dict[str, Any] = {
    "kind": "solutions",
    "deal": {"number": None, "name": "board-1", "board": BOARD},
    "rules": {"game": "freecell", **rules_fields(GAMES["freecell"])},
}


def words(text: str) -> list[str]:
    """Return the moves of each solution in a text: where from and where to."""
    return [
        " ".join(f"{step.source.index + 1}{step.destination.kind[0]}" for step in solution.steps)
        for solution in each_listed(Source(text), Given())
    ]


def as_text(lines: list[str], board: list[str] = BOARD) -> str:
    return "\n".join([TITLE.format(len(lines)), "", *board, "", *lines, "", "Time:      0.2 s"])


def as_json(solutions: Any) -> str:
    return json.dumps({**MEMBERS, "solutions": solutions})


def test_solutions_in_a_text() -> None:
    text = as_text(["1  1h 2h", "2  1a ah 2h", "3  1h"])
    assert format_of_list(Source(text)) == "text"
    assert words(text) == ["1f 2f", "1f 1f 2f", "1f"]
    assert words(as_text([])) == []
    home = ["Foundations: H-K C-K D-K S-K", *[":"] * 8]
    assert words(as_text(["1  No move is needed."], home)) == [""]
    with pytest.raises(InputError, match=r"line 14, column 5.*: illegal move 1 '3h'"):
        words(as_text(["1  1h 2h", "12  3h"]))


def test_solutions_as_json() -> None:
    assert format_of_list(Source(as_json([]))) == "json"
    assert words(as_json(["1h 2h", "1h"])) == ["1f 2f", "1f"]
    assert words(as_json([])) == []
    for wrong in (None, "1h", {"1h": 1}, [1], ["1h", None]):
        with pytest.raises(InputError, match="no solutions, expected those of `solve --all`"):
            words(as_json(wrong))
    with pytest.raises(InputError, match="illegal move 1 '3h'"):
        words(as_json(["1h 2h", "3h"]))


def test_texts_of_other_kinds() -> None:
    for text in ('{"kind": "solution"}', "1  1h 2h", "Deal 3: solved in 2 moves", ""):
        assert format_of_list(Source(text)) is None
    with pytest.raises(InputError, match="no solutions, expected those of `solve --all`"):
        list(each_listed(Source('{ "kind": "solutions"}'), Given()))


def test_titles_of_many_solutions() -> None:
    for title in (
        "Deal 3: solved in 9 card moves, shortest; 1 such solution",
        "Deal 3 (2 freecells): solved in 9 card moves, shortest; 1,234 such solutions",
        "\n Deal board-1 (bakers_game, 3 freecells): solved in 1 run move; 20 such solutions",
    ):
        assert format_of_list(Source(f"{title}\n")) == "text"
        assert format_of_list(Source(title.replace("solved in", "solved"))) is None


def test_lines_that_are_no_moves_are_refused() -> None:
    """A line that begins as one of moves does is one, or none that `solve --all` writes."""
    for line in ("2  1h 2", "2  1h,2h", "2  1H 2h", "12 none", " 3 No moves are needed."):
        with pytest.raises(InputError) as error:
            words(as_text(["1  1h 2h", line]))
        expected = f"<text>, line 14, column 1: unknown line '{line.strip()}', expected a number"
        assert str(error.value).startswith(expected)


def test_places_of_wrong_moves_in_json() -> None:
    text = as_json(["1h 2h", "1h 3h"])
    column = text.index('"1h 3h"') + 1
    with pytest.raises(InputError) as error:
        words(text)
    assert str(error.value).startswith(f"<text>, line 1, column {column}, line 1, column 4: ")
