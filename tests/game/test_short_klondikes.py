"""Klondike without its low ranks: cards that the deck does not have come from no foundation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from helpers.faults import check
from helpers.patience_games import small_deck, without_low_ranks
from helpers.small_klondikes import small_klondike

from dbmsolver import api
from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.cards import rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.library import load_rules
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.patience import Patience

GAME = """Extends "klondike"
Header Name "Klondike of Three Ranks"
Setup Tableau MixDropStack[4]
Deck Single KingHigh Ranks[3]
Deal Initial Tableau {1}{(2),3}{(4),5}{(6),7}
"""
BOARD = """Foundations: H-T C-T D-T S-T
Stock: QD JS QH JH QS
JD
<JC> KD
<KC> QC
<KH> KS
"""


def test_a_game_of_few_ranks(tmp_path: Path) -> None:
    """A ten would lie on JD, as a foundation has one on top."""
    path = tmp_path / "three.game"
    path.write_text(GAME)
    rules = load_rules(path)
    assert rules.removable and rules.kept_rank == 10
    deal = Deal.from_text(BOARD, rules)
    assert not any(move.source.kind == "foundation" for move in deal.position.moves(rules))
    ten = Move(4 * 9 + 1, Place("foundation", 1), Place("column", 0))
    with pytest.raises(IllegalMoveError, match="TS cannot be put there"):
        deal.position.play(ten, rules)
    # A jack comes back, once it is home.
    assert isinstance(deal.position, Patience)
    home = deal.position.play(Move(42, Place("column", 0), Place("foundation", 2)), rules)
    assert home.foundations[2] == 11
    sources = [move.card for move in home.moves(rules) if move.source.kind == "foundation"]
    assert sources == [42]


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes", "yukon"])
def test_only_cards_of_the_deck_come_back(game: str) -> None:
    random, came_back = Random(f"short {game}"), 0
    for _ in range(40):
        deal = without_low_ranks(small_deck(game, random))
        position, kept = deal.position, deal.rules.kept_rank
        for _ in range(20):
            moves = position.moves(deal.rules)
            back = [move for move in moves if move.source.kind == "foundation"]
            assert all(rank(move.card) > kept for move in back)
            came_back += len(back)
            if not moves:
                break
            position = position.apply(random.choice(moves))
    assert came_back > 100


def test_searches_and_their_checks(tmp_path: Path) -> None:
    """Classes and positions come to the same, and the check lists the same moves."""
    random, verdicts = Random("short searches"), set[str]()
    for number in range(12):
        deal = without_low_ranks(small_klondike(random, 14))
        stores = [tmp_path / f"{number}-{name}" for name in ("classes", "positions", "solve")]
        answers = [
            api.prove(deal, store=stores[0]),
            api.prove(deal, store=stores[1], method="every-position"),
            api.solve(deal, store=stores[2]),
        ]
        assert len({answer.verdict for answer in answers}) == 1
        verdicts.add(answers[0].verdict)
        for store in stores:
            report = check(store)
            assert report.valid, report.reason
    assert verdicts == {"solved", "unsolvable"}
