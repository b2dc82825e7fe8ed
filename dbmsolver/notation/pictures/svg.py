"""Writing SVG: elements with attributes, and text that is only ever text."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

Number = int | float

_NO_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def words(content: str) -> str:
    """Return text as markup that shows it; characters that XML cannot hold become `\ufffd`."""
    return escape(_NO_XML.sub("\ufffd", content))


def number(value: Number) -> str:
    """Return a coordinate, to a hundredth."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *content: str, **attributes: str | Number) -> str:
    """Return an element; `content` is markup.

    A trailing `_` of a name is dropped, others become `-`.
    """
    parts = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else number(value)
        parts.append(f"{key.rstrip('_').replace('_', '-')}={quoteattr(text)}")
    start = " ".join(parts)
    return f"<{start}>{''.join(content)}</{name}>" if content else f"<{start}/>"


def text(content: str, x: Number, y: Number, **attributes: str | Number) -> str:
    """Return a line of text with its anchor at (x, y)."""
    return element("text", words(content), x=x, y=y, **attributes)


def document(width: Number, height: Number, title: str, description: str, *content: str) -> str:
    """Return a picture of its own, with a title and a description for people who do not see it."""
    size = f"0 0 {number(width)} {number(height)}"
    root = element(
        "svg",
        "\n",
        element("title", words(title), id="title"),
        "\n",
        element("desc", words(description), id="description"),
        "\n",
        *(f"{part}\n" for part in content),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=size,
        width=width,
        height=height,
        role="img",
        aria_labelledby="title description",
        font_family="system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif",
    )
    return root + "\n"
