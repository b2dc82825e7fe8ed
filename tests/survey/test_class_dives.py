"""Dives over classes in a survey, against proofs of the same deals."""

from __future__ import annotations

from random import Random

from helpers.small_klondikes import small_klondike

from dbmsolver import api
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.survey.class_dives import ClassDivesInTurn
from dbmsolver.survey.ranges import Subject

MEMORY = 64 << 20
THREES = GAMES["klondike_by_threes"]


def test_verdicts_and_digests_are_those_of_proofs() -> None:
    random, verdicts = Random(1), set()
    for _ in range(40):
        deal = small_klondike(random, 14)
        dives = ClassDivesInTurn(deal, "wkr", MEMORY)
        (found,) = dives.run([subject_of(deal)], None, None, True)
        proof = api.prove(deal, threads=1)
        assert found.verdict == proof.verdict
        if found.verdict == "unsolvable":
            assert (found.states, found.digest) == (proof.states, proof.digest)
        else:
            assert found.length == proof.length
        verdicts.add(found.verdict)
    assert len(verdicts) == 2


def test_limits_leave_deals_open() -> None:
    deals = [Deal.from_number(number, THREES) for number in (12, 54)]
    dives = ClassDivesInTurn(deals[0], "wkr", MEMORY)
    for found in dives.run([subject_of(deal) for deal in deals], 50, None, False):
        assert found.verdict is None and found.evaluated > 0
    (late,) = dives.run([subject_of(deals[1])], None, 1e-9, False)
    assert (late.verdict, late.limit) == ("undecided", "max-time")


def subject_of(deal: Deal) -> Subject:
    """Return the subject of a survey that stands for a deal."""
    return Subject(None, format_board(deal.position).replace("\n", " / "), deal.rules)
