"""What all tests share: compiled kernels and modules, one browser, and the same random cases."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

from dbmsolver.jit.cache import choose_cache

# For programs that tests start, too.
choose_cache()
# Tests start the program some hundred times; compiling its modules each time takes a fifth of that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Every run tries the same cases. `--hypothesis-profile=default` tries others each time.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; skips where there is none. A process can have only one."""
    from helpers import browser

    with browser.chromium() as running:
        yield running
