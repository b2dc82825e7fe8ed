"""Tests patch what the package calls by a public name, so that its insides can change."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parent
PRIVATE = re.compile(r"_(?!_)[a-z]\w*|_[A-Z]\w*[a-z]\w*")
"""Names of private functions, methods and classes. Tests may lower constants (`_FIRST_ROOM`)."""


def patched(call: ast.Call) -> list[str]:
    """Return the names that lead to what a call of `setattr` replaces; none if it is another call.

    A name that is only known when the test runs is left out.
    """
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    if name not in ("setattr", "delattr"):
        return []
    words = []
    for given in call.args[:2]:
        if isinstance(given, ast.Constant):
            words += str(given.value).split(".")
        elif isinstance(given, ast.Attribute):
            words += ast.unparse(given).split(".")
    return words


def private_patches(text: str) -> list[int]:
    """Return the lines of a module on which a private function, method or class is replaced."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if any(map(PRIVATE.fullmatch, patched(call)))]


def test_no_private_function_is_patched() -> None:
    found = {
        str(path.relative_to(TESTS)): lines
        for path in sorted(TESTS.rglob("*.py"))
        if (lines := private_patches(path.read_text("utf-8")))
    }
    assert not found


def test_what_is_found() -> None:
    patches = """\
patch.setattr(Store, "_put", put)
patch.setattr("dbmsolver.search.session._Run.step", step)
patch.setattr(session._Run, "step", step)
setattr(dives._diver, "dive", dive)
patch.setattr(sweep, "_FIRST_ROOM", 300)
patch.setattr(Store, "put", fake._put)
patch.setattr(Environment, "__init__", quick)
getattr(Store, "_put")
"""
    assert private_patches(patches) == [1, 2, 3, 4]
