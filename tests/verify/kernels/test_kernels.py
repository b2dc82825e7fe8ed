"""The verifier's kernels against the slow rules, on positions of every kind."""

from __future__ import annotations

import numpy as np
import pytest
import xxhash
from helpers import naive_bound
from helpers.naive_bound import smallest_cover
from helpers.selection import few_fast
from helpers.support import ALL_RULES, EVERY_GAME_AND_BACK, random_game
from helpers.verifier import NOWHERE, encode, expand_one, place_of

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import MAX_COLUMNS
from dbmsolver.game.shipped import GAMES
from dbmsolver.verify.format import root_words
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.kernels.chains import follow_chains
from dbmsolver.verify.kernels.covers import touching_all
from dbmsolver.verify.partition_steps import bound_of
from dbmsolver.verify.showing import position_of

SEEDS = range(12)


@EVERY_GAME_AND_BACK
@pytest.mark.parametrize("seed", few_fast(SEEDS, 4))
def test_a_game(rules: object, seed: int) -> None:
    game = random_game(rules, seed)  # type: ignore[arg-type]
    deal = Deal(game.start, game.rules)
    form = make_format(deal, game.policy)
    assert encode(form, game.start) == root_words(form, deal)
    pairs = list(zip(form.code_card.tolist(), form.code_place.tolist(), strict=True))
    before: Position | None = None
    for position in game.walk(25):
        words = encode(form, position)
        assert words == tuple(game.codec.state(position))
        back = position_of(form, deal, words)
        assert back is not None and back.canonical() == position.canonical()
        assert bound_of(form, words) == naive_bound.bound_of(position, game.rules)
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
