"""XML as untrusted text: no document type, so no entities of any kind, and bounded depth.

The parser is expat through the standard library, which also limits what it expands by itself. A
document type is refused where it starts: without one there is nothing to expand and nothing to
fetch, and no need for a library that forbids it in more words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from dbmsolver.errors import quoted
from dbmsolver.notation.formats.source import InvalidError, Source

MAX_DEPTH = 32


@dataclass
class Element:
    """An element: its name as `{namespace}name`, or the name alone where it has none."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    content: list[str | Element] = field(default_factory=list)

    def children(self) -> Iterator[Element]:
        """Return the elements that stand directly in it."""
        return (child for child in self.content if isinstance(child, Element))

    def text(self) -> str:
        """Return the text directly in it."""
        return "".join(part for part in self.content if isinstance(part, str))


def parse(source: Source) -> Element:
    """Return the root element of the text; InvalidError for text that is not such XML."""
    parser = expat.ParserCreate("utf-8", namespace_separator="}")
    parser.buffer_text = True
    stack: list[Element] = []
    roots: list[Element] = []

    def here() -> tuple[int, int]:
        return parser.CurrentLineNumber, parser.CurrentColumnNumber + 1

    def start(name: str, attributes: dict[str, str]) -> None:
        line, column = here()
        if len(stack) >= MAX_DEPTH:
            text = f"elements nested more than {MAX_DEPTH} deep, expected a solution"
            raise InvalidError(text, source.named(line, column))
        named = {_clark(key): value for key, value in attributes.items()}
        element = Element(_clark(name), named, line, column)
        (stack[-1].content if stack else roots).append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def characters(text: str) -> None:
        stack[-1].content.append(text)

    def document_type(*_: object) -> None:
        text = "a document type, expected XML without one (no entities are read)"
        raise InvalidError(text, source.named(*here()))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = document_type
    try:
        parser.Parse(source.text.encode("utf-8"), True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        text = f"not well-formed ({reason}), expected XML"
        raise InvalidError(text, source.named(error.lineno, error.offset + 1)) from None
    return roots[0]


def escape(text: str) -> str:
    """Return text as the content of an element or attribute; what XML cannot say becomes U+FFFD."""
    parts = []
    for letter in text:
        if letter in _ESCAPES:
            parts.append(_ESCAPES[letter])
        elif (letter < " " and letter not in "\t\n") or letter in "\ufffe\uffff":
            parts.append("\ufffd")
        else:
            parts.append(letter)
    return "".join(parts)


_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"}


def serialized(element: Element) -> str:
    """Return the element as text that declares its own namespaces."""
    namespace, local = split_name(element.name)
    attributes = f" xmlns={_quoted(namespace)}"
    for index, (name, value) in enumerate(element.attributes.items()):
        attributes += attribute_text(name, value, index)
    content = "".join(
        escape(part) if isinstance(part, str) else serialized(part) for part in element.content
    )
    return f"<{local}{attributes}>{content}</{local}>" if content else f"<{local}{attributes}/>"


def attribute_text(name: str, value: str, index: int) -> str:
    """Return an attribute, its namespace declared under a prefix with that index."""
    namespace, local = split_name(name)
    if not namespace:
        return f" {local}={_quoted(value)}"
    if namespace == "http://www.w3.org/XML/1998/namespace":
        return f" xml:{local}={_quoted(value)}"
    return f" xmlns:n{index}={_quoted(namespace)} n{index}:{local}={_quoted(value)}"


def split_name(name: str) -> tuple[str, str]:
    """Return namespace and local part of a name."""
    namespace, brace, local = name.rpartition("}")
    return (namespace[1:], local) if brace else ("", name)


def is_name(text: str) -> bool:
    """Return True if the text is a plain name of an element or attribute."""
    try:
        root = parse(Source(f"<{text}/>"))
    except InvalidError:
        return False
    return root.name == text


def _clark(name: str) -> str:
    namespace, brace, local = name.rpartition("}")
    return f"{{{namespace}}}{local}" if brace else name


def _quoted(text: str) -> str:
    return '"' + escape(text).replace("\n", "&#10;").replace("\t", "&#9;") + '"'


def shown(name: str) -> str:
    """Return a name for messages."""
    return quoted(split_name(name)[1])
