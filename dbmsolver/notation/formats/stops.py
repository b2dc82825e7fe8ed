"""The stops of a replay of a solution: after a move, after a run, after safe moves home.

Solutions are often written in moves of single cards. People see a run of cards that moves from one
column to another as one move, and care little for moves home that can do no harm. So single-card
moves that together move a run make one stop, and so do safe moves home that follow each other, and
turns of the stock to the waste, and of the waste back to the stock.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from dbmsolver.game.automoves import moves_home
from dbmsolver.game.position import Position
from dbmsolver.game.room import run_length
from dbmsolver.game.rules import Rules
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, moving_card

StopKind = Literal["move", "run", "safe", "turns"]

LONGEST = 128
"""The most steps that are looked at for one run: more than 13 cards need with two empty columns."""


class Stop(NamedTuple):
    """A stop: how many steps are made when it is reached, and the kind of the last of them."""

    end: int
    kind: StopKind


def stops(solution: Solution) -> list[Stop]:
    """Return the stops in order; the last one is the end of the solution.

    Raises IllegalStepError for a solution that is not legal.
    """
    made = [_made(*row, solution.rules) for row in solution.replay()]
    found: list[Stop] = []
    index = 0
    while index < len(made):
        end, kind = index + 1, _kind(made[index])
        if kind == "safe":
            while end < len(made) and made[end].safe:
                end += 1
        elif _turns(made[index]):
            while end < len(made) and _turns(made[end]):
                end += 1
            kind = "turns" if end > index + 1 else "move"
        elif kind == "move":
            end = _end_of_run(made, solution.rules, index)
            kind = "run" if end > index + 1 else "move"
        found.append(Stop(end, kind))
        index = end
    return found


class _Made(NamedTuple):
    """A step that was made: its card, the positions around it, and whether it is a safe one."""

    step: Step
    card: int
    before: Position
    after: Position
    safe: bool


def _made(step: Step, before: Position, after: Position, rules: Rules) -> _Made:
    card = moving_card(before, step)
    own = step.source.kind in ("column", "freecell")
    safe = own and step.destination.kind == "foundation" and moves_home(before, card, rules, "wkr")
    return _Made(step, card, before, after, safe)


def _kind(made: _Made) -> StopKind:
    if made.safe:
        return "safe"
    runs = made.step.count > 1 and made.step.source.kind == "column"
    return "run" if runs else "move"


def _turns(made: _Made) -> bool:
    """Return True if a step turns cards of the stock, or the waste over."""
    return {made.step.source.kind, made.step.destination.kind} == {"stock", "waste"}


def _end_of_run(made: list[_Made], rules: Rules, start: int) -> int:
    """Return the number of the step after the longest run that is moved from step `start` on.

    It is `start` + 1 if these steps move no run.
    """
    found = start + 1
    for end in range(start + 1, min(len(made), start + LONGEST) + 1):
        step = made[end - 1].step
        if step.count != 1 or step.destination.kind in ("foundation", "pile", "removed", "columns"):
            break
        if end > start + 1 and _moves_run(made[start:end], rules):
            found = end
    return found


def _moves_run(made: list[_Made], rules: Rules) -> bool:
    """Return True if steps move a run of two cards or more to another column, and nothing else."""
    before, after = made[0].before, made[-1].after
    if before.freecells != after.freecells:
        return False
    changed = [
        (old, new) for old, new in zip(before.columns, after.columns, strict=True) if old != new
    ]
    if len(changed) != 2:
        return False
    (source, left), (target, grown) = sorted(changed, key=lambda pair: len(pair[1]) - len(pair[0]))
    run = source[len(left) :]
    if len(run) < 2 or (left, grown) != (source[: len(left)], target + run):
        return False
    return {one.card for one in made} <= set(run) and run_length(before, source, rules) >= len(run)
