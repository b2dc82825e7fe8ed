"""A program that lets a search be killed again and again, and prints what comes of it as JSON.

Usage: interrupted.py SETTINGS, a JSON object (`Settings`). The search runs in forks of this
process, which has the kernels loaded: a start costs nothing, so that twenty of them fit into a
test.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, TypedDict

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Options, Question, Result
from dbmsolver.search import recorder, session
from dbmsolver.search.astar import look_ahead
from dbmsolver.search.improve import beams_ahead, leaving_dives
from dbmsolver.search.proof import dives, piece_tables, piece_worker, pieces, worker


class Settings(TypedDict):
    """The searched deal, and the ways in which the search is disturbed."""

    question: Question
    game: str
    deal: int
    freecells: int | None  # None: as many as the game has
    store: str
    memory: int | None
    commit: float  # seconds between commits
    small: int | None  # signatures with more states are closed in pieces
    any_solution: bool  # whether any solution comes first
    metric: Metric | None
    policy: Policy
    look_ahead: int | None  # states that a proof looks at before it begins
    share: float  # of the time of an undisturbed run: when the last of the signals may come
    signal: str
    times: int  # how many signals must have come before the search's end
    seed: int


def facts(result: Result) -> dict[str, Any]:
    """Return the facts that must not depend on the parts of a search."""
    return {
        "verdict": result.verdict,
        "limit": result.limit,
        "length": result.length,
        "states": result.states,
        "forced": result.forced,
        "digest": result.digest,
        "strata": [list(row) for row in result.strata],
    }


def search_once(settings: Settings, suffix: str = "") -> dict[str, Any]:
    """Begin the search, or continue it from its store."""
    deal = Deal.from_number(settings["deal"], rules_for(settings["game"], settings["freecells"]))
    options = Options(
        threads=2,
        store=Path(settings["store"] + suffix),
        method=settings.get("method", "every-position"),
        any_solution=settings["any_solution"],
        metric=settings["metric"],
        policy=settings["policy"],
    )
    events = session.run(settings["question"], deal, options, Limits(memory=settings["memory"]))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return facts(end.value)


def forked(settings: Settings, seconds: float | None) -> tuple[int, dict[str, Any]]:
    """Run the search in a fork, with a signal after some seconds: (exit status, what it found)."""
    reader, writer = os.pipe()
    # A signal between the fork and the search, or after it, would end this program and not the
    # search: it waits until the search heeds it.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child = os.fork()
    if not child:
        os.close(reader)
        status = 1
        try:
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
                found = search_once(settings)
            finally:
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            os.write(writer, json.dumps(found).encode())
            status = 0
        except KeyboardInterrupt:
            status = 130
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], seconds)
    if not ready:
        os.kill(child, signal.Signals[settings["signal"]])
    parts = []
    while part := os.read(reader, 1 << 16):
        parts.append(part)
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status, json.loads(b"".join(parts)) if parts else {}


def interrupt_until_the_end(
    settings: Settings, times: int, seconds: Callable[[], float]
) -> tuple[int, dict[str, Any]]:
    """Send signals to one search, each time continued, and then let it end.

    Returns (how many hit, what it found).
    """
    expected = -9 if settings["signal"] == "SIGKILL" else 130
    interrupted = 0
    while True:
        status, answer = forked(settings, seconds() if interrupted < times else None)
        assert status in (0, expected), f"the search ends with {status}"
        if answer:
            return interrupted, answer
        interrupted += 1


def main() -> None:
    """Run the search once undisturbed, once interrupted at random moments."""
    settings: Settings = json.loads(sys.argv[1])
    # The tests themselves may have been started in the background, where a shell ignores Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random = Random(settings["seed"])
    if settings["small"] is not None:
        worker.SMALL = settings["small"]
        piece_tables.SMALLEST_BITS = 12
        pieces.FLIP_SAMPLE = 50
        piece_worker.EXPAND_SECONDS = 0.02
    if not settings.get("dives", True):
        dives.SCHEDULE = dives.CLASS_SCHEDULE = ()
        leaving_dives.SCHEDULE = ()
        beams_ahead.FIRST_OF_PATIENCE = ()
    if settings["look_ahead"] is not None:
        look_ahead.STATES = settings["look_ahead"]
    search_once(settings, ".warm")  # loads all kernels
    begun = time.monotonic()
    undisturbed = search_once(settings, ".once")
    typical = time.monotonic() - begun
    recorder.COMMIT_SECONDS = settings["commit"]
    interrupted, runs = 0, 0
    outcomes: list[dict[str, Any]] = []
    again: dict[str, Any] = {}
    while interrupted < settings["times"] or not again:
        runs += 1
        assert runs < 100, "the search always ends before the signal comes"
        part, answer = interrupt_until_the_end(
            {**settings, "store": f"{settings['store']}-{runs}"},
            settings["times"] - interrupted,
            lambda most=typical * settings["share"]: random.uniform(0, most),  # type: ignore[misc]
        )
        if not part:
            typical /= 2  # the undisturbed run was slow, as others had the processor
        interrupted += part
        outcomes.append(answer)
        again = search_once(settings, f"-{runs}")
        shutil.rmtree(f"{settings['store']}-{runs}", ignore_errors=True)
        outcomes.append(again)
    print(json.dumps({"undisturbed": undisturbed, "outcomes": outcomes, "signals": interrupted}))


if __name__ == "__main__":
    main()
