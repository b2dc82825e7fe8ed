"""The page to play on: one file, with parts of the replay page and parts of its own.

It sends requests to this server only, as its policy says.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from dbmsolver.game.shipped import SHIPPED
from dbmsolver.notation.formats import FORMATS
from dbmsolver.notation.formats.page_parts import (
    SUIT_SHAPES,
    as_data,
    asset,
    policy_of,
    script_of,
    style_of,
)
from dbmsolver.play.analyst import MOST_LONGER

_HERE = "dbmsolver.play"

_SHARED_STYLES = ("theme.css", "cards.css", "board.css", "layout.css")
_SHARED_SCRIPTS = (
    *("words.js", "places.js", "board.js", "motion.js", "entries.js", "copy.js"),
    *("frame.js", "addresses.js"),
)

_SCRIPTS = (
    *("ask.js", "game.js", "hand.js", "keys.js", "worth.js", "moves.js"),
    *("film.js", "deals.js", "take.js", "start.js"),
)
_LIMITS = "connect-src 'self'; img-src data:; frame-ancestors 'none'"

Page = tuple[str, int, dict[str, str]]
"""A page, its status, and its headers."""


def play_page(first: dict[str, Any]) -> Page:
    """Return the page; it opens with the deal `first` unless its address names another."""
    data = {
        **first,
        "games": [
            [name, game.title] for name, game in SHIPPED.items() if not game.rules.features.unplayed
        ],
        "formats": list(FORMATS.items()),
        "longest": MOST_LONGER,
    }
    return _filled("play.html", _style(), _script(), first=as_data(data), suits=SUIT_SHAPES)


def door_page() -> Page:
    """Return the page at `/`: it leads browsers that know the secret to the page to play on."""
    return _filled("door.html", style_of([asset("theme.css")]), _door_script())


def _filled(name: str, style: str, script: str, **parts: str) -> Page:
    parts |= {"style": style, "script": script}
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset(name, _HERE))
    policy = policy_of(script, style, _LIMITS)
    return text, 200, {"content-security-policy": policy}


@cache
def _style() -> str:
    return style_of([*map(asset, _SHARED_STYLES), asset("play.css", _HERE)])


@cache
def _script() -> str:
    scripts = [asset(name, _HERE) for name in _SCRIPTS]
    return script_of([*map(asset, _SHARED_SCRIPTS), *scripts])


@cache
def _door_script() -> str:
    return script_of([asset("door.js", _HERE)])
