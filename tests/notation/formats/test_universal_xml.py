"""The XML encoding: unknown fields, attributes and elements come back, values are checked."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from helpers.solutions import solved
from helpers.texts import validate

from dbmsolver.notation import formats
from dbmsolver.notation.formats import InvalidError
from dbmsolver.notation.formats.universal_xml import NAMESPACE
from dbmsolver.notation.solution import Solution

SHORT = replace(solved(18), initial=solved(18).final, steps=(), number=None)
"""A game that is won at its start: all that a file has, and no moves."""
TEXT = formats.write(SHORT, "universal-xml")
REMARKS = formats.write(replace(SHORT, remarks=("one", "two")), "universal-xml")


def with_extra(fields: dict[str, Any]) -> Solution:
    return replace(SHORT, extra={("header",): fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"@{urn:a}b": "c", "@{urn:d}e": "f"},
        {"@{urn:a}b c": "d"},
        {"@{urn:a}b": 5},
        {"@{urn:a}b": ["c"]},
        {"@b": "c"},
        {"@{http://www.w3.org/XML/1998/namespace}lang": "en"},
        {"{urn:a}b": {"xml": '<b xmlns="urn:a">1</b><b xmlns="urn:a">2</b>'}},
        {"{urn:a}b": {"xml": '<b xmlns="urn:a"/>', "more": 1}},
        {"{urn:a}b": {"xml": "<b"}},
        {"{urn:a}b": {"xml": "text"}},
        {"{urn:a}b": {"xml": 1}},
        {"{}b": {"xml": '<b xmlns=""/>'}},
        {"{urn:a}b": {"xml": f'<variant xmlns="{NAMESPACE}">c</variant>'}},
        {'a\tb\n"c"': "d"},
    ],
)
def test_unknown_fields_of_any_kind_come_back(fields: dict[str, Any]) -> None:
    text = formats.write(with_extra(fields), "universal-xml")
    validate(text, "universal-xml")
    found = formats.read(text)
    assert found.extra == {("header",): fields}
    assert found == with_extra(fields)


def test_elements_of_no_namespace_are_no_fields() -> None:
    """They are kept apart from the fields whose names they have."""
    text = TEXT.replace("<header>", '<header><variant xmlns="">chess</variant>', 1)
    found = formats.read(text)
    assert found.rules.name == "freecell"
    kept = {"{}variant": {"xml": '<variant xmlns="">chess</variant>'}}
    assert found.extra == {("header",): kept}


def test_fields_of_the_header_have_lines_of_their_own() -> None:
    assert "\n <header>\n  <NUM_DECKS>1</NUM_DECKS>\n  <NUM_MOVES>0</NUM_MOVES>\n" in TEXT


@pytest.mark.parametrize("word", ["1", " true "])
def test_flags_in_other_words(word: str) -> None:
    text = TEXT.replace("<is_empty>true<", f"<is_empty>{word}<")
    assert text != TEXT
    assert formats.read(text) == SHORT


@pytest.mark.parametrize("digits", ["9" * 19, "9" * 5000, "²", "٣", "", "-", "--1", "+1", "1.0"])
def test_what_is_no_number(digits: str) -> None:
    with pytest.raises(InvalidError) as error:
        formats.read(TEXT.replace("<NUM_DECKS>1<", f"<NUM_DECKS>{digits}<"))
    assert str(error.value).startswith("<text>, line 4, column 3: 'NUM_DECKS': ")
    assert str(error.value).endswith(", expected a number")


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("<remark>two<", f"<remark>{'2' * 100_001}<", "line 15, column 4: header.remarks[1]: "),
        ("<variant>", "<cards_move>odd</cards_move><variant>", "line 9, column 3: header.cards_m"),
        (">ALTERNATE_COLOR<", ">OTHER_SUIT<", "line 3, column 2: header.cards_move: "),
        ("<variant>freecell</variant>", "", "line 3, column 2: header: no variant, "),
    ],
)
def test_where_a_wrong_value_stands(old: str, new: str, place: str) -> None:
    """A value that is not there stands where the object that lacks it begins."""
    assert REMARKS.count(old) == 1
    with pytest.raises(InvalidError, match=re.escape(f"<text>, {place}")):
        formats.read(REMARKS.replace(old, new), "universal-xml")
