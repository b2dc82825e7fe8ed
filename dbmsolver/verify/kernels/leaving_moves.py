"""The moves of many states of a game whose cards only leave, and the states before them.

The tables of a deal say of which kind the game is: of one pile, or of pairs. Both have their moves
listed under the same names.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating
from dbmsolver.jit.families import ByType
from dbmsolver.verify.kernels import pairs, piles
from dbmsolver.verify.kernels.leaving import CODE, FACTS, key_of
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile

list_moves = ByType({Pile: piles.list_moves, Pairs: pairs.list_moves})
put_back = ByType({Pile: piles.put_back, Pairs: pairs.put_back})


@allocating
def list_successors(g, states, keys, facts, sources):
    """List the moves of states (int64[*, fields]), and which state each is a move of.

    ``keys`` (uint64[*]), ``facts`` (int64[*, 3]) and ``sources`` (int64[*]) have room for all.
    Return how many there are.
    """
    count = 0
    for number in range(states.shape[0]):
        last = count + list_moves(g, states[number], keys[count:], facts[count:])
        sources[count:last] = number
        count = last
    return count


@allocating
def find_parents(g, most, keys, states, codes, parents, facts, wrong):
    """Write the keys of the states before, by parent-move codes, and facts about the moves.

    A code is only a hint: it says which cards go back, and the moves listed of the state before
    have to be one of that code that leads to the state. ``wrong`` (bool[*]) gets a flag for each
    code that stands for no such move. A state has at most ``most`` moves.
    """
    before = np.empty(states.shape[1], np.int64)
    after, moves = np.empty(most, np.uint64), np.empty((most, FACTS), np.int64)
    for number in range(keys.size):
        wrong[number] = True
        if not put_back(g, states[number], codes[number], before):
            continue
        for move in range(list_moves(g, before, after, moves)):
            if after[move] == keys[number] and moves[move, CODE] == codes[number]:
                parents[number], wrong[number] = key_of(g, before), False
                facts[number] = moves[move]
