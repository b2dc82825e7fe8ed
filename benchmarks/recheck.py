"""Proofs of a survey's table made anew, and each checked by `verify`.

    python benchmarks/recheck.py table.parquet --sample 1000 --seed 1
    python benchmarks/recheck.py table.parquet --largest 100 --depth lemma

Takes rows about deals that cannot be won: the largest proofs, and a sample that the seed chooses.
Each is proven into a store, which is verified; the number of records and the digest of both have to
be those of the row. Prints a line for each, and ends with 1 if one differs or is not valid.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from dbmsolver import prove, verify_store
from dbmsolver.arguments import parse_size
from dbmsolver.errors import DbmError
from dbmsolver.survey.loading import load_rows
from dbmsolver.survey.rows import Row

HEADING = ("deal", "freecells", "records", "digest", "verify", "depth", "positions")


def main() -> int:
    """Check, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many by chance")
    parser.add_argument("--seed", type=int, default=0, help="what chance begins with; 0")
    parser.add_argument("--largest", type=int, default=0, metavar="N", help="the largest proofs")
    parser.add_argument("--depth", choices=("full", "lemma"), help="as for verify")
    parser.add_argument("--memory", type=parse_size, default=1 << 30, help="1G if left out")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    try:
        rows = chosen(options.table, options.largest, options.sample, options.seed)
    except DbmError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return error.exit_code
    counts: Counter[str] = Counter()
    print("\t".join(HEADING))
    for row in rows:
        found, cells = checked(row, options.depth, options.memory, options.threads)
        counts[found] += 1
        print("\t".join(map(str, cells)), flush=True)
    told = ", ".join(f"{count} {word}" for word, count in sorted(counts.items()))
    print(f"{len(rows)} proofs: {told}")
    return 0 if set(counts) <= {"valid"} else 1


def chosen(table: Path, largest: int, sample: int, seed: int) -> list[Row]:
    """Return the rows that are checked: by number, each once."""
    rows = [row for row in load_rows(table).sorted() if row.verdict == "unsolvable"]
    by_size = sorted(rows, key=lambda row: -row.states)[:largest]
    by_chance = Random(seed).sample(rows, min(sample, len(rows)))
    return list({row.key: row for row in [*by_size, *by_chance]}.values())


def checked(row: Row, depth: str | None, memory: int, threads: int) -> tuple[str, list[object]]:
    """Return what is found of a row's proof, and the line about it."""
    with tempfile.TemporaryDirectory(prefix="recheck-") as folder:
        store = Path(folder) / "store"
        result = prove(
            row.subject.deal(),
            method="every-position" if row.method == "every-position" else "dominating",
            store=store,
            threads=threads,
            memory=memory,
        )
        same = (result.verdict, result.states, result.digest) == (
            row.verdict,
            row.states,
            row.digest,
        )
        report = verify_store(store, depth=depth, threads=threads, memory=memory)  # type: ignore[arg-type]  # a choice
    found = "valid" if report.valid else f"not valid: {report.reason}"
    if not same or (report.states, report.digest) != (row.states, row.digest):
        found = "another proof than the row's"
    line = [row.deal, row.freecells, result.states, result.digest]
    return found, [*line, found, report.depth, report.covered if report.covered else ""]


if __name__ == "__main__":
    sys.exit(main())
