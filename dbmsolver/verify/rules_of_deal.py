"""The tables of the rules of a game and deal, made from the deal alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Measure
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.verify.kernels.rules import ALL_OR_NOTHING, ANY_PART, CARD_OR_ALL, MOST_TAKERS, Rules
from dbmsolver.verify.kernels.words import Ints, Words

NEVER = 14
"""More cards of a suit than can be home."""
_RANKS = 13
_ALL = (1 << CARDS) - 1
_PARTS = {"card-or-column": CARD_OR_ALL, "columns": ALL_OR_NOTHING}
_TURNS_COUNTED = {"turns": 1, "runs": 2}
"""The metrics that count turns in Klondike's kind: 1 those of the stock, 2 of the waste, too."""


def set_of(cards: Iterable[int]) -> np.uint64:
    """Return a set of cards as a word."""
    return np.uint64(sum(1 << card for card in cards))


def rules_of_deal(deal: Deal, measure: Measure, shortest: bool) -> Rules:
    """Return the tables; ``shortest`` if a shortest solution in Klondike's kind is claimed."""
    rules, position = deal.rules, deal.position
    takers = _takers(deal)
    takes = np.array([set_of(card for card in row if card >= 0) for row in takers], np.uint64)
    fillers = set_of(card for card in range(CARDS) if rules.can_fill(card))
    returns = rules.removable if rules.is_patience else rules.takes_back
    turns = position.turns if rules.is_patience else 0
    leaves_out = rules.family == "patience" and rules.base == "ace"
    counted = _TURNS_COUNTED.get(measure.metric, 0) if shortest and rules.is_patience else 0
    return Rules(
        columns=rules.columns,
        freecells=rules.freecells,
        room=0 if rules.reserve else rules.freecells,
        takers=takers,
        takes=takes,
        moves_with=_moves_with(deal, measure, takes),
        part=_PARTS.get(rules.moves, ANY_PART),
        deadlocks=measure.by_room or not (rules.has_runs or rules.two_way),
        limited=measure.by_room,
        fillers=fillers,
        waste_fillers=np.uint64(_ALL) if rules.fill == "waste" else fillers,
        whole_suits=rules.whole_suits,
        kept=position.kept(rules) if returns else _RANKS,
        at_home=at_home(deal, measure),
        forced_free=measure.has_free_moves,
        pack=from_base(deal, (*position.waste, *position.stock)),
        reserve=from_base(deal, position.reserve),
        draw=max(rules.draw, 1),
        turns=-1 if turns is None else turns,
        counted=counted,
        all_reached=rules.is_patience and not counted and turns is None,
        only_shortest=shortest and leaves_out,
        patience=rules.is_patience,
        twins=rules.has_twins,
    )


def from_base(deal: Deal, cards: Iterable[int]) -> Ints:
    """Return cards with their ranks counted from the base."""
    return np.array([deal.position.counted(card) for card in cards], np.int64)


def _takers(deal: Deal) -> Ints:
    takers = np.full((CARDS, MOST_TAKERS), -1, np.int64)
    for card in range(CARDS):
        for number in range(len(deal.rules.parent_kinds)):
            parent = deal.rules.parent(card, number, deal.position.lowest)
            takers[card, number] = -1 if parent is None else parent
    return takers


def _moves_with(deal: Deal, measure: Measure, takes: Words) -> Words:
    """Return, for each card, those that move with it if it lies on them."""
    unit = "runs" if measure.by_room else deal.rules.moves
    if unit == "single":
        return np.zeros(CARDS, np.uint64)
    if unit == "groups":
        return np.full(CARDS, _ALL, np.uint64)
    if unit == "suit-runs":
        suits = [set_of(range(suit, CARDS, 4)) for suit in range(4)]
        return takes & np.array([suits[card % 4] for card in range(CARDS)], np.uint64)
    return takes


def at_home(deal: Deal, measure: Measure) -> Ints:
    """Return what has to be home for a card to go home at once: see `Rules`.

    :func:`dbmsolver.game.safe_moves.is_safe_home` says which moves home are safe, and why.
    """
    rules, policy = deal.rules, measure.policy
    if policy == "none" or rules.whole_suits or rules.takes_back:
        return np.zeros((0, CARDS, 4), np.int64)
    ways: list[Policy] = [policy]
    if measure.has_free_moves and policy == "wkr":
        ways.insert(0, "horne")  # as programs have it: Horne's moves, too
    needed = [_needed(deal, way, card, suit) for way in ways for card, suit in np.ndindex(CARDS, 4)]
    return np.array(needed, np.int64).reshape(-1, CARDS, 4)


def _needed(deal: Deal, policy: Policy, card: int, suit: int) -> int:
    """Return how many cards of a suit have to be home before a card goes home at once.

    No suit depends on what is asked of the others, so these are all home here.
    """
    own = card % 4
    if suit == own or policy == "max":
        return 0
    heights = [_RANKS] * 4
    heights[own] = card // 4
    for height in range(NEVER):
        heights[suit] = height
        if is_safe_home(deal.rules, card, heights, policy, deal.position.lowest):
            return height
    return NEVER
