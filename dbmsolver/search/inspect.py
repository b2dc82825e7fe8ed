"""Inspection of a store: its content, and the way to a position in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from dbmsolver.errors import InputError, InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import turns_over
from dbmsolver.game.position import Position
from dbmsolver.game.turns import turns_to
from dbmsolver.kits.choice import AnyKeys, are_covering, are_of_classes, are_wide
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.results import Keep, Limit, Method, Question, Verdict
from dbmsolver.search.answers import keys_of_manifest, least_of, whole_strata
from dbmsolver.search.covering import stored_cover
from dbmsolver.search.evidence import check_answer, check_unfinished, moves_of
from dbmsolver.search.history import Moment
from dbmsolver.search.proof.record_trace import RecordFinder, moves_along
from dbmsolver.search.trace import Finder, replay, steps_to
from dbmsolver.storage.certificate import from_manifest
from dbmsolver.storage.certificate_file import Certificate
from dbmsolver.storage.manifest import deal_of
from dbmsolver.storage.meanings import Meaning
from dbmsolver.storage.records import parse_pending_key
from dbmsolver.storage.store import Store, look

if TYPE_CHECKING:
    from dbmsolver.kits.klondike.class_keys import ClassKeys


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """A store at a glance, as of its last commit.

    `verdict` is None while the search is not finished; `limit` says what ended an undecided one.
    `length` is that of the best solution so far, and no solution has fewer than `at_least` moves.
    `strata` rows are (layer, stratum, states, forced states), those of a shortest solution without
    the layer that holds the goal, `closed` counts all closed states. `history` rows (milliseconds,
    layer, stratum, states, forced) tell what was closed by that time, `closed_bytes` and `disk` are
    bytes, `pending` counts candidates, `checked` says by what the answer was checked, `program`
    what made the store, `meaning` which versions of bound, keys and moves its records depend on.
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
    length: int | None
    at_least: int | None
    strata: tuple[tuple[int, int, int, int], ...]
    history: tuple[Moment, ...]
    closed: int
    closed_bytes: int
    pending: int
    disk: int
    checked: tuple[str, ...]
    meaning: Meaning

    @property
    def states(self) -> int:
        """Closed states without the forced ones."""
        return sum(row[2] for row in self.strata)

    @property
    def forced(self) -> int:
        """Closed states with a forced move."""
        return sum(row[3] for row in self.strata)


def status(path: Path) -> StoreStatus:
    """Return the status of a store.

    Raises StoreError if it cannot be read, or its records belie its answer.
    """

    def tell(store: Store) -> StoreStatus:
        manifest = store.manifest
        searched = deal_of(manifest, str(path))
        check = check_answer if manifest.is_final else check_unfinished
        checked = check(store, searched)
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
            length=manifest.length,
            at_least=least_of(manifest, keys_of_store(store), (row[0] for row in manifest.strata)),
            strata=whole_strata(manifest),
            closed=sum(states + forced for _, _, states, forced in manifest.strata),
            history=tuple(Moment(*row) for row in manifest.history),
            closed_bytes=manifest.closed_bytes,
            pending=_pending(store),
            disk=store.size(),
            checked=tuple(checked),
            meaning=manifest.meaning,
        )

    return look(path, tell)


def _pending(store: Store) -> int:
    """Return the number of candidates that the last commit left.

    Raises StoreError if the records do not agree with the manifest.
    """
    manifest = store.manifest
    keys = [key for key in store.keys(b"P") if parse_pending_key(key)[2] < manifest.next]
    if manifest.question == Question.SOLVE:
        keys += store.keys(b"B")
        for key in keys:
            store.check_record(key)
        return sum(map(store.states_in, keys))
    found = sum(map(store.states_in, keys))
    if keys and found != manifest.waiting[0]:
        message = f"{found:,} candidates are pending, not {manifest.waiting[0]:,}"
        raise StoreError(f"the manifest does not fit the records: {message}", str(store.path))
    return found


def deal(path: Path) -> Deal:
    """Return the deal that a store's search is about."""
    return look(path, lambda store: deal_of(store.manifest, str(path)))


def certificate(path: Path) -> Certificate:
    """Return the certificate of the finished search in a store, checked as its answer is.

    StoreError if the search is not finished.
    """

    def tell(store: Store) -> Certificate:
        record = from_manifest(store.manifest, str(path))
        check_answer(store, deal_of(store.manifest, str(path)))
        return record

    return look(path, tell)


