"""Fixtures of all tests: compiled kernels and modules, one browser, and the same random cases."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from dbmsolver.jit.cache import choose_cache

# For programs that tests start, too.
choose_cache()
# Tests start the program some hundred times; compiling its modules each time takes a fifth of that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Yield the browser; skip where there is none. A process can have only one."""
    from helpers import browser

    with browser.chromium() as running:
        yield running
