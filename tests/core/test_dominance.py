"""The kernel's records and successors against those of the readable model."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.dominance_brute import Deck, Records, all_records, random_deck

from dbmsolver.core.dominance import make_scratch, successors
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance import free_slots, has_dominance
from dbmsolver.game.rules import FILLS, Build, Fill
from dbmsolver.record_state import RecordKeys

KINDS: list[tuple[Build, Fill]] = [(b, f) for b in ("alternate", "suit") for f in FILLS]
DECKS = 4
MOST = 200
"""Records of the largest deck that is looked at."""


def small_decks(build: Build, fill: Fill) -> list[tuple[Deck, Records]]:
    random = Random(f"{build} {fill}")
    found = []
    while len(found) < DECKS:
        deck = random_deck(random, build, fill)
        records = all_records(deck, MOST) if has_dominance(deck.rules) else None
        if records is not None and len(records.macros) > 10:
            found.append((deck, records))
    return found


@pytest.mark.parametrize(("build", "fill"), KINDS)
def test_successors(build: Build, fill: Fill) -> None:
    scratch = make_scratch()
    for deck, records in small_decks(build, fill):
        codec = RecordKeys(Deal(deck.start, deck.rules), deck.policy)
        assert codec.root == codec.state_of(records.root)
        for record, macros in records.macros.items():
            state = codec.state_of(record)
            assert codec.record(state) == record
            words = map(np.uint64, state[:3])
            count = successors(codec.tables, *words, scratch)
            found = [tuple(map(int, row)) for row in scratch.found[:count]]
            expected = {
                (*codec.state_of(m.record)[:3], free_slots(m.record, deck.rules)) for m in macros
            }
            assert set(found) == expected
