"""The smallest set of cards that touches all edges of a graph."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined_kernel
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, count_bits, first_bit


@inlined_kernel
def touching_all(cards, near, stack):
    """Return the fewest of ``cards`` that touch all edges between them.

    ``near[card]`` are the card's neighbours. Tries, for a card with most neighbours, both the card
    and all of its neighbours.
    """
    best = 64
    stack[0] = cards
    stack[1] = ZERO
    depth = 1
    while depth:
        depth -= 1
        cards = stack[2 * depth]
        taken = np.int64(stack[2 * depth + 1])
        most = edges = 0
        chosen = 0
        rest = cards
        while rest:
            card = first_bit(rest)
            rest &= rest - ONE
            degree = count_bits(near[card] & cards)
            edges += degree
            if degree > most:
                most = degree
                chosen = card
        edges //= 2
        if most <= 1:
            best = min(best, taken + edges)
        elif taken + (edges + most - 1) // most < best:
            others = near[chosen] & cards
            without = cards & ~(ONE << U64(chosen))
            stack[2 * depth] = without & ~others
            stack[2 * depth + 1] = U64(taken + most)
            stack[2 * depth + 2] = without
            stack[2 * depth + 3] = U64(taken + 1)
            depth += 2
    return best
