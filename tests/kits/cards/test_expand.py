"""The move generator against the readable rules, in every game and under every policy."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.naive_search import some_cards
from helpers.support import (
    COMING_BACK,
    EVERY_FAMILY,
    Game,
    core_successors,
    random_game,
    random_layout,
    words_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.cards import CARDS, RANKS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels.hooks import undo_code
from dbmsolver.kits.cards import expand
from dbmsolver.kits.cards.expand import progress
from dbmsolver.kits.states import StateCodec


@kernel
def is_safe(t, signature, card):  # type: ignore[no-untyped-def]
    """Return the kernels' rule, which has no way in from Python of its own."""
    return expand.is_safe(t, signature, card)


SEEDS = given(seed=st.integers(0, 2**32))


def check_successors(game: Game, position: Position) -> None:
    """Check that the core's successors are those of the readable rules, each as often as there."""
    expected = position.successors(game.rules, game.policy)
    found, forced = core_successors(game.codec, game.codec.state(position))
    assert forced == any(move.forced for move, _ in expected)
    assert Counter(game.codec.state(after) for _, after in expected) == Counter(
        state for state, _ in found
    )
    by_state = {game.codec.state(after): (move, after) for move, after in expected}
    for state, code in found:
        move, after = by_state[state]
        assert game.codec.position(state).canonical() == after.canonical()
        assert game.codec.card(int(game.codec.tables.code_card[code])) == move.card


@EVERY_FAMILY
@SEEDS
@settings(max_examples=6, deadline=None)
def test_successors(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    for position in game.walk(60)[::2]:
        check_successors(game, position)


@EVERY_FAMILY
@SEEDS
@settings(max_examples=15, deadline=None)
def test_successors_of_cards_anywhere(rules: Rules, seed: int) -> None:
    random = Random(seed)
    start = random_layout(random, rules)
    policy = random.choice(POLICIES)
    check_successors(
        Game(random, start, rules, policy, StateCodec(Deal(start, rules), policy)), start
    )


@pytest.mark.parametrize("rules", COMING_BACK, ids=lambda rules: rules.name)
def test_the_last_cards_go_home_for_good(rules: Rules) -> None:
    """The last card home ends the game; one before it may come back, unless its rank is kept."""
    random = Random(rules.name)
    ends = 0
    for number in range(30):
        start = some_cards(random, rules, "shuffled", 1 + number % 6)
        kept = random.choice((0, min(start.foundations)))
        played = replace(rules, layout="home " + " ".join(RANKS[:kept]) if kept else "")
        policy = random.choice(POLICIES)
        game = Game(random, start, played, policy, StateCodec(Deal(start, played), policy))
        for position in game.walk(8):
            if not position.is_goal():
                check_successors(game, position)
                ends += any(after.is_goal() for _, after in position.successors(played, policy))
    assert ends > 20


@pytest.mark.parametrize("beneath", [0, 2])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_whole_suit_does_not_go_onto_its_own_last_card(policy: Policy, beneath: int) -> None:
    """Columns go round, so its first card fits there, as it does where the suit is parted."""
    random = Random(beneath)
    rules = GAMES["penguin"]
    suit = [card for card in range(CARDS) if not card & 3][::-1]
    for parted in (0, 0, 5):
        rest = [card for card in range(CARDS) if card & 3]
        random.shuffle(rest)
        columns = [rest[column :: rules.columns - 1] for column in range(rules.columns - 1)]
        columns.append(columns[0][:beneath] + suit[parted:])
        columns[0] = columns[0][beneath:] + suit[:parted]
        empty = (None,) * rules.freecells
        start = Position(tuple(map(tuple, columns)), empty, (0, 0, 0, 0))
        start.validate(rules)
        game = Game(random, start, rules, policy, StateCodec(Deal(start, rules), policy))
        check_successors(game, start)


@EVERY_FAMILY
@SEEDS
@settings(max_examples=9, deadline=None)
def test_codes_lead_back(rules: Rules, seed: int) -> None:
    """Undoing a move by its code alone gives the state before it."""
    game = random_game(rules, seed)
    for position in game.walk(60)[::3]:
        before = game.codec.state(position)
        for after, code in core_successors(game.codec, before)[0]:
            undone = undo_code(game.codec.tables, *words_of(*after), np.uint16(code))
            assert tuple(map(int, undone)) == before


@EVERY_FAMILY
@SEEDS
@settings(max_examples=6, deadline=None)
def test_skipped_cards_do_not_move(rules: Rules, seed: int) -> None:
    """All moves but those of the skipped cards; a forced move is made all the same."""
    game = random_game(rules, seed)
    code_card = game.codec.tables.code_card
    for position in game.walk(40)[::3]:
        state = game.codec.state(position)
        found, forced = core_successors(game.codec, state)
        skip = game.random.getrandbits(52)
        rest, still_forced = core_successors(game.codec, state, skip)
        assert still_forced == forced
        kept = [s for s in found if forced or not skip >> int(code_card[s.code]) & 1]
        assert sorted(rest) == sorted(kept)


@EVERY_FAMILY
@SEEDS
@settings(max_examples=9, deadline=None)
def test_the_card_moved_last_can_be_skipped(rules: Rules, seed: int) -> None:
    """It could have gone at once to where it could go now: what is lost is known already."""
    game = random_game(rules, seed)
    for position in game.walk(40)[::3]:
        state = game.codec.state(position)
        successors, forced = core_successors(game.codec, state)
        if forced:
            continue
        known = {successor.state for successor in successors} | {state}
        for after, code in successors:
            card = int(game.codec.tables.code_card[code])
            every, forced = core_successors(game.codec, after)
            kept, _ = core_successors(game.codec, after, skip=1 << card)
            if forced:
                continue
            lost = {s.state for s in every} - {s.state for s in kept}
            assert lost <= known


@EVERY_FAMILY
@SEEDS
@settings(max_examples=9, deadline=None)
def test_progress_never_falls(rules: Rules, seed: int) -> None:
    """It rises where the signature changes, and it is reversible where it does not."""
    game = random_game(rules, seed)
    for position in game.walk(60)[::3]:
        before = game.codec.state(position)
        for after, _ in core_successors(game.codec, before)[0]:
            old, new = (
                progress(game.codec.tables, np.uint64(state.signature), game.codec.locked)
                for state in (before, after)
            )
            if before.signature == after.signature:
                assert old == new
            else:
                most = 54 if rules.takes_back else 14 if rules.whole_suits else 2
                assert old < new <= old + most


@pytest.mark.parametrize("policy", POLICIES)
@EVERY_FAMILY
def test_is_safe(rules: Rules, policy: Policy) -> None:
    """For all heights that make a difference to a card."""
    random = Random(5)
    start = random_layout(random, rules)
    tables = StateCodec(Deal(start, rules), policy).tables
    # Where columns go round, the moves of runs leave out the bases before they ask.
    for card in range(4 if rules.base == "round" else 0, 52):
        for _ in range(30):
            rank = (card >> 2) + 1
            heights = [min(13, max(0, rank + random.randint(-5, 1))) for _ in range(4)]
            heights[card & 3] = rank - 1
            signature = sum(height << 4 * suit for suit, height in enumerate(heights))
            expected = is_safe_home(rules, card, heights, policy)
            assert is_safe(tables, np.uint64(signature), card) == expected
