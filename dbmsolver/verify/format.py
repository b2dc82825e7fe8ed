"""The keys in a store, for those who write a reader of their own; tables made from them.

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
when they are home, with the bits 1, 0, 1, and there are three planes. Their place 7 is not among
the values of the public key, whose first four digits are all cards home, and the last one in the
list of parent-move codes of each of them. A bit of ``high`` that is always 1 counts as varying. The
state with all cards home has the heights 13, and nothing is loose.

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

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Metric, measure_of
from dbmsolver.game.rules import Rules

FREECELL, BOTTOM, LOCKED, HOME = 4, 5, 6, 7
NO_CARD = 63
"""What the deal's parent-move code moves, where a run is one move."""
BUILDS = {"alternate": 0, "suit": 1, "any": 2, "none": 1, "suit-both": 1}
"""What decides which moves home are safe: where nothing is built, all are, as by suit."""
RISES = {"suit-both": (4, -4)}
"""What is added to a card's number for its parents, but for their suits, where that is not 4."""
RUNS = {"single": 0, "suit-runs": 1}
POLICIES = {"none": 0, "horne": 1, "wkr": 2, "max": 4}
PLAYED_WKR = 3
"""The policy wkr as programs have it: Horne's moves, too."""

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


class Format(NamedTuple):
    """Everything about the keys of one deal that the kernels need."""

    columns: int
    freecells: int
    room: int  # of the freecells, how many cards may be put into
    holds: np.uint64  # cards that can be in a freecell
    build: int
    policy: int
    planes: int  # 2 or 3
    kinds: Ints  # XOR masks of legal parents
    fillers: np.uint64  # cards that may go to an empty column
    has_values: np.uint64  # cards with place values
    dealt_place: Ints  # [52]
    dealt_under: Ints  # [52]: the card beneath in the deal, -1 at a bottom, -2 in no column
    dealt_column: Ints  # [52]: -1 in no column
    column_shift: Ints  # [columns]: the count's place in the signature
    column_mask: Ints  # [columns]
    locked: Ints  # [columns, most]: locked cards of a column from the bottom up, -1 beyond
    varying: Words  # [3]
    fixed: Words  # [3]: bits that are 1 whatever the card's place
    off: Words  # [8]: bit of each place value in the planes
    low: Words
    high: Words
    code_card: Ints
    code_place: Ints
    digits: Words  # [8 * 52, 3]: what (card, place) adds to the words of the public key
    heights: Words  # [4, 14, 3]
    words: int  # of the public key
    locked_total: int


class RunFormat(NamedTuple):
    """The same, and what a run is, for games in which a run is one move.

    It is a type of its own: kernels are compiled for either (:mod:`dbmsolver.jit.families`).
    """

    columns: int
    freecells: int
    room: int
    holds: np.uint64
    build: int
    policy: int
    planes: int
    kinds: Ints
    fillers: np.uint64
    has_values: np.uint64
    dealt_place: Ints
    dealt_under: Ints
    dealt_column: Ints
    column_shift: Ints
    column_mask: Ints
    locked: Ints
    varying: Words
    fixed: Words
    off: Words
    low: Words
    high: Words
    code_card: Ints
    code_place: Ints
    digits: Words
    heights: Words
    words: int
    locked_total: int
    runs: int  # a card on a parent of one of that many first kinds moves with it
    whole_suits: bool
    heights_dealt: Ints  # [4]: of the foundations
    limited: bool  # whether runs move as far as there is room only
    doubling: bool  # whether each empty column doubles that room
    free: bool  # whether forced moves are not counted


class TwoWayFormat(NamedTuple):
    """The same for games whose cards go both ways: on higher and lower cards, or home and back."""

    columns: int
    freecells: int
    room: int
    holds: np.uint64
    build: int
    policy: int
    planes: int
    kinds: Ints
    fillers: np.uint64
    has_values: np.uint64
    dealt_place: Ints
    dealt_under: Ints
    dealt_column: Ints
    column_shift: Ints
    column_mask: Ints
    locked: Ints
    varying: Words
    fixed: Words
    off: Words
    low: Words
    high: Words
    code_card: Ints
    code_place: Ints
    digits: Words
    heights: Words
    words: int
    locked_total: int
    rises: Ints  # what is added to a card's number for each parent, but for its suit
    removable: bool
    kept: np.uint64  # cards that are home and never come back; 0 unless others do


class _Dealt(NamedTuple):
    """Where the cards lie in the deal, in the way of `Format`."""

    place: list[int]
    under: list[int]
    column: list[int]
    locked: list[list[int]]  # of each column, from the bottom up


def make_format(deal: Deal, policy: Policy, metric: Metric | None = None) -> Format:
    """The tables of a deal under a policy.

    A `RunFormat` where a run is one move, by the rules or as the metric counts moves; a
    `TwoWayFormat` where cards go both ways.
    """
    rules = deal.rules
    measure = measure_of(rules, policy, metric)
    if rules.whole_suits or rules.takes_back:
        policy = "none"  # no card goes home by itself, so none is forced
    form = _of_any_game(deal, policy)
    if rules.two_way:
        form = _coming_back(form, rules.kept_rank) if rules.takes_back else form
        return TwoWayFormat(  # type: ignore[return-value]
            *form,
            rises=np.array(RISES.get(rules.build, (4,) * form.kinds.size), np.int64),
            removable=rules.takes_back,
            kept=_mask(range(4 * rules.kept_rank if rules.takes_back else 0)),
        )
    if not rules.has_runs and not measure.by_room:
        return form
    if measure.has_free_moves and policy == "wkr":
        form = form._replace(policy=PLAYED_WKR)
    pairs = form._replace(
        code_card=np.append(form.code_card, NO_CARD), code_place=np.append(form.code_place, 0)
    )
    found: Any = RunFormat(
        *pairs,
        runs=form.kinds.size if measure.by_room else RUNS.get(rules.moves, form.kinds.size),
        whole_suits=rules.whole_suits,
        heights_dealt=np.array(deal.position.foundations, np.int64),
        limited=measure.by_room,
        doubling=rules.fill == "any",
        free=measure.has_free_moves,
    )
    return found  # type: ignore[no-any-return]


