"""The check's moves of Klondike and its relatives, against those of the search and the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest
from helpers.kernels import patience_words
from helpers.patience_games import (
    BRIEF_GAMES,
    DRAWN_GAMES,
    PATIENCE_GAMES,
    late_position,
    small_deck,
    whole_deck,
    without_low_ranks,
)
from helpers.verifier import error_of, expand_one, opened_row, signature_of, state_of_key

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.patience import Patience
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.tables import make_board, make_found
from dbmsolver.results import Question
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.errors import GOAL
from dbmsolver.verify.kernels.opening import PER_WORD, STOCK_IN_KEY
from dbmsolver.verify.keys import Keys

Words = tuple[int, ...]
ALL = (1 << 64) - 1
TURNS_IN_KEY = 38
"""The bit of word 2 of a key from which on turns stand."""


def successors(form: Keys, words: np.ndarray) -> set[Words] | None:  # type: ignore[type-arg]
    """Return what the check says that follows from a position, as states; None if it is won."""
    found = expand_one(form, state_of_key(form, words))
    assert found.error in (0, GOAL)
    return None if found.error else {*found.successors}


def any_deck(random: Random, games: Sequence[str] = PATIENCE_GAMES) -> Deal:
    """Return a small deck of any game, or a whole one of Klondike's kind."""
    if random.random() < 0.3:
        return whole_deck(random, games)
    return small_deck(random.choice(games), random)


def deck_of(random: Random) -> Deal:
    """Return a small deck of any game."""
    return small_deck(random.choice(PATIENCE_GAMES), random)


def short_deck(random: Random) -> Deal:
    """Return a small deck of any game, without low ranks by its rules."""
    return without_low_ranks(deck_of(random))


def turned_by_ones(random: Random) -> Deal:
    """Return a deck whose stock is turned card by card, some of it in the waste."""
    while True:
        deal = deck_of(random)
        assert isinstance(deal.position, Patience)
        if deal.rules.draw == 1 and deal.position.waste:
            return deal


def much_at_home(random: Random) -> Deal:
    """Return a deck in which cards often have to come back."""
    return late_position(random.choice(BRIEF_GAMES), random)


def follow_moves(
    make: Callable[[Random], Deal], seed: str, decks: int, questions: Sequence[Question]
) -> None:
    """Compare what follows, position by position, in random games, with the search's moves."""
    random = Random(seed)
    board, found = make_board(), make_found()
    for _ in range(decks):
        deal = make(random)
        policy, metric = random.choice(POLICIES), random.choice(OF_PATIENCE)
        question = random.choice(questions)
        keys = PatienceKeys(deal, policy, metric, question)
        form = keys_of_cards(deal, policy, metric if question is Question.SOLVE else None)
        assert state_of_key(form, patience_words(keys.root)) == form.root
        state = patience_words(keys.root)
        for _ in range(30):
            count = moves_of(keys.game, state, board, found)
            after = found.words[:count].copy()
            ours = successors(form, state)
            if ours is None:
                break
            theirs = {state_of_key(form, row) for row in after}
            assert ours == theirs, (deal, policy, metric, question)
            if not ours:
                break
            state = after[random.randrange(count)]


BOTH = (Question.SOLVE, Question.PROVE)
SHORTEST = (Question.SOLVE,)
"""Most of the moves that are left out are left out of searches for shortest solutions."""


@pytest.mark.parametrize(
    ("make", "questions"),
    [(any_deck, BOTH), (short_deck, BOTH), (turned_by_ones, SHORTEST), (much_at_home, SHORTEST)],
)
def test_moves(make: Callable[[Random], Deal], questions: Sequence[Question]) -> None:
    follow_moves(make, f"moves {make.__name__}", 60, questions)


@pytest.mark.parametrize("seed", [3, 9, 20])
def test_cards_of_the_stock_can_be_put_on_those_that_come_back(seed: int) -> None:
    """Each seed has a deck in which only a card that is not turned yet makes that of use."""
    follow_moves(partial(any_deck, games=DRAWN_GAMES), f"seed {seed}", 20, SHORTEST)


