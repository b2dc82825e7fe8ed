"""The tables of the rules of a game and deal, made from the deal alone."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Measure
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
        runs=rules.has_runs or measure.by_room,
        both_ways=rules.two_way,
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

    A card is in nobody's way where no card that may come to lie on it, or on those, is in play;
    which these are is said in :mod:`dbmsolver.game.safe_moves` and :mod:`dbmsolver.game.patience`.
    """
    rules, policy = deal.rules, measure.policy
    if policy == "none" or rules.whole_suits or rules.takes_back:
        return np.zeros((0, CARDS, 4), np.int64)
    ways: list[Policy] = [policy]
    if measure.has_free_moves and policy == "wkr":
        ways.insert(0, "horne")  # as programs have it: Horne's moves, too
    return np.array([_one_way(deal, way) for way in ways], np.int64)


def _one_way(deal: Deal, policy: Policy) -> list[list[int]]:
    return [
        [0 if suit == card % 4 else _needed(deal, policy, card, suit) for suit in range(4)]
        for card in range(CARDS)
    ]


def _needed(deal: Deal, policy: Policy, card: int, suit: int) -> int:
    """Return how many cards of another suit have to be home before a card goes home at once."""
    rules, lowest = deal.rules, deal.position.lowest
    rank, kind = card // 4 + 1, card % 4 ^ suit
    needed = 0
    if policy != "max":
        if kind in rules.parent_kinds:  # the next lower rank of it may lie on the card
            at_once = rules.moves == "groups" or (policy == "horne" and rank > 2)
            needed = rank - 1 if at_once else rank - 2
        elif rules.build == "alternate" and (rules.is_patience or policy != "horne"):
            needed = rank - (2 if rules.moves == "groups" else 3)  # and on those the one below
    if rules.base == "round" and not rules.is_patience and rank == lowest:
        return NEVER  # a king may be put on it
    if rules.base == "round" and rules.is_patience and rules.build != "none":
        # No base that may come to lie on the card, or lower down on cards that do, may lie in a
        # column, where it would take the last rank; nor may one come back.
        kinds = {*rules.parent_kinds, *([2] if rules.build == "alternate" else [])}
        if rank <= lowest or rules.removable:
            return NEVER
        if kind in kinds:
            needed = max(needed, lowest)
    return max(0, needed)
