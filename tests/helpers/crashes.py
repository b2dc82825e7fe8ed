"""Searches in a store that end by an error: after some commits again and again, or at the goal."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from dbmsolver.results import Commit, Event, Result, Verdict
from dbmsolver.search import session
from dbmsolver.search.recorder import Recorder


class Crash(Exception):
    """The process ends."""


def die_with_the_goal(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    """Let a search that meets the goal be interrupted before its moves are "played".

    Or before its verdict is "committed".
    """

    def die(*_: object) -> Any:
        raise KeyboardInterrupt

    commit = Recorder.commit

    def die_with_verdict(self: Recorder, *place: int) -> Commit:
        write = die if self.batch.fields.get("verdict") == Verdict.SOLVED else commit
        return write(self, *place)

    if before == "played":
        monkeypatch.setattr(session, "replay", die)
    else:
        monkeypatch.setattr(Recorder, "commit", die_with_verdict)


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
