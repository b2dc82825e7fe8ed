"""A page that replays a solution: one file, with everything in it. See `page.html`."""

from __future__ import annotations

import html
import json
from functools import lru_cache
from importlib import resources

from dbmsolver import titles
from dbmsolver.formats import universal_json
from dbmsolver.formats.given import Given
from dbmsolver.formats.source import InvalidError, Source
from dbmsolver.formats.universal import tree
from dbmsolver.solution import Solution

_START = '<script type="application/json" id="solution">'
_END = "</script>"


def title(solution: Solution) -> str:
    """What the page shows."""
    name = titles.title(solution.deal)
    return f"{name}: {solution.tag}" if solution.tag else name


def write(solution: Solution) -> str:
    """The page."""
    data = json.dumps(tree(solution), ensure_ascii=True, separators=(",", ":"))
    # In a script element, only what looks like its end, or like a comment, has to be avoided.
    data = data.replace("<", "\\u003c")
    page = _template()
    page = page.replace("{{title}}", html.escape(title(solution)))
    return page.replace("{{data}}", data)


def read(source: Source, given: Given) -> Solution:
    """The solution that a page written here holds."""
    start = source.text.find(_START)
    end = source.text.find(_END, start)
    if start < 0 or end < 0:
        message = "no solution in the page, expected one that dbmsolver wrote"
        raise InvalidError(message, source.named(1))
    # Lines before it are kept as blank ones, so that places in messages are those of the page.
    start += len(_START)
    line, column = source.at(start)
    padding = "\n" * (line - 1) + " " * (column - 1)
    return universal_json.read(Source(padding + source.text[start:end], source.where), given)


@lru_cache(maxsize=1)
def _template() -> str:
    return resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
