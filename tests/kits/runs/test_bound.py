"""The bound of runs on boards that tell its parts apart."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from helpers import naive_bound
from helpers.kernels import NO_LIMIT, bound_of_state
from helpers.naive_search import breadth_first
from helpers.support import core_successors, words_of

from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import parse_card, rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Moves
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels import hooks
from dbmsolver.kits.cards.bound import make_scratch
from dbmsolver.kits.states import StateCodec

WHOLE = Rules("whole suits", 4, 0, "any", "any", moves="suit-runs", whole_suits=True)
MIXED = Rules("whole suits, any runs", 5, 0, "any", "any", moves="runs", whole_suits=True)
BY_SUIT = Rules("by suit", 4, 0, "suit", "any", moves="runs")
BOTH = Rules("both colours", 4, 0, "alternate", "any", moves="runs")

BOARDS = [
    # A suit that lies whole goes home by one move.
    (WHOLE, ["KH QH JH", "KS QS JS", "KD QD JD", "KC QC JC"], 4, 4),
    # Each card that is not on the next one of its suit heads a move.
    (WHOLE, ["KH", "QH", "KS QS JS JH", "KD QD JD KC QC JC"], 6, 6),
    # The queen lies above its king and goes twice; the king above its jack goes once.
    (WHOLE, ["KH JH QH KS QS JS", "KD QD JD", "KC QC JC", ""], 7, None),
    (WHOLE, ["JH KH QH", "KS QS JS", "KD QD JD", "KC QC JC"], None, None),
    # The queen of clubs leaves its king as one of a run that another king heads.
    (MIXED, ["JD", "JC", "QD KC KD QC", "KH QH JH", "KS QS JS"], 9, 9),
    # Two blockers in one run count once, in two runs twice.
    (BY_SUIT, ["JH KH QH", "KS QS JS", "KD QD JD", "KC QC JC"], 13, None),
    (BY_SUIT, ["JH QH JS KH", "KS QS", "KD QD JD", "KC QC JC"], 14, None),
    (BOTH, ["JH KH QS QH", "KS JS", "KD QD JD", "KC QC JC"], 14, None),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "columns", "bound", "shortest"), BOARDS)
def test_parts(rules: Rules, columns: list[str], bound: int | None, shortest: int | None) -> None:
    cards = [tuple(map(parse_card, column.split())) for column in columns]
    start = Position(tuple(cards), (), (10, 10, 10, 10))
    start.validate(rules)
    codec = StateCodec(Deal(start, rules), "none")
    tables = hooks.make_bound_tables(codec.tables, codec.columns)
    over, work = make_scratch()
    words = (np.uint64(word) for word in codec.state(start))
    found = int(bound_of_state(tables, codec.tables, *words, over[0], work, NO_LIMIT))
    assert found == naive_bound.bound_of(start, rules)
    if bound is not None:
        assert found == bound
    least = breadth_first(start, rules, "none", 20_000)
    assert least is not None
    length, _ = least
    assert length is None or found <= length
    if shortest is not None:
        assert length == shortest


def whole_runs(random: Random, rules: Rules) -> Position:
    """Suits from the king down, each in a column, with a link wrong or a king away now and then."""
    lowest = [random.randint(9, 13) for _ in range(4)]
    columns: list[list[int]] = [[] for _ in range(rules.columns)]
    cells: list[int | None] = [None] * rules.freecells
    for suit, height in enumerate(lowest):
        column = random.choice(columns)
        for place in range(12, height - 1, -1):
            if random.random() < 0.1:
                column = random.choice(columns)
            column.append(4 * place + suit)
        if rules.freecells and height == 12 and None in cells and random.random() < 0.5:
            cells[cells.index(None)] = column.pop()
    hearts, spades, diamonds, clubs = lowest
    return Position(tuple(map(tuple, columns)), tuple(cells), (hearts, spades, diamonds, clubs))


@pytest.mark.parametrize("moves", ["suit-runs", "runs"])
@pytest.mark.parametrize("cells", [0, 2])
def test_whole_suits_go_home(cells: int, moves: Moves) -> None:
    """The kernel's moves and bound, where kings with all of their suit above them are many."""
    rules = replace(WHOLE, freecells=cells, moves=moves)
    random = Random(cells)
    homes = 0
    for _ in range(80):
        start = whole_runs(random, rules)
        codec = StateCodec(Deal(start, rules), "none")
        tables = hooks.make_bound_tables(codec.tables, codec.columns)
        over, work = make_scratch()
        position = start
        for _ in range(4):
            state = codec.state(position)
            following = position.successors(rules, "none")
            found, _ = core_successors(codec, state)
            assert Counter(after for after, _ in found) == Counter(
                codec.state(after) for _, after in following
            ), position
            words = words_of(*state)
            least = bound_of_state(tables, codec.tables, *words, over[0], work, NO_LIMIT)
            assert least == naive_bound.bound_of(position, rules)
            homes += sum(move.destination.kind == "foundation" for move, _ in following)
            if not following:
                break
            position = random.choice(following)[1]
    assert homes > 80


def runs_around(random: Random, rules: Rules) -> Position:
    """Return suits that run down from any rank, round over the base, broken now and then."""
    lowest = random.randint(8, 11)
    columns: list[list[int]] = [[] for _ in range(rules.columns)]
    for suit in range(4):
        run = [4 * (place - 1) + suit for place in range(13, lowest - 1, -1)]
        turn = random.randrange(len(run))
        column = random.choice(columns)
        for card in (*run[turn:], *run[:turn]):
            if random.random() < 0.15:
                column = random.choice(columns)
            column.append(card)
    heights = (lowest - 1,) * 4
    return Position(tuple(map(tuple, columns)), (None,), heights, base=Base(lowest, lowest))


AROUND = replace(GAMES["penguin"], layout="", columns=5, freecells=1, fill="any")
SINGLE = [replace(rules, columns=5, freecells=1) for rules in (BY_SUIT, BOTH)]


@pytest.mark.parametrize("rules", [AROUND, *SINGLE], ids=lambda rules: rules.name)
def test_in_long_games(rules: Rules) -> None:
    """Cards above lower ones of their suit, in runs and not, and kings on bases: like the twin."""
    random, around, blocked = Random("long games"), 0, 0
    for _ in range(25):
        start = runs_around(random, rules)
        if rules.base == "ace":
            start = replace(start, base=ACE)
        codec = StateCodec(Deal(start, rules), "none")
        tables = hooks.make_bound_tables(codec.tables, codec.columns)
        over, work = make_scratch()
        position = start
        for _ in range(60):
            words = words_of(*codec.state(position))
            found = int(bound_of_state(tables, codec.tables, *words, over[0], work, NO_LIMIT))
            assert found == naive_bound.bound_of(position, rules), position
            blocked += found - 52 + sum(position.foundations)
            around += sum(
                rank(position.counted(under)) == position.lowest
                for column in position.columns
                for under, _ in pairwise(column)
            )
            following = [
                (move, after)
                for move, after in position.successors(rules, "none")
                if move.destination.kind != "foundation"
            ]
            if not following:
                break
            position = random.choice(following)[1]
    assert blocked > 500
    assert around > 100 or rules.base == "ace"
