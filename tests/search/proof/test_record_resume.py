"""Proofs over dominating positions, killed or stopped by limits: the same in the end."""

from __future__ import annotations

import resource
import signal
from functools import reduce
from operator import or_
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.interruptions import interrupt
from helpers.searching import small_pieces, without_dives
from helpers.selection import few_fast
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.api import prove
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Commit, Event, Options, Report
from dbmsolver.search import recorder, session
from dbmsolver.search.commits import BlockRef, Packed
from dbmsolver.search.proof import (
    dives,
    large,
    piece_set,
    piece_worker,
    strata,
    stratum,
    table_loading,
    worker,
)
from dbmsolver.search.proof.block_index import BlockIndex, Span
from dbmsolver.search.proof.piece_set import PieceSet
from dbmsolver.search.proof.pieces import Piece
from dbmsolver.storage.store import Store

SMALL = Deal.from_number(1, rules_for("freecell", 2))
RECORDS = 14_555
MEDIUM = Deal.from_number(5979, rules_for("freecell", 3))
MEDIUM_RECORDS = 135_776
SMALL_AND_MEDIUM = [
    pytest.param(SMALL, RECORDS, id="small"),
    pytest.param(MEDIUM, MEDIUM_RECORDS, id="medium", marks=pytest.mark.slow),
]


def check_interrupted(tmp_path: Path, times: int, **settings: Any) -> None:
    """Check that a proof with signals at random moments ends as an undisturbed run."""
    whole = {"question": "prove", "method": "dominating", **settings}
    found = interrupt(tmp_path / "store", times, share=1 / 6, **whole)
    assert found["undisturbed"]["verdict"] == "unsolvable"
    for outcome in found["outcomes"]:
        assert outcome == found["undisturbed"]


@pytest.mark.parametrize("how", ["SIGKILL", pytest.param("SIGINT", marks=pytest.mark.slow)])
def test_interrupted_at_random_moments(tmp_path: Path, how: str) -> None:
    check_interrupted(tmp_path, deal=5979, freecells=3, dives=how == "SIGINT", signal=how, times=8)


@pytest.mark.slow
@pytest.mark.parametrize(("how", "with_dives"), [("SIGKILL", False), ("SIGINT", True)])
@pytest.mark.parametrize(
    ("deal", "freecells", "small", "memory"),
    [
        (5979, 3, None, None),
        (891, 2, None, 64 << 20),
        (1, 2, 500, 8_000_000),
    ],
)
def test_interrupted_many_times(
    tmp_path: Path,
    how: str,
    with_dives: bool,
    deal: int,
    freecells: int,
    small: int | None,
    memory: int | None,
) -> None:
    check_interrupted(
        tmp_path,
        deal=deal,
        freecells=freecells,
        small=small,
        memory=memory,
        dives=with_dives,
        signal=how,
        times=4,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("deal", "records"), SMALL_AND_MEDIUM)
