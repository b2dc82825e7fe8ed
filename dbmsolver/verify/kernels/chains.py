"""Chains of parents within a signature."""

from __future__ import annotations

from dbmsolver.jit.decorators import kernel


@kernel
def follow_chains(parents):
    """Follow every chain to its end: the number of a state that never gets there, -1 if all do.

    ``parents`` are numbers plus one, 0 where a chain ends; all are 0 afterwards.
    """
    for start in range(parents.size):
        number = start
        while parents[number] > 0:
            following = parents[number] - 1
            parents[number] = -parents[number]
            number = following
        if parents[number]:
            return number
        number = start
        while parents[number]:
            following = -parents[number] - 1
            parents[number] = 0
            number = following
    return -1
