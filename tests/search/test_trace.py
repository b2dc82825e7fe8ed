"""The way from the deal to a state: which moves are played, which are marked, and where none is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.fake_search import nearly_done
from helpers.searching import prove

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience, counts_as_play
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_FREECELL, PLACE_HOME
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import TURN, StateCodec, Step
from dbmsolver.results import Question
from dbmsolver.search.trace import Finder, legal_move, replay, steps_of, steps_to, with_turns
from dbmsolver.storage.store import Store

QS, KS = 45, 49
TWO_COLUMNS = "Foundations: H-K C-K D-K S-J\nQS\nKS\n"
ONE_PASS = replace(GAMES["klondike"], passes=1)


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


def keys_of_one_pass(deal: Deal) -> PatienceKeys:
    return PatienceKeys(deal, "none", "turns", Question.SOLVE)


def test_plays_with_the_turns_before_them() -> None:
    """Steps of a game are found again from its plays, where no turn is made in vain."""
    deal, random = Deal.from_number(1, ONE_PASS), Random(1)
    keys = keys_of_one_pass(deal)
    position, steps = deal.position, list[Step]()
    for _ in range(40):
        assert isinstance(position, Patience)
        move = random.choice(position.moves(ONE_PASS))
        steps.append(keys.step_of(position, move))
        assert (steps[-1] == (0, TURN)) != counts_as_play(move)
        position = position.apply(move)
    while steps[-1] == (0, TURN):  # in vain
        steps.pop()
    plays = [step for step in steps if step != (0, TURN)]
    found = with_turns(keys, plays)
    assert found is not None and 0 < found.count((0, TURN)) <= steps.count((0, TURN))
    assert [step for step in found if step != (0, TURN)] == plays


def test_plays_that_cannot_be_made() -> None:
    """A card that the waste is past, one that is covered, and one that may not go home."""
    deal = Deal.from_number(1, ONE_PASS)
    keys = keys_of_one_pass(deal)
    stock, column = deal.position.stock, deal.position.columns[-1]
    assert with_turns(keys, []) == []
    high = max(column[-1], stock[-1])
    for card, place in ((stock[0], PLACE_BOTTOM), (column[0], PLACE_HOME), (high, PLACE_HOME)):
        assert with_turns(keys, [(card, place)]) is None
    past = deal.position
    for _ in stock[:2]:
        past = past.apply(next(one for one in past.moves(ONE_PASS) if not counts_as_play(one)))
    later = keys_of_one_pass(replace(deal, position=past))
    assert with_turns(later, [(stock[0], PLACE_HOME)]) is None
