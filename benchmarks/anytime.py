"""The quality of the solutions of `solve --any`, and the time until they come.

    python benchmarks/anytime.py                       # deals 1 to 30, 20 seconds each
    python benchmarks/anytime.py --deals 10 --seconds 5
    python benchmarks/anytime.py --markdown            # the rows for README.md
    python benchmarks/anytime.py --table benchmarks/catalogue/shortest-klondike-by-ones.csv

Of each deal the shortest length is known: those of FreeCell from the oracles, others from a table
of shortest solutions that `survey` has made. For each mark of time it prints the mean of the moves
that the best solution had too many then, for how many deals these were at most 5 % of the shortest
length, for how many it was a shortest one, and for how many that was proven. Ends with 1 if a
solution is too short to be one, or a proof is wrong.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

from tables import optimal_lengths

from dbmsolver import Better, Deal, Result, solve
from dbmsolver.errors import DbmError
from dbmsolver.survey.loading import load_rows

MARKS = (0.1, 0.3, 1.0, 3.0, 5.0, 10.0, 20.0)
"""Seconds."""
CLOSE = 0.05
"""The moves too many, for each of the shortest length, of a good solution."""


class Run:
    """The solutions of a deal, with the seconds after which they came."""

    def __init__(self, deal: Deal, optimum: int, seconds: float) -> None:
        self.optimum = optimum
        self.found: list[tuple[float, int]] = []
        self.result: Result = solve(deal, any_solution=True, max_time=seconds, progress=self._note)
        if self.result.shortest and self.result.length is not None:
            self.found.append((self.result.seconds, self.result.length))

    def _note(self, event: object) -> None:
        if isinstance(event, Better):
            self.found.append((event.elapsed, event.length))

    def excess(self, mark: float) -> int | None:
        """Return the moves too many after ``mark`` seconds, None if there was no solution."""
        lengths = [length for seconds, length in self.found if seconds <= mark]
        return min(lengths) - self.optimum if lengths else None

    def is_close(self, mark: float) -> bool:
        """Return True if the best solution after ``mark`` seconds was hardly too long."""
        excess = self.excess(mark)
        return excess is not None and excess <= CLOSE * self.optimum

    def proven(self, mark: float) -> bool:
        """Return True if a shortest solution was proven to be one after ``mark`` seconds."""
        return self.result.shortest and self.result.seconds <= mark

    @property
    def right(self) -> bool:
        """True if no statement of the run contradicts the known length."""
        least = self.result.at_least or 0
        lengths = [length for _, length in self.found]
        if self.result.shortest and self.result.length != self.optimum:
            return False
        return least <= self.optimum <= min(lengths, default=self.optimum)


def known_deals(table: Path | None, count: int) -> list[tuple[Deal, int]]:
    """Return the first deals of a table, each with its shortest length; DbmError if it is none."""
    if table is None:
        lengths = list(optimal_lengths().items())[:count]
        return [(Deal.from_number(number), length) for number, length in lengths]
    rows = [row for row in load_rows(table).sorted() if row.shortest]
    return [(row.subject.deal(), row.length) for row in rows[:count] if row.length is not None]


def main() -> int:
    """Solve the deals and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", type=int, default=30, help="how many deals (default 30)")
    parser.add_argument("--table", type=Path, help="a survey's table with shortest lengths")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each deal (default 20)")
    parser.add_argument("--markdown", action="store_true", help="rows of a markdown table")
    options = parser.parse_args()
    try:
        known = known_deals(options.table, options.deals)
    except DbmError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return error.exit_code
    if not known:
        print(f"{parser.prog}: {options.table}: no shortest solution is in it", file=sys.stderr)
        return 2
    solve(known[0][0], any_solution=True)  # to its end, so that all kernels are compiled
    runs = [Run(deal, optimum, options.seconds) for deal, optimum in known]
    first = [run.found[0][0] for run in runs if run.found]
    line = "{:>8} {:>10} {:>10} {:>11} {:>9} {:>7}"
    if options.markdown:
        line = "| {} | {} | {} | {} | {} | {} |"
    if first:
        print(f"first solution: median {statistics.median(first):.3f} s, most {max(first):.3f} s")
    print(line.format("seconds", "with one", "too many", "within 5 %", "shortest", "proven"))
    for mark in (mark for mark in MARKS if mark <= options.seconds):
        excess = [moves for run in runs if (moves := run.excess(mark)) is not None]
        mean = f"{statistics.mean(excess):.2f}" if excess else "-"
        proven = sum(run.proven(mark) for run in runs)
        close = sum(run.is_close(mark) for run in runs)
        print(line.format(f"{mark:g}", len(excess), mean, close, excess.count(0), proven))
    return 0 if all(run.right for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
