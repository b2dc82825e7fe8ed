"""JSON as untrusted text: what is refused that other readers let pass, and where it stands."""

from __future__ import annotations

from typing import Any

import pytest

from dbmsolver.notation.formats import InvalidError, Source
from dbmsolver.notation.formats.json_text import MAX_DEPTH, MAX_DIGITS, parse


def read(text: str) -> Any:
    return parse(Source(text, "f"))[0]


def test_values_and_their_places() -> None:
    text = '\n{"a": [1, -2.5e1,\r\n\ttrue], "b": {"c": null}, "d": []}'
    value, places = parse(Source(text))
    assert value == {"a": [1, -25.0, True], "b": {"c": None}, "d": []}
    assert {path: text[place : place + 4] for path, place in places.items()} == {
        (): '{"a"',
        ("a",): "[1, ",
        ("a", 0): "1, -",
        ("a", 1): "-2.5",
        ("a", 2): "true",
        ("b",): '{"c"',
        ("b", "c"): "null",
        ("d",): "[]}",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "a": 2}', "line 1, column 10: the key 'a' a second time"),
        ("[01]", "line 1, column 3: unexpected '1' instead of `,` or `]`"),
        ("[1.]", "line 1, column 3: unexpected '.' instead of `,` or `]`"),
        ("[-]", "line 1, column 2: unexpected '-'"),
        ("[1e400]", "line 1, column 7: a number out of range"),
        ("[-1e400]", "line 1, column 8: a number out of range"),
        ("[\u00a01]", "line 1, column 2: unexpected '\\xa0'"),
        ("[1\x0b]", "line 1, column 3: unexpected '\\x0b' instead of `,` or `]`"),
        ("[1,]", "line 1, column 4: unexpected ']'"),
        ("[1", "line 1, column 3: the text ends too early instead of `,` or `]`"),
        ("[\n 1] 2", "line 2, column 5: text after the end of the value"),
        ('["a', "line 1, column 2: a string that does not end"),
        ('["\t"]', "line 1, column 2: a string that does not end, or has a bad character"),
    ],
)
def test_what_is_no_json(text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        read(text)
    assert str(error.value).startswith(f"f, {message}")
    assert str(error.value).endswith(", expected JSON")


def test_the_longest_numbers() -> None:
    longest = "9" * MAX_DIGITS
    assert read(f"[{longest}]") == [int(longest)]
    with pytest.raises(InvalidError, match=f"a number of {MAX_DIGITS + 1} characters"):
        read(f"[{longest}9]")


def test_the_deepest_values() -> None:
    assert read("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
    with pytest.raises(InvalidError, match=f"column {MAX_DEPTH + 2}: nested more than {MAX_DEPTH}"):
        read("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2))
