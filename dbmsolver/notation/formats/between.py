"""Moves that a text leaves out, found from the positions before and after them.

Freecell Solver prints boards alone with some options, and moves in Simple Simon that are several:
"Move 3 cards" of different suits, which wait on other columns meanwhile. Its solvers with databases
print the columns of a position in another order than those of the one before, and leave safe moves
home out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbmsolver.game.automoves import AUTOMOVES, automoves
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.notation.explicit import player_moves
from dbmsolver.notation.steps import Step
from dbmsolver.notation.supermoves import move_run

MOST_TRIES = 20_000
"""The number of moves that are tried in search of those that one move stands for."""


def steps_between(position: Position, after: Position, rules: Rules) -> list[Step] | None:
    """Return the steps of one move of a player, with the safe moves home that follow it.

    They lead to position ``after``, or to one that differs only in the order of columns and
    freecells. None if there are no such steps.
    """
    wanted = after.canonical()
    reached = list(player_moves(position, rules, any_length=True))
    for step, following in reached:
        if following.canonical() == wanted:
            return [step]
    for policy in AUTOMOVES:
        for step, following in reached:
            made, end = automoves(following, rules, policy)
            if made and end.canonical() == wanted:
                return [step, *(Step.of(move, policy) for move in made)]
    if rules.has_runs:
        return next(_composites(position, after, rules), None)
    return None


def composite(
    position: Position, rules: Rules, source: int, destination: int, count: int
) -> list[Step] | None:
    """Return moves of runs that bring ``count`` cards from column to column; None without any."""
    columns = range(len(position.columns))
    if source == destination or not (source in columns and destination in columns):
        return None
    if not 1 < count <= len(position.columns[source]):
        return None
    cards = position.columns[source][-count:]
    pieces: list[int] = []
    while sum(pieces) < count:
        rest = cards[: count - sum(pieces)]
        size = next(n for n in range(len(rest), 0, -1) if n == 1 or rules.is_run(rest[-n:]))
        pieces.append(size)
    found = _way(position, rules, pieces, source, destination, [MOST_TRIES])
    return None if found is None else found[0]


def _way(
    position: Position,
    rules: Rules,
    pieces: Sequence[int],
    source: int,
    destination: int,
    tries: list[int],
) -> tuple[list[Step], Position] | None:
    """Return the steps that move runs of these sizes, and the position that they lead to.

    The sizes begin with the run at the end of the column. Some runs are moved aside, then the
    others are moved, then those that were moved aside. ``tries`` has the number of moves that may
    be tried.
    """
    tries[0] -= 1
    if tries[0] < 0:
        return None
    if len(pieces) == 1:
        return _moved(position, rules, source, destination, pieces[0])
    for size in range(1, len(pieces)):
        upper, lower = pieces[:size], pieces[size:]
        for aside in range(len(position.columns)):
            if aside in (source, destination):
                continue
            steps: list[Step] = []
            at = position
            for some, here, there in (
                (upper, source, aside),
                (lower, source, destination),
                (upper, aside, destination),
            ):
                part = _way(at, rules, some, here, there, tries)
                if part is None:
                    break
                steps += part[0]
                at = part[1]
            else:
                return steps, at
    return None


def _composites(position: Position, after: Position, rules: Rules) -> Iterator[list[Step]]:
    wanted = after.canonical()
    for source, column in enumerate(position.columns):
        for destination in range(len(position.columns)):
            for count in range(2, len(column) + 1) if source != destination else ():
                if move_run(position, source, destination, count).canonical() == wanted:
                    steps = composite(position, rules, source, destination, count)
                    if steps is not None:
                        yield steps


def _moved(
    position: Position, rules: Rules, source: int, destination: int, count: int
) -> tuple[list[Step], Position] | None:
    """Return one move of a run and the position after it; None if it is not legal."""
    cards, target = position.columns[source][-count:], position.columns[destination]
    if target:
        fits = position.can_stack(cards[0], target[-1], rules)
    else:
        fits = position.can_fill(cards[0], rules)
    if not fits or not position.is_run(cards, rules):
        return None
    step = Step(Place("column", source), Place("column", destination), count, card=cards[0])
    move = Move(cards[0], step.source, step.destination, count=count)
    return [step], position.apply(move)
