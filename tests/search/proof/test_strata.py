"""A proof that ends early: nothing that is done is lost, and no more is done than may be."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.searching import prove, without_dives

from dbmsolver.game.deals import Deal
from dbmsolver.keys.states import StateCodec
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search.outcome import Stopped
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.proof.strata import ProofSearch
from dbmsolver.search.proof.workers import Threads
from dbmsolver.search.recorder import Recorder
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
def begun(folder: Path) -> Iterator[tuple[ProofSearch, Noted]]:
    """Yield a proof of which the deal is pending."""
    manifest, workers = new_manifest(Question.PROVE, DEAL, Options()), Noted()
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(
            store, Question.PROVE, Limits(), resumable=False, keep_closed=True, threads=2
        )
        search = ProofSearch(CODEC, recorder, workers, 2, 1 << 28)
        search.is_begun = True
        search.add(initial_candidates(CODEC))
        yield search, workers
        search.close()
        workers.close()


def test_the_end_takes_what_is_under_way(tmp_path: Path) -> None:
    """Batches of small signatures are finished, and so is a large one's work."""
    with begun(tmp_path) as (search, workers):
        statistics, ended = search.recorder.statistics, []
        while workers.closed == statistics.closed:
            assert search.step() is None
        large: Any = SimpleNamespace(end=lambda: ended.append(statistics.closed))
        search.large = large
        assert search.end(Stopped()) == Stopped()
        assert statistics.closed == workers.closed > 0
        assert ended == [statistics.closed]
        store = search.recorder.store
        assert sum(store.states_in(key) for key in store.keys(b"C")) == statistics.closed


def test_a_proof_that_has_closed_all_that_it_may_closes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_dives(monkeypatch)
    first, again = (prove(DEAL, store=tmp_path / "store", max_states=20_000) for _ in range(2))
    assert first.limit == again.limit == "max-states"
    assert (again.states, again.digest) == (first.states, first.digest)
    assert first.states + first.forced >= 20_000
