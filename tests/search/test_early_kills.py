"""Searches killed before they have committed anything: the store is complete even so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.crashes import die_with_the_goal
from helpers.failing_writes import FailingWrites
from helpers.interruptions import interrupt
from helpers.searching import end_of, prove, small_pieces
from helpers.selection import few_fast

from dbmsolver.api import solve
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Options
from dbmsolver.search import recorder, session
from dbmsolver.search.astar import look_ahead
from dbmsolver.search.astar.checkpoint import Checkpoint
from dbmsolver.search.astar.partitions import Partition, ShardQueue
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.outcome import Outcome
from dbmsolver.search.proof import stratum
from dbmsolver.search.proof.piece_set import PieceSet
from dbmsolver.search.proof.small import SmallSignatures
from dbmsolver.search.proof.strata import ProofSearch
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import parse_pending_key
from dbmsolver.storage.store import Store

MEDIUM = Deal.from_number(5979, rules_for("freecell", 3))
"""Unsolvable, with 534,206 states."""
DIGEST = "b40f391d7d2fa35d"
DEAL = Deal.from_number(11982)
"""Unsolvable, with 61,643 states."""
LITTLE = {"prove": 1_000_000, "solve": 48 << 20}
"""Memory so small that candidates are left to the store long before the first commit."""


def check_killed(store: Path, times: int, **settings: Any) -> None:
    """Check that a proof that is killed from its start-up on ends with the same answer.

    It is continued each time.
    """
    settings = {
        "memory": LITTLE[settings["question"]],
        "commit": 5.0,
        "look_ahead": 1000,
        **settings,
    }
    found = interrupt(store, times, share=0.9, **settings)
    assert found["undisturbed"]["verdict"] == "unsolvable"
    for outcome in found["outcomes"]:
        assert outcome == found["undisturbed"]


SEARCHES = [
    {"question": "prove", "deal": 11982, "freecells": 4},
    {
        "question": "prove",
        "deal": 5979,
        "freecells": 3,
        "small": 5000,
        "memory": 8_000_000,
        "commit": 0.2,
    },
    {"question": "solve", "deal": 11982, "freecells": 4},
]


def name(settings: dict[str, Any]) -> str:
    return "-".join(map(str, settings.values()))


@pytest.mark.parametrize("settings", few_fast([SEARCHES[0], SEARCHES[2]], 1), ids=name)
def test_killed_from_start_up_on(tmp_path: Path, settings: dict[str, Any]) -> None:
    check_killed(tmp_path / "store", 6, **settings)


@pytest.mark.slow
@pytest.mark.parametrize("commit", [0.1, 5.0])
@pytest.mark.parametrize(
    ("settings", "times"), list(zip(SEARCHES, (10, 5, 10), strict=True)), ids=map(name, SEARCHES)
)
def test_killed_many_times(
    tmp_path: Path, settings: dict[str, Any], times: int, commit: float
) -> None:
    """With commits every now and then a search comes to its end between kills; it is begun anew."""
    check_killed(tmp_path / "store", times, **{**settings, "commit": commit})


def check_write_errors(store: Path, failing: FailingWrites, question: str, numbers: range) -> None:
    """Check a search whose n-th write fails, for every n, each time continued."""
    ask = prove if question == "prove" else solve
    failing.fail_in_turn(numbers, lambda: ask(DEAL, store=store, memory=LITTLE[question]))
    result = ask(DEAL, store=store, memory=LITTLE[question])
    expected = ("unsolvable", 61_643, "adbc10b95742a1ee")
    assert (result.verdict, result.states, result.digest) == expected


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> FailingWrites:
    monkeypatch.setattr(look_ahead, "STATES", 1000)
    return FailingWrites(monkeypatch)


@pytest.mark.parametrize("question", few_fast(["prove", "solve"], 1))
def test_write_errors(tmp_path: Path, failing: FailingWrites, question: str) -> None:
    check_write_errors(tmp_path / "store", failing, question, range(1, 120, 11))


@pytest.mark.slow
@pytest.mark.parametrize("commit", [0.1, 5.0])
@pytest.mark.parametrize("question", ["prove", "solve"])
def test_every_write_error(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    failing: FailingWrites,
    question: str,
    commit: float,
) -> None:
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", commit)
    check_write_errors(tmp_path / "store", failing, question, range(1, 120, 5))


def test_the_deal_is_pending_when_the_search_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every store that says "search" has something pending, from the first transaction on."""
    seen = []
    real = Store.write

    def write(store: Store) -> Any:
        if store.manifest.phase == "search":
            seen.append(bool(store.keys(b"P")) or store.manifest.states > 0)
        return real(store)

    monkeypatch.setattr(Store, "write", write)
    for name, ask in (("prove", prove), ("solve", solve)):
        ask(Deal.from_number(11982), store=tmp_path / name)
    assert seen and all(seen)


