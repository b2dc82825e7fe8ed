"""Claims of an answer, and of a search that is under way, against the records of the store."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.fake_search import nearly_done
from helpers.faults import change_manifest, put_block
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.api import solve
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.choice import are_wide
from dbmsolver.results import Method
from dbmsolver.search import evidence
from dbmsolver.search.answers import keys_of_manifest
from dbmsolver.search.evidence import check_answer, check_unfinished
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.manifest import deal_of
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(10)
EASY = Deal.from_number(3)
LOST = Deal.from_number(11982)
LOST_KLONDIKE = Deal.from_text(
    """
    Foundations: H-T C-T D-T S-K
    <JH> <JC> KD
    <QC> <QH> <KC> <KH> <QD> JD
    """,
    replace(GAMES["klondike"], columns=2, layout="", stock=0, build="suit"),
)
"""Its suits are built down in columns."""
LOST_GOLF = Deal.from_number(1, GAMES["golf"])
ONE = np.ones(1, np.uint64)
ONE_STATE = Runs(ONE, np.ones(1, np.int64), ONE, np.ones(1, np.uint8), 1)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return stores of a proof, of a solution and a shortest one, and of a proof under way."""
    folder = tmp_path_factory.mktemp("kept")
    stores = {name: folder / name for name in ("proof", "won", "shortest", "half")}
    assert prove(LOST, store=stores["proof"]).verdict == "unsolvable"
    found = solve(DEAL, any_solution=True, store=stores["won"], max_states=5_000)
    assert found.length and not found.shortest and found.states
    assert solve(EASY, store=stores["shortest"]).shortest
    assert prove(LOST, store=stores["half"], max_states=20_000).verdict == "undecided"
    return stores


