"""Generators that report while they work and return an answer at their end."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Any, TypeVar

Event = TypeVar("Event")
Other = TypeVar("Other")
Answer = TypeVar("Answer")


def follow(
    steps: Generator[Event, Any, Answer],
    progress: Callable[[Event], object] | None = None,
    request: Callable[[], object] | None = None,
) -> Answer:
    """Go through a generator to its end, and return its value; it is closed in any case.

    Each event goes to `progress`. What `request` returns after it is sent to the generator.
    """
    with closing(steps):
        sent: object = None
        while True:
            try:
                event = steps.send(sent)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            if progress is not None:
                progress(event)
            if request is not None:
                sent = request()


def changed(
    steps: Generator[Event, Any, Answer], change: Callable[[Event], Other]
) -> Generator[Other, None, Answer]:
    """Run a generator and yield its events changed by `change`; it is closed in any case."""
    with closing(steps):
        while True:
            try:
                event = next(steps)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
            yield change(event)