@pytest.mark.slow
@pytest.mark.parametrize("make", [any_deck, turned_by_ones, much_at_home])
def test_moves_of_many_decks(make: Callable[[Random], Deal]) -> None:
    follow_moves(make, f"many moves {make.__name__}", 600, BOTH)


def altered(key: np.ndarray, random: Random) -> Iterator[np.ndarray]:
    """Yield a key with each digit changed, with other waste and turns, and with a bit changed."""
    for card, digit in product(range(CARDS), range(8)):
        shift, other = 3 * (card % PER_WORD), key.copy()
        other[card // PER_WORD] &= np.uint64(~(7 << shift) & ALL)
        other[card // PER_WORD] |= np.uint64(digit << shift)
        yield other
    for waste, turns in product((0, 1, 2, 3, random.randrange(64)), (0, 1, 2, 63)):
        other = key.copy()
        other[2] &= np.uint64((1 << STOCK_IN_KEY) - 1)
        other[2] |= np.uint64(waste << STOCK_IN_KEY | turns << TURNS_IN_KEY)
        yield other
    for word, bit in product(range(3), range(64)):
        other = key.copy()
        other[word] ^= np.uint64(1 << bit)
        yield other


def digits_of(key: np.ndarray) -> list[int]:
    """Return the digits of all cards."""
    return [int(key[card // PER_WORD]) >> 3 * (card % PER_WORD) & 7 for card in range(CARDS)]


def is_normal(form: Keys, key: np.ndarray) -> bool:
    """Return True unless the cards of the waste ought to be 0, as they make no difference."""
    r, waste = form.tables.rules, int(key[2]) >> STOCK_IN_KEY & 63
    digits = digits_of(key)
    left = [digits[card] for card in r.pack.tolist()].count(0)
    return not (r.all_reached and waste and (waste % r.draw == 0 or waste == left))


def is_spelt_well(form: Keys, deal: Deal, key: np.ndarray) -> bool:
    """Return True if digits are spelt as keys have them, and cards at a bottom may lie there.

    A card that lies as it was dealt has the digit 0. Cards are counted from the base.
    """
    takers = form.tables.rules.takers
    position, rules = deal.position, deal.rules
    assert isinstance(position, Patience)
    counted, filled = position.base.counted, rules.fill == "waste"
    dealt: dict[int, int | None] = {}
    for column, hidden in zip(position.columns, position.hidden, strict=True):
        for index, card in enumerate(column):
            if index == 0 or index > hidden:
                dealt[counted(card)] = counted(column[index - 1]) if index else None
    fillers = {counted(card) for card in position.reserve}
    fillers |= {card for card in range(CARDS) if filled or rules.can_fill(card)}
    for card, digit in enumerate(digits_of(key)):
        if digit == 5 and (card not in fillers or dealt.get(card, card) is None):
            return False
        if 1 <= digit <= 4 and dealt.get(card) == takers[card, digit - 1]:
            return False
    return True


@pytest.mark.parametrize("game", ["klondike_by_threes", "canfield", "yukon"])
def test_words_that_are_no_position_are_refused(game: str) -> None:
    """The search has a check of its own of what it reads: both come to the same."""
    random = Random(f"no position {game}")
    board, found = make_board(), make_found()
    verdicts = set[bool]()
    for _ in range(6):
        deal, metric = small_deck(game, random, (2, 5)), random.choice((None, *OF_PATIENCE))
        question = Question.SOLVE if metric else Question.PROVE
        keys = PatienceKeys(deal, "wkr", metric or "plays", question)
        form = keys_of_cards(deal, "wkr", metric)
        state = patience_words(keys.root)
        for _ in range(random.randrange(12)):
            count = moves_of(keys.game, state, board, found)
            if count == 0:
                break
            state = found.words[random.randrange(count)].copy()
        for key in altered(state, random):
            expected = keys.are_keys(key) and is_normal(form, key)
            expected = expected and is_spelt_well(form, deal, key)
            signature, words = signature_of(form, key), key.tolist()
            error = error_of(form, opened_row(form, signature, words))
            assert (error == 0) == expected, (deal, key)
            signature ^= 1 << random.randrange(64)
            assert error_of(form, opened_row(form, signature, words))
            verdicts.add(expected)
    assert verdicts == {False, True}
