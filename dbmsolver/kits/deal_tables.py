"""The tables of a game and a deal (:mod:`dbmsolver.kits.cards.tables`), made from the rules."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.states import CARDS, SUITS, Words
from dbmsolver.kits.cards.tables import (
    BUILD_NONE,
    BUILD_SUIT,
    BUILD_SUIT_BOTH,
    FOUNDATION_BITS,
    KING,
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    PLACES,
    DealTables,
    Game,
    Tables,
)
from dbmsolver.kits.places import ace_is_forced, fills, loose_values, words_array
from dbmsolver.kits.public_digits import (
    parent_move_codes,
    public_contributions,
    public_digits,
    rank_contributions,
)
from dbmsolver.kits.runs.tables import with_runs
from dbmsolver.kits.two_way.tables import PLACE_GOES_HOME, two_way


def make_deal_tables(
    game: Game,
    columns: Sequence[Sequence[int]],
    freecells: Sequence[int],
    foundations: Sequence[int],
) -> DealTables:
    """Build the tables for ``game`` and the position it starts from.

    ``columns`` hold cards, deepest first; ``freecells`` the cards in freecells; ``foundations``
    four heights in suit order. The position must be valid (52 different cards); nothing is checked
    here.
    """
    padded = [list(column) for column in columns] + [[] for _ in range(game.columns - len(columns))]
    dealt = _dealt_places(game, padded, freecells)
    public = public_digits(game, dealt)
    tables: Tables = _kernel_tables(game, padded, dealt, public)
    if game.runs or game.room:
        tables = with_runs(game, tables, foundations)
    if game.two_way:
        tables = two_way(game, tables)
    signature, planes = _dealt_state(game, tables, padded, dealt, foundations)
    return DealTables(
        game=game,
        tables=tables,
        signature=signature,
        planes=planes,
        code_bits=8 if tables.code_card.size <= 256 else 16,
        **public,
    )


def _kernel_tables(
    game: Game,
    columns: list[list[int]],
    dealt: list[int],
    public: dict[str, Any],
) -> Tables:
    planes = 3 if len(game.kinds) > 2 or game.removable else 2
    values = [loose_values(game, card, dealt[card]) for card in range(CARDS)]
    plane_bits = _place_planes(len(game.kinds), game.removable)
    codes, code_card, code_place = parent_move_codes(game, public, dealt)
    digit_words, height_words = public_contributions(game, public)
    varying, fixed = _plane_masks(values, plane_bits)
    return Tables(
        columns=game.columns,
        freecells=game.freecells,
        # What is safe depends on what could be put on a card: by suit nothing that is not home, or
        # could not go there.
        build=BUILD_SUIT if game.build in (BUILD_NONE, BUILD_SUIT_BOTH) else game.build,
        policy=game.policy,
        planes=planes,
        kinds=words_array(game.kinds),
        fillers=np.uint64(sum(1 << card for card in range(CARDS) if fills(game, card))),
        varying=varying,
        fixed=fixed,
        place_planes=plane_bits,
        home=words_array(
            [[sum(1 << (4 * r + s) for r in range(h)) for h in range(14)] for s in range(SUITS)]
        ),
        codes=codes,
        code_card=code_card,
        code_place=code_place,
        dealt_place=np.array(dealt, np.uint8),
        dealt_below=_dealt_below(columns),
        digit_words=digit_words,
        rank_words=rank_contributions(digit_words, plane_bits, planes),
        height_words=height_words,
        **_column_tables(columns, dealt),
    )


def _dealt_state(
    game: Game,
    tables: Tables,
    columns: list[list[int]],
    dealt: list[int],
    foundations: Sequence[int],
) -> tuple[int, tuple[int, int, int]]:
    """Return the signature and planes of the deal's own state."""
    signature = sum(height << (4 * suit) for suit, height in enumerate(foundations))
    loose = range(0)
    if game.removable and min(foundations) < KING + 1:
        signature = 0x1111 * game.kept_rank
        loose = range(SUITS * game.kept_rank, CARDS)
    for shift, column in zip(tables.column_shift.tolist(), columns, strict=True):
        signature |= sum(dealt[card] == PLACE_LOCKED for card in column) << shift
    planes = [0, 0, 0]
    for card in range(CARDS):
        if dealt[card] < PLACE_LOCKED or (dealt[card] == PLACE_HOME and card in loose):
            for plane in range(3):
                planes[plane] |= int(tables.place_planes[plane, dealt[card]]) << card
    return signature, (planes[0], planes[1], planes[2])


