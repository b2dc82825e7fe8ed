"""The listing of all classes of a deal, in steps and in a given memory."""

from __future__ import annotations

import numpy as np
import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.results import Question
from dbmsolver.search.astar.class_listing import ClassListing

DEAL = Deal.load("12", GAMES["klondike"], numbers="ksolve")
CLASSES = 667_670
LOST = Deal.load("6", GAMES["klondike"], numbers="ksolve")


def listing_of(deal: Deal, threads: int = 1, memory: int = 1 << 28) -> ClassListing:
    keys = PatienceKeys(deal, "wkr", "turns", Question.SOLVE)
    return ClassListing(keys, threads, memory)


def test_threads_list_the_same() -> None:
    """The share that is done rises from step to step."""
    found = []
    for threads in (1, 2):
        listing, shares = listing_of(DEAL, threads), [0.0]
        while not listing.step():
            share = listing.share
            assert share is None or share >= shares[-1]
            shares += [] if share is None else [share]
        assert shares[-1] == 1.0
        assert listing.classes == listing.measured == CLASSES
        distances = listing.distances
        assert distances is not None
        taken = distances.keys != ~np.uint64(0)
        assert int(taken.sum()) == CLASSES
        found.append(np.bincount(distances.values[taken], minlength=256))
        assert not listing.is_lost
    assert (found[0] == found[1]).all()


def test_a_deal_that_cannot_be_won() -> None:
    listing = listing_of(LOST)
    while not listing.step():
        pass
    assert listing.is_lost
    assert listing.distances is not None
    assert (listing.distances.values[listing.distances.keys != ~np.uint64(0)] == 255).all()


@pytest.mark.parametrize("memory", [0, 1 << 20, 1 << 23])
def test_too_little_memory(memory: int) -> None:
    """It ends before it has all classes, and has no distances."""
    listing = listing_of(DEAL, memory=memory)
    while not listing.step():
        pass
    assert listing.distances is None
    assert listing.classes < CLASSES
    assert listing.share is None


def test_the_bytes_that_it_takes() -> None:
    """They never exceed the memory by more than a step adds, and are given back at the end."""
    listing, most = listing_of(DEAL, memory=1 << 23), 0
    assert listing.nbytes == 0
    while not listing.step():
        assert listing.nbytes <= 1 << 23
        most = max(most, listing.nbytes)
    assert most > 1 << 21
    assert listing.nbytes == 0
    listing = listing_of(DEAL)
    while not listing.step():
        pass
    assert listing.nbytes == pytest.approx(20 * CLASSES)
