"""Small games of Klondike's kind, whose shortest solutions are searched for in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.results import Result, Verdict
from dbmsolver.search import in_memory, recorder
from dbmsolver.search.in_memory import SearchInMemory
from dbmsolver.search.patience import dives as patience_dives
from dbmsolver.search.patience.large import LargePatienceSearch
from dbmsolver.search.patience.search import PatienceSearch
from dbmsolver.storage.environment import Environment
from helpers import patience_games


@dataclass(frozen=True)
class Family:
    """A kind of games: the seeds of decks with some hundred states, and what they come to."""

    game: str
    small_deck: Callable[[str, Random], Deal]
    seeds: dict[Verdict, int]
    search: type[SearchInMemory[Any, Any]]
    dives: ModuleType
    step: int
    """States that are expanded at once."""
    memory: int | None = None
    """The memory of the search: too little for anything to fit into it, or any."""

    def deck(self, wanted: Verdict) -> Deal:
        """Return a deck with this verdict."""
        return self.small_deck(self.game, Random(self.seeds[wanted]))


PATIENCE = Family(
    "klondike_by_threes",
    patience_games.small_deck,
    {Verdict.SOLVED: 349, Verdict.UNSOLVABLE: 26752},
    PatienceSearch,
    patience_dives,
    15,
)
PIECES = replace(PATIENCE, search=LargePatienceSearch, memory=3000)
"""The same, whose strata are closed in pieces of some dozen states."""
FAMILIES = [
    pytest.param(PATIENCE, id="patience"),
    pytest.param(PIECES, id="pieces", marks=pytest.mark.slow),
]


def many_commits(monkeypatch: pytest.MonkeyPatch, family: Family) -> None:
    """Let a search without dives commit after every few states, without waiting for the disk.

    No power fails in these tests.
    """
    real = Environment.__init__

    def quick(self: Environment, path: Path, *, durable: bool, new: bool = False) -> None:
        real(self, path, durable=False, new=new)

    monkeypatch.setattr(Environment, "__init__", quick)
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(in_memory, "AT_ONCE", family.step)
    monkeypatch.setattr(family.dives, "SCHEDULE", ())


def ask(deal: Deal, family: Family | None = None, **options: Any) -> Result:
    """Solve with all memory, or with what a family may take."""
    if family is not None:
        options["memory"] = family.memory
    return api.solve(deal, **options)


def counts(result: Result) -> tuple[Any, ...]:
    """Return the facts that must not depend on interruptions of a search."""
    return result.verdict, result.length, result.states, result.strata, result.digest
