"""A game or a solution as a file of any format, and as text to copy."""

from __future__ import annotations

from dbmsolver.errors import DbmError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import grouped
from dbmsolver.notation.formats import FORMATS
from dbmsolver.notation.solution import Solution
from dbmsolver.play.codes import read_line


def solution_of(deal: Deal, line: str) -> Solution:
    """Return the moves of a game as a solution, whether or not it is won."""
    moves = Solution(deal.rules, deal.position, tuple(read_line(line)), deal.position, deal.number)
    return moves.ended()


def export_game(deal: Deal, line: str, name: object) -> tuple[str, str]:
    """Return a game as text of a format, and the name of its file.

    UsageError for a format that is none, or cannot say it.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise UsageError(f"no such format, expected one of {', '.join(FORMATS)}")
    solution = solution_of(deal, line)
    text = formats.write(solution, name)
    game = "".join(c if c.isalnum() else "-" for c in deal.rules.name)
    return text, f"{game}-{deal.name}{FORMATS[name]}"


def join_runs(deal: Deal, line: str) -> str:
    """Return moves with single moves that move a run together joined to one move."""
    from dbmsolver.play.codes import codes_of

    try:
        return codes_of(grouped(solution_of(deal, line)).steps)
    except DbmError:
        return line
