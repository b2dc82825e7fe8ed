"""Small games of Klondike's kind, whose shortest solutions are searched for by cost layers."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.results import Result, Verdict
from dbmsolver.search import recorder
from dbmsolver.search.astar import layers, rounds
from dbmsolver.search.proof import dives
from dbmsolver.storage.environment import Environment
from helpers import patience_games
from helpers.early_beams import begin_beams_at

_SEEDS = {Verdict.SOLVED: 349, Verdict.UNSOLVABLE: 26752}
"""Decks with some hundred states."""


def deck(wanted: Verdict) -> Deal:
    """Return a deck with this verdict."""
    return patience_games.small_deck("klondike_by_threes", Random(_SEEDS[wanted]))


def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches for shortest solutions close layers at once: no dive and no beam is before."""
    monkeypatch.setattr(dives, "CLASS_SCHEDULE", ())
    begin_beams_at(monkeypatch, 1 << 30, 1000, 3000)


def small_rounds(monkeypatch: pytest.MonkeyPatch, step: int = 15) -> None:
    """Let searches without dives expand so many states in a round, and commit after each.

    States are soon divided among several threads. No power fails in these tests: nothing waits for
    the disk.
    """
    real = Environment.__init__

    def quick(self: Environment, path: Path, *, durable: bool, new: bool = False) -> None:
        real(self, path, durable=False, new=new)

    monkeypatch.setattr(Environment, "__init__", quick)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    for name in ("_STOP", "_LEAST_STOP"):
        monkeypatch.setattr(rounds, name, step)
    monkeypatch.setattr(layers, "_MOST_ROUNDS", 1)
    monkeypatch.setattr(layers, "ENOUGH", 2 * step)
    no_dives(monkeypatch)


def counts(result: Result) -> tuple[Any, ...]:
    """Return the facts that must not depend on threads, memory or interruptions of a search."""
    if result.verdict == Verdict.SOLVED:  # of the last layer a part is closed, any part
        below = [row for row in result.strata if row[0] != result.length]
        return result.verdict, result.length, result.shortest, below
    return result.verdict, result.states, result.strata, result.digest
