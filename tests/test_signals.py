"""Signals that ask the program to end: none is lost where an exception would be."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from dbmsolver.search.interrupts import held_back
from dbmsolver.signals import raise_on_signals

REQUESTS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Let signals raise KeyboardInterrupt in the test, and do what they did after it."""
    before = [(number, signal.signal(number, signal.SIG_DFL)) for number in REQUESTS]
    raise_on_signals()
    yield
    for number, handler in before:
        signal.signal(number, handler)


def function_of(file: str) -> Callable[[Callable[[], Any]], None]:
    """Return a function with the name of one that LLVM calls, as if it were in a file."""
    source = "def _raw_object_cache_notify(work):\n    work()\n"
    names: dict[str, Any] = {}
    exec(compile(source, file, "exec"), names)
    found: Callable[[Callable[[], Any]], None] = names["_raw_object_cache_notify"]
    return found


@pytest.mark.parametrize("number", REQUESTS)
def test_a_signal_waits_while_llvm_hands_machine_code_over(number: signal.Signals) -> None:
    done = []

    def work() -> None:
        signal.raise_signal(number)
        done.append(number)

    function_of("/somewhere/llvmlite/binding/executionengine.py")(work)
    assert done == [number]
    with pytest.raises(KeyboardInterrupt):
        Event().wait(60)


@pytest.mark.parametrize("number", REQUESTS)
def test_elsewhere_it_does_not_wait(number: signal.Signals) -> None:
    with pytest.raises(KeyboardInterrupt):
        function_of("/somewhere/else.py")(lambda: signal.raise_signal(number))


@pytest.mark.parametrize("number", REQUESTS)
def test_steps_hold_signals_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with held_back() as signals:
        signal.raise_signal(number)
    assert signals == [number]
    assert signal.getsignal(number) is before
