"""Make tests/data/solutions.txt anew: shortest solutions, and longer ones with more supermoves.

    python tools/kept_solutions.py [FILE]

One thread solves: which of the shortest solutions is found depends on the order in which threads
get on. Lengths are compared with the tables beside the file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from played import played

from dbmsolver import Deal, solve
from dbmsolver.game.shipped import rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.solution import Solution

DATA = Path(__file__).parents[1] / "tests" / "data"
SHORTEST = (
    *((number, 4) for number in range(1, 21)),
    (3, 2),
    (1, 3),
    (3, 3),
    (5, 3),
    (11981, 4),
    (617, 4),
)
"""Deal and freecells."""
PLAYED = ((32, 4), (44, 4), (84, 4), (86, 4), (99, 4), (42, 3), (84, 3), (99, 3))
HEADER = """\
# Solutions of FreeCell deals, made by tools/kept_solutions.py.
# Columns: deal, freecells, single-card moves (a column 1-8 or freecell a-d, then where to).
"""
SHORTEST_HEADER = """\
# Shortest ones: found by this project's solver, which proved that none is shorter. The lengths are
# those of
# optimal-card-moves.tsv and optimal-card-moves-fewer-cells.tsv, which come from others, where these
# know the deal.
"""
PLAYED_HEADER = """\
# Longer ones, from a greedy search over a player's moves (tools/played.py): they have large
# supermoves.
"""


def main() -> int:
    """Solve all rows, compare, and write."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "solutions.txt"
    lines = [HEADER, SHORTEST_HEADER]
    lines += [row(*key, shortest(*key)) for key in SHORTEST]
    lines += [PLAYED_HEADER]
    for key in PLAYED:
        solution = played(deal_of(*key))
        if solution is None:
            sys.exit(f"no solution found for deal {key[0]} with {key[1]} freecells")
        lines.append(row(*key, solution))
    target.write_text("".join(lines))
    return 0


def deal_of(number: int, freecells: int) -> Deal:
    """Return a deal of FreeCell."""
    return Deal.from_number(number, rules_for("freecell", freecells=freecells))


def shortest(number: int, freecells: int) -> Solution:
    """Return a shortest solution, as long as the tables say."""
    deal = deal_of(number, freecells)
    result = solve(deal, threads=1)
    known = dict(known_lengths())
    if not result.shortest or known.get((number, freecells), result.length) != result.length:
        sys.exit(f"deal {number}, {freecells} freecells: {result.verdict}, {result.length} moves")
    return Solution.from_moves(deal, result.moves)


def known_lengths() -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the lengths of the oracles, by deal and freecells."""
    for name in ("optimal-card-moves.tsv", "optimal-card-moves-fewer-cells.tsv"):
        for line in (DATA / name).read_text().splitlines():
            if line[0].isdigit():
                first, *middle, length = map(int, line.split("\t"))
                yield (first, middle[0] if middle else 4), length


def row(number: int, freecells: int, solution: Solution) -> str:
    """Return a line of the file: the moves in the format `short`, without a preamble."""
    lines = formats.write(solution, "short").splitlines()
    moves = " ".join(line for line in lines if not line.startswith("#"))
    again = formats.read(Source(moves + "\n"), "short", Given(deal=solution.deal))
    again.check()
    count = len(again.moves())
    assert count == len(solution.moves()) == len(moves.split())
    print(number, freecells, count, file=sys.stderr)
    return f"{number}\t{freecells}\t{moves}\n"


if __name__ == "__main__":
    sys.exit(main())
