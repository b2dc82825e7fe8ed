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
    """List the moves of all ``states`` (int64[*, fields]); return the number of moves.

    Write the key of the state that each leads to (``keys``, uint64[*]), the facts about each
    (``facts``, int64[*, 3]), and the row of the state in which it is made (``sources``, int64[*]).
    The arrays have to be long enough for all moves. ``g`` are the tables of the deal.
    """
    count = 0
    for number in range(states.shape[0]):
        last = count + list_moves(g, states[number], keys[count:], facts[count:])
        sources[count:last] = number
        count = last
    return count


@allocating
def find_parents(g, most, keys, states, codes, parents, facts, wrong):
    """Find the parent of each state by its parent-move code.

    Write its key (``parents``, uint64[*]) and the facts about the move (``facts``, int64[*, 3]).
    The code is not believed. It says which cards to put back; one of the moves of the parent made
    so has to have this code and to lead to the state. If none does, the state's flag in ``wrong``
    (bool[*]) is set. No state has more than ``most`` moves.
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
