"""The way from the deal to a state: which moves are played, which are marked, and where none is."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.fake_search import nearly_done
from helpers.searching import prove

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_FREECELL, PLACE_HOME
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.trace import Finder, legal_move, replay, steps_of, steps_to
from dbmsolver.storage.store import Store

QS, KS = 45, 49
TWO_COLUMNS = "Foundations: H-K C-K D-K S-J\nQS\nKS\n"


def test_moves_that_are_forced_are_marked() -> None:
    """Mark moves home that are made at once, and no other move of the same card."""
    deal, _ = nearly_done()
    keys = StateCodec(deal, "wkr")
    moves = replay(keys, [(QS, PLACE_HOME), (KS, PLACE_HOME)])
    assert [(move.card, move.forced) for move in moves] == [(QS, True), (KS, True)]
    moves = replay(keys, [(QS, PLACE_FREECELL), (QS, PLACE_HOME), (KS, PLACE_HOME)])
    assert [move.forced for move in moves] == [False, True, True]
    moves = replay(StateCodec(deal, "none"), [(QS, PLACE_HOME), (KS, PLACE_HOME)])
    assert [move.forced for move in moves] == [False, False]


def test_a_forced_move_is_ignored_over_records_only() -> None:
    deal = Deal.from_text(TWO_COLUMNS, GAMES["freecell"])
    steps = [(KS, PLACE_FREECELL), (QS, PLACE_HOME), (KS, PLACE_HOME)]
    with pytest.raises(InternalError, match="move 1 of the solution found ignores a forced move"):
        replay(StateCodec(deal, "wkr"), steps)
    assert [move.forced for move in replay(StateCodec(deal, "none"), steps)] == [False] * 3
    assert [move.forced for move in replay(RecordKeys(deal, "wkr"), steps)] == [False, True, True]


def test_steps_are_played_as_they_are_told() -> None:
    deal = Deal.from_text(TWO_COLUMNS, GAMES["freecell"])
    keys = StateCodec(deal, "none")
    steps = [
        (KS, PLACE_FREECELL),
        (QS, PLACE_FREECELL),
        (KS, PLACE_BOTTOM),
        (QS, PLACE_HOME),
        (KS, PLACE_HOME),
    ]
    assert steps_of(keys, replay(keys, steps)) == steps
    with pytest.raises(InternalError, match="move 2 of the solution found is not legal"):
        replay(keys, [(QS, PLACE_HOME), (QS, PLACE_HOME)])
    assert legal_move(keys, deal.position, (KS, PLACE_HOME)) is None


def test_states_that_were_visited(tmp_path: Path) -> None:
    """Find the way to closed states, to no others, and to the deal once it is closed."""
    deal = Deal.from_number(1, rules_for("freecell", 2))
    prove(deal, store=tmp_path / "store", max_states=50)
    with Store.open(tmp_path / "store") as store:
        keys = StateCodec(deal, store.manifest.policy)
        finder = Finder(store, keys)
        assert steps_to(finder, keys.root) == []
        for move, position in keys.measure.successors(deal.position):
            (state,) = keys.states(position)
            assert steps_to(finder, state) == steps_of(keys, [move])
        goal = Deal.from_text("Foundations: H-K C-K D-K S-K\n", deal.rules)
        (state,) = keys.states(goal.position)
        assert steps_to(finder, state) is None
        with store.write() as txn:
            txn.delete_all(b"C")
        assert steps_to(Finder(store, keys), keys.root) is None
