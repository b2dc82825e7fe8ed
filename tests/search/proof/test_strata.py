"""A proof that ends early: nothing that is done is lost, and no more is done than may be."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.searching import prove, without_dives

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.results import Limits, Method, Options, Question
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.outcome import GoalMet, LeftOpen, Win
from dbmsolver.search.proof import late_dives, strata
from dbmsolver.search.proof.initial import done_signatures, initial_candidates
from dbmsolver.search.proof.orders import Proof
from dbmsolver.search.proof.strata import ProofSearch
from dbmsolver.search.proof.workers import Threads
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(11982)
CODEC = StateCodec(DEAL, "wkr")


class Noted(Threads):
    """Two threads, and the work that they were given."""

    def __init__(self) -> None:
        super().__init__(CODEC, 2)
        self.least = 1
        self.given: list[Future[Any]] = []

    def close_batch(self, *order: Any) -> Future[Any]:
        self.given.append(super().close_batch(*order))
        return self.given[-1]

    def expand_piece(self, *order: Any) -> Future[Any]:
        self.given.append(super().expand_piece(*order))
        return self.given[-1]

    @property
    def closed(self) -> int:
        """The states that are closed by all of it, once it is done."""
        return sum(future.result().result.states for future in self.given)


@contextmanager
def begun(
    folder: Path, codec: StateCodec = CODEC, *, has_begun: bool = True, resumable: bool = False
) -> Iterator[tuple[ProofSearch, Noted]]:
    """Yield a proof of which the deal is pending."""
    manifest, workers = new_manifest(Question.PROVE, DEAL, Options()), Noted()
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(
            store, Question.PROVE, Limits(), resumable=resumable, keep_closed=True, threads=2
        )
        search = ProofSearch(codec, recorder, workers, 2, 1 << 28)
        search.is_begun = has_begun
        search.add(initial_candidates(codec))
        yield search, workers
        search.close()
        workers.close()


def test_the_end_takes_what_is_under_way(tmp_path: Path) -> None:
    """Batches of small signatures are finished, and so is a large one's work."""
    with begun(tmp_path) as (search, workers):
        statistics, ended = search.recorder.statistics, []
        while workers.closed == statistics.closed:
            assert search.step() is None
        # Where nothing has to be committed, the copies that are being closed are enough.
        assert not any(one.in_memory for one in search.strata[search.stratum])
        assert not search.shortest and search.report().share is not None
        large: Any = SimpleNamespace(end=lambda: ended.append(statistics.closed))
        search.large = large
        assert search.end(LeftOpen()) == LeftOpen()
        assert statistics.closed == workers.closed > 0
        assert ended == [statistics.closed]
        store = search.recorder.store
        assert sum(store.states_in(key) for key in store.keys(b"C")) == statistics.closed


def test_nothing_is_proved_where_candidates_are_lost(tmp_path: Path) -> None:
    with begun(tmp_path) as (search, _):
        search.strata.clear()
        with pytest.raises(InternalError, match="internal check failed"):
            search.step()