def stopped_after_a_spill(store: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Stop a proof without a further word when it has spilled twice.

    Returns the number of records that it left.
    """
    spills = 0
    real = recorder.Recorder.spill

    class Killed(BaseException):
        pass

    def spill(self: recorder.Recorder, candidates: list[Candidates]) -> None:
        nonlocal spills
        real(self, candidates)
        spills += bool(candidates)
        if spills == 2:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(look_ahead, "STATES", 1000)
        patch.setattr(recorder.Recorder, "spill", spill)
        with pytest.raises(Killed):
            prove(MEDIUM, store=store, memory=LITTLE["prove"])
    with Store.open(store) as opened:
        return len(opened.keys(b"P"))


def test_spilled_records_are_scratch_until_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stopped_after_a_spill(tmp_path / "store", monkeypatch) > 1
    with Store.open(tmp_path / "store") as opened:
        following = opened.manifest.next
        lasting = [key for key in opened.keys(b"P") if parse_pending_key(key)[2] < following]
        assert [read_block(opened, key).codes.size for key in lasting] == [1]  # the deal
        assert (opened.manifest.states, opened.manifest.waiting[0]) == (0, 1)
    result = prove(MEDIUM, store=tmp_path / "store", memory=LITTLE["prove"])
    assert (result.verdict, result.states, result.digest) == ("unsolvable", 534_206, DIGEST)


@pytest.mark.parametrize("kept", [True, False], ids=["root kept", "root lost"])
def test_a_store_that_is_not_that_of_its_last_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """A run that would end with a wrong count is refused: it took over what was spilled.

    The deal may have been lost.
    """
    store = tmp_path / "store"
    stopped_after_a_spill(store, monkeypatch)
    monkeypatch.setattr(recorder.Recorder, "abandoned", lambda self: [])
    if not kept:
        with Store.open(store) as opened, opened.write() as txn:
            txn.delete(opened.keys(b"P")[0])
    with pytest.raises(StoreError, match="what is pending is not what the manifest says"):
        prove(MEDIUM, store=store, memory=LITTLE["prove"])


# The ledger: every way in which a candidate may get lost ends in an internal error, and never in a
# verdict.


def lose_a_stratum(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ProofSearch.step
    lost: list[Candidates] = []

    def step(self: ProofSearch) -> Outcome | None:
        if self.stratum > 15 and len(self.strata) > 1 and not lost:
            lost.extend(self.strata.pop(max(self.strata)))
        return real(self)

    monkeypatch.setattr(ProofSearch, "step", step)


def lose_a_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    real = stratum.gather

    def gather(parts: list[Runs], *more: Any) -> Any:
        return real(parts if len(parts) < 2 else parts[1:], *more)

    monkeypatch.setattr(stratum, "gather", gather)


def lose_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Losing(SmallSignatures):
        """Signatures whose batches nobody takes in higher strata."""

        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            if self.stratum >= 20:
                self.take = lambda batch: None

    monkeypatch.setattr(stratum, "SmallSignatures", Losing)


def lose_a_queue_of_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    real = PieceSet.deliver_new

    def deliver(self: PieceSet, *new: Any) -> None:
        real(self, *new)
        for piece in self.pieces:
            piece.queue = piece.queue[:-1]

    monkeypatch.setattr(PieceSet, "deliver_new", deliver)
    small_pieces(monkeypatch, 5000)


@pytest.mark.parametrize(
    "stored", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["store", "no store"]
)
@pytest.mark.parametrize(
    "lose", [lose_a_stratum, lose_a_signature, lose_a_batch, lose_a_queue_of_a_piece]
)
def test_ledger_of_a_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lose: Any, stored: bool
) -> None:
    lose(monkeypatch)
    with pytest.raises(InternalError, match="internal check failed"):
        prove(MEDIUM, store=tmp_path / "store" if stored else None)


def lose_incoming_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Partition.distribute
    calls = 0

    def distribute(self: Partition, rows: Any, *lock: Any) -> None:
        nonlocal calls
        real(self, rows, *lock)
        calls += 1
        for queue in self.queues or ():
            if calls == 20 and queue.incoming:
                queue.incoming.pop()

    monkeypatch.setattr(Partition, "distribute", distribute)


def lose_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    real = ShardQueue.enlarge_table

    def enlarge(self: ShardQueue) -> None:
        real(self)
        if self.waiting:
            self.waiting.pop(max(self.waiting))

    monkeypatch.setattr(ShardQueue, "enlarge_table", enlarge)


@pytest.mark.parametrize("lose", [lose_incoming_candidates, lose_what_waits])
def test_books_of_a_search_by_cost(monkeypatch: pytest.MonkeyPatch, lose: Any) -> None:
    lose(monkeypatch)
    with pytest.raises(InternalError, match="internal check failed"):
        solve(MEDIUM)


def test_books_of_a_search_by_cost_that_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States lost when a search is continued show at its end: more were known before."""
    assert solve(MEDIUM, store=tmp_path / "store", max_states=200_000).limit == "max-states"
    real = Checkpoint.restore

    def restore(self: Checkpoint) -> None:
        real(self)
        self.partitions[0].candidates.clear()

    monkeypatch.setattr(Checkpoint, "restore", restore)
    with pytest.raises(InternalError, match="internal check failed"):
        solve(MEDIUM, store=tmp_path / "store")


def test_closed_states_that_are_missing_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = recorder.Recorder.add_closed

    def add(self: recorder.Recorder, blocks: Any, **more: Any) -> Any:
        blocks = list(blocks)
        refs = real(self, blocks, **more)
        if len(self.batch.blocks) == 5:
            self.batch.blocks.pop()
        return refs

    monkeypatch.setattr(recorder.Recorder, "add_closed", add)
    with pytest.raises(InternalError, match="internal check failed"):
        prove(MEDIUM, store=tmp_path / "store")


MIDDLE = """\
Foundations: H-6 C-J D-8 S-9
Freecells: QH 9H QD -
KC
KD
QC 9D TS JD
7H JS TD
KH QS JH
8H
TH
KS
"""
"""The middle of a game: a few thousand states from the goal."""


@pytest.mark.parametrize("before", ["played", "committed"])
def test_killed_between_the_goal_and_the_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """The goal is pending in the commit before the verdict: a continued run finds it there."""
    monkeypatch.setattr(look_ahead, "STATES", 1)
    deal = Deal.from_text(MIDDLE, GAMES["freecell"])
    with monkeypatch.context() as patch:
        die_with_the_goal(patch, before)
        with pytest.raises(KeyboardInterrupt):
            prove(deal, store=tmp_path / "store")
    result = end_of(
        session.run("prove", deal, Options(store=tmp_path / "store", method="every-position"))
    )
    assert (result.verdict, bool(result.moves)) == ("solved", True)
