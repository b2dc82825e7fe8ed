"""The verifier's kernels against the slow rules, on positions of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
import xxhash
from helpers import naive_bound
from helpers.naive_bound import smallest_cover
from helpers.selection import few_fast
from helpers.support import ALL_RULES, EVERY_FAMILY, random_game
from helpers.verifier import NOWHERE, Words, encode, expand_one, place_of

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.game.shipped import GAMES
from dbmsolver.verify.format import Format, root_words
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.kernels.board import make_board
from dbmsolver.verify.kernels.chains import follow_chains
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.kernels.expand import BAD_CODE, NOT_FORCED
from dbmsolver.verify.kernels.states import bound_of_words, lay_words
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME, LOCKED
from dbmsolver.verify.showing import position_of

SEEDS = range(12)


@EVERY_FAMILY
@pytest.mark.parametrize("seed", few_fast(SEEDS, 4))
def test_a_game(rules: object, seed: int) -> None:
    game = random_game(rules, seed)  # type: ignore[arg-type]
    deal = Deal(game.start, game.rules)
    form = make_format(deal, game.policy)
    assert encode(form, game.start) == root_words(form, deal)
    pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
    before: Position | None = None
    board = make_board()  # nothing that positions leave there matters to later ones
    for position in game.walk(25):
        words = encode(form, position)
        assert words == tuple(game.codec.state(position))
        back = position_of(form, deal, words)
        assert back is not None and back.canonical() == position.canonical()
        said = bound_of_words(form, np.array(words, np.uint64), board)
        assert said == (0, naive_bound.bound_of(position, game.rules))
        if not position.is_goal():
            code, root = 0, words
            if before is not None:
                move = move_to(before, position, game)
                card = before.counted(move.card)
                code, root = pairs.index((card, place_of(form, before.turned(), card))), NOWHERE
            found = expand_one(form, words, code, root)
            assert found.error == 0
            expected = position.successors(game.rules, game.policy)
            assert found.forced == any(move.forced for move, _ in expected)
            ours = [position_of(form, deal, successor) for successor in found.successors]
            assert {p.canonical() for p in ours if p} == {p.canonical() for _, p in expected}
            assert None not in ours
            assert found.digest == hash_of(
                game.codec.deal_tables.ranges, game.codec.encode(position)
            )
            if before is not None:
                assert found.parents == [encode(form, before)]
        before = position


@EVERY_FAMILY
@pytest.mark.parametrize("seed", few_fast(SEEDS, 2))
def test_a_code_that_is_accepted_stands_for_a_move(rules: object, seed: int) -> None:
    """Of all codes, those of moves that could have led to a position are accepted, and no others.

    A parent that is no position is found when its turn comes to be closed.
    """
    game = random_game(rules, seed)  # type: ignore[arg-type]
    deal = Deal(game.start, game.rules)
    form = make_format(deal, game.policy)
    pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
    walk = game.walk(25)
    at = game.random.randrange(max(1, len(walk) - 1))
    before = walk[at]
    for move, after in before.successors(game.rules, game.policy):
        if after.is_goal():
            continue
        words, accepted = encode(form, after), 0
        for code in range(len(pairs) + 2):
            found = expand_one(form, words, code)
            if found.error:
                assert found.error in (BAD_CODE, NOT_FORCED)
                continue
            parent = position_of(form, deal, found.parents[0])
            if parent is not None:
                following = parent.successors(game.rules, game.policy)
                ways = {one.canonical(): way.card for way, one in following}
                assert parent.counted(ways[after.canonical()]) == pairs[code][0]
            accepted += 1
        card = before.counted(move.card)
        code = pairs.index((card, place_of(form, before.turned(), card)))
        assert accepted and expand_one(form, words, code).parents == [encode(form, before)]
        break


@EVERY_FAMILY
@pytest.mark.parametrize("seed", few_fast(SEEDS, 2))
def test_words_that_are_no_position_are_refused(rules: object, seed: int) -> None:
    """Each card is put into each place, and each number of the signature is changed."""
    game = random_game(rules, seed)  # type: ignore[arg-type]
    deal = Deal(game.start, game.rules)
    form, board = make_format(deal, game.policy), make_board()
    walk = game.walk(25)
    words = encode(form, game.random.choice(walk))
    verdicts = set[bool]()
    for other in altered(form, words):
        error, _ = lay_words(form, np.array(other, np.uint64), board)
        expected = can_be(form, other)
        assert (error == 0) == expected, other
        verdicts.add(expected)
    assert verdicts == {False, True}


def altered(form: Format, words: Words) -> Iterator[Words]:
    """Yield words with other bits for a card, or with another number in the signature."""
    signature, *planes = words
    for card, bits in product(range(53), range(8)):
        cleared = [plane & ~(1 << card) for plane in planes]
        off, low, high = (plane | (bits >> at & 1) << card for at, plane in enumerate(cleared))
        yield signature, off, low, high
    fields = [(4 * suit, 15) for suit in range(4)]
    fields += zip(form.column_shift.tolist(), form.column_mask.tolist(), strict=True)
    for shift, mask in fields:
        for number in range(mask + 1):
            yield (signature & ~(mask << shift) | number << shift, *words[1:])
    for bit in range(64):
        yield (signature ^ 1 << bit, *words[1:])


def can_be(form: Format, words: Words) -> bool:
    """Return True if each card has one place, one that keys give it, and columns hold all."""
    signature, r = words[0], form.rules
    heights = [signature >> 4 * suit & 15 for suit in range(4)]
    home = {card for card in range(52) if card >> 2 < heights[card & 3]}
    locked, used = set[int](), 0xFFFF
    for cards, shift, mask in zip(form.locked, form.column_shift, form.column_mask, strict=True):
        count, known = signature >> int(shift) & int(mask), [card for card in cards if card >= 0]
        if count > len(known):
            return False
        locked |= {int(card) for card in known[:count]}
        used |= int(mask) << int(shift)
    kept = {card for card in range(52) if card >> 2 < r.kept}
    if max(heights) > 13 or signature & ~used or home & locked:
        return False
    if form.comes_back and home not in (kept, {*range(52)}):
        return False
    known_places: dict[int, set[int]] = {card: set() for card in range(52)}
    for card, place in zip(form.code_card.tolist(), form.code_place.tolist(), strict=True):
        known_places.get(card, set()).add(place)
    under, cells, back = dict[int, int](), 0, home.copy()
    for card in range(53):
        bits = tuple(plane >> card & 1 for plane in words[1:])
        if card == 52 or card in home or card in locked:
            if any(bits):
                return False
            if card in locked:
                under[card] = int(form.dealt_under[card])
            continue
        place = {(1, 0, 0): FREECELL, (1, 1, 0): BOTTOM, (1, 0, 1): HOME}.get(bits)
        if place is None and not bits[0]:
            place = bits[1] + 2 * bits[2]
        if place not in known_places[card] - {LOCKED}:
            return False
        if place == HOME:
            back.add(card)
        elif place == FREECELL:
            cells += 1
        else:
            under[card] = -1 if place == BOTTOM else int(r.takers[card, place])
    if any(card >= 4 and card - 4 not in back for card in back) or cells > r.freecells:
        return False
    below = [card for card in under.values() if card >= 0]
    if len({*below}) < len(below) or not {*below} <= {*under}:
        return False
    standing = {card for card, beneath in under.items() if beneath < 0}
    if len(standing) > r.columns:
        return False
    while more := {card for card, beneath in under.items() if beneath in standing} - standing:
        standing |= more
    return len(standing) == len(under)


def test_as_many_columns_as_there_can_be() -> None:
    rules = GAMES["fan"]
    assert rules.columns == MAX_COLUMNS
    for seed in SEEDS[:3]:
        test_a_game(rules, seed)


def move_to(before: Position, after: Position, game: object) -> Move:
    successors = before.successors(game.rules, game.policy)  # type: ignore[attr-defined]
    return next(move for move, following in successors if following == after)


def hash_of(ranges: tuple[int, ...], key: int) -> int:
    words = b""
    for size in ranges:
        key, word = divmod(key, size)
        words += word.to_bytes(8, "little")
    return xxhash.xxh3_64_intdigest(words)


def test_progress_of_the_deal() -> None:
    for rules in ALL_RULES:
        game = random_game(rules, 1)
        deal = Deal(game.start, game.rules)
        form = make_format(deal, game.policy)
        signature = np.array(root_words(form, deal)[:1], np.uint64)
        assert form.progress(signature).tolist() == [sum(game.start.foundations)]


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


@pytest.mark.parametrize(
    ("parents", "lost"),
    [([-1], False), ([-1, 0, 1, 2], False), ([3, -1, 1, 2], False), ([1, 0], True)],
)
def test_chains(parents: list[int], lost: bool) -> None:
    assert (follow_chains(1 + np.array(parents, np.int32)) >= 0) == lost


def test_a_ring_behind_a_chain() -> None:
    parents = 1 + np.array([-1, 0, 3, 4, 5, 3, 2, 1], np.int32)
    assert follow_chains(parents) in (2, 3, 4, 5, 6)
