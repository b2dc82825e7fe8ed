"""The keys that a search has: by the game, by what its states are, and by what is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.choice import (
    AnyKeys,
    are_covering,
    are_leaving,
    are_of_classes,
    are_of_patience,
    are_wide,
    keys_of,
    position_keys,
)
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.results import Method, Question

EVERY, RECORDS = Method.EVERY_POSITION, Method.DOMINATING
KINDS: dict[str, Callable[[AnyKeys], bool]] = {
    "are_leaving": are_leaving,
    "are_of_patience": are_of_patience,
    "are_of_classes": are_of_classes,
    "are_wide": are_wide,
    "are_covering": are_covering,
}


@pytest.mark.parametrize(
    ("game", "method", "kind", "said"),
    [
        ("freecell", EVERY, StateCodec, set()),
        ("freecell", RECORDS, RecordKeys, {"are_covering"}),
        ("klondike", EVERY, PatienceKeys, {"are_of_patience"}),
        ("klondike", Method.CLASSES, ClassKeys, {"are_of_classes", "are_covering"}),
        ("klondike", Method.CLASSES_ANY_PASSES, ClassKeys, {"are_of_classes", "are_covering"}),
        ("golf", EVERY, PileKeys, {"are_leaving"}),
        ("pyramid", EVERY, PairKeys, {"are_leaving"}),
        ("spider", EVERY, WideKeys, {"are_wide"}),
    ],
)
def test_keys_by_what_states_are(game: str, method: Method, kind: type, said: set[str]) -> None:
    keys = keys_of(Deal.from_number(1, GAMES[game]), "wkr", method)
    assert type(keys) is kind and keys.method == method
    assert {name for name, is_one in KINDS.items() if is_one(keys)} == said


@pytest.mark.parametrize("game", ["golf", "pyramid"])
def test_states_have_layers_for_a_shortest_solution(game: str) -> None:
    deal = Deal.from_number(1, GAMES[game])
    for question in Question:
        keys = keys_of(deal, "none", EVERY, None, question)
        assert isinstance(keys, PileKeys | PairKeys)
        assert keys.tables.layered == (question == Question.SOLVE)


@pytest.mark.parametrize(
    ("game", "metric", "expected"),
    [
        ("freecell", None, "cards"),
        ("freecell", "runs", "runs"),
        ("freecell", "moves", "moves"),
        ("klondike", None, "turns"),
        ("klondike", "plays", "plays"),
    ],
)
def test_keys_by_what_moves_are_measured_by(
    game: str, metric: Metric | None, expected: Metric
) -> None:
    keys = keys_of(Deal.from_number(1, GAMES[game]), "horne", EVERY, metric)
    assert keys.measure.metric == expected and keys.measure.policy == "horne"


def test_positions_have_the_keys_of_every_position() -> None:
    deal = Deal.from_number(1)
    for policy in ("horne", "wkr", "none"):
        keys = position_keys(deal, policy)
        assert type(keys) is StateCodec
        assert keys.measure.policy == policy
        assert keys.tables.policy == StateCodec(deal, policy).tables.policy


def test_turns_count_where_the_question_says_so() -> None:
    """No turn of Klondike's stock counts in a proof, each in the usual metric of a solution."""
    deal = Deal.from_number(1, GAMES["klondike"])
    for metric, question, free in (
        (None, Question.SOLVE, 0),
        ("turns", Question.SOLVE, 0),
        ("plays", Question.SOLVE, 1),
        (None, Question.PROVE, 1),
    ):
        keys = keys_of(deal, "none", Method.EVERY_POSITION, metric, question)
        assert are_of_patience(keys) and keys.game.free == free


def test_moves_are_left_out_for_a_shortest_solution_only() -> None:
    """A proof may be asked about any position, which moves that are left out may lead to."""
    deal = Deal.from_number(1, GAMES["klondike"])
    for question, brief in ((Question.SOLVE, 1), (Question.PROVE, 0)):
        keys = keys_of(deal, "none", Method.EVERY_POSITION, None, question)
        assert are_of_patience(keys) and keys.game.brief == brief
