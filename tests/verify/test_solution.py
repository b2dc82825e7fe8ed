"""Steps of a solution: each stands for the moves that the rules allow, and for no others."""

from __future__ import annotations

from random import Random

import pytest

from dbmsolver.game.cards import CARDS, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.verify.solution import Refuted, replay

BEGUN: list[tuple[str, Policy, Metric | None]] = [
    ("freecell", "wkr", None),
    ("freecell", "wkr", "moves"),
    ("relaxed_freecell", "none", None),
    ("seahaven_towers", "wkr", None),
    ("penguin", "wkr", None),
    ("klondike", "none", None),
    ("golf", "none", None),
    ("pyramid", "none", None),
]


def step_of(deal: Deal, position: Position, move: Move) -> tuple[int, int]:
    """Return the card and place value that a move is written as."""
    kind, rules = move.destination.kind, deal.rules
    if kind == "removed":
        return move.card, 7 if move.other is None else 64 + move.other
    if not rules.has_pile and "stock" in (move.source.kind, kind):
        return 0, 6
    if kind in ("foundation", "pile"):
        return move.card, 7
    if kind == "freecell":
        return move.card, 4
    column = position.columns[move.destination.index]
    if not column:
        return move.card, 5
    card, under = position.counted(move.card), position.counted(column[-1])
    number = rules.parent_number(card, under, position.lowest)
    assert number is not None
    return move.card, number


def is_legal(deal: Deal, step: tuple[int, int], measure: Measure) -> bool:
    """Return True if a solution may begin with a step."""
    try:
        replay(deal, [step], measure)
    except Refuted as bad:
        assert str(bad) == bad.reason
        return "not legal" not in bad.reason
    return True


@pytest.mark.parametrize(("name", "policy", "metric"), BEGUN)
def test_steps_are_the_legal_moves(name: str, policy: Policy, metric: Metric | None) -> None:
    random, rules = Random(name), GAMES[name]
    measure = measure_of(rules, policy, metric)
    position, seen, checked = Deal.from_number(7, rules).position, 0, 0
    places = [*range(9), *(range(60, 118) if rules.has_pairs else ())]
    for number in range(24):
        forced = measure.forced(position) if measure.has_free_moves else None
        moves = measure.moves(position) if forced is None else [forced]
        if not moves:
            break
        deal = Deal(position, rules)
        if checked < 3 and (number % 8 == 1 or forced is not None):
            checked += 1
            expected = {step_of(deal, position, move) for move in moves}
            steps = [(card, place) for card in range(CARDS) for place in places]
            assert {step for step in steps if is_legal(deal, step, measure)} == expected
            seen += len(expected)
        position = position.apply(random.choice(moves))
    assert checked and seen >= checked


def test_what_is_counted() -> None:
    """A solution of one move each: a card that is forced home costs nothing where moves count."""
    board = "Foundations: H-K C-K D-K S-Q\nKS\n"
    deal = Deal.from_text(board, GAMES["freecell"])
    path = [(parse_card("KS"), 7)]
    assert replay(deal, path, measure_of(deal.rules, "wkr", None)) == 1
    assert replay(deal, path, measure_of(deal.rules, "wkr", "moves")) == 0
    assert replay(deal, path, measure_of(deal.rules, "none", "moves")) == 1
    with pytest.raises(Refuted, match="move 2 of the solution") as error:
        replay(deal, path * 2, measure_of(deal.rules, "wkr", None))
    assert isinstance(error.value.shown, Position) and error.value.shown.is_goal()
    with pytest.raises(Refuted, match="after the 0 moves of the solution 1 cards are not home"):
        replay(deal, [], measure_of(deal.rules, "wkr", None))


TEXTS: list[tuple[object, str]] = [
    ([0, 0], "AH onto a card"),
    ([0, 3], "AH onto a card"),
    ([0, 4], "AH to a freecell"),
    ([0, 5], "AH to an empty column"),
    ([0, 6], "AH turned"),
    ([0, 7], "AH home, or to the pile"),
    ([0, 63], "AH onto a card"),
    ([0, 64], "AH with AH"),
    ([0, 115], "AH with KC"),
    ([0, 116], "AH onto a card"),
    ([52, 4], "[52, 4]"),
    ([-1, 4], "[-1, 4]"),
    ([51, 7], "KC home, or to the pile"),
    ([0], "[0]"),
    ([0, 4, 4], "[0, 4, 4]"),
    ([0, "4"], "[0, '4']"),
    ([None, 4], "[None, 4]"),
    ("04", "'04'"),
    (4, "4"),
    ("x" * 99, "'" + "x" * 39),
]


@pytest.mark.parametrize(("step", "text"), TEXTS)
def test_words_of_a_step(step: object, text: str) -> None:
    deal = Deal.from_number(1)
    with pytest.raises(Refuted) as error:
        replay(deal, [step], measure_of(deal.rules, "wkr", None))
    assert error.value.reason == f"move 1 of the solution ({text}) is not legal"
    assert error.value.shown == deal.position
