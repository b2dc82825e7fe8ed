"""Looking into a store: what it holds, and how a position in it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbmsolver.deals import Deal
from dbmsolver.errors import InputError
from dbmsolver.keys import Keys
from dbmsolver.manifest import deal_of
from dbmsolver.moves import Move
from dbmsolver.position import Position
from dbmsolver.results import Verdict
from dbmsolver.store import Store
from dbmsolver.trace import Finder, replay, steps_to


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at a glance; ``strata`` rows are (layer, stratum, states, forced states), ``pending`` is in records."""

    manifest: dict[str, Any]
    verdict: Verdict | None
    strata: tuple[tuple[int, int, int, int], ...]
    closed_bytes: int
    pending: int
    disk: int


def status(path: Path) -> StoreStatus:
    """What is in a store; StoreError if there is none or it cannot be read."""
    with Store.open(path, readonly=True) as store:
        manifest = store.manifest
        pending = sum(store.states_in(key) for kind in (b"P", b"B") for key in store.keys(kind))
        return StoreStatus(
            manifest=manifest,
            verdict=manifest["verdict"],
            strata=tuple((row[0], row[1], row[2], row[3]) for row in manifest.get("strata", [])),
            closed_bytes=manifest.get("closed_bytes", 0),
            pending=pending,
            disk=store.size(),
        )


def deal(path: Path) -> Deal:
    """The deal that a store's search is about."""
    with Store.open(path, readonly=True) as store:
        return deal_of(store.manifest, str(path))


def lookup(path: Path, position: Position) -> list[Move] | None:
    """The moves by which the search in a store came to a position, None if it did not close it."""
    with Store.open(path, readonly=True) as store:
        searched = deal_of(store.manifest, str(path))
        policy = store.manifest["policy"]
        keys = Keys(searched, policy)
        try:
            state = keys.state(position)
        except InputError:
            return None  # no game from the deal comes to it
        for kind in (b"C", b"A"):
            steps = steps_to(Finder(store, keys, kind), state)
            if steps is not None:
                moves = replay(keys, steps, lambda at: at.forced(searched.rules, policy))
                return list(moves)
    return None
