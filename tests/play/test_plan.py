"""The plan of an analysis: which searches come in which order, and with how much time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from helpers.solutions import solved

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.play.plan import Analysis, SearchTask, tasks
from dbmsolver.play.values import LOST, Knowledge, Value
from dbmsolver.results import Verdict

DEAL = Deal.from_number(3)


LINE = [position for _, position, _ in islice(solved(3).replay(), 9)]
"""The positions of a game of eight moves."""


def begun(look: Analysis) -> list[Position]:
    """Return the position that is looked at, and those after its moves."""
    return [look.position, *(option.after for option in look.options)]


def test_each_round_asks_everything_that_is_open_with_more_time() -> None:
    """Dives for all come first, once; a shortest solution of the position has twice the time."""
    look = Analysis(DEAL.rules, [DEAL.position], Knowledge())
    root, *after = everything = begun(look)
    assert len(after) > 2
    expected = [SearchTask("decide", tuple(everything), 0.1)]
    for seconds in (1.0, 3.0, 9.0):
        expected += [
            SearchTask("prove", (root,), seconds),
            SearchTask("solve", (root,), 2 * seconds),
        ]
        expected += [SearchTask("prove", (one,), seconds) for one in after]
        expected += [SearchTask("solve", (one,), seconds) for one in after]
    assert [*islice(tasks(look), len(expected))] == expected


def test_nothing_is_asked_that_is_known() -> None:
    """A length without its solution is none. Of moves that can win, the shortest comes first."""
    knowledge, rules = Knowledge(), DEAL.rules
    look = Analysis(rules, [DEAL.position], knowledge)
    root, lost, exact, later, sooner, *unknown = begun(look)
    assert unknown
    knowledge.learn(rules, lost, LOST)
    for position, least, most in ((exact, 75, 75), (later, 70, 90), (sooner, 70, 80)):
        knowledge.learn(rules, position, Value(Verdict.SOLVED, least, most))
    knowledge.learn(rules, root, Value(Verdict.SOLVED, 76, 76))
    asked = tasks(look)
    assert next(asked) == SearchTask("decide", tuple(unknown), 0.1)
    solve = [SearchTask("solve", (one,), 1.0) for one in (*unknown, sooner, later)]
    assert [*islice(asked, 1 + len(unknown) + len(solve))] == [
        SearchTask("solve", (root,), 2.0),
        *(SearchTask("prove", (one,), 1.0) for one in unknown),
        *solve,
    ]


def asked_about(verdict_of: Callable[[int], Value | None]) -> list[int]:
    """Return the moves of a game that is lost about which it is asked, when answers are these."""
    knowledge = Knowledge()
    knowledge.learn(DEAL.rules, LINE[-1], LOST)
    look, found = Analysis(DEAL.rules, LINE, knowledge), []
    for task in islice(tasks(look), 2 * (len(LINE) - 1)):
        assert (task.kind, task.seconds) == ("prove", 1.0 if len(found) < len(LINE) - 1 else 3.0)
        found.append(LINE.index(task.positions[0]))
        if (value := verdict_of(found[-1])) is not None:
            knowledge.learn(DEAL.rules, task.positions[0], value)
    return found


def test_the_move_that_lost_a_game_is_found_by_bisection() -> None:
    """Each position is asked about once in a round, also where there is no answer."""
    won = Value(Verdict.SOLVED)
    assert asked_about(lambda number: won if number < 5 else LOST) == [4, 6, 5]
    assert asked_about(lambda _: LOST) == [4, 2, 1, 0]
    assert asked_about(lambda _: won) == [4, 6, 7]
    silent = asked_about(lambda _: None)
    assert silent == 2 * [4, 3, 5, 2, 6, 1, 7, 0]
