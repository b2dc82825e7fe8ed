"""Parts of pages: styles and scripts of the folder `page`, suits, and data for scripts.

A page is one file. Its policy names the digests of its script and its style, so that nothing else
runs in it.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Any

from dbmsolver.notation.pictures.suits import SHAPES

SUIT_SHAPES = "".join(
    f'<svg data-suit="{suit}" viewBox="0 0 100 100" aria-hidden="true"><path d="{shape}"/></svg>'
    for suit, shape in SHAPES.items()
)
"""The suits, for scripts to copy."""


@cache
def asset(name: str, package: str = "dbmsolver.notation.formats") -> str:
    """Return the text of a file of the folder `page` of a package."""
    return resources.files(package).joinpath("page", name).read_text(encoding="utf-8")


def style_of(parts: Sequence[str]) -> str:
    """Return the text of a style element."""
    return "\n" + "".join(parts)


def script_of(parts: Sequence[str]) -> str:
    """Return the text of a script element: one scope for all parts."""
    return f'\n"use strict";\n(() => {{\n{"".join(parts)}}})();\n'


def policy_of(script: str, style: str, *more: str) -> str:
    """Return the page's policy: it may run its own script, in its own style.

    `more` are further rules of the policy.
    """
    of_script, of_style = (
        b64encode(sha256(text.encode()).digest()).decode() for text in (script, style)
    )
    return "; ".join(
        [
            f"default-src 'none'; script-src 'sha256-{of_script}'",
            f"style-src 'sha256-{of_style}'",
            "base-uri 'none'; form-action 'none'",
            *more,
        ]
    )


def as_data(value: Any) -> str:
    """Return JSON for a script element.

    It has no `<`, which could end the element or begin a comment.
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c")
