"""Fixtures of the page to play on: one server, and pages of it in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from helpers.playing import playing

if TYPE_CHECKING:
    from helpers.played import Player


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Yield the address of a server."""
    with playing("3") as (address, _):
        yield address


@pytest.fixture
def player(chromium: Any, address: str) -> Iterator[Player]:
    """Yield what opens pages of the server."""
    from helpers.played import Player

    one = Player(chromium, address)
    yield one
    one.close()
