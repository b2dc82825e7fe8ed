"""Positions with much at home, and unevenly: cards often have to come back, unlike in short decks.

A search for a shortest solution leaves moves out (:mod:`dbmsolver.game.brevity`). Here it is
compared with one that leaves out none.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from helpers.patience_games import BRIEF_GAMES, late_position

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike import keys as patience
from dbmsolver.kits.klondike.tables import PatienceTables

RETURNING = (
    (
        """Foundations: H-T C-7 D-9 S-2
QC
<KH> 9S
KD JS TS
<JD> <8S> <JC> <QS> 4S
<JH> <TC> <TD> <8C> <5S> 7S 3S
KC KS QD QH 9C 6S
:
""",
        32,
    ),
    (
        """Foundations: H-9 C-3 D-9 S-6
<KD> <QH> <JC> <TC> <7S> <8C> <9C> 4C
JD QD JS 7C 5C 6C
KC KS TH
QS
8S
TD KH QC
<JH> TS 9S
""",
        37,
    ),
    (
        """Foundations: H-2 C-5 D-9 S-T
QC QS 5H 3H 4H
JH 9H 8C 7C
JD KH JS TD TH 7H 8H 6C
KC QH JC KD
KS QD TC 6H 9C
:
:
""",
        36,
    ),
    (
        """Foundations: H-8 C-9 D-2 S-9
TD QS JH 7D QD 4D TC 3D 5D JD
8D 6D TH KS KH 9D TS
QH JC KC JS KD 9H QC
:
:
:
:
""",
        46,
    ),
)
"""Boards of Klondike, and the plays of a shortest solution, found with no move left out.

In each a card comes back only for the one beneath it on its foundation.
"""

_tables_of = patience.tables_of


@pytest.mark.parametrize(("board", "length"), RETURNING)
def test_a_card_comes_back_for_the_one_beneath_it(board: str, length: int) -> None:
    result = api.solve(Deal.from_text(board, GAMES["klondike"]), metric="plays")
    assert (result.verdict, result.length, result.shortest) == ("solved", length, True)


@pytest.mark.slow
@pytest.mark.parametrize("game", BRIEF_GAMES)
def test_moves_left_out_make_no_solution_longer(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"late positions of {game}")
    verdicts: Counter[str] = Counter()
    while verdicts["solved"] <= 20:
        deal = late_position(game, random)
        metric = random.choice(("turns", "plays", "runs"))
        result = api.solve(deal, metric=metric, max_states=30_000)
        with monkeypatch.context() as patch:
            patch.setattr(patience, "tables_of", _tables_of_all_moves)
            full = api.solve(deal, metric=metric, policy="none", max_states=100_000)
        if result.limit is None and full.limit is None:
            assert (result.verdict, result.length) == (full.verdict, full.length), deal
            verdicts[result.verdict] += 1
        proof = api.prove(deal, max_states=30_000)
        if result.limit is None and proof.limit is None:
            assert proof.verdict == result.verdict, deal


def _tables_of_all_moves(*given: object) -> PatienceTables:
    """Return tables for kernels with which a search leaves out none of the moves."""
    return _tables_of(*given)._replace(brief=0)  # type: ignore[arg-type]
