"""Stores of Klondike and Canfield: the same with any memory, and every fault is found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.faults import check, few_at_once, make_counts_fit
from helpers.patience_games import small_deck
from helpers.selection import few_fast
from helpers.verifier import block_of, open_rows

from dbmsolver import api
from dbmsolver.game.cards import CARDS
from dbmsolver.game.patience import Patience
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.store import Store
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.opening import PER_WORD, DigitKeys

FIRST = {"klondike": 114, "canfield": 19, "shortest": 150}
"""The first of the random decks with some hundred states, by the names of the stores."""
NAMES = list(FIRST)
BUDGETS = [2_000, 20_000, 1 << 28]
DEAL = 63
"""The card in the code of the deal."""


def made(folder: Path, name: str) -> Path:
    """Make a store of some hundred closed states: a proof, or a shortest solution."""
    random, shortest = Random(name), name == "shortest"
    for number in range(1000):
        path = folder / f"{name} {number}"
        deal = small_deck("klondike_by_threes" if shortest else name, random)
        if number < FIRST[name]:
            continue
        if shortest:
            result = api.solve(deal, store=path)
        else:
            result = api.prove(deal, method="every-position", store=path)
        wanted = "solved" if shortest else "unsolvable"
        if result.verdict == wanted and 100 < result.states < 500 and len(result.strata) > 4:
            return path
        shutil.rmtree(path)
    raise AssertionError("no such deck")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("stores")
    return {name: made(folder, name) for name in NAMES}


def blocks(path: Path) -> Iterator[tuple[bytes, Runs]]:
    """Yield the closed blocks of the layers whose successors matter."""
    with Store.open(path, readonly=True) as store:
        length = store.manifest.length if store.manifest.question == "solve" else None
        found = [(key, read_block(store, key)) for key in store.keys(b"C")]
    for key, runs in found:
        if length is None or faults.parse_closed_key(key).layer < length:
            yield key, runs


def refused(path: Path, *reasons: str) -> None:
    """Refused for one of these reasons, where any are given, with much memory and with little.

    A successor or a parent that is not closed is shown, with the position that it is one of.
    """
    make_counts_fit(path)
    with pytest.MonkeyPatch.context() as monkeypatch:
        for memory in (1 << 28, 2_000):
            report = check(path, memory=memory, threads=2)
            assert not report.valid and report.reason
            assert not reasons or any(part in report.reason for part in reasons), report.reason
            if "is not closed" in report.reason:
                assert isinstance(report.position, Patience)
                assert isinstance(report.neighbour, Patience) and report.relation
            few_at_once(monkeypatch)


def copied(stores: dict[str, Path], name: str, folder: Path) -> Path:
    path = folder / "spoilt"
    shutil.rmtree(path, ignore_errors=True)
    return Path(shutil.copytree(stores[name], path))


@pytest.mark.parametrize(
    ("name", "memory", "threads"), few_fast(product(NAMES, BUDGETS, [1, 3]), 6)
)
def test_any_memory(
    stores: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, memory: int, threads: int
) -> None:
    def facts(**options: Any) -> list[Any]:
        report = check(stores[name], **options)
        assert report.valid, report.reason
        return [report.states, report.digest, report.strata, report.checked]

    whole = facts()
    few_at_once(monkeypatch)
    assert facts(memory=memory, threads=threads) == whole
    assert check(stores[name], memory=memory, sample=0.4, seed=threads).valid


@pytest.mark.parametrize(("name", "seed"), few_fast(product(NAMES, range(40)), 6))
def test_a_state_removed(stores: dict[str, Path], tmp_path: Path, name: str, seed: int) -> None:
    path, random = copied(stores, name, tmp_path), Random(seed)
    key, runs = random.choice(list(blocks(path)))
    number = random.randrange(runs.codes.size)
    faults.change_block(path, key, partial(faults.without, number=number))
    refused(path, "not closed", "not among the closed", "no closed states")


@pytest.mark.parametrize(("name", "seed"), few_fast(product(NAMES, range(40)), 6))
def test_a_key_altered(stores: dict[str, Path], tmp_path: Path, name: str, seed: int) -> None:
    """Some bits of one of the three words, also such that no key has."""
    path, random = copied(stores, name, tmp_path), Random(seed)
    key, runs = random.choice(list(blocks(path)))
    keys = runs.keys.copy()
    keys[random.randrange(keys.size)] ^= np.uint64(1 << random.randrange(64))
    faults.change_block(path, key, lambda runs: replace(runs, keys=keys))
    refused(path)


@pytest.mark.parametrize(("name", "seed"), few_fast(product(NAMES, range(40)), 6))
def test_a_signature_altered(stores: dict[str, Path], tmp_path: Path, name: str, seed: int) -> None:
    """Another signature of the same stratum."""
    path, random = copied(stores, name, tmp_path), Random(seed)
    key, runs = random.choice(list(blocks(path)))
    signatures = runs.signatures.copy()
    run = random.randrange(signatures.size)
    if seed % 2:
        signatures[run] ^= np.uint64(1 << random.randrange(52, 64))
    else:
        old = int(signatures[run])
        ones = [bit for bit in range(52) if old >> bit & 1] or [51]
        zeros = [bit for bit in range(52) if not old >> bit & 1]
        signatures[run] = old ^ 1 << random.choice(ones) ^ 1 << random.choice(zeros)
    faults.change_block(path, key, lambda runs: replace(runs, signatures=signatures))
    refused(path)


@pytest.mark.parametrize("name", NAMES)
def test_a_deal_too_many(stores: dict[str, Path], tmp_path: Path, name: str) -> None:
    """Only the deal has the code of the deal, and it has no other."""
    for is_root in (True, False):
        path = copied(stores, name, tmp_path)
        for key, runs in blocks(path):
            some = np.flatnonzero((runs.codes & 63 == DEAL) == is_root)
            if some.size:
                code = DEAL if not is_root else DEAL | 1 << 9
                change = partial(faults.with_code, number=int(some[0]), code=code)
                faults.change_block(path, key, change)
                break
        refused(path, "parent-move code")


@pytest.mark.parametrize(("name", "seed"), few_fast(product(NAMES, range(40)), 6))
def test_a_code_altered(stores: dict[str, Path], tmp_path: Path, name: str, seed: int) -> None:
    """The digit before is one that no card has, or the card's own digit now."""
    path, random = copied(stores, name, tmp_path), Random(seed)
    key, runs = random.choice([(key, runs) for key, runs in blocks(path) if runs.codes.size > 1])
    number = random.choice(np.flatnonzero(runs.codes & 63 != DEAL).tolist())
    card = int(runs.codes[number]) & 63
    digit = 7 if seed % 2 else digit_of(runs, number, card)
    code = int(runs.codes[number]) & ~(7 << 6) | digit << 6
    faults.change_block(path, key, partial(faults.with_code, number=number, code=code))
    refused(path, "parent")


