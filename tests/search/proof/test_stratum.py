"""The signatures of a stratum are closed in as many passes as memory asks for, large ones alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.searching import prove, small_pieces, without_dives

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.results import Commit, Keep, Limits, Method, Options, Question
from dbmsolver.search import recorder, session
from dbmsolver.search.candidates import Candidates, of_one_signature
from dbmsolver.search.ledger import NOTHING, Ledger, total
from dbmsolver.search.proof import stratum
from dbmsolver.search.proof.stratum import StratumClosing, signature_groups
from dbmsolver.search.proof.worker import BatchResult, LargeStart, WorkResult
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(11982, rules_for("freecell", 2))
"""Unsolvable, with 585 states."""


def some(counts: dict[int, int], words: int = 1) -> Candidates:
    """Return candidates that are elsewhere, so many of each signature; each takes 10 bytes.

    Those of three words take 26.
    """
    signatures = np.array(list(counts), np.uint64)
    numbers = np.array(list(counts.values()), np.int64)
    return Candidates(0, words, signatures, numbers, int(numbers.sum()))


SOME = [some({1: 10, 2: 20, 5: 30}), some({2: 5, 3: 40, 5: 10, 9: 7})]
"""They take 100, 250, 400, 400 and 70 bytes, by signature."""


@pytest.mark.parametrize(
    ("limit", "skip", "alone", "groups"),
    [
        (1220, [], [], [None]),
        (1220, [1, 2, 3, 5, 9], [], [None]),
        (1219, [], [], [[1, 2, 3, 5], [9]]),
        (800, [], [], [[1, 2, 3], [5, 9]]),
        (400, [], [], [[1, 2], [3], [5], [9]]),
        (399, [], [3, 5], [[1, 2], [9]]),
        (399, [2, 5], [3], [[1, 9]]),
        (69, [], [1, 2, 3, 5, 9], []),
        (69, [1, 2, 3, 5, 9], [], []),
    ],
)
def test_each_pass_takes_what_memory_has_room_for(
    limit: int, skip: list[int], alone: list[int], groups: list[list[int] | None]
) -> None:
    """All signatures that are not closed yet are in one of them."""
    found = signature_groups(SOME, np.array(skip, np.uint64), limit)
    assert [one.tolist() for one in found[0]] == [[signature] for signature in alone]
    assert [None if one is None else one.tolist() for one in found[1]] == groups


@pytest.mark.parametrize(
    ("surely", "alone", "groups"),
    [(40, [], [[1, 2, 3, 5, 9]]), (39, [3, 5], [[1, 2, 9]]), (122, [], [None])],
)
def test_a_signature_with_many_candidates_is_closed_alone(
    monkeypatch: pytest.MonkeyPatch, surely: int, alone: list[int], groups: list[list[int] | None]
) -> None:
    """However much memory there is."""
    monkeypatch.setattr(stratum, "SURELY_LARGE", surely)
    found = signature_groups(SOME, np.empty(0, np.uint64), 1 << 30)
    assert [one.tolist() for one in found[0]] == [[signature] for signature in alone]
    assert [None if one is None else one.tolist() for one in found[1]] == groups


def test_wide_keys_take_more() -> None:
    wide = [some({1: 10, 4: 1}), some({2: 10, 3: 9}, words=3)]
    alone, groups = signature_groups(wide, np.empty(0, np.uint64), 259)
    assert [one.tolist() for one in alone] == [[2]]
    assert [None if one is None else one.tolist() for one in groups] == [[1], [3, 4]]


def test_a_signature_that_is_closed_alone_gets_all_of_its_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The largest part is loaded first; the others wait where they are."""
    begun: list[tuple[LargeStart, int]] = []

    def begin(_shape: None, _recorder: Any, start: LargeStart, budget: Any, *_: Any) -> None:
        begun.append((start, budget.table))

    monkeypatch.setattr(stratum, "SURELY_LARGE", 1)
    monkeypatch.setattr(stratum, "LargeSignature", begin)
    monkeypatch.setattr(stratum, "KeyShape", SimpleNamespace(of=lambda *_: None))
    parts, ledger = [], Ledger()
    for signature, keys in ((6, [1]), (6, [2, 3, 4]), (9, [7, 8]), (6, [5, 6])):
        words = np.array(keys, np.uint64)
        parts.append(of_one_signature(3, signature, 1, words, np.zeros(words.size, np.uint8)))
        ledger.add(parts[-1].entry)
    search: Any = SimpleNamespace(
        recorder=SimpleNamespace(resumable=False, store=None), done=[], stratum=3, large=None,
        strata={3: parts}, memory=1 << 20, ledger=ledger, codec=None, threads=1, take_result=None,
        workers=SimpleNamespace(table_bytes=lambda memory: memory // 2),
    )  # fmt: skip
    assert StratumClosing(search).step()
    given = [(start.candidates, *start.sources) for start, _ in begun]
    keys_given = [[key for one in some for key in one.load().keys.tolist()] for some in given]
    assert [sorted(keys) for keys in keys_given] == [[1, 2, 3, 4, 5, 6], [7, 8]]
    assert [some[0].states for some in given] == [3, 2]
    assert [table for _, table in begun] == [1 << 19, 1 << 19]
    ledger.close([6, 9])
    ledger.close_stratum(total(one.entry for one in parts))
    ledger.check(NOTHING)


def test_large_signatures_are_done_and_their_blocks_go_where_only_counts_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that goes on must not close them again, and needs no more of them."""
    small_pieces(monkeypatch, 20)
    without_dives(monkeypatch)
    real, done = StratumClosing.step, []

    def watched(self: StratumClosing) -> bool:
        large = self.search.large
        ended = real(self)
        if large is not None and self.search.large is not large:
            done.append(large.shape.signature)
            assert done[-1] in self.search.done
            assert done[-1] not in [ref.block.first for ref in self.recorder.batch.blocks]
        return ended

    monkeypatch.setattr(StratumClosing, "step", watched)
    result = prove(DEAL, store=tmp_path / "store", keep="none")
    assert result.verdict == "unsolvable" and done
    with Store.open(tmp_path / "store", readonly=True) as store:
        assert store.keys(b"C") == []
        assert (store.manifest.states, store.manifest.closed_bytes) == (result.states, 0)


@pytest.mark.parametrize(
    ("surely", "memory", "resumable", "made", "due"),
    [
        (5, 400, True, [], 6),
        (4, 400, True, ["merge"], 4),
        (4, 400, False, [], 6),
        (4, 160, True, ["merge"], 4),
        (5, 160, True, ["merge"], 4),
        (5, 160, False, ["merge"], 4),
        (5, 120, False, ["merge", "spill"], 4),
    ],
)
def test_duplicates_are_dropped_before_candidates_are_due(
    monkeypatch: pytest.MonkeyPatch,
    surely: int,
    memory: int,
    resumable: bool,
    made: list[str],
    due: int,
) -> None:
    """A commit amid the stratum drops those in memory, and the ledger would miss them.

    It makes none where all signatures are closed in one pass, and where a run is not resumable.
    """
    monkeypatch.setattr(stratum, "SURELY_LARGE", surely)
    monkeypatch.setattr(stratum, "unfinished_blocks", lambda *_: {})
    keys = np.array([7, 8, 7, 9, 7], np.uint64)
    here = of_one_signature(3, 6, 1, keys, np.zeros(keys.size, np.uint8))
    stored = some({5: 1})
    done, said = [], []

    def merge(strata: list[int]) -> None:
        done.append("merge")
        assert strata == [3]
        here.sort()

    def spill(candidates: list[Candidates]) -> None:
        done.append("spill")
        assert candidates == [here]

    search: Any = SimpleNamespace(
        recorder=SimpleNamespace(resumable=resumable, store=None), done=[], stratum=3,
        strata={3: [here, stored]}, memory=memory, merge=merge, spill=spill,
        ledger=SimpleNamespace(open_stratum=said.append),
    )  # fmt: skip
    StratumClosing(search)
    assert done == made
    assert [entry.states for entry in said] == [due]


@pytest.mark.parametrize("keep", ["all", "none"])
def test_a_signature_that_turns_out_to_be_large_is_whole_in_the_next_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Keep
) -> None:
    """Its closed states are in the store, and with them what follows and is not closed yet."""
    without_dives(monkeypatch)
    whole = prove(DEAL, threads=1)
    real, store, copy = StratumClosing.step, tmp_path / "store", tmp_path / "copy"
    begun: list[bool] = []

    def watched(self: StratumClosing) -> bool:
        ended = real(self)
        begun.append(any(start.begun for start in self.large_starts))
        patch.setattr(recorder, "COMMIT_SECONDS", 0.0 if begun[-1] else 1000.0)
        return ended

    with monkeypatch.context() as patch:
        small_pieces(patch, BUFFER + 1)
        patch.setattr(StratumClosing, "step", watched)
        options = Options(method=Method.EVERY_POSITION, store=store, threads=1, keep=keep)
        events = session.run(Question.PROVE, DEAL, options, Limits())
        while not (isinstance(next(events), Commit) and begun[-1:] == [True]):
            pass
        shutil.copytree(store, copy)
        events.close()
    again = prove(DEAL, store=copy, threads=1, keep=keep)
    facts = [(one.verdict, one.states, one.digest) for one in (again, whole)]
    assert facts[0] == facts[1] and again.states == 585


def test_what_a_batch_leaves_of_a_large_signature() -> None:
    """Make pending what follows from its closed states; without these it is pending already."""
    added: list[Candidates] = []
    search = SimpleNamespace(done=[4], add=added.append, take_result=lambda _: None)
    closed: list[int] = []
    closing: Any = SimpleNamespace(
        search=search, stratum=3, large_starts=[], _separate_blocks=lambda _: None,
        ledger=SimpleNamespace(close=closed.extend),
    )  # fmt: skip
    starts = []
    for signature, keys, begun in ((6, [1, 2], True), (7, [], True), (8, [3], False)):
        words = np.array(keys, np.uint64)
        held = of_one_signature(3, signature, 1, words, np.zeros(words.size, np.uint8))
        starts.append(LargeStart(signature, held, (words, words), begun))
    groups: Any = SimpleNamespace(signatures=np.arange(4, 10, dtype=np.uint64))
    StratumClosing._take_batch(closing, groups, BatchResult(1, 6, WorkResult(), starts))
    assert [(one.signatures.tolist(), one.states) for one in added] == [([6], 2)]
    assert (search.done, closed, closing.large_starts) == ([4, 5, 9], [5, 9], starts)