def _coming_back(form: Format, kept: int) -> Format:
    """The tables with a place for cards that are home and not of the ``kept`` lowest ranks."""
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
        has_values=form.has_values | _mask(free),
        varying=np.array([varying[0], varying[1], varying[2] | fixed[2]], np.uint64),
        fixed=np.array([fixed[0], fixed[1], 0], np.uint64),
        off=np.array(bits[0], np.uint64),
        low=np.array(bits[1], np.uint64),
        high=np.array(bits[2], np.uint64),
        code_card=np.array([card for card, _ in pairs], np.int64),
        code_place=np.array([place for _, place in pairs], np.int64),
        digits=digits,
    )


def _of_any_game(deal: Deal, policy: Policy) -> Format:
    rules = deal.rules
    kinds = rules.parent_kinds
    forced_aces = policy != "none"
    values = _values(rules, forced_aces)
    dealt = _dealt(deal, forced_aces)
    widths = [len(cards).bit_length() for cards in dealt.locked]
    shifts = [16 + sum(widths[:index]) for index in range(rules.columns)]
    most = max(1, *(len(cards) for cards in dealt.locked))
    bits = _plane_bits()
    varying, fixed = _planes(dealt.place, values, bits)
    pairs = [(card, place) for card in range(CARDS) for place in (dealt.place[card], *values[card])]
    digits, heights, words = _public(dealt.place, values)
    return Format(
        columns=rules.columns,
        freecells=rules.freecells,
        room=0 if rules.reserve else rules.freecells,
        holds=_mask(
            card for card in range(CARDS) if FREECELL in {dealt.place[card], *values[card]}
        ),
        build=BUILDS[rules.build],
        policy=POLICIES[policy],
        planes=3 if len(kinds) > 2 else 2,
        kinds=np.array(kinds, np.int64),
        fillers=_mask(card for card in range(CARDS) if rules.can_fill(card)),
        has_values=_mask(card for card in range(CARDS) if values[card]),
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
        digits=digits,
        heights=heights,
        words=words,
        locked_total=sum(map(len, dealt.locked)),
    )


def _values(rules: Rules, forced_aces: bool) -> list[list[int]]:
    """The place values of each card."""
    values = []
    for card in range(CARDS):
        numbers = range(len(rules.parent_kinds))
        parents = [number for number in numbers if rules.parent(card, number) is not None]
        cell = [FREECELL] if rules.freecells and not rules.reserve else []
        bottom = [BOTTOM] if rules.can_fill(card) else []
        values.append([] if forced_aces and card < 4 else parents + cell + bottom)
    return values


def _dealt(deal: Deal, forced_aces: bool) -> _Dealt:
    rules, position = deal.rules, deal.position
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
                    number = rules.parent_number(card, below)
                    place = LOCKED if number is None else number
            dealt.place[card] = place
            if place == LOCKED:
                dealt.locked[index].append(card)
    return dealt


def _planes(
    dealt: list[int], values: list[list[int]], bits: list[list[int]]
) -> tuple[list[int], list[int]]:
    """The cards whose bit in a plane varies, and those whose bit there is always 1."""
    varying, fixed = [0, 0, 0], [0, 0, 0]
    for card in range(CARDS):
        places = values[card] + ([dealt[card]] if dealt[card] < LOCKED else [])
        for plane in range(3):
            seen = {bits[plane][place] for place in places}
            varying[plane] |= (seen == {0, 1}) << card
            fixed[plane] |= (seen == {1}) << card
    return varying, fixed


def comes_back(form: Any) -> bool:
    """Whether cards come back from the foundations."""
    return isinstance(form, TwoWayFormat) and form.removable


def code_bytes(form: Format) -> int:
    """Width of a parent-move code."""
    return 1 if form.code_card.size <= 256 else 2


def root_words(form: Format, deal: Deal) -> tuple[int, int, int, int]:
    """The deal itself: its signature and planes."""
    heights: Sequence[int] = deal.position.foundations
    kept = range(CARDS)
    if comes_back(form) and min(heights) < 13:
        heights = [deal.rules.kept_rank] * 4
        kept = range(4 * deal.rules.kept_rank)
    signature = sum(height << (4 * suit) for suit, height in enumerate(heights))
    for column in range(form.columns):
        count = int((form.locked[column] >= 0).sum())
        signature |= count << int(form.column_shift[column])
    planes = [0, 0, 0]
    for card, place in enumerate(form.dealt_place.tolist()):
        if place == HOME and card in kept:
            continue
        for index, bits in enumerate((form.off, form.low, form.high)):
            planes[index] |= int(bits[place]) << card
    return signature, planes[0], planes[1], planes[2]


def progress(form: Format, signatures: Words) -> Ints:
    """Progress of each signature."""
    words = signatures.astype(np.int64)
    total = np.full(words.size, form.locked_total, np.int64)
    for suit in range(4):
        total += (words >> (4 * suit)) & 15
    for shift, mask in zip(form.column_shift, form.column_mask, strict=True):
        total -= (words >> shift) & mask
    return total


def _mask(cards: Any) -> np.uint64:
    return np.uint64(sum(1 << card for card in cards))


def _plane_bits(removable: bool = False) -> list[list[int]]:
    """Bits of the place values 0 to 7 in the planes off, low, high.

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
