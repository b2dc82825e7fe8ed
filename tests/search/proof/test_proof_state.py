"""The state of a proof: what is told of it, and a proof that ends twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.searching import without_dives

from dbmsolver.api import prove
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.candidates import Candidates, of_one_signature
from dbmsolver.search.ledger import total
from dbmsolver.search.outcome import Outcome
from dbmsolver.search.proof.initial import initial_candidates
from dbmsolver.search.proof.strata import ProofSearch
from dbmsolver.storage.records import place_number

DEAL = Deal.from_number(11982, rules_for("freecell", 0))


def test_what_is_reported_of_a_stratum() -> None:
    """States that wait within a large signature are pending; a layer is told where there are."""
    codec = StateCodec(DEAL, "wkr")
    recorder: Any = SimpleNamespace(report=lambda **told: told)
    nothing: Any = None
    state = ProofSearch(codec, recorder, nothing, 1, 1 << 20)
    state.add(initial_candidates(codec))
    state.stratum = 3
    told: Any = state.report_stratum(0.5)
    assert told == {
        "layer": None,
        "stratum": 3,
        "last_stratum": codec.last_stratum,
        "pending": 1,
        "share": 0.5,
    }
    state.stratum = place_number(2, 3)
    large: Any = SimpleNamespace(set=SimpleNamespace(pending=41))
    state.large = large
    told = state.report_stratum(None)
    assert (told["layer"], told["stratum"]) == (2, 3)
    assert (told["pending"], told["share"]) == (42, None)


def pending_in(state: ProofSearch, stratum: int, *lists: list[int]) -> None:
    """Make lists of candidates of a signature of their own pending in a stratum."""
    for keys in lists:
        codes = np.zeros(len(keys), np.uint8)
        state.add(of_one_signature(stratum, stratum, 1, np.array(keys, np.uint64), codes))


def keys_in(state: ProofSearch, stratum: int) -> list[list[int]]:
    """Return the keys of each list of a stratum."""
    return [one.load().keys.tolist() for one in state.strata[stratum]]


def test_lists_of_higher_strata_are_merged() -> None:
    """Each candidate is there once, the ledger knows, and only new lists are looked at."""
    recorder: Any = SimpleNamespace(in_parallel=map)
    nothing: Any = None
    state = ProofSearch(StateCodec(DEAL, "wkr"), recorder, nothing, 1, 1 << 20)
    pending_in(state, 2, [5, 4], [4])
    pending_in(state, 3, [7, 6], [6, 8], [8])
    state.strata[3][2].record = b"P"
    given = state.strata[3][:2]
    state.merge([3])
    assert keys_in(state, 2) == [[5, 4], [4]]
    assert keys_in(state, 3) == [[8], [6, 7, 8]]
    state.ledger.check(total(one.entry for some in state.strata.values() for one in some))
    assert not any(one.in_memory for one in given)
    merged = state.strata[3][1]
    pending_in(state, 3, [9], [9])
    state.merge([2, 3])
    assert state.strata[3][1] is merged
    assert (keys_in(state, 2), keys_in(state, 3)) == ([[4, 5]], [[8], [6, 7, 8], [9]])
    assert state.ledger.pending.states == 2 + 1 + 3 + 1


@pytest.mark.parametrize(
    ("different", "spilled"), [(1, False), (2, True), (12, True)], ids=["few", "some", "all"]
)
def test_what_takes_too_much_memory_is_merged_first(different: int, spilled: bool) -> None:
    """It goes to the store if more than an eighth is left; the stratum that is closed stays."""
    done: list[list[Candidates]] = []
    recorder: Any = SimpleNamespace(in_parallel=map, spill=done.append)
    nothing: Any = None
    state = ProofSearch(StateCodec(DEAL, "wkr"), recorder, nothing, 1, 8000)
    state.stratum = 2
    pending_in(state, 2, [1], [1])
    state.relieve()
    assert keys_in(state, 2) == [[1], [1]]
    lists = [list(range(20 * (n % different), 20 * (n % different) + 20)) for n in range(12)]
    pending_in(state, 3, *lists)
    assert state.candidate_bytes > 8000 // 4
    state.relieve()
    assert keys_in(state, 2) == [[1], [1]]
    assert [one for some in done for one in some] == (state.strata[3] if spilled else [])
    assert (state.candidate_bytes > 8000 // 4) == (different == 12)
    assert {key for some in keys_in(state, 3) for key in some} == {
        key for some in lists for key in some
    }


def test_a_proof_that_was_killed_before_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All is closed: a limit of states that is reached does not keep the verdict back."""
    without_dives(monkeypatch)
    end = ProofSearch.end

    def die(self: ProofSearch, outcome: Outcome) -> Outcome:
        end(self, outcome)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ProofSearch, "end", die)
        with pytest.raises(KeyboardInterrupt):
            prove(DEAL, store=tmp_path / "store")
    result = prove(DEAL, store=tmp_path / "store", max_states=1)
    assert (result.verdict, result.limit) == ("unsolvable", None)
    assert result.states > 1
