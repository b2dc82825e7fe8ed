"""The verifier refuses stores with faults of every kind."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.faults import check, few_at_once, make_counts_fit
from helpers.searching import prove
from helpers.selection import few_fast
from helpers.verifier import bits_of, error_of, opened_row, place_of

from dbmsolver import api
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import rules_for
from dbmsolver.search.astar import layers
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.records import describe
from dbmsolver.storage.store import Store
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.errors import FINE
from dbmsolver.verify.kernels.rules import AS_DEALT, HOME
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.report import Verification

Change = Callable[[dict[str, Any]], None]
SMALL = Deal.from_number(1, rules_for("freecell", 1))
PLANES = ((0, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0))
"""The bits of loose cards in the planes, by their place values."""
PROOF = Deal.from_number(6139, rules_for("freecell", 3))


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sound stores: two proofs, and a shortest solution."""
    folder = tmp_path_factory.mktemp("stores")
    prove(SMALL, store=folder / "small")
    prove(PROOF, store=folder / "proof")
    api.solve(Deal.from_number(3), store=folder / "solve")
    return folder


@pytest.fixture
def small(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "small", tmp_path / "small"))


@pytest.fixture
def proof(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "proof", tmp_path / "proof"))


@pytest.fixture
def solve(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "solve", tmp_path / "solve"))


def refused(path: Path, *reasons: str) -> None:
    """Not valid, with one of these reasons; nor by one thread, nor with little memory.

    Any reason will do if none is given.
    """
    report = check(path)
    assert not report.valid
    assert report.reason
    if reasons:
        assert any(reason in report.reason for reason in reasons), report.reason
    assert not check(path, threads=1).valid
    with pytest.MonkeyPatch.context() as monkeypatch:
        few_at_once(monkeypatch, report.all_states)
        # Less for each state, and there would be hundreds of parts.
        report = check(path, memory=max(20_000, 10 * report.all_states))
    assert not report.valid
    if reasons:
        assert any(reason in str(report.reason) for reason in reasons), report.reason


