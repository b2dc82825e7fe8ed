"""The rows of bars.py: commands, what they must find, and the bars for what they may take."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from measure import Measured, repeat, run
from tables import optimal_lengths

MB = 10**6
MIB = 1 << 20
GIB = 1 << 30
ALLOWANCE = 300 * MIB
"""The bytes that a process may take beyond its memory budget."""
BIG = 246_019_007
MIDDLE = 11_629_132


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table."""

    row: str
    command: str
    found: str
    bar: str
    ok: bool
    measured: Measured | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A row to measure; ``measure`` yields its lines, ``times`` says how often it is run."""

    name: str
    title: str
    short: bool
    measure: Callable[[Row, int], Iterator[Line]]


Check = tuple[str, Callable[[Measured], bool]]
"""A bar in words, and True if a run keeps it."""


def seconds(most: float) -> Check:
    """Wall seconds of the whole process."""
    return f"{most:g} s", lambda measured: measured.seconds <= most


def rate(least: float) -> Check:
    """States a second, end to end."""
    return f"{least / 1e6:g} M states/s", lambda measured: measured.rate >= least


def memory(budget: int) -> Check:
    """Anonymous memory."""
    words = f"budget {budget // MIB} MiB + 300"
    return words, lambda measured: measured.peak_memory <= budget + ALLOWANCE


def disk_at_end(most: int) -> Check:
    """Bytes on disk before the store is removed."""
    return f"{most // MB} MB at the end", lambda measured: measured.final_disk <= most


def disk_peak(most: int) -> Check:
    """Bytes on disk at any time."""
    return f"{most // MB} MB at most", lambda measured: measured.peak_disk <= most


def exactly(states: int) -> Check:
    """Return the check of the number of states that are to be found."""
    return f"{states:,} states", lambda measured: measured.states == states


def at_most(states: int) -> Check:
    """Return the check of the most states that may be closed."""
    return f"at most {states:,} states", lambda measured: measured.states <= states


def length(moves: int) -> Check:
    """Return the check of the length that is to be proven."""
    return f"{moves} moves", lambda m: m.answer["length"] == moves and m.answer["shortest"]


def answered(measured: Measured) -> bool:
    """Return True for a proven answer, or a limit that is named."""
    answer = measured.answer
    if answer["verdict"] == "solved":
        return bool(answer["shortest"])
    return answer["verdict"] == "unsolvable" or answer["limit"] is not None


def one(command: str, *checks: Check) -> Callable[[Row, int], Iterator[Line]]:
    """Return a row that is a single command with ``--json``."""

    def measure(row: Row, times: int) -> Iterator[Line]:
        measured = repeat([*command.split(), "--json", "--quiet"], times)
        yield judged(row.name, command, measured, *checks)

    return measure


def judged(name: str, command: str, measured: Measured, *checks: Check) -> Line:
    """Return the line of a run held against its bars."""
    if not measured.answer:
        return Line(name, command, f"failed: {measured.errors[-200:]!r}", "", False, measured)
    missed = [words for words, check in checks if not check(measured)]
    found = said(measured) + (f" (missed: {', '.join(missed)})" if missed else "")
    return Line(name, command, found, ", ".join(words for words, _ in checks), not missed, measured)


def said(measured: Measured) -> str:
    """Return the answer of a run, in short."""
    answer = measured.answer
    if answer["verdict"] == "solved":
        return f"{answer['length']} moves{', shortest' if answer['shortest'] else ''}"
    if answer["verdict"] == "undecided":
        return f"undecided ({answer['limit']}), {answer['states']:,} states"
    return f"unsolvable, {answer['states']:,} states"


def help_row(row: Row, times: int) -> Iterator[Line]:
    """``--help``, which must not wait for numba."""
    measured = repeat(["--help"], times)
    ok = measured.code == 0 and measured.seconds <= 0.15
    yield Line(row.name, "--help", "", "0.15 s", ok, measured)


def first_run(row: Row, times: int) -> Iterator[Line]:
    """Measure the first run ever: numba's cache is empty."""
    for command in ("solve 3", "prove 11982"):
        with tempfile.TemporaryDirectory() as empty:
            measured = run([*command.split(), "--json"], {"NUMBA_CACHE_DIR": empty})
        announced = "ompil" in measured.errors
        found = "announced" if announced else "not announced"
        ok = announced and measured.code in (0, 10) and measured.seconds < 25
        yield Line(row.name, command, found, "25 s, announced on standard error", ok, measured)


def all_thirty(row: Row, times: int) -> Iterator[Line]:
    """Deals 1 to 30, each a process of its own."""
    total, wrong = 0.0, []
    for number, moves in optimal_lengths().items():
        measured = run(["solve", str(number), "--json", "--quiet"])
        total += measured.seconds
        if (measured.answer.get("length"), measured.answer.get("shortest")) != (moves, True):
            wrong.append(number)
        checks = [length(moves), *([seconds(8)] if number == 1 else [])]
        yield judged(f"{row.name}, deal {number}", f"solve {number}", measured, *checks)
    found = f"{total:.1f} s" + (f", wrong: {wrong}" if wrong else ", all lengths right")
    yield Line(row.name, "solve 1 ... solve 30", found, "60 s", total <= 60 and not wrong)


