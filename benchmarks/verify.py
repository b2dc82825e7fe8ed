"""How long `verify` takes, against the search whose store it checks.

    python benchmarks/verify.py [--all] [--threads N]

Searches three deals into stores, with the compiled kernels at hand, and verifies the stores. The
bar is a quarter of the search's own speed. ``--all`` adds 504179225, which takes minutes.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from measure import Measured, run

SEARCHES = (
    ("prove", "11982"),
    ("prove", "12064", "--freecells", "2"),
    ("solve", "3"),
)
BIG = ("prove", "504179225")
BAR = 0.25


def main() -> int:
    """Measure and print; 1 if a store is not valid, or a large one is verified too slowly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="the big deal, too")
    parser.add_argument("--threads", default=None)
    options = parser.parse_args()
    threads = ["--threads", options.threads] if options.threads else []
    print(f"{'search':<28}{'states':>14}{'search':>10}{'verify':>10}{'ratio':>8}{'memory':>10}")
    failed = False
    for search in (*SEARCHES, *([BIG] if options.all else [])):
        folder = Path(tempfile.mkdtemp(prefix="verify-"))
        try:
            _warm(search[0], folder / "warm", threads)
            searched = run([*search, "--store", str(folder / "s"), "--json", "--quiet", *threads])
            verified = run(["verify", str(folder / "s"), "--json", "--quiet", *threads])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        failed |= _report(" ".join(search), searched, verified)
    return 1 if failed else 0


def _warm(command: str, store: Path, threads: list[str]) -> None:
    """Compile what the measured runs will need."""
    deal = ["72", "--freecells", "2"] if command == "prove" else ["3"]
    run([command, *deal, "--store", str(store), "--quiet", *threads])
    run(["verify", str(store), "--quiet", *threads])


def _report(name: str, searched: Measured, verified: Measured) -> bool:
    """Print a line; whether something is wrong with it."""
    states = searched.states + int(searched.answer.get("forced", 0))
    ratio = searched.seconds / verified.seconds
    memory = verified.peak_memory / 2**20
    print(
        f"{name:<28}{states:>14,}{searched.seconds:>8.1f} s{verified.seconds:>8.1f} s{ratio:>8.2f}"
        f"{memory:>6.0f} MiB"
    )
    if verified.code != 0:
        print(f"{name}: {verified.errors or verified.output}", file=sys.stderr)
    return verified.code != 0 or (states > 1_000_000 and ratio < BAR)


if __name__ == "__main__":
    sys.exit(main())
