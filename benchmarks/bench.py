"""The signature of the search: one number, over all states and digests of three fixed deals.

    python benchmarks/bench.py

A change that only rearranges code, or makes it faster, may not change the number; it does not
depend on threads, memory or machine. Ends with 1 if it is not the number kept here.
"""

from __future__ import annotations

import argparse
import sys
import time

import xxhash

from dbmsolver import Deal, prove
from dbmsolver.game.shipped import rules_for

DEALS = ((146692, 4), (1, 2), (5979, 3))
"""Number and freecells."""
SIGNATURE = "9584dce2262244a0"


def main() -> int:
    """Prove the three deals unsolvable and print what comes of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.parse_args()
    signature = xxhash.xxh3_64()
    for number, freecells in DEALS:
        begun = time.perf_counter()
        deal = Deal.from_number(number, rules_for("freecell", freecells=freecells))
        result = prove(deal, method="every-position")
        seconds = time.perf_counter() - begun
        facts = (
            f"{number} {freecells} {result.verdict} {result.states} {result.forced} {result.digest}"
        )
        signature.update(facts.encode() + b"\n")
        print(f"{facts}  ({seconds:.2f} s, {result.states / seconds:,.0f} states/s)")
    found = signature.hexdigest()
    print(f"signature {found}" + ("" if found == SIGNATURE else f", expected {SIGNATURE}"))
    return 0 if found == SIGNATURE else 1


if __name__ == "__main__":
    sys.exit(main())
