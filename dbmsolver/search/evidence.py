"""Checks of a store's answer against its records, short of a verification.

A manifest that was changed, its seal with it, must not give an answer that its search did not find.
Whatever can be checked in a moment is checked each time the answer is told; ``dbmsolver verify``
checks everything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.kits.choice import AnyKeys, are_of_records, are_wide
from dbmsolver.kits.states import Walk
from dbmsolver.results import Question, Verdict
from dbmsolver.search.answers import keys_of_manifest
from dbmsolver.search.covering import stored_cover
from dbmsolver.search.trace import Finder, replay
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.records import BlockKey, parse_closed_key
from dbmsolver.storage.store import Store

GAMES = 3
"""The number of random games that are played through the closed states of a proof."""
MOVES = 20
"""The most moves of each."""


def check_answer(store: Store, deal: Deal) -> list[str]:
    """Check a final answer against the records; return what was checked, in words.

    StoreError if the records do not bear the answer out.
    """
    manifest = store.manifest
    checked = _check_nothing_pending(store)
    codec = keys_of_manifest(manifest, deal)
    if manifest.keep != "none":
        checked.append(_check_counts(store))
    if manifest.verdict == Verdict.SOLVED:
        return checked + _check_solution(store, codec)
    if manifest.keep != "none":
        checked.append(_check_closed(store, codec))
    return checked


def check_unfinished(store: Store, deal: Deal) -> list[str]:
    """Check the counts of an unfinished search, and the lengths that it leaves possible.

    The last layer with closed states is the lower bound of these lengths, the best solution the
    upper one. The search may have dropped states that cannot lead to a solution shorter than the
    best one, so that has to be there, and to win. Returns lines of text that say what was checked.
    Raises StoreError if something does not fit.
    """
    manifest, where = store.manifest, str(store.path)
    last = max((parse_closed_key(key).layer for key in store.keys(b"C")), default=0)
    claimed = max((row[0] for row in manifest.strata), default=0)
    if manifest.question == Question.SOLVE and claimed != last:
        raise _wrong(f"the last layer with closed states is {last}, not {claimed}", where)
    checked: list[str] = []
    if manifest.keep != "none" and manifest.phase == "search":
        # A goal that is found is counted before its layer is written.
        checked.append(_check_counts(store, last if manifest.question == Question.SOLVE else None))
    if manifest.path is None:
        return checked
    if manifest.question != Question.SOLVE:
        raise _wrong("a proof has no solution before its end", where)
    codec = keys_of_manifest(manifest, deal)
    moves = moves_of(manifest, codec, where)
    length = codec.measure.length(moves)
    if length != manifest.length:
        raise _wrong(f"its solution has {length} moves, not {manifest.length}", where)
    if last > length:
        raise _wrong(f"layer {last} was searched, for a solution of {length} moves", where)
    return [*checked, "the solution was played and wins"]


def moves_of(manifest: Manifest, codec: AnyKeys, where: str) -> tuple[Move, ...]:
    """Return the solution in a manifest, played from the deal by the readable model.

    StoreError if it does not win.
    """
    try:
        moves = replay(codec, [(card, place) for card, place in manifest.path or []])
    except (InternalError, TypeError, ValueError) as error:
        raise _wrong(f"its solution cannot be played: {error}", where) from None
    position = codec.deal.position
    for move in moves:
        position = position.apply(move)
    if not position.is_goal():
        raise _wrong(
            f"after the moves of its solution {position.left} cards are {position.left_where}",
            where,
        )
    return moves


def _wrong(message: str, where: str) -> StoreError:
    return StoreError(f"the manifest does not fit the records: {message}", where)


def _check_nothing_pending(store: Store) -> list[str]:
    for kind in (b"P", b"B", b"D"):
        if store.keys(kind):
            verdict = store.manifest.verdict
            raise _wrong(f"{verdict}, and candidates are still pending", str(store.path))
    return ["nothing is pending"]


def _check_counts(store: Store, passed_over: int | None = None) -> str:
    """Compare the numbers of states in the blocks' headers with the manifest's rows.

    The layer ``passed_over`` is not compared. Returns a line of text that says what was compared;
    raises StoreError if numbers differ.
    """
    manifest, where = store.manifest, str(store.path)
    found: Counter[tuple[int, int]] = Counter()
    for key in store.keys(b"C"):
        place = parse_closed_key(key)
        found[place.layer, place.stratum] += store.states_in(key)
    claimed: Counter[tuple[int, int]] = Counter()
    for layer, stratum, states, forced in manifest.strata:
        claimed[layer, stratum] += states + forced
    total = manifest.states + manifest.forced
    for row in sorted(found.keys() | claimed.keys()):
        if found[row] != claimed[row] and row[0] != passed_over:
            # A damaged or exchanged block says more than a number that does not fit.
            for key in (*store.keys(b"P"), *store.keys(b"C")):
                store.check_record(key)
            name = f"layer {row[0]}, stratum {row[1]}" if row[0] else f"stratum {row[1]}"
            raise _wrong(f"{name} has {found[row]:,} states, not {claimed[row]:,}", where)
    # A solution that a hasty search found is counted, and its states are not closed ones.
    if claimed and total != sum(claimed.values()):
        raise _wrong(f"{sum(claimed.values()):,} states are closed, not {total:,}", where)
    return "the counts are those of the blocks"


def _check_solution(store: Store, codec: AnyKeys) -> list[str]:
    manifest, where = store.manifest, str(store.path)
    if manifest.path is None and manifest.keep == "none":
        return []
    moves = moves_of(manifest, codec, where)
    length = codec.measure.length(moves)
    if length != manifest.length:
        raise _wrong(f"its solution has {length} moves, not {manifest.length}", where)
    checked = ["the solution was played and wins"]
    if manifest.shortest:
        for key in store.keys(b"C"):
            place = parse_closed_key(key)
            if _is_last(codec, place) and place.layer < length:
                raise _wrong(f"a solution of {place.layer} moves is shorter", where)
    return checked


def _is_last(codec: AnyKeys, place: BlockKey) -> bool:
    """Return True if no state of an unsolvable deal is in this stratum."""
    assert not are_wide(codec)  # they have no stores
    return (place.place if codec.layered_strata else place.stratum) >= codec.won_from


def _check_closed(store: Store, codec: AnyKeys) -> str:
    """Check that no closed state is next to the goal, and play random games among closed states.

    Returns a line of text; raises StoreError if something is wrong.
    """
    where = str(store.path)
    for key in store.keys(b"C"):
        if _is_last(codec, parse_closed_key(key)):
            raise _wrong("unsolvable, and a closed state is a move away from the goal", where)
    assert not are_wide(codec)
    walk = codec.walk()
    _play(where, walk, partial(_is_closed, Finder(store, codec), walk, store.manifest.policy))
    return f"{GAMES} random games {walk.passed}"


def _play(where: str, walk: Walk, is_closed: Callable[[Any], bool]) -> None:
    """Play random games from the deal; StoreError if they come to a state that is not closed."""
    random = Random()
    for _ in range(GAMES):
        at = walk.root
        for number in range(MOVES + 1):
            if not is_closed(at):
                text = walk.away.format(number) if number else walk.dealt
                raise _wrong(f"unsolvable, and {text} is not closed", where)
            after = walk.following(at)
            if not after:
                break
            at = random.choice(after)


def _is_closed(finder: Finder, walk: Walk, policy: Policy, at: Any) -> bool:
    """Return True if what a random game has come to is closed, or a record covers it.

    A position with a safe move need not be covered.
    """
    keys = finder.codec
    if not are_of_records(keys):
        return any(finder.code(state) is not None for state in walk.states(at))
    if at.forced(keys.rules, policy) is not None:
        return True
    return stored_cover(finder, keys, at) is not None