@pytest.mark.parametrize("seed", few_fast(range(12), 2))
@pytest.mark.parametrize("name", ["small", "proof"])
def test_a_state_removed(name: str, seed: int, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    key, number = Random(seed).choice(faults.closed_states(path))
    faults.change_block(path, key, lambda runs: faults.without(runs, number))
    make_counts_fit(path)
    refused(path, "is not closed", "is not among the closed positions", "no closed states")
    assert not check(path, sample=1.0).valid


def test_every_state_removed_in_turn(originals: Path, tmp_path: Path) -> None:
    """The report shows a state that a move leads to, and a position that the move begins in."""
    for index, (key, number) in enumerate(faults.closed_states(originals / "small")):
        path = Path(shutil.copytree(originals / "small", tmp_path / str(index)))
        faults.change_block(path, key, lambda runs, number=number: faults.without(runs, number))
        report = check(path, threads=1)
        assert not report.valid
        assert "closed" in str(report.reason)
        assert report.relation != "the successor" or is_led_to(report, SMALL)


def test_the_deal_removed(small: Path) -> None:
    """Each sample misses it, whatever blocks it reads."""
    form = keys_of_cards(SMALL, "wkr")
    for key, number in faults.closed_states(small):
        with Store.open(small, readonly=True) as store:
            runs = read_block(store, key)
        if position_of_state(form, runs, number).canonical() == SMALL.position.canonical():
            break
    faults.change_block(small, key, lambda runs: faults.without(runs, number))
    for seed in range(3):
        report = check(small, sample=0.1, seed=seed)
        assert report.reason == "the deal is not among the closed positions"
        assert report.position == SMALL.position


@pytest.mark.parametrize("seed", few_fast(range(12), 4))
def test_a_key_altered_to_another_legal_position(proof: Path, seed: int) -> None:
    random = Random(seed)
    form = keys_of_cards(PROOF, "wkr")
    while True:
        key, number = random.choice(faults.closed_states(proof))
        with Store.open(proof, readonly=True) as store:
            runs = read_block(store, key)
        other = other_key(form, runs, number, random)
        if other is not None:
            break
    faults.change_block(proof, key, lambda runs: faults.with_key(runs, number, other))
    make_counts_fit(proof)
    refused(proof)


def test_a_key_with_too_many_bits_is_told_with_its_place(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its block and signature are named, where these are whole in memory and where in pieces."""
    before = faults.closed_keys(small)
    with Store.open(small, readonly=True) as store:
        key, runs = next(
            (key, runs)
            for key in before
            if (runs := read_block(store, key)).signatures.size > 2 and runs.counts[1] > 1
        )
    number = int(runs.counts[:2].sum()) - 1
    faults.change_block(small, key, lambda runs: faults.with_key(runs, number, 1 << 63))
    (place,) = set(faults.closed_keys(small)) - set(before)
    told = f"({describe(place)}, signature {int(runs.signatures[1]):#x})"
    assert told in str(check(small).reason)
    few_at_once(monkeypatch)
    assert told in str(check(small, memory=300).reason)


def other_key(
    form: Keys, runs: Any, number: int, random: Random, *, legal: bool = True
) -> int | None:
    """Return a local key of the state's signature that its run has not; None without one.

    It is that of a legal position, or of none.
    """
    ends = np.cumsum(runs.counts)
    run = int(np.searchsorted(ends, number, side="right"))
    theirs = {int(key) for key in runs.keys[int(ends[run] - runs.counts[run]) : int(ends[run])]}
    signature = int(runs.signatures[run])
    bits = len(bits_of(form, signature))
    for _ in range(2000):
        if not bits:
            return None
        key = int(runs.keys[number])
        for _ in range(random.randint(1, 4)):
            key ^= 1 << random.randrange(bits)
        error = error_of(form, opened_row(form, signature, [key]))
        if (error == FINE) == legal and key not in theirs:
            return key
    return None


@pytest.mark.parametrize("seed", few_fast(range(80), 12))
def test_a_code_altered(small: Path, seed: int, right_codes: set[Any]) -> None:
    """Refused, unless another closed position happens to lead there by a move of that code."""
    random = Random(seed)
    form = keys_of_cards(SMALL, "wkr")
    key, number = random.choice(faults.closed_states(small))
    code = random.randrange(int(form.tables.codes.max()) + 1)
    with Store.open(small, readonly=True) as store:
        runs = read_block(store, key)
    if code == runs.codes[number]:
        return
    faults.change_block(small, key, lambda runs: faults.with_code(runs, number, code))
    report = check(small)
    position = position_of_state(form, runs, number)
    if position.canonical() == SMALL.position.canonical():
        assert report.valid  # the deal has no parent
    elif (position.canonical(), code) in right_codes:
        assert report.valid or "ring" in str(report.reason)
    else:
        assert not report.valid
        assert report.position is not None
        assert report.position.canonical() == position.canonical()


@pytest.fixture(scope="module")
def right_codes() -> set[Any]:
    """(position, code) of all moves between reachable positions, by the slow rules."""
    form = keys_of_cards(SMALL, "wkr")
    found = set()
    seen = {SMALL.position.canonical(): SMALL.position}
    todo = [SMALL.position]
    while todo:
        position = todo.pop()
        for move, following in position.successors(SMALL.rules, "wkr"):
            place = place_of(form, position, move.card)
            found.add((following.canonical(), int(form.tables.codes[move.card, place])))
            if following.canonical() not in seen:
                seen[following.canonical()] = following
                todo.append(following)
    return found


def position_of_state(form: Keys, runs: Any, number: int, deal: Deal = SMALL) -> Position:
    """Return a state of a block (with narrow keys), by the verifier's own reading."""
    ends = np.cumsum(runs.counts)
    run = int(np.searchsorted(ends, number, side="right"))
    error, state = opened_row(form, int(runs.signatures[run]), [int(runs.keys[number])])
    assert state is not None, error
    position = form.position(state)
    assert position is not None
    return position


def rings(path: Path, deal: Deal) -> Iterator[tuple[bytes, Callable[[Any], Any]]]:
    """Yield blocks, and how each is changed to have a ring of two positions.

    Each is said to come from the other by the same card's move there and back.
    """
    form = keys_of_cards(deal, "wkr")
    codes = form.tables.codes
    for key, number in faults.closed_states(path):
        with Store.open(path, readonly=True) as store:
            runs = read_block(store, key)
        card, before = np.argwhere(codes == runs.codes[number])[0].tolist()
        position = position_of_state(form, runs, number)
        if card // 4 < position.foundations[card % 4] or before == AS_DEALT:
            continue
        now = place_of(form, position, card)
        back = int(codes[card, now])
        origin = parent_number(form, runs, number, card, now, before)
        if origin is None:
            continue
        if position_of_state(form, runs, origin).canonical() == deal.position.canonical():
            continue  # the deal's code says nothing
        yield key, partial(faults.with_code, number=origin, code=back)


def test_codes_in_a_ring(proof: Path) -> None:
    for number, (key, change) in enumerate(islice(rings(proof, PROOF), 3)):
        spoiled = proof.with_name(f"ring{number}")
        shutil.copytree(proof, spoiled)
        faults.change_block(spoiled, key, change)
        refused(spoiled, "ring")
    assert number == 2, "no two positions to make a ring of"


def test_a_ring_in_two_parts(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither of its positions is in memory with the other."""
    few_at_once(monkeypatch)
    for key, change in rings(small, SMALL):
        faults.change_block(small, key, change)
        for memory in (100, 300, 1000):
            assert "ring" in str(check(small, memory=memory).reason)
        return
    raise AssertionError("no two positions to make a ring of")


def parent_number(
    form: Keys, runs: Any, number: int, card: int, now: int, before: int
) -> int | None:
    """Return the number in the block of the state with the card where it was before."""
    ends = np.cumsum(runs.counts)
    run = int(np.searchsorted(ends, number, side="right"))
    key = int(runs.keys[number])
    for bit, (plane, other) in enumerate(bits_of(form, int(runs.signatures[run]))):
        if other == card and PLANES[now][plane] != PLANES[before][plane]:
            key ^= 1 << bit
    first = int(ends[run] - runs.counts[run])
    same = np.flatnonzero(runs.keys[first : int(ends[run])] == key)
    return first + int(same[0]) if same.size else None


def test_each_block_dropped(originals: Path, tmp_path: Path) -> None:
    for name in ("small", "proof"):
        for index, key in enumerate(faults.closed_keys(originals / name)):
            path = Path(shutil.copytree(originals / name, tmp_path / f"{name}{index}"))
            faults.change_block(path, key, lambda runs: None)
            report = check(path)
            assert not report.valid
            assert "closed" in str(report.reason)


@pytest.mark.parametrize("seed", few_fast(range(10), 2))
def test_a_block_of_a_layer_dropped(solve: Path, seed: int) -> None:
    complete = [key for key in faults.closed_keys(solve) if key[1:3] < bytes((0, 73))]
    faults.change_block(solve, Random(seed).choice(complete), lambda runs: None)
    make_counts_fit(solve)
    refused(solve, "is not closed", "not among the closed")


@pytest.mark.parametrize("seed", few_fast(range(10), 2))
def test_a_state_of_a_layer_removed(solve: Path, seed: int) -> None:
    states = [place for place in faults.closed_states(solve) if place[0][1:3] < bytes((0, 73))]
    key, number = Random(seed).choice(states)
    faults.change_block(solve, key, lambda runs: faults.without(runs, number))
    make_counts_fit(solve)
    refused(solve, "is not closed", "not among the closed")


def is_led_to(report: Verification, deal: Deal) -> bool:
    """Return True if a move leads from the position that a report shows to its neighbour."""
    assert report.position is not None and report.neighbour is not None
    following = {one.canonical() for _, one in report.position.successors(deal.rules, "wkr")}
    return report.neighbour.canonical() in following


def test_the_missing_state_is_shown(solve: Path) -> None:
    """It is among others that are not closed either, as they are of no use for the claim."""
    deal = Deal.from_number(3)
    form = keys_of_cards(deal, "wkr")
    states = [place for place in faults.closed_states(solve) if place[0][1:3] == bytes((0, 72))]
    for index, (key, number) in enumerate(Random(1).sample(states, 2)):
        path = Path(shutil.copytree(solve, solve.with_name(f"{index}")))
        with Store.open(path, readonly=True) as store:
            gone = position_of_state(form, read_block(store, key), number, deal)
        faults.change_block(path, key, partial(faults.without, number=number))
        report = check(path)
        assert report.neighbour is not None
        assert report.neighbour.canonical() == gone.canonical()
        assert report.relation != "the successor" or is_led_to(report, deal)


def test_samples_show_the_states_that_are_meant(solve: Path) -> None:
    """The numbers of states are those in the blocks that were chosen, some of a stratum's."""
    deal = Deal.from_number(3)
    states = [place for place in faults.closed_states(solve) if place[0][1:3] == bytes((0, 72))]
    key, number = states[len(states) // 2]
    faults.change_block(solve, key, partial(faults.without, number=number))
    reports = [check(solve, sample=0.7, seed=seed) for seed in range(3)]
    shown = [report for report in reports if report.relation == "the successor"]
    assert shown and all(is_led_to(report, deal) for report in shown)


def test_a_block_moved_to_another_layer(solve: Path) -> None:
    key = faults.closed_keys(solve)[5]
    with Store.open(solve) as store:
        runs = read_block(store, key)
        with store.write() as txn:
            txn.delete(key)
            layer, stratum = int.from_bytes(key[1:3], "big"), int.from_bytes(key[3:5], "big")
            faults.put_block(txn, layer + 1, stratum, runs)
    refused(solve)


def test_a_key_that_is_no_position(solve: Path) -> None:
    """Refused where the moves made to each state are computed, and no other board is shown."""
    random = Random(1)
    form = keys_of_cards(Deal.from_number(3), "wkr")
    key, number = random.choice(faults.closed_states(solve))
    with Store.open(solve, readonly=True) as store:
        other = other_key(form, read_block(store, key), number, random, legal=False)
    assert other is not None
    faults.change_block(solve, key, lambda runs: faults.with_key(runs, number, other))
    report = check(solve)
    assert str(report.reason).startswith("a closed key has ")
    assert report.position is None


@pytest.mark.parametrize("end", [0, -1])
def test_a_solution_shortened_by_one(solve: Path, end: int) -> None:
    def shorten(manifest: dict[str, Any]) -> None:
        del manifest["path"][end]
        manifest["length"] -= 1

    faults.change_manifest(solve, shorten)
    refused(solve, "cards are not home", "is not legal")


def test_a_length_without_its_solution(solve: Path) -> None:
    faults.change_manifest(solve, lambda manifest: manifest.update(length=72))
    with pytest.raises(faults.StoreError, match="its length cannot be"):
        check(solve)


def test_a_solution_lengthened(solve: Path) -> None:
    """There and back again is legal; but then a layer below the claimed length is incomplete."""

    def lengthen(manifest: dict[str, Any]) -> None:
        manifest["path"] = with_a_detour(Deal.from_number(3), manifest["path"])
        manifest["length"] += 2

    faults.change_manifest(solve, lengthen)
    refused(solve, "is not closed")


def with_a_detour(deal: Deal, path: list[list[int]]) -> list[list[int]]:
    """Return the solution with a move, and the one that takes it back, as early as can be."""
    form = keys_of_cards(deal, "wkr")
    position = deal.position
    for number, step in enumerate(path):
        for move in position.moves(deal.rules):
            after = position.apply(move)
            if move.destination.kind == "foundation":
                continue
            for back in after.moves(deal.rules):
                if after.apply(back).canonical() == position.canonical():
                    places = place_of(form, after, move.card), place_of(form, position, move.card)
                    detour = [[move.card, place] for place in places]
                    return path[:number] + detour + path[number:]
        moves = [move for move in position.moves(deal.rules) if move.card == step[0]]
        chosen = next(move for move in moves if leads_to(form, position, move) == step[1])
        position = position.apply(chosen)
    raise AssertionError("no move can be taken back")


def leads_to(form: Keys, position: Position, move: Move) -> int:
    """Place value that a move leads to."""
    if move.destination.kind == "foundation":
        return HOME
    return place_of(form, position.apply(move), move.card)


def test_a_solved_deal_said_to_be_unsolvable(solve: Path) -> None:
    faults.change_manifest(
        solve, lambda manifest: manifest.update(verdict="unsolvable", shortest=False)
    )
    refused(solve, "is not closed")


@pytest.mark.parametrize("name", ["proof", "solve"])
def test_a_goal_inserted(name: str, request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(name)
    deal = PROOF if name == "proof" else Deal.from_number(3)
    faults.insert(path, 0 if name == "proof" else 70, keys_of_cards(deal, "wkr"), 0xDDDD, 0)
    refused(path, "is a goal", "does not fit its lower bound")


def _other_board(manifest: dict[str, Any]) -> None:
    manifest["deal"] = {"number": None, "board": format_board(Deal.from_number(4).position)}


MANIFESTS: dict[str, Change] = {
    "number": lambda manifest: manifest["deal"].update(number=6140),
    "board": _other_board,
    "more freecells": lambda manifest: manifest["rules"].update(freecells=4),
    "fewer freecells": lambda manifest: manifest["rules"].update(freecells=2),
    "columns": lambda manifest: (
        manifest["rules"].update(columns=9),
        manifest["deal"].update(number=None, board=manifest["deal"]["board"] + ":\n"),
    ),
    "build": lambda manifest: manifest["rules"].update(build="any"),
    "one suit": lambda manifest: manifest["rules"].update(build="suit"),
    "fill": lambda manifest: manifest["rules"].update(fill="kings"),
    "policy": lambda manifest: manifest.update(policy="none"),
    "states": lambda manifest: manifest.update(states=735),
    "digest": lambda manifest: manifest.update(digest="0" * 16),
    "strata": lambda manifest: manifest["strata"].pop(),
    "solved": lambda manifest: manifest.update(verdict="solved", path=[], length=0),
    "shortest": lambda manifest: manifest.update(
        verdict="solved", path=[], length=0, shortest=True
    ),
}


@pytest.mark.parametrize("change", MANIFESTS.values(), ids=MANIFESTS)
def test_a_manifest_changed(proof: Path, change: Change) -> None:
    faults.change_manifest(proof, change)
    try:
        report = check(proof)
    except faults.StoreError as error:
        assert error.exit_code == 4
    else:
        assert not report.valid


class Overestimating(AStarSearch):
    """A search that says of whatever it finds that it is shortest."""

    shortest = True


@pytest.mark.parametrize(("number", "weight"), few_fast(product([3, 164, 7], [2, 3]), 2))
def test_a_bound_that_overestimates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, weight: int
) -> None:
    monkeypatch.setattr(layers, "AStarSearch", partial(Overestimating, weight=weight))
    result = api.solve(Deal.from_number(number), store=tmp_path / "s")
    assert result.shortest  # so it says
    report = check(tmp_path / "s")
    assert not report.valid
    if number == 3:
        assert result.length is not None and result.length > 73


def test_a_bound_that_overestimates_a_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with the layers written as if the bound had been right: the closed set must tell."""
    monkeypatch.setattr(layers, "AStarSearch", partial(Overestimating, weight=2))
    api.solve(Deal.from_number(3), store=tmp_path / "s")
    root = check(tmp_path / "s")
    assert "lower bound" in str(root.reason) or "closed" in str(root.reason)


def test_a_damaged_block(proof: Path) -> None:
    key = faults.closed_keys(proof)[3]
    with Store.open(proof) as store:
        data = bytearray(store.read(key))
        data[-3] ^= 4
        with store.write() as txn:
            txn._txn.put(key, bytes(data))
    refused(proof, "damaged")


@pytest.mark.parametrize("seed", few_fast(range(20), 6))
def test_a_byte_changed(proof: Path, seed: int) -> None:
    random = Random(seed)
    key = random.choice(faults.closed_keys(proof))
    with Store.open(proof) as store:
        data = bytearray(store.read(key))
        data[random.randrange(min(len(data), 60))] ^= 1 << random.randrange(8)
        with store.write() as txn:
            txn._txn.put(key, bytes(data))
    for sample in (None, 1.0, 0.1):
        try:
            report = check(proof, sample=sample)
        except faults.StoreError as error:  # a checksum, which the seal has the sum of
            assert "exchanged" in str(error)
            continue
        assert not report.valid or sample == 0.1
        assert report.valid or "block" in str(report.reason)


@pytest.mark.parametrize("size", [0, 5, 24, 30])
def test_a_block_cut_short(proof: Path, size: int) -> None:
    key = faults.closed_keys(proof)[3]
    with Store.open(proof) as store:
        data = store.read(key)[:size]
        with store.write() as txn:
            txn._txn.put(key, data)
    if size < 8:  # not even a checksum
        with pytest.raises(faults.StoreError, match="damaged"):
            check(proof)
        return
    refused(proof, "damaged")
    assert not check(proof, sample=1.0).valid


def test_a_state_twice(small: Path) -> None:
    key = faults.closed_keys(small)[2]
    with Store.open(small) as store:
        runs = read_block(store, key)
        with store.write() as txn:
            faults.put_block(txn, 0, int.from_bytes(key[3:5], "big"), runs)
    refused(small, "closed twice")
