"""The tables of a deal that the kernels of the check need, made from the deal, rules and policy.

:mod:`dbmsolver.verify.format` says what they hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.verify.format import Format, Ints, Words
from dbmsolver.verify.kernels.rules import Rules
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME, LOCKED, NO_CARD
from dbmsolver.verify.rules_of_deal import rules_of_deal, set_of


class _Dealt(NamedTuple):
    """The places of the cards in the deal, in the way of `Format`."""

    place: list[int]
    under: list[int]
    column: list[int]
    locked: list[list[int]]  # of each column, from the bottom up


def make_format(deal: Deal, policy: Policy, metric: Metric | None = None) -> Format:
    """Return the tables of a deal under a policy, as a metric counts moves."""
    rules = rules_of_deal(deal, measure_of(deal.rules, policy, metric), shortest=False)
    form = _of_any_game(deal, rules, policy if rules.at_home.size else "none")
    if deal.rules.takes_back:
        form = _coming_back(form, rules.kept)
    elif rules.runs:
        form = form._replace(
            code_card=np.append(form.code_card, NO_CARD), code_place=np.append(form.code_place, 0)
        )
    return form._replace(code_of=_numbers(form))


def _numbers(form: Format) -> Ints:
    """Return the parent-move code of each card and the place that it was in, the lowest one."""
    codes = np.full((CARDS, HOME + 1), -1, np.int64)
    pairs = zip(form.code_card.tolist(), form.code_place.tolist(), strict=True)
    for code, (card, place) in reversed([*enumerate(pairs)]):
        if card != NO_CARD:
            codes[card, place] = code
    return codes


def _coming_back(form: Format, kept: int) -> Format:
    """Return tables with a place for cards that are home and not of the ``kept`` lowest ranks."""
    free = range(4 * kept, CARDS)
    places: list[list[int]] = [[] for _ in range(CARDS)]
    for card, place in zip(form.code_card.tolist(), form.code_place.tolist(), strict=True):
        places[card].append(place)
    for card in free:
        places[card].append(HOME)
    pairs = [(card, place) for card in range(CARDS) for place in places[card]]
    bits = _plane_bits(removable=True)
    loose = [[place for place in places[card] if place != LOCKED] for card in range(CARDS)]
    varying, fixed = _planes([LOCKED] * CARDS, loose, bits)
    digits = form.digits.copy()
    for card in range(CARDS):
        digits[8 * card + HOME] = form.heights[card % 4, 1]
    return form._replace(
        planes=3,
        has_values=form.has_values | set_of(free),
        varying=np.array([varying[0], varying[1], varying[2] | fixed[2]], np.uint64),
        fixed=np.array([fixed[0], fixed[1], 0], np.uint64),
        off=np.array(bits[0], np.uint64),
        low=np.array(bits[1], np.uint64),
        high=np.array(bits[2], np.uint64),
        code_card=np.array([card for card, _ in pairs], np.int64),
        code_place=np.array([place for _, place in pairs], np.int64),
        digits=digits,
    )


def _of_any_game(deal: Deal, tables: Rules, policy: Policy) -> Format:
    rules = deal.rules
    # Kings are put on aces where columns go round, so that no ace has to go home at once.
    forced_aces = policy != "none" and rules.base != "round"
    values = _values(deal, forced_aces)
    dealt = _dealt(deal, forced_aces)
    widths = [len(cards).bit_length() for cards in dealt.locked]
    shifts = [16 + sum(widths[:index]) for index in range(rules.columns)]
    most = max(1, *(len(cards) for cards in dealt.locked))
    bits = _plane_bits()
    varying, fixed = _planes(dealt.place, values, bits)
    pairs = [(card, place) for card in range(CARDS) for place in (dealt.place[card], *values[card])]
    digits, heights, words = _public(dealt.place, values)
    return Format(
        rules=tables,
        holds=set_of(
            card for card in range(CARDS) if FREECELL in {dealt.place[card], *values[card]}
        ),
        planes=3 if len(rules.parent_kinds) > 2 else 2,
        has_values=set_of(card for card in range(CARDS) if values[card]),
        dealt_place=np.array(dealt.place, np.int64),
        dealt_under=np.array(dealt.under, np.int64),
        dealt_column=np.array(dealt.column, np.int64),
        column_shift=np.array(shifts, np.int64),
        column_mask=np.array([(1 << width) - 1 for width in widths], np.int64),
        locked=np.array([cards + [-1] * (most - len(cards)) for cards in dealt.locked], np.int64),
        varying=np.array(varying, np.uint64),
        fixed=np.array(fixed, np.uint64),
        off=np.array(bits[0], np.uint64),
        low=np.array(bits[1], np.uint64),
        high=np.array(bits[2], np.uint64),
        code_card=np.array([card for card, _ in pairs], np.int64),
        code_place=np.array([place for _, place in pairs], np.int64),
        code_of=np.empty((0, 0), np.int64),
        digits=digits,
        heights=heights,
        words=words,
        locked_total=sum(map(len, dealt.locked)),
    )


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
    dealt = _Dealt([HOME] * CARDS, [-2] * CARDS, [-1] * CARDS, [[] for _ in range(rules.columns)])
    for cell_card in position.freecells:
        if cell_card is not None:
            dealt.place[cell_card] = FREECELL
    for index, column in enumerate(position.columns):
        for card, below in zip(column, (-1, *column), strict=False):
            dealt.under[card], dealt.column[card] = below, index
            place = LOCKED
            if not (forced_aces and card < 4):
                if below < 0:
                    place = BOTTOM if rules.can_fill(card) else LOCKED
                else:
                    number = rules.parent_number(card, below, position.lowest)
                    place = LOCKED if number is None else number
            dealt.place[card] = place
            if place == LOCKED:
                dealt.locked[index].append(card)
    return dealt


def _planes(
    dealt: list[int], values: list[list[int]], bits: list[list[int]]
) -> tuple[list[int], list[int]]:
    """Return the cards whose bit in a plane varies, and those whose bit there is always 1."""
    varying, fixed = [0, 0, 0], [0, 0, 0]
    for card in range(CARDS):
        places = values[card] + ([dealt[card]] if dealt[card] < LOCKED else [])
        for plane in range(3):
            seen = {bits[plane][place] for place in places}
            varying[plane] |= (seen == {0, 1}) << card
            fixed[plane] |= (seen == {1}) << card
    return varying, fixed


def _plane_bits(removable: bool = False) -> list[list[int]]:
    """Return the bits of the place values 0 to 7 in the planes off, low, high.

    Nothing for locked, nor for home, unless cards come back from there.
    """
    home = int(removable)
    return [[0, 0, 0, 0, 1, 1, 0, home], [0, 1, 0, 1, 0, 1, 0, 0], [0, 0, 1, 1, 0, 0, 0, home]]


def _public(dealt: list[int], values: list[list[int]]) -> tuple[Words, Words, int]:
    digits = np.zeros((8 * CARDS, 3), np.uint64)
    heights = np.zeros((4, 14, 3), np.uint64)
    word, weight = 0, 1
    for index in range(4 + CARDS):
        card = index - 4
        places = [] if index < 4 or not values[card] else [dealt[card], *values[card]]
        radix = 14 if index < 4 else len(places)
        if not radix:
            continue
        if weight * radix > 1 << 64:
            word, weight = word + 1, 1
        if index < 4:
            heights[index, :, word] = [height * weight for height in range(14)]
        for place in set(places):
            digits[8 * card + place, word] = places.index(place) * weight
        weight *= radix
    return digits, heights, max(2, word + 1)
