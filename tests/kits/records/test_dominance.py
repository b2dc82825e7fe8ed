"""The compiled successors of records, and dives over them, against the readable model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from helpers.dominance_brute import Deck, Records, all_records, random_deck
from helpers.selection import few_fast
from helpers.support import words_of

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.macros import macros
from dbmsolver.game.dominance.records import (
    Record,
    free_slots,
    has_dominance,
    normalise,
    plain_record,
)
from dbmsolver.game.kinds import FILLS, POLICIES, Build, Fill
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.record_parents import find_parent
from dbmsolver.kernels.runs import unpack_rows
from dbmsolver.kernels.states import MAX_SUCCESSORS
from dbmsolver.kits.records.dive import (
    BROKEN,
    EXHAUSTED,
    FULL,
    WON,
    dive,
    fingerprints,
    make_diving,
)
from dbmsolver.kits.records.dominance import successors
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.records.macros import make_scratch
from dbmsolver.kits.states import State
from dbmsolver.search.proof.dives import ORDERS, Dived, Diver, blocks_of
from dbmsolver.search.proof.record_trace import moves_along, record_in
from dbmsolver.storage.blocks import Runs

BUILDS: tuple[Build, ...] = ("alternate", "suit")
KINDS = [(build, fill) for build in BUILDS for fill in FILLS]
DOMINATED = [rules for rules in GAMES.values() if has_dominance(rules)]
DOMINATED += [replace(GAMES["freecell"], name=f"{n} freecells", freecells=n) for n in range(4)]
MOST = 200
"""Records of the largest small deck."""
SCRATCH = make_scratch()


def keys_of(deck: Deck) -> RecordKeys:
    return RecordKeys(Deal(deck.start, deck.rules), deck.policy)


def decks(build: Build, fill: Fill, seeds: range) -> Iterator[Deck]:
    """Yield the random decks of some seeds that have records."""
    for seed in seeds:
        deck = random_deck(Random(f"kernel {build} {fill} {seed}"), build, fill)
        if has_dominance(deck.rules):
            yield deck


def small_decks(
    build: Build, fill: Fill, seeds: range, most: int = MOST
) -> Iterator[tuple[Deck, Records]]:
    """Yield the decks with not too many records, and their records."""
    for deck in decks(build, fill, seeds):
        records = all_records(deck, most)
        if records is not None:
            yield deck, records


def found_by_kernel(keys: RecordKeys, state: State) -> dict[State, int]:
    """Return the successors that the kernel finds, each with its free slots."""
    count = int(successors(keys.tables, *words_of(*state[:3]), SCRATCH))
    assert count >= 0
    return {State(*words[:3], 0): words[4] for words in SCRATCH.found[:count].tolist()}


def compare_successors(keys: RecordKeys, record: Record, found: list[Record]) -> None:
    """Check that the kernel finds exactly those successors of a record that the model found."""
    state = keys.state_of(record)
    assert keys.record(state) == record
    wanted = {keys.state_of(one): free_slots(one, keys.rules) for one in found}
    assert found_by_kernel(keys, state) == wanted, record


def check_record(keys: RecordKeys, record: Record) -> list[Record]:
    """Check that the kernel finds what the readable model finds; return the successors."""
    found = [macro.record for macro in macros(record, keys.rules, keys.policy)]
    compare_successors(keys, record, found)
    return found


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 2))
def test_successors_of_small_decks(build: Build, fill: Fill) -> None:
    compared = 0
    for deck, records in small_decks(build, fill, range(30)):
        keys = keys_of(deck)
        assert keys.root == keys.state_of(records.root)
        for record, found in records.macros.items():
            compare_successors(keys, record, [macro.record for macro in found])
            compared += 1
    assert compared > 50


@pytest.mark.parametrize(("build", "fill"), KINDS)
def test_successors_on_the_first_steps_of_many_decks(build: Build, fill: Fill) -> None:
    """Look at decks with too many records to list all of them, too: few slots, full or nearly."""
    random = Random(f"steps {build} {fill}")
    for deck in decks(build, fill, range(2000, 2150)):
        keys = keys_of(deck)
        record = keys.record(keys.root)
        for _ in range(3):
            found = check_record(keys, record)
            if not found:
                break
            record = random.choice(found)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "fill"), KINDS)
def test_successors_of_more_small_decks(build: Build, fill: Fill) -> None:
    for deck, records in small_decks(build, fill, range(1000, 1060), 400):
        keys = keys_of(deck)
        for record, found in records.macros.items():
            compare_successors(keys, record, [macro.record for macro in found])


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 2))
def test_normal_forms_of_small_decks(build: Build, fill: Fill) -> None:
    """Of what macros lead to before it is in normal form, and of positions anywhere in the game."""
    compared = 0
    for deck, records in small_decks(build, fill, range(100, 115)):
        keys = keys_of(deck)
        raws = {macro.raw for found in records.macros.values() for macro in found}
        position, random = deck.start, Random(1)
        for _ in range(30):
            raws.add(plain_record(position, deck.rules))
            moves = position.moves(deck.rules)
            if not moves:
                break
            position = position.apply(random.choice(moves))
        for raw in raws:
            wanted = normalise(raw, deck.rules, deck.policy)
            assert keys.normal(raw) == keys.state_of(wanted), (deck, raw)
            compared += 1
    assert compared > 150


def walk_of_deal(rules: Rules, number: int, steps: int) -> None:
    """Walk a random game over the records of a real deal; moves home are liked better."""
    random = Random(number)
    keys = RecordKeys(Deal.from_number(number, rules), random.choice(POLICIES))
    record = keys.record(keys.root)
    for _ in range(steps):
        found = check_record(keys, record)
        if not found:
            break
        best = max(found, key=lambda one: sum(one.foundations))
        record = best if random.random() < 0.3 else random.choice(found)


@pytest.mark.parametrize("rules", DOMINATED, ids=lambda rules: rules.name)
def test_walks_on_real_deals(rules: Rules) -> None:
    for number in (1, 11982):
        walk_of_deal(rules, number, 10)


@pytest.mark.slow
@pytest.mark.parametrize("rules", DOMINATED, ids=lambda rules: rules.name)
def test_long_walks_on_real_deals(rules: Rules) -> None:
    for number in range(20, 30):
        walk_of_deal(rules, number, 60)


# Dives.


def dived(keys: RecordKeys, limit: int = 1 << 14, order: int = 0) -> Dived:
    return Diver(limit).dive(keys, keys.root, ORDERS[order], limit)


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 1))
def test_dives_over_small_decks(build: Build, fill: Fill) -> None:
    """A dive that exhausts finds all records, whatever its order; a win is a legal game."""
    outcomes = set()
    for deck, records in small_decks(build, fill, range(220, 260)):
        keys = keys_of(deck)
        won = any(record.is_goal() for record in records.macros)
        for order in range(len(ORDERS)):
            found = dived(keys, order=order)
            outcomes.add(found.outcome)
            if won:
                assert found.outcome == "won"
                check_path(keys, found.path)
                continue
            assert found.outcome == "exhausted"
            rows = {State(*map(int, row), 0) for row in found.rows}
            assert len(rows) == len(found.rows) == found.expanded
            assert rows == {keys.state_of(record) for record in records.macros}
            for number, parent in enumerate(found.parents[1:], start=1):
                assert 0 <= parent < number
                ours, from_it = (State(*map(int, found.rows[one]), 0) for one in (number, parent))
                assert ours in found_by_kernel(keys, from_it)
    assert outcomes == {"won", "exhausted"}


def check_path(keys: RecordKeys, path: tuple[State, ...]) -> None:
    """Each record follows from the one before it, and the moves they stand for win."""
    assert path[0] == keys.root
    for before, after in pairwise(path):
        assert after in found_by_kernel(keys, before)
    position = keys.deal.position
    for move in moves_along(keys, path):
        assert move._replace(forced=False) in position.moves(keys.rules)
        position = position.apply(move)
    assert position.is_goal()


def test_a_dive_without_room() -> None:
    keys = RecordKeys(Deal.from_number(11982), "wkr")
    found = dived(keys, 1 << 11)
    assert (found.outcome, found.path, len(found.rows)) == ("open", (), 0)
    assert 0 < found.expanded <= 1 << 11


def test_a_dive_from_a_won_game() -> None:
    won = Position(((),) * 8, (None,) * 4, (13, 13, 13, 13))
    keys = RecordKeys(Deal(won, GAMES["freecell"]), "wkr")
    assert dived(keys).path == (keys.root,)


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 3))
def test_parents_are_found_by_their_fingerprints(build: Build, fill: Fill) -> None:
    """The records of an exhausted dive as they are stored: each leads back to a parent."""
    looked = 0
    for deck in decks(build, fill, range(300, 420)):
        keys = keys_of(deck)
        found = dived(keys, 1 << 11)
        if found.outcome != "exhausted":
            continue
        blocks = [runs for _, runs in blocks_of(keys, found)]
        stored = {}
        for runs in blocks:
            arrays = (runs.signatures, runs.counts, runs.keys)
            costs = np.zeros(runs.codes.size, np.uint16)
            rows = unpack_rows(keys.tables, *arrays, runs.codes, costs, runs.key_words)
            for row, code in zip(rows, runs.codes, strict=True):
                stored[State(*map(int, row[:3]), 0)] = int(code)
        assert set(stored) == {State(*map(int, row), 0) for row in found.rows}
        for state, code in stored.items():
            if state == keys.root or looked == 600:
                continue
            parents = [parent_in(keys, runs, state, code) for runs in blocks]
            some = [parent for parent in parents if parent is not None]
            assert some, (deck, state)
            for parent in some:
                assert state in found_by_kernel(keys, parent)
                assert int(fingerprints(np.array([parent[:3]], np.uint64))[0]) == code
            looked += 1
    assert looked > 30


def parent_in(keys: RecordKeys, runs: Runs, state: State, code: int) -> State | None:
    """Return a record of the block with this fingerprint that leads to the state, or None."""
    arrays = (runs.signatures, runs.counts, runs.keys)
    words = words_of(*state[:3])
    place = int(
        find_parent(keys.tables, SCRATCH, arrays, runs.key_words, code, words, keys.locked, 0)
    )
    return record_in(keys, runs, place) if place >= 0 else None


# Records that cannot be.


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("fill", ["any", "kings"])
def test_records_with_too_many_cards_are_refused(build: Build, fill: Fill) -> None:
    """More columns than the game has, and more slot cards than slots, in a game of two columns."""
    cards = list(range(CARDS))
    Random(4).shuffle(cards)
    piles = (tuple(cards[::2]), tuple(cards[1::2]))
    rules = Rules("narrow", 2, 1, build, fill)
    keys = RecordKeys(Deal(Position(piles, (None,), (0, 0, 0, 0)), rules), "none")
    crowded = Record((0, 0, 0, 0), ())
    other = {0: 1, 1: 0, 2: 3, 3: 2} if build == "alternate" else {n: n for n in range(4)}
    columns = tuple((48 + suit, 44 + other[suit]) for suit in range(4))
    for record in (crowded, Record((11, 11, 11, 11), columns)):
        state = keys.state_of(record)
        assert successors(keys.tables, *words_of(*state[:3]), SCRATCH) == -1
        diving = make_diving(1 << 11)
        ended = dive(keys.tables, diving, *words_of(*state[:3]), keys.locked, 1 << 11, ORDERS[0], 1)
        assert ended == (BROKEN, 1, 1)


def random_garbage(keys: RecordKeys, random: Random) -> State:
    """Words that pass what is checked when a block is read: in range, and varying bits only."""
    tables = keys.tables
    signature = 0
    for suit in range(4):
        signature |= random.choice((0, random.randint(0, 13), 13)) << (4 * suit)
    dealt = keys.deal_tables.signature
    for shift, mask in zip(tables.column_shift.tolist(), tables.column_mask.tolist(), strict=True):
        most = (dealt >> shift) & mask
        signature |= random.choice((0, most, random.randint(0, most))) << shift
    home = {card for card in range(CARDS) if card >> 2 < (signature >> (4 * (card & 3))) & 15}
    locked = 0
    for column in range(keys.rules.columns):
        left = (signature >> int(tables.column_shift[column])) & int(tables.column_mask[column])
        locked |= int(tables.locked[column, left])
    loose = sum(1 << card for card in range(CARDS) if card not in home and not locked >> card & 1)
    few = random.random()
    words = []
    for plane in range(2):
        bits = sum(1 << card for card in range(CARDS) if random.random() < few)
        varying = int(tables.varying[plane])
        words.append((int(tables.fixed[plane]) & loose) | (bits & loose & varying))
    return State(signature, *words, 0)


def nearly_a_record(keys: RecordKeys, random: Random) -> State:
    """Return a record of a random game with some of its bits changed."""
    state = keys.root
    for _ in range(random.randrange(12)):
        following = sorted(found_by_kernel(keys, state))
        if not following:
            break
        state = random.choice(following)
    garbage = random_garbage(keys, random)
    tables = keys.tables
    off, low = (
        plane ^ random.choice((0, 1 << random.randrange(CARDS) & int(tables.varying[number])))
        for number, plane in enumerate(state[1:3])
    )
    signature = state.signature if random.random() < 0.7 else garbage.signature
    return State(signature, off, low, 0)


@pytest.mark.parametrize("rules", few_fast(DOMINATED, 4), ids=lambda rules: rules.name)
def test_garbage_is_expanded_or_refused(rules: Rules) -> None:
    """Columns in circles, two cards on one, cards on others that are home: no crash, an end."""
    random = Random(rules.name)
    diving = make_diving(1 << 11)
    refused = expanded = 0
    for number in range(2):
        keys = RecordKeys(Deal.from_number(number + 1, rules), random.choice(POLICIES))
        for turn in range(1500):
            make = random_garbage if turn % 2 else nearly_a_record
            state = make(keys, random)
            count = int(successors(keys.tables, *words_of(*state[:3]), SCRATCH))
            assert -1 <= count <= MAX_SUCCESSORS
            refused += count < 0
            expanded += count >= 0
            if turn % 100 < 2:
                words = words_of(*state[:3])
                ended, _, _ = dive(keys.tables, diving, *words, keys.locked, 1 << 11, ORDERS[0], 1)
                assert ended in (WON, EXHAUSTED, FULL, BROKEN)
                assert ended == BROKEN or count >= 0
    assert refused > 300 and expanded > 300