def with_waste(folder: Path) -> tuple[Path, bytes, int, int]:
    """Return a shortest solution, and a state with a waste that was just turned."""
    random = Random(1)
    for number in range(200):
        deal, path = small_deck("klondike_by_threes", random), folder / str(number)
        draw, passes, stock = deal.rules.draw, deal.rules.passes, deal.rules.stock
        if not passes and stock > draw + 1 and api.solve(deal, store=path).states > 20:
            for key, runs in blocks(path):
                for place, high in enumerate(runs.keys[2::3].tolist()):
                    waste = high >> 32 & 63
                    if waste and waste % draw == 0:
                        return path, key, place, waste
    raise AssertionError("no such deck")


def test_a_waste_of_whole_turns_is_shown(tmp_path: Path) -> None:
    """A waste that was just turned is not the same as none, as turns count."""
    path, key, number, waste = with_waste(tmp_path)
    faults.change_block(path, key, partial(faults.with_code, number=number, code=7 << 6))
    report = check(path)
    assert not report.valid and isinstance(report.position, Patience)
    assert len(report.position.waste) == waste


def digit_of(runs: Runs, number: int, card: int) -> int:
    return int(runs.keys[3 * number + card // 21]) >> 3 * (card % 21) & 7


def with_digit(key: list[int], card: int, digit: int) -> list[int]:
    shift, word = 3 * (card % 21), card // 21
    changed = key.copy()
    changed[word] = changed[word] & ~(7 << shift) | digit << shift
    return changed


def test_codes_in_a_ring(stores: dict[str, Path], tmp_path: Path) -> None:
    """Two positions, each said to come from the other by the same card's move there and back."""
    found = 0
    for name in ("klondike", "canfield"):
        for key, runs in blocks(stores[name]):
            keys = runs.keys.reshape(-1, 3).tolist()
            for number, code in enumerate(runs.codes.tolist()):
                card, before = code & 63, code >> 6 & 7
                if card == DEAL:
                    continue
                parent = with_digit(keys[number], card, before)
                if parent not in keys or runs.codes[keys.index(parent)] & 63 == DEAL:
                    continue
                back = card | digit_of(runs, number, card) << 6 | code & 63 << 9
                path = copied(stores, name, tmp_path)
                change = partial(faults.with_code, number=keys.index(parent), code=back)
                faults.change_block(path, key, change)
                report = check(path)
                if report.valid or "ring" not in str(report.reason):
                    continue  # it cannot be moved back
                refused(path, "ring")
                found += 1
                if found == 3:
                    return
    raise AssertionError("no two positions to make a ring of")


@pytest.mark.parametrize("name", NAMES)
def test_a_state_twice(stores: dict[str, Path], tmp_path: Path, name: str) -> None:
    path = copied(stores, name, tmp_path)
    key, runs = max(blocks(path), key=lambda block: block[1].codes.size)
    double = replace(
        runs,
        counts=np.concatenate([[runs.counts[0] + 1], runs.counts[1:]]),
        keys=np.concatenate([runs.keys[:3], runs.keys]),
        codes=np.concatenate([runs.codes[:1], runs.codes]),
    )
    faults.change_block(path, key, lambda runs: double)
    refused(path, "twice")


def mixed(states: Any) -> Any:
    """Return the hashes of states (uint64[*, 4]), as the check has them."""
    first, second, third = (states[:, word] for word in range(3))
    word = (second + first * np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xFF51AFD7ED558CCD)
    word = ((word ^ word >> np.uint64(32)) + third) * np.uint64(0xC4CEB9FE1A85EC53)
    word = (word ^ word >> np.uint64(29)) * np.uint64(0x9FB21C651E98DF25)
    return word ^ word >> np.uint64(32)


def forged(path: Path, random: np.random.Generator) -> Runs:
    """Return a block of keys that are no positions, and whose states are all of one part.

    Cards that signatures tell about lie as they were dealt.
    """
    keys = keys_of_cards(check(path).deal, "wkr").form
    assert isinstance(keys, DigitKeys)
    words: list[Any] = []
    while len(words) < 2000:
        digits = random.integers(0, 7, (20_000, CARDS), np.uint64)
        digits[:, keys.marks > 0] = 0
        rows = np.zeros((20_000, 4), np.uint64)
        for card in range(CARDS):
            shift = np.uint64(3 * (card % PER_WORD))
            rows[:, 1 + card // PER_WORD] |= digits[:, card] << shift
        error, states = open_rows(keys, block_of(0, rows[:, 1:], 3))
        assert not error
        chosen = mixed(states) >> np.uint64(58) == 0
        words += map(tuple, rows[chosen, 1:].tolist())
    sorted_keys = np.array(sorted(words)[:2000], np.uint64).ravel()
    counts, codes = np.array([2000]), np.zeros(2000, np.uint16)
    return Runs(np.zeros(1, np.uint64), counts, sorted_keys, codes, 3)


@pytest.mark.parametrize("threads", [1, 3])
def test_states_that_are_all_of_one_part(
    stores: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    """Whoever chooses keys can choose their hashes, and fill a table that has room for fewer."""
    path, random = copied(stores, "klondike", tmp_path), np.random.default_rng(threads)
    blocks_of_one_part = [forged(path, random) for _ in range(4)]
    with Store.open(path) as store, store.write() as txn:
        for block in blocks_of_one_part:
            faults.put_block(txn, 0, 0, block)
    few_at_once(monkeypatch)
    report = check(path, memory=200_000, threads=threads)
    assert report.reason == "a closed key has a card where no move can put it"
