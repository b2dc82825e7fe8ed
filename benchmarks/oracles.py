"""Puts every row of the oracle tables to the solver and compares.

    python benchmarks/oracles.py                      # all rows; some take minutes
    python benchmarks/oracles.py --max-states 1000000 # without what needs more states than that
    python benchmarks/oracles.py --no-lengths         # without shortest solutions
    python benchmarks/oracles.py --freecells 0 1      # only rows with so many freecells

Prints a table as it goes, and ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tables import optimal_lengths, rows

from dbmsolver import Deal, Result, prove, solve
from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import rules_for

COLUMNS = "{:>10}  {:>9}  {:6}  {:8}  {:24}  {:24}  {:>8}  {}"
LEFT_OUT = "left out"


@dataclass(frozen=True, slots=True)
class Case:
    """A row of an oracle: what to ask, and what the answer must say."""

    deal: int
    freecells: int
    policy: Policy
    question: str
    expected: str
    said: Callable[[Result], str]
    states: int = 0
    """States that a proof needs, as far as the oracle says so."""


def main() -> int:
    """Run the rows asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--max-states", type=int, help="leave out what needs more states")
    parser.add_argument("--no-lengths", action="store_true", help="leave out shortest solutions")
    parser.add_argument(
        "--fewest", type=int, default=20, help="deals whose fewest freecells are checked"
    )
    parser.add_argument("--freecells", type=int, nargs="*", help="only rows with so many")
    parser.add_argument("--memory", type=float, help="GiB for each search")
    options = parser.parse_args()
    memory = None if options.memory is None else int(options.memory * 2**30)
    heading = COLUMNS.format(
        "deal", "freecells", "policy", "question", "expected", "found", "seconds", "ok"
    )
    print(heading, flush=True)
    wrong = count = 0
    for case in cases(options):
        begun = time.perf_counter()
        result = answer(case, memory, options.max_states)
        too_long = result.limit == "max-states"
        found = LEFT_OUT if too_long else case.said(result)
        wrong += not (too_long or found == case.expected)
        count += not too_long
        line = COLUMNS.format(
            case.deal,
            case.freecells,
            case.policy,
            case.question,
            case.expected,
            found,
            f"{time.perf_counter() - begun:.1f}",
            "-" if too_long else "ok" if found == case.expected else "WRONG",
        )
        print(line, flush=True)
    print(f"{count} rows, {wrong} wrong")
    return 1 if wrong else 0


def answer(case: Case, memory: int | None, max_states: int | None) -> Result:
    """Ask the solver."""
    deal = Deal.from_number(case.deal, rules_for("freecell", freecells=case.freecells))
    if case.question == "solve":
        return solve(deal, policy=case.policy, memory=memory, max_states=max_states)
    # The tables count every position.
    return prove(
        deal,
        policy=case.policy,
        memory=memory,
        max_states=max_states,
        method="every-position",
    )


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Yield the rows that are asked for, short ones first."""
    most = options.max_states
    proofs = sorted([*state_counts(), *all_positions()], key=lambda case: case.states)
    chosen = [case for case in proofs if most is None or case.states < most]
    chosen += [] if options.no_lengths else lengths()
    chosen += fewest_freecells(options.fewest)
    for case in chosen:
        if options.freecells is None or case.freecells in options.freecells:
            yield case


def state_counts() -> Iterator[Case]:
    """Unsolvable deals: how many states there are under either policy."""
    for row in rows("state-counts.tsv"):
        for policy in ("wkr", "horne"):
            states = int(row[f"states_{policy}"])
            expected = f"unsolvable, {states:,}"
            yield Case(
                int(row["deal"]), int(row["freecells"]), policy, "prove", expected, verdict, states
            )


def all_positions() -> Iterator[Case]:
    """Yield the same without forced moves."""
    for row in rows("state-counts-no-automove.tsv"):
        states = int(row["states"])
        yield Case(
            int(row["deal"]),
            int(row["freecells"]),
            "none",
            "prove",
            f"unsolvable, {states:,}",
            verdict,
            states,
        )


def lengths() -> Iterator[Case]:
    """Lengths of shortest solutions."""
    for number, moves in optimal_lengths().items():
        yield Case(number, 4, "wkr", "solve", f"{moves} moves", shortest)
    for row in rows("optimal-card-moves-fewer-cells.tsv"):
        expected = f"{row['card_moves']} moves"
        yield Case(int(row["deal"]), int(row["freecells"]), "wkr", "solve", expected, shortest)


def fewest_freecells(deals: int) -> Iterator[Case]:
    """With how many freecells a deal can be won, and that it cannot with one less.

    How many states that takes is not known beforehand.
    """
    for row in rows("min-freecells.tsv")[:deals]:
        number, least = int(row["deal"]), int(row["fewest_freecells_that_win"])
        yield Case(number, least, "wkr", "prove", "solved", word)
        if least:
            yield Case(number, least - 1, "wkr", "prove", "unsolvable", word)


def verdict(result: Result) -> str:
    """Return the verdict and the number of states."""
    return f"{result.verdict}, {result.states:,}"


def shortest(result: Result) -> str:
    """Return the length, if it is proven."""
    return f"{result.length} moves" if result.shortest else result.verdict


def word(result: Result) -> str:
    """Return the verdict alone."""
    return result.verdict


if __name__ == "__main__":
    sys.exit(main())
