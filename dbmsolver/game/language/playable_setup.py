"""The Setup block of games that have rules of their own for it: of one pile, of pairs, of packs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dbmsolver.game.language.description import SetupLine
from dbmsolver.game.language.problems import Problems


class Expected(NamedTuple):
    """The lines that a Setup may have."""

    game: str
    """The kind of game, as messages name it."""
    shown: Mapping[str, tuple[str, ...]]
    """The elements, and how the cards of each may be shown."""
    names: str
    """The elements, as messages name them."""
    most: Mapping[str, int]
    """The most of an element that there may be; of others one."""
    keep: str
    """The element that may say Keep, and its name in messages."""
    keep_name: str
    tableau: str
    """The line that is needed, as messages name it."""
    packs: int = 0
    """The number of foundations, one for each pack, where there are foundations."""


def setup_of(
    lines: tuple[SetupLine, ...], expected: Expected, problems: Problems
) -> dict[str, SetupLine]:
    """Return the line of each element; what is not as expected is added to the problems."""
    found: dict[str, SetupLine] = {}
    for line in lines:
        if line.element in found:
            problems.add("a second kind, expected one line for each element", line.element)
        elif line.element not in expected.shown:
            problems.add(f"{expected.game}, expected {expected.names} only", line.element)
        elif line.display not in expected.shown[line.element]:
            displays = ", ".join(expected.shown[line.element])
            problems.add(f"expected one of {displays} for it", line.display)
        reason = _wrong_count(line, expected)
        if reason:
            problems.add(reason, line.display, show=f"{line.element}[{line.count}]")
        if line.base is not None and not (expected.packs and line.base == "A"):
            aces = "foundations begin with the ace, " if expected.packs else ""
            problems.add(f"{aces}expected no Base", line.base, show=f"Base[{line.base}]")
        if line.keep and line.element != expected.keep:
            problems.add(f"expected it for {expected.keep_name} only", line.element, show="Keep")
        found.setdefault(line.element, line)
    if "Tableau" not in found:
        problems.add(f"expected a line {expected.tableau} in the Setup", "Setup")
    return found


def _wrong_count(line: SetupLine, expected: Expected) -> str | None:
    """Return why there are too many of an element, or too few; None if the number is right."""
    if line.element == "Foundation":
        wrong = line.count != expected.packs
        return f"expected {expected.packs}, one for each pack" if wrong else None
    most = expected.most.get(line.element, 1)
    return f"expected at most {most}" if line.count > most else None
