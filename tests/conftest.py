"""What all tests share: compiled kernels and modules, and one browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from dbmsolver.jit.cache import choose_cache

# For programs that tests start, too.
choose_cache()
# Tests start the program some hundred times; compiling its modules each time takes a fifth of that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; skips where there is none. A process can have only one."""
    from helpers import browser

    with browser.chromium() as running:
        yield running
