"""The check's moves of Klondike and its relatives, against those of the search and the rules."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from helpers.patience_games import PATIENCE_GAMES, small_deck, whole_deck

from dbmsolver.core.patience import moves_of
from dbmsolver.core.patience_tables import make_board, make_found
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.measures import OF_PATIENCE
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.results import Question
from dbmsolver.verify.kernels.patience_positions import WON, begin, list_positions
from dbmsolver.verify.kernels.position_set import make_wanted
from dbmsolver.verify.patience_format import PatienceFormat
from dbmsolver.verify.position_list import PositionList

Words = tuple[int, ...]


def successors(form: PatienceFormat, words: np.ndarray) -> set[Words] | None:  # type: ignore[type-arg]
    """Return what the check says that follows from a position, as words; None if it is won."""
    listed = PositionList(1 << 20)
    begin(listed.found, words)
    end, _, count = list_positions(form.digits, form.board, listed.found, make_wanted(), 0, 1, 1)
    return None if end == WON else {tuple(row) for row in listed.states[1:count].tolist()}


def follow_moves(seed: str, decks: int) -> None:
    """Compare what follows, position by position, in random games, with the search's moves."""
    random = Random(seed)
    board, found = make_board(), make_found()
    for number in range(decks):
        deal = small_deck(random.choice(PATIENCE_GAMES), random)
        if number % 3 == 0:
            deal = whole_deck(random)
        policy, metric = random.choice(POLICIES), random.choice(OF_PATIENCE)
        question = random.choice((Question.SOLVE, Question.PROVE))
        keys = PatienceKeys(deal, policy, metric, question)
        form = PatienceFormat(deal, policy, metric if question is Question.SOLVE else None)
        assert (keys.words(keys.root) == form.root).all()
        state = keys.words(keys.root)
        for _ in range(30):
            count = moves_of(keys.tables, state, board, found)
            after = found.words[:count].copy()
            ours = successors(form, state)
            if ours is None:
                break
            assert ours == {tuple(row) for row in after.tolist()}, (deal, policy, metric, question)
            if not ours:
                break
            state = after[random.randrange(count)]


def test_moves() -> None:
    follow_moves("moves", 60)


@pytest.mark.slow
def test_moves_of_many_decks() -> None:
    follow_moves("many moves", 2000)
