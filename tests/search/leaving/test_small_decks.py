"""Games of one pile on small decks: the search agrees with a slow one, and the check with both."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import faults
from helpers.naive_search import breadth_first
from helpers.pile_games import PILE_GAMES, small_deck
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.results import Question
from dbmsolver.search import inspect
from dbmsolver.search.improve import leaving_dives
from dbmsolver.search.trace import Finder, replay, steps_to
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.store import Store

MOST = 3000
"""Positions of the largest deck that is searched slowly."""
SOME, MANY = 4, 60


@pytest.fixture(params=[True, False], ids=["dives", "no dives"])
def dives(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With the dive ahead of the search, and without it."""
    if not request.param:
        monkeypatch.setattr(leaving_dives, "SCHEDULE", ())
    return bool(request.param)


def compare(game: str, seed: int, decks: int) -> None:
    """As many decks: verdict, length and counts are those of the slow search."""
    random = Random(f"{game} {seed}")
    compared, verdicts = 0, set[bool]()
    while compared < decks or len(verdicts) < 2:
        deal = small_deck(game, random)
        found = breadth_first(deal.position, deal.rules, "none", MOST)
        if found is None:
            continue
        length, positions = found
        proof, shortest = api.prove(deal), api.solve(deal)
        assert proof.verdict == shortest.verdict == ("unsolvable" if length is None else "solved")
        assert shortest.length == length, deal.position
        if length is None:
            assert proof.states == shortest.states == positions
            assert proof.digest == shortest.digest
        compared += 1
        verdicts.add(length is not None)


@pytest.mark.parametrize("game", PILE_GAMES)
def test_small_decks(game: str, dives: bool) -> None:
    compare(game, 1, SOME)


@pytest.mark.slow
@pytest.mark.parametrize("game", PILE_GAMES)
def test_many_small_decks(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(game, 2, MANY // 2)
    monkeypatch.setattr(leaving_dives, "SCHEDULE", ())
    compare(game, 3, MANY // 2)


def a_deck(game: str, seed: int, wanted: bool, least: int = 20) -> Deal:
    """Return a deck that can be won or not, of at least ``least`` positions."""
    random = Random(f"{game} {seed}")
    while True:
        deal = small_deck(game, random)
        found = breadth_first(deal.position, deal.rules, "none", MOST)
        if found is not None and (found[0] is not None) == wanted and found[1] >= least:
            return deal


BOTH = [(game, search) for game in PILE_GAMES for search in (api.prove, api.solve)]


@pytest.mark.parametrize(("game", "search"), few_fast(BOTH, 2))
def test_every_position_has_a_key_and_a_way(game: str, search: Any, tmp_path: Path) -> None:
    deal = a_deck(game, 4, wanted=False)
    search(deal, store=tmp_path)
    keys = PileKeys(deal)
    for position in positions_of(deal):
        key = keys.encode(position)
        assert keys.decode(key).canonical() == position.canonical()
        assert keys.encode(keys.decode(key)) == key
        moves = inspect.lookup(tmp_path, position)
        assert moves is not None
        reached = deal.position
        for move in moves:
            assert move in reached.moves(deal.rules)
            reached = reached.apply(move)
        assert reached.canonical() == position.canonical()
    other = replace(deal.position, pile=(*(deal.position.pile or ()), 51))
    assert inspect.lookup(tmp_path, other) is None


def positions_of(deal: Deal) -> list[Position]:
    """All positions that can be reached, one for each key."""
    found = {deal.position.canonical(): deal.position}
    waiting = [deal.position]
    while waiting:
        for _, after in waiting.pop().successors(deal.rules, "none"):
            if after.canonical() not in found:
                found[after.canonical()] = after
                waiting.append(after)
    return list(found.values())


def spoil(store: Path, random: Random) -> str:
    """Change one thing in a store, and let its counts fit; what was done."""
    key, number = random.choice(faults.closed_states(store))
    what = random.choice(["state", "code", "key"])

    def change(runs: Runs) -> Runs | None:
        if what == "state":
            return faults.without(runs, number)
        if what == "code":
            codes = [code for code in range(60) if code != runs.codes[number]]
            return faults.with_code(runs, number, random.choice(codes))
        top = int(runs.keys[number]) & 63
        others = [other for other in range(64) if other != top]
        other = int(runs.keys[number]) & ~63 | random.choice(others)
        return faults.with_key(runs, number, other) if other not in runs.keys else None

    faults.change_block(store, key, change)
    return what


@pytest.mark.parametrize(("game", "search"), few_fast(BOTH, 2))
def test_planted_faults_are_found(game: str, search: Any, tmp_path: Path) -> None:
    deal = a_deck(game, 5, wanted=False, least=40)
    searched = tmp_path / "searched"
    search(deal, store=searched)
    report = faults.check_in_parts(searched)
    assert report.valid, report
    for number in range(8):
        random = Random(number)
        store = Path(shutil.copytree(searched, tmp_path / str(number)))
        what = spoil(store, random)
        faults.make_counts_fit(store)
        report = faults.check_in_parts(store)
        if not report.valid:
            assert report.reason
            continue
        # Another parent, by a move that is as legal, is no fault.
        assert what == "code", number
        keys = PileKeys(deal, Question.SOLVE if search is api.solve else Question.PROVE)
        with Store.open(store, readonly=True) as opened:
            finder = Finder(opened, keys)
            for position in positions_of(deal):
                steps = steps_to(finder, keys.state(position))
                assert steps is not None
                reached = deal.position
                for move in replay(keys, steps):
                    reached = reached.apply(move)
                assert reached.canonical() == position.canonical()


@pytest.mark.parametrize("game", PILE_GAMES)
def test_a_claim_of_a_shorter_length_is_refuted(game: str, tmp_path: Path) -> None:
    deal = a_deck(game, 7, wanted=True)
    result = api.solve(deal, store=tmp_path)
    assert result.shortest and faults.check(tmp_path).valid

    def shorter(manifest: dict[str, Any]) -> None:
        manifest["path"] = manifest["path"][:-1]
        manifest["length"] -= 1

    faults.change_manifest(tmp_path, shorter)
    assert not faults.check(tmp_path).valid


def test_states_of_a_shortest_golf_are_checked(tmp_path: Path) -> None:
    random = Random("golf 8")
    for number in range(40):
        deal = small_deck("golf", random)
        result = api.solve(deal, store=tmp_path / str(number))
        cards = sum(map(len, deal.position.columns))
        if result.length is None or result.length < cards + 2:
            continue
        store = tmp_path / str(number)
        report = faults.check_in_parts(store)
        assert report.valid and report.states > 1, report
        states = [
            (key, n) for key, n in faults.closed_states(store)
            if int.from_bytes(key[1:3], "big") < result.length
        ]  # fmt: skip
        key, place = random.choice(states)
        faults.change_block(store, key, partial(faults.without, number=place))
        faults.make_counts_fit(store)
        assert not faults.check_in_parts(store).valid
        return
    raise AssertionError("no deck with two turned cards")


def test_keys_that_are_none() -> None:
    deal = a_deck("golf", 9, wanted=True)
    keys = PileKeys(deal)
    root = keys.encode(deal.position)
    for key in (-1 & 0xFFFFFFFF, root ^ 1, root + 64, 1 << 64, 1 << 63, 63):
        with pytest.raises(InputError, match="is not the key of a position"):
            keys.decode(key)
