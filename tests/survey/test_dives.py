"""Dives for many deals in one call: what each deal would be found to be by itself."""

from __future__ import annotations

import pickle
from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.numbers import DECK, MAX_NUMBER
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Limit, Method, Question, Verdict
from dbmsolver.search.proof.deal_dives import SMALL, Batch, DealDiver, laid_out
from dbmsolver.search.proof.dives import SCHEDULE
from dbmsolver.search.proof.numbered import numbers_laid_out, shuffled_decks
from dbmsolver.survey import dives as module
from dbmsolver.survey.dives import DivesInTurn, laid_out_subjects
from dbmsolver.survey.jobs import Finding
from dbmsolver.survey.ranges import Subject, one_line

MEMORY = 64 << 20
NUMBERS = st.one_of(
    st.integers(1, MAX_NUMBER),
    st.sampled_from([2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, MAX_NUMBER]),
)
DIVED = [rules for rules in GAMES.values() if has_dominance(rules)]


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(DIVED), st.lists(NUMBERS, min_size=1, max_size=5))
def test_numbers_are_dealt_together_as_each_alone(rules: Rules, numbers: list[int]) -> None:
    laid = numbers_laid_out(numbers, rules)
    alone = laid_out([Deal.from_number(number, rules) for number in numbers])
    if laid is None:
        assert rules.layout or rules.kings_sunk
        laid = laid_out_subjects([Subject(number, None, rules) for number in numbers])
    assert np.array_equal(laid.cards, alone.cards)
    assert np.array_equal(laid.lengths, alone.lengths)


def test_boards_are_laid_out_with_numbers() -> None:
    """A kernel deals numbers of Microsoft's alone; what has others, or boards, is read here."""
    rules = rules_for("freecell")
    boards = [Subject(None, one_line(Deal.from_number(n, rules)), rules) for n in (6, 7)]
    others = [Subject(5, None, rules, whose) for whose in ("microsoft", "pysolfc")]
    for subjects in (boards, others, [*others, *boards], others[1:], [*boards, others[0]]):
        laid = laid_out_subjects(subjects)
        alone = laid_out([subject.deal() for subject in subjects])
        assert np.array_equal(laid.cards, alone.cards)
        assert np.array_equal(laid.lengths, alone.lengths)


def test_decks_have_every_card_once() -> None:
    decks = shuffled_decks(np.arange(1, 200, dtype=np.uint64))
    assert np.array_equal(np.sort(decks, axis=1), np.tile(np.arange(52), (199, 1)))
    assert len({deck.tobytes() for deck in decks}) == 199
    assert sorted(DECK) == list(range(52))


@pytest.mark.parametrize("number", [-1, -2, 0, MAX_NUMBER + 1])
def test_numbers_without_a_shuffled_deck(number: int) -> None:
    assert numbers_laid_out([1, number], rules_for("freecell")) is None


def test_numbers_are_dealt_together_where_cards_are_all_alike() -> None:
    """In no other game, be it one that nobody dives for; each is laid out as a board is."""
    together = 0
    for rules in GAMES.values():
        laid = numbers_laid_out([1, 2], rules)
        if laid is not None:
            alone = laid_out([Deal.from_number(number, rules) for number in (1, 2)])
            assert np.array_equal(laid.cards, alone.cards), rules.name
            assert np.array_equal(laid.lengths, alone.lengths), rules.name
            together += 1
    assert together > 5


def found_by(dives: DivesInTurn, subjects: list[Subject], most: int | None) -> list[Finding]:
    found = list(dives.run(subjects, most, None, True))
    assert all(one.seconds > 0 and one.peak_memory > 0 for one in found)
    return [replace(one, seconds=0.0, peak_memory=0) for one in found]


