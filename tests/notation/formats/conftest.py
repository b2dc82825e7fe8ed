"""Fixtures for tests of pages of solutions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from helpers.browser import Opener


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Opener]:
    """Yield an opener of the pages of solutions."""
    from helpers.browser import Opener

    opener = Opener(chromium, tmp_path)
    yield opener
    opener.close()
