"""The tables of a deal of Klondike and its relatives, as kernels use them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dbmsolver.game.brevity import is_brief
from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.kernels.states import Ints, Words
from dbmsolver.kits.klondike.bound import PatienceBoundTables
from dbmsolver.kits.klondike.tables import (
    AT_BOTTOM,
    BOTTOM,
    CARD_OR_COLUMN,
    COLUMNS,
    DEALT,
    ELSEWHERE,
    FILL_ANY,
    FILL_KINGS,
    FILL_NONE,
    FILL_WASTE,
    GROUPS,
    NOT_IN_COLUMN,
    ON_NOTHING,
    RUNS,
    SINGLE,
    SUIT_RUNS,
    PatienceTables,
)

_FILLS = {"none": FILL_NONE, "kings": FILL_KINGS, "any": FILL_ANY, "waste": FILL_WASTE}
_TAKES = {
    "single": SINGLE,
    "runs": RUNS,
    "suit-runs": SUIT_RUNS,
    "groups": GROUPS,
    "card-or-column": CARD_OR_COLUMN,
    "columns": COLUMNS,
}


def tables_of(
    position: Position, rules: Rules, policy: Policy, counted: int, brief: bool
) -> PatienceTables:
    """Return the tables of a deal; ``counted`` says which turns cost a move.

    With ``brief``, what a search for a shortest solution does not need is left out.
    """
    under = np.full(CARDS, NOT_IN_COLUMN, np.int64)
    hidden, bits = np.zeros(CARDS, np.int64), np.full(CARDS, -1, np.int64)
    stock, reserve = (
        [position.counted(card) for card in cards]
        for cards in ((*position.waste, *position.stock), position.reserve)
    )
    marked = stock + reserve
    for index, cards in enumerate(position.columns):
        column = [position.counted(card) for card in cards]
        for depth, card in enumerate(column):
            under[card] = column[depth - 1] if depth else ON_NOTHING
            if depth < position.hidden[index]:
                hidden[card] = 1
                marked.append(column[depth + 1])
    bits[marked] = range(len(marked))
    parents = np.full((CARDS, 4), -1, np.int64)
    for card, legal in enumerate(rules.parents(position.lowest)):
        for number, parent in enumerate(legal):
            parents[card, number] = -1 if parent is None else parent
    return PatienceTables(
        columns=rules.columns,
        draw=max(1, rules.draw),
        limited=int(position.turns is not None),
        free=int(not counted and position.turns is None),
        counted=counted,
        worrying=position.kept(rules) + 1 if rules.removable else 0,
        takes=_TAKES[rules.moves],
        fill=_FILLS[rules.fill],
        brief=int(brief and is_brief(rules)),
        twins=int(rules.has_twins),
        under=under,
        hidden=hidden,
        parents=parents,
        legal=_bits_of(parents),
        lies_on=_places(under, parents),
        covers=np.array([int(card >= 0 and hidden[card]) for card in under], np.int64),
        stock=np.array(stock, np.int64),
        safe=np.array(_safe(rules, policy, position.lowest), np.int64),
        bits=bits,
        reserve=np.array(reserve, np.int64),
    )


def _bits_of(parents: Ints) -> Words:
    """Return the set (uint64[52]) of each card's parents."""
    return np.array(
        [sum(1 << card for card in row if card >= 0) for row in parents.tolist()], np.uint64
    )


def _places(under: Ints, parents: Ints) -> Ints:
    """Return what each card lies on (int64[52, 8]) where it has one of the eight digits."""
    lies_on = np.full((CARDS, 8), ELSEWHERE, np.int64)
    lies_on[:, DEALT] = np.where(under == ON_NOTHING, AT_BOTTOM, under)
    lies_on[under == NOT_IN_COLUMN, DEALT] = ELSEWHERE
    lies_on[:, 1:5] = np.where(parents < 0, ELSEWHERE, parents)
    lies_on[:, BOTTOM] = AT_BOTTOM
    return lies_on


def bound_tables_of(t: PatienceTables) -> PatienceBoundTables:
    """Return what the lower bounds of a deal's positions are made of."""
    under = t.under.tolist()
    resting: list[int] = []
    above = {card: one for one, card in enumerate(under) if card >= 0}
    for bottom in (card for card in range(CARDS) if under[card] == ON_NOTHING):
        resting.append(bottom)
        while t.hidden[resting[-1]]:
            resting.append(above[resting[-1]])
    lower = [sum(1 << low for low in range(card - 4, -1, -4)) for card in range(CARDS)]
    paid, waiting, cards = 0, [0] * CARDS, [0] * CARDS
    for card in resting:
        beneath = cards[under[card]] if under[card] >= 0 else 0
        if beneath & lower[card]:
            paid |= 1 << card
        cards[card] = beneath | 1 << card
        for other in range(CARDS):
            if cards[card] & lower[other]:
                waiting[other] |= 1 << card
    pairs = [0] * CARDS
    for card in resting:
        for other in resting:
            if suit(card) != suit(other) and not (paid >> card | paid >> other) & 1:
                both = waiting[card] >> other & waiting[other] >> card & 1
                pairs[card] |= both << other
    linked = sum(1 << card for card in resting if pairs[card])
    for card in t.stock.tolist():
        linked |= waiting[card]
    higher = [sum(1 << over for over in range(card + 4, CARDS, 4)) for card in range(CARDS)]
    return PatienceBoundTables(
        cards=np.array(cards, np.uint64),
        paid=np.array([paid], np.uint64),
        linked=np.array([linked], np.uint64),
        pairs=np.array(pairs, np.uint64),
        waiting=np.array(waiting, np.uint64),
        higher=np.array(higher, np.uint64),
        lower=np.array(lower, np.uint64),
        turns=np.array([-(-cards // t.draw) for cards in range(2 * CARDS + 1)], np.int64),
    )


@lru_cache
def _safe(rules: Rules, policy: Policy, lowest: int) -> tuple[tuple[int, ...], ...]:
    """Return, for each card, the heights of the four foundations that make its move home safe.

    The move is safe if each foundation but its own is as high, or higher; 14, which none is, where
    no height makes it safe. What is asked of one foundation does not depend on the others.
    """
    safe = [[0] * 4 for _ in range(CARDS)]
    for card in range(CARDS):
        for other in set(range(4)) - {suit(card)}:
            heights = [13, 13, 13, 13]
            heights[suit(card)] = rank(card) - 1
            for height in range(14, -1, -1):
                heights[other] = height
                if height == 14 or is_safe_home(rules, card, heights, policy, lowest):
                    safe[card][other] = height
                else:
                    break
    return tuple(map(tuple, safe))
