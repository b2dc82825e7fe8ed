"""Lower bounds of a deal's solutions: a length that no solution falls short of."""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.kits.choice import AnyKeys
from dbmsolver.results import Question, Verdict
from dbmsolver.storage.manifest import Manifest


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
