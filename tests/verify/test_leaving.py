"""Stores of games whose cards only leave, damaged by hand: each fault has a reason of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers import faults, pair_games, pile_games
from helpers.searching import without_dives

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.results import Question, Verdict
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import layer_and_stratum, parse_closed_key
from dbmsolver.storage.store import Store

GAMES = {"golf": pile_games.golf, "pyramid": pair_games.pyramid}
STORES = [
    ("golf", "prove", Verdict.UNSOLVABLE),
    ("golf", "solve", Verdict.UNSOLVABLE),
    ("golf", "solve", Verdict.SOLVED),
    ("pyramid", "prove", Verdict.UNSOLVABLE),
    ("pyramid", "solve", Verdict.UNSOLVABLE),
    ("pyramid", "solve", Verdict.SOLVED),
]
SEARCHES = {"prove": (api.prove, Question.PROVE), "solve": (api.solve, Question.SOLVE)}


class Case(NamedTuple):
    """A store that may be spoilt, and what a deal's states are in it."""

    path: Path
    deal: Deal
    keys: Any

    def root(self) -> tuple[bytes, int]:
        """Return the block of the deal, and its number there."""
        root = self.keys.root
        with Store.open(self.path, readonly=True) as store:
            for key in store.keys(b"C"):
                runs = read_block(store, key)
                signatures = np.repeat(runs.signatures, runs.counts)
                here = np.flatnonzero((signatures == root.signature) & (runs.keys == root.off))
                if here.size:
                    return key, int(here[0])
        raise AssertionError("the deal is not closed")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with sound stores: each game, won or not, proofs and shortest solutions."""
    folder = tmp_path_factory.mktemp("sound")
    with pytest.MonkeyPatch.context() as monkeypatch:
        without_dives(monkeypatch)
        for game, name, verdict in STORES:
            search, _ = SEARCHES[name]
            search(GAMES[game](verdict), store=folder / f"{game} {name} {verdict}")
    return folder


def case_of(sound: Path, game: str, name: str, verdict: Verdict, path: Path) -> Case:
    """Return a copy of a sound store."""
    shutil.copytree(sound / f"{game} {name} {verdict}", path)
    deal, question = GAMES[game](verdict), SEARCHES[name][1]
    keys = (PileKeys if deal.rules.has_pile else PairKeys)(deal, question)
    return Case(path, deal, keys)


def without_the_deal(case: Case) -> None:
    key, number = case.root()
    faults.change_block(case.path, key, partial(faults.without, number=number))


def another_code_for_the_deal(case: Case) -> None:
    key, number = case.root()
    faults.change_block(case.path, key, partial(faults.with_code, number=number, code=0))


def the_code_of_the_deal_for_another(case: Case) -> None:
    root = case.root()
    key, number = next(found for found in faults.closed_states(case.path) if found != root)
    code = case.keys.root_code
    faults.change_block(case.path, key, partial(faults.with_code, number=number, code=code))


def once_more(case: Case, layers: int, strata: int) -> None:
    """Put a copy of the first state into a block of another layer or stratum, or of its own."""
    key = faults.closed_keys(case.path)[0]
    with Store.open(case.path) as store:
        place, runs = parse_closed_key(key), read_block(store, key)
        first = replace(
            runs,
            signatures=runs.signatures[:1],
            counts=np.ones(1, np.int64),
            keys=runs.keys[:1],
            codes=runs.codes[:1],
        )
        with store.write() as txn:
            faults.put_block(txn, place.layer + layers, place.stratum + strata, first)


def a_win(case: Case) -> None:
    """Add a position that is won."""
    position = case.deal.position
    empty = ((),) * len(position.columns)
    if isinstance(position, Pairing):
        won: Position = replace(position, columns=empty)
        if case.deal.rules.pairs == "all":
            won = replace(won, stock=(), waste=())
    else:
        last = next(column[0] for column in position.columns if column)
        won = replace(position, columns=empty, pile=(*(position.pile or ()), last))
    state = case.keys.state(won)
    signature = np.array([state.signature & ~case.keys.goal], np.uint64)
    layer, stratum = layer_and_stratum(int(progress_of(case.keys.tables, signature, 0)[0]))
    codes = np.zeros(1, np.uint8)
    runs = Runs(signature, np.ones(1, np.int64), np.array([state.off], np.uint64), codes, 1)
    with Store.open(case.path) as store, store.write() as txn:
        faults.put_block(txn, layer, stratum, runs)


ROOT_CODE = "the deal's parent-move code is not its own, or another position has it"
NO_SUCCESSOR = "a successor of a closed position is not closed"
NO_PARENT = "the parent-move code of a closed position is of no move from another one"
FAULTS: dict[str, tuple[Callable[[Case], None], str]] = {
    "no deal": (without_the_deal, "the deal is not among the closed positions"),
    "another code for the deal": (another_code_for_the_deal, ROOT_CODE),
    "the deal's code for another": (the_code_of_the_deal_for_another, ROOT_CODE),
    "twice": (partial(once_more, layers=0, strata=0), "a position is closed twice"),
    "stratum": (
        partial(once_more, layers=0, strata=1),
        "the block's signatures do not belong to its stratum",
    ),
    "win": (a_win, "a closed position is a goal"),
}
TOO_WIDE = "a key has more bits than it can have"  # signatures of pairs tell the layer
ONCE_MORE = {"golf": "a position is closed twice", "pyramid": TOO_WIDE}
NOT_SHOWN = (TOO_WIDE, FAULTS["stratum"][1])


@pytest.mark.parametrize(("game", "name", "verdict"), STORES)
def test_each_fault_has_its_reason(
    game: str, name: str, verdict: Verdict, sound: Path, tmp_path: Path
) -> None:
    own = (partial(once_more, layers=1, strata=0), ONCE_MORE[game])
    for number, (fault, reason) in enumerate([*FAULTS.values(), own]):
        case = case_of(sound, game, name, verdict, tmp_path / str(number))
        fault(case)
        report = faults.check(case.path)
        assert not report.valid
        assert reason in (report.reason or ""), (reason, report.reason)
        shown = reason not in NOT_SHOWN and (game, fault) != ("pyramid", a_win)
        assert (report.position is not None) >= shown
        shutil.rmtree(case.path)


@pytest.mark.parametrize("game", GAMES)
def test_a_sound_store_is_valid_in_any_memory(game: str, sound: Path) -> None:
    path = sound / f"{game} prove {Verdict.UNSOLVABLE}"
    assert faults.check_in_parts(path).valid


def test_a_sample(sound: Path) -> None:
    """All blocks are counted, and the states of some are looked at."""
    path = sound / f"pyramid solve {Verdict.UNSOLVABLE}"
    whole = faults.check(path)
    assert (whole.states, whole.all_states) == (whole.all_states, 308)
    assert whole.checked[-1] == "counts and digest are those of the manifest"
    report = faults.check(path, sample=0.3, seed=2)
    assert report.valid and report.digest is None
    assert report.all_states == 308 and 0 < report.states < 200
    assert 0 < report.blocks < report.all_blocks == whole.blocks
    assert report.checked[-1] == "every successor is closed with no more moves"


def test_faults_outside_the_sample_are_not_seen(sound: Path, tmp_path: Path) -> None:
    """The states of blocks that are not chosen are not looked at."""
    case = case_of(sound, "pyramid", "solve", Verdict.UNSOLVABLE, tmp_path / "store")
    another_code_for_the_deal(case)
    seen = [faults.check(case.path, sample=0.3, seed=seed).valid for seed in range(6)]
    assert 0 < sum(seen) < 6


@pytest.mark.parametrize(("game", "name", "verdict"), STORES)
def test_a_state_removed(
    game: str, name: str, verdict: Verdict, sound: Path, tmp_path: Path
) -> None:
    """It is missed by a state that leads to it, or by one that it leads to."""
    case = case_of(sound, game, name, verdict, tmp_path / "store")
    keys = faults.closed_keys(case.path)
    if verdict == Verdict.SOLVED:
        keys = [key for key in keys if parse_closed_key(key).layer < 15]  # it has 15 moves
    faults.change_block(case.path, keys[-1], partial(faults.without, number=0))
    report = faults.check(case.path)
    if report.reason == NO_PARENT:  # it was a goal's only parent: nothing else missed it
        assert report.position is not None and report.relation is None
        return
    assert (report.reason or "").startswith(NO_SUCCESSOR) and report.relation == "the successor"
    assert report.position is not None and report.neighbour is not None
    before, after = report.position, report.neighbour
    following = {one.canonical() for _, one in before.successors(case.deal.rules, "none")}
    assert after.canonical() in following


@pytest.mark.parametrize(
    ("game", "name", "verdict", "code"),
    [(*STORES[0], 28), (*STORES[1], 28), (*STORES[3], 8), (*STORES[5], 2)],
)
def test_a_parent_that_is_not_closed(
    game: str, name: str, verdict: Verdict, code: int, sound: Path, tmp_path: Path
) -> None:
    """The code is that of a legal move, from a position that no game comes to."""
    case = case_of(sound, game, name, verdict, tmp_path / "store")
    key = faults.closed_keys(case.path)[-1]
    faults.change_block(case.path, key, partial(faults.with_code, number=0, code=code))
    report = faults.check(case.path)
    assert report.reason == NO_PARENT and report.position is not None


def test_progress(sound: Path) -> None:
    for game, name, verdict in STORES:
        path = sound / f"{game} {name} {verdict}"
        report, events = faults.check(path), faults.events_of(path)
        way = " with no more moves" if name == "solve" else ""
        line = f"every successor is closed{way}"
        assert (line in report.checked) == (verdict == Verdict.UNSOLVABLE)
        shares = [event.share for event in events]
        assert shares == sorted(shares) and shares[-1] == 1.0
        strata = sorted(parse_closed_key(key).stratum for key in faults.closed_keys(path))
        assert [event.stratum for event in events] == 2 * strata  # read, then checked
        assert {event.last_stratum for event in events} == {max(strata)}
        states = [event.states for event in events]
        assert states == sorted(states) and states[-1] == report.states


def stratum_of_zeros(case: Case) -> int:
    """Return the stratum of a signature without a bit: all cards that it tells of have left."""
    place = int(progress_of(case.keys.tables, np.zeros(1, np.uint64), 0)[0])
    return layer_and_stratum(place)[1]


def test_too_many_states(sound: Path, tmp_path: Path) -> None:
    """Blocks that claim far more states than the manifest has are not unpacked."""
    for states, reason in (
        (1 << 16, "a position is closed twice"),
        (1 << 17, "blocks claim 131,890 states, and 818 were counted"),
    ):
        case = case_of(sound, "golf", "prove", Verdict.UNSOLVABLE, tmp_path / str(states))
        codes, keys = np.zeros(states, np.uint8), np.zeros(states, np.uint64)
        runs = Runs(np.zeros(1, np.uint64), np.array([states]), keys, codes, 1)
        with Store.open(case.path) as store, store.write() as txn:
            faults.put_block(txn, 0, stratum_of_zeros(case), runs)
        assert faults.check(case.path).reason == reason


def test_a_solution_as_short_as_the_bound(tmp_path: Path) -> None:
    """No closed state is needed then; those that there are, and the counts, are checked."""
    deal, store = pile_games.small_deck("golf", Random(5)), tmp_path / "store"
    result = api.solve(deal, store=store)
    assert result.length == sum(map(len, deal.position.columns)) and deal.position.stock
    report = faults.check(store)
    assert report.valid and (report.blocks, report.states) == (1, 132)
    assert report.checked[1] == "no solution is shorter than the deal's lower bound"
    assert report.checked[-1] == "counts and digest are those of the manifest"
    (key,) = faults.closed_keys(store)
    faults.change_block(store, key, lambda runs: faults.with_code(runs, 0, 51))
    assert faults.check(store).reason is not None


def test_counts_of_a_solution_as_short_as_the_bound(tmp_path: Path) -> None:
    """A solution that was found before anything was closed has no counts."""
    deal = pile_games.small_deck("golf", Random(5))
    api.solve(deal, store=tmp_path, any_solution=True)
    report = faults.check(tmp_path)
    assert report.valid and (report.all_blocks, report.states) == (0, 0)
    assert report.checked[1:] == ["no solution is shorter than the deal's lower bound"]
    faults.change_manifest(tmp_path, lambda manifest: manifest.update(strata=[[0, 0, 5, 0]]))
    assert faults.check(tmp_path).reason == "strata: 0, not 1 as claimed"
