"""Solutions and random games that the tests of formats share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from dbmsolver.game.automoves import automoves
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import player_moves
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step, play
from dbmsolver.results import Result as Answer

DATA = Path(__file__).parents[1] / "data" / "solutions.txt"


@cache
def rows() -> dict[tuple[int, int], str]:
    """Return the single-card moves of every kept solution, by deal and freecells."""
    lines = [line for line in DATA.read_text().splitlines() if not line.startswith("#")]
    table = [line.split("\t") for line in lines]
    return {(int(deal), int(cells)): moves for deal, cells, moves in table}


@cache
def solved(number: int, freecells: int = 4) -> Solution:
    """Return a kept solution."""
    deal = Deal.from_number(number, rules_for("freecell", freecells=freecells))
    return formats.read(Source(rows()[number, freecells] + "\n"), "short", Given(deal=deal))


def answer_of(solution: Solution, policy: Policy) -> Answer:
    """Return an answer with the moves of a solution."""
    return Answer(
        question="solve",
        deal=solution.deal,
        policy=policy,
        metric="cards",
        verdict="solved",
        limit=None,
        shortest=True,
        moves=tuple(solution.moves()),
        states=1,
        forced=0,
        evaluated=1,
        seconds=1.5,
        peak_memory=1000,
        disk=0,
        digest="0" * 16,
        store=Path("store"),
        method="every-position",
        strata=((0, 0, 1, 0),),
    )


def random_game(
    number: int, rules: Rules, seed: int, length: int, policy: Policy = "none"
) -> Solution:
    """Return a player's random moves, supermoves among them, with automoves between them."""
    random = Random(seed)
    position = start = deal_number(number, rules)
    steps: list[Step] = []
    for _ in range(length):
        choices = list(player_moves(position, rules))
        if not choices:
            break
        step, position = random.choice(choices)
        moves, position = automoves(position, rules, policy)
        steps += [step, *(Step.of(move, policy) for move in moves)]
    return Solution(rules, start, tuple(steps), position, number)


def mid_game(solution: Solution, moves: int) -> Solution:
    """Return the rest of a solution, as a game of its own that starts where the rest does."""
    position: Position = list(solution.replay())[moves][1]
    return Solution(solution.rules, position, solution.steps[moves:], solution.final)


def game_from(number: int, moves: int, *steps: str) -> Solution:
    """Return a game that begins in the middle of a kept solution.

    Its steps are like ``2-3x4``, four cards from the second column to the third. A freecell is a
    letter, and so are the foundations: H, S, D and C.
    """
    names = {name: Place("foundation", index) for index, name in enumerate("HSDC")}
    names |= {name: Place("freecell", index) for index, name in enumerate("abcd")}
    names |= {name: Place("column", index) for index, name in enumerate("12345678")}
    begun = mid_game(solved(number), moves)
    position = begun.initial
    made: list[Step] = []
    for text in steps:
        places, _, count = text.partition("x")
        source, destination = places.split("-")
        made.append(Step(names[source], names[destination], int(count or 1)))
        position = play(position, made[-1], begun.rules)
    return Solution(begun.rules, begun.initial, tuple(made), position)


def plain(solution: Solution) -> list[tuple[int, str, str]]:
    """Return the single-card moves, without anything else."""
    return [(m.card, str(m.source), str(m.destination)) for m in solution.moves()]
