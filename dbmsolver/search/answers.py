"""The answer of a search, made of the manifest of its store."""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.kits.choice import AnyKeys, keys_of
from dbmsolver.results import Options, Question, Result, Verdict
from dbmsolver.search.statistics import Statistics
from dbmsolver.search.trace import Step, replay
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.store import Store


def keys_of_manifest(manifest: Manifest, deal: Deal) -> AnyKeys:
    """Return the keys of the states in a store."""
    return keys_of(deal, manifest.policy, manifest.method, manifest.metric, manifest.question)


def whole_strata(manifest: Manifest) -> tuple[tuple[int, int, int, int], ...]:
    """Return the strata of a manifest as rows (layer, stratum, states, forced).

    The part of the layer with the goal that a search closes depends on threads and memory. The
    layers below are whole, and the same for every run. So only these are returned.
    """
    whole = manifest.length if manifest.shortest else None
    return tuple(
        (layer, stratum, states, forced)
        for layer, stratum, states, forced in manifest.strata
        if whole is None or layer < whole
    )


def least_of(manifest: Manifest, codec: AnyKeys, layers: Iterable[int]) -> int | None:
    """Return a length that no solution of the deal falls short of.

    None for a proof and for a deal without a solution. ``layers`` are those with closed states.
    Layers are closed in ascending order. So none below the last one holds the goal.
    """
    if manifest.question != Question.SOLVE or manifest.verdict == Verdict.UNSOLVABLE:
        return None
    if manifest.shortest:
        return manifest.length
    return max(layers, default=0) or codec.least


def result_of(
    store: Store,
    keys: AnyKeys,
    statistics: Statistics,
    options: Options,
    played: tuple[Move, ...] | None,
) -> Result:
    """Return the answer in the manifest of a store as a Result.

    ``played`` are the moves of its path if they have been played on the readable model already.
    """
    manifest = store.manifest
    layers = (layer for layer, _ in statistics.strata)
    steps: list[Step] = [(card, place) for card, place in manifest.path or []]
    verdict = manifest.verdict
    if manifest.path is not None and not manifest.is_final:
        verdict = Verdict.SOLVED  # not finished, but there is a solution
    assert verdict is not None  # as long as nothing is known there is no answer
    strata = whole_strata(manifest)
    moves: tuple[Move, ...] = ()
    if steps and verdict == Verdict.SOLVED:
        moves = replay(keys, steps) if played is None else played
    return Result(
        question=manifest.question,
        deal=keys.deal,
        policy=options.policy,
        metric=manifest.metric,
        verdict=verdict,
        limit=manifest.limit,
        shortest=manifest.shortest,
        moves=moves,
        states=sum(row[2] for row in strata),
        forced=sum(row[3] for row in strata),
        evaluated=statistics.evaluated,
        seconds=manifest.seconds if manifest.is_final else statistics.elapsed,
        peak_memory=statistics.peak_memory,
        disk=store.size(),
        digest=None if verdict == Verdict.SOLVED else f"{statistics.digest:016x}",
        store=options.store,
        method=manifest.method,
        strata=strata,
        at_least=least_of(manifest, keys, layers),
        keep=manifest.keep,
        bound=manifest.bound,
    )
