"""Answers from a store say what is proof of them: a store can be written by anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.command import answer, run
from helpers.faults import change_manifest
from helpers.searching import without_dives
from helpers.selection import few_fast

from dbmsolver import Deal, prove, solve
from dbmsolver.search import evidence
from dbmsolver.search.ledger import NOTHING
from dbmsolver.storage.store import Store

UNSOLVABLE = Deal.from_number(11982)
WON = Deal.from_number(3)


def take_out_pending(store: Path) -> None:
    """Leave nothing that is still to be searched, and let the manifest say so."""
    with Store.open(store) as opened, opened.write() as txn:
        for key in opened.keys(b"P"):
            txn.delete(key)

    def nothing_waits(manifest: dict[str, Any]) -> None:
        manifest["waiting"] = NOTHING.to_json()

    change_manifest(store, nothing_waits)


@pytest.mark.parametrize("deal", few_fast([WON, Deal.from_number(2)], 1))
def test_whoever_takes_out_what_is_pending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deal: Deal
) -> None:
    """A deal that can be won: the answer says that it is none to be believed, and verify why."""
    without_dives(monkeypatch)
    monkeypatch.setattr(evidence, "GAMES", 0)  # they find some of these stores out, by chance
    store = tmp_path / "store"
    begun = prove(deal, store=store, max_states=100)
    assert begun.verdict == "undecided"
    take_out_pending(store)
    said = answer("resume", store, "--quiet", code=10)
    assert (said["verdict"], said["proof"]) == ("unsolvable", f"dbmsolver verify {store}")
    line = f"Proof:     only by dbmsolver verify {store}: "
    for command in ("resume", "export", "status"):
        outcome = run(command, store)
        assert line in outcome.stdout, outcome.output
    verified = run("verify", store)
    assert verified.exit_code == 4 and "NOT VALID" in verified.stdout


def test_claims_and_what_is_none(tmp_path: Path) -> None:
    """A claim that rests on its moves alone, or on nothing that was kept, names no check."""
    solve(WON, store=tmp_path / "shortest")
    solve(WON, store=tmp_path / "found", max_states=2_000, any_solution=True)
    solve(UNSOLVABLE, store=tmp_path / "dropped", any_solution=True, keep="none")
    command = f"dbmsolver verify {tmp_path / 'shortest'}"
    for name, proof in (("shortest", command), ("found", None), ("dropped", None)):
        for ask in ("export", "status"):
            assert answer(ask, tmp_path / name)["proof"] == proof
            text = run(ask, tmp_path / name).stdout
            assert ("Proof:" in text) == (name != "found")
            assert ("has not kept its states" in text) == (name == "dropped")


def test_a_search_without_a_store_names_none() -> None:
    assert answer("solve", "3", "--quiet")["proof"] is None
    assert "Proof:" not in run("solve", "3", "--quiet").stdout
