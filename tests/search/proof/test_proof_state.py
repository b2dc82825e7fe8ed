"""The state of a proof: what is told of it, and a proof that ends twice."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.searching import without_dives

from dbmsolver.api import prove
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.keys.states import StateCodec
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
