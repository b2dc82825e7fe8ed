"""The kernel of classes against the readable model."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.kernels import class_successors
from helpers.patience_games import without_low_ranks
from helpers.small_klondikes import last_king_needs_a_column, small_klondike

from dbmsolver.game.classes import Class, LeftOut
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.klondike.classes import class_progress


def compare(keys: ClassKeys, found: Class, left_out: frozenset[LeftOut]) -> list[Class]:
    """Compare what follows from a class; returns it."""
    rows = np.zeros((400, 5), np.uint64)
    state = keys.state_of(found)
    assert keys.class_of(state) == found
    count = class_successors(keys.tables, np.uint64(state.signature), np.uint64(state.off), rows)
    ours = {(int(row[0]), int(row[1])) for row in rows[:count]}
    after = [one for _, one in keys.classes.moves(found, left_out)]
    assert ours == {keys.state_of(one)[:2] for one in after}, (found, left_out)
    assert not rows[:count, 2].any()
    stratum = progress(keys, state.signature)
    for one in after:
        lifted = progress(keys, keys.state_of(one).signature) - stratum
        assert lifted in (0, 1, 2) or keys.classes.is_won(one)
    assert keys.are_keys(np.array([state.off], np.uint64))
    return after


def progress(keys: ClassKeys, signature: int) -> int:
    return int(class_progress(keys.tables, np.uint64(signature), keys.locked))


@pytest.mark.parametrize("seed", range(6))
def test_successors_in_small_decks(seed: int) -> None:
    random = Random(seed)
    for number in range(25):
        deal = small_klondike(random, 16)
        if number % 5 == 0:
            deal = without_low_ranks(deal)
        left_out = frozenset(rule for rule in LeftOut if random.random() < 0.5)
        keys = ClassKeys(deal, random.choice(POLICIES), left_out)
        seen, waiting = {keys.classes.root}, [keys.classes.root]
        while waiting and len(seen) < 150:
            found = waiting.pop(random.randrange(len(waiting)))
            if keys.classes.is_won(found):
                continue
            for after in compare(keys, found, left_out):
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)


def test_a_column_is_emptied_for_the_last_king() -> None:
    keys = ClassKeys(last_king_needs_a_column(), "wkr")
    assert compare(keys, keys.classes.root, frozenset(LeftOut))


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes", "klondike_3_left_to_right"])
def test_successors_in_random_games(game: str) -> None:
    random = Random(game)
    for number in random.sample(range(1, 32000), 6):
        for left_out in (frozenset(), frozenset(LeftOut)):
            keys = ClassKeys(Deal.from_number(number, GAMES[game]), "wkr", left_out)
            found = keys.classes.root
            for _ in range(80):
                after = compare(keys, found, left_out)
                after = [one for one in after if not keys.classes.is_won(one)]
                if not after:
                    break
                found = random.choice(after)


def test_keys_that_cannot_be_are_told() -> None:
    keys = ClassKeys(Deal.from_number(1, GAMES["klondike_by_threes"]), "wkr")
    t, good = keys.tables, keys.root.off
    high = good | 14 << int(t.height_shift)
    waste = good | 25 << int(t.waste_shift)
    assert keys.are_keys(np.array([good], np.uint64))
    for wrong in (high, waste):
        assert not keys.are_keys(np.array([good, wrong], np.uint64))


def test_more_turns_of_the_waste_than_are_left_are_told() -> None:
    random, seen = Random("turns"), 0
    while seen < 10:
        keys = ClassKeys(small_klondike(random, 16), "wkr")
        turns, good = keys.classes.deal.turns, keys.root.off
        if turns is None or keys.root.signature == keys.goal or not keys.classes.root.stock:
            continue
        assert keys.are_keys(np.array([good], np.uint64))
        assert not keys.are_keys(np.array([good + (1 << int(keys.tables.turns_shift))], np.uint64))
        seen += 1
