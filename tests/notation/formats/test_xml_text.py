"""XML as untrusted text: where elements stand, how deep they are, and elements as text again."""

from __future__ import annotations

import pytest

from dbmsolver.notation.formats import InvalidError, Source
from dbmsolver.notation.formats.xml_text import MAX_DEPTH, escape, is_name, parse, serialized


def test_elements_know_their_places() -> None:
    root = parse(Source('<a>\n  <b x="1"/><c>d</c>\n<e/></a>'))
    assert (root.line, root.column) == (1, 1)
    places = [(child.name, child.line, child.column) for child in root.children()]
    assert places == [("b", 2, 3), ("c", 2, 13), ("e", 3, 1)]
    assert root.text() == "\n  \n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not well-formed (no element found)"),
        ("<a>\n </b>", "line 2, column 4: not well-formed (mismatched tag)"),
        ("<a/>\n<b/>", "line 2, column 1: not well-formed (junk after document element)"),
        ("<a>\n <b", "line 2, column 2: not well-formed (unclosed token)"),
    ],
)
def test_what_is_no_xml(text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        parse(Source(text, "f"))
    assert str(error.value).startswith(f"f, {message}")


def test_the_deepest_elements() -> None:
    assert parse(Source("<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH)).name == "a"
    column = 3 * MAX_DEPTH + 1
    with pytest.raises(InvalidError, match=f"column {column}: elements nested more than"):
        parse(Source("<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1)))


def test_control_characters_are_replaced() -> None:
    kept = {"\t": "\t", "\n": "\n", "\r": "&#13;"}
    for letter in map(chr, range(32)):
        assert escape(letter) == kept.get(letter, "\ufffd")


@pytest.mark.parametrize(
    "text",
    [
        '<a xmlns=""/>',
        '<a xmlns="">b<c xmlns=""/>d</a>',
        '<a xmlns="urn:b" c="d"/>',
        '<a xmlns="urn:b" xml:lang="en"/>',
        '<a xmlns="" xmlns:n1="urn:x" b="1" n1:c="2"/>',
        '<a xmlns="" xmlns:n0="urn:x" n0:b="1" xmlns:n1="urn:y" n1:b="2"/>',
        '<a xmlns="" b="&#10;&#9;&#13;&quot;&lt;&amp;"/>',
    ],
)
def test_elements_as_text_again(text: str) -> None:
    element = parse(Source(text))
    again = parse(Source(serialized(element)))
    assert (again.name, again.attributes) == (element.name, element.attributes)
    # Declarations of namespaces stand before the first attribute that needs them, or do not.
    assert len(serialized(element)) == len(text)


def test_names_of_elements() -> None:
    for name in ("a", "a-b", "_1", "é"):
        assert is_name(name)
    for name in ("", "1a", "a b", 'a b="c"', "a/><b", "a ", "a>", "<", '{urn:x}a xmlns="urn:x"'):
        assert not is_name(name)