def _dealt_places(game: Game, columns: list[list[int]], freecells: Sequence[int]) -> list[int]:
    """Place value of each card in the deal; PLACE_LOCKED where no move could put it back."""
    dealt = [PLACE_HOME] * CARDS
    for card in freecells:
        dealt[card] = PLACE_FREECELL
    for column in columns:
        for depth, card in enumerate(column):
            dealt[card] = PLACE_LOCKED
            if ace_is_forced(game, card):
                continue
            if depth == 0:
                if fills(game, card):
                    dealt[card] = PLACE_BOTTOM
            else:
                parents = game.parents[card]
                if column[depth - 1] in parents:
                    dealt[card] = parents.index(column[depth - 1])
    return dealt


def _dealt_below(columns: list[list[int]]) -> NDArray[np.uint8]:
    below = np.full(CARDS, 255, np.uint8)
    for column in columns:
        for under, card in itertools.pairwise(column):
            below[card] = under
    return below


def _place_planes(kinds: int, removable: bool) -> Words:
    bits = [[0] * PLACES for _ in range(3)]
    for kind in range(kinds):
        bits[1][kind], bits[2][kind] = kind & 1, kind >> 1
    bits[0][PLACE_FREECELL] = bits[0][PLACE_BOTTOM] = bits[1][PLACE_BOTTOM] = 1
    if removable:
        for place in (PLACE_HOME, PLACE_GOES_HOME):
            bits[0][place] = bits[2][place] = 1
    return words_array(bits)


def _plane_masks(values: list[frozenset[int]], plane_bits: Words) -> tuple[Words, Words]:
    varying, fixed = [0, 0, 0], [0, 0, 0]
    bits = plane_bits.tolist()
    for card, places in enumerate(values):
        for plane in range(3):
            seen = {bits[plane][place] for place in places}
            varying[plane] |= (len(seen) == 2) << card
            fixed[plane] |= (seen == {1}) << card
    # Every bit of `high` that can be 1 is part of keys: a king that is loose only home has one.
    varying[2] |= fixed[2]
    fixed[2] = 0
    return words_array(varying), words_array(fixed)


def _column_tables(columns: list[list[int]], dealt: list[int]) -> dict[str, Any]:
    """Return, per column and number of locked cards left, sets of cards locked and below."""
    counts = [sum(dealt[card] == PLACE_LOCKED for card in column) for column in columns]
    shape = (len(columns), max(counts, default=0) + 1)
    masks = {
        name: np.zeros(shape, np.uint64)
        for name in ("locked", "prefix", "under_locked", "locked_bottom")
    }
    lock_top = np.full(shape, -1, np.int64)
    release = np.zeros(CARDS, np.uint64)
    shifts, widths = [], []
    shift = FOUNDATION_BITS
    for index, column in enumerate(columns):
        shifts.append(shift)
        widths.append((1 << counts[index].bit_length()) - 1)
        locked = prefix = under = bottom = count = 0
        for depth, card in enumerate(column):
            prefix |= 1 << card
            if dealt[card] != PLACE_LOCKED:
                continue
            locked |= 1 << card
            under |= 1 << column[depth - 1] if depth else 0
            bottom |= depth == 0
            count += 1
            release[card] = 1 << shift
            masks["locked"][index, count] = locked
            masks["prefix"][index, count] = prefix
            masks["under_locked"][index, count] = under
            masks["locked_bottom"][index, count] = bottom
            lock_top[index, count] = card
        shift += counts[index].bit_length()
    return {
        "column_shift": words_array(shifts),
        "column_mask": words_array(widths),
        "lock_top": lock_top,
        "release": release,
        **masks,
    }
