"""Work of all threads for the recorder of a search."""

from __future__ import annotations

import gc
import threading
from types import SimpleNamespace
from typing import cast

import pytest

from dbmsolver.search.recorder import Recorder

RECORDER = cast(Recorder, SimpleNamespace(threads=2))


def test_results_come_in_order() -> None:
    assert list(Recorder.in_parallel(RECORDER, str, range(100))) == [*map(str, range(100))]


def test_work_that_is_left_is_cancelled_and_waited_for_by_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A collector that waits for threads may do so where one holds the lock that it needs."""
    waited: list[threading.Thread] = []
    begun, go_on = threading.Semaphore(0), threading.Event()
    done: list[int] = []

    def work(number: int) -> int:
        if number:
            begun.release()
            assert go_on.wait(60)
        done.append(number)
        return number

    before = set(threading.enumerate())
    results = Recorder.in_parallel(RECORDER, work, range(20))
    assert next(results) == 0
    for _ in range(2):  # both threads have begun with something
        assert begun.acquire(timeout=60)
    threads = set(threading.enumerate()) - before
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "join", lambda thread, *_: waited.append(thread))
        del results
        gc.collect()
    assert not waited
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [0, 1, 2]