def lookup(path: Path, position: Position) -> list[Move] | None:
    """Return legal moves from the deal of a store's search to a position.

    None if that search did not close it, and its solution does not lead over it: a solution may be
    found before anything is closed. The deal itself is always met. In a store of every position
    they are those by which the search came to it. In one of dominating positions it need not have
    come to it: the moves go to the closed record that covers the position, and park cards from
    there. In one of any number of passes through the stock, None also if the moves that the search
    came by need more than there are. UsageError for a position of another kind of game; StoreError
    if the store does not know, as it has not kept closed states.
    """

    def tell(store: Store) -> list[Move] | None:
        keys = keys_of_store(store)
        try:
            replace(keys.deal, position=position, number=None).validate("the position")
            if position.canonical() == keys.deal.position.canonical():
                return []  # each search begins there, and may not have closed it yet
            moves = _moves_to(store, keys, position)
        except InputError:
            return None  # no game from the deal comes to it
        if moves is None:
            moves = _moves_on_solution(store, keys, position)
            if moves is None:
                _check_kept(store)
            return moves
        reached = keys.deal.position
        for move in moves:
            reached = reached.apply(move)
        if are_of_classes(keys):
            if keys.state(reached) != keys.state(position):
                raise StoreError("its records lead to another class", str(path))
        elif reached.canonical() != position.canonical():
            raise StoreError("its records lead to another position", str(path))
        return moves

    return look(path, tell)


def _moves_to(store: Store, keys: AnyKeys, position: Position) -> list[Move] | None:
    """Return the moves to a position, None if it was not closed.

    Raises InputError if the position cannot be reached.
    """
    assert not are_wide(keys)  # they have no stores
    if not are_covering(keys):
        return _moves_to_states(store, keys, position)
    if are_of_classes(keys):
        return _moves_to_class(store, keys, keys.state(position), position)
    return _moves_to_covered(store, keys, position)


def _check_kept(store: Store) -> None:
    """Raise StoreError if a finished search has left no closed states in its store."""
    manifest, where = store.manifest, str(store.path)
    if manifest.keep == "none":
        raise StoreError("was made with --keep none, and has no closed states to look in", where)
    if manifest.is_final and not store.keys(b"C"):
        raise StoreError("has no closed states to look in: it was decided before", where)


def _moves_on_solution(store: Store, keys: AnyKeys, position: Position) -> list[Move] | None:
    """Return the moves of the store's solution up to a position; None if it is not on its way."""
    if store.manifest.path is None:
        return None
    moves = moves_of(store.manifest, keys, str(store.path))
    way = accumulate(moves, lambda at, move: at.apply(move), initial=keys.deal.position)
    for number, reached in enumerate(way):
        if reached.canonical() == position.canonical():
            return list(moves[:number])
    return None


def keys_of_store(store: Store) -> AnyKeys:
    """Return the keys of the states in a store."""
    manifest = store.manifest
    return keys_of_manifest(manifest, deal_of(manifest, str(store.path)))


@contextmanager
def _fitting(store: Store) -> Iterator[None]:
    """Raise StoreError where the moves of a store's records cannot be played from its deal."""
    try:
        yield
    except InternalError as error:
        raise StoreError(f"its records do not fit its deal: {error}", str(store.path)) from None


def _moves_to_states(store: Store, keys: StateCodec, position: Position) -> list[Move] | None:
    """Return the moves by which a search over positions reached a position; None if it did not.

    The position may follow from several closed states, if cards of the stock are turned up after
    the last move of a card, and the solution may pass through it. The shortest of these ways is
    returned.
    """
    states, ways = tuple(keys.states(position)), list[list[Move]]()
    for kind in (b"C", b"A"):
        finder = Finder(store, keys, kind)
        for state in states:
            steps = steps_to(finder, state)
            if steps is None:
                continue
            with _fitting(store):
                moves = list(replay(keys, steps))
            reached = keys.deal.position
            for move in moves:
                reached = reached.apply(move)
            ways.append(moves + (turns_to(reached, position, keys.rules) or []))
    on_solution = _moves_on_solution(store, keys, position)
    if on_solution is not None:
        ways.append(on_solution)
    return min(ways, key=keys.measure.length, default=None)


def _moves_to_class(
    store: Store, keys: ClassKeys, state: State, position: Position
) -> list[Move] | None:
    """Return the moves to a position of a closed class, or to one as near to it as shifts lead.

    None if its class is not closed.
    """
    code = Finder(store, keys).code(state)
    if code is None:
        return None
    path = RecordFinder(store, keys).path(state, code)
    with _fitting(store):
        moves = moves_along(keys, path, position)
    turns = keys.deal.position.turns
    return None if turns is not None and sum(map(turns_over, moves)) > turns else moves


def _moves_to_covered(store: Store, keys: RecordKeys, position: Position) -> list[Move] | None:
    """Return moves to a position that a closed record covers; None if no record does.

    They lead to the record, and then cards are parked. A position with safe moves is not covered by
    itself, but may lie on the way to the record that covers it after them.
    """
    settled = position
    while (safe := settled.forced(keys.rules, keys.policy)) is not None:
        settled = settled.apply(safe)
    found = stored_cover(Finder(store, keys), keys, settled)
    if found is None:
        return None
    path = RecordFinder(store, keys).path(*found)
    with _fitting(store):
        moves = moves_along(keys, path, settled)
    at = keys.deal.position
    for number in range(len(moves) + 1):
        if at.canonical() == position.canonical():
            return moves[:number]
        if number < len(moves):
            at = at.apply(moves[number])
    return None
