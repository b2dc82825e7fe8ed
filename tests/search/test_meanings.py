"""A store names a version of what its records depend on, and a version means the same for ever."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import meanings
from helpers.command import answer, run
from helpers.faults import change_manifest
from helpers.selection import few_fast

from dbmsolver import Deal, StoreError, open_store, prove, solve, verify_store
from dbmsolver.errors import InputError
from dbmsolver.game.boards import format_board
from dbmsolver.game.kinds import Metric
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Method, Question
from dbmsolver.storage import certificate_file
from dbmsolver.storage.meanings import PARTS, VERSIONS, meaning_of

KNOWN: dict[str, dict[str, tuple[int, str]]] = {
    "cards": {
        "keys": (1, "f5afa3e0a71ea4e5"),
        "moves": (1, "119244fb464339bd"),
        "automoves": (1, "4f68ea1c927033ff"),
        "bound": (1, "763f0f1c7709f64c"),
    },
    "supermoves": {
        "keys": (1, "69ce60de2d3eff67"),
        "moves": (1, "fb57521882d0f5ea"),
        "automoves": (1, "e0d9b40b115b94a4"),
        "bound": (1, "197579f8efe477ab"),
    },
    "runs": {
        "keys": (1, "72cc917daf5143e1"),
        "moves": (1, "d1d3feaf39971ea5"),
        "automoves": (1, "45f306f13b49faf8"),
        "bound": (1, "a2e59b56698bf32d"),
    },
    "mixed runs": {
        "keys": (1, "03b7f8d05ec67aa8"),
        "moves": (1, "d95c9ae8ec2a692e"),
        "automoves": (1, "fae682704765a5bc"),
        "bound": (1, "902c3d312fb7eb92"),
    },
    "two-way": {
        "keys": (1, "c0e590190d4b11b2"),
        "moves": (1, "c09c6f21c71db546"),
        "automoves": (1, "64b9e1a30018e30e"),
        "bound": (1, "d1040859ec394ad9"),
    },
    "dominating": {
        "keys": (1, "3426b4a63b33ea6b"),
        "moves": (1, "8f615bbe17b05b28"),
        "automoves": (1, "ae35d54bea466922"),
    },
    "classes": {
        "keys": (1, "c05e52deafac6c80"),
        "moves": (1, "32bc7889372f50d3"),
        "automoves": (1, "19f2df8470f427b0"),
    },
    "pile": {
        "keys": (2, "876cd602c11f7ba8"),
        "moves": (1, "e58e145e8df413c0"),
        "bound": (1, "fe0bb32c0a894ff5"),
    },
    "pairs": {
        "keys": (1, "bbc2674e8ae4e357"),
        "moves": (1, "28cc48d39aec58f1"),
        "bound": (1, "37430d9bf62162c4"),
    },
    "wide": {
        "keys": (1, "7e95ba35efd7d844"),
        "moves": (1, "d337914d40ccfd2f"),
        "bound": (1, "21c5d36c40671b9a"),
    },
    "patience": {
        "keys": (3, "0fc19772f4468c11"),
        "moves": (3, "3ce729f3c6cf4edc"),
        "automoves": (3, "a11239eda58a9886"),
        "bound": (4, "05ef16b1e79ea488"),
        "distances": (1, "dc0a3a40fb778b4d"),
    },
}
"""The version of each part, and a digest of what it gives on fixed positions."""
_FAST = ("cards", "dominating", "classes", "pile", "pairs", "wide", "patience")
"""The other families need kernels that no other fast test compiles."""
PLACE = "dbmsolver/storage/meanings.py"


def problem(family: str, part: str, digest: str, known: tuple[int, str]) -> str | None:
    """Return the advice about a part whose digest is `digest`; None if all is well."""
    version = VERSIONS[family][part]
    what = f"{PARTS[part]} of {family}"
    line = f'KNOWN["{family}"]["{part}"] in tests/search/test_meanings.py'
    if version != known[0]:
        return f"version {version} of the {what}: write ({version}, {digest!r}) to {line}"
    if digest == known[1]:
        return None
    return (
        f"version {version} of the {what} gives something else than before, and stores and "
        f'certificates that name it do not: raise VERSIONS["{family}"]["{part}"] in {PLACE} to '
        f"{version + 1}, and write ({version + 1}, {digest!r}) to {line}"
    )


@pytest.mark.parametrize(
    "family",
    [
        pytest.param(family, marks=() if family in _FAST else pytest.mark.slow)
        for family in meanings.FAMILIES
    ],
)
def test_a_version_means_the_same_for_ever(family: str) -> None:
    found = {part: meanings.digest(values) for part, values in meanings.FAMILIES[family]().items()}
    assert found.keys() == KNOWN[family].keys()
    problems = [problem(family, part, found[part], KNOWN[family][part]) for part in found]
    assert not any(problems), "\n".join(filter(None, problems))


def test_every_family_and_part_is_known() -> None:
    assert {family: list(parts) for family, parts in KNOWN.items()} == {
        family: list(parts) for family, parts in VERSIONS.items()
    }
    assert {part for parts in VERSIONS.values() for part in parts} == PARTS.keys()


def test_what_to_do_is_said() -> None:
    version, digest = KNOWN["cards"]["bound"]
    assert problem("cards", "bound", digest, (version, digest)) is None
    other = problem("cards", "bound", "0" * 16, (version, digest))
    assert other is not None and f"to {version + 1}, and write ({version + 1}, '0000" in other
    raised = problem("cards", "bound", "0" * 16, (version - 1, digest))
    assert raised is not None and raised.startswith(f"version {version} of the lower bound")


def test_the_family_of_a_search() -> None:
    def family(
        game: str, question: str = "solve", method: str = "every-position", metric: Metric = "cards"
    ) -> dict[str, Any]:
        return meaning_of(GAMES[game], "wkr", metric, Method(method), Question(question))

    mixed = replace(GAMES["simple_simon"], moves="runs")
    method = Method.EVERY_POSITION
    assert meaning_of(mixed, "wkr", "runs", method, Question.SOLVE)["family"] == "mixed runs"
    assert meaning_of(mixed, "wkr", "runs", method, Question.PROVE)["family"] == "mixed runs"
    by_suit = replace(mixed, build="suit")  # its runs are of one suit
    assert meaning_of(by_suit, "wkr", "runs", method, Question.SOLVE)["family"] == "runs"
    assert family("freecell") == {"family": "cards", **VERSIONS["cards"]}
    assert family("freecell", metric="runs")["family"] == "supermoves"
    assert "bound" not in family("freecell", "prove")
    assert family("freecell", "prove", "dominating")["family"] == "dominating"
    assert family("simple_simon", metric="runs")["family"] == "runs"
    assert family("fortress")["family"] == "two-way"
    assert family("golf")["family"] == "pile"
    for game in ("klondike", "yukon", "canfield"):
        assert family(game, metric="plays")["family"] == "patience"


# What was made with other versions is refused.


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("kept") / "store"
    solve(Deal.from_number(3), store=store, max_states=2_000, any_solution=True)
    return store


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("kept") / "store"
    assert prove(Deal.from_number(11982), store=store).verdict == "unsolvable"
    return store


def other_bound(manifest: dict[str, Any]) -> None:
    manifest["meaning"]["bound"] += 1


def other_keys(manifest: dict[str, Any]) -> None:
    manifest["meaning"]["keys"] = "x" * 100


def other_moves(manifest: dict[str, Any]) -> None:
    manifest["meaning"]["moves"] = True


def other_automoves(manifest: dict[str, Any]) -> None:
    del manifest["meaning"]["automoves"]


def other_family(manifest: dict[str, Any]) -> None:
    manifest["meaning"]["family"] = ["runs"]


def one_more(manifest: dict[str, Any]) -> None:
    manifest["meaning"]["something\n new"] = 1


def nothing(manifest: dict[str, Any]) -> None:
    del manifest["meaning"]


CHANGES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (other_bound, "made with version 2 of the lower bound (cards), expected 1; it is for the "),
    (other_keys, "made with version 'xxx"),
    (other_moves, "made with version True of the moves that are searched (cards), expected 1"),
    (other_automoves, "the version of its moves home that are made at once is not stored"),
    (other_family, "its records are those of ['runs'], expected cards"),
    (one_more, "made with version 1 of the 'something\\n new' (cards), expected none"),
    (nothing, "what its records mean is not stored"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_no_command_mixes_versions(
    unfinished: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    store = tmp_path / "store"
    shutil.copytree(unfinished, store)
    change_manifest(store, change)
    before = (store / "data.mdb").read_bytes()
    board = tmp_path / "board.txt"
    board.write_text(format_board(Deal.from_number(3).position))
    for command in (
        ("resume", store),
        ("export", store),
        ("status", store),
        ("lookup", store, board),
        ("verify", store),
        ("certificate", store),
        ("solve", "3", "--store", store),
    ):
        outcome = run(*command)
        assert outcome.exit_code == 4, outcome.output
        lines = outcome.stderr.splitlines()
        assert len(lines) == 1 and words in lines[0], command
    assert (store / "data.mdb").read_bytes() == before
    with pytest.raises(StoreError):
        open_store(store)


def test_the_versions_of_a_proof(finished: Path, tmp_path: Path) -> None:
    """Its keys are others than those of a search for a shortest solution, and it has no bound."""
    store = tmp_path / "store"
    shutil.copytree(finished, store)
    assert answer("status", store)["meaning"] == {"family": "dominating", **VERSIONS["dominating"]}

    def change(manifest: dict[str, Any]) -> None:
        manifest["meaning"]["bound"] = 1

    change_manifest(store, change)
    with pytest.raises(StoreError, match=r"version 1 of the lower bound \(dominating\)"):
        verify_store(store)


def test_dives_that_decide_a_search_for_a_shortest_solution(tmp_path: Path) -> None:
    """The meaning of the records changes with the method of the store."""
    store, deal = tmp_path / "store", Deal.from_number(11982)
    solve(deal, store=store, max_states=1_000)
    assert open_store(store).status().meaning["family"] == "cards"
    solve(deal, store=store, any_solution=True)
    assert open_store(store).status().meaning["family"] == "dominating"
    assert verify_store(store).valid


@pytest.mark.parametrize("part", few_fast(["keys", "moves", "automoves"], 1))
def test_a_certificate_of_other_versions(finished: Path, tmp_path: Path, part: str) -> None:
    record = json.loads(open_store(finished).certificate())
    assert record["meaning"]["family"] == "dominating"
    record["meaning"][part] += 1
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(record))
    with pytest.raises(InputError, match="cannot be compared: made with version 2 of the "):
        certificate_file.load(file)
    for command in (("verify", file), ("verify", finished, "--certificate", file)):
        outcome = run(*command)
        assert outcome.exit_code == 3 and len(outcome.stderr.splitlines()) == 1


def test_a_store_of_before_is_refused(unfinished: Path, tmp_path: Path) -> None:
    """Format 3 did not say what records mean."""
    store = tmp_path / "store"
    shutil.copytree(unfinished, store)

    def old(manifest: dict[str, Any]) -> None:
        del manifest["meaning"]
        manifest["format"] = 3

    change_manifest(store, old)
    outcome = run("resume", store)
    assert outcome.exit_code == 4
    assert outcome.stderr == f"dbmsolver: {store}: store format 3, expected 6\n"
