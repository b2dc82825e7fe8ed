"""Searches that keep their states in memory: no state is taken for another, nor priority too high.

A state that is taken for one that is known is not looked at: a search that ends without it says
that there is no solution.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.dominance_brute import random_deck
from helpers.support import words_of
from helpers.wide_games import WIDE_GAMES, small_deck

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.decorators import kernel
from dbmsolver.kits.records import dive as records
from dbmsolver.kits.records.dive import EXHAUSTED, MOST_PRIORITY, WON, dive, make_diving
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.wide import search as wide_search
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.search import (
    CLOSED,
    FULL,
    MET,
    NONE,
    OPEN,
    begin,
    explore,
    make_frontier,
)
from dbmsolver.search.proof.dives import ORDERS, Diver


@kernel
def slot_of_record(d, word, record):  # type: ignore[no-untyped-def]
    return records.find_slot(d, np.int64(3), word, record[0], record[1], record[2])


@kernel
def entry_of_record(word, number):  # type: ignore[no-untyped-def]
    return records.entry_of(np.int64(3), word, number)


@kernel
def insert_row(frontier, row, parent, moves, value):  # type: ignore[no-untyped-def]
    return wide_search._insert(frontier, row, row.size, parent, moves, value, True)


def test_records_that_differ_in_one_word() -> None:
    """In the last slot of a table lies a record; another one of its hash goes to the first slot."""
    diving, last = make_diving(2), np.uint64((3 << 36) + 9)
    diving.rows[0] = (5, 6, 7)
    diving.table[:] = (-1, -1, -1, entry_of_record(last, 0))
    assert slot_of_record(diving, last, words_of(5, 6, 7)) == 3
    for other in ((4, 6, 7), (5, 4, 7), (5, 6, 4)):
        assert slot_of_record(diving, last, words_of(*other)) == 0


def test_a_dive_that_goes_on_forgets_nothing() -> None:
    """In other orders, with more room each time: it finds in the end what one dive finds.

    Each row is found once, with a parent before it, and every row is expanded.
    """
    random, ends = Random(5), set()
    whole = Diver(1 << 13)
    while len(ends) < 2:
        deck = random_deck(random, "alternate", "any")
        if not has_dominance(deck.rules):
            continue
        keys = RecordKeys(Deal(deck.start, deck.rules), deck.policy)
        alone = whole.dive(keys, keys.root, ORDERS[0], 1 << 13)
        if alone.outcome == "open" or whole.found() < 50:
            continue
        parts = Diver(1 << 13)
        found, limit = parts.dive(keys, keys.root, ORDERS[1], 7), 7
        while found.outcome == "open":
            assert parts.found() == limit
            limit += random.randrange(limit)
            found = parts.go_on(keys, random.choice(ORDERS), limit)
        assert found.outcome == alone.outcome
        if found.outcome == "exhausted":
            assert sorted(map(tuple, found.rows.tolist())) == sorted(
                map(tuple, alone.rows.tolist())
            )
            assert (found.parents < np.arange(found.parents.size)).all()
            assert (parts.diving.following[: found.parents.size] == records.EXPANDED).all()
        ends.add(found.outcome)


def test_states_of_wide_games_with_the_same_hash() -> None:
    """Rows are compared word by word, and by their size."""
    keys = WideKeys(small_deck(Random(1), WIDE_GAMES[0]))
    for place in range(keys.root.size):
        frontier = make_frontier(keys.tables, keys.root, 4)
        begin(frontier, keys.root)
        assert frontier.state[MET] == 1
        frontier.words[place] += np.uint64(1)
        begin(frontier, keys.root)
        assert frontier.state[MET] == 2
    for size in (keys.root.size - 1, keys.root.size + 1):
        frontier = make_frontier(keys.tables, keys.root, 4)
        frontier.starts[1] = size
        begin(frontier, keys.root)
        assert frontier.state[MET] == 2


def test_a_shorter_way_moves_a_state_to_a_lower_list() -> None:
    """By as many lists as it is shorter; no way moves a state that is expanded."""
    keys = WideKeys(small_deck(Random(1), WIDE_GAMES[0]))
    frontier = make_frontier(keys.tables, keys.root, 4, layers=True)
    frontier.lowest[0] = 20
    row = keys.root + np.uint64(1)
    ways = [(3, 9, 30), (2, 9, 30), (2, 12, 33), (1, 4, 25), (0, 3, 24)]
    found = [(3, 30), (3, 30), (3, 30), (1, 25), (0, 24)]
    for (parent, moves, value), (before, place) in zip(ways, found, strict=True):
        assert insert_row(frontier, row, parent, moves, value)
        assert (frontier.parent[1], frontier.value[1]) == (before, place)
        assert (frontier.lists[place], frontier.state[OPEN]) == (1, 2)
    assert (frontier.moves[1], frontier.lowest[0]) == (3, 20)
    assert (frontier.lists[[25, 30, 33]] == NONE).all()
    assert insert_row(frontier, row + np.uint64(1), 0, 1, 15)
    assert frontier.lowest[0] == 15
    frontier.following[1] = CLOSED
    assert insert_row(frontier, row, 2, 2, 23)
    assert (frontier.parent[1], frontier.moves[1], frontier.value[1]) == (0, 3, 24)


def test_rows_of_wide_games_that_have_no_room() -> None:
    """A search is full when its rows fill their memory, and writes nothing behind it."""
    keys = WideKeys(Deal.from_number(1, GAMES["spider"]))
    frontier = make_frontier(keys.tables, keys.root, 1000)
    frontier.words[keys.root.size :] = 7
    size = 3 * keys.root.size
    short = frontier._replace(words=frontier.words[:size])
    assert explore(keys.tables, short, np.ones(1, np.int64), 1000) == FULL
    assert 1 < short.state[MET] < 1000
    assert (frontier.words[size:] == 7).all()


@pytest.mark.parametrize("weights", [(1000, 0, 0, 0), (0, 1000, 0, 0), (0, 0, 1000, 0)])
def test_priorities_have_a_limit(weights: tuple[int, ...]) -> None:
    """All higher ones are the highest; what a dive finds in the end does not depend on them."""
    random, ends = Random(3), set()
    stacks = np.full(MOST_PRIORITY + 1 + 64 * 1000, 5, np.int32)
    whole = make_diving(1 << 12)
    diving = whole._replace(stacks=stacks[: MOST_PRIORITY + 1])
    while len(ends) < 2:
        deck = random_deck(random, "alternate", "any")
        if not has_dominance(deck.rules):
            continue
        keys = RecordKeys(Deal(deck.start, deck.rules), deck.policy)
        root = words_of(*keys.root[:3])
        outcome, count, _ = dive(keys.tables, whole, *root, keys.locked, 1 << 12, (0, 0, 0, 0), 1)
        if outcome in (WON, EXHAUSTED) and count > 20:
            found = dive(keys.tables, diving, *root, keys.locked, 1 << 12, weights, 1)
            assert found[0] == outcome
            assert outcome == WON or found[1:] == (count, count)
            ends.add(outcome)
    assert (stacks[MOST_PRIORITY + 1 :] == 5).all()
