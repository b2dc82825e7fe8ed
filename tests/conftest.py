"""Fixtures of all tests: compiled kernels and modules, one browser, and the same random cases."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from dbmsolver.jit.cache import choose_cache

# For programs that tests start, too.
choose_cache()
# Tests start the program some hundred times; compiling its modules each time takes a fifth of that.
# The tests' own modules are compiled, with their assertions, by each process that collects them.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

MEMORY_DISK = "/dev/shm"
ROOM = 4 << 30


def use_memory_disk() -> None:
    """Put temporary files into memory, if there is room for 4 GiB and no TMPDIR says otherwise.

    Stores are written durably, hundreds of times: on a disk the tests wait as long as they work.
    """
    if "TMPDIR" in os.environ or not os.access(MEMORY_DISK, os.W_OK | os.X_OK):
        return
    there = os.statvfs(MEMORY_DISK)
    if there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = MEMORY_DISK
        tempfile.tempdir = None  # it is worked out anew


use_memory_disk()

# Every run tries the same cases. `--hypothesis-profile=default` tries others each time.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


LONGEST = (
    "search/proof/test_games_by_strata.py",
    "verify/test_class_distances.py",
    "test_readme.py",
    "search/improve/test_by_classes.py",
    "kits/klondike/test_class_distances.py",
    "search/test_classes.py",
    "test_benchmarks.py",
    "verify/test_stores_by_classes.py",
    "kits/cards/test_expand.py",
    "cli/test_runs.py",
    "search/patience/test_small_decks.py",
    "search/proof/test_orders.py",
    "jit/test_cache.py",
    "kits/records/test_dominance.py",
    "verify/test_faults.py",
    "jit/test_compilers.py",
    "search/test_early_kills.py",
    "search/test_known_solutions.py",
    "search/test_resume.py",
)
"""The files whose tests take longest, the longest first."""


FORKING = (
    "storage/test_data_file.py",
    "survey/test_table.py",
    "survey/test_kills.py",
    "cli/test_reading.py",
    "survey/test_no_room.py",
)
"""The files whose tests fork, which is quick while the process has not searched much yet.

A fork copies the tables of all pages, and each page that it writes to.
"""


BROWSED = (
    "cli/test_play.py",
    "notation/formats/test_page.py",
    "notation/formats/test_page_access.py",
    "notation/formats/test_page_replay.py",
    "notation/formats/test_page_sizes.py",
    "play/test_play_access.py",
    "play/test_play_asks.py",
    "play/test_play_page.py",
    "survey/test_report_page.py",
)
"""The files whose tests need the browser, which one process starts and no other."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all files that need the browser to one process: starting it takes seconds."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return "browser" if path.endswith(BROWSED) else path

    return OneBrowser(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Keep the order of the files where several processes take one after the other.

    The garbage collector looks for garbage more seldom, as tests make many tuples and few rings.
    Fast tests search small decks in memory for large ones. There numpy does without large pages: to
    touch an array would clear 2 MiB. Slow tests have them, and measure memory as users have it.
    """
    gc.set_threshold(200_000)
    if config.option.markexpr == "not slow":
        os.environ.setdefault("NUMPY_MADVISE_HUGEPAGE", "0")
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: no process has one of them left when the others are done.

    Files whose tests fork come before them.
    """
    folder = Path(__file__).parent
    places = {folder / name: place for place, name in enumerate((*FORKING, *LONGEST))}
    items.sort(key=lambda item: places.get(item.path, len(places)))
    need = {item.path for item in items if "chromium" in getattr(item, "fixturenames", ())}
    assert need <= {folder / name for name in BROWSED}, sorted(need)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave out what collecting made: thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_compilers() -> Iterator[None]:
    """Let searches compile what they need, and no more: here, and in programs that tests start.

    Other processes would compile ahead what no test needs, or be ended amid it.
    """
    from dbmsolver.api.compilers import VARIABLE

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, "0")
        yield


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Yield the browser's pages; skip where there is none. A process can have only one."""
    from helpers import browser

    with browser.chromium() as pages:
        yield pages
