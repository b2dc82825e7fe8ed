"""The stops of a replay: moves of single cards become runs, safe moves home become one."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations
from random import Random

import pytest
from helpers.selection import few_fast
from helpers.solutions import random_game, rows, solved
from helpers.support import ALL_RULES, random_layout

from dbmsolver.game.automoves import moves_home
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import WASTE, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import run_length
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.stops import Stop, stops
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step
from dbmsolver.notation.supermoves import largest, split


def positions_of(solution: Solution) -> list[Position]:
    return [*(before for _, before, _ in solution.replay()), solution.final]


def check(solution: Solution) -> list[Stop]:
    """Return the stops; check each of them with the rules of the game alone."""
    found = stops(solution)
    positions, steps = positions_of(solution), solution.steps
    begin = 0
    for stop in found:
        assert stop.end > begin
        if stop.kind == "safe":
            for step, position in zip(steps[begin : stop.end], positions[begin:], strict=False):
                assert step.destination.kind == "foundation"
                card = next(c for c, place in position.available() if place == step.source)
                assert moves_home(position, card, solution.rules, "wkr")
        elif stop.kind == "run":
            check_run(solution.rules, positions[begin], positions[stop.end])
        elif stop.kind == "turns":
            assert stop.end > begin + 1
            assert all(turns(step) for step in steps[begin : stop.end])
            assert not (stop.end < len(steps) and turns(steps[stop.end]))
        else:
            assert stop.end == begin + 1
            assert steps[begin].count == 1 or turns(steps[begin])
        begin = stop.end
    assert begin == len(steps)
    return found


def turns(step: Step) -> bool:
    """Return True if the step turns cards of the stock to the waste, or the waste over."""
    places = {step.source.kind, step.destination.kind}
    return places == {"stock", "waste"}


def check_run(rules: Rules, before: Position, after: Position) -> None:
    """Check that the positions differ by a run of two cards or more that changed its column."""
    assert (before.freecells, before.foundations) == (after.freecells, after.foundations)
    pairs = zip(before.columns, after.columns, strict=True)
    given, taken = sorted((p for p in pairs if p[0] != p[1]), key=lambda p: len(p[1]) - len(p[0]))
    count = len(given[0]) - len(given[1])
    assert 2 <= count <= run_length(before, given[0], rules)
    assert taken[1] == taken[0] + given[0][-count:]


@pytest.mark.parametrize("number, freecells", rows())
def test_kept_solutions(number: int, freecells: int) -> None:
    found = check(solved(number, freecells))
    assert len(found) < len(solved(number, freecells).steps)
    # No safe moves home are left alone beside each other.
    kinds = [stop.kind for stop in found]
    assert ("safe", "safe") not in pairwise(kinds)


def test_runs_are_found_in_long_solutions() -> None:
    assert sum(stop.kind == "run" for stop in check(solved(32))) >= 10


@pytest.mark.parametrize(
    "game", [name for name, rules in GAMES.items() if not (rules.is_patience or rules.is_wide)]
)
@pytest.mark.parametrize("seed", few_fast(range(8), 3))
def test_random_games(game: str, seed: int) -> None:
    check(random_game(seed + 1, GAMES[game], seed, 40))


def test_a_supermove_in_single_cards_is_one_stop() -> None:
    """Whatever the rules, and however many freecells and empty columns it goes through.

    Of each position that is the longest one.
    """
    random, lengths = Random(3), list[int]()
    games = [rules for rules in ALL_RULES if rules.columns > 3]
    while len(set(lengths)) < 4 or len(lengths) < 430:
        rules = random.choice(games)
        position = random_layout(random, rules)
        ways = [*permutations(range(rules.columns), 2)]
        random.shuffle(ways)
        source, target = max(ways, key=lambda way: largest(position, rules, *way))
        count = largest(position, rules, source, target)
        if count < 2:
            continue
        moves = split(position, rules, source, target, count)
        solution = Solution.from_moves(Deal(position, rules), moves)
        assert check(solution) == [Stop(len(moves), "run")]
        lengths.append(count)


def test_a_run_that_is_given_as_one_is_a_stop() -> None:
    game = next(
        game
        for seed in range(100)
        for game in [random_game(1, GAMES["freecell"], seed, 40)]
        if any(step.count > 1 for step in game.steps)
    )
    index = next(index for index, step in enumerate(game.steps) if step.count > 1)
    assert Stop(index + 1, "run") in check(game)


END = "Foundations: H-T C-T D-T S-T\nKS QH JS\nKD\n:\nQC JD\nKH\nKC QD JC\nQS JH\n"
LOW = END.replace("C-T", "C-9") + "TC\n"
"""The same with a black ten that is not home: red jacks go home by WKR, and not by Horne."""


def played(board: str, moves: str) -> str:
    """Return the stops of moves, each written as from where and to where, and how many cards."""
    deal = Deal.from_text(board)
    steps = []
    for move in moves.split():
        source, destination = (
            Place("column", int(letter) - 1)
            if letter.isdigit()
            else Place("freecell", "abcd".index(letter))
            if letter != "h"
            else OWN_FOUNDATION
            for letter in move[:2]
        )
        steps.append(Step(source, destination, int(move[2:] or 1)))
    builder = Builder(deal, "f")
    for step in steps:
        builder.add(step)
    return ", ".join(f"{end} {kind}" for end, kind in stops(builder.solution()))


@pytest.mark.parametrize(
    ("board", "moves", "found"),
    [
        (END, "4a 42 a2", "3 run"),
        (END, "4a 42 a2 7a 75 a5", "3 run, 6 run"),
        (END, "422 7a", "1 run, 2 move"),
        (END, "1a 132 a3", "1 move, 2 run, 3 move"),
        (END, "58 4a 42 a2 85", "1 move, 4 run, 5 move"),
        (END, "4a 48 8b b2 a2", "5 run"),
        (END, "4a 42", "1 move, 2 move"),
        (END, "1a ah 4h", "1 move, 3 safe"),
        (END, "1h 4h 42 7h", "2 safe, 3 move, 4 safe"),
        (LOW, "4h", "1 safe"),
        (LOW, "1h", "1 safe"),
        (LOW.replace("H-T", "H-7").replace("\nKH\n", "\nKH 8H 9H TH\n"), "4h", "1 move"),
    ],
)
def test_stops_of_moves(board: str, moves: str, found: str) -> None:
    assert played(board, moves) == found


def test_a_card_of_the_waste_is_no_safe_move() -> None:
    """No program moves it home by itself, so it is a stop of its own."""
    rules = replace(GAMES["klondike"], removable=False)
    board = "Foundations: H-Q C-Q D-Q S-Q\nWaste: KH\nKC\nKD\nKS\n"
    builder = Builder(Deal.from_text(board, rules), "f")
    for source in (Place("column", 0), WASTE, Place("column", 1), Place("column", 2)):
        builder.add(Step(source, OWN_FOUNDATION))
    assert stops(builder.solution()) == [Stop(1, "safe"), Stop(2, "move"), Stop(4, "safe")]


def test_no_moves_no_stops() -> None:
    home = Position(((),) * 8, (None,) * 4, (13, 13, 13, 13))
    assert stops(Solution(GAMES["freecell"], home, (), home)) == []


def test_steps_without_their_cards() -> None:
    """A file of moves need not name them."""
    named = solved(32)
    bare = tuple(Step(step.source, step.destination) for step in named.steps)
    assert stops(Solution(named.rules, named.initial, bare, named.final)) == stops(named)


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes", "canfield"])
def test_passes_of_the_stock_are_one_stop(game: str) -> None:
    solution = random_game(5, GAMES[game], 2, 80)
    kinds = [stop.kind for stop in check(solution)]
    assert kinds.count("turns") >= 1
    turned = [turns(step) for step in solution.steps]
    starts = [now and not before for before, now in pairwise([False, *turned])]
    assert sum(starts) == sum(turns(solution.steps[stop.end - 1]) for stop in stops(solution))
