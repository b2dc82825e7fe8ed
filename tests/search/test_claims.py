"""Claims about a deal name its rules, and are borne out by the store's records."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command import run
from helpers.fake_search import NEARLY_DONE, nearly_done
from helpers.faults import change_manifest
from helpers.searching import prove
from helpers.selection import few_fast
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.api import solve
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import BUILDS, FILLS
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.titles import rules_notes, rules_of_notes, title
from dbmsolver.notation import formats
from dbmsolver.search.answers import keys_of_manifest
from dbmsolver.search.session import answer
from dbmsolver.storage.blocks import Runs, encode_block
from dbmsolver.storage.records import Closed
from dbmsolver.storage.store import Store

Manifest = dict[str, Any]


any_rules = st.builds(
    lambda name, columns, freecells, build, fill, filled, sunk, layout: Rules(
        name, columns, freecells, build, fill, min(filled, freecells), sunk, layout
    ),
    st.sampled_from([*GAMES, "golf", "my own game"]),
    st.integers(1, 13),
    st.integers(0, 13),
    st.sampled_from(BUILDS),
    st.sampled_from(FILLS),
    st.integers(0, 4),
    st.booleans(),
    st.sampled_from(["", "home A", "home A 2H; first KS", "backwards", "auto"]),
)


@given(any_rules)
def test_titles_tell_all_rules(rules: Rules) -> None:
    assert rules_of_notes(", ".join(rules_notes(rules))) == rules


def test_titles() -> None:
    def name(rules: Rules) -> str:
        return title(replace(Deal.from_number(3), rules=rules))

    freecell = GAMES["freecell"]
    assert name(freecell) == "Deal 3"
    assert name(rules_for("freecell", 2)) == "Deal 3 (2 freecells)"
    assert name(rules_for("eight_off", 2)) == "Deal 3 (eight_off, 2 freecells)"
    assert name(replace(freecell, fill="kings")) == "Deal 3 (empty columns take kings only)"
    assert name(replace(freecell, build="suit")) == "Deal 3 (built down by suit)"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Finished stores."""
    folder = tmp_path_factory.mktemp("kept")
    stores = {name: folder / name for name in ("proof", "exhausted", "solution", "found", "moves")}
    assert prove(Deal.from_number(11982), store=stores["proof"]).verdict == "unsolvable"
    assert solve(Deal.from_number(11982), store=stores["exhausted"]).verdict == "unsolvable"
    assert solve(Deal.from_number(3), store=stores["solution"]).length == 73
    assert prove(Deal.from_number(3), store=stores["found"]).verdict == "solved"
    assert solve(nearly_done()[0], store=stores["moves"], metric="moves").length == 0
    return stores


@pytest.fixture
def forge(kept: dict[str, Path], tmp_path: Path) -> Callable[..., Path]:
    """Return a function that copies a store and changes its manifest, seal and all."""

    def change(name: str, how: Callable[[Manifest], Any]) -> Path:
        store = shutil.copytree(kept[name], tmp_path / name)
        change_manifest(store, lambda manifest: how(manifest) and None)
        return store

    return change


LOOKING = ("status", "export", "certificate")
ALL = (*LOOKING, "resume", "verify")


def refused(store: Path, commands: tuple[str, ...], words: str = "") -> None:
    for command in commands:
        outcome = run(command, str(store))
        assert outcome.exit_code == 4, (command, outcome.output)
        text = outcome.output if command == "verify" else outcome.stderr
        assert words in text, (command, text)
        if command != "verify":
            assert outcome.stderr.count("\n") == 1 and outcome.stdout == ""


