"""Games of all kinds but cards, stratum by stratum: threads, little memory, interruptions.

They are games whose cards only leave, and proofs over every position of Klondike and its relatives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.crashes import crash_until_done, die_with_the_goal
from helpers.failing_writes import FailingWrites
from helpers.interruptions import interrupt
from helpers.pair_games import pyramid
from helpers.patience_games import small_deck
from helpers.pile_games import golf
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.pile import keys as piles
from dbmsolver.results import Commit, Limit, Method, Options, Question, Result, Verdict
from dbmsolver.search import inspect, recorder, session
from dbmsolver.search.evidence import check_unfinished
from dbmsolver.search.improve import beams_ahead, leaving_dives
from dbmsolver.search.proof import piece_tables, proof_state, stratum, worker
from dbmsolver.storage.environment import Environment
from dbmsolver.verify import leaving_format

MOST = 8
"""The most ways in which columns that are not in a signature can have lost cards."""
QUESTIONS: list[Question] = [Question.PROVE, Question.SOLVE]
VERDICTS = [Verdict.UNSOLVABLE, Verdict.SOLVED]

_SEEDS = {
    "klondike_by_threes": {Verdict.UNSOLVABLE: 26752, Verdict.SOLVED: 349},
    "canfield": {Verdict.UNSOLVABLE: 807, Verdict.SOLVED: 36},
}
"""Seeds of decks with some hundred states; signatures of the second have most of them."""


def _of_klondike(game: str) -> Callable[[Verdict], Deal]:
    return lambda wanted: small_deck(game, Random(_SEEDS[game][wanted]))


DECKS: dict[str, Callable[[Verdict], Deal]] = {
    "golf": golf,
    "pyramid": pyramid,
    **{game: _of_klondike(game) for game in _SEEDS},
}
"""Small decks by their verdicts."""
SEARCHED = [
    (deck, question)
    for deck in DECKS
    for question in (QUESTIONS if deck in ("golf", "pyramid") else QUESTIONS[:1])
]
"""Decks and questions that are answered by closing strata."""
CASES = few_fast(
    (
        (deck, question, VERDICTS[(number + other) % 2])
        for number, (deck, question) in enumerate(SEARCHED)
        for other in (0, 1)
    ),
    len(SEARCHED),
)
"""The same with both verdicts; of each one of them is a fast test."""

UNSOLVABLE = {
    ("golf", 1): (219_907, "fe4dadf30dcf1d67"),
    ("golf", 7): (147_111, "6f4d85f5d00a8c64"),
    ("black_hole", 1): (9, "abdf6d92c4eaca61"),
    ("black_hole", 34): (30, None),
    ("all_in_a_row", 1): (83, "5819a26c8847fb9b"),
    ("all_in_a_row", 2): (109, "01936f550b36cbe2"),
    ("all_in_a_row", 13): (124_111, "96baaa7926ca570b"),
    ("all_in_a_row", 57): (15_525, "1b8494e075f9735d"),
}
"""Positions and digest of deals that cannot be won, as a search of another kind found them."""
LENGTHS = {("golf", 2): 46, ("golf", 4): 49, ("black_hole", 2): 51, ("all_in_a_row", 3): 52}


def ask(question: Question, deal: Deal, **options: Any) -> Result:
    """Search a deal for the answer to a question."""
    if question == Question.SOLVE:
        return api.solve(deal, **options)
    return api.prove(deal, method="every-position", **options)


def counts(result: Result) -> tuple[Any, ...]:
    """Return the facts that depend on the deal alone; of a won proof that is its verdict."""
    if result.verdict == "solved" and result.question == Question.PROVE:
        return (result.verdict,)
    return result.verdict, result.length, result.states, result.strata, result.digest


OF_KLONDIKE = {
    ("klondike_by_threes", 66): (29_182, "de8a8ce00f7b2506"),
    ("klondike_by_threes", 38): (56_636, "9022c9fc0fab5454"),
}
"""The same for proofs of Klondike and its relatives."""


@pytest.mark.parametrize(
    ("game", "number", "threads"),
    few_fast(((*deal, threads) for threads in (2, 1) for deal in OF_KLONDIKE), 2),
)
def test_proofs_of_klondike_close_what_they_did(game: str, number: int, threads: int) -> None:
    states, digest = OF_KLONDIKE[game, number]
    result = ask(Question.PROVE, Deal.from_number(number, GAMES[game]), threads=threads)
    found = (result.verdict, result.states, result.digest)
    assert found == ("unsolvable", states, digest)


@pytest.mark.parametrize(("game", "number"), UNSOLVABLE)
@pytest.mark.parametrize("question", QUESTIONS)
def test_states_and_digests_are_those_of_before(question: Question, game: str, number: int) -> None:
    states, digest = UNSOLVABLE[game, number]
    result = ask(question, Deal.from_number(number, GAMES[game]))
    assert (result.verdict, result.states) == ("unsolvable", states)
    assert digest in (None, result.digest)


@pytest.mark.parametrize(("game", "number"), LENGTHS)
def test_lengths_are_those_of_before(game: str, number: int) -> None:
    result = api.solve(Deal.from_number(number, GAMES[game]))
    assert (result.length, result.shortest) == (LENGTHS[game, number], True)


@cache
def undisturbed(deck: str, question: Question, wanted: Verdict) -> tuple[Any, ...]:
    """Return the counts of a small deck in memory without dives, which several tests expect."""
    return counts(ask(question, DECKS[deck](wanted)))


@pytest.fixture
def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    """No dives, many small signatures, and no wait for the disk: no power fails in these tests."""
    real = Environment.__init__

    def quick(self: Environment, path: Path, *, durable: bool, new: bool = False) -> None:
        real(self, path, durable=False, new=new)

    monkeypatch.setattr(Environment, "__init__", quick)
    monkeypatch.setattr(leaving_dives, "SCHEDULE", ())
    monkeypatch.setattr(beams_ahead, "FIRST_OF_PATIENCE", ())
    make = piles.make_tables
    monkeypatch.setattr(piles, "make_tables", lambda *given: make(*given[:4], MOST))
    monkeypatch.setattr(leaving_format, "_MOST_LENGTHS", {True: MOST, False: MOST})


def in_pieces(patch: pytest.MonkeyPatch) -> None:
    """Let signatures of some dozen states be closed in pieces."""
    patch.setattr(worker, "SMALL", 40)
    patch.setattr(stratum, "SURELY_LARGE", 60)
    patch.setattr(piece_tables, "SMALLEST_BITS", 12)


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize("question", QUESTIONS)
def test_two_threads_find_what_one_does(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a lost deal with many states, and in a small one that is won, in pieces."""

    def compare(deal: Deal) -> None:
        one, two = (ask(question, deal, threads=threads) for threads in (1, 2))
        assert counts(one) == counts(two)

    compare(Deal.from_number(7, GAMES["golf"]))
    in_pieces(monkeypatch)
    compare(golf(Verdict.SOLVED))


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question", "wanted"), CASES)
def test_signatures_closed_in_pieces(
    deck: str, question: Question, wanted: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = DECKS[deck](wanted)
    expected = undisturbed(deck, question, wanted)
    in_pieces(monkeypatch)
    result = ask(question, deal, threads=2, store=tmp_path)
    assert counts(result) == expected
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question", "wanted"), CASES)
def test_pending_states_go_to_the_store_where_memory_is_little(
    deck: str, question: Question, wanted: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = DECKS[deck](wanted)
    expected = undisturbed(deck, question, wanted)
    spilled = 0
    real = proof_state.ProofState.spill

    def spill(self: proof_state.ProofState, candidates: Any) -> None:
        nonlocal spilled
        spilled += len(candidates)
        real(self, candidates)

    init = proof_state.ProofState.__init__

    def little(self: Any, *given: Any, **named: Any) -> None:
        init(self, *given, **named)
        self.memory = 1000

    monkeypatch.setattr(proof_state.ProofState, "spill", spill)
    monkeypatch.setattr(proof_state.ProofState, "__init__", little)
    result = ask(question, deal, store=tmp_path)
    assert counts(result) == expected
    assert spilled > 2
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question", "wanted"), CASES)
def test_crashes_leave_what_was_committed(
    deck: str, question: Question, wanted: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = DECKS[deck](wanted)
    expected = undisturbed(deck, question, wanted)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    options = Options(store=tmp_path, threads=2, method=Method.EVERY_POSITION)
    result, crashes = crash_until_done(lambda: session.run(question, deal, options))
    assert counts(result) == expected
    assert crashes > 1
    assert faults.check(tmp_path).valid


@pytest.mark.parametrize("deck", ["golf", "pyramid"])
@pytest.mark.usefixtures("no_dives")
def test_no_commit_tells_of_a_layer_without_closed_states(
    deck: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever it is killed, a search goes on: the first piece of a layer may close nothing."""
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    in_pieces(monkeypatch)
    deal = DECKS[deck](Verdict.UNSOLVABLE)
    commits, commit = 0, recorder.Recorder.commit

    def checked(self: recorder.Recorder, *given: Any) -> Commit:
        nonlocal commits
        made = commit(self, *given)
        if self.store.manifest.verdict is None:
            check_unfinished(self.store, deal)
            commits += 1
        return made

    monkeypatch.setattr(recorder.Recorder, "commit", checked)
    result = api.solve(deal, store=tmp_path, threads=1)
    assert result.verdict == "unsolvable" and commits > 5


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question"), SEARCHED)
def test_limits_leave_a_search_that_goes_on(
    deck: str, question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    deal = DECKS[deck](Verdict.UNSOLVABLE)
    expected = undisturbed(deck, question, Verdict.UNSOLVABLE)
    runs, most, least = 0, 0, []
    while True:
        most += 100
        result = ask(question, deal, store=tmp_path, max_states=most)
        runs += 1
        if result.limit is None:
            break
        assert (result.verdict, result.limit) == ("undecided", Limit.MAX_STATES)
        status = inspect.status(tmp_path)
        assert (status.closed, status.at_least) == (result.states, result.at_least)
        least.append(result.at_least)
    assert runs > 2
    assert counts(result) == expected
    if question == Question.SOLVE:
        assert least == sorted(least) and least[-1] > least[0]
    other = next(one for one in QUESTIONS if one != question)
    with pytest.raises(StoreError, match="holds a search with another question"):
        ask(other, deal, store=tmp_path)


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question", "wanted"), CASES)
def test_write_errors(
    deck: str, question: Question, wanted: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write fails, early or late, and the search goes on from what was there before."""
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    deal = DECKS[deck](wanted)
    expected = undisturbed(deck, question, wanted)
    FailingWrites(monkeypatch).fail_in_turn(
        range(1, 120, 20), lambda: ask(question, deal, store=tmp_path)
    )
    assert counts(ask(question, deal, store=tmp_path)) == expected
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question"), SEARCHED)
@pytest.mark.parametrize("before", ["played", "committed"])
def test_killed_between_the_goal_and_the_verdict(
    deck: str, question: Question, before: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The won state is pending in the last commit, and a continued run closes nothing more."""
    deal = DECKS[deck](Verdict.SOLVED)
    expected = undisturbed(deck, question, Verdict.SOLVED)
    with monkeypatch.context() as patch:
        die_with_the_goal(patch, before)
        with pytest.raises(KeyboardInterrupt):
            ask(question, deal, store=tmp_path)
    closed = inspect.status(tmp_path).closed
    result = ask(question, deal, store=tmp_path)
    assert counts(result) == expected
    assert inspect.status(tmp_path).closed == closed
    assert faults.check(tmp_path).valid


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize(("deck", "question"), [case for case in SEARCHED if "pyramid" not in case])
def test_what_is_lost_ends_without_a_verdict(
    deck: str, question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = DECKS[deck](Verdict.UNSOLVABLE)
    expected = undisturbed(deck, question, Verdict.UNSOLVABLE)
    real = proof_state.ProofState.add

    def add(self: proof_state.ProofState, candidates: Any) -> None:
        real(self, candidates)
        if self.stratum > 1 and candidates.signatures.size > 1:
            waiting = self.strata[candidates.stratum]
            waiting[-1] = candidates.select(candidates.signatures[1:])

    with monkeypatch.context() as patch:
        patch.setattr(proof_state.ProofState, "add", add)
        with pytest.raises(InternalError, match="internal check failed"):
            ask(question, deal, store=tmp_path)
    assert counts(ask(question, deal, store=tmp_path)) == expected


@pytest.mark.parametrize("deck", ["golf", "pyramid"])
@pytest.mark.usefixtures("no_dives")
def test_a_solution_of_that_length_ends_the_search(
    deck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a shortest solution known before, its layer is not closed."""
    deal = DECKS[deck](Verdict.SOLVED)
    expected = undisturbed(deck, Question.SOLVE, Verdict.SOLVED)
    monkeypatch.setattr(leaving_dives, "SCHEDULE", (1 << 15,) * 8)
    result = api.solve(deal, any_solution=True)
    assert (result.length, result.shortest) == (expected[1], True)
    assert counts(result) == expected


@pytest.mark.parametrize("deck", ["golf", "pyramid"])
def test_a_store_of_another_version_is_refused_in_a_line(deck: str, tmp_path: Path) -> None:
    deal = DECKS[deck](Verdict.UNSOLVABLE)
    api.prove(deal, store=tmp_path)

    def older(manifest: dict[str, Any]) -> None:
        manifest["meaning"]["keys"] -= 1

    faults.change_manifest(tmp_path, older)
    with pytest.raises(StoreError, match=r"made with version [01] of the keys") as refused:
        api.prove(deal, store=tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize("game", _SEEDS)
def test_positions_and_certificates_of_a_proof_of_klondike(game: str, tmp_path: Path) -> None:
    deal = DECKS[game](Verdict.UNSOLVABLE)
    ask(Question.PROVE, deal, store=tmp_path, max_states=100)
    status = inspect.status(tmp_path)
    assert status.pending and status.closed
    assert inspect.lookup(tmp_path, deal.position) == []
    ask(Question.PROVE, deal, store=tmp_path)
    assert inspect.certificate(tmp_path)
    for _, after in deal.position.successors(deal.rules, "wkr"):
        position = deal.position
        for move in inspect.lookup(tmp_path, after) or ():
            position = position.apply(move)
        assert position.canonical() == after.canonical()


@pytest.mark.slow
@pytest.mark.parametrize(("commit", "signal"), [(0.0, "SIGKILL"), (5.0, "SIGINT")])
@pytest.mark.parametrize("question", ["prove", "solve"])
@pytest.mark.parametrize("small", [None, 5000])
def test_killed_many_times(
    tmp_path: Path, question: str, commit: float, signal: str, small: int | None
) -> None:
    found = interrupt(
        tmp_path / "store", 3, share=0.9, game="golf", deal=1, dives=False, memory=256 << 20,
        question=question, commit=commit, signal=signal, small=small,
    )  # fmt: skip
    assert found["undisturbed"]["verdict"] == "unsolvable"
    for outcome in found["outcomes"]:
        assert outcome == found["undisturbed"]


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_deal_beyond_the_least_memory(question: Question, tmp_path: Path) -> None:
    """With 64M, of which candidates may take a quarter, two million states are closed."""
    deal = Deal.from_number(359, GAMES["black_hole"])
    result = ask(question, deal, memory=64 << 20, threads=2, store=tmp_path)
    assert (result.states, result.digest) == (2_120_061, "6dbaee89d3448e6e")
    assert faults.check(tmp_path).valid
