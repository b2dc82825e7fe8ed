"""Checks of dominating positions against brute force, on small decks and small real deals."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from dbmsolver.game.deals import deal_number
from dbmsolver.game.dominance.attempts import Macro
from dbmsolver.game.dominance.paths import unfold
from dbmsolver.game.dominance.records import Record, covers, normalise, plain_record, progress
from dbmsolver.game.kinds import BUILDS, FILLS, Build, Fill
from dbmsolver.game.shipped import rules_for
from helpers.dominance_brute import (
    MODEL,
    Deck,
    Model,
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
    state_of,
    successors,
)

MOST = 1500
"""Plain states of the largest deck that is looked at."""

REAL = [
    (game, freecells)
    for game in ("freecell", "bakers_game", "eight_off", "seahaven_towers", "forecell")
    for freecells in range(3)
    if (game, freecells) != ("freecell", 2)
]
"""Games and freecells with deals of few states; in the others even the first are large."""

DOWNWARDS: tuple[Build, ...] = tuple(build for build in BUILDS if build != "suit-both")
"""Nothing is said of dominating positions where columns are built up, too."""
KINDS = [(build, fill) for build in DOWNWARDS for fill in FILLS]


class Searched(NamedTuple):
    """A deck with all that is reached, plainly and by macros."""

    deck: Deck
    plain: set[State]
    records: Records
    covered: dict[Record, set[State]]


def small_deck(build: Build, fill: Fill, seed: int, most: int = MOST) -> tuple[Deck, set[State]]:
    """Return the first small deck after the seed that is not over at once, and its states."""
    random = Random(f"{build} {fill} {seed}")
    while True:
        deck = random_deck(random, build, fill)
        plain = reached(deck, most)
        if plain is not None and len(plain) >= 5:
            return deck, plain


def searched(
    build: Build, fill: Fill, seed: int, model: Model = MODEL, most: int = MOST
) -> Searched:
    """Return the small deck of a seed with its records."""
    deck, plain = small_deck(build, fill, seed, most)
    return found_in(deck, model, plain)


def found_in(deck: Deck, model: Model = MODEL, plain: set[State] | None = None) -> Searched:
    """Return a deck with its states, if they are not known, and its records."""
    plain = plain or reached(deck, 5 * MOST)
    assert plain is not None, "too many states"
    records = all_records(deck, 2 * len(plain) + 100, model)
    assert records is not None, "more records than states"
    covered = {record: dominated(record, deck.rules) for record in records.macros}
    return Searched(deck, plain, records, covered)


def check(found: Searched) -> None:
    """Everything that makes a search over records a proof about the game."""
    everything = set().union(*found.covered.values())
    last = {settled(state, found.deck) for state in found.plain}
    assert last <= everything, "a reachable position that no record covers"
    for record in found.records.macros:
        for state in arrangements(record, found.deck.rules):
            assert state in found.plain, "a record stands for a position out of reach"
    heights = {record.foundations for record in found.records.macros}
    assert heights == {state[0] for state in last}
    won = any(not columns and not cells for _, columns, cells in last)
    assert any(record.is_goal() for record in found.records.macros) == won
    for record, states in found.covered.items():
        _check_locally(found, record, states)


def _check_locally(found: Searched, record: Record, states: set[State]) -> None:
    """Each move out of what the record covers leads to what it or a successor covers."""
    following = [found.covered[macro.record] for macro in found.records.macros[record]]
    for state in states:
        for after in successors(state, found.deck):
            chain = by_safe_moves(after, found.deck)
            assert any(not chain.isdisjoint(some) for some in (states, *following)), (
                f"{record} covers {state}, but no successor covers {after}"
            )


def check_model(found: Searched, random: Random) -> None:
    """Check the readable model on single records."""
    deck, rules = found.deck, found.deck.rules
    everything = sorted(set().union(found.plain, *found.covered.values()), key=repr)
    for record, macros in found.records.macros.items():
        assert normalise(record, rules, deck.policy) == record
        states = found.covered[record]
        for state in (*random.sample(everything, min(40, len(everything))), *states):
            assert covers(record, position_of(state, rules), rules) == (state in states)
        for macro in macros:
            rose = progress(macro.record, deck.start, rules) - progress(record, deck.start, rules)
            assert rose >= 0
    for state in random.sample(everything, min(40, len(everything))):
        plain = plain_record(position_of(state, rules), rules)
        assert state in set(arrangements(plain, rules))


def check_unfolding(found: Searched, random: Random) -> None:
    """Check that a random path over records becomes legal moves."""
    deck, records = found.deck, found.records
    record = records.root
    path: list[Macro] = []
    for _ in range(random.randint(0, 25)):
        choices = [macro for macro in records.macros[record] if macro.record != record]
        if not choices:
            break
        path.append(random.choice(choices))
        record = path[-1].record
    moves, end = unfold(deck.start, path, deck.rules, deck.policy)
    position = deck.start
    for move in moves:
        assert move in position.moves(deck.rules)
        position = position.apply(move)
    assert position == end
    assert state_of(end) in set(arrangements(record, deck.rules))


def check_all(build: Build, fill: Fill, seed: int, most: int = MOST) -> None:
    """Every check, for the deck of a seed."""
    found = searched(build, fill, seed, most=most)
    random = Random(seed)
    check(found)
    check_model(found, random)
    for _ in range(4):
        check_unfolding(found, random)


def check_real_deals(game: str, freecells: int, numbers: range, most: int) -> int:
    """Every check for real deals of at most so many states; how many these are."""
    rules = rules_for(game, freecells=freecells)
    small = 0
    for number in numbers:
        deck = Deck(deal_number(number, rules), rules, "wkr")
        plain = reached(deck, most)
        if plain is not None:
            found = found_in(deck, plain=plain)
            check(found)
            assert len(found.records.macros) <= len(plain)
            small += 1
    return small
