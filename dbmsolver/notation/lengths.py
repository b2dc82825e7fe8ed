"""Lengths of a solution, in every metric.

In the metric `moves` a solution is followed step by step, with a program's automoves at once after
each, and in the deal. Cards that are home by then drop out of the steps. The positions met are
joined by the fewest moves of a player.
"""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.automoves import AUTOMOVES, Automove, automoves
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.notation.explicit import explicit, fewest_moves
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play


def lengths(solution: Solution) -> dict[str, int | None]:
    """Return the length of a solution in every metric.

    cards            single-card moves, moves to foundations included
    runs             the same, but a run moved from column to column counts once
    moves-horne      moves of the player by that count, where Horne automoves are made at once
    moves-wkr        ... WKR automoves
    moves-max        ... every possible move to a foundation; None if they spoil the solution
    explicit-none    moves a player makes without automoves, as the notation says them
    explicit-horne   ... with Horne automoves
    explicit-wkr     ... with WKR automoves

    Where a run is one move, moves are counted in `runs` only; with one pile in `cards` only, and
    turning the stock is a move, too. Where columns are built both ways, or cards come back from
    the foundations, in `cards` only, as well. In Klondike and its relatives `runs` are with all
    turns of stock and waste, `turns` with those of the stock alone, `plays` with none. In pairing
    games moves are counted in `turns` only, and so they are in Spider and its kin.
    """
    metrics = solution.rules.features.metrics
    if metrics:
        made = solution.moves()
        return {metric: Measure(solution.rules, "none", metric).length(made) for metric in metrics}
    if solution.rules.has_runs:
        return {"runs": len(solution.steps)}
    if solution.rules.has_pile:
        return {"cards": len(solution.steps)}
    if solution.rules.two_way:
        return {"cards": len(solution.moves())}
    by_runs = explicit(solution, "none", any_length=True)
    counts: dict[str, int | None] = {"cards": len(solution.moves()), "runs": len(by_runs.steps)}
    for automove in AUTOMOVES[1:]:
        ways = (player_length(solution, automove), player_length(by_runs, automove))
        counts[f"moves-{automove}"] = min((way for way in ways if way is not None), default=None)
    for policy in ("none", "horne", "wkr"):
        counts[f"explicit-{policy}"] = _explicit_moves(explicit(solution, policy))
    return counts


def player_length(solution: Solution, policy: Automove) -> int | None:
    """Count the moves of a player that a solution takes with these automoves.

    None if they spoil it.
    """
    try:
        positions = _met(solution, policy)
    except IllegalMoveError:
        return None
    way = fewest_moves(positions, solution.rules, policy, any_length=True)
    return None if way is None else len(way)


def _met(solution: Solution, policy: Automove) -> list[Position]:
    """Return the positions that a player and the automoves come to with a solution's steps."""
    rules = solution.rules
    position = automoves(solution.initial, rules, policy)[1]
    positions = [position]
    for step, before, _ in solution.replay():
        left = _left(position, step, before)
        if left is not None:
            position = automoves(play(position, left, rules), rules, policy)[1]
            positions.append(position)
    return positions


def _left(position: Position, step: Step, before: Position) -> Step | None:
    """Return the rest of a step where more cards are home than before it; None for nothing.

    Raises IllegalMoveError if the rest is not the end of a column any more.
    """
    kind, index = step.source
    if kind == "column":
        cards = before.columns[index][-step.count :]
    else:
        card = before.freecells[index]
        assert card is not None
        cards = (card,)
    playing = [card for card in cards if position.foundations[suit(card)] < rank(card)]
    if not playing:
        return None
    if kind == "column" and position.columns[index][-len(playing) :] != tuple(playing):
        raise IllegalMoveError("what the step moves is not the end of a column any more")
    return replace(
        step, count=len(playing), automove="none", card=None, onto=None, before=None, comment=None
    )


def _explicit_moves(solution: Solution) -> int:
    return sum(step.automove == "none" for step in solution.steps)