@pytest.mark.parametrize(
    ("cells", "most"), [(0, None), (1, None), (1, 100), (2, 700), (4, None), (4, 700)]
)
def test_deals_together_are_found_to_be_what_each_is_alone(cells: int, most: int | None) -> None:
    """Digests, lengths and numbers of records, too; boards among the numbers."""
    rules = rules_for("freecell", cells)
    subjects = [Subject(number, None, rules) for number in range(1, 30)]
    subjects[3] = Subject(None, one_line(Deal.from_number(4, rules)), rules)
    dives = DivesInTurn(Deal.from_number(1, rules), "wkr", MEMORY)
    together = found_by(dives, subjects, most)
    alone = [one for subject in subjects for one in found_by(dives, [subject], most)]
    assert together == alone
    assert len({one.verdict for one in together}) > 1 or cells in (0, 4)
    for one in together:
        assert (one.digest is not None) == (one.verdict == Verdict.UNSOLVABLE)


def test_digests_are_those_of_whole_searches() -> None:
    """Records of deals that were dived for in the middle of a batch."""
    from dbmsolver.results import Limits, Options
    from dbmsolver.search import session
    from dbmsolver.steps import follow

    rules = rules_for("freecell", 1)
    subjects = [Subject(number, None, rules) for number in range(1, 13)]
    dives = DivesInTurn(subjects[0].deal(), "wkr", MEMORY)
    exhausted = 0
    for subject, found in zip(subjects, dives.run(subjects, None, None, False), strict=True):
        if found.verdict == Verdict.UNSOLVABLE:
            options = Options(threads=1, method=Method.DOMINATING)
            result = follow(session.run(Question.PROVE, subject.deal(), options, Limits()))
            assert (found.states, found.digest) == (result.states, result.digest)
            exhausted += 1
    assert exhausted > 3


def test_a_way_longer_than_a_batch_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deal is dived for alone, and nothing that is told differs."""
    rules = rules_for("freecell")
    subjects = [Subject(number, None, rules) for number in range(1, 9)]
    dives = DivesInTurn(subjects[0].deal(), "wkr", MEMORY)
    before = found_by(dives, subjects, None)
    monkeypatch.setattr("dbmsolver.search.proof.deal_dives._MOST_STEPS", 25)
    assert found_by(dives, subjects, None) == before


def test_time_that_is_over_after_small_dives() -> None:
    """Small dives are made, whatever the limit; large ones are not begun."""
    rules = rules_for("freecell", 2)
    subjects = [Subject(number, None, rules) for number in (384243, 1, 7)]
    dives = DivesInTurn(subjects[0].deal(), "wkr", MEMORY)
    first, *_ = dives.run(subjects, None, 1e-9, False)
    assert (first.verdict, first.limit) == (Verdict.UNDECIDED, Limit.MAX_TIME)
    assert first.evaluated <= sum(limit for _, limit in SCHEDULE if limit <= SMALL)


def test_calls_are_short_where_dives_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of the kernel has ever fewer deals while calls take too long."""
    rules = rules_for("freecell")
    subjects = [Subject(number, None, rules) for number in range(1, 40)]
    dives = DivesInTurn(subjects[0].deal(), "wkr", MEMORY)
    sizes = []
    whole = DealDiver.dive

    def dive(self: DealDiver, batch: Batch, *rest: Any, **more: Any) -> int:
        if more:
            sizes.append(batch.deals)
        return whole(self, batch, *rest, **more)

    monkeypatch.setattr(DealDiver, "dive", dive)
    monkeypatch.setattr(module, "_CALL", 60.0)
    list(dives.run(subjects, None, None, False))
    assert sizes == [4, 8, 16, 11]
    sizes.clear()
    monkeypatch.setattr(module, "_CALL", 0.0)
    list(dives.run(subjects[:3], None, None, False))
    list(dives.run(subjects[:3], None, None, False))
    assert sizes == [3, 1, 1, 1]


def test_answers_and_subjects_are_sent_whole() -> None:
    found = Finding(Verdict.SOLVED, Limit.MAX_TIME, 1, True, 2, 3, 4, 0.5, 6, "7", "8")
    assert astuple(pickle.loads(pickle.dumps(found))) == astuple(found)
    for subject in (Subject(3, None, DIVED[0]), Subject(None, "AS / 2H", DIVED[1])):
        assert pickle.loads(pickle.dumps(subject)) == subject
