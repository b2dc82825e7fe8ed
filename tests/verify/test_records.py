"""Stores of proofs over dominating positions: sound ones are valid, spoiled ones are refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.dominance_brute import (
    Deck,
    all_records,
    random_deck,
)
from helpers.faults import check, few_at_once
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Fill, Policy
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.digest import digest_runs
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify import listing, run
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.record_format import keys_of_records
from dbmsolver.verify.refutation import Refuted

PROOFS: list[tuple[Rules, int, Policy]] = [
    (rules_for("freecell"), 146692, "wkr"),
    (rules_for("freecell", 3), 6139, "horne"),
    (rules_for("freecell", 2), 72, "none"),
    (rules_for("freecell", 1), 1, "wkr"),
    (rules_for("freecell", 0), 1, "wkr"),
    (rules_for("bakers_game", 2), 1, "none"),
    (rules_for("eight_off", 4), 4, "wkr"),
    (rules_for("seahaven_towers", 2), 4, "none"),
    (rules_for("forecell", 1), 4, "horne"),
    (Rules("many freecells", 3, 8, "alternate", "none"), 2, "wkr"),
]
MIDDLE = Deal.from_number(6139, rules_for("freecell", 3))


@pytest.mark.parametrize(("rules", "number", "policy"), few_fast(PROOFS, 5))
def test_sound_stores(tmp_path: Path, rules: Rules, number: int, policy: Policy) -> None:
    result = api.prove(Deal.from_number(number, rules), policy=policy, store=tmp_path / "s")
    assert (result.verdict, result.method) == ("unsolvable", "dominating")
    for depth in ("lemma", "full"):
        report = check(tmp_path / "s", depth=depth)
        assert report.valid, report.reason
        assert report.depth == depth
        assert (report.states, report.forced, report.digest) == (result.states, 0, result.digest)
        assert report.strata == [tuple(row) for row in result.strata]
    every = api.prove(Deal.from_number(number, rules), policy=policy, method="every-position")
    assert report.covered == every.states + every.forced
    assert check(tmp_path / "s").depth == "full"


def test_a_solution_is_replayed(tmp_path: Path) -> None:
    assert api.prove(Deal.from_number(3), store=tmp_path / "s").verdict == "solved"
    report = check(tmp_path / "s")
    assert report.valid and report.depth is None
    faults.change_manifest(tmp_path / "s", lambda manifest: manifest["path"].reverse())
    assert not check(tmp_path / "s").valid


@cache
def small_game(kind: str) -> tuple[Deck, int]:
    """Return a deck without a win, and the number of its records.

    The kind says what is special about them.
    """
    random = Random(kind)
    while True:
        fill: Fill = "kings" if "kings" in kind else "any"
        deck = random_deck(random, "suit" if "suit" in kind else "alternate", fill)
        found = all_records(deck, 40)
        if found is None or len(found.macros) < 6 or any(r.is_goal() for r in found.macros):
            continue
        if "fix" in kind and not any(record.fix for record in found.macros):
            continue
        return deck, len(found.macros)


SMALL = ["fix 1", "fix 2", "fix suit", "any 1", "any suit", "kings", "kings suit"]


def make_counts_fit(path: Path, keys: RecordKeys) -> None:
    """Let the manifest say what is in the store, as one who means to deceive would."""
    strata: dict[int, int] = {}
    digest = 0
    with Store.open(path, readonly=True) as store:
        for key in store.keys(b"C"):
            runs = read_block(store, key)
            stratum = parse_closed_key(key).stratum
            strata[stratum] = strata.get(stratum, 0) + runs.codes.size
            words = (runs.signatures, runs.counts, runs.keys, runs.key_words)
            digest += int(digest_runs(keys.tables, *words))

    def fit(manifest: dict[str, Any]) -> None:
        manifest["states"] = sum(strata.values())
        manifest["strata"] = [[0, stratum, count, 0] for stratum, count in sorted(strata.items())]
        manifest["digest"] = f"{digest % 2**64:016x}"

    faults.change_manifest(path, fit)


@pytest.mark.parametrize("kind", few_fast(SMALL, 1))
def test_every_record_removed_in_turn(tmp_path: Path, kind: str) -> None:
    deck, records = small_game(kind)
    deal = Deal(deck.start, deck.rules)
    keys = RecordKeys(deal, deck.policy)
    api.prove(deal, policy=deck.policy, store=tmp_path / "whole")
    everything = faults.closed_states(tmp_path / "whole")
    assert len(everything) == records
    for index, (key, number) in enumerate(everything):
        path = Path(shutil.copytree(tmp_path / "whole", tmp_path / str(index)))
        faults.change_block(path, key, partial(faults.without, number=number))
        assert check(path, threads=1, depth="full").reason is not None
        make_counts_fit(path, keys)
        for depth in ("full", "lemma"):
            report = check(path, threads=1, depth=depth)
            assert not report.valid
            assert "not closed" in str(report.reason) or "not among" in str(report.reason)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stores") / "middle"
    api.prove(MIDDLE, store=path)
    return path


@pytest.fixture
def middle(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "middle"))


def refused(path: Path, *reasons: str) -> None:
    """Not valid in either depth, nor with little memory, for one of these reasons (if given)."""
    reports = [check(path, depth="lemma"), check(path, depth="full"), check(path, threads=1)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        few_at_once(monkeypatch)
        reports.append(check(path, memory=20_000, depth="lemma"))
    for report in reports:
        assert not report.valid
        assert any(reason in str(report.reason) for reason in reasons or ("",)), report.reason


@pytest.mark.parametrize("seed", range(4))
def test_a_record_changed(middle: Path, seed: int) -> None:
    random = Random(seed)
    keys = RecordKeys(MIDDLE, "wkr")
    while True:
        key, number = random.choice(faults.closed_states(middle))
        with Store.open(middle, readonly=True) as store:
            runs = read_block(store, key)
        other = int(runs.keys[number]) ^ 1 << random.randrange(
            int(runs.keys.max()).bit_length() or 1
        )
        if other not in runs.keys:
            break
    faults.change_block(middle, key, lambda runs: faults.with_key(runs, number, other))
    refused(middle)
    make_counts_fit(middle, keys)
    assert not check(middle, depth="lemma").valid


@pytest.mark.parametrize("seed", range(3))
def test_a_record_added(middle: Path, seed: int) -> None:
    """Another record of the same signature: counts and digest tell, and mostly its successors."""
    random = Random(seed)
    key, number = random.choice(faults.closed_states(middle))
    with Store.open(middle, readonly=True) as store:
        runs = read_block(store, key)
    run = int(np.searchsorted(np.cumsum(runs.counts), number, side="right"))
    faults.insert(
        middle,
        0,
        keys_of_cards(MIDDLE, "wkr"),
        int(runs.signatures[run]),
        int(runs.keys[number]) ^ 1,
    )
    refused(middle)


def test_a_record_twice(middle: Path) -> None:
    key, number = faults.closed_states(middle)[7]
    with Store.open(middle, readonly=True) as store:
        runs = read_block(store, key)
    run = int(np.searchsorted(np.cumsum(runs.counts), number, side="right"))
    form = keys_of_cards(MIDDLE, "wkr")
    faults.insert(middle, 0, form, int(runs.signatures[run]), int(runs.keys[number]))
    refused(middle, "closed twice")


def test_a_signature_moved(middle: Path) -> None:
    key = faults.closed_keys(middle)[5]

    def move(runs: Runs) -> Runs:
        return replace(runs, signatures=runs.signatures + np.uint64(1 << 16))

    faults.change_block(middle, key, move)
    refused(middle)


def test_a_win_added(middle: Path) -> None:
    form = keys_of_cards(MIDDLE, "wkr")
    faults.insert(middle, 0, form, 0xDDDD, 0)
    refused(middle, "goal")


CHANGES: list[Callable[[dict[str, Any]], None]] = [
    lambda manifest: manifest.update(states=manifest["states"] + 1),
    lambda manifest: manifest.update(digest="0" * 16),
    lambda manifest: manifest["strata"].pop(),
    lambda manifest: manifest.update(
        method="every-position", meaning={**manifest["meaning"], "family": "cards"}
    ),
    lambda manifest: manifest.update(policy="none"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_manifest_changed(middle: Path, change: Callable[[dict[str, Any]], None]) -> None:
    faults.change_manifest(middle, change)
    assert not check(middle).valid


def test_small_memory_equals_large(middle: Path) -> None:
    whole = check(middle, depth="lemma")
    with pytest.MonkeyPatch.context() as monkeypatch:
        few_at_once(monkeypatch)
        for threads in (1, 3):
            report = check(middle, memory=20_000, threads=threads, depth="lemma")
            assert report.valid, report.reason
            assert (report.states, report.digest) == (whole.states, whole.digest)
            assert report.strata == whole.strata
        # There is no room for all positions: the depth that is not asked for is the other one.
        assert check(middle, memory=20_000).depth == "lemma"
        with pytest.raises(UsageError, match="--depth lemma"):
            check(middle, memory=20_000, depth="full")


def test_large_stores_are_checked_by_the_lemma(
    middle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_IN_FULL", 100)
    assert check(middle).depth == "lemma"


def test_samples(middle: Path) -> None:
    report = check(middle, sample=0.3, seed=1)
    assert report.valid and report.depth == "lemma"
    assert 0 < report.states < report.all_states
    again, other = (check(middle, sample=0.3, seed=seed) for seed in (1, 2))
    assert again.strata == report.strata != other.strata
    with pytest.raises(UsageError, match="--sample"):
        check(middle, sample=0.3, depth="full")


@pytest.mark.parametrize("memory", [16_384, 65_536])
def test_samples_in_parts(tmp_path: Path, memory: int) -> None:
    """The chosen records lead to records of any part of all."""
    api.prove(Deal.from_number(11982), store=tmp_path / "store")
    report = check(tmp_path / "store", sample=0.5, seed=0, memory=memory, depth="lemma")
    assert report.valid, report.reason


@pytest.mark.parametrize("room", [1, 16, 300])
def test_lists_of_positions_grow(middle: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    """All positions are listed, however often there is no room."""
    whole = check(middle, depth="full")
    monkeypatch.setattr(listing, "_FIRST_ROOM", room)
    report = check(middle, depth="full")
    assert report.valid, report.reason
    assert (report.states, report.covered, report.digest, report.strata) == (
        whole.states,
        whole.covered,
        whole.digest,
        whole.strata,
    )


@pytest.mark.parametrize("depth", ["full", "lemma"])
def test_progress(middle: Path, depth: str) -> None:
    """Each phase comes to its end, and to no share that is less than one before."""
    shares: dict[str, list[float]] = {}
    for event in faults.events_of(middle, depth=depth):
        shares.setdefault(event.phase, []).append(event.share)
        assert event.stratum <= event.last_stratum
    full = ["listing positions"] if depth == "full" else []
    assert list(shares) == ["reading", "checking", *full]
    for phase, found in shares.items():
        assert min(found) > 0 and found == sorted(found), phase
        assert found[-1] == pytest.approx(1.0) or phase == "reading"


def test_depths_are_of_dominating_positions(tmp_path: Path) -> None:
    deal = Deal.from_number(1, rules_for("freecell", 1))
    api.prove(deal, method="every-position", store=tmp_path / "s")
    assert check(tmp_path / "s").depth is None
    with pytest.raises(UsageError, match="--depth"):
        check(tmp_path / "s", depth="lemma")


def test_rules_that_the_theorem_does_not_speak_of() -> None:
    deal = Deal.from_number(1, rules_for("penguin"))
    with pytest.raises(Refuted, match="theorem of dominating positions does not hold"):
        keys_of_records(deal, "wkr", None)
