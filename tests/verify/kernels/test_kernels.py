"""The verifier's kernels against the slow rules, on positions of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest
import xxhash
from helpers import naive_bound
from helpers.naive_bound import smallest_cover
from helpers.selection import few_fast
from helpers.support import ALL_RULES, COMING_BACK, EVERY_FAMILY, random_game
from helpers.support import walk as walk_from
from helpers.verifier import (
    Words,
    encode,
    error_of,
    expand_one,
    opened,
    place_of,
    with_fixed,
)

from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import MAX_COLUMNS, Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.states import StateCodec
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.bound import touching_all
from dbmsolver.verify.kernels.errors import (
    BAD_FIELDS,
    BAD_KEY,
    BAD_SIGNATURE,
    COLLISION,
    FINE,
    RING,
    TOO_MANY_CELLS,
    TOO_MANY_COLUMNS,
)
from dbmsolver.verify.kernels.expand import bound_of_cards, make_table
from dbmsolver.verify.kernels.opening import PlaneKeys
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, FREECELL, HOME
from dbmsolver.verify.keys import Keys

SEEDS = range(12)


@EVERY_FAMILY
@pytest.mark.parametrize("seed", few_fast(SEEDS, 4))
def test_a_game(rules: object, seed: int) -> None:
    game = random_game(rules, seed)  # type: ignore[arg-type]
    deal = Deal(game.start, game.rules)
    form = keys_of_cards(deal, game.policy)
    assert encode(form, game.start) == form.root
    table = make_table(form.tables)  # nothing that positions leave there matters to later ones
    for position in game.walk(25):
        words = encode(form, position)
        assert opened(form, tuple(game.codec.state(position))) == (FINE, words)
        back = form.position(words)
        assert back is not None and back.canonical() == position.canonical()
        said = bound_of_cards(form.tables, np.array(words, np.uint64), table)
        assert said == (0, naive_bound.bound_of(position, game.rules))
        if not position.is_goal():
            found = expand_one(form, words, table=table)
            assert found.error == 0
            expected = position.successors(game.rules, game.policy)
            assert found.forced == any(move.forced for move, _ in expected)
            ours = [form.position(successor) for successor in found.successors]
            assert {p.canonical() for p in ours if p} == {p.canonical() for _, p in expected}
            assert None not in ours
            assert found.digest == hash_of(
                game.codec.deal_tables.ranges, game.codec.encode(position)
            )
            for move, after in expected:
                card = position.counted(move.card)
                code = form.tables.codes[card, place_of(form, position.turned(), card)]
                assert found.codes_to(encode(form, after)) == [code]


@EVERY_FAMILY
def test_words_that_are_no_position_are_refused(rules: object) -> None:
    """Each card is put into each place, and each number of the signature is changed."""
    seed = 0
    game = random_game(rules, seed)  # type: ignore[arg-type]
    verdicts = set[bool]()
    for start in (game.start, with_suit_home(game.start, seed & 3)):
        deal = Deal(start, game.rules)
        form, codec = keys_of_cards(deal, game.policy), StateCodec(deal, game.policy)
        places = places_of(form)
        walk = walk_from(game.random, start, game.rules, game.policy, 60)
        for position in game.random.sample(walk, min(3, len(walk))):
            for words in altered(form, tuple(codec.state(position))):
                error = error_of(form, opened(form, words))
                flaws = flaws_of(form, places, words)
                assert error in (flaws or {FINE}), words
                verdicts.add(not flaws)
    assert verdicts == {False, True}


def with_suit_home(position: Position, suit: int) -> Position:
    """Return a position whose cards of one suit are home, and the others as they lay."""

    def stays(card: int | None) -> bool:
        return card is not None and position.counted(card) & 3 != suit

    cells = tuple(card if stays(card) else None for card in position.freecells)
    columns = tuple(tuple(filter(stays, column)) for column in position.columns)
    hearts, spades, diamonds, clubs = (
        13 if other == suit else height for other, height in enumerate(position.foundations)
    )
    heights = hearts, spades, diamonds, clubs
    return replace(position, columns=columns, freecells=cells, foundations=heights)


def altered(form: Keys, words: Words) -> Iterator[Words]:
    """Yield words with other bits for a card, or with another number in the signature."""
    assert isinstance(form.form, PlaneKeys)
    signature, *planes = words
    for card, bits in product(range(53), range(8)):
        cleared = [plane & ~(1 << card) for plane in planes]
        off, low, high = (plane | (bits >> at & 1) << card for at, plane in enumerate(cleared))
        yield signature, off, low, high
    fields = [(4 * suit, 15) for suit in range(4)]
    fields += zip(form.form.column_shift.tolist(), form.form.column_mask.tolist(), strict=True)
    for shift, mask in fields:
        for number in range(mask + 1):
            yield (signature & ~(mask << shift) | number << shift, *words[1:])
    for bit in range(64):
        yield (signature ^ 1 << bit, *words[1:])


def places_of(form: Keys) -> dict[int, set[int]]:
    """Return the places to which each card can move."""
    places: dict[int, set[int]] = {card: set() for card in range(52)}
    for card, place in np.argwhere(form.tables.codes >= 0).tolist():
        places[card].add(place)
    return places


def flaws_of(form: Keys, places: dict[int, set[int]], words: Words) -> set[int]:
    """Return the reasons why words are no position: the first that is found is enough.

    ``places`` are those of :func:`places_of`.
    """
    signature, r, k = words[0], form.tables.rules, form.form
    assert isinstance(k, PlaneKeys)
    heights = [signature >> 4 * suit & 15 for suit in range(4)]
    home = {card for card in range(52) if card >> 2 < heights[card & 3]}
    locked, used = set[int](), 0xFFFF
    for cards, shift, mask in zip(k.locked, k.column_shift, k.column_mask, strict=True):
        count, known = signature >> int(shift) & int(mask), [card for card in cards if card >= 0]
        if count > len(known):
            return {BAD_SIGNATURE}
        locked |= {int(card) for card in known[:count]}
        used |= int(mask) << int(shift)
    kept = {card for card in range(52) if card >> 2 < r.kept}
    loose = {*range(52)} - home - locked
    # A king that comes back to no column is loose while it is home.
    nowhere_loose = {AS_DEALT} if r.kept < 13 else {AS_DEALT, HOME}
    if max(heights) > 13 or signature & ~used or home & locked:
        return {BAD_SIGNATURE}
    if (r.kept < 13 and home not in (kept, {*range(52)})) or any(
        not places[card] - nowhere_loose for card in loose
    ):
        return {BAD_SIGNATURE}
    # Bits that never vary are written nowhere, nor are those of cards that are not loose.
    for plane, bits in enumerate(with_fixed(form, words)):
        if bits & ~sum(1 << card for card in loose if int(k.varying[plane]) >> card & 1):
            return {BAD_KEY}
    under, cells, back, nowhere = dict[int, int](), 0, home.copy(), set[int]()
    for card in range(53):
        bits = tuple(plane >> card & 1 for plane in words[1:])
        if card not in loose:
            if card in locked:
                under[card] = int(form.tables.dealt_on[card])
            continue
        place = {(1, 0, 0): FREECELL, (1, 1, 0): BOTTOM, (1, 0, 1): HOME}.get(bits)
        if place is None and not bits[0]:
            place = bits[1] + 2 * bits[2]
        if place in range(4) and place not in places[card]:
            nowhere.add(card)
            under[card] = -1
            continue
        if place not in places[card] - {AS_DEALT}:
            return {BAD_FIELDS}
        if place == HOME:
            back.add(card)
        elif place == FREECELL:
            cells += 1
        else:
            under[card] = -1 if place == BOTTOM else int(r.takers[card, place])
    if any(card >= 4 and card - 4 not in back for card in back):
        return {BAD_FIELDS}
    below = [card for card in under.values() if card >= 0]
    standing = {card for card, beneath in under.items() if beneath < 0}
    flaws = {TOO_MANY_CELLS} if cells > r.freecells else set[int]()
    flaws |= {BAD_FIELDS} if nowhere else set()
    if len({*below}) < len(below) or not {*below} <= {*under}:
        return flaws | {COLLISION}
    if len(standing) > r.columns and not nowhere:
        return flaws | {TOO_MANY_COLUMNS}
    while more := {card for card, beneath in under.items() if beneath in standing} - standing:
        standing |= more
    return flaws if len(standing) == len(under) else flaws | {RING}


def test_the_heights_of_a_signature_are_those_of_cards_that_never_come_back() -> None:
    """An ace on its first parent has no bits, as if it was home by the signature."""
    rules = COMING_BACK[0]
    ace, parent = 0, rules.parent(0, 0, 1)
    rest = [card for card in range(51, -1, -1) if card not in (ace, parent)]
    columns = ((parent, ace), *(tuple(rest[at::6]) for at in range(6)))
    position = Position(columns, (None, None), (0, 0, 0, 0))
    deal = Deal(position, rules)
    form = keys_of_cards(deal, "none")
    signature, *planes = StateCodec(deal, "none").state(position)
    for height, error in ((0, FINE), (1, BAD_SIGNATURE)):
        assert error_of(form, opened(form, (signature + height, *planes))) == error


def test_as_many_columns_as_there_can_be() -> None:
    rules = GAMES["fan"]
    assert rules.columns == MAX_COLUMNS
    for seed in SEEDS[:3]:
        test_a_game(rules, seed)


def hash_of(ranges: tuple[int, ...], key: int) -> int:
    words = b""
    for size in ranges:
        key, word = divmod(key, size)
        words += word.to_bytes(8, "little")
    return xxhash.xxh3_64_intdigest(words)


@pytest.mark.parametrize("height", [0, 3])
def test_a_suit_goes_home_when_all_that_is_left_of_it_lies_in_order(height: int) -> None:
    """It may have lower ranks at home in the deal; no card may be of another suit."""
    rules = Rules("whole", 6, 1, "any", "any", moves="suit-runs", whole_suits=True)
    random, seen = Random(height), set[bool]()
    for number in range(40):
        suit = random.randrange(4)
        whole = [card for card in range(51, 4 * height - 1, -1) if card & 3 == suit]
        rest = [card for card in range(4 * height, 52) if card & 3 != suit]
        random.shuffle(rest)
        other = random.choice(rest)
        if number % 4 == 1:  # a card of the same rank in the place of one
            at = 13 - 1 - (other >> 2)
            rest[rest.index(other)], whole[at] = whole[at], other
        elif number % 4 == 2:  # one card less
            rest.append(whole.pop(random.choice((0, -1))))
        elif number % 4 == 3:  # a card more
            rest.remove(other)
            whole.insert(random.choice((0, len(whole))), other)
        columns = tuple(tuple(rest[at::5]) for at in range(5))
        position = Position((tuple(whole), *columns), (None,), (height,) * 4)
        deal = Deal(position, rules)
        form = keys_of_cards(deal, "none")
        expected = position.successors(rules, "none")
        found = expand_one(form, encode(form, position), 0, encode(form, position))
        ours = [form.position(successor) for successor in found.successors]
        assert {p.canonical() for p in ours if p} == {p.canonical() for _, p in expected}
        seen.add(any(max(after.foundations) == 13 for _, after in expected))
    assert seen == {False, True}


def test_progress_of_the_deal() -> None:
    for rules in ALL_RULES:
        game = random_game(rules, 1)
        deal = Deal(game.start, game.rules)
        form = keys_of_cards(deal, game.policy)
        signature = np.array(game.codec.state(game.start)[:1], np.uint64)
        assert form.form.progress(signature).tolist() == [sum(game.start.foundations)]
        assert form.root_stratum == sum(game.start.foundations)


def test_smallest_touching_sets() -> None:
    random = np.random.default_rng(1)
    for _ in range(300):
        size = int(random.integers(2, 12))
        edges = [(x, y) for x in range(size) for y in range(x + 1, size) if random.random() < 0.35]
        near = np.zeros(52, np.uint64)
        for x, y in edges:
            near[x] |= np.uint64(1 << y)
            near[y] |= np.uint64(1 << x)
        cards = np.uint64((1 << size) - 1)
        assert touching_all(cards, near, np.zeros(256, np.uint64)) == smallest_cover(edges)
