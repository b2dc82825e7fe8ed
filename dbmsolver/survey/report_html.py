"""Parts of a report's page: tables as HTML, and numbers with their units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

_NUMBER = re.compile(r"([0-9][0-9,.]*( ?%| s| min| h| MiB)?( to [0-9.]+%)?)?")
"""The text of a number, with its unit: such columns are aligned at the right."""


def table(caption: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Return a table; one that is too wide for the page is scrolled in its own frame."""
    right = [all(_NUMBER.fullmatch(line[index]) for line in lines) for index in range(len(heads))]
    marks = [' class="number"' if is_number else "" for is_number in right]
    head = "".join(
        f'<th scope="col"{mark}>{escape(word)}</th>'
        for word, mark in zip(heads, marks, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{mark}>{_parted(word)}</td>" for word, mark in zip(line, marks, strict=True))
        + "</tr>"
        for line in lines
    )
    label = escape(caption, quote=True)
    return (
        f'<div class="wide" role="region" aria-label="{label}" tabindex="0"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _parted(words: str) -> str:
    """Return a text as HTML that can go on in the next line within the name of a game."""
    return escape(words).replace("_", "_<wbr>")


def row_count(number: int) -> str:
    """Return a number of rows in words."""
    return f"{number:,} {'row' if number == 1 else 'rows'}"


def mebibytes(size: int) -> str:
    """Return a size in MiB."""
    return f"{size / (1 << 20):,.0f} MiB"


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
