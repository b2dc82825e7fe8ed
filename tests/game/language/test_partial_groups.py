"""Parts of groups that move only if the card above them can go home then, as JSON rules may say.

They are played as groups of which any part moves. Both ways lead to solutions of the same length.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from random import Random

import pytest
from helpers.patience_games import small_canfield, small_deck

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules

MOST = 4000
"""Positions of the largest deck."""


def is_part(position: Position, move: Move, rules: Rules) -> bool:
    """Return True if a move to a card takes a part of a run, and bares a card that stays."""
    if (move.source.kind, move.destination.kind) != ("column", "column"):
        return False
    column = position.columns[move.source.index]
    if len(column) == move.count or not position.columns[move.destination.index]:
        return False
    if isinstance(position, Patience) and position.hidden[move.source.index] == (
        len(column) - move.count
    ):
        return False
    under = column[-move.count - 1]
    lowest = position.lowest
    fits = rules.can_stack(position.counted(move.card), position.counted(under), lowest)
    return fits and not position.is_next_home(under)


def length(deal: Deal, *, parts: bool) -> int | None:
    """Return the moves of a shortest solution, None without one, -1 for too many positions."""
    known: set[Hashable] = {deal.position.canonical()}
    layer, made = [deal.position], 0
    while layer:
        following = []
        for position in layer:
            if position.is_goal():
                return made
            for move in position.moves(deal.rules):
                if not parts and is_part(position, move, deal.rules):
                    continue
                after = position.apply(move)
                if after.canonical() not in known:
                    known.add(after.canonical())
                    following.append(after)
        if len(known) > MOST:
            return -1
        layer, made = following, made + 1
    return None


def with_cells(random: Random) -> Deal:
    """Return a small deck of columns and freecells, whose runs move as one."""
    columns, ranks, cells = random.randint(2, 4), random.randint(2, 4), random.randint(0, 2)
    cards = random.sample(range(CARDS - 4 * ranks, CARDS), 4 * ranks)
    build, fill = random.choice(("alternate", "any", "suit")), random.choice(("any", "kings"))
    rules = Rules("small", columns, cells, build, fill, moves="runs")  # type: ignore[arg-type]
    piles = tuple(tuple(cards[index::columns]) for index in range(columns))
    return Deal(Position(piles, (None,) * cells, (13 - ranks,) * 4), rules)


def decks(random: Random) -> list[Deal]:
    """Return a deck of each kind of game that such rules may be of."""
    klondike = small_deck("klondike", random)
    canfield = small_canfield(
        "canfield", random, moves="runs", base="deal", build="alternate",
        fill=random.choice(("any", "waste")), removable=False,
    )  # fmt: skip
    return [replace(klondike, rules=replace(klondike.rules, moves="runs")), canfield,
            with_cells(random)]  # fmt: skip


@pytest.mark.parametrize(
    "seed", [*range(6), *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 15)]]
)
def test_no_solution_is_lost_and_none_is_longer(seed: int) -> None:
    for deal in decks(Random(f"parts {seed}")):
        free = length(deal, parts=True)
        if free != -1:
            assert length(deal, parts=False) == free, deal.position
