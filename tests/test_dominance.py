"""Dominating positions against brute force, on small decks whose slots run full."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple

import pytest
from dominance_brute import (
    Deck,
    Records,
    State,
    all_records,
    arrangements,
    by_safe_moves,
    dominated,
    position_of,
    random_deck,
    reached,
    settled,
    successors,
)

from dbmsolver.dominance import Record, covers, progress
from dbmsolver.rules import BUILDS, FILLS, Build, Fill

MOST = 1500
"""Plain states of the largest deck that is looked at."""

GAMES = [(build, fill) for build in BUILDS for fill in FILLS]


class Searched(NamedTuple):
    """A deck with all that is reached, plainly and by macros."""

    deck: Deck
    plain: set[State]
    records: Records
    covered: dict[Record, set[State]]


def searched(build: Build, fill: Fill, seed: int, most: int = MOST) -> Searched:
    """The first deck after the seed that is small enough and not over at once."""
    random = Random(f"{build} {fill} {seed}")
    while True:
        deck = random_deck(random, build, fill)
        plain = reached(deck, most)
        if plain is None or len(plain) < 5:
            continue
        records = all_records(deck, 2 * most)
        assert records is not None, (deck, "more records than states")
        covered = {record: dominated(record, deck.rules) for record in records.macros}
        return Searched(deck, plain, records, covered)


def check(found: Searched) -> None:
    """Everything that makes the search over records a proof about the game."""
    everything = set().union(*found.covered.values())
    last = {settled(state, found.deck) for state in found.plain}
    assert last <= everything, "a reachable position that no record covers"
    for record in found.records.macros:
        for state in arrangements(record, found.deck.rules):
            assert state in found.plain, "a record stands for a position out of reach"
    heights = {record.foundations for record in found.records.macros}
    assert heights == {state[0] for state in last}
    assert any(record.is_goal() for record in found.records.macros) == any(
        not state[1] and not state[2] for state in last
    )
    for record, states in found.covered.items():
        check_locally(found, record, states)


def check_locally(found: Searched, record: Record, states: set[State]) -> None:
    """Each move out of what the record covers leads to what it or a successor covers."""
    following = [found.covered[macro.record] for macro in found.records.macros[record]]
    for state in states:
        for after in successors(state, found.deck):
            chain = by_safe_moves(after, found.deck)
            assert any(not chain.isdisjoint(some) for some in (states, *following)), (
                f"{record} covers {state}, whose successor {after} no successor covers"
            )


@pytest.mark.parametrize(("build", "fill"), GAMES)
@pytest.mark.parametrize("seed", range(12))
def test_small_decks(build: Build, fill: Fill, seed: int) -> None:
    check(searched(build, fill, seed))
