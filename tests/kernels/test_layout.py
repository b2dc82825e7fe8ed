"""Local keys: what is packed comes back, and keys differ where states do."""

from __future__ import annotations

import numpy as np
from helpers.support import ALL_RULES, EVERY_GAME_AND_BACK, Game, random_game, words_of
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from dbmsolver.game.rules import Rules
from dbmsolver.kernels.hooks import make_layout, pack_key, unpack_key
from dbmsolver.kernels.layout import NETS
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.cards.expand import signature_sets
from dbmsolver.kits.cards.tables import PLACE_LOCKED


@njit
def round_trip(t, loose, off, low, high):  # type: ignore[no-untyped-def]
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, loose, nets)
    first, second, third = pack_key(t, layout, nets, off, low, high)
    back = unpack_key(t, layout, nets, first, second, third)
    return (first, second, third), back, layout.bits, layout.wide


@njit
def loose_cards(t, signature):  # type: ignore[no-untyped-def]
    return signature_sets(t, signature).loose


def random_planes(game: Game, loose: list[int]) -> tuple[int, int, int]:
    """Planes of these loose cards, each anywhere where the rules can put it."""
    codec = game.codec.deal_tables
    places = dict(zip(codec.digit_cards, codec.digit_places, strict=True))
    planes = [0, 0, 0]
    for card in loose:
        place = game.random.choice(places[card][1:])
        for plane in range(3):
            planes[plane] |= int(codec.tables.place_planes[plane, place]) << card
    return planes[0], planes[1], planes[2]


@EVERY_GAME_AND_BACK
@given(seed=st.integers(0, 2**32))
@settings(max_examples=6, deadline=None)
def test_round_trip_of_positions(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    for position in game.walk(60)[::4]:
        signature, *planes = game.state(position)
        loose = np.uint64(loose_cards(game.codec.tables, signature))
        _, back, _, _ = round_trip(game.codec.tables, loose, *planes)
        assert words_of(*back) == tuple(planes)


@EVERY_GAME_AND_BACK
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.5, 0.8, 1.0]))
@settings(max_examples=25, deadline=None)
def test_any_loose_cards_anywhere(rules: Rules, seed: int, share: float) -> None:
    game = random_game(rules, seed)
    loose = [card for card in game.codec.deal_tables.digit_cards if game.random.random() < share]
    mask = sum(1 << card for card in loose)
    keys = {}
    for _ in range(10):
        planes = random_planes(game, loose)
        key, back, bits, wide = round_trip(game.codec.tables, *words_of(mask, *planes))
        assert tuple(map(int, back)) == planes
        assert wide == (bits > 64)
        if not wide:
            assert key[0] < 1 << bits and key[1:] == (0, 0)
        keys[planes] = key
    assert len(set(keys.values())) == len(keys)


def test_both_widths_occur() -> None:
    """All cards loose take more than a word; the usual number in FreeCell does not."""
    game = random_game(ALL_RULES[0], 1)
    cards = game.codec.deal_tables.digit_cards
    for number, expected in ((len(cards), True), (32, False)):
        mask = sum(1 << card for card in cards[-number:])
        *_, wide = round_trip(game.codec.tables, *words_of(mask, 0, 0, 0))
        assert wide == expected


def test_cards_of_one_place_only_take_no_bits() -> None:
    """With no freecells and no fill, a loose card built by suit can lie on its one parent only."""
    game = random_game(next(rules for rules in ALL_RULES if rules.name.endswith("one suit")), 5)
    assert CARDS - 1 not in game.codec.deal_tables.digit_cards
    mask = sum(1 << card for card in game.codec.deal_tables.digit_cards)
    *_, bits, wide = round_trip(game.codec.tables, *words_of(mask, 0, 0, 0))
    assert (bits, wide) == (0, False)
    assert PLACE_LOCKED in game.codec.tables.dealt_place