def test_other_rules_are_named(tmp_path: Path) -> None:
    """Whatever differs from the named game is part of every claim."""
    rules = replace(rules_for("seahaven_towers", 2), fill="none")
    store = tmp_path / "store"
    assert prove(Deal.from_number(1, rules), store=store).verdict == "unsolvable"
    named = "Deal 1 (seahaven_towers, 2 freecells, empty columns take nothing)"
    for command in ("status", "export", "resume", "verify"):
        assert named in run(command, str(store)).output, command
    assert f"{named} is unsolvable" in run("verify", str(store)).stdout
    for command in ("status", "export", "verify"):
        data = json.loads(run(command, str(store), "--json").stdout)
        assert (data["rules"]["freecells"], data["rules"]["fill"]) == (2, "none")
    record = json.loads(run("certificate", str(store)).stdout)
    assert (record["rules"]["freecells"], record["rules"]["fill"]) == (2, "none")
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(record))
    assert named in run("verify", str(path)).output
    assert json.loads(run("verify", str(path), "--json").stdout)["rules"]["fill"] == "none"
    found = json.loads(run("lookup", str(store), "1", "--json").stdout)
    assert found["rules"]["fill"] == "none"


@pytest.mark.parametrize(
    "form", ["universal-json", "universal-xml", "moves", "short", "html", "text", "json"]
)
def test_solutions_name_their_rules(kept: dict[str, Path], tmp_path: Path, form: str) -> None:
    """Written solutions can be read back, with the rules under which they were found."""
    rules = rules_for("freecell", 3, 9)
    store = tmp_path / "store"
    deal = Deal.from_text(NEARLY_DONE, rules)
    assert prove(deal, store=store).verdict == "solved"
    text = run("export", str(store), "--format", form).stdout
    if form == "html":
        assert f"<title>Deal {deal.name} (9 columns, 3 freecells)</title>" in text
    solution = formats.read(text, form)
    assert solution.rules == rules
    assert solution.initial.canonical() == deal.position.canonical()


def another_board(manifest: Manifest) -> None:
    manifest["deal"]["number"] = 4


@pytest.mark.parametrize("name", ["proof", "solution"])
def test_a_board_that_is_not_its_numbers(forge: Callable[..., Path], name: str) -> None:
    store = forge(name, another_board)
    refused(store, ALL, "its board is not that of deal 4")
    outcome = run("lookup", str(store), "11982")
    assert outcome.exit_code == 4
    assert "its board is not that of deal 4" in outcome.stderr


def test_a_board_that_is_not_its_numbers_and_half_searched(tmp_path: Path) -> None:
    store = tmp_path / "store"
    prove(Deal.from_number(11982), store=store, max_states=20_000)
    change_manifest(store, another_board)
    refused(store, ("status", "resume"), "its board is not that of deal 4")


def test_a_deal_is_a_number_and_a_board(forge: Callable[..., Path]) -> None:
    store = forge("proof", lambda m: m["deal"].update(cells="KS"))
    refused(store, ("status", "verify"), "its deal cannot be")


FORGERIES: list[tuple[str, Callable[[Manifest], Any]]] = [
    ("solution", lambda m: m.update(verdict="unsolvable", path=None, shortest=False, length=None)),
    ("found", lambda m: m.update(verdict="unsolvable", path=None, length=None)),
    ("proof", lambda m: m.update(verdict="solved", path=[], length=0)),
    ("proof", lambda m: m.update(verdict="solved", path=None)),
    ("solution", lambda m: m["path"].pop()),
    ("solution", lambda m: m["path"].insert(3, m["path"][4])),
    ("solution", lambda m: m.update(length=72)),
    ("solution", lambda m: m.update(path=m["path"][:10], length=10)),
    ("found", lambda m: m.update(shortest=True)),
    ("proof", lambda m: m.update(states=m["states"] + 1)),
    ("proof", lambda m: m["strata"].pop()),
    ("proof", lambda m: m["strata"][3].__setitem__(2, 1)),
    ("exhausted", lambda m: m["strata"][3].__setitem__(3, 1)),
    ("proof", lambda m: m["strata"].append([0, 93, 5, 0])),
    ("proof", lambda m: m["rules"].update(freecells=5)),
    ("exhausted", lambda m: m["rules"].update(freecells=5)),
    ("proof", lambda m: m["rules"].update(fill="kings")),
    ("proof", lambda m: m["rules"].update(build="any")),
]


