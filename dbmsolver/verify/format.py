"""The keys in a store, for authors of other readers; their tables.

**Cards** are ``4 * rank + suit``, ranks from 0 (ace), suits H S D C = 0 1 2 3.  **Place values**
say where a card lies: 0 to 3 on its first to fourth legal parent, 4 in a freecell, 5 at the bottom
of a column, 6 locked, 7 home.  The legal parents have one rank more; their suits are the card's
suit XOR 1 and XOR 3 (alternate colour), XOR 0 (by suit), XOR 0, 1, 2 and 3 (any suit).

**Values of a card.**  An ace has none unless the policy is ``none``: it goes home the moment it is
free.  Any other card has those of its legal parents (kings: none), 4 if there are freecells that it
may be put into, 5 if the rules let it into empty columns.  Where only whole suits go home, all is
as under the policy ``none``.

**Dealt place** of a card: home if it is home in the deal; 4 if it is in a freecell; in a column, on
a card that is its legal parent, the value of that parent, and at the bottom, 5 if it may go to
empty columns; otherwise, and for every ace in a column under a policy other than ``none``, it is
*locked*.

**Signature**, a word: bits 0 to 15 are four foundation heights of four bits, suits in the order H S
D C; from bit 16 upwards, column after column, the number of its locked cards that have not been
moved, in as many bits as the number in the deal needs (0 bits for 0).  Locked cards leave a column
from the top.  Cards that are neither home nor locked are *loose*. Progress is the cards home plus
the locked cards of the deal, minus those still locked.

**Local key**, one word or three: each loose card has a bit in the planes ``off``, ``low`` and
``high`` (the latter only when any suit may be built).  On parent number k: off 0, low = k & 1, high
= k >> 1.  In a freecell: 1, 0, 0.  At the bottom of a column: 1, 1, 0.  A bit is *varying* for a
card if both 0 and 1 occur among its values and its dealt place, unless that is locked or home.  The
varying bits of ``off`` in ascending order of cards, above them those of ``low``, above them those
of ``high`` are the key, if they are at most 64.  Otherwise the key is *wide*: three words, one for
each plane, bit number = card.

**Cards that come back from the foundations** (where columns are built by alternate colour or by any
suit): all is as under the policy ``none``. The heights of a signature are those of the cards that
never come back: those of the ranks that the deal puts home in all suits. All other cards are loose
when they are home, with the bits 1, 0, 1, and there are three planes. Their place 7 has no digit in
the public key: its first four digits count all cards home. In the list of parent-move codes it is
the last place of each of these cards. A bit of ``high`` that is always 1 counts as varying. The
state with all cards home has the heights 13, and nothing is loose.

**A base that the deal gives**: all cards are written as they count from it, the base as the lowest
rank of the deck, the rank before it as the king.  Where columns go round, kings have parents, too:
the cards that count as the lowest rank, of the same suits as for any other card; and an ace has
values under every policy.

**Columns built up or down by suit**: the first parent has one rank more, the second one less.

**Records** of dominating positions (docs/dominance.md) are written in the same way, with place
values of their own for loose cards that lie on no parent. If empty columns take any card, the
bottom card of a stuck column and a slot card have the value 4, and a slot card of ``fix`` has 5;
without freecells all of these have 5. If they take kings only or nothing, a record is written as
the one position that it stands for. What is stored with a record instead of a parent-move code is
one byte, eight bits of a hash of the record that it was found from.

**Parent-move code**: the number of the pair (card moved, place value before) in the list that has,
for each card in ascending order, its dealt place and then its values in ascending order; a pair
listed twice has the lower number.  Codes are one byte wide if there are at most 256 pairs, else
two.  Where a run is one move, by the rules or as the metric counts, the card is the deepest
of it, and the list has one more pair at its end, which stands for no card: the code of the deal,
which has no parent.

**Public key**: digits, first the four foundation heights (radix 14), then for each card that has
values a digit that says where in the list of its dealt place and its values its place stands (first
occurrence; 0 if the card is home).  Its radix is the length of the list.  Digits are packed into
64-bit words, the first digit with the least weight; a digit that no longer fits begins a new word;
at least two words.  The digest of a set of states is the sum modulo 2**64 of XXH3-64 over the words
of their public keys, little-endian.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.verify.kernels.board import NOTHING, NOWHERE
from dbmsolver.verify.kernels.expand import make_table
from dbmsolver.verify.kernels.opening import PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, FREECELL, HOME, MOST_TAKERS, Rules
from dbmsolver.verify.kernels.words import Ints, Words
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.patience_format import keys_of_patience, root_state
from dbmsolver.verify.rules_of_deal import rules_of_deal, set_of
from dbmsolver.verify.showing import position_of

_PLACES = 8
_LIFT_OF_SUIT = 14
"""The most strata that a move leads upwards if it may take a whole suit home."""
_BITS = {0: (0, 0, 0), 1: (0, 1, 0), 2: (0, 0, 1), 3: (0, 1, 1)}
_BITS |= {FREECELL: (1, 0, 0), BOTTOM: (1, 1, 0), HOME: (1, 0, 1)}
"""The bits of loose cards in the planes off, low, high, by their place values."""


class _Dealt(NamedTuple):
    """The places of the cards in the deal."""

    place: list[int]
    under: list[int]
    locked: list[list[int]]  # of each column, from the bottom up


def keys_of_cards(deal: Deal, policy: Policy, metric: Metric | None = None) -> Keys:
    """Return keys of positions of a game of columns, under a policy, as a metric counts moves.

    In Klondike's kind ``metric`` is None for a proof.
    """
    if deal.rules.is_patience:
        return keys_of_patience(deal, policy, metric)
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
    return Keys(
        noun="position",
        tables=tables,
        form=_form(rules, dealt, places),
        root=root_state(dealt.place),
        root_stratum=stratum,
        words=3,
        code_bytes=1 if count <= 256 else 2,
        position=partial(position_of, tables, deal),
        make_table=partial(make_table, tables),
        lift=_LIFT_OF_SUIT if rules.whole_suits else 2,
        root_code=count - 1 if has_root_code else -1,
        free=rules.forced_free,
        counts_forced=True,
    )


def _can_be(rules: Rules, places: list[list[int]]) -> Words:
    """Return the cards that can be in each place."""
    can_be = [set_of(range(CARDS))] * _PLACES
    for place in range(MOST_TAKERS):
        can_be[place] = set_of(np.flatnonzero(rules.takers[:, place] >= 0).tolist())
    can_be[FREECELL] = set_of(card for card in range(CARDS) if FREECELL in places[card])
    can_be[BOTTOM] = rules.fillers
    return np.array(can_be, np.uint64)


def _form(rules: Rules, dealt: _Dealt, places: list[list[int]]) -> PlaneKeys:
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
