"""The time to decide deals that can mostly be won, in one process: dives, proofs for the rest.

    python benchmarks/winnable.py
    python benchmarks/winnable.py --deals 1-1000 --freecells 2 --replay
    python benchmarks/winnable.py --fewest
    python benchmarks/winnable.py --deals 1-1000 --game simple_simon --max-time 5
    python benchmarks/winnable.py --deals 1-1000 --game black_hole
    python benchmarks/winnable.py --deals 1-300 --game klondike_by_threes --memory 2G
    python benchmarks/winnable.py --deals 1-100 --game spider --processor --threads 1

Without options: deals 1 to 32,000 with four freecells, and 1 to 1,000 with three, two and one, all
kernels loaded. With --fewest: the deals of tests/data/min-freecells.tsv with none to four
freecells, compared with that table. Solutions are worked out and replayed only with --replay, which
takes minutes and does not count. With --processor a deal's seconds, and its limit, are those of
the processor, of all threads together: other programs on the same cores do not change them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Any

from tables import rows as table

from dbmsolver import Deal, Decision, prove, prove_many, rules_for
from dbmsolver.arguments import parse_size

ROWS = ((4, 1, 32_000), (3, 1, 1000), (2, 1, 1000), (1, 1, 1000))
"""Freecells, first and last deal."""


def main() -> int:
    """Print a line for each row; 1 if a solution does not replay."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--deals", default="", help="first-last; all rows if left out")
    parser.add_argument("--game", default="freecell", help="with --deals only")
    parser.add_argument("--freecells", type=int, help="4 if left out, or the game's")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", type=parse_size, default=1 << 30, help="1G if left out")
    parser.add_argument("--max-time", type=float, default=60.0, help="seconds for a deal")
    parser.add_argument("--processor", action="store_true", help="count time of the processor")
    parser.add_argument("--fewest", action="store_true", help="compare with the published table")
    parser.add_argument("--replay", action="store_true", help="replay every solution")
    options = parser.parse_args()
    rows = ROWS
    if options.deals:
        first, _, last = options.deals.partition("-")
        freecells = options.freecells
        if freecells is None:
            freecells = rules_for(options.game).freecells
        rows = ((freecells, int(first), int(last or first)),)
    warm = [Deal.from_number(number) for number in (1, 11982)]
    warm.append(Deal.from_number(384243, rules_for("freecell", 2)))
    limits = {"threads": options.threads, "memory": options.memory}
    decided = by_processor if options.processor else prove_many
    if options.game != "freecell":
        warm = [Deal.from_number(number, rules_for(options.game)) for number in range(1, 5)]
    list(prove_many(warm, max_time=0.5, **limits))
    if options.fewest:
        return 0 if as_published(max_time=options.max_time, **limits) else 1
    right = True
    for freecells, first, last in rows:
        rules = rules_for(options.game, freecells)
        deals = (Deal.from_number(number, rules) for number in range(first, last + 1))
        begun = time.perf_counter()
        found = list(decided(deals, max_time=options.max_time, **limits))
        seconds = time.perf_counter() - begun
        print(
            f"{rules.name}, {freecells} freecells, deals {first} to {last}: "
            f"{summary(found, seconds)}",
            flush=True,
        )
        if options.replay:
            wrong = [one.deal.name for one in found if not wins(one)]
            print(f"  solutions that do not win: {', '.join(wrong) or 'none'}", flush=True)
            right = right and not wrong
    return 0 if right else 1


def by_processor(deals: Iterable[Deal], *, max_time: float, **limits: Any) -> Iterator[Decision]:
    """Decide deals one by one, with a limit in seconds of the processor for each."""
    for deal in deals:
        begun = time.process_time()
        result = prove(
            deal, cancel=lambda begun=begun: time.process_time() - begun > max_time, **limits
        )
        yield Decision(
            deal,
            result.policy,
            result.verdict,
            result.limit,
            result.states,
            result.evaluated,
            time.process_time() - begun,
            result,
        )


def summary(found: Sequence[Decision], seconds: float) -> str:
    """Return a summary of the deals of a row."""
    verdicts = Counter(str(one.verdict) for one in found)
    fast = sum(one.seconds <= 1 and one.verdict != "undecided" for one in found)
    parts = [
        f"{seconds:.1f} s",
        *(f"{count:,} {verdict}" for verdict, count in sorted(verdicts.items())),
        f"{fast / len(found):.2%} decided within a second each",
        f"{sum(one.evaluated for one in found):,} records expanded",
        f"longest {max(one.seconds for one in found):.1f} s",
    ]
    won = [one for one in found if one.verdict == "solved"]
    if won:
        seconds_won = [one.seconds for one in won]
        parts.append(f"won: median {median(seconds_won):.1f} s, longest {max(seconds_won):.1f} s")
    names = [one.deal.name for one in found if one.verdict == "undecided"]
    if names:
        parts.append(f"undecided: {', '.join(names)}")
    few = [one.deal.name for one in found if one.verdict == "unsolvable"]
    if 0 < len(few) < 10:
        parts.append(f"unsolvable: {', '.join(few)}")
    return "; ".join(parts)


def as_published(**limits: Any) -> bool:
    """Return True if verdicts with none to four freecells are those of the published table."""
    fewest = {
        row["deal"]: int(row["fewest_freecells_that_win"]) for row in table("min-freecells.tsv")
    }
    begun = time.perf_counter()
    wrong, undecided = [], []
    for freecells in range(5):
        rules = rules_for("freecell", freecells)
        deals = [Deal.from_number(int(number), rules) for number in fewest]
        for one in prove_many(deals, **limits):
            name = f"{one.deal.name} with {freecells}"
            if one.verdict == "undecided":
                undecided.append(name)
            elif (one.verdict == "solved") != (freecells >= fewest[one.deal.name]):
                wrong.append(name)
    print(
        f"{len(fewest)} deals with 0 to 4 freecells: {time.perf_counter() - begun:.1f} s; "
        f"wrong: {', '.join(wrong) or 'none'}; undecided: {', '.join(undecided) or 'none'}"
    )
    return not (wrong or undecided)


def wins(decision: Decision) -> bool:
    """Return True if a deal's solution is legal move by move, and wins, or none is due."""
    if decision.verdict != "solved":
        return True
    position = decision.deal.position
    for move in decision.moves():
        move = move._replace(forced=False)
        if move not in position.moves(decision.deal.rules):
            return False
        position = position.apply(move)
    return position.is_goal()


if __name__ == "__main__":
    sys.exit(main())
