"""A page that replays a solution: one file, with everything in it, that asks for nothing else.

`page/page.html` is its frame; the styles and scripts that are put into it are in the folder `page`.
Nothing else may run: the page's own policy names their digests. What comes from the solution goes
into the heading as escaped text, and into elements of data that the script reads as JSON.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Any

from dbmsolver.errors import DbmError
from dbmsolver.game import titles
from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import SHIPPED
from dbmsolver.notation.addresses import PORT, deal_name
from dbmsolver.notation.formats import sfn, universal_json
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.page_parts import (
    SUIT_SHAPES,
    as_data,
    asset,
    policy_of,
    script_of,
    style_of,
)
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.formats.stated_length import is_not_proven
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.formats.universal import tree
from dbmsolver.notation.solution import Solution

STYLES = ("theme.css", "cards.css", "board.css", "layout.css")
SCRIPTS = (
    *("words.js", "places.js", "replay.js", "board.js", "motion.js", "entries.js"),
    *("frame.js", "addresses.js"),
    *("list.js", "copy.js", "taken.js", "player.js", "controls.js"),
)

_START = '<script type="application/json" id="solution">'
_END = "</script>"


def title(solution: Solution) -> str:
    """Return the heading: the deal, the rules where they need saying, and the tag."""
    name = titles.title(solution.deal)
    return f"{name}: {solution.tag}" if solution.tag else name


def write(
    solution: Solution,
    policy: Policy = "horne",
    shortest: int | str | None = None,
) -> str:
    """Return the page.

    The automove policy is for the text in Standard FreeCell Notation that can be copied from it;
    the notation cannot state `none`, and then has Horne's. `shortest` is the number of moves of a
    solution that is proven to be shortest, or, in words, that number and what counts as a move;
    None for others. A remark that the solution is not proven shortest is shown beside its length.
    """
    parts = {
        "title": html.escape(title(solution)),
        "badge": _badge(shortest),
        "length": html.escape(_length(solution, shortest)),
        "facts": html.escape(_facts(solution)),
        "policy": html.escape(_policy()),
        "style": _style(),
        "script": _script(),
        "suits": SUIT_SHAPES,
        "data": as_data(tree(solution)),
        "replay": as_data(_replay(solution, policy)),
    }
    # In one go: what is put in may have braces of its own.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset("page.html"))


def read(source: Source, given: Given) -> Solution:
    """Return the solution in a page that this program wrote."""
    start = source.text.find(_START)
    end = source.text.find(_END, start)
    if start < 0 or end < 0:
        message = "no solution in the page, expected one that dbmsolver wrote"
        raise InvalidError(message, source.named())
    # Lines before it are kept as blank ones, so that places in messages are those of the page.
    start += len(_START)
    line, column = source.at(start)
    padding = "\n" * (line - 1) + " " * (column - 1)
    return universal_json.read(Source(padding + source.text[start:end], source.where), given)


def _badge(shortest: int | str | None) -> str:
    if shortest is None:
        return ""
    return f'<span class="badge">Proven shortest: {html.escape(_moves(shortest))}</span>'


def _moves(number: int | str) -> str:
    if isinstance(number, str):
        return number
    return "1 move" if number == 1 else f"{number} moves"


def _length(solution: Solution, shortest: int | str | None) -> str:
    """Return in words how long the solution is, where the badge does not say it."""
    if isinstance(shortest, int):
        return ""
    return ", ".join([_moves(len(solution.steps)), *filter(is_not_proven, solution.remarks)])


def _facts(solution: Solution) -> str:
    name = solution.rules.name
    game = SHIPPED[name].title if name in SHIPPED else name.replace("_", " ").capitalize()
    return f"{game}: {solution.rules.describe()}"


def _replay(solution: Solution, policy: Policy) -> dict[str, Any]:
    """Return the data that the page needs beside the solution."""
    # First, since it raises for moves that are not legal.
    found = stops(solution)
    try:
        text = sfn.write(solution, "horne" if policy == "none" else policy)
    except DbmError:  # the notation cannot say it: nothing to copy
        text = None
    return {
        "stops": [[stop.end, stop.kind] for stop in found],
        "solved": solution.final.is_goal(),
        "sfn": text,
        "deal": deal_name(solution.deal),
        "port": PORT,
    }


@cache
def _policy() -> str:
    return policy_of(_script(), _style())


@cache
def _style() -> str:
    return style_of([asset(name) for name in STYLES])


@cache
def _script() -> str:
    return script_of([asset(name) for name in SCRIPTS])