@pytest.mark.parametrize("number", few_fast(range(len(FORGERIES)), 9))
def test_forged_manifests(forge: Callable[..., Path], number: int) -> None:
    name, how = FORGERIES[number]
    refused(forge(name, how), (*LOOKING, "resume"))


@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("solution", lambda m: m["path"].__setitem__(0, [0, 9]), "cannot be played"),
        ("solution", lambda m: m["path"].reverse(), "cannot be played"),
        ("moves", lambda m: m["path"].pop(), "after the moves of its solution 1 cards are"),
        ("moves", lambda m: m.update(length=1), "has 0 moves, not 1"),
        ("proof", lambda m: (moved(m, 3, 1), moved(m, 4, -1)), "stratum 3 has 260 states, not 261"),
        ("proof", lambda m: moved(m, 3, -1), "stratum 3 has 260 states, not 259"),
        ("proof", lambda m: m.update(states=m["states"] + 1), "states are closed, not"),
        ("proof", lambda m: m["strata"].append([0, 93, 5, 0]), "stratum 93 has 0 states, not 5"),
    ],
)
def test_how_a_manifest_does_not_fit_the_records(
    forge: Callable[..., Path], name: str, how: Callable[[Manifest], Any], said: str
) -> None:
    with pytest.raises(StoreError, match=f"the manifest does not fit the records: .*{said}"):
        answer(forge(name, how))


def moved(manifest: Manifest, stratum: int, more: int) -> None:
    """Claim more or fewer states of a stratum."""
    manifest["strata"][stratum][2] += more


def test_a_closed_state_of_a_proof_is_not_next_to_the_goal(
    kept: dict[str, Path], tmp_path: Path
) -> None:
    """Tell it by the stratum of the state: the counts fit."""
    path = shutil.copytree(kept["proof"], tmp_path / "store")
    with Store.open(path) as store:
        last = keys_of_manifest(store.manifest, Deal.from_number(11982)).last_stratum
        one = np.ones(1, np.uint64)
        block = encode_block(Runs(one, np.ones(1, np.int64), one, np.ones(1, np.uint8), 1))
        for stratum in (last - 2, last - 1):
            with store.write() as txn:
                txn.put_closed(Closed(0, stratum, 1, 1, 1, block))
                rows = [*store.manifest.strata, [0, stratum, 1, 0]]
                states = store.manifest.states + 1
                txn.put_manifest(replace(store.manifest, strata=rows, states=states))
            if stratum == last - 2:
                assert answer(path).verdict == "unsolvable"
    with pytest.raises(StoreError, match="a closed state is a move away from the goal"):
        answer(path)


def test_another_deal_in_a_proof(forge: Callable[..., Path]) -> None:
    """Another board, and its own number."""
    other = Deal.from_number(4)

    def change(manifest: Manifest) -> None:
        from dbmsolver.game.boards import format_board

        manifest["deal"] = {"number": 4, "board": format_board(other.position)}

    refused(forge("proof", change), ALL)


def test_a_longer_solution_is_not_shortest(
    forge: Callable[..., Path], kept: dict[str, Path]
) -> None:
    from dbmsolver.storage.store import Store

    with Store.open(kept["found"], readonly=True) as store:
        path = store.manifest.path
    store_path = forge("solution", lambda m: m.update(path=path, length=len(path)))
    refused(store_path, (*LOOKING, "resume"), "73 moves is shorter")


def test_half_a_proof_is_none(tmp_path: Path) -> None:
    store = tmp_path / "store"
    prove(Deal.from_number(11982), store=store, max_states=30_000)
    change_manifest(store, lambda m: m.update(verdict="unsolvable", limit=None))
    refused(store, (*LOOKING, "resume"), "pending")
    refused(store, ("verify",))
