"""The verifier's kernels of records, against the readable model."""

from __future__ import annotations

from random import Random

import pytest
from helpers.dominance_brute import Deck, all_records, random_deck
from helpers.selection import few_fast
from helpers.verifier import expand_one, opened

from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.dominance.macros import macros
from dbmsolver.game.dominance.records import Record, has_dominance, record_of
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.errors import GOAL, NOT_NORMAL, TOO_MANY_MACROS
from dbmsolver.verify.kernels.record_layout import RecordTables, make_table
from dbmsolver.verify.record_format import keys_of_records

KINDS: list[tuple[Build, Fill]] = [
    (build, fill) for build in ("alternate", "suit") for fill in ("any", "kings", "none")
]


class Kernel:
    """The kernel on one record at a time."""

    def __init__(self, deck: Deck) -> None:
        deal = Deal(deck.start, deck.rules)
        self.keys = RecordKeys(deal, deck.policy)
        self.form = keys_of_cards(deal, deck.policy)
        self.root = keys_of_records(deal, deck.policy, None).root
        self.table = make_table()

    def words(self, record: Record) -> tuple[int, int, int]:
        """Return a record's state."""
        state = self.keys.state_of(record)
        error, words = opened(self.form, (state.signature, state.off, state.low, 0))
        assert words is not None, error
        return words[:3]

    def successors(self, record: Record) -> tuple[int, set[tuple[int, int, int]]]:
        """Return an error, 0 if there is none, and the records that follow, as words."""
        found = expand_one(
            RecordTables(self.form.tables), (*self.words(record), 0), table=self.table
        )
        return found.error, {words[:3] for words in found.successors}


def some_records(deck: Deck, most: int = 150) -> list[Record]:
    """Return some of a deck's records, far from and near to its root."""
    found = all_records(deck, 4000)
    if found is None:
        return []
    records = list(found.macros)
    Random(len(records)).shuffle(records)
    return records[:most]


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 3))
@pytest.mark.parametrize("seed", few_fast(range(3), 1))
def test_successors_of_small_decks(build: Build, fill: Fill, seed: int) -> None:
    random = Random(f"{build} {fill} {seed}")
    compared = 0
    while compared < 150:
        deck = random_deck(random, build, fill)
        if not has_dominance(deck.rules):
            continue
        kernel = Kernel(deck)
        assert kernel.root[:3] == kernel.words(record_of(*deck))
        for record in some_records(deck):
            error, found = kernel.successors(record)
            compared += 1
            if record.is_goal():
                assert error == GOAL
                continue
            assert error == 0
            following = {macro.record for macro in macros(record, deck.rules, deck.policy)}
            assert found == {kernel.words(one) for one in following - {record}}


def test_the_record_of_a_deal_with_cards_known_to_lie_in_columns() -> None:
    """Cards that lie alone in columns cannot leave them at once while no slot is free."""
    random, seen = Random("fix"), 0
    while seen < 10:
        deck = random_deck(random, "alternate", "any")
        if not has_dominance(deck.rules):
            continue
        record = record_of(*deck)
        if record.fix:
            seen += 1
            kernel = Kernel(deck)
            assert kernel.root[:3] == kernel.words(record)


def test_successors_of_real_deals() -> None:
    compared = 0
    for name in ("freecell", "bakers_game", "eight_off", "seahaven_towers", "forecell"):
        rules = GAMES[name]
        for number in (1, 11982):
            deck = Deck(deal_number(number, rules), rules, "wkr")
            kernel = Kernel(deck)
            record = record_of(*deck)
            random = Random(number)
            for _ in range(25):
                error, found = kernel.successors(record)
                following = {macro.record for macro in macros(record, deck.rules, deck.policy)}
                assert error == 0
                assert found == {kernel.words(one) for one in following - {record}}
                compared += len(found)
                if not following - {record}:
                    break
                record = random.choice(sorted(following, key=repr))
                if record.is_goal():
                    break
    assert compared > 300


def test_a_host_is_no_column_that_is_stripped_besides() -> None:
    """With six freecells there is room to strip others beside it."""
    rules = rules_for("freecell", 6)
    deck = Deck(deal_number(27, rules), rules, "wkr")
    kernel, random = Kernel(deck), Random(27)
    record = record_of(*deck)
    for _ in range(8):
        following = {macro.record for macro in macros(record, deck.rules, deck.policy)} - {record}
        assert kernel.successors(record) == (0, {kernel.words(one) for one in following})
        record = random.choice(sorted(following, key=repr))


def test_a_record_with_more_macros_than_there_is_room_for() -> None:
    """A part of them is not taken for all. Beside 13 columns there is room with nine freecells."""
    for freecells, error in ((9, 0), (13, TOO_MANY_MACROS)):
        rules = rules_for("freecell", freecells, 13)
        deck = Deck(deal_number(1, rules), rules, "wkr")
        found = Kernel(deck).successors(record_of(*deck))
        assert found[0] == error and bool(found[1]) == (not error)


@pytest.mark.parametrize(("build", "fill"), KINDS)
def test_what_is_not_normal(build: Build, fill: Fill) -> None:
    """Results of macros, before they are normalised."""
    random = Random(f"{build} {fill}")
    seen = 0
    while seen < 30:
        deck = random_deck(random, build, fill)
        if not has_dominance(deck.rules):
            continue
        kernel = Kernel(deck)
        for record in some_records(deck, 20):
            for macro in macros(record, deck.rules, deck.policy):
                if macro.raw != macro.record:
                    assert kernel.successors(macro.raw)[0] == NOT_NORMAL
                    seen += 1
