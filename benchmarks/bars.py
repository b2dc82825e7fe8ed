"""Runs the program as people do, as whole processes, and holds what they take against the bars.

    python benchmarks/bars.py                  # all rows; some take minutes
    python benchmarks/bars.py --list           # names of the rows
    python benchmarks/bars.py help solve-3     # some of them
    python benchmarks/bars.py --short          # those that take seconds
    python benchmarks/bars.py --markdown       # the table for README.md

Before anything is measured the kernels are compiled into numba's cache, unless --cold is given.
Ends with 1 if an answer is wrong or a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from measure import Measured, run
from rows import ROWS, Line, Row

WARM_UP = (
    "solve 3",
    "solve 1 --memory 64M",
    "prove 11982",
    "prove 11982 --every-position",
    "prove 12064 --freecells 2 --every-position --memory 64M",
)
"""Between them these use all kernels, also those that only tight memory calls for."""
HEADINGS = (
    "row",
    "command",
    "found",
    "seconds",
    "states/s",
    "peak RssAnon",
    "peak disk",
    "bytes/state",
    "bar",
    "ok",
)


def main() -> int:
    """Run the rows asked for and print the table."""
    options = arguments()
    chosen = [row for row in ROWS if selected(row, options)]
    if options.list:
        for row in ROWS:
            print(f"{row.name:28} {'short' if row.short else 'long ':5}  {row.title}")
        return 0
    if not options.cold:
        warm_up()
    if options.markdown:
        print("| " + " | ".join(HEADINGS) + " |")
        print("|" + "---|" * len(HEADINGS))
    ok = True
    for line in measured(chosen, options.repeat):
        ok &= line.ok
        print(markdown(line) if options.markdown else text(line), flush=True)
    return 0 if ok else 1


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="names of rows (--list); default all"
    )
    parser.add_argument("--short", action="store_true", help="only rows that take seconds")
    parser.add_argument("--repeat", type=int, default=3, help="runs of a short row (default 3)")
    parser.add_argument("--markdown", action="store_true", help="print rows of a markdown table")
    parser.add_argument("--cold", action="store_true", help="do not compile the kernels first")
    parser.add_argument("--list", action="store_true", help="print the names of the rows and end")
    options = parser.parse_args()
    unknown = set(options.rows) - {row.name for row in ROWS}
    if unknown:
        parser.error(f"unknown rows {', '.join(sorted(unknown))}, --list names them all")
    return options


def selected(row: Row, options: argparse.Namespace) -> bool:
    """Return True if a row is asked for."""
    return (not options.rows or row.name in options.rows) and (row.short or not options.short)


def warm_up() -> None:
    """Have every kernel compiled."""
    begun = time.perf_counter()
    for command in WARM_UP:
        run([*command.split(), "--quiet"])
    print(f"warm-up: {time.perf_counter() - begun:.1f} s", file=sys.stderr)


def measured(rows: list[Row], times: int) -> Iterator[Line]:
    """Yield the lines of the rows, as they come."""
    for row in rows:
        print(f"{row.name} ...", file=sys.stderr, flush=True)
        yield from row.measure(row, times if row.short else 1)


def text(line: Line) -> str:
    """Return a line of the table for a terminal."""
    parts = [line.row, "ok" if line.ok else "MISSED", line.found]
    if line.measured is not None:
        seconds, rate, memory, disk, each = figures(line.measured)
        parts += [f"{seconds} s", f"{rate} states/s" if rate else "", f"memory {memory}"]
        parts += [f"disk {disk}" if disk else "", f"{each} bytes/state" if each else ""]
    parts.append(f"[{line.bar}]")
    return "  ".join(part for part in parts if part)


def markdown(line: Line) -> str:
    """Return a line of the table in README.md."""
    numbers = ("", "", "", "", "")
    if line.measured is not None:
        numbers = figures(line.measured)
    command = f"`{line.command}`" if line.command else ""
    parts = [line.row, command, line.found, *numbers, line.bar, "yes" if line.ok else "**no**"]
    return "| " + " | ".join(parts) + " |"


def figures(measured: Measured) -> tuple[str, str, str, str, str]:
    """Seconds, states/s, peak memory, peak disk, and bytes for each closed state, for people."""
    seconds = f"{measured.seconds:.2f}"
    if not measured.answer:
        return seconds, "", size(measured.peak_memory), "", ""
    each = ""
    closed = measured.states + int(measured.answer["forced"])
    if closed > 1_000_000:
        each = f"{measured.final_disk / closed:.2f}"
    rate = f"{measured.rate:,.0f}" if measured.states > 1_000_000 else ""
    return seconds, rate, size(measured.peak_memory), size(measured.peak_disk), each


def size(count: int) -> str:
    """Bytes in units of 10**6, as disks and the bars count them."""
    return f"{count / 1e6:,.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