@pytest.mark.parametrize(
    ("threads", "memory"), [(1, 8_000_000), pytest.param(2, None, marks=pytest.mark.slow)]
)
def test_stopped_by_limits_and_continued(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    threads: int,
    memory: int | None,
    deal: Deal,
    records: int,
) -> None:
    """A limit stops a run anywhere between two steps, those of big signatures included."""
    without_dives(monkeypatch)
    small_pieces(monkeypatch, records // 30)
    store = tmp_path / "store"
    for most in [*range(records // 8, records, records // 2), None]:
        result = prove(deal, store=store, max_states=most, memory=memory, threads=threads)
        if most is not None:
            assert (result.verdict, result.limit) == ("undecided", "max-states")
            assert result.states >= most
        with Store.open(store) as opened:
            stored = sum(opened.states_in(key) for key in opened.keys(b"C"))
        assert stored == result.states  # each exactly once
    assert (result.verdict, result.states) == ("unsolvable", records)
    monkeypatch.undo()
    assert prove(deal).digest == result.digest


def test_limits_reached_while_diving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dives obey limits, and leave nothing behind that a later run counts."""
    store = tmp_path / "store"
    result = prove(MEDIUM, store=store, max_time=0.0)
    assert (result.verdict, result.limit, result.states) == ("undecided", "max-time", 0)
    monkeypatch.setattr(dives, "SCHEDULE", dives.SCHEDULE[:4])
    result = prove(MEDIUM, store=store, max_states=3000, memory=64 << 20, threads=1)
    assert (result.verdict, result.limit) == ("undecided", "max-states")
    assert 3000 <= result.states < MEDIUM_RECORDS
    result = prove(MEDIUM, store=store)
    assert (result.verdict, result.states) == ("unsolvable", MEDIUM_RECORDS)


@pytest.mark.parametrize("phase", few_fast(["search", "dive"], 1))
def test_interrupted_by_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    """A Ctrl-C in the middle of a dive, and of the search on disk."""
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    if phase == "search":
        without_dives(monkeypatch)
    store = tmp_path / "store"
    events = session.run("prove", MEDIUM, Options(store=store))  # type: ignore[arg-type]

    def stop_in_phase(event: Report | Commit) -> bool:
        return isinstance(event, Report) and event.phase == phase

    for event in events:
        if stop_in_phase(event):
            break
    events.close()
    with Store.open(store) as opened:
        assert opened.manifest.verdict is None
    result = prove(MEDIUM, store=store)
    assert (result.verdict, result.states) == ("unsolvable", MEDIUM_RECORDS)


@pytest.mark.parametrize("with_dives", [True, False])
def test_a_file_that_may_not_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_dives: bool
) -> None:
    """A real refusal of the system; then there is room again."""
    if not with_dives:
        without_dives(monkeypatch)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    store = tmp_path / "store"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (48 << 10, before[1]))
    try:
        result = prove(SMALL, store=store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (result.verdict, result.limit) == ("undecided", "disk full")
    result = prove(SMALL, store=store)
    assert (result.verdict, result.states) == ("unsolvable", RECORDS)


@pytest.mark.parametrize(
    ("method", "states"), [("dominating", RECORDS), ("every-position", 70_882)]
)
def test_commits_while_large_signatures_are_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, states: int
) -> None:
    """They drop duplicates among candidates that nobody has been given yet."""
    without_dives(monkeypatch)
    monkeypatch.setattr(stratum, "SURELY_LARGE", 300)
    inside: list[bool] = []
    step = stratum.StratumClosing.step

    def step_of(self: stratum.StratumClosing) -> bool:
        is_over = step(self)
        inside[:] = [True] * (self.search.large is not None)
        return is_over

    monkeypatch.setattr(stratum.StratumClosing, "step", step_of)
    monkeypatch.setattr(recorder.Recorder, "due", lambda self: bool(inside))
    found = prove(SMALL, method=method, store=tmp_path / "store")
    assert (found.verdict, found.states) == ("unsolvable", states)


def test_keep_none_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, schedule in enumerate((dives.SCHEDULE, ())):
        monkeypatch.setattr(dives, "SCHEDULE", schedule)
        store = tmp_path / f"store{number}"
        result = prove(SMALL, store=store, keep="none")
        assert (result.verdict, result.states) == ("unsolvable", RECORDS)
        with Store.open(store) as opened:
            assert opened.keys() == [b"M", b"S"]
        again = prove(SMALL, store=store, keep="none")
        assert (again.states, again.digest) == (result.states, result.digest)


@pytest.mark.slow
def test_tables_of_large_signatures_are_made_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that is continued reads each closed block once, as memory holds all tables."""
    without_dives(monkeypatch)
    monkeypatch.setattr(worker, "SMALL", 400)
    store = tmp_path / "store"
    prove(SMALL, store=store, max_states=RECORDS // 2)
    read: list[bytes] = []
    real = table_loading.block_states

    def block_states(shape: Any, block: Packed) -> Any:
        read.append(block.key)
        return real(shape, block)

    monkeypatch.setattr(table_loading, "block_states", block_states)
    monkeypatch.setattr(piece_worker, "block_states", None)
    result = prove(SMALL, store=store)
    assert read and len(set(read)) == len(read)
    assert (result.verdict, result.states) == ("unsolvable", RECORDS)


@pytest.mark.slow
def test_each_piece_of_a_continued_signature_reads_few_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pieces are those of the run before, as memory does not hold all tables."""
    without_dives(monkeypatch)
    small_pieces(monkeypatch, 400)
    store = tmp_path / "store"
    prove(SMALL, store=store, max_states=RECORDS // 2)
    monkeypatch.setattr(large, "fits", lambda pieces: False)
    cuts: list[tuple[int, int, int]] = []
    real = PieceSet.cut

    def cut(pieces: PieceSet) -> None:
        blocks = len(pieces.blocks)
        real(pieces)
        if blocks:
            held = sum(len(piece.blocks) for piece in pieces.pieces)
            cuts.append((blocks, len(pieces.pieces), held))

    monkeypatch.setattr(PieceSet, "cut", cut)
    result = prove(SMALL, store=store)
    assert (result.verdict, result.states) == ("unsolvable", RECORDS)
    assert cuts
    for blocks, pieces, held in cuts:
        assert held < blocks * pieces / 2


def test_a_signature_of_mixed_blocks_is_cut_into_few_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signature that was closed in one table, in much memory, goes on in little."""
    limit = 100
    states: list[int] = []
    without_dives(monkeypatch)
    small_pieces(monkeypatch, 400)
    monkeypatch.setattr(piece_set, "FIRST_PIECES", 0)
    real, split = PieceSet.cut, PieceSet.split

    def cut(pieces: PieceSet) -> None:
        with monkeypatch.context() as patch:
            states.append(sum(ref.block.states for ref in pieces.blocks))
            patch.setattr(piece_set, "FILL", limit / (1 << pieces.largest_bits))
            patch.setattr(PieceSet, "split", bounded)
            real(pieces)
        assert max(piece.closed for piece in pieces.pieces) <= limit

    def bounded(pieces: PieceSet, piece: Piece) -> bool:
        assert len(pieces.pieces) <= 4 + 4 * states[-1] // limit
        return split(pieces, piece)

    # What is closed of a signature when a limit comes depends on the time that its turns take.
    for most in range(5000, 15000, 1000):
        store = tmp_path / str(most)
        prove(SMALL, store=store, max_states=most)
        with monkeypatch.context() as little:
            little.setattr(large, "fits", lambda pieces: False)
            little.setattr(PieceSet, "cut", cut)
            result = prove(SMALL, store=store)
        assert (result.verdict, result.states) == ("unsolvable", RECORDS)
        if max(states, default=0) > 3 * limit:
            break
    else:
        pytest.fail("no limit came amid a signature of many states")


@given(st.data())
def test_pieces_have_no_more_states_than_their_blocks(data: st.DataObject) -> None:
    """However a signature is cut, and whatever its blocks hold."""
    key = st.integers(0, 255)
    blocks = data.draw(st.lists(st.lists(key, min_size=1, max_size=40), min_size=1, max_size=5))
    index, refs = BlockIndex(), []
    for keys in blocks:
        block: Any = SimpleNamespace(states=len(keys))
        ref = BlockRef(block)
        refs.append(ref)
        ones = reduce(or_, keys)
        index.spans[ref] = Span(ones, reduce(or_, (~one & 255 for one in keys)))
    total = sum(map(len, blocks))
    leaves = [(0, refs)]
    for bit in data.draw(st.permutations(range(8)))[:5]:
        cut = []
        for mask, held in leaves:
            for side in (0, 1):
                child = [ref for ref in held if index.may_hold(ref, bit, side)]
                cut.append((mask | 1 << bit, child))
        leaves = cut
        assert sum(index.states(held, mask) for mask, held in leaves) <= total


def test_a_search_that_goes_on_can_end_while_it_reads_what_is_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits are looked at after some records; what ends the search then changes nothing."""
    store = tmp_path / "store"
    prove(SMALL, store=store, max_states=RECORDS // 2)
    with Store.open(store) as opened:
        records, before = len(opened.keys(b"P")), opened.manifest
    assert records > 5
    monkeypatch.setattr(strata, "READ_AT_ONCE", 1)
    pending: list[int] = []

    def progress(event: Event) -> None:
        if isinstance(event, Report):
            pending.append(event.pending)

    ended = prove(SMALL, store=store, progress=progress, cancel=lambda: len(pending) > 2)
    assert (ended.verdict, ended.limit) == ("undecided", "interrupt")
    assert 0 < pending[0] < pending[1] < pending[2]
    with Store.open(store) as opened:
        assert len(opened.keys(b"P")) == records
        assert opened.manifest.waiting == before.waiting
    whole = prove(SMALL, store=store)
    assert (whole.verdict, whole.states) == ("unsolvable", RECORDS)
