"""The XML encoding of the universal format: see `universal.md` and `universal.xsd`.

Elements say what the fields of the tree say, one element for each field and list item. Unknown
fields are `extra` elements with the value in JSON. Elements and attributes of other namespaces are
unknown fields, too, and come back as they were.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from dbmsolver.errors import quoted
from dbmsolver.notation.formats import json_text
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.formats.universal import FORMAT, FORMAT_VERSION, tree
from dbmsolver.notation.formats.universal_reader import TreeReader
from dbmsolver.notation.formats.xml_text import (
    Element,
    attribute_text,
    escape,
    is_name,
    parse,
    serialized,
    shown,
    split_name,
)
from dbmsolver.notation.solution import Path, Solution

NAMESPACE = "urn:universal-solitaire-solution:0.1"
ROOT = "universal_solitaire_solution"

_POSITION = {
    "foundations": "list foundation",
    "freecells": "list card",
    "columns": "list column",
    "pile": "list card",
    "stock": "list card",
    "waste": "list card",
    "turns": "int",
    "base": "int",
    "lowest": "int",
    "reserve": "list card",
    "removed": "list card",
}
_MOVE = {"source": "place", "dest": "place", "num_cards": "int", "source_card": "card"}
FIELDS: dict[str, dict[str, str]] = {
    "root": {"header": "header", "solution": "solution"},
    "header": {
        **dict.fromkeys(("NUM_DECKS", "NUM_MOVES", "NUM_COLUMNS", "NUM_FREECELLS"), "int"),
        "MAX_RANK": "int",
        "variant": "text",
        **dict.fromkeys(("sequences_are_built_by", "empty_stacks_filled_by"), "text"),
        "sequence_move": "text",
        "cards_move": "text",
        "deal_number": "int",
        "deal_name": "text",
        "remarks": "list text",
    },
    "solution": {
        "initial_position": "position",
        "moves": "list move_with_position",
        "final_position": "position",
    },
    "move_with_position": {"pos_before_move": "position", "move": "move"},
    "move": {
        **_MOVE,
        "dest_card": "card",
        "automove": "text",
        "implicit": "flag",
        "comment": "comment",
    },
    "comment": dict.fromkeys(
        ("Plain_Text_Comment", "XHTML_Subset_Comment", "originator", "ID"), "text"
    ),
    "place": {
        **dict.fromkeys(("col", "freecell"), "int"),
        "foundation": "foundation_id",
        **dict.fromkeys(("pile", "stock", "waste", "reserve", "removed", "columns"), "int"),
    },
    "foundation_id": {"deck": "int", "suit": "text"},
    "position": _POSITION,
    "foundation": {"foundation": "foundation_id", "rank": "int"},
    "column": {"len": "int", "cards": "list card"},
    "card": {
        "is_empty": "flag",
        "is_hidden": "flag",
        "rank": "int",
        "suit": "text",
        "deck": "int",
    },
}
"""The content of the fields of every kind of object: a kind of object, of value, or a list of
one."""

ITEMS = {
    "foundation": "entry",
    "card": "card",
    "column": "column",
    "move_with_position": "move_with_position",
    "text": "remark",
}
"""The element of a list item."""


def write(solution: Solution) -> str:
    """Return the solution as XML."""
    whole = tree(solution)
    del whole["format"], whole["format_version"]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    attributes = f' xmlns="{NAMESPACE}" format_version="{FORMAT_VERSION}"'
    _write_object(lines, ROOT, whole, "root", "", attributes)
    return "".join(f"{line}\n" for line in lines)


def _write_object(
    lines: list[str], name: str, value: dict[str, Any], kind: str, indent: str, more: str = ""
) -> None:
    extra = {key: item for key, item in value.items() if key not in FIELDS[kind]}
    attributes, others = _extra_texts(extra)
    leaves = all(FIELDS[kind].get(key) in ("int", "text", "flag") for key in value)
    if leaves and kind != "header":
        parts = "".join(_leaf(key, value[key]) for key in FIELDS[kind] if key in value)
        lines.append(f"{indent}<{name}{more}{attributes}>{parts}</{name}>")
        return
    lines.append(f"{indent}<{name}{more}{attributes}>")
    for key, what in FIELDS[kind].items():
        if key in value:
            _write_field(lines, key, value[key], what, indent + " ")
    lines += [f"{indent} {other}" for other in others]
    lines.append(f"{indent}</{name}>")


def _write_field(lines: list[str], name: str, value: Any, what: str, indent: str) -> None:
    if what in ("int", "text", "flag"):
        lines.append(indent + _leaf(name, value))
    elif what.startswith("list "):
        kind = what.removeprefix("list ")
        lines.append(f"{indent}<{name}>")
        for item in value:
            if kind == "text":
                lines.append(f"{indent} {_leaf(ITEMS[kind], item)}")
            else:
                _write_object(lines, ITEMS[kind], item, kind, indent + " ")
        lines.append(f"{indent}</{name}>")
    else:
        _write_object(lines, name, value, what, indent)


def _leaf(name: str, value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else escape(str(value))
    return f"<{name}>{text}</{name}>"


def _extra_texts(extra: dict[str, Any]) -> tuple[str, list[str]]:
    """Return unknown fields as attributes and as elements, in the order of the schema."""
    attributes: list[str] = []
    elements: list[str] = []
    others: list[str] = []
    for name, value in extra.items():
        namespace, local = split_name(name.removeprefix("@"))
        if name.startswith("@") and namespace and isinstance(value, str) and is_name(local):
            attributes.append(attribute_text(name[1:], value, len(attributes)))
        elif name.startswith("{") and (text := _foreign(value)) is not None:
            others.append(text)
        else:
            content = escape(json.dumps(value, ensure_ascii=True))
            quoted_name = escape(json.dumps(name, ensure_ascii=True)[1:-1])
            elements.append(f'<extra name="{quoted_name}">{content}</extra>')
    return "".join(attributes), elements + others


def _foreign(value: Any) -> str | None:
    """Return elements of other namespaces as text; None if the value holds no such elements."""
    if not isinstance(value, dict) or set(value) != {"xml"} or not isinstance(value["xml"], str):
        return None
    try:
        parts = list(parse(Source(f"<all>{value['xml']}</all>")).children())
    except InvalidError:
        return None
    if not parts or any(split_name(part.name)[0] in ("", NAMESPACE) for part in parts):
        return None
    return "".join(serialized(part) for part in parts)


def read(source: Source, given: Given) -> Solution:
    """Read XML, and compare it with the given facts."""
    root = parse(source)
    reader = _XmlReader(source)
    if root.name != f"{{{NAMESPACE}}}{ROOT}":
        reader.fail(root, f"expected {ROOT} of the namespace {NAMESPACE}")
    attributes = dict(root.attributes)
    version = attributes.pop("format_version", None)
    root.attributes = attributes
    whole = reader.object(root, "root", ())
    whole["format"] = FORMAT
    if version is not None:
        whole["format_version"] = version

    def at(path: Path) -> tuple[int, int]:
        while path and path not in reader.places:
            path = path[:-1]
        return reader.places[path]

    return TreeReader(source.where, at, given).solution(whole)


class _XmlReader:
    """Elements as the tree that the JSON encoding holds."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.places: dict[Path, tuple[int, int]] = {}

    def fail(self, element: Element, message: str) -> NoReturn:
        place = self.source.named(element.line, element.column)
        raise InvalidError(f"{shown(element.name)}: {message}", place)

    def object(self, element: Element, kind: str, path: Path) -> dict[str, Any]:
        self.places[path] = (element.line, element.column)
        found: dict[str, Any] = {f"@{name}": text for name, text in element.attributes.items()}
        foreign: dict[str, str] = {}
        if element.text().strip():
            self.fail(element, f"text {quoted(element.text().strip())}, expected elements")
        for child in element.children():
            namespace, name = split_name(child.name)
            if namespace != NAMESPACE:
                foreign[child.name] = foreign.get(child.name, "") + serialized(child)
                continue
            if name == "extra":
                name, value = self.extra(child)
            elif name not in FIELDS[kind]:
                self.fail(child, f"expected {', '.join(FIELDS[kind])}, or another namespace")
            else:
                value = self.field(child, FIELDS[kind][name], (*path, name))
            if name in found:
                self.fail(child, "a second time, expected it once")
            found[name] = value
        for name, text in foreign.items():
            # A name in braces, as such elements are told from other unknown fields.
            key = name if name.startswith("{") else "{}" + name
            found[key] = {"xml": text}
        return found

    def field(self, element: Element, what: str, path: Path) -> Any:
        if what in ("int", "text", "flag"):
            self.places[path] = (element.line, element.column)
            return self.leaf(element, what)
        if not what.startswith("list "):
            return self.object(element, what, path)
        self.places[path] = (element.line, element.column)
        kind = what.removeprefix("list ")
        items: list[Any] = []
        for child in element.children():
            if split_name(child.name) != (NAMESPACE, ITEMS[kind]):
                self.fail(child, f"expected {ITEMS[kind]}")
            here = (*path, len(items))
            self.places[here] = (child.line, child.column)
            items.append(
                self.leaf(child, kind) if kind == "text" else self.object(child, kind, here)
            )
        return items

    def leaf(self, element: Element, what: str) -> Any:
        if any(True for _ in element.children()):
            self.fail(element, "elements, expected text")
        text = element.text()
        if what == "text":
            return text
        text = text.strip()
        if what == "flag":
            if text not in ("true", "false", "1", "0"):
                self.fail(element, f"{quoted(text)}, expected true or false")
            return text in ("true", "1")
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
            self.fail(element, f"{quoted(text)}, expected a number")
        return int(text)

    def extra(self, element: Element) -> tuple[str, Any]:
        """Return a field of another encoding: its name, and its value in JSON."""
        name = element.attributes.get("name")
        if name is None:
            self.fail(element, "no name, expected the name of the field")
        try:
            value, _ = json_text.parse(Source(self.leaf(element, "text")))
            key, _ = json_text.parse(Source(f'"{name}"'))
        except InvalidError as error:
            self.fail(element, error.message)
        return str(key), value
