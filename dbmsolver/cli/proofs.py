"""The evidence for the answer of a store, in words for people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from dbmsolver.results import Keep, Verdict


def proof_facts(
    store: Path | str, verdict: Verdict | None, shortest: bool, keep: Keep
) -> Iterator[tuple[str, str]]:
    """Yield (name, text) about the proof of a store's claim; nothing if it needs no proof."""
    if not _is_claim(verdict, shortest):
        return
    command = verifying(store, verdict, shortest, keep)
    if command is None:
        yield "Proof", "none can be had of this store, it has not kept its states (--keep none)"
    else:
        yield "Proof", f"only by {command}: whoever writes a store can let it say anything"


def verifying(
    store: Path | str | None, verdict: Verdict | None, shortest: bool, keep: Keep
) -> str | None:
    """Return the text of the command that checks the claim of a store.

    None where the store claims nothing, or keeps no states that could be checked.
    """
    if store is None or not _is_claim(verdict, shortest) or keep == "none":
        return None
    return f"dbmsolver verify {shlex.quote(str(store))}"


def _is_claim(verdict: Verdict | None, shortest: bool) -> bool:
    """Return True if a claim rests on more than the moves of a solution."""
    return verdict == Verdict.UNSOLVABLE or (verdict == Verdict.SOLVED and shortest)
