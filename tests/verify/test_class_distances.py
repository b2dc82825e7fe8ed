"""Distances of classes as the check works them out, and the lower bound of positions by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.class_distances import (
    check_distances,
    distance_of_words,
    slow_distances,
    some_classes,
    successors_of_words,
    words_of,
)
from helpers.measured import closure, lengths
from helpers.patience_games import without_low_ranks
from helpers.searching import end_of
from helpers.selection import few_fast
from helpers.small_klondikes import (
    five_columns_and_four_kings,
    last_king_needs_a_column,
    small_klondike,
)
from helpers.verifier import Costs, Words, expand_one

from dbmsolver import api
from dbmsolver.errors import InternalError, UsageError
from dbmsolver.game.classes import EVERY_RULE, Classes, LeftOut
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.shipped import GAMES
from dbmsolver.storage.meanings import VERSIONS
from dbmsolver.verify import class_distances
from dbmsolver.verify.check import verify
from dbmsolver.verify.class_distances import ClassDistances
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.class_distances import FAR, NONE, Distances
from dbmsolver.verify.kernels.classes import make_board
from dbmsolver.verify.kernels.errors import GOAL
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.keys import bound_of
from dbmsolver.verify.report import TooMany

KEPT = EVERY_RULE - {LeftOut.USEFUL_SPACE}
MOST = 3000
MOST_POSITIONS = 500
"""Most of the time goes into decks that turn out to be larger."""


def deals(seed: str, count: int) -> Iterator[tuple[Deal, Policy]]:
    """Yield small decks, some without low ranks by their rules, and a policy for each."""
    random = Random(seed)
    for number in range(count):
        deal = small_klondike(random, 14)
        yield deal if number % 4 else without_low_ranks(deal), random.choice(POLICIES)
    yield last_king_needs_a_column(), "wkr"
    yield five_columns_and_four_kings(), "wkr"


@pytest.mark.parametrize("seed", few_fast(range(12), 2))
def test_distances_are_those_of_a_slow_search(seed: int) -> None:
    """Of every class that any moves lead to, though the check leaves moves out."""
    compared, kinds = 0, set[bool | None]()
    for deal, _ in deals(f"distances {seed}", 40):
        classes = Classes(deal.position, deal.rules)
        expected = slow_distances(classes, MOST)
        if expected is None:
            continue
        form = ClassFormat(deal, "wkr")
        _, found = check_distances(deal)
        board = make_board(form.game)
        for one, distance in expected.items():
            words = np.array(words_of(form, one), np.uint64)
            said = int(distance_of_words(found, board, words))
            assert said == (FAR if distance is None else distance), (deal, one)
            compared += 1
        kinds.add(expected[classes.root] is None)
    assert compared > 1000 and kinds == {False, True}


@pytest.mark.parametrize("seed", few_fast(range(6), 1))
def test_successors_are_those_of_the_model(seed: int) -> None:
    """They are listed with all rules that leave moves out, or with those that distances need."""
    compared = 0
    for deal, policy in deals(f"successors {seed}", 40):
        classes, form = Classes(deal.position, deal.rules, policy), ClassFormat(deal, policy)
        board = make_board(form.game)
        for one in some_classes(classes, 200):
            for every, left_out in ((False, EVERY_RULE), (True, KEPT)):
                words = np.array(words_of(form, one), np.uint64)
                count = successors_of_words(form.game, board, words, every)
                moves = classes.moves(one, left_out)
                assert count == len(moves)
                won = board.won.astype(np.uint64)
                rows = np.column_stack((board.after, won))[:count].tolist()
                wanted = {(*words_of(form, after), classes.is_won(after)) for _, after in moves}
                assert set(map(tuple, rows)) == wanted, (deal, one)
                compared += count
    assert compared > 1000


def states_of(form: Tables, root: Words) -> dict[Words, list[tuple[int, Words]]]:
    """Return all states that moves of the check lead to, and from each its moves: cost, state."""
    found: dict[Words, list[tuple[int, Words]]] = {}
    waiting = [root]
    while waiting:
        state = waiting.pop()
        if state not in found:
            here = expand_one(form, state, 0, state, Costs(0, 0, 999))
            assert here.error in (0, GOAL)
            found[state] = list(zip(here.made, here.successors, strict=True))
            waiting += here.successors
    return found


@pytest.mark.parametrize("seed", few_fast(range(8), 2))
def test_bounds_of_positions_never_exceed_the_moves_to_come(seed: int) -> None:
    """Nor do they fall by more than a move costs, and all positions that are lost are known."""
    random, lost, raised, compared = Random(f"bounds {seed}"), 0, 0, 0
    while compared < 1500:
        deal, policy = small_klondike(random, 12), random.choice(POLICIES)
        metric = random.choice(OF_PATIENCE)
        closed = closure(deal.position, measure_of(deal.rules, "none", metric), MOST_POSITIONS)
        if closed is None or len(closed[0]) < 10:
            continue
        left = {at.canonical(): far for at, far in zip(closed[0], lengths(closed), strict=True)}
        keys = keys_of_cards(deal, policy, metric)
        form = keys.tables._replace(distances=check_distances(deal)[1])
        states = states_of(form, keys.root)
        bounds = {state: bound_of(form, state) for state in states}
        for state, following in states.items():
            position = keys.position(state)
            assert position is not None
            far, bound = left[position.canonical()], bounds[state]
            assert bound >= FAR if far is None else bound <= far, (deal, position)
            assert bound >= bound_of(keys.tables, state)
            assert all(bound <= cost + bounds[after] for cost, after in following)
            lost += far is None
            raised += FAR > bound > bound_of(keys.tables, state)
            compared += 1
    assert lost and raised


def test_a_class_that_does_not_follow_has_no_bound() -> None:
    """It is no error of the store, but of the program."""
    deal = Deal.from_number(12, GAMES["klondike_by_threes"])
    keys = keys_of_cards(deal, "wkr", "turns")
    runs = np.full((1, 3), NONE, np.uint64)
    nothing_listed = Distances(
        ClassFormat(deal, "wkr").game, runs, np.empty(0, np.uint64), np.empty(0, np.uint8)
    )
    with pytest.raises(InternalError):
        bound_of(keys.tables._replace(distances=nothing_listed), keys.root)


def test_classes_that_need_more_memory() -> None:
    deal = Deal.from_number(12, GAMES["klondike_by_threes"])
    with pytest.raises(TooMany, match=r"more than [\d,]+ classes, for which 1,048,576 bytes"):
        end_of(ClassDistances(deal, 2, 1 << 20).run())


def test_a_check_can_be_ended_early() -> None:
    """Threads that list classes end, too."""
    run = ClassDistances(Deal.from_number(3, GAMES["klondike_by_threes"]), 2, 1 << 30).run()
    assert next(run).phase == "listing classes"
    run.close()
    assert [*run] == []


def test_tables_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distances are the same, however little room there is at first."""
    deal = Deal.from_number(12, GAMES["klondike_by_threes"])
    (classes, whole), results = check_distances(deal, threads=1), set[bytes]()
    assert classes.count > 100_000
    monkeypatch.setattr(class_distances, "_FIRST_SLOTS", 1)
    monkeypatch.setattr(class_distances, "_LIFTED", 200)
    again, other = check_distances(deal)
    assert again.count == classes.count
    for distances in (whole, other):
        kept = distances.keys != NONE
        listed = np.stack((distances.keys[kept], distances.moves[kept].astype(np.uint64)))
        results.add(np.sort(listed[0] * np.uint64(256) + listed[1]).tobytes())
    assert len(results) == 1


def say_classes(manifest: dict[str, Any]) -> None:
    manifest["bound"] = "classes"
    manifest["meaning"]["distances"] = VERSIONS["patience"]["distances"]


def test_stores_that_are_said_to_have_distances(tmp_path: Path) -> None:
    """All classes are listed then; layers that were counted without them do not fit."""
    random, verdicts = Random("said"), set[bool]()
    for number in range(200):
        if len(verdicts) == 2:
            break
        deal, store = small_klondike(random, 14), tmp_path / str(number)
        result = api.solve(deal, store=store)
        if result.verdict != "solved" or result.states < 10:
            continue
        faults.change_manifest(store, say_classes)
        report = faults.check(store)
        verdicts.add(report.valid)
        assert report.checked[1].endswith(" classes were listed, and their distances worked out")
        assert report.valid or report.reason is not None
        if report.checked[1].startswith("0 "):  # the class of the deal is won
            continue
        with pytest.raises(UsageError, match="classes, for which"):
            end_of(verify(store, memory=1))
    assert len(verdicts) == 2
