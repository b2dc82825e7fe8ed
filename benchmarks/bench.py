"""The signature of the search: what searches of every kind find, and how much they look at.

    python benchmarks/bench.py [KIND ...] [--against COMMIT] [--keep]

There is a number for each kind of search, over verdicts, lengths, states, evaluated states,
digests and lower bounds. A change that only rearranges code, or makes it faster, changes none of
them; they do not depend on memory or machine. Ends with 1 if one is not that of `signatures.json`,
where --keep writes them. With --against the searches of another commit are made, too, and stand
beside those of this one: states, evaluated states and seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import xxhash

from dbmsolver import Deal, Result, prove, solve
from dbmsolver.api.compiling import BOTH_WAYS
from dbmsolver.game.shipped import rules_for

KEPT = Path(__file__).with_name("signatures.json")
Row = dict[str, Any]


def _proofs(game: str, numbers: Iterable[int], method: str, **change: Any) -> Iterable[Result]:
    for number in numbers:
        deal = Deal.from_number(number, rules_for(game, **change))
        yield prove(deal, method=method, threads=1)  # type: ignore[arg-type]


def _lengths(game: str, numbers: Iterable[int], **how: Any) -> Iterable[Result]:
    for number in numbers:
        yield solve(Deal.from_number(number, rules_for(game)), threads=1, **how)


def _bounds(game: str, **how: Any) -> Iterable[Result]:
    """Yield the lower bounds of deals: what a search knows that may look at one position."""
    return _lengths(game, range(1, 41), max_states=1, **how)


def _every_position() -> Iterable[Result]:
    for number, freecells in ((146692, 4), (1, 2), (5979, 3)):
        yield from _proofs("freecell", [number], "every-position", freecells=freecells)


def _two_way() -> Iterable[Result]:
    deal = Deal.from_text(BOTH_WAYS, rules_for("fortress"))
    yield prove(deal, threads=1)
    yield solve(deal, threads=1)
    yield from _bounds("fortress")


KINDS: dict[str, Callable[[], Iterable[Result]]] = {
    "positions": _every_position,
    "records": lambda: _proofs("freecell", (11982, 146692, 186216), "dominating"),
    "shortest": lambda: _lengths("freecell", (3, 10, 28)),
    "shortest in runs": lambda: _lengths("freecell", (3,), metric="runs"),
    "bounds": lambda: _bounds("freecell"),
    "bounds in runs": lambda: _bounds("freecell", metric="runs"),
    "runs": lambda: (
        *_proofs("alpha_star", (1,), "every-position"),
        *_lengths("alpha_star", (1,)),
        *_bounds("simple_simon"),
    ),
    "two-way": _two_way,
    "classes": lambda: _proofs("klondike_by_threes", (12, 66, 73), "dominating"),
    "klondike": lambda: (
        *_proofs("klondike_by_threes", (66,), "every-position"),
        *_lengths("klondike_by_threes", (66, 3)),
        *_bounds("klondike"),
    ),
    "canfield": lambda: (
        *_proofs("canfield", (5,), "every-position"),
        *_lengths("canfield", (5,)),
        *_bounds("canfield"),
    ),
    "piles": lambda: (
        *_proofs("black_hole", (1,), "every-position"),
        *_lengths("golf", (1, 2)),
        *_bounds("golf"),
    ),
    "pairs": lambda: (
        *_proofs("pyramid", (285,), "every-position"),
        *_lengths("pyramid", (1,), max_states=20_000),
    ),
    "wide": lambda: (
        *_proofs("spider_one_suit", (2,), "every-position"),
        *_lengths("spider_one_suit", (2,), max_states=20_000),
    ),
    "any solution": lambda: _lengths("freecell", (7,), any_solution=True, max_states=20_000),
}
"""The kinds of searches, and what each searches."""


def measure(kind: str) -> Row:
    """Make the searches of a kind: their signature, states, evaluated states and seconds."""
    signature, states, evaluated, seconds = xxhash.xxh3_64(), 0, 0, 0.0
    for result in KINDS[kind]():
        facts = (
            result.deal.number, result.verdict, result.method, result.metric, result.length,
            result.shortest, result.at_least, result.states, result.forced, result.digest,
        )  # fmt: skip
        signature.update(" ".join(map(str, facts)).encode() + b"\n")
        states += result.states
        evaluated += result.evaluated
        seconds += result.seconds
    signature.update(str(evaluated).encode())
    return {
        "signature": signature.hexdigest(),
        "states": states,
        "evaluated": evaluated,
        "seconds": seconds,
    }


def of_commit(commit: str, kinds: list[str]) -> dict[str, Row]:
    """Make the searches with the sources of another commit."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources"
        git = ["git", "-C", str(root), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(sources), commit], check=True)
        try:
            found = subprocess.run(
                [sys.executable, __file__, "--json", *kinds],
                env={**os.environ, "PYTHONPATH": str(sources)},
                stdout=subprocess.PIPE,
                check=True,
            )
        finally:
            subprocess.run([*git, "remove", "--force", str(sources)], check=True)
    return dict(json.loads(found.stdout))


def main() -> int:
    """Make the searches, print what comes of it, and compare."""
    description, _, _ = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--against", metavar="COMMIT", help="search with its sources, too")
    parser.add_argument("--keep", action="store_true", help=f"write {KEPT.name}")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"unknown kind {unknown[0]}, expected one of {', '.join(KINDS)}")
    for kind in kinds if options.json or options.against else ():
        measure(kind)  # so that no time is that of compiling
    kept = json.loads(KEPT.read_text("utf-8"))
    before = of_commit(options.against, kinds) if options.against else {}
    rows: dict[str, Row] = {}
    for kind in kinds:
        row = rows[kind] = measure(kind)
        if options.json:
            continue
        words = "" if row["signature"] == kept.get(kind) else f", expected {kept.get(kind)}"
        print(f"{kind:<17} {row['signature']}  {_words(row)}{words}")
        if old := before.get(kind):
            same = "the same" if old["signature"] == row["signature"] else old["signature"]
            print(f"{'':<17} {same:<16}  {_words(old)}  in {options.against}")
    if options.json:
        print(json.dumps(rows))
    if options.keep:
        kept |= {kind: row["signature"] for kind, row in rows.items()}
        KEPT.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")
    return int(any(row["signature"] != kept.get(kind) for kind, row in rows.items()))


def _words(row: Row) -> str:
    return f"{row['states']:>9,} states, {row['evaluated']:>9,} evaluated, {row['seconds']:6.2f} s"


if __name__ == "__main__":
    sys.exit(main())
