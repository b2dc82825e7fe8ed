"""Proofs whose work is done as orders, by somebody who forgets everything and may die of it."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from helpers.clusters import Alone
from helpers.made_up_pieces import result_for
from helpers.patience_games import small_deck
from helpers.searching import end_of, small_pieces, without_dives
from helpers.selection import few_fast
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver import clusters
from dbmsolver.clusters import Machine
from dbmsolver.errors import InternalError, StoreError, SystemRefusedError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.results import Limits, Method, Options, Question, Result
from dbmsolver.search import recorder, session
from dbmsolver.search import runs as search_runs
from dbmsolver.search.candidates import Candidates, pack_by_stratum
from dbmsolver.search.commits import Packed
from dbmsolver.search.proof import cluster_members, cluster_workers
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.proof.orders import PieceAnswer, PieceOrder, Proof, opened, sealed
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.piece_worker import PieceResult
from dbmsolver.search.proof.pieces import Piece, Tree
from dbmsolver.search.proof.worker import ProofWorker
from dbmsolver.search.runs import cut, gather
from dbmsolver.storage.blocks import Runs, encode_block
from dbmsolver.storage.records import BlockKey, closed_key

SMALL = Deal.from_number(11982)
MEDIUM = Deal.from_number(5979, rules_for("freecell", 3))
RECORDS = Deal.from_number(1, rules_for("freecell", 2))
PILE = Deal.from_number(57, rules_for("all_in_a_row"))
PAIRS = Deal.from_number(285, rules_for("pyramid"))
STOCK = Deal.from_number(66, rules_for("klondike_by_threes"))
SMALL_STOCK = small_deck("klondike_by_threes", Random(26752))
CASES = [
    pytest.param(SMALL, Method.EVERY_POSITION, 5000, id="pieces"),
    pytest.param(RECORDS, Method.DOMINATING, BUFFER + 200, id="records"),
    pytest.param(PILE, Method.EVERY_POSITION, BUFFER + 400, id="pile"),
    pytest.param(PAIRS, Method.EVERY_POSITION, 200, id="pairs"),
    pytest.param(STOCK, Method.EVERY_POSITION, 5000, id="klondike"),
    pytest.param(SMALL_STOCK, Method.EVERY_POSITION, 100, id="klondike in pieces"),
    pytest.param(SMALL, Method.EVERY_POSITION, 1 << 18, id="whole", marks=pytest.mark.slow),
    pytest.param(MEDIUM, Method.EVERY_POSITION, 20_000, id="larger", marks=pytest.mark.slow),
]
MEMORY = 8_000_000
"""A memory in which candidates are packed, spilled, and wait for room."""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process the cluster."""
    monkeypatch.setattr(clusters, "Connection", Alone)
    monkeypatch.setattr(Alone, "lost", 0.0)
    monkeypatch.setattr(cluster_workers.ClusterWorkers, "least", 256)
    without_dives(monkeypatch)


def proven(
    deal: Deal,
    method: Method,
    cluster: str | None,
    store: Path | None = None,
    **limits: int | None,
) -> Result:
    """Return a proof by threads, or by a cluster."""
    options = Options(method=method, cluster=cluster, store=store, threads=2)
    return end_of(session.run(Question.PROVE, deal, options, Limits(**limits)))


def facts(result: Result) -> tuple[object, ...]:
    """Return the facts that must not depend on who did the work."""
    return result.verdict, result.states, result.forced, result.digest, result.strata


@pytest.mark.parametrize("memory", few_fast([None, MEMORY], 1))
@pytest.mark.parametrize(("deal", "method", "small"), CASES)
def test_the_same_whoever_does_it(
    monkeypatch: pytest.MonkeyPatch,
    deal: Deal,
    method: Method,
    small: int,
    memory: int | None,
) -> None:
    expected = proven(deal, method, None)
    small_pieces(monkeypatch, small)
    monkeypatch.setattr(Alone, "lost", 0.3)
    monkeypatch.setattr(cluster_workers, "_MOST_LOST", 100)
    perform, performed = PieceOrder.perform, 0

    def counted(self: PieceOrder, *given: Any) -> bool:
        nonlocal performed
        performed += 1
        return perform(self, *given)

    monkeypatch.setattr(PieceOrder, "perform", counted)
    assert facts(proven(deal, method, "here", memory=memory)) == facts(expected)
    assert performed > 50 or deal not in (RECORDS, PILE)


