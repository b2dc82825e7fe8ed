"""Looking into a store: what it holds, and how a position in it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbmsolver.errors import InputError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.results import Verdict
from dbmsolver.search.evidence import check_answer
from dbmsolver.search.trace import Finder, replay, steps_to
from dbmsolver.state import StateCodec
from dbmsolver.storage.manifest import Manifest, deal_of
from dbmsolver.storage.store import Store, look
from dbmsolver.verify.certificate import Certificate, from_manifest


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at a glance, as of its last commit.

    ``strata`` rows are (layer, stratum, states, forced states), ``pending`` is in candidates, ``checked`` says by what
    an answer was checked.
    """

    manifest: Manifest
    deal: Deal
    verdict: Verdict | None
    strata: tuple[tuple[int, int, int, int], ...]
    closed_bytes: int
    pending: int
    disk: int
    checked: tuple[str, ...]


def status(path: Path) -> StoreStatus:
    """What is in a store; StoreError if there is none, it cannot be read, or its records belie its answer."""

    def tell(store: Store) -> StoreStatus:
        manifest = store.manifest
        searched = deal_of(manifest, str(path))
        checked = check_answer(store, searched) if manifest.is_final else []
        pending = sum(store.states_in(key) for kind in (b"P", b"B") for key in store.keys(kind))
        return StoreStatus(
            manifest=manifest,
            deal=searched,
            verdict=manifest.verdict,
            strata=tuple((row[0], row[1], row[2], row[3]) for row in manifest.strata),
            closed_bytes=manifest.closed_bytes,
            pending=pending,
            disk=store.size(),
            checked=tuple(checked),
        )

    return look(path, tell)


def deal(path: Path) -> Deal:
    """The deal that a store's search is about."""
    return look(path, lambda store: deal_of(store.manifest, str(path)))


def certificate(path: Path) -> Certificate:
    """The certificate of the finished search in a store, checked as its answer is; StoreError if it is not finished."""

    def tell(store: Store) -> Certificate:
        record = from_manifest(store.manifest, str(path))
        check_answer(store, deal_of(store.manifest, str(path)))
        return record

    return look(path, tell)


def lookup(path: Path, position: Position) -> list[Move] | None:
    """The moves by which the search in a store came to a position, None if it did not close it."""

    def tell(store: Store) -> list[Move] | None:
        searched = deal_of(store.manifest, str(path))
        policy = store.manifest.policy
        codec = StateCodec(searched, policy)
        try:
            state = codec.state(position)
        except InputError:
            return None  # no game from the deal comes to it
        for kind in (b"C", b"A"):
            steps = steps_to(Finder(store, codec, kind), state)
            if steps is None:
                continue
            try:
                moves = replay(codec, steps, lambda at: at.forced(searched.rules, policy))
            except InternalError as error:
                raise StoreError(f"its records do not fit its deal: {error}", str(path)) from None
            reached = searched.position
            for move in moves:
                reached = reached.apply(move)
            if codec.state(reached) != state:
                raise StoreError("its records lead to another position", str(path))
            return list(moves)
        return None

    return look(path, tell)
