"""Distances of classes, and the bound that they give, against the readable model."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from helpers.class_distances import slow_distances
from helpers.kernels import bound_by_class, distance_of_class, patience_bound, patience_words
from helpers.small_klondikes import small_klondike, small_listed

from dbmsolver.game.classes import Class, Classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.bound import make_weights
from dbmsolver.kits.klondike.class_distances import (
    LOST,
    MEASURED,
    MOST_SUCCESSORS,
    NO_SUCCESSOR,
    NO_WIN,
    NOT_LISTED,
    TOO_FAR,
    ClassDistances,
    measure_signature,
    number_of_signature,
)
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.tables import make_board
from dbmsolver.results import Question
from dbmsolver.search.astar.class_listing import ClassListing

PLENTY = 1 << 28
MOST = 1000
"""The classes of a deck: most of the time goes into those that turn out to have more."""
METRICS: list[Metric] = ["turns", "runs", "plays"]
Listed = tuple[PatienceKeys, ClassListing, ClassDistances]


def listed(deal: Deal, metric: Metric = "turns", threads: int = 1) -> Listed:
    """Return the keys of a deal, and the listing of its classes once it is done."""
    keys = PatienceKeys(deal, "wkr", metric, Question.SOLVE)
    listing = ClassListing(keys, threads, PLENTY)
    while not listing.step():
        assert listing.distances is None
    assert listing.distances is not None
    return keys, listing, listing.distances


def room() -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    return np.zeros((MOST_SUCCESSORS, 5), np.uint64)


@pytest.mark.parametrize("seed", range(2))
def test_distances_are_those_of_the_model(seed: int) -> None:
    """They are of all classes that any moves reach, where the listing leaves moves out."""
    random = Random(seed)
    compared = lost = 0
    while compared < 1500 or lost < 100:
        deal = small_klondike(random, 14)
        _, listing, distances = listed(deal, threads=1 + seed % 2)
        classes = listing.keys.classes
        expected = slow_distances(classes, MOST)
        if expected is None:
            continue
        assert listing.is_lost == (expected[classes.root] is None)
        for found, distance in expected.items():
            if classes.is_won(found):
                continue
            state = listing.keys.state_of(found)
            ours = distance_of_class(
                distances, np.uint64(state.signature), np.uint64(state.off), room()
            )
            assert ours == (LOST if distance is None else distance), found
            compared += 1
            lost += distance is None


class Deck(NamedTuple):
    """A small deck, all its positions, and the distances of its classes by a slow search."""

    deal: Deal
    positions: list[Patience]
    expected: dict[Class, int | None]
    moves: list[tuple[Hashable, list[tuple[Move, Hashable]]]]
    """Each position by its canonical form, and its moves with the positions after them."""


@cache
def small_decks() -> list[Deck]:
    """Return some decks, the same for every metric."""
    decks = []
    for deal, found in small_listed(7, 40, 500):
        expected = slow_distances(Classes(deal.position, deal.rules), 3000)
        assert expected is not None
        moves = [
            (at.canonical(), [(move, at.apply(move).canonical()) for move in at.moves(deal.rules)])
            for at in found.positions
        ]
        decks.append(Deck(deal, found.positions, expected, moves))
    return decks


@pytest.mark.parametrize("metric", METRICS)
def test_the_bound_is_consistent(metric: Metric) -> None:
    """A move lowers it by no more than it costs, and it says which positions cannot be won."""
    higher = no_win = 0
    for deal, positions, expected, moves in small_decks():
        keys, listing, distances = listed(deal, metric)
        classes = listing.keys.classes
        assert classes.root in expected
        t, b = keys.game, keys.bounds.positions

        bounds: dict[Hashable, int] = {}
        for position in positions:
            words = patience_words(keys.state(position))
            plain = int(patience_bound(t, b, words, make_board(), make_weights()))
            ours = int(bound_by_class(distances, words, room()))
            found = classes.class_of(position)
            if not classes.is_won(found) and found not in expected:
                continue  # cards were turned, and none was played: that is no state
            assert ours != NOT_LISTED
            lost = not classes.is_won(found) and expected[found] is None
            assert (ours == NO_WIN) == lost
            higher += plain < ours < NO_WIN
            no_win += ours == NO_WIN
            bounds[position.canonical()] = max(plain, ours)
        for at, ways in moves:
            here = bounds.get(at, 0)
            for move, following in ways:
                after = bounds.get(following, NO_WIN)
                assert here <= keys.measure.cost(move) + after or here == NO_WIN == after
    assert higher > 30 and no_win > 30


def test_a_distance_that_does_not_fit_is_told() -> None:
    """A successor that is not listed is told, too."""
    _, listing, distances = listed(Deal.from_number(12, GAMES["klondike_by_threes"]))
    root = listing.keys.root
    signature = np.uint64(root.signature)
    number = int(number_of_signature(distances, signature))
    start, end = distances.starts[number : number + 2].tolist()
    slots = distances.keys[start:end]
    keys = slots[slots != ~np.uint64(0)].copy()
    others = np.ones(distances.keys.size, bool)
    others[start:end] = False
    for value, result in ((LOST - 1, TOO_FAR), (LOST, MEASURED), (3, MEASURED)):
        slots[:] = ~np.uint64(0)
        distances.values[others] = value
        assert measure_signature(distances, signature, keys) == result
    slots[:] = ~np.uint64(0)
    distances.keys[others] = ~np.uint64(0)
    assert measure_signature(distances, signature, keys) == NO_SUCCESSOR