@pytest.mark.parametrize(
    ("deal", "method", "small"),
    [
        CASES[0],
        *(pytest.param(*case.values, id=case.id, marks=pytest.mark.slow) for case in CASES[1:]),
    ],
)
def test_either_continues_what_the_other_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deal: Deal, method: Method, small: int
) -> None:
    expected = proven(deal, method, None)
    small_pieces(monkeypatch, small)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.1)
    for first in (None, "here"):
        store = tmp_path / f"from {first}"
        for share in (4, 2):
            most = expected.states // share
            left = proven(deal, method, first, store, memory=MEMORY, max_states=most)
            assert left.limit == "max-states"
            first = None if first else "here"
        assert facts(proven(deal, method, first, store, memory=MEMORY)) == facts(expected)


def test_work_that_nobody_survives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Alone, "lost", 1.0)
    with pytest.raises(SystemRefusedError, match="has ended 10 processes"):
        proven(SMALL, Method.EVERY_POSITION, "here", tmp_path / "store")
    monkeypatch.setattr(Alone, "lost", 0.0)
    again = proven(SMALL, Method.EVERY_POSITION, "here", tmp_path / "store")
    assert facts(again) == facts(proven(SMALL, Method.EVERY_POSITION, None))


def test_no_machine_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    living: list[Machine] = []
    monkeypatch.setattr(Alone, "ready", lambda *_: [])
    monkeypatch.setattr(Alone, "living", lambda _: living)
    monkeypatch.setattr(Alone, "machines", lambda _: [Machine(2, 1 << 30)])
    monkeypatch.setattr(cluster_members, "_PATIENCE", 0.0)
    monkeypatch.setattr(cluster_members, "_LOOK_SECONDS", 0.01)
    with pytest.raises(SystemRefusedError, match="no machine of the cluster is left"):
        proven(SMALL, Method.EVERY_POSITION, "here")


def test_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("helpers.clusters.PROGRAM", "dbmsolver 99.0")
    with pytest.raises(UsageError, match="a machine of the cluster has"):
        proven(SMALL, Method.EVERY_POSITION, "here")


def test_messages() -> None:
    message = sealed(("some", 1))
    assert opened(message) == ("some", 1)
    for place in (0, 9, len(message) - 1):
        changed = message.copy()
        changed[place] ^= 1
        with pytest.raises(InternalError, match="not as it was sent"):
            opened(changed)


words = st.integers(0, 2**64 - 1)
runs_of_one = st.dictionaries(words, st.lists(words, min_size=1, max_size=6), min_size=1)


def made(groups: dict[int, list[int]]) -> Runs:
    keys = [key for some in groups.values() for key in some]
    return Runs(
        np.array(list(groups), np.uint64),
        np.array([len(some) for some in groups.values()], np.int64),
        np.array(keys, np.uint64),
        np.zeros(len(keys), np.uint8),
        1,
    )


def test_threads_bring_together_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    parts = [
        made({s: random.integers(1 << 40, size=s + 1).tolist() for s in range(first, 60, 3)})
        for first in range(3)
    ]
    skip = np.array([4, 30], np.uint64)
    alone = gather(parts, skip)
    assert alone.signatures.tolist() == [s for s in range(60) if s not in (4, 30)]
    monkeypatch.setattr(search_runs, "SHARED_COPY", alone.codes.size)
    with ThreadPoolExecutor(2) as pool:
        monkeypatch.setattr(pool, "map", mapped := Mock(wraps=pool.map))
        shared = gather(parts, skip, pool)
        monkeypatch.setattr(search_runs, "SHARED_COPY", alone.codes.size + 1)
        gather(parts, skip, pool)
    assert mapped.call_count == 1
    for one, other in zip(alone, shared, strict=True):
        assert one.tolist() == other.tolist()


