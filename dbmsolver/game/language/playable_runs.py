"""Rules for runs, from the lines of a Move block: the runs that one move takes, and their cards.

Runs move as one move where the Tableau's lines have the item `ValidStack`, without
`ThroughReserve`. A card that may be put on another, but makes no such run with it, is marked
`NotValid`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.kinds import Moves
from dbmsolver.game.language.description import MoveLine
from dbmsolver.game.language.problems import Problems


def takes_runs(line: MoveLine) -> bool:
    """Return True if a line's move takes a run at once."""
    return line.item == "ValidStack" and "ThroughReserve" not in line.modifiers


def moves_of(lines: Sequence[MoveLine], problems: Problems) -> Moves:
    """Return what one move takes, by the Tableau's lines.

    A line that differs from the others is added to the problems.
    """
    runs = [line for line in lines if takes_runs(line)]
    if not runs:
        for line in lines:
            if "NotValid" in line.modifiers:
                reason = "there are no runs that it could break, expected ValidStack as the item"
                problems.add(reason, "NotValid", line.element)
        return "single"
    for line in lines:
        if line not in runs:
            word = line.item or line.element
            problems.add("runs move in other lines, expected ValidStack in all of them", word)
    return "suit-runs" if any("NotValid" in line.modifiers for line in lines) else "runs"


def widest(lines: list[MoveLine], problems: Problems) -> list[MoveLine]:
    """Return the lines that say which cards may be put on a card.

    Lines that only say which runs move are left out. They are those of one suit, beside a line of
    any suit with `NotValid`.
    """
    broken = [line for line in lines if "NotValid" in line.modifiers]
    if not broken:
        return lines
    held = [line for line in lines if line not in broken]
    check_held(held, problems)
    if not held:
        reason = "no line says what makes a run, expected one like Tableau ValidStack SameSuit"
        problems.add(f"{reason} Descending", "NotValid", broken[0].element)
    for line in broken:
        if set(line.destinations) - {"Any", "AnySuit"}:
            problems.add("expected AnySuit for what makes no run", *line.destinations)
    return broken


def check_held(held: list[MoveLine], problems: Problems) -> None:
    """Add a problem for each line beside those with `NotValid` that is not about runs of one suit.

    Such a line says which runs move. They have to be built down.
    """
    for line in held:
        if set(line.destinations) != {"SameSuit"}:
            text = "with a line NotValid runs are of one suit, expected SameSuit"
            problems.add(text, *line.destinations, line.element)
        if "Descending" not in line.modifiers or "Ascending" in line.modifiers:
            problems.add("runs are built down, expected Descending", line.element)


def whole_suits(
    home: Sequence[MoveLine], start: Sequence[MoveLine], keeps_home: bool, problems: Problems
) -> bool:
    """Return True if only whole suits go home.

    They do if the one line of the Foundation is FullSuit OnBlank.
    """
    full = [line for line in (*home, *start) if line.item == "FullSuit"]
    for line in full:
        assert line.item is not None
        if line in home or set(line.destinations) - {"SameSuit"} != {"OnBlank"}:
            problems.add("expected Foundation FullSuit OnBlank", line.item)
        elif len(home) + len(start) > 1:
            problems.add("whole suits go home, expected no other line for it", line.item)
        elif not keeps_home:
            problems.add("expected Keep after the Foundation's setup code with it", line.item)
    return bool(full)
