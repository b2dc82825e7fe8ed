"""The subset of XHTML that comments may use: text, a few elements, links.

No styles, scripts, images or event handlers; a link is `href` on `a`, to http, https or mailto.
"""

from __future__ import annotations

import re
from xml.parsers import expat

from dbmsolver.notation.steps import Comment

ELEMENTS = {
    *("p", "br", "em", "strong", "b", "i", "u", "s", "code", "kbd", "q", "cite", "sub", "sup"),
    *("ul", "ol", "li", "blockquote", "pre", "span", "a"),
}
MAX_DEPTH = 16

_LINK = re.compile(r"(?:https?://|mailto:)[^\s<>\"']*")


def check_subset(text: str) -> str | None:
    """Return, in words, the fault of a fragment; None if it is in the subset."""
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 1:
            return
        if depth > MAX_DEPTH:
            raise ValueError(f"elements nested more than {MAX_DEPTH} deep")
        if name not in ELEMENTS:
            raise ValueError(f"the element {name[:24]!r} is not in the XHTML subset of comments")
        for attribute, value in attributes.items():
            if (name, attribute) != ("a", "href") or not _LINK.fullmatch(value):
                raise ValueError(
                    f"the attribute {attribute[:24]!r} of {name[:24]!r} is not in the XHTML "
                    "subset of comments"
                )

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    def instruction(*_: object) -> None:
        raise ValueError("a processing instruction or document type in a comment")

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.ProcessingInstructionHandler = instruction
    parser.StartDoctypeDeclHandler = instruction
    try:
        parser.Parse(f"<div>{text}</div>", True)
    except ValueError as error:
        return str(error)
    except expat.ExpatError as error:
        return f"not well-formed as XHTML ({expat.errors.messages[error.code]})"
    return None


def one_line(comment: Comment) -> str:
    """Return the text of a comment on one line, without any elements."""
    parts = [comment.text]
    if comment.xhtml:
        parts = []
        parser = expat.ParserCreate()
        parser.CharacterDataHandler = parts.append
        parser.Parse(f"<div>{comment.text}</div>", True)
    return " ".join("".join(parts).split())