@given(st.lists(runs_of_one, min_size=1, max_size=4), st.data())
def test_cut(parts: list[dict[int, list[int]]], data: st.DataObject) -> None:
    runs = gather([made(part) for part in parts], np.empty(0, np.uint64))
    first = data.draw(st.integers(0, runs.counts.size - 1))
    last = data.draw(st.integers(first + 1, runs.counts.size))
    some = pickle.loads(pickle.dumps(cut(runs, first, last)))
    assert some.codes.size == runs.counts[first:last].sum()
    for number in range(first, last):
        assert some.signatures[number - first] == runs.signatures[number]
        keys, _ = some.run(number - first, 1)
        assert (keys == runs.run(number, 1)[0]).all()


@given(st.lists(st.tuples(st.integers(1, 3), runs_of_one), max_size=6))
def test_pack_by_stratum(parts: list[tuple[int, dict[int, list[int]]]]) -> None:
    packed = pack_by_stratum([Candidates.of(stratum, made(part)) for stratum, part in parts])
    expected = {(stratum, s, key) for stratum, part in parts for s in part for key in part[s]}
    found = []
    for one in packed:
        runs = one.load()
        assert (one.states, one.in_memory) == (runs.codes.size, True)
        signatures = np.repeat(runs.signatures, runs.counts).tolist()
        found += [(one.stratum, *pair) for pair in zip(signatures, runs.keys.tolist(), strict=True)]
    assert len(found) == len(expected) and set(found) == expected


@pytest.mark.parametrize("untouched", range(4))
@pytest.mark.parametrize("part", [False, True])
def test_lists_that_are_left_as_they_were_are_not_sent_back(untouched: int, part: bool) -> None:
    lists = [Candidates.of(1, made({number: [5]})) for number in range(3)]
    rest = [Candidates.of(1, made({7: [8, 9]}))] * part
    done = result_for(Piece(0, 0, 0, []))
    done.rest = lists[:untouched] + rest
    answer = PieceAnswer.of(done, lists, has_table=True)
    assert (answer.untouched, answer.has_table) == (untouched, True)
    found = opened(sealed(answer)).result(lists)
    assert found.rest[:untouched] == lists[:untouched]
    assert [one.load().keys.tolist() for one in found.rest[untouched:]] == [[8, 9]] * part


@pytest.mark.parametrize("from_store", [False, True])
def test_blocks_of_the_store_are_checked_where_they_are_worked_with(from_store: bool) -> None:
    """The process that opens a block checks it; what this run has closed has no key yet."""
    proof = Proof(SMALL, "wkr", Method.EVERY_POSITION)
    codec = proof.keys()
    start = initial_candidates(codec)
    runs, signature = start.load(), int(codec.root[0])
    key = closed_key(b"C", BlockKey(0, start.stratum, signature, signature, 0)) * from_store
    piece = Piece(0, 0, 0, [], closed=1)
    tree = Tree(KeyShape.of(codec, start.stratum, signature, runs.key_words), piece)
    worker = ProofWorker(codec)
    kept: list[tuple[Any, ...]] = []
    tables: Any = SimpleNamespace(begin=lambda _: None, keep=lambda *given: kept.append(given))

    def perform(block: Runs) -> bool:
        done = PieceResult.to(piece, tree.routes(), 16)
        blocks = [Packed(encode_block(block), "a block", None, key)]
        order = PieceOrder(start.stratum, signature, runs.key_words, done, blocks, None, 7, 99)
        return order.perform(worker, tables)

    assert perform(runs)
    assert [(number, whose, most) for number, whose, _, most in kept] == [(7, piece, 99)]
    forged = replace(runs, codes=np.full_like(runs.codes, codec.codes))
    if from_store:
        with pytest.raises(StoreError, match="parent-move codes that cannot be"):
            perform(forged)
    else:
        assert perform(forged)
