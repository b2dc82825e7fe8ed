"""The format of the keys of a deal of columns, made from the deal, rules and policy.

:mod:`dbmsolver.verify.format` says what it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.board import NOTHING, NOWHERE
from dbmsolver.verify.kernels.opening import PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.kernels.rules import MOST_TAKERS, Rules
from dbmsolver.verify.kernels.words import Ints, Words
from dbmsolver.verify.patience_format import format_of_patience, root_state
from dbmsolver.verify.places import AS_DEALT, BOTTOM, FREECELL, HOME
from dbmsolver.verify.rules_of_deal import rules_of_deal, set_of

_PLACES = 8
_BITS = {0: (0, 0, 0), 1: (0, 1, 0), 2: (0, 0, 1), 3: (0, 1, 1)}
_BITS |= {FREECELL: (1, 0, 0), BOTTOM: (1, 1, 0), HOME: (1, 0, 1)}
"""The bits of loose cards in the planes off, low, high, by their place values."""


class _Dealt(NamedTuple):
    """The places of the cards in the deal."""

    place: list[int]
    under: list[int]
    locked: list[list[int]]  # of each column, from the bottom up


def make_format(deal: Deal, policy: Policy, metric: Metric | None = None) -> Format:
    """Return the format of the keys of a deal under a policy, as a metric counts moves.

    In Klondike's kind ``metric`` is None for a proof.
    """
    if deal.rules.is_patience:
        return format_of_patience(deal, policy, metric)
    measure = measure_of(deal.rules, policy, metric)
    rules = rules_of_deal(deal, measure, shortest=False)
    # Kings are put on aces where columns go round, so that no ace has to go home at once.
    forced_aces = rules.at_home.size > 0 and policy != "none" and deal.rules.base != "round"
    dealt, values = _dealt(deal, forced_aces), _values(deal, forced_aces)
    places = [[dealt.place[card], *values[card]] for card in range(CARDS)]
    digits, words = _public(places, values)
    back = range(4 * rules.kept, CARDS)  # the cards that come back
    for card in back:
        places[card].append(HOME)
    codes, count = _codes(places)
    # Where a run is one move, one more stands for no card: the deal's.
    has_root_code = (deal.rules.has_runs or measure.by_room) and not deal.rules.takes_back
    count += has_root_code
    tables = Tables(
        rules=rules,
        dealt_on=np.array(dealt.under, np.int64),
        face_down=set_of(()),
        aside=set_of(()),
        can_be=_can_be(rules, places),
        lands=np.tile(np.arange(_PLACES), (CARDS, 1)),
        codes=codes,
        digits=digits,
        words=words,
    )
    home = min(deal.position.foundations)
    comes_back = rules.kept < 13 and home < 13
    stratum = 4 * rules.kept if comes_back else sum(deal.position.foundations)
    return Format(
        tables=tables,
        keys=_keys(rules, dealt, places),
        root=root_state(dealt.place),
        stratum=stratum,
        root_code=count - 1 if has_root_code else -1,
        code_bytes=1 if count <= 256 else 2,
    )


def _can_be(rules: Rules, places: list[list[int]]) -> Words:
    """Return the cards that can be in each place."""
    can_be = [set_of(range(CARDS))] * _PLACES
    for place in range(MOST_TAKERS):
        can_be[place] = set_of(np.flatnonzero(rules.takers[:, place] >= 0).tolist())
    can_be[FREECELL] = set_of(card for card in range(CARDS) if FREECELL in places[card])
    can_be[BOTTOM] = rules.fillers
    return np.array(can_be, np.uint64)


def _keys(rules: Rules, dealt: _Dealt, places: list[list[int]]) -> PlaneKeys:
    """Return the form of keys; ``places`` are those that each card can be in."""
    widths = [len(cards).bit_length() for cards in dealt.locked]
    most = max(1, *(len(cards) for cards in dealt.locked))
    varying, fixed = [0, 0, 0], [0, 0, 0]
    for card in range(CARDS):
        gone = {AS_DEALT} if card >= 4 * rules.kept else {AS_DEALT, HOME}
        bits = {_BITS[place] for place in {*places[card]} - gone}
        for plane in range(3):
            seen = {bit[plane] for bit in bits}
            varying[plane] |= (seen == {0, 1}) << card
            fixed[plane] |= (seen == {1}) << card
    varying[2] |= fixed[2]
    has_values = set_of(card for card in range(CARDS) if len(places[card]) > 1)
    return PlaneKeys(
        column_shift=np.array([16 + sum(widths[:n]) for n in range(len(widths))], np.int64),
        column_mask=np.array([(1 << width) - 1 for width in widths], np.int64),
        locked=np.array([cards + [-1] * (most - len(cards)) for cards in dealt.locked], np.int64),
        can_be_loose=has_values | np.uint64(fixed[0]),
        varying=np.array(varying, np.uint64),
        fixed=np.array(fixed[:2], np.uint64),
        kept=rules.kept,
    )


def _codes(places: list[list[int]]) -> tuple[Ints, int]:
    """Return the parent-move code of each card and the place that it was in, and their number."""
    pairs = [(card, place) for card in range(CARDS) for place in places[card]]
    codes = np.full((CARDS, _PLACES), -1, np.int64)
    for code, (card, place) in reversed([*enumerate(pairs)]):
        codes[card, place] = code
    return codes, len(pairs)


def _values(deal: Deal, forced_aces: bool) -> list[list[int]]:
    """Return the place values of each card."""
    rules, lowest = deal.rules, deal.position.lowest
    values = []
    for card in range(CARDS):
        numbers = range(len(rules.parent_kinds))
        parents = [n for n in numbers if rules.parent(card, n, lowest) is not None]
        cell = [FREECELL] if rules.freecells and not rules.reserve else []
        bottom = [BOTTOM] if rules.can_fill(card) else []
        values.append([] if forced_aces and card < 4 else parents + cell + bottom)
    return values


def _dealt(deal: Deal, forced_aces: bool) -> _Dealt:
    rules, position = deal.rules, deal.position.turned()
    dealt = _Dealt([HOME] * CARDS, [NOWHERE] * CARDS, [[] for _ in range(rules.columns)])
    for cell_card in position.freecells:
        if cell_card is not None:
            dealt.place[cell_card] = FREECELL
    for index, column in enumerate(position.columns):
        for card, below in zip(column, (NOTHING, *column), strict=False):
            place = AS_DEALT
            if below < 0:
                place = BOTTOM if rules.can_fill(card) else AS_DEALT
            elif (number := rules.parent_number(card, below, position.lowest)) is not None:
                place = number
            if forced_aces and card < 4:
                place = AS_DEALT
            dealt.under[card], dealt.place[card] = below, place
            if place == AS_DEALT:
                dealt.locked[index].append(card)
    return dealt


def _public(places: list[list[int]], values: list[list[int]]) -> tuple[Words, int]:
    """Return what cards in places add to the words of the public key, and how many it has."""
    digits = np.zeros((CARDS, _PLACES, 3), np.uint64)
    word, weight = 0, 1
    heights = []
    for index in range(4 + CARDS):
        card = index - 4
        listed = places[card] if index >= 4 and values[card] else []
        radix = 14 if index < 4 else len(listed)
        if not radix:
            continue
        if weight * radix > 1 << 64:
            word, weight = word + 1, 1
        if index < 4:
            heights.append((word, weight))
        for place in {*listed} - {HOME}:
            digits[card, place, word] = listed.index(place) * weight
        weight *= radix
    for card in range(CARDS):  # one more in the height of its foundation
        word_of_suit, weight_of_suit = heights[card % 4]
        digits[card, HOME, word_of_suit] = weight_of_suit
    return digits, max(2, word + 1)