def test_what_is_pending_is_read_in_many_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the search goes on in the stratum that it was in."""
    monkeypatch.setattr(strata, "READ_AT_ONCE", 1)
    with begun(tmp_path, resumable=True) as (search, workers):
        while len(search.strata) < 3:
            assert search.step() is None
        search.end(LeftOpen())
        again = ProofSearch(CODEC, search.recorder, workers, 2, 1 << 28)
        records = len(search.recorder.store.keys(b"P"))
        for number in range(records):
            assert not again.is_begun and sum(map(len, again.strata.values())) == number
            assert again.step() is None
        assert again.strata.keys() == search.strata.keys() and records >= 3


def test_signatures_that_are_done_are_those_of_the_stratum(tmp_path: Path) -> None:
    """A commit between two strata names none of those that lie behind."""
    with begun(tmp_path, resumable=True) as (search, _):
        named: set[int] = set()
        while len(named) < 3:
            assert search.step() is None
            search.commit()
            done = np.array(done_signatures(search.recorder.store), np.uint64)
            strata_of_done = set(progress_of(CODEC.tables, done, CODEC.locked).tolist())
            assert strata_of_done <= {search.stratum}
            named |= strata_of_done


def test_a_win_that_an_earlier_run_has_met_ends_the_proof(tmp_path: Path) -> None:
    """That run was killed before it said so: the won state is pending."""
    one, code = np.ones(1, np.int64), 5
    signature, key = np.array([CODEC.goal], np.uint64), np.zeros(1, np.uint64)
    won = Runs(signature, one, key, np.array([code], CODEC.code_type), 1)
    with begun(tmp_path, has_begun=False) as (search, workers):
        search.add(Candidates.of(CODEC.last_stratum, won))
        assert search.step() == GoalMet()
        assert search.win == Win((State(CODEC.goal, 0, 0, 0),), code)
        assert workers.given == []


def test_candidates_leave_memory_while_strata_are_closed(tmp_path: Path) -> None:
    """Candidates of higher strata do, where all take more than a quarter of it."""
    with begun(tmp_path) as (search, _):
        search.memory = 1 << 16
        left = 0
        for _ in range(100):
            assert search.step() is None
            higher = [one for place in search.strata for one in search.strata[place]]
            left += sum(not one.in_memory for one in higher if one.stratum > search.stratum)
            assert search.candidate_bytes <= search.memory // 4 or not any(
                one.in_memory for one in higher if one.stratum > search.stratum
            )
        assert left


def test_a_proof_that_has_closed_all_that_it_may_closes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_dives(monkeypatch)
    first, again = (prove(DEAL, store=tmp_path / "store", max_states=20_000) for _ in range(2))
    assert first.limit == again.limit == "max-states"
    assert (again.states, again.digest) == (first.states, first.digest)
    assert first.states + first.forced >= 20_000


def test_a_dive_that_is_under_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stratum is closed meanwhile, and the dive ends with the search."""
    done: list[str] = []
    given: list[tuple[int, int]] = []  # threads and memory
    dives: Any = SimpleNamespace(
        under_way=True,
        threads=3,
        step=lambda: done.append("step"),
        close=lambda: done.append("end"),
    )
    monkeypatch.setattr(late_dives, "LateDives", lambda *how: given.append(how[2:]) or dives)
    keys: Any = Proof(DEAL, "wkr", Method.DOMINATING).keys()
    with begun(tmp_path, keys, has_begun=False) as (search, workers):
        assert not search.is_diving
        assert search.step() is None
        assert (search.is_diving, search.report().dive) == (True, (1, 3))
        assert (workers.given, search.stratum, done) == ([], 0, ["step"])
        assert given == [(2, search.memory // 8)]
        dives.step = lambda: True
        dives.win = Win((search.codec.root,), None)
        search.step()
        assert search.win == dives.win
        dives.under_way = False
        assert (search.is_diving, search.report().dive) == (False, None)
    assert done == ["step", "end"]


def of_the_next_stratum() -> Candidates:
    """Return the deal as a candidate of the stratum above its own."""
    runs = initial_candidates(CODEC).load()
    return Candidates.of(1, runs)


@pytest.mark.parametrize(("resumable", "lists"), [(True, 1), (False, 2)])
def test_a_commit_merges_what_it_writes(tmp_path: Path, resumable: bool, lists: int) -> None:
    """A run that is not resumable writes nothing that is pending."""
    with begun(tmp_path, resumable=resumable) as (search, _):
        search.add(of_the_next_stratum())
        search.add(of_the_next_stratum())
        search.commit()
        assert len(search.strata[1]) == search.ledger.pending.states - 1 == lists
        assert len(search.recorder.store.keys(b"P")) == (2 if resumable else 0)


def test_a_commit_misses_a_list_that_is_lost(tmp_path: Path) -> None:
    with begun(tmp_path, resumable=True) as (search, _):
        search.add(of_the_next_stratum())
        search.add(of_the_next_stratum())
        del search.strata[1][0]
        with pytest.raises(InternalError, match="1 pending states were lost"):
            search.commit()
