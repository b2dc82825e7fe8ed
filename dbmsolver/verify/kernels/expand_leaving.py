"""The check of a state of a game whose cards only leave: of one pile, or of pairs."""

from __future__ import annotations

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.verify.kernels import pairs, piles
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.errors import GOAL, NO_POSITION, OTHER_LAYER
from dbmsolver.verify.kernels.expand import Seen, wrong
from dbmsolver.verify.kernels.leaving import take_apart
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile
from dbmsolver.verify.kernels.words import ZERO

is_state = ByType({Pile: piles.is_pile, Pairs: pairs.is_pyramid})
is_of_layer = ByType({Pile: piles.is_pile_of_layer, Pairs: pairs.is_any_layer})
is_won = ByType({Pile: piles.is_pile_won, Pairs: pairs.is_pyramid_won})
list_moves = ByType({Pile: piles.list_pile_moves, Pairs: pairs.list_pair_moves})


@kernel
def is_position(g, key, state):
    """Take a key apart into ``state``; return False if it is no position of the deal."""
    return take_apart(g.keys, key, state) and is_state(g, state)


@inner
def expand_leaving(g, row, layer, table, after, end):
    """Take a key apart, and list the keys that moves lead to.

    The first word of a row is the key, the second one the layer, where signatures tell it.
    """
    state = table.state
    if not is_position(g, row[0], state):
        return wrong(NO_POSITION, end)
    if not is_of_layer(g, state, layer):
        return wrong(OTHER_LAYER, end)
    if is_won(g, state):
        return wrong(GOAL, end)
    end = list_moves(g, state, table, row[1], after, end)
    return Seen(0, False, hash_key(row[0], row[1], ZERO, 2), end)
