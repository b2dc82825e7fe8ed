"""Writes tests/data/collected.txt: solutions as collections of other people have them.

With a number, writes tests/data/collected-max.txt instead: the first so many deals that the player
solves where the game makes every possible move home, which takes some seconds each.

Games of the greedy player of `played`, in two characters for a move and nothing else: no sign for
the number of cards that go to an empty column, and `r` for the next freecell where the game makes
every possible move home by itself.
"""

from __future__ import annotations

import sys

from played import played

from dbmsolver import Deal
from dbmsolver.game.automoves import Automove
from dbmsolver.notation.formats.short import place_letter
from dbmsolver.notation.solution import Solution

HEADER = """\
# Games of FreeCell deals, made by tools/collected.py from this project's own greedy player.
# Columns: deal, the moves home that the game makes by itself, the moves of the player.
"""
MANY = """\
# The first 200 FreeCell deals that this project's own greedy player solves in a game which makes
# every possible move home, made by tools/collected.py. Columns: deal, the moves of the player.
"""
DEALS: dict[Automove, tuple[int, ...]] = {
    "horne": (14051, 26567, 31627, 44, 617),
    "wkr": (14051, 26567, 31627, 99),
    "max": (1, 2, 5, 11, 32, 86, 164, 617, 1941, 4368, 10692, 14051, 26567, 31627, 999999),
}


def words(solution: Solution, generic: bool) -> str:
    """Return the player's moves; freecells without names are taken from left to right."""
    taken: dict[int, int] = {}
    found = []
    for step, before, after in solution.replay():
        source, destination = place_letter(step.source), place_letter(step.destination)
        if generic and step.source.kind == "freecell":
            source = "abcd"[taken[step.source.index]]
        if generic and step.destination.kind == "freecell":
            destination = "r"
            taken[step.destination.index] = min(set(range(4)) - set(taken.values()))
        for cell in list(taken):
            if before.freecells[cell] is not None and after.freecells[cell] is None:
                del taken[cell]
        if step.automove == "none":
            found.append(source + destination)
    return " ".join(found)


def many(wanted: int) -> None:
    """Print the table of the first deals that are solved with every possible move home."""
    sys.stdout.write(MANY)
    number = 0
    while wanted:
        number += 1
        solution = played(Deal.from_number(number), "max")
        if solution is not None:
            print(number, words(solution, generic=True), sep="\t", flush=True)
            wanted -= 1


def main() -> None:
    """Print the table."""
    if len(sys.argv) > 1:
        many(int(sys.argv[1]))
        return
    sys.stdout.write(HEADER)
    for policy, deals in DEALS.items():
        for number in deals:
            solution = played(Deal.from_number(number), policy)
            if solution is not None:
                print(number, policy, words(solution, policy == "max"), sep="\t")


if __name__ == "__main__":
    main()