@pytest.fixture
def copied(kept: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies one of the stores."""
    return lambda name: shutil.copytree(kept[name], tmp_path / name)


def checked(path: Path, check: Callable[[Store, Deal], list[str]] = check_unfinished) -> list[str]:
    with Store.open(path, readonly=True) as store:
        return check(store, deal_of(store.manifest, "here"))


def refused(
    path: Path, said: str, check: Callable[[Store, Deal], list[str]] = check_unfinished
) -> None:
    with pytest.raises(StoreError, match=f"the manifest does not fit the records: {said}"):
        checked(path, check)


def close_one(path: Path, layer: int, stratum: int) -> None:
    """Put a closed state into a store, and into its counts."""
    with Store.open(path) as store, store.write() as txn:
        put_block(txn, layer, stratum, ONE_STATE)
        rows = {(row[0], row[1]): row for row in store.manifest.strata}
        states, forced = rows.get((layer, stratum), [0] * 4)[2:]
        rows[layer, stratum] = [layer, stratum, states + 1, forced]
        txn.put_manifest(
            replace(
                store.manifest,
                strata=[rows[place] for place in sorted(rows)],
                states=store.manifest.states + 1,
            )
        )


COUNTED = "the counts are those of the blocks"


def test_what_is_under_way_and_claims_nothing_wrong(kept: dict[str, Path]) -> None:
    assert checked(kept["won"]) == [COUNTED, "the solution was played and wins"]
    assert checked(kept["half"]) == [COUNTED]


@pytest.mark.parametrize("more", [0, 1])
def test_layers_above_a_solution_are_not_searched(copied: Callable[[str], Path], more: int) -> None:
    """That of its length may be: the others hold no shorter one."""
    path = copied("won")
    with Store.open(path, readonly=True) as store:
        length = store.manifest.length
    assert length is not None
    close_one(path, length + more, 50)
    if more:
        refused(path, f"layer {length + 1} was searched, for a solution of {length} moves")
    else:
        assert checked(path) == [COUNTED, "the solution was played and wins"]


@pytest.mark.parametrize("kind", ["won", "half"])
def test_other_counts_than_those_of_the_blocks(copied: Callable[[str], Path], kind: str) -> None:
    path = copied(kind)

    def with_more(manifest: dict[str, Any]) -> None:
        manifest["strata"][0][2] += 5
        manifest["states"] += 5

    change_manifest(path, with_more)
    with Store.open(path, readonly=True) as store:
        layer, stratum, states, forced = store.manifest.strata[0]
    name = f"layer {layer}, stratum {stratum}" if layer else f"stratum {stratum}"
    have = states + forced
    refused(path, f"{name} has {have - 5:,} states, not {have:,}")


def test_fewer_layers_than_are_closed(copied: Callable[[str], Path]) -> None:
    """They would leave room for shorter solutions, which were looked for."""
    path = copied("won")
    with Store.open(path, readonly=True) as store:
        layers = {row[0] for row in store.manifest.strata}
    last = max(layers)

    def without_last(manifest: dict[str, Any]) -> None:
        manifest["strata"] = [row for row in manifest["strata"] if row[0] != last]

    change_manifest(path, without_last)
    refused(path, f"the last layer with closed states is {last}, not {max(layers - {last})}")


def test_a_proof_finds_its_solution_at_its_end(copied: Callable[[str], Path]) -> None:
    path = copied("half")
    change_manifest(path, lambda manifest: manifest.update(path=[[0, 0]], length=1))
    refused(path, "a proof has no solution before its end")


def test_the_length_is_that_of_the_moves_in_the_metric(tmp_path: Path) -> None:
    """All moves of this solution are made at once, which the metric does not count."""
    path = tmp_path / "store"
    assert solve(nearly_done()[0], metric="moves", store=path).length == 0
    claims = {"verdict": "undecided", "limit": "max-states", "shortest": False}
    change_manifest(path, lambda manifest: manifest.update(claims))
    assert checked(path) == [COUNTED, "the solution was played and wins"]
    change_manifest(path, lambda manifest: manifest.update(length=1))
    refused(path, "its solution has 0 moves, not 1")


@pytest.mark.parametrize("kind", [b"P", b"B", b"D"])
def test_nothing_is_pending_after_an_answer(copied: Callable[[str], Path], kind: bytes) -> None:
    """Neither candidates, nor those not looked at, nor signatures done in a stratum that is not."""
    path = copied("proof")
    assert checked(path, check_answer)[0] == "nothing is pending"
    with Store.open(path) as store, store.write() as txn:
        txn.put_pending(0, 50, bytes(8), kind)
    refused(path, "unsolvable, and candidates are still pending", check_answer)


def test_a_solved_deal_has_a_solution(copied: Callable[[str], Path]) -> None:
    """No moves are one that does not win, where states are kept."""
    path = copied("proof")
    change_manifest(path, lambda manifest: manifest.update(verdict="solved", path=None))
    refused(path, "after the moves of its solution 52 cards are not home", check_answer)


def test_more_layers_than_are_closed(copied: Callable[[str], Path]) -> None:
    """They would say that solutions are longer than the search can know."""
    path = copied("won")
    with Store.open(path, readonly=True) as store:
        last = max(row[0] for row in store.manifest.strata)
    change_manifest(path, lambda manifest: manifest["strata"].append([last + 1, 50, 1, 0]))
    refused(path, f"the last layer with closed states is {last}, not {last + 1}")


@pytest.mark.parametrize("more", [-1, 1])
def test_the_sum_of_all_states_is_that_of_their_rows(
    copied: Callable[[str], Path], more: int
) -> None:
    path = copied("proof")
    with Store.open(path, readonly=True) as store:
        closed = store.manifest.states + store.manifest.forced
    change_manifest(path, lambda m: m.update(states=m["states"] + more))
    refused(path, f"{closed:,} states are closed, not {closed + more:,}", check_answer)


def test_states_that_no_row_counts(copied: Callable[[str], Path]) -> None:
    path = copied("proof")
    with Store.open(path) as store, store.write() as txn:
        put_block(txn, 0, 93, ONE_STATE)
    refused(path, "stratum 93 has 1 states, not 0", check_answer)


def test_a_solution_may_be_counted_without_closed_states(tmp_path: Path) -> None:
    """It was found in memory, and there are the states that were looked at."""
    path = tmp_path / "store"
    assert solve(nearly_done()[0], store=path).shortest
    keep_strata(path, 0)
    change_manifest(path, lambda manifest: manifest.update(states=5))
    assert "the counts are those of the blocks" in checked(path, check_answer)


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return stores of proofs that nothing wins, by what the last line of their check says."""
    folder = tmp_path_factory.mktemp("lost")
    of_deal = "3 random games from the deal stay among the closed states"
    of_classes = "3 random games over classes stay among the closed classes"
    asked = {
        "positions": (LOST, Method.EVERY_POSITION, of_deal),
        "records": (LOST, Method.DOMINATING, of_deal),
        "classes": (LOST_KLONDIKE, Method.CLASSES, of_classes),
        "Klondike": (LOST_KLONDIKE, Method.EVERY_POSITION, of_deal),
        "pile": (LOST_GOLF, Method.EVERY_POSITION, of_deal),
    }
    for name, (deal, method, said) in asked.items():
        found = api.prove(deal, method=method, store=folder / name)
        assert (found.verdict, found.method) == ("unsolvable", method)
        assert checked(folder / name, check_answer)[-1] == said
    return {name: folder / name for name in asked}


def keep_strata(path: Path, most: int) -> None:
    """Take the states of the strata from ``most`` on out of a store, and out of its counts."""
    with Store.open(path) as store:
        kept = [row for row in store.manifest.strata if row[1] < most]
        states, forced = sum(row[2] for row in kept), sum(row[3] for row in kept)
        with store.write() as txn:
            for key in store.keys(b"C"):
                if parse_closed_key(key).stratum >= most:
                    txn.delete(key)
            counts = replace(store.manifest, strata=kept, states=states, forced=forced)
            txn.put_manifest(counts)


@pytest.mark.parametrize(
    ("name", "away", "dealt"),
    [
        ("positions", r"a position \d+ moves from ", "the deal"),
        ("records", r"a position \d+ moves from ", "the deal"),
        ("classes", r"a class \d+ moves from ", "the deal's"),
        ("Klondike", r"a position \d+ plays from ", "the deal"),
    ],
)
def test_random_games_leave_states_that_are_not_all(
    lost: dict[str, Path], tmp_path: Path, name: str, away: str, dealt: str
) -> None:
    """They begin in the first stratum, where the deal is."""
    path = shutil.copytree(lost[name], tmp_path / name)
    with Store.open(path, readonly=True) as store:
        first = min(row[1] for row in store.manifest.strata)
    keep_strata(path, first + 1)
    refused(path, f"unsolvable, and {away}{dealt} is not closed", check_answer)
    keep_strata(path, first)
    refused(path, f"unsolvable, and {dealt} is not closed", check_answer)


@pytest.mark.parametrize("name", ["positions", "records", "classes", "Klondike"])
def test_no_random_game_leaves_the_states_of_a_proof(
    lost: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Positions that no record covers have a safe move."""
    monkeypatch.setattr(evidence, "GAMES", 100)
    assert checked(lost[name], check_answer)[-1].startswith("100 random games ")


def test_a_win_in_fewer_moves_is_seen_by_its_last_state(copied: Callable[[str], Path]) -> None:
    """A state next to the goal is of the layer of the solution, or of a higher one."""
    path = copied("shortest")
    with Store.open(path, readonly=True) as store:
        length = store.manifest.length
        keys = keys_of_manifest(store.manifest, EASY)
    assert length is not None and not are_wide(keys)
    last = keys.last_stratum
    close_one(path, length, last - 1)
    assert checked(path, check_answer)[-1] == "the solution was played and wins"
    close_one(path, length - 1, last - 2)
    assert checked(path, check_answer)[-1] == "the solution was played and wins"
    close_one(path, length - 1, last - 1)
    refused(path, f"a solution of {length - 1} moves is shorter", check_answer)


@pytest.mark.parametrize(
    ("name", "first"), [("positions", -1), ("classes", 0), ("pile", 0), ("Klondike", 0)]
)
def test_the_first_stratum_that_only_wins_lead_to(
    lost: dict[str, Path], tmp_path: Path, name: str, first: int
) -> None:
    """Expect that of the goal over classes, in Klondike and where cards only leave.

    Elsewhere it is the one before.
    """
    path = shutil.copytree(lost[name], tmp_path / name)
    with Store.open(path, readonly=True) as store:
        keys = keys_of_manifest(store.manifest, deal_of(store.manifest, "here"))
    assert not are_wide(keys)
    close_one(path, 0, keys.last_stratum + first - 1)
    assert "3 random games" in checked(path, check_answer)[-1]
    close_one(path, 0, keys.last_stratum + first)
    refused(path, "unsolvable, and a closed state is a move away from the goal", check_answer)