def compared(
    before: str, after: str, states: int, most: float, *checks: Check, bar: str
) -> Callable[[Row, int], Iterator[Line]]:
    """Two commands, and how the time of the second relates to that of the first.

    Each must find so many ``states``; 0 stands for any number, the same for both.
    """

    def measure(row: Row, times: int) -> Iterator[Line]:
        runs = []
        expected = (exactly(states),) if states else ()
        for command, more in ((before, ()), (after, checks)):
            runs.append(repeat([*command.split(), "--json", "--quiet"], times))
            yield judged(row.name, command, runs[-1], *expected, *more)
        ratio = runs[1].seconds / runs[0].seconds
        same = runs[0].answer.get("digest") == runs[1].answer.get("digest")
        found = f"{ratio:.2f} of the time" + ("" if same else ", other digest")
        yield Line(f"{row.name}, compared", "", found, bar, ratio <= most and same)

    return measure


def threads(command: str, states: int) -> Callable[[Row, int], Iterator[Line]]:
    """One thread and two."""
    before, after = f"{command} --threads 1", f"{command} --threads 2"
    return compared(before, after, states, 1 / 1.7, bar="two threads 1.7 times as fast as one")


_12064 = "prove 12064 --freecells 2 --every-position"
_BIG = "prove 504179225 --every-position"
_RUNS = "prove 30 --game simple_simon --every-position --max-states 30000000"
ROWS = (
    Row("help", "--help", True, help_row),
    Row("first", "first runs ever, with compilation", False, first_run),
    Row("solve-3", "solve 3", True, one("solve 3", length(73), seconds(0.5))),
    Row("solve-10", "solve 10", True, one("solve 10", length(85), seconds(0.5))),
    Row("solve-1", "solve 1", True, one("solve 1", length(87), seconds(2.5))),
    Row("solve-5", "solve 5", True, one("solve 5", length(90), seconds(2.5))),
    Row("solve-9", "solve 9", True, one("solve 9", length(92), seconds(2.5))),
    *(
        Row(
            f"solve-{number}-threads",
            f"solve {number}, threads 1 and 2",
            False,
            threads(command, 0),
        )
        for number, command in ((n, f"solve {n}") for n in (1, 5, 9, 37, 49, 70))
    ),
    Row("solve-30", "solve 1 to 30", False, all_thirty),
    Row("12064", _12064, True, one(_12064, exactly(MIDDLE), rate(2e6))),
    Row("runs", _RUNS, True, one(_RUNS, rate(2e6))),
    Row("threads", f"{_12064}, threads 1 and 2", True, threads(_12064, MIDDLE)),
    Row(
        "12064-memory",
        f"{_12064}, --memory 8G and 256M",
        True,
        compared(
            f"{_12064} --memory 8G",
            f"{_12064} --memory 256M",
            MIDDLE,
            1.5,
            memory(256 * MIB),
            bar="256M at most 1.5 times slower than 8G",
        ),
    ),
    Row(
        "504179225-12G",
        f"{_BIG} --memory 12G",
        False,
        one(f"{_BIG} --memory 12G", exactly(BIG), rate(1.5e6), memory(12 * GIB)),
    ),
    Row(
        "504179225-2G",
        f"{_BIG} --memory 2G",
        False,
        one(
            f"{_BIG} --memory 2G",
            exactly(BIG),
            rate(1.5e6),
            memory(2 * GIB),
            disk_at_end(2000 * MB),
        ),
    ),
    Row(
        "504179225-none",
        f"{_BIG} --memory 2G --keep none",
        False,
        one(
            f"{_BIG} --memory 2G --keep none",
            exactly(BIG),
            memory(2 * GIB),
            disk_peak(1500 * MB),
        ),
    ),
    Row("504179225-threads", f"{_BIG}, threads 1 and 2", False, threads(_BIG, BIG)),
    Row(
        "records-12064",
        "prove 12064 --freecells 2",
        True,
        one("prove 12064 --freecells 2", at_most(850_000), seconds(1.5)),
    ),
    Row(
        "records-504179225",
        "prove 504179225 --memory 512M",
        True,
        one("prove 504179225 --memory 512M", rate(1.5e6), seconds(12), memory(512 * MIB)),
    ),
    Row(
        "records-4260084873",
        "prove 4260084873 --memory 1G",
        False,
        one("prove 4260084873 --memory 1G", rate(1.5e6), seconds(30), memory(GIB)),
    ),
    Row(
        "records-threads",
        "prove 4260084873 --memory 1G, threads 1 and 2",
        False,
        threads("prove 4260084873 --memory 1G", 0),
    ),
    Row(
        "solve-70",
        "solve 70 --memory 1G",
        False,
        one("solve 70 --memory 1G", ("an answer, or what stopped it", answered), memory(GIB)),
    ),
    Row(
        "solve-9-2",
        "solve 9 --freecells 2 --memory 2G",
        False,
        one(
            "solve 9 --freecells 2 --memory 2G",
            ("an answer, or what stopped it", answered),
            memory(2 * GIB),
        ),
    ),
)
