"""Deadlocked pairs of cards, and the smallest set of cards that touches all edges of a graph."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined, inlined_kernel
from dbmsolver.verify.kernels.sets import first_of, holds, one
from dbmsolver.verify.kernels.words import ONE, U64, ZERO, count_bits


@inlined
def fewest_of_pairs(board, cards):
    """Return the fewest pieces that touch all pairs of pieces with deadlocked cards.

    Two of ``cards`` are deadlocked if each is among the other's ``board.near``: the cards that are
    higher than one of their suit beneath it. ``board.piece`` has the piece that each card is of.
    """
    paired, rest = ZERO, cards
    while rest:
        card, rest = first_of(rest)
        others = board.near[card] & cards
        while others:
            other, others = first_of(others)
            if holds(board.near[other], card):
                own = board.piece[card]
                if not holds(paired, own):
                    board.edges[own] = ZERO
                    paired |= one(own)
                board.edges[own] |= one(board.piece[other])
    return touching_all(paired, board.edges, board.stack) if paired else 0


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
            card, rest = first_of(rest)
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
