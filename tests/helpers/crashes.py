"""Searches in a store that end by an error after some commits, again and again."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

from dbmsolver.results import Commit, Event, Result


class Crash(Exception):
    """The process ends."""


def crash_until_done(
    begin: Callable[[], Generator[Event, None, Result]], more: int = 0
) -> tuple[Result, int]:
    """Begin a search and end it after its third commit, until it ends by itself.

    Each run is let go on for ``more`` commits more than the one before. Returns its result, and how
    often it was ended before.
    """
    crashes = 0
    while True:
        steps = begin()
        try:
            commits = 0
            while commits < 3 + more * crashes:
                commits += isinstance(next(steps), Commit)
            with pytest.raises(Crash):
                steps.throw(Crash())
            crashes += 1
        except StopIteration as end:
            result: Result = end.value
            return result, crashes
