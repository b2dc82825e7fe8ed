"""The evidence for what a store claims, in words: a command, or that there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbmsolver.cli.proofs import proof_facts, verifying
from dbmsolver.results import Keep, Verdict

STORE = Path("my store")


@pytest.mark.parametrize(
    ("verdict", "shortest", "keep", "is_claim", "is_checked"),
    [
        (Verdict.UNSOLVABLE, False, "all", True, True),
        (Verdict.UNSOLVABLE, False, "none", True, False),
        (Verdict.SOLVED, True, "all", True, True),
        (Verdict.SOLVED, True, "none", True, False),
        (Verdict.SOLVED, False, "all", False, False),
        (Verdict.UNDECIDED, True, "all", False, False),
        (Verdict.UNDECIDED, False, "all", False, False),
        (None, False, "all", False, False),
    ],
)
def test_what_needs_a_proof(
    verdict: Verdict | None, shortest: bool, keep: Keep, is_claim: bool, is_checked: bool
) -> None:
    """A solution that is played needs none, unless it is said to be a shortest one."""
    command = "dbmsolver verify 'my store'"
    claim = verdict, shortest, keep
    assert verifying(STORE, *claim) == (command if is_checked else None)
    assert verifying(None, *claim) is None
    facts = list(proof_facts(STORE, *claim))
    assert [name for name, _ in facts] == ["Proof"] * is_claim
    for _, text in facts:
        assert text.startswith(f"only by {command}: " if is_checked else "none can be had of this")
