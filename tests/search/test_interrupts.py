"""Requests to end that come in the middle of a step: they are collected, and nothing else is."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from dbmsolver.search.interrupts import held_back
from dbmsolver.signals import interrupt

REQUESTS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Leave the handlers of signals as they are after each test."""
    before = [(number, signal.getsignal(number)) for number in REQUESTS]
    yield
    for number, handler in before:
        signal.signal(number, handler)


def is_raised(number: signal.Signals) -> bool:
    """Return True if a signal raises KeyboardInterrupt."""
    try:
        signal.raise_signal(number)
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize("handler", [interrupt, signal.default_int_handler])
def test_signals_that_would_raise_are_collected(handler: signal.Handlers) -> None:
    """They raise again afterwards, be there an error in between or not."""
    for number in REQUESTS:
        signal.signal(number, handler)
    with pytest.raises(ValueError, match="an error"), held_back() as signals:
        assert [number for number in REQUESTS if is_raised(number)] == []
        raise ValueError("an error")
    assert signals == REQUESTS
    for number in REQUESTS:
        assert signal.getsignal(number) is handler
        assert is_raised(number)


def test_what_a_program_does_with_its_signals_is_left_to_it() -> None:
    """As where a program that imports this one has a handler of its own."""
    seen: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with held_back() as signals:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.raise_signal(number)
    assert (seen, signals) == ([signal.SIGTERM], [])


def test_only_the_main_thread_has_handlers() -> None:
    """A search in another thread is stopped in another way."""

    def step() -> list[int]:
        with held_back() as signals:
            return signals

    before = [signal.getsignal(number) for number in REQUESTS]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(step).result() == []
    assert [signal.getsignal(number) for number in REQUESTS] == before
