"""Work of all threads for the recorder of a search."""

from __future__ import annotations

import gc
import threading
from types import SimpleNamespace
from typing import cast

import pytest

from dbmsolver.search.recorder import Recorder


def recorder_of(threads: int) -> Recorder:
    """Return what a recorder needs for work of this number of threads."""
    return cast(Recorder, SimpleNamespace(threads=threads, pool=None))


@pytest.mark.parametrize("threads", [1, 2])
def test_results_come_in_order(threads: int) -> None:
    recorder = recorder_of(threads)
    for _ in range(2):
        assert list(Recorder.in_parallel(recorder, str, range(100))) == [*map(str, range(100))]
    Recorder.close(recorder)


def test_work_for_one_needs_no_thread() -> None:
    before = threading.active_count()
    for threads, items in ((1, range(3)), (2, range(1)), (2, range(0))):
        done = Recorder.in_parallel(
            recorder_of(threads), lambda _: threading.current_thread(), items
        )
        assert set(done) <= {threading.current_thread()}
    assert threading.active_count() == before


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
    recorder = recorder_of(2)
    results = Recorder.in_parallel(recorder, work, range(20))
    assert next(results) == 0
    for _ in range(2):  # both threads have begun with something
        assert begun.acquire(timeout=60)
    threads = set(threading.enumerate()) - before
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "join", lambda thread, *_: waited.append(thread))
        del results
        gc.collect()
        Recorder.close(recorder)
    assert not waited
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert sorted(done) == [0, 1, 2]
