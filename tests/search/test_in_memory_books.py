"""Searches that hold what is pending in memory: whatever is lost ends them without a verdict.

Every way in which a candidate may get lost ends in an internal error.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.in_memory import PATIENCE, PIECES, Family, ask, counts, many_commits

from dbmsolver.errors import InternalError
from dbmsolver.results import Verdict
from dbmsolver.search.patience.large import LargePatienceSearch
from dbmsolver.search.patience.search import PatienceSearch


def lose_a_place(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._hand_out

    def hand_out(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.pending:
            del self.pending[max(self.pending)]

    patch.setattr(PatienceSearch, "_hand_out", hand_out)


def skip_expanding(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._begin

    def begin(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.current.left:
            self.current.states.counts[1] += 1
            self.recorded += 1

    patch.setattr(PatienceSearch, "_begin", begin)


def lose_what_is_handed_out(patch: pytest.MonkeyPatch, after: int) -> None:
    real = PatienceSearch._hand_out

    def hand_out(self: PatienceSearch) -> None:
        real(self)
        if self.place[0] + self.place[1] >= after and self.pending:
            self.pending[max(self.pending)].states.counts[0] -= 1

    patch.setattr(PatienceSearch, "_hand_out", hand_out)


def lose_a_record(patch: pytest.MonkeyPatch, after: int) -> None:
    real = LargePatienceSearch._close

    def close(self: LargePatienceSearch) -> Any:
        records = self.pending[self.place].records
        if self.place[0] + self.place[1] >= after and records:
            records.pop()
        yield from real(self)

    patch.setattr(LargePatienceSearch, "_close", close)


def lose_what_is_divided(patch: pytest.MonkeyPatch, after: int) -> None:
    real = LargePatienceSearch._shelve

    def shelve(self: LargePatienceSearch, words: Any, codes: Any) -> Any:
        last = -1 if self.place[0] + self.place[1] >= after else len(words)
        return real(self, words[:last], codes[:last])

    patch.setattr(LargePatienceSearch, "_shelve", shelve)


def lose_what_is_loaded(patch: pytest.MonkeyPatch, after: int) -> None:
    real = LargePatienceSearch._load

    def load(self: LargePatienceSearch, *given: Any) -> Any:
        found = real(self, *given)
        if self.place[0] + self.place[1] >= after and self.current.left:
            self.current.states.counts[0] -= 1
        return found

    patch.setattr(LargePatienceSearch, "_load", load)


def lose_a_set(patch: pytest.MonkeyPatch, after: int) -> None:
    real = LargePatienceSearch._hand_out

    def hand_out(self: LargePatienceSearch, *given: Any) -> Any:
        yield from real(self, *given)
        if self.place[0] + self.place[1] >= after:
            self.pending[max(self.pending)].fresh.states.counts[0] = 0

    patch.setattr(LargePatienceSearch, "_hand_out", hand_out)


LOSSES = [
    (PATIENCE, lose_a_place),
    (PATIENCE, skip_expanding),
    (PATIENCE, lose_what_is_handed_out),
    (PIECES, lose_a_record),
    pytest.param(PIECES, lose_what_is_divided, marks=pytest.mark.slow),
    pytest.param(PIECES, lose_what_is_loaded, marks=pytest.mark.slow),
    pytest.param(PIECES, lose_a_set, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("stored", [True, False], ids=["store", "no store"])
@pytest.mark.parametrize(("family", "lose"), LOSSES, ids=lambda value: getattr(value, "game", ""))
def test_what_is_lost_ends_without_a_verdict(
    family: Family,
    lose: Any,
    stored: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many_commits(monkeypatch, family)
    deal = family.deck(Verdict.UNSOLVABLE)
    expected = ask(deal)
    with monkeypatch.context() as patch:
        lose(patch, 4)
        with pytest.raises(InternalError, match="internal check failed"):
            ask(deal, family, store=tmp_path / "store" if stored else None)
    if stored:  # the last commit stands
        assert counts(ask(deal, family, store=tmp_path / "store")) == counts(expected)
