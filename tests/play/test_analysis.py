"""The analysis, held against searches of their own; and what it knows on the way."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from helpers.playing import PLAYED
from helpers.selection import few_fast
from helpers.solutions import solved

from dbmsolver import first_moves, prove
from dbmsolver.api import solve
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_fields
from dbmsolver.notation.steps import Step, play
from dbmsolver.play.analyst import Analyst, moves_of, order_of
from dbmsolver.play.plan import Analysis, kernels_of, tasks
from dbmsolver.play.table import measure_of_play, options_of
from dbmsolver.play.values import LOST, UNKNOWN, Knowledge, Value
from dbmsolver.play.worker import Worker, compile_some
from dbmsolver.play.worker_pool import WorkerPool, WorkerShare
from dbmsolver.results import Method, Question, Verdict, method_for

SOLVED, UNDECIDED = Verdict.SOLVED, Verdict.UNDECIDED
LIMITS = {"threads": 1, "memory": 256 << 20, "disk": 1 << 30}


def found_out(look: Analysis, most: int = 200) -> int:
    """Do all tasks in this process, as a worker does them; how many they were."""
    analyst = Analyst(WorkerPool(WorkerShare(1, 1 << 30, 1)))
    analyst.knowledge = look.knowledge
    for number, task in enumerate(tasks(look)):
        assert number < most
        answers: list[dict[str, Any]] = []
        Worker(answers.append).do(LIMITS | order_of(look.rules, task, task.seconds))
        assert not [answer for answer in answers if "error" in answer]
        for answer in answers:
            analyst.learn(look.rules, task, answer, look.position)
            look.settle()
    return number + 1


def late(game: str, left: int) -> tuple[Deal, list[Position]]:
    """Return a deal, and its positions along a solution up to so many moves before its end."""
    deal = Deal.from_number({"golf": 4}.get(game, 3), GAMES[game])
    positions = [deal.position]
    for move in prove(deal).moves:
        positions.append(positions[-1].apply(move))
    return deal, positions[: len(positions) - left]


def some_line(game: str) -> tuple[Rules, list[Position]]:
    """Return a game in its middle, of which all can be found out quickly."""
    deal, positions = late(game, {"freecell": 45, "simple_simon": 18}.get(game, 14))
    return deal.rules, positions


@pytest.mark.parametrize(
    "game",
    few_fast(["freecell", "golf", "klondike_by_threes", "simple_simon", "bakers_dozen"], 2),
)
def test_all_is_found_out(game: str) -> None:
    """Each move has the value that a search for it alone finds, and best ones come first."""
    rules, line = some_line(game)
    look = Analysis(rules, line, Knowledge())
    found_out(look)
    expected = {value.move[:3]: value for value in first_moves(Deal(line[-1], rules)).values}
    singles = [option for option in look.options if option.move[:3] in expected]
    assert len(singles) >= len(expected) > 1
    for option in singles:
        alone = expected[option.move[:3]]
        value = look.value(option.after)
        assert (value.verdict, value.at_least, value.at_most) == (
            (alone.verdict, alone.length, alone.length)
            if alone.verdict == SOLVED
            else (alone.verdict, value.at_least, None)
        )
    root = look.value()
    solution = look.knowledge.solution(rules, line[-1])
    assert solution is not None and root.at_least == root.at_most == len(solution)
    position = line[-1]
    for move in solution:
        position = position.apply(move)
    assert position.is_goal()


def test_turning_the_waste_over_does_not_count() -> None:
    """Lengths are those of the usual metric, of moves and of the solution alike."""
    rules = GAMES["klondike"]
    position = parse_board("Foundations: H-K C-J D-K S-T\nWaste: JS QC QS\nKC KS\n", rules)
    look = Analysis(rules, [position], Knowledge())
    assert found_out(look) < 10
    assert look.value() == Value(SOLVED, 8, 8)
    assert {str(option.move): look.value(option.after).at_most for option in look.options} == {
        "KS from column 1 to column 2": 8,
        "KH from foundation of hearts to column 2": 7,
        "KD from foundation of diamonds to column 2": 7,
        "QS and 2 on it from waste to stock": 8,
    }
    solution = look.knowledge.solution(rules, position)
    assert solution is not None
    assert measure_of_play(rules).length(solution) == 8


def test_the_mistake_is_found() -> None:
    """A game is played until it is lost: the move after which it was is found, and said."""
    rules = GAMES["golf"]
    deal = Deal.from_number(4, rules)
    assert prove(deal).verdict == SOLVED
    line = [deal.position]
    while options := options_of(line[-1], rules):
        line.append(options[-1].after)
    verdicts = [prove(Deal(position, rules)).verdict for position in line]
    expected = verdicts.index(Verdict.UNSOLVABLE)
    assert 0 < expected < len(line) - 3
    look = Analysis(rules, line[:-1], Knowledge())
    found_out(look)
    assert look.first_lost() == (expected - 1, expected)


def test_a_lost_deal() -> None:
    deal = Deal.from_number(11982)
    look = Analysis(deal.rules, [deal.position], Knowledge())
    assert look.first_lost() == (-1, 1)
    found_out(look)
    assert look.first_lost() == (-1, 0)
    assert look.value() == LOST
    assert {look.value(option.after).verdict for option in look.options} == {Verdict.UNSOLVABLE}


def test_values_only_get_better() -> None:
    value = UNKNOWN.merged(Value(SOLVED, 0, 9)).merged(Value(UNDECIDED, 5))
    assert value == Value(SOLVED, 5, 9)
    assert not value.is_exact
    assert value.merged(Value(SOLVED, 3, 12)) == value
    assert value.merged(Value(SOLVED, 9, 9)).is_exact


def test_a_solution_says_something_of_all_its_positions() -> None:
    solution = solved(3)
    moves = solution.moves()
    knowledge, rules = Knowledge(), solution.rules
    knowledge.learn_solution(rules, solution.initial, moves, shortest=True, whole=True)
    for number, (_, position, _) in enumerate(solution.replay()):
        left = len(moves) - number
        assert knowledge.value(rules, position) == Value(SOLVED, left, left)
        rest = knowledge.solution(rules, position)
        assert rest is not None
        assert [move[:3] for move in rest] == [move[:3] for move in moves[number:]]
    assert knowledge.value(rules, solution.final) == Value(SOLVED, 0, 0)


def test_positions_that_differ_in_the_order_of_columns_are_one() -> None:
    deal = Deal.from_number(3)
    other = parse_board(
        "".join(
            f": {line}\n" for line in reversed(["KC 7D TC 4H 6C 9S 8C", "2D JH QH AS TD 2C 4S"])
        )
        + "QC 9D TS JD 2S 3H 5S\n7H JS 5D 8D 3C 4C 5C\n6S QS 6H AC 9H AH\n8H 8S KS 6D KD 2H\n"
        "TH 9C 7C 3D 7S JC\n4D QD AD KH 3S 5H\n",
        deal.rules,
    )
    knowledge = Knowledge()
    knowledge.learn(deal.rules, deal.position, Value(SOLVED, 3, 80))
    assert knowledge.value(deal.rules, other) == Value(SOLVED, 3, 80)
    assert knowledge.value(GAMES["bakers_game"], other) == UNKNOWN
    knowledge.learn_solution(deal.rules, deal.position, solved(3).moves())
    solution = knowledge.solution(deal.rules, other)
    assert solution is not None
    position = other
    for move in solution:
        step = Step(move.source, move.destination, move.count, card=move.card)
        assert play(position, step, deal.rules) == position.apply(move)
        position = position.apply(move)
    assert position.is_goal()


def test_solutions_do_not_depend_on_what_is_forgotten() -> None:
    """Each that is remembered leads to the end, though only some are."""
    knowledge, rules = Knowledge(kept=40), solved(3).rules
    positions = [before for _, before, _ in solved(3).replay()]
    other = prove(3).moves
    for start in (70, 50, 30, 0):
        moves = solved(3).moves()[start:]
        knowledge.learn_solution(rules, positions[0], other, whole=True)
        knowledge.learn_solution(rules, positions[start], moves, whole=True)
    in_hand = [one for one in positions if knowledge.solution(rules, one)]
    assert len(in_hand) >= 10
    for position in in_hand:
        for move in knowledge.solution(rules, position) or ():
            position = position.apply(move)
        assert position.is_goal()


def test_what_is_remembered_is_bounded() -> None:
    knowledge, rules = Knowledge(kept=10), solved(3).rules
    knowledge.learn_solution(rules, solved(3).initial, solved(3).moves(), whole=True)
    assert knowledge.solution(rules, solved(3).initial) is None
    last = list(solved(3).replay())[-1][1]
    assert knowledge.value(rules, last) == Value(SOLVED, 0, 1)
    assert knowledge.value(rules, solved(3).initial) == UNKNOWN


def test_moves_and_positions_say_something_of_each_other() -> None:
    deal = Deal.from_number(3)
    knowledge = Knowledge()
    look = Analysis(deal.rules, [deal.position], knowledge)
    knowledge.learn(deal.rules, deal.position, Value(SOLVED, 70, 90))
    look.settle()
    for option in look.options:
        assert look.value(option.after).at_least == 70 - option.cost
    for option in look.options:
        knowledge.learn(deal.rules, option.after, Value(UNDECIDED, 75))
    look.settle()
    assert look.value() == Value(SOLVED, 76, 90)
    first = solve(deal, max_time=10).moves
    option = next(one for one in look.options if one.move[:3] == first[0][:3])
    fresh = Analysis(deal.rules, [deal.position], Knowledge())
    fresh.knowledge.learn_solution(deal.rules, option.after, first[1:])
    fresh.settle()
    assert fresh.value().at_most == len(first)
    assert fresh.has_solution


def test_all_moves_lost_is_lost() -> None:
    deal = Deal.from_number(3)
    look = Analysis(deal.rules, [deal.position], Knowledge())
    for option in look.options[1:]:
        look.knowledge.learn(deal.rules, option.after, LOST)
    look.settle()
    assert look.value().verdict == UNDECIDED
    look.knowledge.learn(deal.rules, look.options[0].after, LOST)
    look.settle()
    assert look.value() == LOST


def test_a_position_without_moves_is_lost() -> None:
    rules = GAMES["golf"]
    position = Deal.from_number(4, rules).position
    while options := options_of(position, rules):
        position = options[-1].after
    assert Analysis(rules, [position], Knowledge()).value() == LOST


def test_nothing_to_find_out_of_a_won_game() -> None:
    look = Analysis(solved(3).rules, [solved(3).final], Knowledge())
    assert list(tasks(look)) == []
    assert look.value() == Value(SOLVED, 0, 0)


def test_moves_of_workers_are_read() -> None:
    from dbmsolver.play.codes import codes_of

    moves = solved(3).moves()
    read = moves_of(solved(3).initial, codes_of(moves))
    assert [move[:3] for move in read] == [move[:3] for move in moves]
    assert all(isinstance(move, Move) for move in read)


def test_what_a_worker_says_of_a_bad_task() -> None:
    answers: list[dict[str, Any]] = []
    order = {"kind": "prove", "rules": {"name": "x"}, "boards": [], "seconds": 1}
    Worker(answers.append).do(LIMITS | order)
    assert ["error" in answer for answer in answers] == [True]


@pytest.mark.parametrize("game", PLAYED)
def test_what_is_compiled_is_what_searches_of_the_game_need(game: str) -> None:
    deal = Deal.from_number(5, GAMES[game])
    family, method = kernels_of(deal.rules)
    assert family == deal.rules.family
    assert method == method_for(Question.PROVE, deal, Method.DOMINATING)
    assert method != Method.DOMINATING or family == "cards"  # others have no such kernels


@cache
def compiled(game: str) -> list[dict[str, Any]]:
    """Return what a worker says when it compiles for a game; each time it is the same."""
    answers: list[dict[str, Any]] = []
    order = {"kind": "compile", "rules": rules_fields(GAMES[game]), "left": []}
    Worker(answers.append).do(LIMITS | order | {"memory": 1 << 40})
    return answers


def test_processes_without_memory_compile_one_kernel_each() -> None:
    family, proof = kernels_of(GAMES["golf"])
    left = compile_some(family, proof, [], 0)
    numbers = [left]
    while left:
        left = compile_some(family, proof, left, 0)
        numbers.append(left)
    kernels = len(numbers[0]) + 1
    assert numbers == [list(range(first, kernels)) for first in range(1, kernels + 1)]
    assert compile_some(family, proof, [], 1 << 40) == []


@pytest.mark.parametrize("game", few_fast(PLAYED, 3))
@pytest.mark.slow
def test_every_game_is_analysed(game: str) -> None:
    """Dives and short proofs of a deal and of all its moves, in every game."""
    rules = GAMES[game]
    like = next(one for one in PLAYED if kernels_of(GAMES[one]) == kernels_of(rules))
    assert compiled(like) == [{"left": []}]
    deal = Deal.from_number(5, rules)
    look = Analysis(rules, [deal.position], Knowledge())
    analyst = Analyst(WorkerPool(WorkerShare(1, 1 << 30, 1)))
    analyst.knowledge = look.knowledge
    answers: list[dict[str, Any]] = []
    first = next(tasks(look))
    Worker(answers.append).do(LIMITS | order_of(rules, first, 0.3))
    assert not [answer for answer in answers if "error" in answer]
    for answer in answers:
        analyst.learn(rules, first, answer)
        look.settle()
    said = {answer["index"] for answer in answers if "verdict" in answer}
    assert said == set(range(len(first.positions)))
