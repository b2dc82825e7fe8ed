"""The time of `verify`, against the search whose store it checks, and its memory.

    python benchmarks/verify.py [--all] [--repeat N] [--threads N] [--markdown]

Searches deals into stores, with the compiled kernels at hand, and verifies each store with several
budgets. The bars: a third of the search's own speed, for searches of a million states and more,
and anonymous memory of no more than the budget and 300 MB. ``--all`` adds 504179225, which takes
many minutes, 12 GB of memory, and 5 GB of disk for temporary files.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from measure import Measured, run

BAR = 1 / 3
LARGE = 1_000_000
OVER_BUDGET = 300_000_000


@dataclass(frozen=True, slots=True)
class Row:
    """A search, and the options with which its store is verified; budgets in MiB."""

    search: tuple[str, ...]
    budgets: tuple[int | None, ...] = (None,)
    sample: bool = False


ROWS = (
    Row(("prove", "11982", "--every-position")),
    Row(("prove", "12064", "--freecells", "2", "--every-position"), (None, 300), sample=True),
    Row(("solve", "3")),
    Row(("solve", "4")),
)
BIG = Row(
    ("prove", "504179225", "--every-position", "--memory", "12G"), (None, 4096, 1024), sample=True
)

HEADING = (
    "store of", "states", "store", "search", "verify", "found", "seconds", "of the search's speed",
    "peak RssAnon", "bar", "ok",
)  # fmt: skip


@dataclass(slots=True)
class Line:
    """A line of the table: one way to verify one store, all its runs."""

    row: Row
    options: tuple[str, ...]
    budget: int | None
    searched: list[Measured]
    verified: list[Measured]
    store_bytes: int = 0

    @property
    def states(self) -> int:
        """States of the store, forced ones included."""
        return self.searched[0].states + int(self.searched[0].answer.get("forced", 0))

    @property
    def whole(self) -> bool:
        """True if all of the store was checked."""
        return "--sample" not in self.options

    @property
    def ratio(self) -> float:
        """Verify's speed by the search's."""
        times = [
            searched.seconds / verified.seconds
            for searched, verified in zip(self.searched, self.verified, strict=True)
        ]
        return median(times)

    @property
    def peak(self) -> int:
        """Anonymous memory in bytes."""
        return max(one.peak_memory for one in self.verified)

    @property
    def bars(self) -> list[tuple[str, bool]]:
        """The demands, and True for each that is met."""
        found = [("valid", all(one.code == 0 for one in self.verified))]
        if self.whole and self.states >= LARGE:
            found.append(("a third of its speed", self.ratio >= BAR))
        if self.budget is not None:
            most = self.budget * 2**20 + OVER_BUDGET
            found.append((f"{most / 1e6:,.0f} MB", self.peak <= most))
        return found

    @property
    def good(self) -> bool:
        """True if all bars are kept."""
        return all(good for _, good in self.bars)

    def cells(self) -> tuple[str, ...]:
        """Return the line as text, by the heading's columns."""
        valid = all(one.code == 0 for one in self.verified)
        found = "valid" if self.whole else "no fault in the sample"
        return (
            f"`{' '.join(self.row.search)}`",
            f"{self.states:,}",
            f"{self.store_bytes / 1e6:,.1f} MB",
            f"{median(one.seconds for one in self.searched):.1f} s",
            f"`{' '.join(('verify', *self.options))}`",
            found if valid else "**NOT VALID**",
            f"{median(one.seconds for one in self.verified):.1f}",
            f"{self.ratio:.2f}" if self.whole else "",
            f"{self.peak / 1e6:,.0f} MB",
            ", ".join(bar for bar, _ in self.bars),
            "yes" if self.good else "**no**",
        )


def main() -> int:
    """Measure and print; 1 if a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="the big deal, too")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, in turn: medians")
    parser.add_argument("--threads", default=None)
    parser.add_argument("--markdown", action="store_true", help="a table for README.md")
    options = parser.parse_args()
    threads = ("--threads", options.threads) if options.threads else ()
    template = "| " + " | ".join(["{}"] * len(HEADING)) + " |"
    if options.markdown:
        print(template.format(*HEADING))
        print("|" + "---|" * len(HEADING))
    good = True
    largest: Line | None = None
    _warm(threads)
    for row in (*ROWS, *([BIG] if options.all else [])):
        for line in _measure(row, threads, max(1, options.repeat)):
            good &= line.good
            if line.whole and line.good and (largest is None or line.states > largest.states):
                largest = line
            cells = line.cells()
            text = template if options.markdown else "  ".join(["{}"] * len(HEADING))
            print(text.format(*cells), flush=True)
            for one in line.verified:
                if one.code:
                    print(one.errors or one.output, file=sys.stderr)
    if largest is not None:
        print(
            f"\nLargest store verified: `{' '.join(largest.row.search)}`, "
            f"{largest.states:,} states, {largest.store_bytes / 1e6:,.0f} MB."
        )
    return 0 if good else 1


def _warm(threads: tuple[str, ...]) -> None:
    """Compile what the measured runs will need: proofs, costs, divided signatures."""
    folder = Path(tempfile.mkdtemp(prefix="verify-"))
    try:
        for name, search in (
            ("proof", ("prove", "12064", "--freecells", "2", "--every-position")),
            ("costs", ("solve", "3")),
        ):
            run([*search, "--store", str(folder / name), "--quiet", *threads])
            run(["verify", str(folder / name), "--memory", "100M", "--quiet", *threads])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measure(row: Row, threads: tuple[str, ...], times: int) -> list[Line]:
    lines = [
        Line(row, () if budget is None else ("--memory", f"{budget}M"), budget, [], [])
        for budget in row.budgets
    ]
    if row.sample:
        lines.append(Line(row, ("--sample", "1%"), None, [], []))
    for _ in range(times):
        folder = Path(tempfile.mkdtemp(prefix="verify-"))
        store = folder / "s"
        try:
            searched = run([*row.search, "--store", str(store), "--json", "--quiet", *threads])
            for line in lines:
                line.store_bytes = sum(file.stat().st_blocks * 512 for file in store.iterdir())
                command = ["verify", str(store), *line.options, "--json", "--quiet", *threads]
                line.searched.append(searched)
                line.verified.append(run(command))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return lines


if __name__ == "__main__":
    sys.exit(main())
