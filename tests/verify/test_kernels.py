"""The verifier's kernels against the slow rules, on positions of every kind."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
import xxhash
from helpers import naive_bound
from helpers.naive_bound import smallest_cover
from helpers.selection import few_fast
from helpers.support import ALL_RULES, EVERY_GAME_AND_BACK, random_game

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.verify.format import (
    BOTTOM,
    FREECELL,
    HOME,
    LOCKED,
    Format,
    comes_back,
    make_format,
    progress,
    root_words,
)
from dbmsolver.verify.kernels.arrange import make_board
from dbmsolver.verify.kernels.bound import touching_all
from dbmsolver.verify.kernels.chains import follow_chains
from dbmsolver.verify.kernels.expand import MOST_ROWS, Task, Work, expand
from dbmsolver.verify.kernels.partition import Index, Partition
from dbmsolver.verify.kernels.pieces import MOST_BITS
from dbmsolver.verify.kernels.rows import KIND, ROW, SUCCESSOR
from dbmsolver.verify.refutation import position_of
from dbmsolver.verify.run import bound_of

Words = tuple[int, int, int, int]
SEEDS = range(12)
NOWHERE = (0, 0, 0, 1)


def encode(form: Format, position: Position) -> Words:
    """A position as signature and planes, card by card."""
    heights = list(position.foundations)
    back: list[int] = []
    if comes_back(form) and min(heights) < 13:
        kept = int(form.kept).bit_count() // 4  # type: ignore[attr-defined]
        back = [4 * r + s for s, height in enumerate(heights) for r in range(kept, height)]
        heights = [kept] * 4
    signature = sum(height << (4 * suit) for suit, height in enumerate(heights))
    places = dict.fromkeys(back, HOME)
    places |= {card: FREECELL for card in position.freecells if card is not None}
    for column in position.columns:
        for card, under in zip(column, (-1, *column), strict=False):
            places[card] = place_on(form, card, under)
    planes = [0, 0, 0]
    for card, place in places.items():
        if place == LOCKED:
            signature += 1 << int(form.column_shift[form.dealt_column[card]])
        for plane, bits in enumerate((form.off, form.low, form.high)):
            planes[plane] |= int(bits[place]) << card
    return signature, planes[0], planes[1], planes[2]


def place_on(form: Format, card: int, under: int) -> int:
    if form.dealt_place[card] == LOCKED and form.dealt_under[card] == under:
        return LOCKED
    if under < 0:
        return BOTTOM
    rises = getattr(form, "rises", np.full(form.kinds.size, 4)).tolist()
    parents = [(card ^ kind) + rise for kind, rise in zip(form.kinds, rises, strict=True)]
    return parents.index(under)


def place_of(form: Format, position: Position, card: int) -> int:
    if card in position.freecells:
        return FREECELL
    column = next((column for column in position.columns if card in column), None)
    if column is None:
        return HOME
    depth = column.index(card)
    return place_on(form, card, column[depth - 1] if depth else -1)


class Expanded(NamedTuple):
    """What the kernel makes of one state."""

    error: int
    successors: list[Words]
    parents: list[Words]
    forced: bool
    digest: int


def expand_one(form: Format, words: Words, code: int = 0, root: Words = NOWHERE) -> Expanded:
    zero, none = np.zeros(1, np.int64), np.empty(0, np.int64)
    index = Index(
        np.array(words[:1], np.uint64), zero, zero, zero - 1, none, np.empty(0, np.uint64),
        np.empty((0, 1 + MOST_BITS), np.int64), np.empty((0, 1 << MOST_BITS), np.int16),
    )  # fmt: skip
    partition = Partition(
        planes=np.array(words[1 : 1 + form.planes], np.uint64),
        codes=np.array([code], np.uint16),
        made=np.zeros(0, np.int16),
        firsts=np.array([0, 1]),
        slots=np.zeros(16, np.uint32),
    )
    work = Work(
        rows=np.zeros((2 * MOST_ROWS, ROW), np.uint64),
        targets=np.zeros(70, np.int64),
        place=np.zeros(4, np.int64),
        tally=np.zeros((1, 2), np.int64),
        digest=np.zeros(1, np.uint64),
    )
    segments = np.array([[0, 0, 1, 0]])
    task = Task(False, 0, np.array(root, np.uint64), 0, 0)
    error = expand(form, index, task, partition, segments, make_board(), work)
    rows = [[int(word) for word in row] for row in work.rows[: work.place[2]]]
    split: tuple[list[Words], list[Words]] = ([], [])
    for row in rows:
        split[row[4] >> KIND != SUCCESSOR].append((row[0], row[1], row[2], row[3]))
    return Expanded(int(error), *split, bool(work.tally[0, 1]), int(work.digest[0]))


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
                code, root = pairs.index((move.card, place_of(form, before, move.card))), NOWHERE
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
        assert progress(form, signature).tolist() == [sum(game.start.foundations)]


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
