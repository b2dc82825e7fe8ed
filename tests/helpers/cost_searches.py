"""Searches by cost layers that are under way, for tests that look into them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search.astar.layers import AStarSearch
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store


@contextmanager
def begun(
    codec: StateCodec,
    folder: Path,
    least: int,
    before: int = 0,
    *,
    threads: int = 1,
    **settings: Any,
) -> Iterator[AStarSearch]:
    """Yield a search that has looked at ``least`` states or more.

    Other searches have looked at ``before`` states; ``settings`` are those of `AStarSearch`.
    """
    manifest = new_manifest(Question.SOLVE, codec.deal, Options())
    with Store.create(folder / "store", manifest, durable=False) as store:
        recorder = Recorder(
            store, Question.SOLVE, Limits(), resumable=False, keep_closed=True, threads=threads
        )
        recorder.statistics.evaluated = before
        search = AStarSearch(codec, recorder, threads, 1 << 26, **settings)
        while search.evaluated < before + least:
            assert search.step() is None
        yield search
        search.close()
