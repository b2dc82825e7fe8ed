"""Looking into a store: what it holds, and how a position in it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbmsolver.errors import InputError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Policy
from dbmsolver.record_state import RecordKeys, keys_of
from dbmsolver.results import Keep, Limit, Method, Metric, Question, Verdict
from dbmsolver.search.evidence import check_answer
from dbmsolver.search.proof.record_trace import RecordFinder, moves_along
from dbmsolver.search.trace import Finder, replay, steps_of, steps_to
from dbmsolver.state import State, StateCodec
from dbmsolver.storage.manifest import deal_of
from dbmsolver.storage.store import Store, look
from dbmsolver.verify.certificate import Certificate, from_manifest


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at a glance, as of its last commit.

    `verdict` is None while the search is not finished; `limit` says what ended an undecided one.
    `strata` rows are (layer, stratum, states, forced states), `closed_bytes` and `disk` are bytes,
    `pending` counts candidates, `checked` says by what the answer was checked, `program` what made
    the store.
    """

    question: Question
    method: Method
    deal: Deal
    policy: Policy
    metric: Metric
    keep: Keep
    program: str
    verdict: Verdict | None
    limit: Limit | None
    shortest: bool
    strata: tuple[tuple[int, int, int, int], ...]
    closed_bytes: int
    pending: int
    disk: int
    checked: tuple[str, ...]

    @property
    def states(self) -> int:
        """Closed states without the forced ones."""
        return sum(row[2] for row in self.strata)

    @property
    def forced(self) -> int:
        """Closed states with a forced move."""
        return sum(row[3] for row in self.strata)


def status(path: Path) -> StoreStatus:
    """What is in a store; StoreError if it cannot be read, or its records belie its answer."""

    def tell(store: Store) -> StoreStatus:
        manifest = store.manifest
        searched = deal_of(manifest, str(path))
        checked = check_answer(store, searched) if manifest.is_final else []
        pending = sum(store.states_in(key) for kind in (b"P", b"B") for key in store.keys(kind))
        return StoreStatus(
            question=manifest.question,
            method=manifest.method,
            deal=searched,
            policy=manifest.policy,
            metric=manifest.metric,
            keep=manifest.keep,
            program=manifest.program,
            verdict=manifest.verdict,
            limit=manifest.limit,
            shortest=manifest.shortest,
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
    """The certificate of the finished search in a store, checked as its answer is.

    StoreError if the search is not finished.
    """

    def tell(store: Store) -> Certificate:
        record = from_manifest(store.manifest, str(path))
        check_answer(store, deal_of(store.manifest, str(path)))
        return record

    return look(path, tell)


def lookup(path: Path, position: Position) -> list[Move] | None:
    """The moves by which the search in a store came to a position, None if it did not close it.

    Of a search over dominating positions, they lead to the one that stands for the position.
    """

    def tell(store: Store) -> list[Move] | None:
        searched = deal_of(store.manifest, str(path))
        codec = keys_of(searched, store.manifest.policy, Method(store.manifest.method))
        try:
            state = codec.state(position)
        except InputError:
            return None  # no game from the deal comes to it
        try:
            if isinstance(codec, RecordKeys):
                moves = _moves_to_record(store, codec, state)
            else:
                moves = _moves_to_state(store, codec, state)
        except InternalError as error:
            raise StoreError(f"its records do not fit its deal: {error}", str(path)) from None
        if moves is not None:
            reached = searched.position
            for move in moves:
                reached = reached.apply(move)
            if codec.state(reached) != state:
                raise StoreError("its records lead to another position", str(path))
        return moves

    return look(path, tell)


def _moves_to_state(store: Store, codec: StateCodec, state: State) -> list[Move] | None:
    def forced(position: Position) -> Move | None:
        return position.forced(codec.rules, store.manifest.policy)

    for kind in (b"C", b"A"):
        steps = steps_to(Finder(store, codec, kind), state)
        if steps is not None:
            return list(replay(codec, steps, forced))
    return None


def _moves_to_record(store: Store, keys: RecordKeys, state: State) -> list[Move] | None:
    code = Finder(store, keys).code(state)
    if code is None:
        return None
    moves = moves_along(keys, RecordFinder(store, keys).path(state, code))
    return list(replay(keys, steps_of(keys, moves), lambda at: at.forced(keys.rules, keys.policy)))
