"""Words of a check about a row that is missing, and the counts of a certificate."""

from __future__ import annotations

from random import Random

import pytest

from dbmsolver.results import Method
from dbmsolver.verify.certificate import _counts
from dbmsolver.verify.claim import Claim
from dbmsolver.verify.kernels.rows import KIND, PARENT, ROOT
from dbmsolver.verify.worker import Missing, refuted, root_row

SOURCE = (1, 2, 3, 4)
SHORTER = ", though a solution through it could be shorter than the one claimed"


@pytest.mark.parametrize("length", [None, 0, 30])
@pytest.mark.parametrize("method", list(Method))
def test_the_deal_is_missing(length: int | None, method: Method) -> None:
    claim = Claim((9, 8, 7, 6), length, method)
    row = root_row(claim)
    assert row[:4] == [9, 8, 7, 6]
    found = refuted(claim, Missing(row), None)
    if method is Method.DOMINATING:
        assert found.reason == "the deal's record is not among the closed ones"
    else:
        layer = "" if length is None else ", or not in the layer of its lower bound"
        assert found.reason == "the deal is not among the closed positions" + layer
    assert (found.shown, found.other, found.relation) == ((9, 8, 7, 6), None, None)


@pytest.mark.parametrize("length", [None, 0, 30])
@pytest.mark.parametrize("cost", [0, 5, (1 << KIND) - 1])
def test_what_follows_is_missing(length: int | None, cost: int) -> None:
    kinds = {0: "successor", PARENT - 1: "successor", PARENT: "parent", PARENT + 1: "parent"}
    for kind, name in kinds.items():
        if kind == ROOT:
            continue
        row = [5, 6, 7, 8, kind << KIND | cost, 11]
        found = refuted(Claim((9, 8, 7, 6), length), Missing(row), SOURCE)
        assert (found.shown, found.other) == (SOURCE, (5, 6, 7, 8))
        if name == "successor":
            reason = "a successor of a closed position is not closed"
            reason += "" if length is None else SHORTER
            assert (found.reason, found.relation) == (reason, "the successor")
        else:
            reason = "the parent of a closed position, by its parent-move code, is not closed"
            reason += "" if length is None else " with one move less"
            assert found.reason == reason
            assert found.relation == "its parent by the parent-move code"
        record = refuted(Claim((9, 8, 7, 6), None, Method.DOMINATING), Missing(row), SOURCE)
        assert record.reason == "a record that follows from a closed one is not closed"
        assert record.relation == "a position of the record that follows"
        assert (record.shown, record.other) == (SOURCE, (5, 6, 7, 8))


def test_a_successor_of_a_class_that_is_not_listed() -> None:
    """Moves lead to none from a position that follows from the deal; others may be in a store."""
    found = refuted(Claim((9, 8, 7, 6), 30), Missing([5, 6, 7, 8, 0, 11], True), SOURCE)
    reason = "a successor of a closed position is of a class that no moves from the deal lead to"
    assert (found.reason, found.relation) == (reason, "the successor")


def test_what_a_certificate_counts() -> None:
    """Of a shortest solution the layers below its length; of all else everything that is closed."""
    random = Random(6)
    for _ in range(300):
        strata = [
            tuple(random.randint(0, 9) for _ in range(4)) for _ in range(random.randint(0, 8))
        ]
        claim = random.choice(("shortest", "unsolvable", "solution"))
        length = random.choice((None, 0, 3, 5, 9))
        counted = _counts(claim, strata, length, "digest")
        whole = [
            row
            for row in strata
            if not (claim == "shortest" and length is not None) or row[0] < length
        ]
        assert counted["states"] == sum(states for _, _, states, _ in whole)
        assert counted["forced"] == sum(forced for *_, forced in whole)
        assert [tuple(row.values()) for row in counted["strata"]] == whole
        assert all(
            list(row) == ["layer", "stratum", "states", "forced"] for row in counted["strata"]
        )
        assert counted["digest"] == ("digest" if claim == "unsolvable" else None)
