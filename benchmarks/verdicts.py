"""Counts of verdicts in tables that `dbmsolver survey` has made, and a digest of each table.

    python benchmarks/verdicts.py table.parquet
    python benchmarks/verdicts.py --each 1000000 table.parquet other.parquet
    python benchmarks/verdicts.py --numbers unsolvable table.parquet

The digest is the SHA-256 of a line `number,verdict,states,evaluated,digest` for each row that has a
number, in the order of the table. These columns are the same whenever the survey is made again, but
for one thing: how much a large search has looked at when it comes upon a win depends on threads and
memory. So `states` and `evaluated` are left out where a deal was won after more than a million.
Times, memory and limits are not in the digest. Of a .csv table without such deals it is
`tail -n +2 TABLE.csv | cut -d, -f2,14,22,23,26 | sha256sum`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby
from pathlib import Path

from dbmsolver.errors import DbmError
from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.rows import Row

MOST = 1_000_000
"""States up to which a win is found by dives alone, each by one thread."""

COLUMNS = ("first", "last", "rows", "solved", "unsolvable", "undecided", "sha256")


def main() -> int:
    """Print what the tables hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tables", nargs="+", type=Path, metavar="TABLE")
    parser.add_argument("--each", type=int, metavar="N", help="a line for so many numbers")
    parser.add_argument("--numbers", metavar="VERDICT", help="print the deals with that verdict")
    options = parser.parse_args()
    if options.numbers is None:
        print("\t".join(COLUMNS))
    try:
        for path in options.tables:
            rows = [row for row in load_rows(path).sorted() if row.number is not None]
            if options.numbers is not None:
                wanted = [row.number for row in rows if row.verdict == options.numbers]
                print(*wanted, sep="\n", end="\n" if wanted else "")
                continue
            for line in lines(rows, options.each):
                print("\t".join(map(str, line)))
    except DbmError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def lines(rows: Iterable[Row], each: int | None) -> Iterator[tuple[int | str, ...]]:
    """Yield the counts and the digest of each so many numbers, or of all."""
    for _, some in groupby(rows, key=lambda row: each and ((row.number or 0) - 1) // each):
        group = list(some)
        counts = Counter(row.verdict for row in group)
        verdicts = (counts["solved"], counts["unsolvable"], counts["undecided"])
        ends = (group[0].number or 0, group[-1].number or 0)
        yield (*ends, len(group), *verdicts, digest(group))


def digest(rows: Iterable[Row]) -> str:
    """Return the digest of rows: of what is the same whenever they are made."""
    found = sha256()
    for row in rows:
        is_large = row.verdict == "solved" and row.evaluated > MOST
        counts = ("", "") if is_large else (row.states, row.evaluated)
        words = (row.number, row.verdict, *counts, row.digest or "")
        found.update((",".join(map(str, words)) + "\n").encode())
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
